/* The links of a network that were busiest during a replay, and the pairs of tasks whose messages
 * crossed them. */
#ifndef VEF_REPLAY_EXPLAIN_HOT_LINKS_H
#define VEF_REPLAY_EXPLAIN_HOT_LINKS_H

#include "replay/replay.h"

enum { VEF_HOT_LINKS = 10, VEF_HOT_PAIRS = 5 };

typedef struct vef_hot_pair {
    uint32_t from, to; /* tasks, in the direction of the phits */
    uint64_t phits;
} vef_hot_pair;

typedef struct vef_hot_link {
    uint32_t router, port;
    double utilization; /* busy share of the execution time */
    uint64_t phits;
    vef_hot_pair pairs[VEF_HOT_PAIRS]; /* those with most phits, in descending order */
    uint32_t shown, pair_count;        /* of all pairs; 0 also before vef_hot_links_count */
} vef_hot_link;

typedef struct vef_hot_links {
    vef_hot_link list[VEF_HOT_LINKS]; /* in descending order */
    uint32_t count;                   /* of links that were used */
    bool counted;                     /* the pairs are known */
} vef_hot_links;

/* The busiest links at the end of a replay that took so long; none where a network has no links. */
void vef_hot_links_find(const vef_netmodel *network, double time_cycles, vef_hot_links *links);

/* Counts the pairs of tasks exactly: repeats the replay, on `fresh`, a network as that of the
 * replay was before it. Broadcasts by the network are of no pair. */
vef_code vef_hot_links_count(vef_trace *trace, vef_netmodel *fresh, const uint32_t *mapping,
                             const vef_replay_options *options, vef_progress *progress,
                             vef_hot_links *links, vef_error *error);

#endif
