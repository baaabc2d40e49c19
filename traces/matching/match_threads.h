/* Determines the message of each receive in tasks whose threads call MPI concurrently.
 *
 * Calls of one thread match in their order. Overlapping calls of several threads may have matched
 * in either order, and no log records which: a message is sent, and a receive is posted, between
 * entry into the call and return from it; a probe matches at its end. Facts about an envelope
 * (sender, receiver, communicator, tag):
 *
 * 1. A call that returned before another was entered matched first. 2. A receive has as many bytes
 * as its message. 3. When n of its receives were complete, n of its messages had been sent.
 *
 * So pairs are formed one after another, each of a message and a receive that may be next by rule
 * 1: the first pair that satisfies rule 2, messages by entry, receives by completion (or its
 * deadline, the completion of a later one by rule 1). If all messages that could be confused differ
 * in length, the pairs are those of the run. If all have one length, the k-th message by entry
 * matches the k-th receive to complete, which satisfies rule 3: when that receive was complete, k
 * messages had been entered. So no receive gets a message that was sent after the receive was
 * complete, and every receive can complete in a replay that preserves the order of returns and
 * entries of calls. In the order of entry instead, a thread blocked in a receive would get the
 * first message while others receive message after message, and would block them.
 *
 * A task that is killed inside a receive may have received a message, and its log lacks the
 * receive. So where no pair satisfies rule 2, such a receive received one of the candidate
 * messages, which remains without a partner.
 *
 * Undecidable: which of two overlapping calls matched first if their lengths are equal. A wrong
 * guess exchanges messages of one envelope and length. A synchronous send may then get a receive
 * that was posted only because that send had returned: a replay that preserves the order of threads
 * finds a cycle there, and breaks it (replay/engine/stall.c). */
#ifndef VEF_TRACES_MATCHING_MATCH_THREADS_H
#define VEF_TRACES_MATCHING_MATCH_THREADS_H

#include "traces/matching/match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call of a task with several threads made all messages and receives that were added since the
 * last such note. If it `completes` its receives, it returned after their completion. */
void vef_matcher_note_call(vef_matcher *matcher, uint64_t entered, uint64_t left, bool completes);
/* A call that returned at this tick reported a receive complete. */
void vef_matcher_note_completed(vef_matcher *matcher, uint32_t received, uint64_t left);
/* A task of one thread made everything added since the last note, in this order. */
void vef_matcher_note_rest(vef_matcher *matcher);

/* After all tasks: sorts the receives by completion, as far as rule 1 allows. Does nothing if no
 * call was noted. */
void vef_matcher_order(vef_matcher *matcher);
/* After that, and before vef_matcher_link: forms the pairs. `lost`: per task, how many of its calls
 * that may have received a message are missing; modified. Does nothing if rings dropped messages or
 * logs have sums of them: then messages match by entry, with receives in the order above. */
void vef_matcher_pair(vef_matcher *matcher, uint32_t *lost);

#endif
