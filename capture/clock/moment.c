/* A moment by all clocks: see clock.h. In a file of its own, for the preloaded library. */
#include "capture/clock/clock.h"

/* The closest of several pairs of readings: a task that loses its core between the two, for
 * milliseconds on a busy host, would make the scale wrong by several %. */
vef_clock_moment vef_clock_now(void) {
    vef_clock_moment now = {.cpu_ns = vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID)};
#if defined(__x86_64__)
    enum { TIMES = 16 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TIMES; i++) {
        uint64_t before = __rdtsc(), wall_ns = vef_clock_read_ns(CLOCK_MONOTONIC);
        uint64_t after = __rdtsc();
        if (after - before >= least)
            continue;
        least = after - before;
        now.wall_ns = wall_ns;
        now.counter = before + least / 2;
    }
#else
    now.wall_ns = vef_clock_read_ns(CLOCK_MONOTONIC);
#endif
    return now;
}
