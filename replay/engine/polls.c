/* Polls in a replay: what they add to the computation before later events of their thread
 * (replay/polls.h). Polls themselves take no time; the event that ends their series pays for all.
 *
 * Computation beside a wait. While a thread polled for a message, other threads of its task may
 * have computed. If the message comes earlier in the replay, the thread goes on, but what it waits
 * for at the next local event is ready no sooner: the rest of that computation is due before it.
 *
 * Waits beside computation. A test that succeeded between computation told the program that the
 * message had come, but the program would have gone on without. If the message is later in the
 * replay, the test waits for it, and the computation that follows, up to the next call that does
 * more than test, passes meanwhile. So that call begins when the computation is done and the
 * message is there. */
#include "replay/engine/engine.h"

static uint64_t blocked_cycles(const vef_strand *self) {
    return self->times.waiting_cycles + self->times.communicating_cycles;
}

/* Whether nothing depends on what the thread has received before this event. */
static bool only_looks(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    return kind == VEF_KIND_REGION || (kind == VEF_KIND_COMPLETE && event->completion_count == 0);
}

/* The part of a gap that the waiting of an earlier test does not hide. */
static uint64_t uncovered(vef_polling *polling, const vef_strand *self, uint64_t gap_cycles) {
    if (polling->tested)
        polling->hidden_cycles = blocked_cycles(self) - polling->blocked_cycles;
    polling->tested = false;
    const uint64_t hidden =
        gap_cycles < polling->hidden_cycles ? gap_cycles : polling->hidden_cycles;
    polling->hidden_cycles = only_looks(self->event) ? polling->hidden_cycles - hidden : 0;
    return gap_cycles - hidden;
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
    uint64_t gap = uncovered(
        polling, self, vef_cycle_clock_cycles(clock, spent.computed_ns, &self->remainder));
    const bool busy = polling->busy_cycles > self->cpu_cycles;
    if (spent.beside_ns) {
        polling->busy_cycles = busy ? polling->busy_cycles : self->cpu_cycles;
        polling->busy_cycles +=
            vef_cycle_clock_cycles(clock, spent.beside_ns, &self->remainder);
    } else if (busy && (spent.local || vef_call_has(event->call, VEF_FACT_ENDS))) {
        gap += polling->busy_cycles - self->cpu_cycles;
    }
    if (spent.between_works && !self->threaded &&
        vef_call_kind(event->call) == VEF_KIND_COMPLETE) {
        polling->tested = true;
        polling->blocked_cycles = blocked_cycles(self);
    }
    self->after_poll = polling->tested || polling->hidden_cycles > 0 ||
                       polling->busy_cycles > self->cpu_cycles + gap;
    return gap;
}
