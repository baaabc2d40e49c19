/* Synthetic traffic beside a replay: a network that carries the messages of traffic streams as
 * well, of which its user sees nothing but their effect.
 *
 * It is a model that decorates another one: its `inject` and `advance` also inject the messages of
 * the streams when they are due, and keep their deliveries back. As in
 * `vef load`, a source with VEF_BACKGROUND_WAITING messages in the network's own queue gets no more
 * until it has fewer, so that traffic beyond what the network accepts takes no memory. */
#ifndef VEF_REPLAY_JOBS_BACKGROUND_H
#define VEF_REPLAY_JOBS_BACKGROUND_H

#include "netmodel/latency.h"
#include "netmodel/traffic/traffic.h"

enum { VEF_BACKGROUND_WAITING = 16, VEF_MOST_BACKGROUNDS = 1 << 15 };

/* Ids of messages of stream i in the network; those of the user must be below. */
#define VEF_BACKGROUND_ID (UINT64_C(1) << 63)
static inline bool vef_net_background_is(uint64_t id) {
    return id >= VEF_BACKGROUND_ID;
}
static inline uint32_t vef_net_background_of(uint64_t id) {
    return (uint32_t)((id & ~VEF_BACKGROUND_ID) >> 32);
}

typedef struct vef_net_background_stream {
    const char *name;                   /* for messages */
    vef_traffic *traffic;               /* whose times count from from_cycles */
    uint64_t least_phits;               /* of a message */
    uint64_t from_cycles, until_cycles; /* it generates no message from then on */
} vef_net_background_stream;

typedef struct vef_net_background vef_net_background;

/* Takes ownership of the streams' traffic, even on failure; `model` must be at time 0. Refuses
 * (VEF_UNSUPPORTED) models without links. */
vef_code vef_net_background_create(vef_netmodel *model, const vef_net_background_stream *streams,
                                   uint32_t count, vef_net_background **background,
                                   vef_error *error);
/* Before the network; NULL is fine. */
void vef_net_background_destroy(vef_net_background *background);

/* The network with the traffic, to be used in its place. */
vef_netmodel *vef_net_background_model(vef_net_background *background);

/* Up to now, or the end of the stream. */
typedef struct vef_net_background_figures {
    uint64_t messages, phits; /* delivered */
    uint64_t cycles;          /* since the beginning of the stream */
    uint32_t senders;         /* endpoints that send */
    double accepted_load;     /* delivered phits per cycle and sender */
    double withheld_share;    /* of the messages, those that wait since the network took no more */
    double latency_mean_cycles, latency_p99_cycles; /* from generation to delivery */
} vef_net_background_figures;
vef_net_background_figures vef_net_background_measure(const vef_net_background *background,
                                                      uint32_t stream);

#endif
