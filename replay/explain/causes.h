/* The causes to which an explanation attributes simulated time: every ps of a task belongs to
 * exactly one. The rows are in causes.c.
 *
 * The waits follow the wait states of Scalasca (Geimer et al., "The Scalasca performance toolset
 * architecture", CCPE 22(6), 2010): late sender, late receiver, wait at collectives. Here they are
 * exact, since the times of a replay are known on both sides. */
#ifndef VEF_REPLAY_EXPLAIN_CAUSES_H
#define VEF_REPLAY_EXPLAIN_CAUSES_H

#include <stdint.h>

typedef enum vef_cause {
    VEF_CAUSE_COMPUTING,
    VEF_CAUSE_OUTSIDE,
    VEF_CAUSE_OVERHEAD,
    /* The other side is not ready. */
    VEF_CAUSE_LATE_SENDER,
    VEF_CAUSE_LATE_RECEIVER,
    VEF_CAUSE_COLLECTIVE,
    VEF_CAUSE_WINDOW,
    VEF_CAUSE_LOCAL,
    /* A message is under way. */
    VEF_CAUSE_HANDSHAKE,
    VEF_CAUSE_INJECTION,
    VEF_CAUSE_SERIALISATION,
    VEF_CAUSE_LATENCY,
    VEF_CAUSE_CONTENTION,
    VEF_CAUSE_MEMORY,
    VEF_CAUSES
} vef_cause;

typedef enum vef_cause_kind {
    VEF_CAUSE_BUSY,
    VEF_CAUSE_WAITING,
    VEF_CAUSE_TRANSFER
} vef_cause_kind;

typedef struct vef_cause_row {
    const char *key;     /* in tables and documents */
    const char *name;    /* in text */
    const char *summary; /* one line */
    vef_cause_kind kind;
} vef_cause_row;

extern const vef_cause_row vef_causes[VEF_CAUSES];

/* Cycles by cause. */
typedef struct vef_cause_ps {
    uint64_t by_cause[VEF_CAUSES];
} vef_cause_ps;

uint64_t vef_cause_sum(const vef_cause_ps *ps);
void vef_cause_add(vef_cause_ps *to, const vef_cause_ps *added);

#endif
