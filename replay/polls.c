/* The cost of polls: see polls.h. */
#include "replay/polls.h"

/* In a task of several threads each poll has two ticks, or each event where only one thread at a
 * time may call. */
static bool has_foreign_ticks(const vef_event *poll) {
    const uint64_t ticks = poll->left - poll->entered + 1;
    return ticks != 2 && ticks != 2 * poll->repeats;
}

void vef_poll_series_add(vef_poll_series *series, const vef_event *poll, double poll_gap_ns) {
    const uint64_t repeats = poll->repeats ? poll->repeats : 1;
    series->works = (double)poll->gap_ns / (double)repeats > poll_gap_ns;
    if ((series->polls && poll->entered != series->next_tick) || has_foreign_ticks(poll))
        series->interrupted = true;
    series->polls += repeats;
    series->spins += series->works ? 0 : repeats;
    *(series->works ? &series->work_ns : &series->rest_ns) += poll->gap_ns;
    series->rest_ns += poll->duration_ns;
    series->series_ns += poll->series_ns;
    series->next_tick = poll->left + 1;
}

vef_polls_spent vef_poll_series_end(vef_poll_series *series, const vef_event *event,
                                    double poll_gap_ns, bool threaded) {
    const vef_poll_series ended = *series;
    const bool succeeds = vef_event_succeeds(event), spins = (double)event->gap_ns <= poll_gap_ns;
    const bool ordered =
        threaded && (ended.interrupted || event->entered != ended.next_tick) && !succeeds;
    vef_polls_spent spent = {.computed_ns = event->gap_ns};
    *series = (vef_poll_series){0};
    if (ended.polls == 0)
        return spent;
    if (succeeds || ordered) {
        spent.computed_ns = ended.work_ns + (spins ? 0 : event->gap_ns);
        spent.beside_ns = succeeds ? ended.series_ns : 0;
        spent.free_polls = ended.spins;
        spent.between_works = succeeds && ended.works && !spins;
        return spent;
    }
    spent.local = true;
    spent.computed_ns += ended.series_ns ? ended.series_ns : ended.work_ns + ended.rest_ns;
    return spent;
}
