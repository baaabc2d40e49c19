/* Changes logs as accidents do: usage: mutate SEED FILE... With the seed 0 it makes them logs of
 * one job, "J", as VEF_CAPTURE_JOB with an unknown launcher does for different runs. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct file {
    const char *path;
    unsigned char *bytes;
    size_t size;
    int gone;
} file;

static uint64_t state;

static size_t number(size_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below ? (size_t)((state >> 33) % below) : 0;
}

static void load(file *of) {
    FILE *in = fopen(of->path, "rb");
    of->bytes = malloc(1 << 22);
    of->size = in && of->bytes ? fread(of->bytes, 1, 1 << 21, in) : 0;
    if (in)
        fclose(in);
}

static void save(const file *of) {
    FILE *out = of->gone ? NULL : fopen(of->path, "wb");
    if (of->gone)
        unlink(of->path);
    if (!out)
        return;
    fwrite(of->bytes, 1, of->size, out);
    fclose(out);
}

/* Half of the places are in the header. */
static size_t place(const file *of) {
    return number(number(2) && of->size > 400 ? 400 : of->size);
}

static void mutate(file *files, size_t count) {
    file *of = &files[number(count)], *other = &files[number(count)];
    size_t at = place(of), length = number(of->size - at < 5000 ? of->size - at : 5000);
    switch (number(11)) {
    case 0:
        if (of->size)
            of->bytes[at] ^= (unsigned char)(1 << number(8));
        break;
    case 1: /* a digit */
        for (size_t i = at; i < of->size && i < 400; i++)
            if (of->bytes[i] >= '0' && of->bytes[i] <= '9') {
                of->bytes[i] = (unsigned char)('0' + number(10));
                break;
            }
        break;
    case 2:
        of->size = number(of->size + 1);
        break;
    case 3:
        of->size -= number(of->size < 200 ? of->size : 200);
        break;
    case 4:
        memset(of->bytes + at, 0, length);
        break;
    case 5: { /* exchanged */
        file kept = *of;
        of->bytes = other->bytes, of->size = other->size;
        other->bytes = kept.bytes, other->size = kept.size;
        break;
    }
    case 6: /* one overwrites the other */
        if (of != other) {
            memcpy(of->bytes, other->bytes, other->size);
            of->size = other->size;
        }
        break;
    case 7:
        of->gone = 1;
        break;
    case 8: /* a part twice */
        memmove(of->bytes + at + length, of->bytes + at, of->size - at);
        of->size += length;
        break;
    case 9: /* a part is missing */
        memmove(of->bytes + at, of->bytes + at + length, of->size - at - length);
        of->size -= length;
        break;
    case 10: /* the end of another one */
        if (of != other && at < other->size) {
            memcpy(of->bytes + at, other->bytes + at, other->size - at);
            of->size = other->size;
        }
        break;
    }
}

static uint32_t crc32_of(const unsigned char *bytes, size_t size) {
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* The header of a log is a length, that many bytes, and a checksum (traces/FORMAT.md). */
static void rename_job(file *of) {
    uint32_t length, crc;
    memcpy(&length, of->bytes + 12, 4);
    unsigned char *end = of->bytes + 16 + length;
    char *job = memmem(of->bytes, 16 + length, "job: \"", 6);
    char *quote = job ? strchr(job + 6, '"') : NULL;
    if (!quote)
        exit(1);
    job[6] = 'J';
    size_t removed = (size_t)(quote - job) - 7;
    memmove(job + 7, quote, (size_t)(of->bytes + of->size - (unsigned char *)quote));
    of->size -= removed;
    length -= (uint32_t)removed;
    memcpy(of->bytes + 12, &length, 4);
    crc = crc32_of(of->bytes, 16 + length);
    memcpy(end - removed, &crc, 4);
}

int main(int argc, char **argv) {
    file files[64];
    size_t count = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 + 17 : 1;
    number(2);
    for (int i = 2; i < argc && count < 64; i++) {
        files[count] = (file){argv[i], NULL, 0, 0};
        load(&files[count++]);
    }
    const int one_job = argc > 1 && strcmp(argv[1], "0") == 0;
    for (size_t i = 0; one_job && i < count; i++)
        rename_job(&files[i]);
    for (size_t i = one_job ? 0 : 1 + number(3); i > 0; i--)
        mutate(files, count);
    for (size_t i = 0; i < count; i++)
        save(&files[i]);
    return 0;
}
