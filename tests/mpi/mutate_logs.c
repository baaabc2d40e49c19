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

static void load(file *log) {
    FILE *in = fopen(log->path, "rb");
    log->bytes = malloc(1 << 22);
    log->size = in && log->bytes ? fread(log->bytes, 1, 1 << 21, in) : 0;
    if (in)
        fclose(in);
}

static void save(const file *log) {
    FILE *out = log->gone ? NULL : fopen(log->path, "wb");
    if (log->gone)
        unlink(log->path);
    if (!out)
        return;
    fwrite(log->bytes, 1, log->size, out);
    fclose(out);
}

/* Half of the places are in the header. */
static size_t place(const file *log) {
    return number(number(2) && log->size > 400 ? 400 : log->size);
}

static void mutate(file *files, size_t count) {
    file *log = &files[number(count)], *other = &files[number(count)];
    size_t position = place(log),
           length = number(log->size - position < 5000 ? log->size - position : 5000);
    switch (number(11)) {
    case 0:
        if (log->size)
            log->bytes[position] ^= (unsigned char)(1 << number(8));
        break;
    case 1: /* a digit */
        for (size_t i = position; i < log->size && i < 400; i++)
            if (log->bytes[i] >= '0' && log->bytes[i] <= '9') {
                log->bytes[i] = (unsigned char)('0' + number(10));
                break;
            }
        break;
    case 2:
        log->size = number(log->size + 1);
        break;
    case 3:
        log->size -= number(log->size < 200 ? log->size : 200);
        break;
    case 4:
        memset(log->bytes + position, 0, length);
        break;
    case 5: { /* exchanged */
        file kept = *log;
        log->bytes = other->bytes, log->size = other->size;
        other->bytes = kept.bytes, other->size = kept.size;
        break;
    }
    case 6: /* one overwrites the other */
        if (log != other) {
            memcpy(log->bytes, other->bytes, other->size);
            log->size = other->size;
        }
        break;
    case 7:
        log->gone = 1;
        break;
    case 8: /* a part twice */
        memmove(log->bytes + position + length, log->bytes + position, log->size - position);
        log->size += length;
        break;
    case 9: /* a part is missing */
        memmove(log->bytes + position, log->bytes + position + length,
                log->size - position - length);
        log->size -= length;
        break;
    case 10: /* the end of another one */
        if (log != other && position < other->size) {
            memcpy(log->bytes + position, other->bytes + position, other->size - position);
            log->size = other->size;
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
static void rename_job(file *log) {
    uint32_t length, crc;
    memcpy(&length, log->bytes + 12, 4);
    unsigned char *end = log->bytes + 16 + length;
    char *job = memmem(log->bytes, 16 + length, "job: \"", 6);
    char *quote = job ? strchr(job + 6, '"') : NULL;
    if (!quote)
        exit(1);
    job[6] = 'J';
    size_t removed = (size_t)(quote - job) - 7;
    memmove(job + 7, quote, (size_t)(log->bytes + log->size - (unsigned char *)quote));
    log->size -= removed;
    length -= (uint32_t)removed;
    memcpy(log->bytes + 12, &length, 4);
    crc = crc32_of(log->bytes, 16 + length);
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
