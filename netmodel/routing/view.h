/* The view of the network for a packet that chooses among its alternatives (routing.h, vef_choice)
 * or weighs its candidates: the occupancy of the queues at the other end of a router's links, as
 * the router knows it from its credits, and what waits for a link. Read-only; filled in by the
 * network.
 */
#ifndef VEF_NETMODEL_ROUTING_VIEW_H
#define VEF_NETMODEL_ROUTING_VIEW_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Places of one queue (netmodel/MODEL.md), including those taken by packets in flight to it. */
typedef struct vef_occupancy {
    uint32_t taken, places;
} vef_occupancy;

typedef struct vef_view {
    const void *network;
    uint32_t router;   /* the router of the choice */
    uint32_t channels; /* of every port */
    bool everywhere;   /* other routers may be inspected too: vef_routing.sees_all */
    vef_occupancy (*look)(const struct vef_view *view, uint32_t router, uint32_t port,
                          uint32_t channel);
    uint32_t (*waiting)(const struct vef_view *view, uint32_t router, uint32_t port);
} vef_view;

/* Which queues at the end of a link count: those of the channels that the packet may take, or of
 * all channels. A key of routings, for `type`. */
enum { VEF_QUEUES_CHANNELS, VEF_QUEUES_PORT };
extern const char *const vef_queues_words[]; /* terminated by NULL; in routing.c */
/* clang-format off */
#define VEF_QUEUES_ROW(type)                                                                       \
    {VEF_KEY(CHOICE, type, queues), .fallback = "channels", .choices = vef_queues_words,           \
     .help = "occupied places that count at a link: of the channels that the route may take "      \
             "there, or of all channels of the port"}
/* clang-format on */

/* The queue that a packet would take a place of if it left `router` by this port and channel. */
static inline vef_occupancy vef_view_queue(const vef_view *view, uint32_t router, uint32_t port,
                                           uint32_t channel) {
    assert(router == view->router || view->everywhere);
    return view->look(view, router, port, channel);
}

/* Places that packets of `router` will take by this port: those at the fronts of its queues whose
 * last choice by cost was a candidate of this port, or, if the routing does not weigh candidates,
 * that have no candidate at another port (netmodel/MODEL.md); until they are granted. A packet does
 * not see itself. */
static inline uint32_t vef_view_waiting(const vef_view *view, uint32_t router, uint32_t port) {
    assert(router == view->router || view->everywhere);
    return view->waiting(view, router, port);
}

/* Places taken in the queues of channels `first` to `first` + `channels` - 1 of a port, or of all.
 */
static inline uint32_t vef_view_taken_of(const vef_view *view, uint32_t router, uint32_t port,
                                         uint32_t first, uint32_t channels) {
    uint32_t taken = 0;
    for (uint32_t channel = first; channel < first + channels; channel++)
        taken += vef_view_queue(view, router, port, channel).taken;
    return taken;
}

static inline uint32_t vef_view_taken(const vef_view *view, uint32_t router, uint32_t port) {
    return vef_view_taken_of(view, router, port, 0, view->channels);
}

#endif
