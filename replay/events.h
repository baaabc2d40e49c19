/* The events of a replay, and the list of those who listen to them: explanations, timelines, jobs,
 * statistics, exporters. A replay has the results of one without listeners.
 *
 * Times are in ps, except those inside the messages and deliveries of the network. Whoever acts is
 * an executor ("who"): strand i, which is a thread of a task, or from number `strands` on the plan
 * of a non-blocking collective. The time of an executor is reported without gaps, from 0 or, with a
 * gate (replay.h), from its start: each report covers it from the end of the one before. Reports of
 * one executor are in the order of time, those of different ones are not. */
#ifndef VEF_REPLAY_EVENTS_H
#define VEF_REPLAY_EVENTS_H

#include "netmodel/netmodel.h"
#include "traces/event.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of a message in the network: the lowest bits of its id, id % VEF_MESSAGE_PARTS. The rest
 * is the number of its record, which is reused after the message is complete. */
enum {
    VEF_MESSAGE_DATA,
    VEF_MESSAGE_REQUEST,   /* of a rendezvous */
    VEF_MESSAGE_CLEARANCE, /* the answer to it */
    VEF_MESSAGE_BROADCAST,
    VEF_MESSAGE_ONE_SIDED, /* there and back */
    VEF_MESSAGE_PARTS = 8
};
static inline uint64_t vef_message_id(uint64_t record, unsigned part) {
    return record * VEF_MESSAGE_PARTS + part;
}

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

/* Steps of a non-blocking collective that have started, and the position of its thread. */
typedef struct vef_steps_started {
    uint32_t task, thread;
    uint64_t collective; /* the event of the thread that started the collective */
    uint32_t until;      /* all steps of its plan before this one have started */
    uint64_t event;      /* the thread is in this event or in the computation before it */
    uint32_t own_steps;  /* of its current blocking collective; 0: none */
    /* Whether the thread is in a blocking collective and some of the steps depended on others, so
     * that they are later than its call. */
    bool inside;
    uint32_t comm;   /* of that blocking collective */
    uint64_t number; /* its position in sequence 0 of `comm` (vef_event_sequence) */
} vef_steps_started;

/* A task enters or leaves a blocking collective. */
typedef struct vef_collective_passed {
    uint32_t task, comm;
    uint64_t number; /* its position in sequence 0 of `comm` (vef_event_sequence) */
    bool leaves;
} vef_collective_passed;

/* A listener; each function may be NULL. It listens to one replay at a time. */
typedef struct vef_listener {
    void *context;                   /* the first argument of each function */
    const struct vef_listener *next; /* set by vef_listen */

    void (*begins)(void *context, const vef_replay_shape *shape);
    /* With a gate (vef_replay_gate), a strand starts: its time is reported from then on. */
    void (*starts)(void *context, uint32_t strand, uint64_t time_ps);
    /* The last strand of a task has ended, at `end_ps`, which is not before now. */
    void (*retires)(void *context, uint32_t task, uint64_t end_ps);
    /* At the end of the replay, for each task: it ends, with this strand, at `end_ps`: if the
     * replay stopped early, before the end of what was reported. */
    void (*ends)(void *context, uint32_t task, uint32_t strand, uint64_t end_ps);

    /* A strand enters and leaves a call; the event is valid until then. */
    void (*enters)(void *context, uint32_t strand, const vef_event *event, uint64_t time_ps);
    void (*leaves)(void *context, uint32_t strand, uint64_t time_ps);
    void (*passes)(void *context, const vef_collective_passed *passed);
    /* A strand starts the plan `who` of a non-blocking collective. */
    void (*starts_plan)(void *context, uint32_t who, uint32_t strand, uint16_t call,
                        uint64_t time_ps);
    void (*starts_steps)(void *context, const vef_steps_started *steps);

    /* Time up to `until_ps`. */
    void (*spends)(void *context, uint32_t who, vef_spent kind, uint64_t until_ps);
    /* Blocked up to `until_ps`, by what `releases` named last. Up to `since_ps` its other side was
     * not ready, from then on it was under way. */
    void (*waits)(void *context, uint32_t who, uint64_t since_ps, uint64_t until_ps);
    /* A strand was held back up to `until_ps` by another of its task. It takes over the times
     * of that one, as of its last `leaves`. */
    void (*follows)(void *context, uint32_t strand, uint32_t other, uint64_t until_ps);
    /* What the following `waits` are due to. */
    void (*releases)(void *context, vef_release_kind release, uint64_t number);

    void (*sends)(void *context, const vef_message_call *call);
    void (*posts)(void *context, const vef_message_call *call);
    /* Data of the program, or of a collective, leave a task for another, but not by a broadcast of
     * the network. */
    void (*moves)(void *context, uint32_t sender, uint32_t receiver, uint64_t bytes);
    /* A message that was sent at `asked_ps` enters the network at `enters_ps`: with the next cycle
     * of routers, or when its interface is free. One that stays in its node arrives at
     * `arrival_ps`; else that is VEF_FOREVER. */
    void (*injects)(void *context, const vef_net_message *message, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps);
    /* A packet is granted a link (vef_net_watch). Networks without links, or that cannot be
     * watched, report none; the network must not have been split. */
    void (*crosses)(void *context, uint32_t router, uint32_t port, uint64_t id, uint64_t phits);
    void (*delivers)(void *context, const vef_net_delivery *delivery, uint64_t time_ps);
    /* A broadcast by the network leaves; called for each of its receivers. `id` is not valid. */
    void (*broadcasts)(void *context, const vef_message_call *call);
    /* A broadcast that left at call->time_ps has reached a task. */
    void (*reaches)(void *context, const vef_message_call *call, uint64_t time_ps);
} vef_listener;

/* Adds a listener to a list, which it must outlive. */
static inline void vef_listen(const vef_listener **list, vef_listener *added) {
    added->next = *list;
    *list = added;
}

/* Reports an event to the listeners of a list that want it: VEF_REPORT(list, leaves, strand, ps).
 * Most replays have none, so the branch is marked unlikely: a function saves registers only to
 * report. */
#define VEF_REPORT(list, name, ...)                                                                \
    do {                                                                                           \
        const vef_listener *listener_ = (list);                                                    \
        for (; __builtin_expect(listener_ != NULL, 0); listener_ = listener_->next)                \
            if (listener_->name)                                                                   \
                listener_->name(listener_->context, __VA_ARGS__);                                  \
    } while (0)

#endif
