/* Choosing and calibrating the wall clock: see clock.h. */
#include "capture/clock/clock.h"

#include "capture/clock/rseq.h"
#include "common/system/descriptor.h"

#include <string.h>

/* Below this, the jitter of the readings (some 10 ns) would affect the scale. */
static const uint64_t least_span_ns = 2000000;

/* Whether the kernel uses the counter as its clock source: then it is constant and equal on all
 * cores. */
static bool kernel_trusts_counter(const char *source) {
    char text[8];
    vef_read_text(source, text, sizeof text);
    return strcmp(text, "tsc\n") == 0;
}

/* The shortest of several readings, to exclude other activity. */
static uint64_t cpu_reading_ns(void) {
    uint64_t least = UINT64_MAX, former = vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < 32; i++) {
        uint64_t now = vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        least = now - former < least ? now - former : least;
        former = now;
    }
    return least;
}

uint64_t vef_clock_scale(uint64_t span_ns, uint64_t ticks) {
    return (uint64_t)(((unsigned __int128)span_ns << 32) / ticks);
}

vef_clock vef_clock_calibrate(vef_clock_moment before, vef_clock_moment after, bool cpu,
                              const char *source) {
    uint64_t span_ns = after.wall_ns - before.wall_ns, ticks = after.counter - before.counter;
    vef_clock clock = {
        .counter = kernel_trusts_counter(source) && span_ns >= least_span_ns &&
                   after.counter > before.counter,
        .cpu = cpu,
        .marks = cpu && vef_rseq_shows_sleep(),
        .cpu_reading_ns = cpu_reading_ns(),
    };
    clock.scale = clock.counter ? vef_clock_scale(span_ns, ticks) : UINT64_C(1) << 32;
    clock.cpu_reading_ticks = vef_clock_ticks(&clock, clock.cpu_reading_ns);
    return clock;
}

void vef_clock_compare(vef_clock *clock, vef_clock_drift *drift, vef_clock_moment now) {
    enum { ONE_IN = 1000, JITTER_NS = 1000 }; /* NTP changes a clock by 1/2000 at most */
    uint64_t span_ns = now.wall_ns - drift->latest.wall_ns;
    if (!clock->counter || now.wall_ns < drift->latest.wall_ns + least_span_ns)
        return;
    uint64_t measured_ns = vef_clock_wall_ns(clock, drift->latest.counter, now.counter);
    uint64_t error_ns = measured_ns > span_ns ? measured_ns - span_ns : span_ns - measured_ns;
    drift->span_ns += span_ns;
    drift->error_ns += error_ns;
    drift->latest = now;
    if (error_ns > span_ns / ONE_IN + JITTER_NS) {
        drift->jumps++;
        drift->since = now;
    } else {
        uint64_t scale =
            vef_clock_scale(now.wall_ns - drift->since.wall_ns, now.counter - drift->since.counter);
        atomic_store_explicit(&clock->scale, scale, memory_order_relaxed);
    }
}

const char *vef_clock_readings(const vef_clock *clock) {
    if (!clock->cpu)
        return clock->counter ? "read from: TSC" : "read from: clock_gettime";
    if (!clock->marks)
        return "read from: kernel";
    return clock->counter ? "read from: TSC and rseq" : "read from: clock_gettime and rseq";
}
