/* The columns of times in a trace: each number is a class, a byte that gives its length and leading
 * bits, and the remaining bits. The classes compress well and the bits not at all, so they are
 * stored separately. On the examples a trace gets 10 to 13 % shorter than with zlib over varints,
 * within a few per cent of the entropy of the times. Logs do not use it. FORMAT.md defines the
 * bytes. */
#ifndef VEF_TRACES_FORMAT_TIME_CODING_H
#define VEF_TRACES_FORMAT_TIME_CODING_H

#include "traces/format/piece.h"
#include "traces/format/varint.h"

/* The replacement for the columns of some pieces. */
typedef struct vef_split {
    vef_piece *pieces;             /* with lengths of classes for those of times */
    uint8_t *classes[VEF_COLUMNS]; /* of all pieces; NULL for unchanged columns */
    size_t class_bytes[VEF_COLUMNS];
    uint8_t *bits; /* per piece: those of its gaps, those of its durations, padding to a byte */
    size_t bit_bytes;
} vef_split;

/* Splits columns of an encoder, each of all pieces one after another. */
vef_code vef_split_make(vef_split *split, const vef_piece *pieces, uint32_t count,
                        uint8_t *const column[VEF_COLUMNS], vef_error *error);
void vef_split_free(vef_split *split);

/* The body of a block of events, allocated with malloc, from one with split times. */
vef_code vef_split_join(const uint8_t *body, size_t size, uint8_t **joined, size_t *joined_size,
                        vef_error *error);

/* ---- reading without joining ---- */

/* A number below 128 is its own class. A greater number, whose highest bit is bit e, has class 128
 * + 2 (e - 7) + the next bit; the other e - 1 bits remain. */
enum {
    VEF_TIME_PLAIN = 128,
    VEF_TIME_PLAIN_BITS = 7,
    VEF_TIME_CLASSES = VEF_TIME_PLAIN + 2 * (64 - VEF_TIME_PLAIN_BITS)
};

/* The bits of a piece: of its gaps, then of its durations. VEF_TIME_BITS_SLACK readable bytes must
 * follow them. */
enum { VEF_TIME_BITS_SLACK = 16 };
typedef struct vef_time_bits {
    const uint8_t *bits;
    uint64_t gap, duration, end; /* positions in bits, of the next number and of the end */
} vef_time_bits;

/* Finds the bits of each piece, and checks that the `bit_bytes` bytes at `bits` are what the
 * classes require. `column`: VEF_COLUMNS pointers per piece. */
vef_code vef_split_find(const vef_piece *pieces, uint32_t count, const uint8_t *const *column,
                        const uint8_t *bits, size_t bit_bytes, vef_time_bits *times,
                        vef_error *error);

/* The number of a class, whose bits are at `*bit`, which advances. */
static inline uint64_t vef_split_get(const uint8_t *bits, uint64_t *bit, uint8_t class) {
    if (class < VEF_TIME_PLAIN)
        return class;
    const unsigned count = VEF_TIME_PLAIN_BITS - 1 + ((unsigned)class - VEF_TIME_PLAIN) / 2;
    const uint8_t *from = bits + (*bit >> 3);
    const unsigned skip = *bit & 7;
    uint64_t word = vef_get_u64(from) >> skip;
    if (count > 64 - skip)
        word |= (uint64_t)from[8] << (64 - skip);
    *bit += count;
    return (word & ((UINT64_C(1) << count) - 1)) | (UINT64_C(2) | (class & 1)) << count;
}

#endif
