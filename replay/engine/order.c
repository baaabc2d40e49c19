/* The time policies of replays whose hosts have no costs of their own: plain order, and tasks that
 * run ahead. See policy.h. */
#include "common/prefetch.h"
#include "replay/engine/engine.h"

enum { EVENT_BYTES = 128 }; /* of an event that most calls need */

/* Prefetches what a strand needs besides its own fields. */
static void prefetch_near(const vef_engine *engine, uint32_t who) {
    vef_prefetch(engine->strands[who].event, EVENT_BYTES);
    vef_prefetch(&engine->tasks[who], sizeof *engine->tasks);
    engine->source->prefetch(engine->source, who, 0, true);
}

static void prefetch_far(const vef_engine *engine, uint32_t who) {
    vef_prefetch(&engine->strands[who], sizeof *engine->strands);
    engine->source->prefetch(engine->source, who, 0, false);
}

/* The same for tasks that run ahead, in the order of their numbers. */
static void look_ahead_of(vef_engine *engine, uint32_t who) {
    enum { NEAR = 2, FAR = 6 };
    if (who + FAR < engine->strand_count && vef_wakeups_is_due(&engine->wakeups, who + FAR))
        prefetch_far(engine, who + FAR);
    if (who + NEAR < engine->strand_count && vef_wakeups_is_due(&engine->wakeups, who + NEAR))
        prefetch_near(engine, who + NEAR);
}

/* Prefetches what the threads need whose turn comes soon: first the strand and its stream, later
 * what these point to. */
void vef_look_ahead(vef_engine *engine, uint32_t running) {
    enum { NEAR = 4 }; /* at most; a time may have more wake-ups than the one before */
    (void)running;
    uint32_t who = vef_wakeups_far(&engine->wakeups);
    if (who < engine->strand_count)
        prefetch_far(engine, who);
    for (unsigned i = 0; i < NEAR; i++) {
        who = vef_wakeups_near(&engine->wakeups);
        if (who >= engine->strand_count)
            return;
        prefetch_near(engine, who);
    }
}

static void resume_ahead(vef_engine *engine, uint64_t cpu_ps) {
    engine->now_ps = cpu_ps;
    engine->events_ahead = VEF_EVENTS_AHEAD;
}

static uint64_t wakeup_ahead(const vef_engine *engine, uint64_t cpu_ps) {
    return cpu_ps >> engine->time_shift;
}

const vef_time_policy vef_policy_plain = {.look_ahead = vef_look_ahead};

const vef_time_policy vef_policy_ahead = {
    .ahead = true,
    .wakeup_ps = wakeup_ahead,
    .resume = resume_ahead,
    .look_ahead = look_ahead_of,
};
