/* Shared by the files that write logs: record.c encodes events, write.c writes blocks to the file
 * and enforces its limit. */
#ifndef VEF_TRACES_LOG_LOG_STATE_H
#define VEF_TRACES_LOG_LOG_STATE_H

#include "traces/format/block.h"
#include "traces/format/codec.h"
#include "traces/log/log.h"
#include "traces/log/ring_summary.h"
#include "traces/log/shared_buffer.h"

#include <stdatomic.h>
#include <sys/types.h>

/* In the record that ends a log, instead of a vef_log_end: it stopped at its limit. */
enum { VEF_END_STOPPED = 4 };

struct vef_lane {
    vef_log *log;
    vef_lane *next;
    uint32_t thread;
    atomic_int busy; /* its thread is appending, or another one flushes it */
    vef_encoder encoder;
    vef_live *live; /* memory in which the encoder builds its pieces; NULL: its own */
};

/* Bytes of one body in several parts. */
typedef struct vef_part {
    const uint8_t *bytes;
    uint32_t size;
} vef_part;

/* The owner of `busy` owns `file` and the following fields, except the atomics. A lane's lock is
 * taken before this one, never after. */
struct vef_log {
    uint32_t task, gap_unit;
    bool threaded, survives, sites;
    void *lock;                           /* lock.h; a new file is locked before it is renamed */
    _Atomic(vef_lane *) lanes;            /* grows only */
    _Atomic uint64_t *counts, *counts_ns; /* by call number; memory of all four lists */
    _Atomic uint64_t *left_out, *left_out_ns; /* likewise, of calls left out by choice */
    vef_measured measured;
    uint64_t reported_bytes; /* `good_bytes` when these were last written */
    atomic_bool counted;     /* since the last blocks of counts and of measured times */
    atomic_int busy;
    atomic_int failed; /* errno of the first failed write; the file does not change after it */
    atomic_bool stopped;
    int file; /* the program may have closed it: see vef_log_is_open */
    dev_t device;
    ino_t inode;
    uint64_t first_block; /* length of the header */
    uint64_t good_bytes;  /* the file has whole blocks up to here */
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
    /* Reserved below the limit of a log that stops there, for its last counts and its end. */
    VEF_LOG_RESERVE_BYTES = 32768,
    VEF_LOG_LAST_BLOCK_BYTES = VEF_COLUMN_CAPACITY + 1024, /* a block of events, at most */
};

/* Opens a file of the log with further flags, and locks it before anything is written (`*lock`;
 * NULL: no locks here). Returns the descriptor, or -1 and errno. */
int vef_log_open_file(const char *path, int flags, void **lock);

/* Notes that `file` is the file of the log from now on. */
void vef_log_take_file(vef_log *log, int file);

/* Whether the descriptor is still that of the log: the program may have closed it, and opened
 * another file with its number. */
bool vef_log_is_open(const vef_log *log);

/* Appends a block to the file; on failure removes what was written. Enforces the limit. Requires
 * `busy`. */
void vef_log_put_block(vef_log *log, uint8_t kind, const vef_part *parts, unsigned count);

/* Writes bytes at an offset of the file; 0 or an errno. Exceeding the system's limit (ulimit -f)
 * does not kill the program. */
int vef_log_put_bytes(int file, const void *bytes, size_t size, uint64_t offset);

#endif
