/* Reading the log of one task, as far as it goes: up to its last whole block. */
#ifndef VEF_TRACES_LOG_LOG_READER_H
#define VEF_TRACES_LOG_LOG_READER_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/under_way.h"
#include "traces/log/log.h"
#include "traces/log/ring_summary.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_log_reader vef_log_reader;

/* What a log says outside its events. Lives as long as its reader. */
typedef struct vef_log_facts {
    vef_log_header header;
    vef_log_end end;  /* VEF_LOG_CUT: killed, or damaged after `events` */
    bool stopped;     /* it reached its limit of bytes: what came after `events` is not in it */
    uint32_t threads; /* one more than the greatest number of one; 1 at least */
    uint64_t events, requests; /* over all threads; requests: one more than the greatest named */
    const vef_before *before;  /* what matching needs of those that a ring has dropped */
    uint64_t skipped;          /* events before the first ones here, which a ring has dropped */
    uint32_t communicator_count;
    const vef_communicator *communicators; /* the task's own numbering; parents before children */
    const uint64_t *counts;                /* per call number: calls that the log does not hold */
    const uint64_t *counts_ns;             /* and the time inside them */
    const vef_under_way *under_way; /* of each thread of a task that was killed, peers as ranks */
    uint32_t under_way_count;
    vef_left_out left_out; /* calls left out by choice */
    vef_measured measured;
} vef_log_facts;

/* Opens and looks through a whole log, checking every block. A log that ends inside its header
 * fails with VEF_CORRUPT and sets `*cut` (may be NULL): it holds nothing. */
vef_code vef_log_reader_open(const char *path, vef_log_reader **reader, bool *cut,
                             vef_error *error);
void vef_log_reader_close(vef_log_reader *reader);
const vef_log_facts *vef_log_reader_facts(const vef_log_reader *reader);

/* The next event of the task, or NULL in `*event` at the end of what is whole: those of all
 * threads, in the order in which they were entered. Valid until the next call. Holds a block per
 * thread. */
vef_code vef_log_reader_next(vef_log_reader *reader, const vef_event **event, vef_error *error);

/* Starts again with the first event. */
void vef_log_reader_rewind(vef_log_reader *reader);

#endif
