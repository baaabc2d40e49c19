/* Polls in a replay (docs/semantics.md, Polling): computation before the events that follow them.
 *
 * What other threads computed while this one waited for a message (`busy_cycles`) is due before the
 * next local event. Waiting of a test between computation hides as much of the computation after it
 * (`hidden_cycles`), up to the next call that does more than test: so that begins when both the
 * computation is done and the message there, without going on before the message. */
#include "replay/engine/engine.h"

static uint64_t blocked_cycles(const vef_strand *self) {
    return self->times.waiting_cycles + self->times.communicating_cycles;
}

static bool only_looks(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    return kind == VEF_KIND_REGION || (kind == VEF_KIND_COMPLETE && event->completion_count == 0);
}

static uint64_t without_hidden(vef_polling *polling, const vef_strand *self, uint64_t gap) {
    if (polling->tested)
        polling->hidden_cycles = blocked_cycles(self) - polling->blocked_cycles;
    polling->tested = false;
    const uint64_t hidden = gap < polling->hidden_cycles ? gap : polling->hidden_cycles;
    polling->hidden_cycles = only_looks(self->event) ? polling->hidden_cycles - hidden : 0;
    return gap - hidden;
}

uint64_t vef_polling_gap(vef_engine *engine, uint32_t strand, const vef_cycle_clock *clock) {
    vef_strand *self = &engine->strands[strand];
    vef_polling *polling = &engine->polling[strand];
    const vef_event *event = self->event;
    const double poll_gap_ns = engine->options->host.poll_gap_ns;
    self->after_poll = true;
    if (event->flags & VEF_EVENT_POLL) {
        vef_poll_series_add(&polling->series, event, poll_gap_ns);
        return 0;
    }
    const vef_polls_spent spent =
        vef_poll_series_end(&polling->series, event, poll_gap_ns, self->threaded);
    engine->approximations.free_polls += spent.free_polls;
    uint64_t gap = vef_cycle_clock_cycles(clock, spent.computed_ns, &self->remainder);
    gap = without_hidden(polling, self, gap);
    if (polling->busy_cycles < self->cpu_cycles)
        polling->busy_cycles = self->cpu_cycles;
    if (spent.local || vef_call_has(event->call, VEF_FACT_ENDS))
        gap += polling->busy_cycles - self->cpu_cycles;
    polling->busy_cycles += vef_cycle_clock_cycles(clock, spent.beside_ns, &self->remainder);
    polling->tested =
        spent.between_work && !self->threaded && vef_call_kind(event->call) == VEF_KIND_COMPLETE;
    polling->blocked_cycles = blocked_cycles(self);
    self->after_poll = polling->tested || polling->hidden_cycles > 0 ||
                       polling->busy_cycles > self->cpu_cycles + gap;
    return gap;
}
