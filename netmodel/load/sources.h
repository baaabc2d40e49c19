/* The sources of an open loop: they inject the messages of a traffic stream in time, and store the
 * generation time and source of each message in the network. */
#ifndef VEF_NETMODEL_LOAD_SOURCES_H
#define VEF_NETMODEL_LOAD_SOURCES_H

#include "netmodel/clock.h"
#include "netmodel/latency.h"
#include "netmodel/traffic/traffic.h"

typedef struct vef_inside {
    uint64_t made_cycles;
    uint64_t bytes;
    uint32_t source;
    uint32_t group; /* vef_pattern_kind.groups */
    uint32_t next;  /* of the free list */
} vef_inside;

typedef struct vef_sources {
    vef_netmodel *model; /* not owned */
    vef_traffic *traffic;
    vef_packets packets; /* of the model */
    uint32_t endpoints;
    vef_inside *inside; /* the message of id i, if any */
    uint32_t room, untouched, free_one, count;
    uint64_t look_cycles; /* after how many to check a source with a backlog again */

    /* Of messages delivered since the last reset of the figures: */
    uint64_t delivered_bytes;   /* payload */
    uint64_t *accepted_phits;   /* [endpoints]: by source, headers included */
    vef_latency *latency;       /* from generation to delivery */
    uint32_t groups;            /* of the pattern; 0: it has none */
    vef_latency *group_latency; /* [groups]: as `latency` */
    uint64_t group_phits[VEF_MOST_GROUPS];
} vef_sources;

/* A source with that many messages waiting in the network gets no more until it has fewer. */
enum { VEF_MOST_WAITING = 16 };

/* Takes ownership of `traffic`; its messages have at least `least_phits` phits. */
void vef_sources_create(vef_sources *sources, vef_netmodel *model, vef_traffic *traffic,
                        uint32_t groups, uint32_t endpoints, uint64_t least_phits);
void vef_sources_release(vef_sources *sources); /* zeroed is fine */

/* The time of the network: cycles, whatever its clock. */
static inline uint64_t vef_sources_now(const vef_sources *sources) {
    return vef_netmodel_cycles_at(sources->model, sources->model->kind->now(sources->model));
}
/* Advances the network to `until_cycles`. */
vef_code vef_sources_run(vef_sources *sources, uint64_t until_cycles, vef_error *error);

/* Resets the figures. */
void vef_sources_begin_figures(vef_sources *sources);

#endif
