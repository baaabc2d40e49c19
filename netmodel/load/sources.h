/* The sources of an open loop: they inject the messages of a traffic stream in time, and count what
 * arrives. They have as many parts as the network, each with the stream of its endpoints, and are
 * its agent (netmodel.h); a network without agents is advanced from delivery to delivery.
 *
 * The time of its generation travels with a message, as its id. */
#ifndef VEF_NETMODEL_LOAD_SOURCES_H
#define VEF_NETMODEL_LOAD_SOURCES_H

#include "netmodel/clock.h"
#include "netmodel/latency.h"
#include "netmodel/traffic/traffic.h"

#include <stdalign.h>

/* A part, and its figures of messages delivered to its endpoints since their last reset. */
typedef struct vef_source_part {
    alignas(64) vef_traffic *traffic; /* threads share no cache line */
    vef_code code;                    /* of the injection that failed first; it ends the part */
    vef_error error;
    int64_t inside;             /* messages injected here, less those delivered here */
    uint64_t delivered_bytes;   /* payload */
    vef_latency *latency;       /* from generation to delivery */
    vef_latency *group_latency; /* [groups]: as `latency` */
    uint64_t group_phits[VEF_MOST_GROUPS];
} vef_source_part;

typedef struct vef_sources {
    vef_netmodel *model; /* not owned */
    vef_net_agent agent;
    const vef_pattern *pattern;
    vef_packets packets; /* of the model */
    uint32_t endpoints, senders;
    uint64_t look_cycles;     /* after how many to check a source with a backlog again */
    uint32_t groups;          /* of the pattern; 0: it has none */
    uint8_t *group_of;        /* [endpoints]: by source; NULL: there are no groups */
    uint64_t *accepted_phits; /* [endpoints]: delivered, by source, headers included */
    vef_source_part *parts;
    uint32_t part_count;
    vef_arena arena;
} vef_sources;

/* A source with that many messages waiting in the network gets no more until it has fewer. */
enum { VEF_MOST_WAITING = 16 };

/* The sources of a network that has been split, or spread over ranks (then what follows is
 * collective, too); `traffic` as for vef_traffic_create, but for its
 * `members` and `packets`. It stays where it is from now on. */
vef_code vef_sources_create(vef_sources *sources, vef_netmodel *model,
                            const vef_traffic_settings *traffic, vef_error *error);
void vef_sources_release(vef_sources *sources); /* zeroed is fine */

/* The time of the network: cycles, whatever its clock. */
static inline uint64_t vef_sources_now(const vef_sources *sources) {
    return vef_netmodel_cycles_at(sources->model, sources->model->kind->now(sources->model));
}
/* Advances the network to `until_cycles`. */
vef_code vef_sources_run(vef_sources *sources, uint64_t until_cycles, vef_error *error);

/* The sums over all parts. */
typedef struct vef_source_counts {
    uint64_t inside;                   /* messages in the network or in the queues of its sources */
    uint64_t messages, latency_cycles; /* delivered since the last reset */
} vef_source_counts;
vef_source_counts vef_sources_count(const vef_sources *sources);

/* Resets the figures. */
void vef_sources_begin_figures(vef_sources *sources);
/* Adds the figures of all parts to the first one's, which it returns, and with ranks those of all
 * of these, accepted_phits too. At the end: once. */
const vef_source_part *vef_sources_gather(vef_sources *sources);

#endif
