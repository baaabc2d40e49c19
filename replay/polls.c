/* The cost of polls: see polls.h. */
#include "replay/polls.h"

/* A poll has two ticks where several threads may call at a time, else its event has. */
void vef_poll_series_add(vef_poll_series *series, const vef_event *poll, double poll_gap_ns) {
    const uint64_t repeats = poll->repeats ? poll->repeats : 1;
    const uint64_t ticks = poll->left - poll->entered + 1;
    series->probes = vef_call_kind(poll->call) == VEF_KIND_PROBE;
    series->works = (double)poll->gap_ns / (double)repeats > poll_gap_ns;
    series->interrupted |= (ticks != 2 && ticks != 2 * repeats) ||
                           (series->next_tick && poll->entered != series->next_tick);
    series->spins += series->works ? 0 : repeats;
    *(series->works ? &series->work_ns : &series->rest_ns) += poll->gap_ns;
    series->rest_ns += poll->duration_ns;
    series->series_ns += poll->series_ns;
    series->next_tick = poll->left + 1;
}

/* Whether it receives what probes before it saw: OTF2 has no results of probes, so all are polls.
 */
static bool receives(const vef_event *event) {
    return vef_call_kind(event->call) == VEF_KIND_TRANSFER && event->operation_count == 1 &&
           !(event->operations->flags & VEF_OP_SEND);
}

vef_polls_spent vef_poll_series_end(vef_poll_series *series, const vef_event *event,
                                    double poll_gap_ns, bool threaded) {
    const vef_poll_series ended = *series;
    const bool succeeds = vef_event_succeeds(event), spins = (double)event->gap_ns <= poll_gap_ns;
    if (ended.next_tick == 0)
        return (vef_polls_spent){.computed_ns = event->gap_ns};
    *series = (vef_poll_series){0};
    if (!succeeds && !(ended.probes && receives(event)) &&
        !(threaded && (ended.interrupted || event->entered != ended.next_tick)))
        return (vef_polls_spent){
            .local = true,
            .computed_ns = event->gap_ns +
                           (ended.series_ns ? ended.series_ns : ended.work_ns + ended.rest_ns)};
    return (vef_polls_spent){.computed_ns = ended.work_ns + (spins ? 0 : event->gap_ns),
                             .beside_ns = succeeds ? ended.series_ns : 0,
                             .free_polls = ended.spins,
                             .between_work = succeeds && ended.works && !spins};
}
