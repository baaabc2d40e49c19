/* What a replay reports while it runs, for explanations and timelines: how each task spends its
 * time, and the messages that let it go on. Times are in ps, except those inside the messages and
 * deliveries of the network.
 *
 * Whoever acts is an executor ("who", engine.h): strand i, or from `strands` on the plan of a
 * non-blocking collective. The time of an executor is reported without gaps, from 0 or, with a gate
 * (gate.h), from its start: each report covers it from the end of the one before. Reports of one
 * executor are in the order of time, those of different ones are not. A replay with hooks has the
 * results of one without. */
#ifndef VEF_REPLAY_HOOKS_H
#define VEF_REPLAY_HOOKS_H

#include "netmodel/netmodel.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of a message in the network: the lowest bits of its id, id % VEF_MESSAGE_PARTS. The rest
 * is the number of its record, which is reused after the message is complete. */
enum {
    VEF_MESSAGE_DATA,
    VEF_MESSAGE_REQUEST,   /* of a rendezvous, as is */
    VEF_MESSAGE_CLEARANCE, /* the answer */
    VEF_MESSAGE_BROADCAST,
    VEF_MESSAGE_ONE_SIDED, /* there and back */
    VEF_MESSAGE_PARTS = 8
};

typedef struct vef_replay_shape {
    const vef_netmodel *network;
    uint32_t tasks, strands;
    const uint32_t *task_of; /* per strand; the strands of a task follow each other */
} vef_replay_shape;

/* What an executor did without waiting for anything. */
typedef enum vef_spent {
    VEF_SPENT_COMPUTING,
    VEF_SPENT_OUTSIDE,  /* in calls that traces do not store */
    VEF_SPENT_OVERHEAD, /* of the processor for messages and collectives */
} vef_spent;

/* What lets executors go on. */
typedef enum vef_release_kind {
    VEF_RELEASE_LOCAL,   /* something of their own task, or of its processors */
    VEF_RELEASE_MESSAGE, /* the message of an id */
    VEF_RELEASE_PLAN,    /* the end of the plan of an executor */
} vef_release_kind;

/* One side of a message calls: its sender, or the receiver that posts. */
typedef struct vef_message_call {
    uint64_t id; /* of its data */
    uint32_t who;
    uint32_t sender, receiver; /* tasks */
    uint64_t bytes;            /* valid if the sender calls, and of a message between two sides */
    uint64_t time_ps;
    bool first;      /* of the two sides; a one-sided message has one */
    bool collective; /* of a plan */
    bool rendezvous; /* valid if the sender calls */
    bool answered;   /* a one-sided message, which then travels back */
} vef_message_call;

/* Each may be NULL. */
typedef struct vef_replay_hooks {
    void *self;
    void (*begins)(void *self, const vef_replay_shape *shape);
    /* With a gate (gate.h), a strand starts: its time is reported from then on. */
    void (*starts)(void *self, uint32_t strand, uint64_t time_ps);
    /* A strand enters and leaves a call; the event is valid until then. */
    void (*enters)(void *self, uint32_t strand, const vef_event *event, uint64_t time_ps);
    void (*leaves)(void *self, uint32_t strand, uint64_t time_ps);
    /* A strand starts the plan `who` of a non-blocking collective. */
    void (*starts_plan)(void *self, uint32_t who, uint32_t strand, uint16_t call, uint64_t time_ps);
    /* Time up to `until_ps`. */
    void (*spends)(void *self, uint32_t who, vef_spent kind, uint64_t until_ps);
    /* Blocked up to `until_ps`, by what `releases` named last: up to `since_ps` its other
     * side was not ready, from then on it was under way. */
    void (*waits)(void *self, uint32_t who, uint64_t since_ps, uint64_t until_ps);
    /* A strand was held back up to `until_ps` by another of its task. It takes over the times
     * of that one, as of its last `leaves`. */
    void (*follows)(void *self, uint32_t strand, uint32_t other, uint64_t until_ps);
    /* What the following `waits` are due to. */
    void (*releases)(void *self, vef_release_kind release, uint64_t number);
    void (*sends)(void *self, const vef_message_call *call);
    void (*posts)(void *self, const vef_message_call *call);
    /* A message that was sent at `asked_ps` enters the network at `enters_ps`: with the next cycle
     * of routers, or when its interface is free; or it stays in its node, and is there at
     * `arrival_ps` (else VEF_FOREVER). */
    void (*injects)(void *self, const vef_net_message *message, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps);
    void (*delivers)(void *self, const vef_net_delivery *delivery, uint64_t time_ps);
    /* A broadcast by the network leaves; called for each of its receivers. `id` is not valid. */
    void (*broadcasts)(void *self, const vef_message_call *call);
    /* A broadcast that left at call->time_ps has reached a task. */
    void (*reaches)(void *self, const vef_message_call *call, uint64_t time_ps);
    /* The task ends, with this strand, at `end_ps`: if the replay stopped early, before the end
     * of what was reported. */
    void (*ends)(void *self, uint32_t task, uint32_t strand, uint64_t end_ps);
} vef_replay_hooks;

#endif
