/* Determines the message of each receive.
 *
 * MPI preserves order: receives that match messages of one sender to one receiver with equal
 * communicator and tag, match them in the order in which those were sent and the receives were
 * posted (MPI 4.0, section 3.5 "Semantics of Point-to-Point Communication", Order). So once the
 * envelope (sender, receiver, communicator, tag) of a receive is known, the k-th receive of that
 * envelope received the k-th message, whatever wildcards it was posted with. A receive is posted
 * where its call starts; for a matched probe at the probe. For tasks with several threads see
 * match_threads.h.
 *
 * Partitioned operations match once, at their creation: the k-th MPI_Psend_init of an envelope with
 * its k-th MPI_Precv_init (MPI 4.0, section 4.2.1), and then start by start. So each such channel
 * has a separate envelope, which ordinary messages never use.
 *
 * Synchronisation of windows matches likewise: the k-th Win_post of a target with an origin in its
 * group matches that origin's k-th Win_start with the target in its group, and Win_complete matches
 * Win_wait. Such pairs have envelopes on the window, and no ordinals.
 *
 * Memory: 12 bytes per message sent and 8 per receive, and 44 to 60 per envelope; where tasks have
 * several threads, 24 and 32 more. */
#ifndef VEF_TRACES_MATCHING_MATCH_H
#define VEF_TRACES_MATCHING_MATCH_H

#include "common/containers/index.h"
#include "common/containers/map64.h"
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
    uint32_t cursor;      /* the next to be received */
    uint32_t probe;       /* last probe that saw the message at the cursor; VEF_NO_INDEX: none */
    bool after_cancelled; /* during settling: its last message was cancelled */
    /* Messages of it that were sent before all others, minus receives before all others: what rings
     * have dropped (ring_summary.h). If positive, the first receives receive them; if negative, the
     * first messages were received by dropped receives. `ahead`: the remaining number. */
    int64_t before, ahead;
    uint64_t taken; /* of the messages at `cursor` */
} vef_envelope;

/* Flags of a message and of a receive. */
enum {
    VEF_SENT_MUTED = 1,
    VEF_SENT_CANCELLED = 2,
    VEF_SENT_RECEIVED = 4, /* by a receive in the trace */
    VEF_SENT_PROBED = 8,   /* a probe in the trace sees it */
    /* Cancelled messages of its envelope come right before it: a probe may have seen one of them.
     */
    VEF_SENT_AFTER_CANCELLED = 16,
    VEF_SENT_SYNC = 32, /* not a message of the trace: synchronisation at a window */

    VEF_RECEIVE_ABSENT = 1,     /* receives a message, but is not in the trace */
    VEF_RECEIVE_PEEK = 2,       /* a probe: sees a message without receiving it */
    VEF_RECEIVE_NONE = 4,       /* receives nothing: it was never matched */
    VEF_RECEIVE_CANCELLED = 6,  /* receives nothing: it was cancelled */
    VEF_RECEIVE_LOST = 5,       /* receives nothing: its message is in no log */
    VEF_RECEIVE_SEES = 8,       /* a probe, matched or not, that is in the trace */
    VEF_RECEIVE_SEES_LAST = 16, /* no later call in the trace sees or receives its message */
};

typedef struct vef_sent {
    uint32_t link; /* before settling its envelope, after it the next message of the envelope */
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
    vef_map64 sent_runs, received_runs; /* number of messages that it represents, if not one */
    uint32_t *next_ordinal;             /* per receiver, during the settling of one sender */
    /* Owned by match_threads.c, NULL if tasks have one thread each: receives in the order in which
     * they receive messages, and their messages by number, from vef_matcher_pair or
     * vef_matcher_link. */
    uint32_t *order, *taken;
    bool threads, paired;
    struct vef_call_ticks *sent_ticks, *received_ticks;
    size_t sent_noted, sent_tick_capacity, received_noted, received_tick_capacity;
    uint32_t tasks;
} vef_matcher;

void vef_matcher_init(vef_matcher *matcher, uint32_t tasks);
void vef_matcher_free(vef_matcher *matcher);

/* The number of an envelope, created if new. */
vef_code vef_matcher_envelope(vef_matcher *matcher, uint32_t sender, uint32_t receiver,
                              uint32_t comm, int32_t tag, uint32_t channel, uint32_t *envelope,
                              vef_error *error);

/* Adds a message, or a receive in the order of posting. */
vef_code vef_matcher_sent(vef_matcher *matcher, uint32_t envelope, uint64_t bytes, unsigned flags,
                          vef_error *error);
vef_code vef_matcher_received(vef_matcher *matcher, uint32_t envelope, uint64_t bytes,
                              unsigned flags, vef_error *error);

/* The last added one represents `count` consecutive ones of its envelope, none of which is in the
 * trace (VEF_SENT_MUTED, VEF_RECEIVE_ABSENT). */
void vef_matcher_sent_run(vef_matcher *matcher, uint64_t count);
void vef_matcher_received_run(vef_matcher *matcher, uint64_t count);

/* Changes what is known of them. */
void vef_matcher_set_received(vef_matcher *matcher, uint32_t index, uint32_t envelope,
                              uint64_t bytes);
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

/* Settles the messages of a sender from number `first` on: assigns ordinals to those in the trace,
 * and appends all that were not cancelled to the rows of their envelopes. Senders may come in any
 * order, each once. */
vef_code vef_matcher_settle(vef_matcher *matcher, size_t first, vef_error *error);

/* Call before, if logs dropped their beginning (`skipped`, per task): the last message that such a
 * task sent or received matches the last of its peer, so the first in excess have no other side.
 * This is exact if all messages were received in the end; in a run that was killed the last ones
 * may have been in flight. */
void vef_matcher_align(vef_matcher *matcher, const bool *skipped);

/* After all: marks the messages that receives of the trace receive or probes see. Then each
 * receive, in the same order, obtains its message from vef_matcher_take: its number, or
 * VEF_NO_INDEX.
 */
void vef_matcher_link(vef_matcher *matcher);
uint32_t vef_matcher_take(vef_matcher *matcher, uint32_t received);

#endif
