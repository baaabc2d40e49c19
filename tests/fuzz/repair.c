/* Checksums set right after changes (traces/FORMAT.md, "Files"), so that what lies behind them is
 * read. */
#include "tests/fuzz/fuzz.h"
#include "traces/format/varint.h"

#include <string.h>
#include <zlib.h>

enum { BLOCK_HEADER_BYTES = 24, FOOTER_BYTES = 16 };

static void stamp(uint8_t *byte, const uint8_t *from, size_t bytes) {
    vef_put_u32(byte, (uint32_t)crc32(0, from, (uInt)bytes));
}

void fuzz_repair(uint8_t *data, size_t size) {
    if (size < 20)
        return;
    size_t header = 16 + (size_t)vef_get_u32(data + 12);
    if (header <= size - 4)
        stamp(data + header, data, header);
    for (size_t position = 0; position + BLOCK_HEADER_BYTES <= size; position++) {
        if (memcmp(data + position, "VEFB", 4) != 0)
            continue;
        size_t body = vef_get_u32(data + position + 12);
        if (body <= size - position - BLOCK_HEADER_BYTES)
            stamp(data + position + 16, data + position + BLOCK_HEADER_BYTES, body);
        stamp(data + position + 20, data + position, 20);
    }
    if (size >= FOOTER_BYTES && memcmp(data + size - 4, "VEFE", 4) == 0)
        stamp(data + size - 8, data + size - FOOTER_BYTES, 8);
}
