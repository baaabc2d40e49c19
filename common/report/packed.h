/* Numbers of a document as one text: variable-length integers (7 bits a byte, the lowest first; bit
 * 7: another byte follows), in base64 (RFC 4648). For long lists that a page draws, for which JSON
 * numbers are several times as long. cli/report/timeline.js reads them. */
#ifndef VEF_COMMON_REPORT_PACKED_H
#define VEF_COMMON_REPORT_PACKED_H

#include "common/report/result.h"

typedef struct vef_packed {
    uint8_t *bytes;
    size_t count, room;
} vef_packed; /* zero-initialised is empty */

void vef_pack(vef_packed *packed, uint64_t number);
/* Of both signs: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
static inline void vef_pack_signed(vef_packed *packed, int64_t number) {
    vef_pack(packed, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}
/* Adds the text to a document and empties `packed`. */
void vef_pack_put(vef_packed *packed, vef_result *into, const char *name);

/* Appends the bytes of a text in base64; false if it is none. */
bool vef_unpack(const char *text, vef_packed *packed);
/* The number at `*next`, which moves on; false at the end. */
bool vef_unpack_next(const vef_packed *packed, size_t *next, uint64_t *number);

#endif
