/* The last bytes of a whole trace: where its tail is. */
#ifndef VEF_TRACES_FOOTER_H
#define VEF_TRACES_FOOTER_H

#include "traces/varint.h"

#include <stdbool.h>
#include <zlib.h>

enum {
    VEF_FOOTER_BYTES = 32,      /* offset of the summary, of the index, 0, checksum, magic */
    VEF_INDEX_ENTRY_BYTES = 16, /* offset of a block (8), its length (4), its events (4) */
};

static inline void vef_footer_pack(uint8_t bytes[VEF_FOOTER_BYTES], uint64_t summary,
                                   uint64_t index) {
    vef_put_u64(bytes, summary);
    vef_put_u64(bytes + 8, index);
    vef_put_u64(bytes + 16, 0);
    vef_put_u32(bytes + 24, (uint32_t)crc32(0, bytes, 24));
    memcpy(bytes + 28, "VEFE", 4);
}

static inline bool vef_footer_unpack(const uint8_t bytes[VEF_FOOTER_BYTES], uint64_t *summary,
                                     uint64_t *index) {
    *summary = vef_get_u64(bytes);
    *index = vef_get_u64(bytes + 8);
    return memcmp(bytes + 28, "VEFE", 4) == 0 &&
           vef_get_u32(bytes + 24) == (uint32_t)crc32(0, bytes, 24);
}

#endif
