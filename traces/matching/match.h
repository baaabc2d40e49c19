/* Which message each receive took.
 *
 * MPI keeps order: messages of one sender to one receiver with equal communicator and tag are taken
 * in the order in which they were sent, by the receives that matched them in the order in which
 * those were posted (MPI 4.0, section 3.5 "Semantics of Point-to-Point Communication", Order). So
 * once it is known with which envelope (sender, receiver, communicator, tag) a receive matched, the
 * k-th receive of that envelope took the k-th message, whatever wildcards it was posted with. A
 * receive is posted where its call starts; for a matched probe that is the probe. For tasks of
 * several threads see match_threads.h.
 *
 * Partitioned operations match once, when they are made: the k-th MPI_Psend_init of an envelope
 * with its k-th MPI_Precv_init (MPI 4.0, section 4.2.1), and then start after start. So each of
 * those channels has an envelope of its own, and ordinary messages never go through one.
 *
 * What tasks tell each other at windows matches likewise: the k-th Win_post of a target with an
 * origin in its group belongs to that origin's k-th Win_start with the target in its own, and
 * Win_complete to Win_wait. Such pairs have envelopes on the window, and no ordinals.
 *
 * Memory: 12 bytes per message sent and 8 per receive, and 44 to 60 per envelope; where tasks have
 * several threads, 24 and 32 more. */
#ifndef VEF_TRACES_MATCHING_MATCH_H
#define VEF_TRACES_MATCHING_MATCH_H

#include "common/index.h"
#include "common/map64.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VEF_NO_INDEX UINT32_MAX
#define VEF_UNKNOWN_BYTES UINT64_MAX

typedef struct vef_envelope {
    uint32_t sender, receiver, comm;
    int32_t tag;
    uint32_t channel;     /* 0, or one more than the number of a partitioned channel */
    uint32_t first, last; /* messages, in their order; VEF_NO_INDEX: none */
    uint32_t cursor;      /* the next to be taken */
    uint32_t probe;       /* last probe of the trace that saw that one; VEF_NO_INDEX: none */
    bool after_cancelled; /* while it is settled: its last message was cancelled */
    /* Messages of it that were sent before all others, less receives that took some before all
     * others: what rings have dropped (ring_summary.h). The first receives take what remains of
     * those, or the first messages were taken by what is not here. `ahead`: what is left on the
     * way. */
    int64_t before, ahead;
    uint64_t taken; /* of the messages that `cursor` stands for */
} vef_envelope;

/* Flags of a message and of a receive. */
enum {
    VEF_SENT_MUTED = 1,
    VEF_SENT_CANCELLED = 2,
    VEF_SENT_RECEIVED = 4, /* by a receive that is in the trace */
    VEF_SENT_PROBED = 8,   /* a probe that is in the trace sees it */
    /* Cancelled messages of its envelope come right before it: a probe may have seen one of those.
     */
    VEF_SENT_AFTER_CANCELLED = 16,
    VEF_SENT_SYNC = 32, /* no message of the trace: what one task tells another at a window */

    VEF_RECEIVE_ABSENT = 1,     /* takes a message, but is not in the trace */
    VEF_RECEIVE_PEEK = 2,       /* a probe: sees a message and leaves it */
    VEF_RECEIVE_NONE = 4,       /* takes nothing: never matched, */
    VEF_RECEIVE_CANCELLED = 6,  /* or cancelled, */
    VEF_RECEIVE_LOST = 5,       /* or what it took is in no log */
    VEF_RECEIVE_SEES = 8,       /* a probe, matched or not, that is in the trace */
    VEF_RECEIVE_SEES_LAST = 16, /* after it nothing in the trace sees or takes its message */
};

typedef struct vef_sent {
    uint32_t link; /* its envelope, then the next message of that */
    uint32_t size; /* bytes below 2^26 - 2, and flags in the upper six bits */
    uint32_t ordinal;
} vef_sent;

typedef struct vef_received {
    uint32_t envelope; /* VEF_NO_INDEX: not known */
    uint32_t size;
} vef_received;

enum { VEF_MATCH_SIZE_BITS = 26 };

typedef struct vef_matcher {
    vef_envelope *envelopes;
    vef_sent *sent;
    vef_received *received;
    vef_index by_key; /* of envelopes */
    size_t envelope_count, envelope_capacity;
    size_t sent_count, sent_capacity, received_count, received_capacity;
    vef_map64 long_sent, long_received; /* bytes that do not fit */
    vef_map64 sent_runs, received_runs; /* of how many it stands for, where that is not one */
    uint32_t *next_ordinal;             /* per receiver, while one sender is settled */
    /* Of match_threads.c, NULL where tasks have one thread each: receives in the order in which
     * they take messages, and by number what they take, which vef_matcher_pair or vef_matcher_link
     * finds. */
    uint32_t *order, *taken;
    bool threads, paired;
    struct vef_call_ticks *sent_ticks, *received_ticks;
    size_t sent_noted, sent_tick_capacity, received_noted, received_tick_capacity;
    uint32_t tasks;
} vef_matcher;

vef_code vef_matcher_init(vef_matcher *matcher, uint32_t tasks, vef_error *error);
void vef_matcher_free(vef_matcher *matcher);

/* The number of an envelope, which is made when it is new. */
vef_code vef_matcher_envelope(vef_matcher *matcher, uint32_t sender, uint32_t receiver,
                              uint32_t comm, int32_t tag, uint32_t channel, uint32_t *envelope,
                              vef_error *error);

/* Adds a message, or a receive in the order of posting. */
vef_code vef_matcher_sent(vef_matcher *matcher, uint32_t envelope, uint64_t bytes, unsigned flags,
                          vef_error *error);
vef_code vef_matcher_received(vef_matcher *matcher, uint32_t envelope, uint64_t bytes,
                              unsigned flags, vef_error *error);

/* The one added last stands for `count` of its envelope in a row, none of which is in the trace
 * (VEF_SENT_MUTED, VEF_RECEIVE_ABSENT). */
vef_code vef_matcher_sent_run(vef_matcher *matcher, uint64_t count, vef_error *error);
vef_code vef_matcher_received_run(vef_matcher *matcher, uint64_t count, vef_error *error);

/* Changes what is known of them. */
vef_code vef_matcher_set_received(vef_matcher *matcher, uint32_t index, uint32_t envelope,
                                  uint64_t bytes, vef_error *error);
static inline unsigned vef_sent_flags(const vef_sent *sent) {
    return sent->size >> VEF_MATCH_SIZE_BITS;
}
static inline unsigned vef_received_flags(const vef_received *received) {
    return received->size >> VEF_MATCH_SIZE_BITS;
}
static inline void vef_sent_flag(vef_sent *sent, unsigned flags) {
    sent->size |= flags << VEF_MATCH_SIZE_BITS;
}
static inline void vef_received_flag(vef_received *received, unsigned set, unsigned clear) {
    received->size =
        (received->size | set << VEF_MATCH_SIZE_BITS) & ~(clear << VEF_MATCH_SIZE_BITS);
}
/* Whether a receive or probe has a message, or sees one. */
static inline bool vef_takes_message(const vef_received *received) {
    return !(vef_received_flags(received) & VEF_RECEIVE_NONE) && received->envelope != VEF_NO_INDEX;
}
uint64_t vef_sent_bytes(const vef_matcher *matcher, uint32_t index);
uint64_t vef_received_bytes(const vef_matcher *matcher, uint32_t index);

/* Settles the messages of a sender from number `first` on: gives ordinals to those that are in the
 * trace, and puts all that were not cancelled in their envelopes' rows. Senders may come in any
 * order; each once. */
vef_code vef_matcher_settle(vef_matcher *matcher, size_t first, vef_error *error);

/* Before that, where logs dropped their beginning (`skipped`, per task): what such a task sent or
 * received last goes with what its peer received or sent last, so the first of whichever there are
 * more have no other side. That is what happened when all messages were received in the end; of a
 * run that was killed the last ones may have been under way. */
vef_code vef_matcher_align(vef_matcher *matcher, const bool *skipped, vef_error *error);

/* After all: marks the messages that receives of the trace take or probes of the trace see. Then
 * each receive, in the same order again, gets its message from vef_matcher_take: its number,
 * VEF_NO_INDEX when there is none.
 */
void vef_matcher_link(vef_matcher *matcher);
uint32_t vef_matcher_take(vef_matcher *matcher, uint32_t received);

#endif
