/* The sources of an open loop: they put the messages of a traffic stream into a network when their
 * time has come, and know of each message inside when it was made and by whom. */
#ifndef VEF_NETMODEL_LOAD_SOURCES_H
#define VEF_NETMODEL_LOAD_SOURCES_H

#include "netmodel/router/latency.h"
#include "netmodel/traffic/traffic.h"

typedef struct vef_inside {
    uint64_t made_cycles;
    uint64_t phits;
    uint32_t source;
    uint32_t next; /* of the free ones */
} vef_inside;

typedef struct vef_sources {
    vef_netmodel *model; /* not owned */
    vef_traffic *traffic;
    uint32_t endpoints;
    vef_inside *inside; /* the message of id i, where one is */
    uint32_t room, untouched, free_one, count;
    uint64_t look_cycles; /* after how many to look again at a source that is behind */

    /* since the figures began */
    uint64_t *accepted_phits; /* [endpoints], of messages delivered, by source */
    vef_latency *latency;     /* of messages, from when they were made to their delivery */
} vef_sources;

/* A source with that many messages waiting in the network is given no more until it has fewer. */
enum { VEF_MOST_WAITING = 16 };

/* Takes over `traffic`, also when it fails; its messages have `least_phits` phits or more. */
vef_code vef_sources_create(vef_sources *sources, vef_netmodel *model, vef_traffic *traffic,
                            uint32_t endpoints, uint64_t least_phits, vef_error *error);
void vef_sources_release(vef_sources *sources); /* zeroed is fine */

/* Runs the network on to `until_cycles`. */
vef_code vef_sources_run(vef_sources *sources, uint64_t until_cycles, vef_error *error);

/* The figures begin again. */
void vef_sources_begin_figures(vef_sources *sources);

#endif
