/* A short run of every fuzz target: all files of its corpus, and drawn changes of them.
 * Deterministic: the same inputs in every run. VEF_FUZZ_ROUNDS=N draws N times as many. */
#include "common/rng.h"
#include "common/system/file.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES = 1500, MOST_FILES = 512, LONGEST = 1 << 16 };

typedef struct corpus {
    char *text[MOST_FILES];
    size_t size[MOST_FILES];
    size_t count;
} corpus;

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static corpus load(const char *name) {
    corpus collection = {0};
    char path[4096];
    struct dirent **entries = NULL;
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", name);
    int count = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        vef_error error;
        snprintf(path, sizeof path, "tests/fuzz/corpus/%s/%s", name, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && collection.count < MOST_FILES &&
            vef_file_read(path, LONGEST, &collection.text[collection.count],
                          &collection.size[collection.count], &error) == VEF_OK)
            collection.count++;
        free(entries[i]);
    }
    free(entries);
    return collection;
}

/* One to four changes: bits, bytes of note, a piece cut out, doubled, or taken from another file.
 */
static size_t change(vef_rng *rng, const corpus *collection, uint8_t *data, size_t size) {
    static const uint8_t notable[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '-', '9', '{'};
    for (uint32_t left = 1 + vef_rng_below(rng, 4); left > 0 && size > 0; left--) {
        uint32_t here = vef_rng_below(rng, (uint32_t)size);
        uint32_t length = 1 + vef_rng_below(rng, vef_rng_below(rng, 4) ? 8 : 200);
        if (length > size - here)
            length = (uint32_t)size - here;
        switch (vef_rng_below(rng, 6)) {
        case 0:
            data[here] ^= (uint8_t)(1u << vef_rng_below(rng, 8));
            break;
        case 1:
            data[here] = notable[vef_rng_below(rng, sizeof notable)];
            break;
        case 2:
            memmove(data + here, data + here + length, size - here - length);
            size -= length;
            break;
        case 3:
            if (size + length <= LONGEST) {
                memmove(data + here + length, data + here, size - here);
                size += length;
            }
            break;
        case 4: {
            const size_t other = vef_rng_below(rng, (uint32_t)collection->count);
            if (collection->size[other] > length) {
                size_t from = vef_rng_below(rng, (uint32_t)(collection->size[other] - length));
                memcpy(data + here, collection->text[other] + from, length);
            }
            break;
        }
        default:
            size = here;
        }
    }
    return size;
}

int main(void) {
    static uint8_t data[LONGEST];
    const char *base = getenv("TMPDIR"), *more = getenv("VEF_FUZZ_ROUNDS");
    const int rounds = CHANGES * (more ? atoi(more) : 1);
    int status = 0;
    for (const fuzz_target *target = fuzz_targets; target->name; target++) {
        char scratch[1024];
        corpus collection = load(target->name);
        snprintf(scratch, sizeof scratch, "%s/fuzz-XXXXXX", base ? base : "/tmp");
        if (collection.count == 0 || !mkdtemp(scratch)) {
            printf("%s: no corpus, or no folder for scratch\n", target->name);
            status = 1;
            continue;
        }
        vef_rng rng = vef_rng_make(1, 0, (uint64_t)(target - fuzz_targets));
        for (size_t i = 0; i < collection.count; i++)
            fuzz_run(target, (uint8_t *)collection.text[i], collection.size[i], scratch);
        for (int i = 0; i < rounds; i++) {
            size_t from = vef_rng_below(&rng, (uint32_t)collection.count),
                   size = collection.size[from];
            memcpy(data, collection.text[from], size);
            size = change(&rng, &collection, data, size);
            if (target->repair && vef_rng_below(&rng, 8))
                target->repair(data, size);
            fuzz_run(target, data, size, scratch);
        }
        printf("%s: %zu files and %d changes\n", target->name, collection.count, rounds);
        for (size_t i = 0; i < collection.count; i++)
            free(collection.text[i]);
        remove(scratch);
    }
    return status;
}
