/* Shared by the parts of statistics: collect.c counts, regions.c follows regions, waits.c keeps the
 * longest calls. */
#ifndef VEF_TRACES_STATS_STATS_STATE_H
#define VEF_TRACES_STATS_STATS_STATE_H

#include "common/containers/map64.h"
#include "traces/stats/stats.h"

/* Sums over the events of one thread so far. */
typedef struct vef_thread_sums {
    uint64_t compute_ns, mpi_ns, outside_ns, messages, message_bytes;
} vef_thread_sums;

typedef struct vef_open_region {
    size_t region;
    bool inside_itself; /* an outer one of the same name is counted instead */
    vef_thread_sums begun;
} vef_open_region;

typedef struct vef_thread_stats {
    vef_thread_sums sums;
    vef_open_region *open; /* the innermost last */
    size_t open_count, open_capacity;
} vef_thread_stats;

/* Of a region. */
typedef struct vef_region_state {
    uint64_t task_ns;   /* in it, of the current task */
    uint32_t last_task; /* 1 + the last task that entered it */
    size_t next;        /* the next region with an equal hash of its name */
} vef_region_state;

typedef struct vef_stats_state {
    const vef_trace_header *header;
    vef_stats *stats;
    /* The current task. */
    uint32_t task;
    uint64_t event; /* number of the current event */
    vef_thread_stats *threads;
    uint32_t thread_count;
    vef_traffic_row sent, received, put, got; /* of it */
    uint32_t *last_caller;                    /* per call: 1 + the last task that called it */
    vef_map64 requests; /* outstanding: its peer as a word, above it 1 + communicator of a
                           collective */
    vef_region_state *regions;
    size_t *entered; /* the regions that the current task entered */
    size_t stats_capacity, region_capacity, entered_capacity, entered_count;
    vef_map64 region_of; /* hash of a name → the first region with it */
    size_t wait_limit;
    vef_map64 site_of; /* site and call → row of `sites` */
    size_t site_capacity;
} vef_stats_state;

static inline void vef_stats_add(vef_stats *stats, uint64_t *sum, uint64_t more) {
    stats->saturated |= *sum > UINT64_MAX - more;
    *sum = vef_saturating_sum(*sum, more);
}

/* The number and the times of an event's calls. */
static inline void vef_stats_add_call(vef_stats *stats, vef_call_stats *call,
                                      const vef_event *event) {
    const uint64_t each_ns =
        event->repeats > 1 ? event->duration_ns / event->repeats : event->duration_ns;
    vef_stats_add(stats, &call->calls, event->repeats);
    vef_stats_add(stats, &call->duration_ns, event->duration_ns);
    if (call->longest_ns < each_ns)
        call->longest_ns = each_ns;
}

static inline uint64_t vef_sums_ns(const vef_thread_sums *sums) {
    return vef_saturating_sum(vef_saturating_sum(sums->compute_ns, sums->mpi_ns), sums->outside_ns);
}

/* A REGION event, after it has been added to its thread's sums. */
void vef_stats_region(vef_stats_state *state, vef_thread_stats *thread, const vef_event *event);
/* The end of a task: closes what is open. */
void vef_stats_regions_end_task(vef_stats_state *state);

/* An event, whose call sent or received so many bytes, counts for its site; and the end of the last
 * task of a row. */
void vef_stats_site(vef_stats_state *state, const vef_event *event, uint64_t bytes);
void vef_stats_site_end_task(vef_site_stats *row);

/* Any event, after it has been added to its thread's sums and before its requests are removed. */
void vef_stats_wait(vef_stats_state *state, const vef_thread_stats *thread, const vef_event *event);

/* Requests that events start and complete, for the peers of waits. */
void vef_stats_requests(vef_stats_state *state, const vef_event *event);

#endif
