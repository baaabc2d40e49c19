/* What the files that read traces share: reader.c opens, recover.c finds the blocks of a file whose
 * tail is missing, stream.c hands out events. */
#ifndef VEF_TRACES_TRACE_FILE_H
#define VEF_TRACES_TRACE_FILE_H

#include "common/arena.h"
#include "traces/block.h"
#include "traces/trace.h"

/* Where a block of events lies in the file. */
typedef struct vef_block_place {
    uint64_t offset;
    uint32_t size, events; /* size with its header */
} vef_block_place;

struct vef_trace {
    int file;
    const char *path;
    uint64_t size;
    vef_arena arena;
    vef_trace_header header;
    vef_trace_task *task;
    uint64_t *not_recorded, *not_recorded_ns;
    uint64_t *first_place;   /* per task, and one more: number of its first block */
    uint64_t index_offset;   /* of entry 0 in the file; unused when `places` is there */
    vef_block_place *places; /* recovered: task by task; NULL when the index is whole */
    uint64_t blocks_begin;   /* offset of the first block */
    const char *missing;
};

/* Reads a block of another kind than events; its raw body is allocated with malloc. */
vef_code vef_trace_read_block(const vef_trace *trace, uint64_t offset, uint8_t kind,
                              vef_block *block, uint8_t **raw, vef_error *error);

/* Fills in the totals and per-task facts from a summary's body. */
vef_code vef_trace_take_summary(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                                vef_error *error);

/* Looks for blocks in the whole file and takes those that follow each other; sets trace->missing.
 */
vef_code vef_trace_recover(vef_trace *trace, vef_error *error);

#endif
