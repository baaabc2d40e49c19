/* Which message each receive took, of tasks whose threads call MPI at the same time.
 *
 * Calls of one thread match in their order. Calls of several threads that overlapped may have
 * matched in either order, and no log says which came first: a message is sent, and a receive is
 * posted, somewhere between entry into the call and return from it; a probe matches at its end.
 * What is known of an envelope (sender, receiver, communicator, tag):
 *
 * 1. A call that had returned before another one was entered matched first.
 * 2. A receive has as many bytes as its message.
 * 3. When n of its receives were complete, n of its messages had been sent.
 *
 * So pairs are made one after the other, each of a message and a receive that by rule 1 may be
 * next: the first pair that agrees by rule 2, messages by entry, receives by when they were
 * complete (or had to be, since one that follows by rule 1 was). If all messages that could be
 * confused differ in length, the pairs are those of the run. If all are of one length, the k-th
 * message by entry goes with the k-th receive to be complete, which keeps rule 3: when that receive
 * was complete, k messages had been entered. So no receive gets a message that was sent only after
 * the receive was complete, and every receive can complete in a replay that keeps the order in
 * which calls of threads returned and were entered. Taken in the order of entry, a thread that
 * blocks in a receive while others take message after message would get the first of these and hold
 * up the others.
 *
 * A task that is killed inside a receive may have taken a message with it, and its log does not
 * have the receive. So where no pair agrees by rule 2, one of the messages that may be next was
 * taken by such a receive, and is left without a partner.
 *
 * What remains undecidable: which of two overlapping calls matched first where lengths do not tell.
 * A wrong guess exchanges messages of one envelope and length. A synchronous send may then get a
 * receive that was posted only because that send had returned: a replay that keeps the order of
 * threads closes a circle there, and breaks it at that order (replay/stall.c). */
#ifndef VEF_TRACES_MATCHING_MATCH_THREADS_H
#define VEF_TRACES_MATCHING_MATCH_THREADS_H

#include "common/status.h"
#include "traces/matching/match.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call of a task of several threads made all messages and receives that were added since the last
 * such note. One that `completes` its receives returned once they were complete. */
vef_code vef_matcher_note_call(vef_matcher *matcher, uint64_t entered, uint64_t left,
                               bool completes, vef_error *error);
/* A call that returned at this tick has seen that a receive is complete. */
void vef_matcher_note_completed(vef_matcher *matcher, uint32_t received, uint64_t left);
/* What was added since the last note was made by a task of one thread, in this order. */
vef_code vef_matcher_note_rest(vef_matcher *matcher, vef_error *error);

/* Once all tasks are there: puts the receives in the order in which they were complete, as far as
 * rule 1 allows. Does nothing where no call was noted. */
vef_code vef_matcher_order(vef_matcher *matcher, vef_error *error);
/* After that, and before vef_matcher_link: makes the pairs. `lost`: per task, how many of its calls
 * that may have taken a message are not there; used up. Where rings dropped messages or logs
 * hold sums of them, it does not: then messages go by entry, with receives in the order above. */
vef_code vef_matcher_pair(vef_matcher *matcher, uint32_t *lost, vef_error *error);

#endif
