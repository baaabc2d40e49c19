/* Shared by the files that read traces: reader.c opens, summary.c reads the summary, recover.c
 * finds the pieces of a file without one, stream.c decodes events. */
#ifndef VEF_TRACES_FILE_TRACE_FILE_H
#define VEF_TRACES_FILE_TRACE_FILE_H

#include "common/arena.h"
#include "traces/file/trace.h"
#include "traces/format/block.h"
#include "traces/format/codec.h"

#include <pthread.h>

/* Position of a piece of a stream: the offset of its block, and its index in the block.
 */
typedef struct vef_piece_place {
    uint64_t offset;
    uint32_t number;
} vef_piece_place;

/* A stream: a thread of a task. */
typedef struct vef_stream_facts {
    uint64_t events, requests; /* in its pieces; the request counter after them */
    uint64_t first_place;      /* index of its first piece */
    uint32_t pieces;
} vef_stream_facts;

/* The summary of a trace: the position of everything. 16 bytes of memory per block of events, which
 * has some ten thousand events. */
typedef struct vef_trace_tail {
    uint64_t messages, message_bytes;
    vef_trace_task *task;
    uint64_t *first_stream;    /* per task: index of its first stream */
    vef_stream_facts *streams; /* task by task, thread by thread */
    vef_piece_place *places;   /* stream by stream */
    uint64_t *not_recorded, *not_recorded_ns;
} vef_trace_tail;

/* The block read last, if it holds pieces of many streams: they often request it in turn. */
typedef struct vef_shared_block {
    uint64_t offset;
    uint8_t *raw; /* NULL: none */
    vef_piece *pieces;
    uint32_t count;
    const uint8_t **column; /* per piece, its VEF_COLUMNS columns */
    vef_time_bits *times;   /* per piece, if its times are split; else NULL */
} vef_shared_block;

struct vef_trace {
    int file;
    const char *path;
    uint64_t size;
    vef_arena arena;
    vef_store *store; /* of its open streams */
    vef_trace_header header;
    vef_trace_tail tail;
    uint32_t gap_unit;
    uint64_t blocks_begin;          /* offset of the first block */
    uint64_t after_communicators;   /* offset of the block after them */
    const vef_under_way *under_way; /* once requested */
    size_t under_way_count;
    const char *missing;
    vef_shared_block shared;
    pthread_mutex_t lock; /* of `shared` */
};

void vef_shared_block_release(vef_shared_block *shared);

/* Reads a block that must be of this kind; its raw body is allocated with malloc. A block of events
 * is read with vef_block_read_split. */
vef_code vef_trace_read_block(const vef_trace *trace, uint64_t offset, uint8_t kind,
                              vef_block *block, uint8_t **raw, vef_error *error);

/* Room for the facts of all tasks in the trace's arena, initially 0 with one thread each. */
void vef_tail_make(vef_trace *trace, vef_trace_tail *tail);

/* Reads a summary's body into a new tail. */
vef_code vef_tail_read(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                       vef_trace_tail *tail, vef_error *error);

/* Reads the body of a block behind the summary: measured times, if it has room for all tasks, or
 * how tasks ended in the capture of a slice. Others are skipped. */
vef_code vef_behind_take(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                         vef_trace_tail *tail, vef_error *error);

/* Copies the totals of the tail to the header. */
void vef_tail_take(vef_trace *trace, const vef_trace_tail *tail);

/* Searches the whole file for blocks and keeps the consecutive pieces of each stream; sets
 * trace->missing. */
vef_code vef_trace_recover(vef_trace *trace, vef_error *error);

#endif
