/* Messages while recording is off. Matching needs only the number of each envelope, so a log stores
 * their sums instead of events: when recording resumes, events with VEF_EVENT_SUMMED, and the sends
 * and receives in progress. For a single thread; with several threads every event is kept. */
#ifndef VEF_TRACES_LOG_SUMS_H
#define VEF_TRACES_LOG_SUMS_H

#include "traces/log/ring_summary.h"

/* `*taken`: the sums have all that matching needs of an event outside the trace, and the log need
 * not store it. Otherwise it must: after the sums so far, if it is a transfer or a probe. */
vef_code vef_summed_take(vef_before *sums, const vef_event *event, bool *taken, vef_error *error);

/* Removes the next event, of at most `room` operations, from the sums into `operations`; false if
 * none is left. Fields that only the writer knows (thread, ticks) are 0. */
bool vef_summed_next(vef_before *sums, vef_operation *operations, uint32_t room, vef_event *event);

#endif
