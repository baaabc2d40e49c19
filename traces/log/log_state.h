/* What the files that write logs share: record.c takes events, write.c puts blocks into the file
 * and keeps it below its limit. */
#ifndef VEF_TRACES_LOG_LOG_STATE_H
#define VEF_TRACES_LOG_LOG_STATE_H

#include "traces/format/block.h"
#include "traces/format/codec.h"
#include "traces/log/log.h"
#include "traces/log/ring_summary.h"
#include "traces/log/shared_buffer.h"

#include <stdatomic.h>

/* In the record that ends a log, in place of a vef_log_end: it reached its limit and stopped. */
enum { VEF_END_STOPPED = 4 };

struct vef_lane {
    vef_log *log;
    vef_lane *next;
    uint32_t thread;
    atomic_int busy; /* its thread is appending, or another flushes it */
    vef_encoder encoder;
    vef_live *live; /* where that builds its pieces; NULL: in its own memory */
};

/* Bytes of one body, which need not lie together. */
typedef struct vef_part {
    const uint8_t *bytes;
    uint32_t size;
} vef_part;

/* `file` and what follows it belong to whoever has set `busy`, but for the atomics. A lane's lock
 * is taken before this one, never after. */
struct vef_log {
    uint32_t task, gap_unit;
    bool threaded, survives;
    bool locked;               /* lock.h; a renewed file is locked before it takes the name */
    _Atomic(vef_lane *) lanes; /* grows only */
    _Atomic uint64_t *counts, *counts_ns;
    _Atomic uint64_t *left_out, *left_out_ns; /* likewise, of calls left out by choice */
    vef_measured measured;
    uint64_t told_bytes; /* `good_bytes` when these were last written */
    atomic_bool counted; /* since the last blocks of counts and of what was measured */
    atomic_int busy;
    atomic_int failed; /* errno of the first write that failed; then nothing of the file changes */
    atomic_bool stopped;
    int file;
    uint64_t first_block; /* length of the header */
    uint64_t good_bytes;  /* the file holds whole blocks up to here */
    uint64_t limit;       /* 0: none */
    bool ring, closing;
    char *path;        /* of the file, absolute */
    char *beside;      /* with a ring only: of its renewal */
    uint8_t *copy;     /* with a ring only: VEF_LOG_COPY_BYTES */
    vef_before before; /* with a ring only: what it has dropped */
    uint8_t *scratch;  /* for communicators and counts */
    size_t scratch_bytes;
};
enum {
    VEF_LOG_COPY_BYTES = 1 << 16,
    /* Kept free below the limit of a log that stops there, for its last counts and its end. */
    VEF_LOG_RESERVE_BYTES = 32768,
    VEF_LOG_LAST_BLOCK_BYTES = VEF_COLUMN_CAPACITY + 1024, /* a block of events, at most */
};

/* Puts a block at the end of the file; on failure takes back what of it was written. Keeps the
 * limit. The log is busy. Allocates nothing; safe in a signal handler. */
void vef_log_put_block(vef_log *log, uint8_t kind, const vef_part *parts, unsigned count);

/* Bytes to the end of the file; 0 or an errno. A file that grows beyond what the system lets it
 * (ulimit -f) does not kill the program. */
int vef_log_put_bytes(int file, const void *bytes, size_t size);

#endif
