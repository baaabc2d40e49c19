/* The wall clock of a capture, and what a reading of the kernel's CPU clock costs.
 *
 * Wall time comes from the time-stamp counter if the kernel uses it as its clock source (11 ns per
 * reading instead of 28 for clock_gettime), scaled by a calibration over the duration of MPI_Init
 * and about every second after it; otherwise from clock_gettime. Which of wall and CPU time counts
 * as computation: see gap.h. */
#ifndef VEF_CAPTURE_CLOCK_CLOCK_H
#define VEF_CAPTURE_CLOCK_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define VEF_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define VEF_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

typedef struct vef_clock {
    bool counter;            /* ticks are the time-stamp counter's; otherwise ns */
    bool cpu;                /* gaps are measured by CPU clocks */
    bool marks;              /* with that: the kernel shows when a thread lost its core (rseq.h) */
    _Atomic uint64_t scale;  /* ns per tick, times 2^32; changed while other threads read it */
    uint64_t cpu_reading_ns; /* the CPU clock's difference between two consecutive readings */
    uint64_t cpu_reading_ticks;
} vef_clock;

static inline uint64_t vef_clock_read_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t vef_clock_wall(const vef_clock *clock) {
#if defined(__x86_64__)
    if (VEF_LIKELY(clock->counter))
        return __rdtsc();
#endif
    return vef_clock_read_ns(CLOCK_MONOTONIC);
}

/* Ticks in ns, rounded down: a multiplication and a shift. */
static inline uint64_t vef_clock_ns(const vef_clock *clock, uint64_t ticks) {
    uint64_t scale = atomic_load_explicit(&clock->scale, memory_order_relaxed);
    return (uint64_t)((unsigned __int128)ticks * scale >> 32);
}

/* A span of wall ticks in ns. A counter that seems to run backwards between cores counts as 0. */
static inline uint64_t vef_clock_wall_ns(const vef_clock *clock, uint64_t from, uint64_t until) {
    return until > from ? vef_clock_ns(clock, until - from) : 0;
}

/* The reverse: about how many ticks a span is. It divides: not for every call. */
static inline uint64_t vef_clock_ticks(const vef_clock *clock, uint64_t ns) {
    return (uint64_t)(((unsigned __int128)ns << 32) /
                      atomic_load_explicit(&clock->scale, memory_order_relaxed));
}

/* A moment before MPI_Init and one after it, between which the counter is calibrated. */
typedef struct vef_clock_moment {
    uint64_t wall_ns, cpu_ns, counter;
} vef_clock_moment;

vef_clock_moment vef_clock_now(void);

/* ns per tick, times 2^32, of a counter that advanced by `ticks` > 0 in `span_ns`; rounded down. */
uint64_t vef_clock_scale(uint64_t span_ns, uint64_t ticks);

/* Chooses the wall clock and calibrates it; `cpu` as asked. The file of the kernel's current clock
 * source is `source`, in general VEF_CLOCK_SOURCE: the counter is used if it is `tsc`. */
#define VEF_CLOCK_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
vef_clock vef_clock_calibrate(vef_clock_moment before, vef_clock_moment after, bool cpu,
                              const char *source);

/* Comparison of the counter with CLOCK_MONOTONIC during a run. */
typedef struct vef_clock_drift {
    vef_clock_moment since;  /* the scale holds since then */
    vef_clock_moment latest; /* latest comparison */
    uint64_t span_ns;        /* compared so far */
    uint64_t error_ns;       /* sum of the absolute differences of the two over all comparisons */
    uint64_t jumps;          /* differences of more than 0.1 % */
} vef_clock_drift;

/* Compares until `now`, and calibrates the counter anew over the time since the first moment, which
 * becomes more precise. After a jump (the host was suspended, a virtual machine moved) it
 * calibrates over the time since the jump. Without the counter it does nothing. Other threads may
 * use the clock meanwhile. */
void vef_clock_compare(vef_clock *clock, vef_clock_drift *drift, vef_clock_moment now);

/* How the clock of gaps is read, for the options that a log stores: "read from: " and where. */
const char *vef_clock_readings(const vef_clock *clock);

#endif
