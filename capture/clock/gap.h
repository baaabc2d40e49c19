/* Gaps: the computation of a thread between two of its MPI calls, by the wall clock or by CPU
 * clocks, as vef_clock.cpu says.
 *
 * A thread that kept its core during a gap computed for as long as the gap took: both clocks agree,
 * and the wall clock is read without a system call. With the CPU clock, a mark shows whether the
 * thread kept its core (rseq.h). Only if it did not, a kernel's reading of its CPU clock ends or
 * begins the gap and sets the mark again. Without marks, kernel readings end and begin every gap.
 *
 * The order of the steps matters, since the thread may lose its core between any two of them. A
 * reading sets the mark, reads the CPU clock, then the wall clock. Later the wall clock is read
 * before the mark is tested. So if the mark is found, the thread kept its core from before the
 * first readings until after the last, and the CPU clock advanced by the wall time between the wall
 * readings, exactly. If the thread loses its core before the test, the mark is gone, and the kernel
 * is asked although the thread may have had the core between the wall readings: no error, a system
 * call. Interrupts are precise, so the processor's reordering of the two loads does not matter.
 *
 * What the kernel does not count as the thread's although it kept the core (time stolen by a
 * hypervisor, interrupts if they are accounted separately) is in the wall time. Therefore the
 * kernel is asked after a gap of 300 times as long as a reading takes, and before a gap if the last
 * reading was as long ago: errors do not add up, and longer gaps are the kernel's. Each such
 * reading of a thread that kept its core compares the clocks. If the wall clock exceeds the
 * kernel's by 1 %, a thread does without marks from then on.
 *
 * With the wall clock the same readings compare the clocks: a thread that loses its core does so
 * for long, so time lost since the last reading was lost in the long gap that ends now, up to its
 * length. */
#ifndef VEF_CAPTURE_CLOCK_GAP_H
#define VEF_CAPTURE_CLOCK_GAP_H

#include "capture/clock/clock.h"
#include "capture/clock/rseq.h"
#include "capture/clock/workers.h"

#include <stdatomic.h>

/* One thread's. Ticks are those of the wall clock. */
typedef struct vef_gap {
    uint64_t left; /* tick at the return of its last call, or at the entry of the current one */
    const volatile uint64_t *tested; /* the mark: the thread's word, or `constant` */
    uint64_t long_ticks;             /* a longer gap is compared with CPU clocks */
    uint64_t due;                    /* a gap that begins after this tick is compared, too */
    _Atomic uint64_t wall_ns;        /* wall time of all gaps but the first */
    _Atomic uint64_t lost_ns;        /* by how much `wall_ns` exceeds their CPU time */
    uint64_t read_at;                /* tick after the latest reading of the CPU clock; 0: never */
    uint64_t read_cpu_ns;            /* the CPU clock at `read_at` */
    uint64_t half_ns;                /* half of what that reading took */
    uint64_t others_read_at;         /* tick when `stretch` began */
    vef_stretch stretch;             /* CPU clocks of other threads at `others_read_at` */
    unsigned regions;                /* OpenMP parallel regions around the thread */
    uint64_t series_since;           /* tick of the first call of the series of polls */
    uint64_t series_cpu_ns;          /* the thread's CPU clock at `series_since` */
    vef_stretch polled;              /* CPU clocks of other threads at `polled_at` */
    uint64_t polled_at;              /* tick when other threads were read for polls */
    uint64_t polled_ns;      /* length of the series of polls that ended since `polled_at` */
    volatile uint64_t *word; /* the thread's word for marks; NULL: no marks */
    uint64_t constant;       /* marked: the wall clock; not marked: no marks */
    uint64_t kept_wall_ns;   /* wall time compared while the thread kept its core */
    uint64_t kept_cpu_ns;    /* CPU time compared while the thread kept its core */
} vef_gap;

/* The calling thread begins to use `gap`, zero or left by an earlier thread. */
void vef_gap_open(vef_gap *gap, const vef_clock *clock);

/* Slow paths of the functions below. */
uint64_t vef_gap_end_slowly(vef_gap *gap, const vef_clock *clock, uint64_t now);
void vef_gap_begin_slowly(vef_gap *gap, const vef_clock *clock);
uint64_t vef_gap_computed_slowly(vef_gap *gap, const vef_clock *clock, uint64_t since);

/* Inside a gap computation is about to fork, or has joined (workers.h): the computation so far. */
uint64_t vef_gap_split(vef_gap *gap, const vef_clock *clock);

/* A series of polls begins in the call that began at `left`; or has ended, `gap_ns` before that,
 * the time of the gap until then. The latter returns its time by the clock of gaps, and the
 * computation of the task's other threads meanwhile, that of the one that computed longest. Their
 * clocks are read only when series have lasted 100 times as long as that takes: short series get 0,
 * and the next one may get the computation of several. */
void vef_gap_series_begin(vef_gap *gap, const vef_clock *clock);
uint64_t vef_gap_series_end(vef_gap *gap, const vef_clock *clock, uint64_t gap_ns,
                            uint64_t *others_ns);

/* Adds to a sum with one writer and other readers. */
static inline void vef_add(_Atomic uint64_t *sum, uint64_t more) {
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + more,
                          memory_order_relaxed);
}

/* The gap ends: its computation, ns. `left` is the tick at which the call begins. */
static inline uint64_t vef_gap_end(vef_gap *gap, const vef_clock *clock) {
    uint64_t now = vef_clock_wall(clock), ticks = now - gap->left; /* backwards: enormous */
    if (VEF_UNLIKELY(!vef_rseq_is_marked(gap->tested) || ticks > gap->long_ticks))
        return vef_gap_end_slowly(gap, clock, now);
    uint64_t ns = vef_clock_ns(clock, ticks);
    vef_add(&gap->wall_ns, ns);
    gap->left = now;
    return ns;
}

/* A gap begins, at the tick `left`. */
static inline void vef_gap_begin(vef_gap *gap, const vef_clock *clock) {
    gap->left = vef_clock_wall(clock);
    if (VEF_UNLIKELY(!vef_rseq_is_marked(gap->tested) || gap->left > gap->due))
        vef_gap_begin_slowly(gap, clock);
}

/* Computation of the thread inside a call since the tick `since`, which vef_gap_end or
 * vef_gap_begin left last, of `wall_ns` by the wall clock. */
static inline uint64_t vef_gap_computed(vef_gap *gap, const vef_clock *clock, uint64_t since,
                                        uint64_t wall_ns) {
    if (VEF_LIKELY(vef_rseq_is_marked(gap->tested)))
        return wall_ns;
    uint64_t own_ns = vef_gap_computed_slowly(gap, clock, since);
    return own_ns < wall_ns ? own_ns : wall_ns;
}

#endif
