/* Packing, checking and reading blocks. See block.h. */
#include "traces/format/block.h"
#include "common/memory.h"
#include "traces/format/time_coding.h"
#include "traces/format/varint.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static const uint8_t magic[4] = {'V', 'E', 'F', 'B'};

void vef_block_pack(const vef_block *block, uint8_t bytes[VEF_BLOCK_HEADER_BYTES]) {
    memcpy(bytes, magic, 4);
    bytes[4] = block->kind;
    bytes[5] = block->method;
    bytes[6] = bytes[7] = 0;
    vef_put_u32(bytes + 8, block->raw_bytes);
    vef_put_u32(bytes + 12, block->stored_bytes);
    vef_put_u32(bytes + 16, block->checksum);
    vef_put_u32(bytes + 20, (uint32_t)crc32(0, bytes, 20));
}

bool vef_block_unpack(const uint8_t bytes[VEF_BLOCK_HEADER_BYTES], vef_block *block) {
    if (memcmp(bytes, magic, 4) != 0 || vef_get_u32(bytes + 20) != (uint32_t)crc32(0, bytes, 20))
        return false;
    *block = (vef_block){.kind = bytes[4],
                         .method = bytes[5],
                         .raw_bytes = vef_get_u32(bytes + 8),
                         .stored_bytes = vef_get_u32(bytes + 12),
                         .checksum = vef_get_u32(bytes + 16)};
    return block->kind >= VEF_BLOCK_EVENTS && block->method <= VEF_METHOD_SPLIT && bytes[6] == 0 &&
           bytes[7] == 0 &&
           (block->method != VEF_METHOD_SPLIT || block->kind == VEF_BLOCK_EVENTS) &&
           block->raw_bytes <= VEF_BLOCK_BODY_LIMIT && block->stored_bytes <= VEF_BLOCK_BODY_LIMIT;
}

/* zlib shortens data at most 1032 times (zlib's technical notes), so a greater stated length is
 * false, and nothing is allocated for it. */
static bool can_be(const vef_block *block) {
    if (block->method == VEF_METHOD_STORED)
        return block->raw_bytes == block->stored_bytes;
    return block->raw_bytes / 1032 <= block->stored_bytes;
}

/* Raw deflate, since the block has its own header and checksum. */
static bool inflate_whole(const vef_block *block, const uint8_t *stored, uint8_t *raw) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)stored,
                       .avail_in = block->stored_bytes,
                       .next_out = raw,
                       .avail_out = block->raw_bytes};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return vef_lost(block->raw_bytes) != NULL; /* no memory: no damage */
    int state = inflate(&stream, Z_FINISH);
    if (state == Z_MEM_ERROR)
        vef_lost(block->raw_bytes);
    bool whole = state == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
    inflateEnd(&stream);
    return whole;
}

/* The raw body of a block, allocated with malloc, from its stored form. Zeros follow it. */
static vef_code unpack_body(vef_block *block, const uint8_t *stored, uint8_t **raw,
                            vef_error *error) {
    *raw = NULL;
    if ((uint32_t)crc32(0, stored, block->stored_bytes) != block->checksum)
        return vef_fail(error, VEF_CORRUPT, "checksum mismatch in a block");
    if (!can_be(block))
        return vef_fail(error, VEF_CORRUPT, "a block has an impossible length");
    uint8_t *bytes = vef_malloc(block->raw_bytes + (size_t)VEF_TIME_BITS_SLACK);
    if (!bytes)
        return vef_fail_memory(error, "a block", block->raw_bytes);
    memset(bytes + block->raw_bytes, 0, VEF_TIME_BITS_SLACK);
    bool whole = true;
    if (block->method == VEF_METHOD_STORED) {
        memcpy(bytes, stored, block->raw_bytes);
    } else {
        whole = inflate_whole(block, stored, bytes);
    }
    if (!whole) {
        free(bytes);
        return vef_fail(error, VEF_CORRUPT, "a block does not decompress to its stated length");
    }
    *raw = bytes;
    return VEF_OK;
}

vef_code vef_block_read_split(int file, uint64_t size, uint64_t offset, vef_block *block,
                              uint8_t **raw, vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    *raw = NULL;
    if (size < sizeof header || offset > size - sizeof header)
        return vef_fail(error, VEF_CORRUPT, "damaged: no whole block at byte %llu",
                        (unsigned long long)offset);
    vef_code code = vef_read_at(file, header, sizeof header, offset, error);
    if (code)
        return code;
    offset += sizeof header;
    if (!vef_block_unpack(header, block) || block->stored_bytes > size - offset)
        return vef_fail(error, VEF_CORRUPT, "damaged: no whole block at byte %llu",
                        (unsigned long long)(offset - sizeof header));
    uint8_t *stored = vef_malloc(block->stored_bytes ? block->stored_bytes : 1);
    if (!stored)
        return vef_fail_memory(error, "a block", block->stored_bytes);
    code = vef_read_at(file, stored, block->stored_bytes, offset, error);
    if (!code)
        code = unpack_body(block, stored, raw, error);
    free(stored);
    return code;
}

vef_code vef_block_read(int file, uint64_t size, uint64_t offset, vef_block *block, uint8_t **raw,
                        vef_error *error) {
    vef_code code = vef_block_read_split(file, size, offset, block, raw, error);
    if (code || block->method != VEF_METHOD_SPLIT)
        return code;
    uint8_t *whole = *raw;
    size_t joined;
    code = vef_split_join(whole, block->raw_bytes, raw, &joined, error);
    free(whole);
    if (!code && joined > UINT32_MAX) {
        free(*raw);
        *raw = NULL;
        code = vef_fail(error, VEF_CORRUPT, "a block of events exceeds the greatest length");
    }
    if (!code)
        block->raw_bytes = (uint32_t)joined;
    return code;
}

vef_code vef_read_at(int file, void *to, size_t size, uint64_t offset, vef_error *error) {
    uint8_t *next = to;
    while (size > 0) {
        ssize_t got = pread(file, next, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return vef_fail_errno(error, "reading at byte %llu", (unsigned long long)offset);
        if (got == 0)
            return vef_fail(error, VEF_CORRUPT, "the file ends early, at byte %llu",
                            (unsigned long long)offset);
        next += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return VEF_OK;
}
