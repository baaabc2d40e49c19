/* Messages that pass while recording is off. Matching needs of them only how many there were of
 * each envelope, so a log holds their sums instead of an event each: when recording goes on, events
 * with VEF_EVENT_SUMMED, and the sends and receives that are still under way. In one thread's
 * order; of several threads every event is kept. */
#ifndef VEF_TRACES_LOG_SUMS_H
#define VEF_TRACES_LOG_SUMS_H

#include "traces/log/ring_summary.h"

/* `*taken`: the sums hold all that matching needs of an event that is not in the trace, and the log
 * need not hold it. Otherwise it must: after the sums so far, if it is a transfer or a probe. */
vef_code vef_summed_take(vef_before *sums, const vef_event *event, bool *taken, vef_error *error);

/* Takes the next event out of the sums, of at most `room` operations, in `operations`; false when
 * nothing is left. Fields that only the writer knows (thread, ticks) are 0. */
bool vef_summed_next(vef_before *sums, vef_operation *operations, uint32_t room, vef_event *event);

#endif
