/* Packing, checking and reading blocks. See block.h. */
#include "traces/block.h"
#include "traces/varint.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static const uint8_t magic[4] = {'V', 'E', 'F', 'B'};

void vef_block_pack(const vef_block *block, uint8_t bytes[VEF_BLOCK_HEADER_BYTES]) {
    memcpy(bytes, magic, 4);
    bytes[4] = block->kind;
    bytes[5] = block->method;
    bytes[6] = block->time_shift;
    bytes[7] = 0;
    vef_put_u32(bytes + 8, block->task);
    vef_put_u32(bytes + 12, block->sequence);
    vef_put_u64(bytes + 16, block->first_event);
    vef_put_u64(bytes + 24, block->first_request);
    vef_put_u32(bytes + 32, block->events);
    vef_put_u32(bytes + 36, block->requests);
    for (unsigned i = 0; i < 3; i++)
        vef_put_u32(bytes + 40 + 4 * i, block->column_bytes[i]);
    vef_put_u32(bytes + 52, block->stored_bytes);
    vef_put_u32(bytes + 56, block->checksum);
    vef_put_u32(bytes + 60, (uint32_t)crc32(0, bytes, 60));
}

bool vef_block_unpack(const uint8_t bytes[VEF_BLOCK_HEADER_BYTES], vef_block *block) {
    if (memcmp(bytes, magic, 4) != 0 || vef_get_u32(bytes + 60) != (uint32_t)crc32(0, bytes, 60))
        return false;
    *block = (vef_block){.kind = bytes[4],
                         .method = bytes[5],
                         .time_shift = bytes[6],
                         .task = vef_get_u32(bytes + 8),
                         .sequence = vef_get_u32(bytes + 12),
                         .first_event = vef_get_u64(bytes + 16),
                         .first_request = vef_get_u64(bytes + 24),
                         .events = vef_get_u32(bytes + 32),
                         .requests = vef_get_u32(bytes + 36),
                         .stored_bytes = vef_get_u32(bytes + 52),
                         .checksum = vef_get_u32(bytes + 56)};
    for (unsigned i = 0; i < 3; i++)
        block->column_bytes[i] = vef_get_u32(bytes + 40 + 4 * i);
    return block->kind >= VEF_BLOCK_EVENTS && block->kind <= VEF_BLOCK_INDEX &&
           block->method <= VEF_METHOD_ZLIB && block->time_shift == 0 && bytes[7] == 0 &&
           vef_block_raw_bytes(block) <= VEF_BLOCK_BODY_LIMIT &&
           block->stored_bytes <= VEF_BLOCK_BODY_LIMIT;
}

vef_code vef_block_body(const vef_block *block, const uint8_t *stored, uint8_t **raw,
                        vef_error *error) {
    *raw = NULL;
    if ((uint32_t)crc32(0, stored, block->stored_bytes) != block->checksum)
        return vef_fail(error, VEF_CORRUPT, "checksum of a block does not agree with its bytes");
    uint64_t size = vef_block_raw_bytes(block);
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        return vef_fail_memory(error, "a block", size);
    bool whole;
    if (block->method == VEF_METHOD_STORED) {
        whole = size == block->stored_bytes;
        if (whole)
            memcpy(bytes, stored, size);
    } else {
        uLongf got = (uLongf)size;
        whole = uncompress(bytes, &got, stored, block->stored_bytes) == Z_OK && got == size;
    }
    if (!whole) {
        free(bytes);
        return vef_fail(error, VEF_CORRUPT, "a block does not unpack to the length it states");
    }
    *raw = bytes;
    return VEF_OK;
}

vef_code vef_read_at(int file, void *to, size_t size, uint64_t offset, vef_error *error) {
    uint8_t *at = to;
    while (size > 0) {
        ssize_t got = pread(file, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return vef_fail_errno(error, "reading at byte %llu", (unsigned long long)offset);
        if (got == 0)
            return vef_fail(error, VEF_CORRUPT, "the file ends early, at byte %llu",
                            (unsigned long long)offset);
        at += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return VEF_OK;
}
