/* Blocks: the units of logs and traces. A block is a header of fixed size, then a body that is
 * stored or compressed with zlib; both have a checksum. FORMAT.md defines the bytes. */
#ifndef VEF_TRACES_FORMAT_BLOCK_H
#define VEF_TRACES_FORMAT_BLOCK_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VEF_BLOCK_HEADER_BYTES = 24,
    VEF_BLOCK_BODY_LIMIT = 1 << 30, /* no body is greater, raw or stored */
};

/* The content of a block. */
enum {
    VEF_BLOCK_EVENTS = 1,        /* pieces of streams, see piece.h */
    VEF_BLOCK_COMMUNICATORS = 2, /* their number, then these, see communicator.h */
    VEF_BLOCK_COUNTS = 3,        /* log: counts of calls that are not stored, so far */
    VEF_BLOCK_END = 4,           /* log: how it ended */
    VEF_BLOCK_SUMMARY = 5,       /* trace: the summary: final counts and positions of pieces */
    VEF_BLOCK_BEFORE = 6, /* log: summary of the events that its ring dropped, see ring_summary.h */
    VEF_BLOCK_UNDER_WAY = 7,     /* trace: calls that threads of killed tasks were in */
    VEF_BLOCK_MEASURED_ROWS = 8, /* MEASURED of versions 2 and 3 */
    VEF_BLOCK_RECORDS = 9,       /* slice: how the tasks ended in the capture */
    VEF_BLOCK_MEASURED = 10,     /* how times were measured so far, see measured.h */
    VEF_BLOCK_SITES = 11,        /* call sites, see site.h */
    VEF_BLOCK_KINDS
};

/* How a body is kept. */
enum {
    VEF_METHOD_STORED = 0,
    VEF_METHOD_ZLIB = 1,
    VEF_METHOD_SPLIT = 2, /* EVENTS: with split times (time_coding.h), then as the one before */
};

typedef struct vef_block {
    uint8_t kind, method;
    uint32_t raw_bytes;    /* of the body when unpacked */
    uint32_t stored_bytes; /* of the body in the file */
    uint32_t checksum;     /* crc32 of that */
} vef_block;

void vef_block_pack(const vef_block *block, uint8_t bytes[VEF_BLOCK_HEADER_BYTES]);

/* False if the bytes cannot be a block header. */
bool vef_block_unpack(const uint8_t bytes[VEF_BLOCK_HEADER_BYTES], vef_block *block);

/* Reads the block at an offset of a file of `size` bytes: its header and its raw body, with joined
 * times (raw_bytes is the joined length). VEF_CORRUPT if there is no whole block.
 */
vef_code vef_block_read(int file, uint64_t size, uint64_t offset, vef_block *block, uint8_t **raw,
                        vef_error *error);

/* The same with split times as they are. VEF_TIME_BITS_SLACK bytes follow the body. */
vef_code vef_block_read_split(int file, uint64_t size, uint64_t offset, vef_block *block,
                              uint8_t **raw, vef_error *error);

/* Reads `size` bytes at an offset; VEF_CORRUPT with "ends early" at the end of the file. */
vef_code vef_read_at(int file, void *to, size_t size, uint64_t offset, vef_error *error);

#endif
