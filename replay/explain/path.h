/* The critical path of a replay: the chain of computations and messages that determined its
 * execution time. It is walked back from the end of the last task, over the record of
 * time_record.h: through the time of a task to the end of its last wait, then along the message
 * that ended the wait to the call that sent it (or, with a rendezvous, posted its receive, if that
 * was later), and so on to the beginning. Its pieces follow each other in time without gaps, so its
 * length is the end of the last task.
 *
 * Source: Böhme, Wolf, de Supinski, Schulz and Geimer, "Scalable critical-path based performance
 * analysis", IPDPS 2012, section III; the same walk over wait states: Böhme, Geimer, Wolf and
 * Arnold, "Identifying the root causes of wait states in large-scale parallel applications", ICPP
 * 2010. There a message takes no part of the path but the time of its calls; here its way through
 * the network is on the path, by cause. */
#ifndef VEF_REPLAY_EXPLAIN_PATH_H
#define VEF_REPLAY_EXPLAIN_PATH_H

#include "replay/explain/time_record.h"

/* A piece of the path, from the end of the one before it in time: of a task, or (`from_task` other
 * than `task`, or the same, if it handled its own) a message to it. */
typedef struct vef_path_piece {
    uint64_t begin_ps, end_ps;
    uint32_t task, from_task;
    uint16_t place, region; /* in which `task` was (vef_time_record_call); region 0: none */
    bool message;
    vef_cause_ps ps; /* their sum is the length */
} vef_path_piece;

/* Walks the path from its end to its beginning. */
typedef void vef_path_visitor(void *context, const vef_path_piece *piece);
void vef_path_walk(const vef_time_record *record, vef_path_visitor *visit, void *context);

enum { VEF_PATH_TOP = 10 };

/* A call or a region, or a task. */
typedef struct vef_path_share {
    uint32_t number;
    uint64_t ps;
} vef_path_share;

typedef struct vef_path {
    uint64_t end_ps; /* its length */
    uint64_t pieces, messages;
    vef_cause_ps ps; /* their sum is the length */
    /* The largest, in descending order: calls by their waits, transfers and overhead, regions with
     * all of their time (number 0: outside of regions), tasks with the messages to them. */
    vef_path_share calls[VEF_PATH_TOP], regions[VEF_PATH_TOP], tasks[VEF_PATH_TOP];
    vef_path_share sites[VEF_PATH_TOP]; /* calls from known sites, by their places */
    size_t call_count, region_count, task_count, site_count;
} vef_path;

void vef_path_find(const vef_time_record *record, vef_path *path);

#endif
