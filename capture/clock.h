/* The clocks of a capture.
 *
 * Wall time comes from the time-stamp counter if the kernel uses it as its clock source (11 ns per
 * reading instead of 28 for clock_gettime), scaled by a calibration over the duration of MPI_Init;
 * otherwise from clock_gettime. Computation between calls is measured by the wall clock, or by the
 * thread's CPU clock if tasks share cores (a system call of some 600 ns or more, made only then).
 */
#ifndef VEF_CAPTURE_CLOCK_H
#define VEF_CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef struct vef_clock {
    bool counter;            /* ticks are the time-stamp counter's; otherwise ns */
    bool cpu;                /* gaps are measured by the thread's CPU clock */
    uint64_t scale;          /* ns per tick, times 2^32 */
    uint64_t cpu_reading_ns; /* the CPU clock's difference between two consecutive readings */
} vef_clock;

static inline uint64_t vef_clock_read_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t vef_clock_wall(const vef_clock *clock) {
#if defined(__x86_64__)
    if (clock->counter)
        return __rdtsc();
#endif
    return vef_clock_read_ns(CLOCK_MONOTONIC);
}

/* A span of wall ticks in ns. A counter that seems to run backwards between cores counts as 0. */
static inline uint64_t vef_clock_wall_ns(const vef_clock *clock, uint64_t from, uint64_t until) {
    uint64_t ticks = until > from ? until - from : 0;
    return clock->counter ? (uint64_t)((unsigned __int128)ticks * clock->scale >> 32) : ticks;
}

/* The reverse: about how many ticks a span is. */
static inline uint64_t vef_clock_ticks(const vef_clock *clock, uint64_t ns) {
    return clock->counter ? (uint64_t)(((unsigned __int128)ns << 32) / clock->scale) : ns;
}

/* Computation by the CPU clock between two readings, minus the cost of the reading itself. */
static inline uint64_t vef_clock_cpu_ns(const vef_clock *clock, uint64_t from, uint64_t until) {
    uint64_t span = until - from;
    return span > clock->cpu_reading_ns ? span - clock->cpu_reading_ns : 0;
}

/* A moment before MPI_Init and one after it, between which the counter is calibrated. */
typedef struct vef_clock_moment {
    uint64_t wall_ns, cpu_ns, counter;
} vef_clock_moment;

vef_clock_moment vef_clock_now(void);

/* Chooses the wall clock and calibrates it; `cpu` as asked. */
vef_clock vef_clock_calibrate(vef_clock_moment before, vef_clock_moment after, bool cpu);

#endif
