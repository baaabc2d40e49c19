/* By how much the clocks of an archive's tasks may differ. See clocks.h. */
#include "interchange/otf2/restore/clocks.h"

/* More rounds tighten bounds that are tight enough, or never end where the clocks drift. */
enum { MOST_ROUNDS = 32 };

#define FREE VEF_OTF2_CLOCK_FREE

/* Times are below 2^61, so no sum of a bound and two times overflows before it counts as free. */
static bool lower(int64_t *bound, int64_t to) {
    if (to >= *bound || to <= -FREE)
        return false;
    *bound = to;
    return true;
}

static bool raise(int64_t *bound, int64_t to) {
    if (to <= *bound || to >= FREE)
        return false;
    *bound = to;
    return true;
}

static bool by_collectives(vef_otf2_restore *self, vef_otf2_clock *clocks) {
    bool changed = false;
    for (size_t i = 0; i < self->gate_count; i++) {
        self->gates[i].latest = -FREE;
        self->gates[i].earliest = FREE;
    }
    /* In the time of task 0: a member enters no earlier than `highest` says, leaves no later than
     * `lowest` says. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t task = 0; task < self->task_count; task++)
            for (size_t i = 0; i < self->tasks[task].step_count; i++) {
                const vef_otf2_step *step = &self->tasks[task].steps[i];
                vef_otf2_clock *clock = &clocks[task];
                if (step->kind != VEF_OTF2_STEP_COLLECTIVE || !step->synchronises)
                    continue;
                vef_otf2_gate *gate = &self->gates[step->message];
                const int64_t entered = (int64_t)step->entered_ns, left = (int64_t)step->at_ns;
                if (pass == 0) {
                    if (clock->highest < FREE)
                        raise(&gate->latest, entered - clock->highest);
                    if (clock->lowest > -FREE)
                        lower(&gate->earliest, left - clock->lowest);
                    continue;
                }
                if (gate->latest > -FREE)
                    changed |= lower(&clock->highest, left - gate->latest);
                if (gate->earliest < FREE)
                    changed |= raise(&clock->lowest, entered - gate->earliest);
            }
    return changed;
}

static bool by_receipts(const vef_otf2_receipt *receipts, size_t count, vef_otf2_clock *clocks) {
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        vef_otf2_clock *sender = &clocks[receipts[i].sender];
        vef_otf2_clock *receiver = &clocks[receipts[i].receiver];
        const int64_t between = (int64_t)receipts[i].received_ns - (int64_t)receipts[i].sent_ns;
        if (sender->highest < FREE)
            changed |= lower(&receiver->highest, sender->highest + between);
        if (receiver->lowest > -FREE)
            changed |= raise(&sender->lowest, receiver->lowest - between);
    }
    return changed;
}

void vef_otf2_restore_clocks(vef_otf2_restore *self, const vef_otf2_receipt *receipts, size_t count,
                             vef_otf2_clock *clocks) {
    for (uint32_t task = 0; task < self->task_count; task++)
        clocks[task] = (vef_otf2_clock){-FREE, FREE};
    if (self->task_count > 0)
        clocks[0] = (vef_otf2_clock){0, 0};
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const bool some = by_receipts(receipts, count, clocks);
        if (!by_collectives(self, clocks) && !some)
            break;
    }
    for (uint32_t task = 0; task < self->task_count; task++)
        if (clocks[task].lowest > clocks[task].highest)
            clocks[task] = (vef_otf2_clock){clocks[task].highest, clocks[task].lowest};
}
