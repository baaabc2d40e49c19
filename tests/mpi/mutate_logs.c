/* Changes a folder of logs as accidents do: usage: mutate SEED FILE... */
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

int main(int argc, char **argv) {
    file files[64];
    size_t count = 0;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 7919 + 17 : 1;
    number(2);
    for (int i = 2; i < argc && count < 64; i++) {
        files[count] = (file){argv[i], NULL, 0, 0};
        load(&files[count++]);
    }
    for (size_t i = 1 + number(3); i > 0; i--)
        mutate(files, count);
    for (size_t i = 0; i < count; i++)
        save(&files[i]);
    return 0;
}
