/* A part of a network: some routers with their endpoints (divide.c), and everything besides the
 * blocks of these that a step of a cycle changes. One thread at a time steps a part.
 *
 * Parts affect each other only by heads, credits and acks that travel from one to another, always
 * for at least as many cycles as a window has (split.c): the times of all are known when the packet
 * is granted its output, or delivered. A part posts them then as parcels, and the other part takes
 * them in before the events of the next window. */
#ifndef VEF_NETMODEL_ROUTER_CORE_PARTITION_H
#define VEF_NETMODEL_ROUTER_CORE_PARTITION_H

#include "common/threads/pool.h"
#include "netmodel/latency.h"
#include "netmodel/netmodel.h"
#include "netmodel/pending.h"
#include "netmodel/router/core/calendar.h"
#include "netmodel/router/core/policies.h"

#include <stdalign.h>

#define VEF_NONE UINT32_MAX

/* Messages of the next few hundred cycles, a list for each, linked by `next`: sources inject a
 * little ahead of time, and a heap of as many messages as endpoints would cost more than all other
 * work for a message. */
enum { VEF_NEAR_CYCLES = 512 };
typedef struct vef_near {
    uint32_t first[VEF_NEAR_CYCLES], last[VEF_NEAR_CYCLES]; /* where occupied */
    uint64_t occupied[VEF_NEAR_CYCLES / 64];                /* a bit for each */
} vef_near;

/* A set of routers: a bit for each, and a byte for each word of these, 0 if the word is. It is
 * emptied by the numbers of routers, so that memory is accessed in order. */
typedef struct vef_awake {
    uint64_t *routers;
    uint8_t *words; /* a multiple of 8 of them, which are read at once */
    bool any;
} vef_awake;

typedef struct vef_list {
    uint32_t *items;
    uint32_t count;
} vef_list;

/* Unused packets or messages, linked by `next`. A part takes and returns them in batches, since
 * they may end in another part than they began in. */
enum {
    VEF_MOST_PARTS = VEF_MOST_WORKERS,
    VEF_BATCH = 64,
    VEF_MOST_SPARE_PACKETS = (2 * VEF_MOST_PARTS + 1) * VEF_BATCH,
};
typedef enum vef_pooled { VEF_PACKETS, VEF_MESSAGES, VEF_POOLED } vef_pooled;
typedef struct vef_unused {
    uint32_t first, count; /* with several parts, at most a batch */
    uint32_t full;         /* a batch that is whole; VEF_NONE: none */
} vef_unused;

/* What parts share: numbers that were never used, and a list of batches of used ones. */
typedef struct vef_unused_pool {
    uint32_t untouched;
    uint32_t batch; /* the first number of the first one; VEF_NONE: there is none */
} vef_unused_pool;

/* One part reports the delivery of a message to the part of its source (confirmations.c). */
typedef struct vef_confirmation {
    uint64_t time_cycles;
    uint64_t id, bytes;      /* of the message, */
    uint32_t source;         /* whose source this endpoint is */
    uint32_t router;         /* of the receiver */
    uint16_t passing_cycles; /* as in vef_delivered */
} vef_confirmation;
typedef struct vef_confirmation_list {
    vef_confirmation *items;
    uint32_t count;
    size_t room; /* grows to the most that there were at once */
} vef_confirmation_list;

/* What one part posts to another in a window: heads that reach a queue, and credits. */
typedef struct vef_parcel {
    uint64_t time_cycles;
    vef_calendar_entry event;
} vef_parcel;
typedef struct vef_mail {
    alignas(64) vef_parcel *arrivals, *credits; /* with room for a window */
    uint32_t arrival_count, credit_count;
    uint32_t acks; /* with windows: of packets delivered, a list (policy/windows.c) */
    vef_confirmation_list confirmations;
} vef_mail;

/* Deliveries of the time of a step, at most one for each ejection port; and figures since the last
 * reset. */
typedef struct vef_delivered {
    vef_net_delivery *items;
    uint16_t *passing; /* [item]: cycles in which it passed the port; the order is that of grants */
    size_t count;
    uint16_t passing_cycles;      /* of the packet that is being delivered */
    vef_latency *latency;         /* of packets, which it counts */
    vef_latency *message_latency; /* of messages, which it counts */
    uint64_t hops, phits;
} vef_delivered;

/* Working memory for the requests of one router. */
typedef struct vef_request_room {
    uint64_t *asking; /* [output * input_words]: a set of inputs */
    uint64_t *outputs_asked;
    uint64_t *ranks;  /* [input] */
    uint16_t *chosen; /* [input]: the requested exit (vef_wants), or of a copy the link */
    vef_contest contest;
    vef_matching matching; /* for an arbiter that matches input ports */
    uint16_t *asked;       /* as in `matching` */
    uint16_t *askers;      /* as in `matching` */
} vef_request_room;

typedef struct vef_partition {
    alignas(64) uint32_t number; /* threads share no cache line */
    uint32_t routers;            /* their number */
    uint32_t first_router, last_router;
    bool is_range; /* the routers have consecutive numbers */
    uint64_t now_cycles;

    vef_calendar arrivals;            /* heads that reach their queue */
    vef_calendar ends;                /* packets that have passed an output */
    vef_calendar places_free;         /* of packets that are passing; not without unit_phits */
    vef_calendar credits_back;        /* credits that reach the sender; not without credits_wait */
    struct vef_part_windows *windows; /* acks of packets delivered; NULL: no windows */
    vef_near near;     /* messages for times less than VEF_NEAR_CYCLES ahead of their injection */
    vef_pending later; /* messages for later times than those of `near` */

    vef_awake awake;    /* routers to visit in the next cycle */
    vef_awake choosing; /* those with a packet that is to choose its route in this cycle */
    vef_list up;        /* routers to visit in this cycle */
    vef_list filling;   /* endpoints whose source or injection queues changed */

    vef_unused unused[VEF_POOLED];
    int64_t packets_inside; /* taken here less those that ended here */
    int64_t unconfirmed; /* messages to be confirmed to another part: injected here less delivered
                            here */
    vef_confirmation_list confirmations; /* to come, the last first */
    uint64_t acts_cycles;                /* when the agent (netmodel.h) wants to act here next */

    vef_delivered delivered;
    vef_request_room requests;
    uint64_t next_cycles; /* of what the part has, plans or has posted; UINT64_MAX: nothing */
} vef_partition;

/* When the part has a confirmation; UINT64_MAX: it has none. */
static inline uint64_t vef_partition_next_confirmation(const vef_partition *part) {
    return part->confirmations.count > 0
               ? part->confirmations.items[part->confirmations.count - 1].time_cycles
               : UINT64_MAX;
}

/* Adds the router to a set, or not, without a branch, which would often be mispredicted. */
static inline void vef_awake_add(vef_awake *awake, uint32_t router, bool added) {
    awake->routers[router / 64] |= (uint64_t)added << router % 64;
    awake->words[router / 64] |= added;
    awake->any |= added;
}

static inline void vef_partition_wake(vef_partition *part, uint32_t router, bool woken) {
    vef_awake_add(&part->awake, router, woken);
}

/* Empties a set of routers of the part into part->up. */
void vef_partition_list(vef_partition *part, vef_awake *set);

#endif
