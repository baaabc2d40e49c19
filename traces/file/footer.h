/* The last bytes of a complete trace: the position of its summary. */
#ifndef VEF_TRACES_FILE_FOOTER_H
#define VEF_TRACES_FILE_FOOTER_H

#include "traces/format/varint.h"

#include <stdbool.h>
#include <zlib.h>

enum { VEF_FOOTER_BYTES = 16 }; /* offset of the summary (8), checksum (4), magic (4) */

static inline void vef_footer_pack(uint8_t bytes[VEF_FOOTER_BYTES], uint64_t summary) {
    vef_put_u64(bytes, summary);
    vef_put_u32(bytes + 8, (uint32_t)crc32(0, bytes, 8));
    memcpy(bytes + 12, "VEFE", 4);
}

static inline bool vef_footer_unpack(const uint8_t bytes[VEF_FOOTER_BYTES], uint64_t *summary) {
    *summary = vef_get_u64(bytes);
    return memcmp(bytes + 12, "VEFE", 4) == 0 &&
           vef_get_u32(bytes + 8) == (uint32_t)crc32(0, bytes, 8);
}

#endif
