/* Polls in a replay (docs/semantics.md, Polling): computation before the events that follow them.
 *
 * What other threads computed while this one waited for a message (`busy_ps`) is due before the
 * next local event. Waiting of a test between computation hides as much of the computation after it
 * (`hidden_ps`), up to the next call that does more than test: so that begins when both the
 * computation is done and the message there, without going on before the message. */
#include "replay/engine/strand.h"

static uint64_t blocked_ps(const vef_strand *strand) {
    return strand->times.waiting_ps + strand->times.communicating_ps;
}

static bool only_looks(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    return kind == VEF_KIND_REGION || (kind == VEF_KIND_COMPLETE && event->completion_count == 0);
}

static uint64_t without_hidden(vef_polling *polling, const vef_strand *strand, uint64_t gap) {
    if (polling->tested)
        polling->hidden_ps = blocked_ps(strand) - polling->blocked_ps;
    polling->tested = false;
    const uint64_t hidden = gap < polling->hidden_ps ? gap : polling->hidden_ps;
    polling->hidden_ps = only_looks(strand->event) ? polling->hidden_ps - hidden : 0;
    return gap - hidden;
}

uint64_t vef_polling_gap_ps(vef_engine *engine, uint32_t strand, const vef_time_scale *scale) {
    vef_strand *state = &engine->strands[strand];
    vef_polling *polling = &engine->polling[strand];
    const vef_event *event = state->event;
    const double poll_gap_ns = engine->options->host.poll_gap_ns;
    state->after_poll = true;
    if (event->flags & VEF_EVENT_POLL) {
        vef_poll_series_add(&polling->series, event, poll_gap_ns);
        return 0;
    }
    const vef_polls_spent spent =
        vef_poll_series_end(&polling->series, event, poll_gap_ns, state->threaded);
    engine->approximations.free_polls += spent.free_polls;
    uint64_t gap = vef_time_scale_ps(scale, spent.computed_ns, &state->remainder);
    gap = without_hidden(polling, state, gap);
    if (polling->busy_ps < state->cpu_ps)
        polling->busy_ps = state->cpu_ps;
    if (spent.local || vef_call_has(event->call, VEF_FACT_ENDS))
        gap += polling->busy_ps - state->cpu_ps;
    polling->busy_ps += vef_time_scale_ps(scale, spent.beside_ns, &state->remainder);
    polling->tested =
        spent.between_work && !state->threaded && vef_call_kind(event->call) == VEF_KIND_COMPLETE;
    polling->blocked_ps = blocked_ps(state);
    state->after_poll =
        polling->tested || polling->hidden_ps > 0 || polling->busy_ps > state->cpu_ps + gap;
    return gap;
}
