/* Choosing and calibrating the wall clock: see clock.h. */
#include "capture/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Below this, the jitter of the readings (some 10 ns) would affect the scale. */
static const uint64_t least_span_ns = 2000000;

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

/* Whether the kernel uses the counter as its clock source: then it is constant and equal on all
 * cores. */
static bool kernel_trusts_counter(void) {
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    char text[8] = "";
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length == 4 && memcmp(text, "tsc\n", 4) == 0;
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

vef_clock vef_clock_calibrate(vef_clock_moment before, vef_clock_moment after, bool cpu) {
    uint64_t span_ns = after.wall_ns - before.wall_ns, ticks = after.counter - before.counter;
    bool counter = kernel_trusts_counter() && span_ns >= least_span_ns && ticks > 0 &&
                   after.counter > before.counter;
    return (vef_clock){
        .counter = counter,
        .cpu = cpu,
        .scale = counter ? (uint64_t)(((unsigned __int128)span_ns << 32) / ticks) : 0,
        .cpu_reading_ns = cpu_reading_ns(),
    };
}
