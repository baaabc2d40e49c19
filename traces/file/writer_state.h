/* Shared by write_events.c (events into pieces), write_blocks.c (pieces into blocks) and
 * write_summary.c (the summary). */
#ifndef VEF_TRACES_FILE_WRITER_STATE_H
#define VEF_TRACES_FILE_WRITER_STATE_H

#include "common/system/file.h"
#include "common/threads/pool.h"
#include "traces/file/writer.h"
#include "traces/format/block.h"
#include "traces/format/codec.h"
#include "traces/format/time_coding.h"

/* A piece of a stream in the file. */
typedef struct vef_writer_place {
    uint64_t offset;
    uint32_t task, thread;
    uint32_t number; /* in its block */
} vef_writer_place;

typedef struct vef_writer_stream {
    vef_encoder *encoder; /* NULL before the first event and after the end */
    uint64_t events, requests;
    uint32_t pieces;
} vef_writer_stream;

typedef struct vef_writer_task {
    vef_writer_stream *streams; /* by thread */
    uint32_t threads;
    vef_log_end end, record;
    bool is_slice; /* `record` counts */
    uint64_t skipped;
} vef_writer_task;

/* The ends of streams, which are short and share blocks. */
typedef struct vef_writer_pool {
    vef_piece *pieces;
    size_t count, capacity;
    uint8_t *column[VEF_COLUMNS];
    size_t used[VEF_COLUMNS], room[VEF_COLUMNS], bytes;
} vef_writer_pool;

/* A compressed block. */
typedef struct vef_writer_packed {
    vef_block block;
    uint8_t *bytes;
    size_t room;
} vef_writer_packed;

/* A block of pieces that is being compressed: copies of its pieces and columns. */
typedef struct vef_writer_job {
    vef_piece *pieces;
    size_t count, piece_room;
    uint8_t *column[VEF_COLUMNS];
    size_t used[VEF_COLUMNS], room[VEF_COLUMNS];
    vef_writer_packed packed;
    vef_code code;
    vef_error error;
} vef_writer_job;

enum { VEF_WRITER_JOBS = 16 };

struct vef_writer {
    vef_output output;
    uint64_t offset;
    uint32_t tasks, gap_unit;
    bool sites;
    vef_writer_task *task;
    vef_encoder *spare; /* of a stream that has ended; NULL: none */
    uint64_t *not_recorded, *not_recorded_ns;
    vef_left_out left_out;
    vef_measured *measured; /* per task; NULL: not set */
    uint64_t events, messages, message_bytes, threads;
    vef_writer_pool pool;
    vef_writer_place *places; /* in file order */
    size_t place_count, place_capacity;
    vef_writer_packed packed; /* of other blocks than of pieces */
    vef_pool *packers;        /* packs blocks of pieces in the background; NULL before the first */
    vef_pool_job packing;
    vef_writer_job job[VEF_WRITER_JOBS];
};

/* Bytes of one body in several parts. */
typedef struct vef_writer_part {
    const uint8_t *bytes;
    size_t size;
    int level; /* of compression */
} vef_writer_part;

/* A trace is written once and read often, so payloads use the highest level of zlib. Classes of
 * times and the bits behind them get no shorter than with level 6, which takes a third of the time
 * (bench/codec.c). */
enum { VEF_PAYLOAD_LEVEL = 9, VEF_TIMES_LEVEL = 6 };

/* write_blocks.c: bytes of the file; a block, after those of pieces, whose body is the bytes up to
 * `end`, which are freed. */
vef_code vef_writer_put(vef_writer *writer, const void *bytes, size_t size, vef_error *error);
vef_code vef_writer_put_block(vef_writer *writer, uint8_t kind, uint8_t *bytes, const uint8_t *end,
                              vef_error *error);

/* write_blocks.c: a block of pieces, whose columns are given and copied. It is compressed in the
 * background and written later, after the blocks before it, so an error may be that of an earlier
 * one. vef_writer_settle writes all. */
vef_code vef_writer_put_pieces(vef_writer *writer, const vef_piece *pieces, uint32_t count,
                               uint8_t *const *column, const size_t *bytes, vef_error *error);
vef_code vef_writer_settle(vef_writer *writer, vef_error *error);
void vef_writer_free_blocks(vef_writer *writer);

/* write_summary.c: the index with the counts of the header, once all pieces are written; then the
 * optional blocks of measured times and of the ends of tasks in the capture of a slice. */
vef_code vef_writer_put_summary(vef_writer *writer, vef_error *error);
vef_code vef_writer_put_measured(vef_writer *writer, vef_error *error);
vef_code vef_writer_put_records(vef_writer *writer, vef_error *error);

#endif
