/* Little-endian words and variable-length integers (LEB128: seven bits a byte, the lowest first,
 * the top bit set on all bytes but the last; at most ten bytes), and zigzag for signed ones. */
#ifndef VEF_TRACES_FORMAT_VARINT_H
#define VEF_TRACES_FORMAT_VARINT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VEF_VARINT_BYTES = 10 };

static inline uint8_t *vef_put_varint(uint8_t *to, uint64_t value) {
    while (value >= 0x80) {
        *to++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

/* Signed numbers as unsigned ones, small magnitudes first: 0, -1, 1, -2, … Differences of unsigned
 * numbers are taken modulo 2^64, so that every pair of numbers has one. */
static inline uint64_t vef_zigzag(int64_t value) {
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t vef_unzigzag(uint64_t value) {
    return (int64_t)((value >> 1) ^ (~(value & 1) + 1));
}

static inline uint8_t *vef_put_signed(uint8_t *to, int64_t value) {
    return vef_put_varint(to, vef_zigzag(value));
}

/* A position in bytes that are being read. A read beyond the end yields 0 and sets `bad`
 * permanently, so that callers may check after several reads. */
typedef struct vef_cursor {
    const uint8_t *next, *end;
    bool bad;
} vef_cursor;

static inline uint64_t vef_get_varint(vef_cursor *cursor) {
    if (cursor->next < cursor->end && *cursor->next < 0x80)
        return *cursor->next++;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->next < cursor->end; shift += 7) {
        uint8_t byte = *cursor->next++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cursor->bad = true;
    cursor->next = cursor->end;
    return 0;
}

static inline int64_t vef_get_signed(vef_cursor *cursor) {
    return vef_unzigzag(vef_get_varint(cursor));
}

/* A varint of at most `limit`. */
static inline uint64_t vef_get_limited(vef_cursor *cursor, uint64_t limit) {
    uint64_t value = vef_get_varint(cursor);
    if (value > limit) {
        cursor->bad = true;
        return 0;
    }
    return value;
}

static inline void vef_put_u32(uint8_t *to, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* Compilers do not always merge eight byte loads into one. */
static inline void vef_put_u64(uint8_t *to, uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, 8);
#else
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (8 * i));
#endif
}

static inline uint32_t vef_get_u32(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static inline uint64_t vef_get_u64(const uint8_t *from) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t value;
    memcpy(&value, from, 8);
    return value;
#else
    return (uint64_t)vef_get_u32(from) | (uint64_t)vef_get_u32(from + 4) << 32;
#endif
}

#endif
