/* Numbers as text. See packed.h. */
#include "common/report/packed.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void vef_pack(vef_packed *packed, uint64_t number) {
    enum { MOST_BYTES = 10 };
    vef_grow(&packed->bytes, &packed->room, packed->count + MOST_BYTES, 1);
    for (; number >= 0x80; number >>= 7)
        packed->bytes[packed->count++] = (uint8_t)(0x80 | (number & 0x7f));
    packed->bytes[packed->count++] = (uint8_t)number;
}

void vef_pack_put(vef_packed *packed, vef_result *into, const char *name) {
    char *text = vef_malloc(packed->count / 3 * 4 + 5), *next = text;
    for (size_t i = 0; i < packed->count; i += 3) {
        const size_t left = packed->count - i;
        const uint32_t three = (uint32_t)packed->bytes[i] << 16 |
                               (left > 1 ? (uint32_t)packed->bytes[i + 1] << 8 : 0) |
                               (left > 2 ? packed->bytes[i + 2] : 0);
        for (unsigned digit = 0; digit < 4; digit++)
            *next++ = digit <= left ? digits[three >> (18 - 6 * digit) & 0x3f] : '=';
    }
    *next = '\0';
    VEF_PUT(into, name, text);
    free(text);
    free(packed->bytes);
    *packed = (vef_packed){0};
}

bool vef_unpack(const char *text, vef_packed *packed) {
    uint32_t bits = 0;
    unsigned count = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        if (!digit)
            return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        vef_grow(&packed->bytes, &packed->room, packed->count + 1, 1);
        packed->bytes[packed->count++] = (uint8_t)(bits >> count & 0xff);
    }
    return true;
}

bool vef_unpack_next(const vef_packed *packed, size_t *next, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && *next < packed->count; shift += 7) {
        const uint8_t byte = packed->bytes[(*next)++];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}
