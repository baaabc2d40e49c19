/* Reading the log of one task up to its last whole block. */
#ifndef VEF_TRACES_LOG_LOG_READER_H
#define VEF_TRACES_LOG_LOG_READER_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/preamble.h"
#include "traces/format/under_way.h"
#include "traces/log/log.h"
#include "traces/log/ring_summary.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_log_reader vef_log_reader;

/* The facts of a log outside its events. Valid as long as its reader. */
typedef struct vef_log_facts {
    vef_log_header header;
    vef_log_end end;           /* VEF_LOG_CUT: killed, or damaged after `events` */
    bool stopped;              /* it reached its size limit and lacks what came after `events` */
    uint32_t threads;          /* one more than the greatest thread number; at least 1 */
    uint64_t events, requests; /* over all threads; requests: one more than the greatest number */
    const vef_before *before;  /* what matching needs of the events that a ring dropped */
    uint64_t skipped;          /* number of events that a ring dropped before the first one here */
    uint32_t communicator_count;
    const vef_communicator *communicators; /* the task's own numbering; parents before children */
    const vef_site *sites;                 /* by number - 1 */
    size_t site_count;
    const uint64_t *counts;         /* per call number: calls that the log does not store */
    const uint64_t *counts_ns;      /* and the time inside them */
    const vef_under_way *under_way; /* of each thread of a killed task, peers as ranks */
    uint32_t under_way_count;
    uint64_t lost;      /* number of recorded events that damaged shared buffers, or missing blocks
                           before them, took from the task */
    const char *damage; /* the first such damage, with the file's name; NULL: none */
    vef_left_out left_out; /* calls left out by choice */
    vef_measured measured;
} vef_log_facts;

/* The header of a log from the fields of its preamble. */
vef_code vef_log_header_read(const vef_field *fields, size_t count, const char *path,
                             vef_log_header *header, vef_error *error);

/* Opens and scans a whole log, checking every block. A log that ends inside its header fails with
 * VEF_CORRUPT and sets `*cut` (may be NULL): it has no events. */
vef_code vef_log_reader_open(const char *path, vef_log_reader **reader, bool *cut,
                             vef_error *error);
void vef_log_reader_close(vef_log_reader *reader);
const vef_log_facts *vef_log_reader_facts(const vef_log_reader *reader);

/* The next event of the task, or NULL in `*event` at the end of the whole part: the events of all
 * threads, in the order of entry. Valid until the next call. Holds one block per thread. */
vef_code vef_log_reader_next(vef_log_reader *reader, const vef_event **event, vef_error *error);

#endif
