/* Readings of CPU clocks: see gap.h. */
#include "capture/clock/gap.h"

/* A reading costs at most 1/300 of the time. */
enum { TIMES_A_READING = 300 };

static uint64_t more_of(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
static uint64_t less_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static uint64_t without(uint64_t whole, uint64_t part) {
    return whole > part ? whole - part : 0;
}

/* Approximate cost of reading the CPU clocks of the task's other threads, ns. */
static uint64_t reading_others_ns(const vef_clock *clock) {
    return vef_worker_slots * clock->cpu_reading_ns;
}

/* Reads the thread's CPU clock; in this order: see gap.h. The kernel reads the clock about in the
 * middle of a reading, whose length varies: unless the thread lost its core, it is measured. Much
 * more than usual is time that a hypervisor stole. */
static void read_own(vef_gap *gap, const vef_clock *clock) {
    enum { GREATEST = 16 };
    uint64_t began = 0;
    gap->half_ns = clock->cpu_reading_ns / 2;
    if (gap->word != NULL) {
        vef_rseq_mark(gap->word);
        began = vef_clock_wall(clock);
    }
    gap->read_cpu_ns = vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    gap->read_at = vef_clock_wall(clock);
    if (gap->word != NULL && vef_rseq_is_marked(gap->word)) {
        uint64_t took_ns = vef_clock_wall_ns(clock, began, gap->read_at);
        if (took_ns <= GREATEST * clock->cpu_reading_ns)
            gap->half_ns = took_ns / 2;
    }
    gap->read_cpu_ns += gap->half_ns;
}

/* The thread's CPU clock at a tick since the latest reading, if it has kept its core. */
static uint64_t cpu_ns_at(const vef_gap *gap, const vef_clock *clock, uint64_t tick) {
    return gap->read_cpu_ns + vef_clock_wall_ns(clock, gap->read_at, tick);
}

/* Its CPU time from `then_ns` until the latest reading began. */
static uint64_t own_ns_since(const vef_gap *gap, uint64_t then_ns) {
    return without(gap->read_cpu_ns, then_ns + 2 * gap->half_ns);
}

static void forgo_marks(vef_gap *gap) {
    gap->word = NULL;
    gap->constant = 0;
    gap->tested = &gap->constant;
}

/* Reads the thread's CPU clock at the tick `now`, and compares the clocks if the thread has kept
 * its core since the latest reading. Whether it loses its core during this reading does not matter:
 * that takes no CPU time. */
static void read_and_compare(vef_gap *gap, const vef_clock *clock, uint64_t now) {
    enum { ENOUGH_NS = 100000000, ONE_IN = 100 };
    bool kept = gap->read_at != 0 && gap->word != NULL && vef_rseq_is_marked(gap->word);
    uint64_t since = gap->read_at, then_ns = gap->read_cpu_ns;
    read_own(gap, clock);
    if (!kept)
        return;
    gap->kept_wall_ns += vef_clock_wall_ns(clock, since, now);
    gap->kept_cpu_ns += own_ns_since(gap, then_ns);
    if (gap->kept_wall_ns >= ENOUGH_NS &&
        without(gap->kept_wall_ns, gap->kept_cpu_ns) > gap->kept_wall_ns / ONE_IN)
        forgo_marks(gap);
}

/* The computation time of the threads of the task in a stretch of this thread: the maximum over
 * threads. Other clocks are not read if this thread computed all the time. */
static uint64_t longest_ns(const vef_gap *gap, const vef_clock *clock, uint64_t own_ns,
                           uint64_t wall_ns) {
    if (vef_worker_slots == 0 || wall_ns <= own_ns + reading_others_ns(clock))
        return own_ns;
    return more_of(own_ns, less_of(vef_workers_longest(&gap->stretch, gap->regions > 0), wall_ns));
}

/* The wall clock does not show when a thread began to compute; its CPU clock, which starts with it,
 * does. */
void vef_gap_open(vef_gap *gap, const vef_clock *clock) {
    gap->regions = 0;
    gap->read_at = gap->due = gap->long_ticks = 0;
    gap->kept_wall_ns = gap->kept_cpu_ns = 0;
    forgo_marks(gap);
    if (!clock->cpu)
        gap->constant = (uintptr_t)&vef_rseq_section_of_mark;
    else if (clock->marks)
        gap->word = vef_rseq_word();
    if (gap->word != NULL)
        gap->tested = gap->word;
    gap->left = vef_clock_wall(clock);
    if (clock->cpu)
        vef_gap_begin_slowly(gap, clock);
}

/* ---- the CPU clock ---- */

/* Reads the clocks of other threads, if that was a while ago: it takes at most a few % of the time.
 * Their computation meanwhile, while this thread was in MPI or computed itself, then counts in the
 * next stretch, up to its length. Returns the ticks until that is due again. */
static uint64_t read_others(vef_gap *gap, const vef_clock *clock, uint64_t now) {
    enum { RARELY = 20 };
    uint64_t ticks = RARELY * vef_worker_slots * clock->cpu_reading_ticks;
    if (now - gap->others_read_at >= ticks) {
        vef_workers_begin(&gap->stretch);
        gap->others_read_at = vef_clock_wall(clock);
    }
    return ticks;
}

static void begin_by_cpu(vef_gap *gap, const vef_clock *clock) {
    uint64_t ticks = gap->long_ticks = TIMES_A_READING * clock->cpu_reading_ticks;
    if (VEF_UNLIKELY(vef_worker_slots > 0)) {
        ticks = less_of(ticks, read_others(gap, clock, gap->left));
        gap->left = vef_clock_wall(clock);
    }
    read_and_compare(gap, clock, gap->left);
    gap->left = gap->read_at;
    gap->due = gap->left + ticks;
}

static uint64_t end_by_cpu(vef_gap *gap, const vef_clock *clock, uint64_t now) {
    uint64_t then_ns = cpu_ns_at(gap, clock, gap->left);
    read_and_compare(gap, clock, now);
    uint64_t own_ns = own_ns_since(gap, then_ns);
    uint64_t wall_ns = now > gap->left ? vef_clock_ns(clock, now - gap->left) : own_ns;
    own_ns = longest_ns(gap, clock, less_of(own_ns, wall_ns), wall_ns);
    vef_add(&gap->wall_ns, wall_ns);
    vef_add(&gap->lost_ns, without(wall_ns, own_ns));
    gap->left = gap->read_at;
    return own_ns;
}

uint64_t vef_gap_computed_slowly(vef_gap *gap, const vef_clock *clock, uint64_t since) {
    uint64_t then_ns = cpu_ns_at(gap, clock, since);
    read_own(gap, clock);
    return own_ns_since(gap, then_ns);
}

/* ---- computation beside polls ---- */

/* Reads other threads, unless `lasted_ns` is less than 100 times what a reading takes. */
static bool read_polled(vef_gap *gap, const vef_clock *clock, uint64_t lasted_ns, uint64_t *ns) {
    enum { TIMES = 100 };
    if (vef_worker_slots == 0 || lasted_ns < TIMES * reading_others_ns(clock))
        return false;
    *ns = less_of(vef_workers_longest(&gap->polled, gap->regions > 0), lasted_ns);
    vef_workers_begin(&gap->polled);
    gap->polled_at = vef_clock_wall(clock);
    gap->polled_ns = 0;
    return true;
}

void vef_gap_series_begin(vef_gap *gap, const vef_clock *clock) {
    uint64_t before_ns;
    gap->series_since = gap->left;
    gap->series_cpu_ns = cpu_ns_at(gap, clock, gap->left);
    read_polled(gap, clock, vef_clock_wall_ns(clock, gap->polled_at, gap->left), &before_ns);
}

uint64_t vef_gap_series_end(vef_gap *gap, const vef_clock *clock, uint64_t gap_ns,
                            uint64_t *others_ns) {
    uint64_t wall_ns = without(vef_clock_wall_ns(clock, gap->series_since, gap->left), gap_ns);
    gap->polled_ns += wall_ns;
    if (!read_polled(gap, clock, gap->polled_ns, others_ns))
        *others_ns = 0;
    return clock->cpu ? without(cpu_ns_at(gap, clock, gap->left), gap->series_cpu_ns + gap_ns)
                      : wall_ns;
}

/* ---- the wall clock, compared with CPU clocks ---- */

static void read_all(vef_gap *gap, const vef_clock *clock) {
    uint64_t readings = 1 + (uint64_t)vef_worker_slots;
    if (readings > 1)
        vef_workers_begin(&gap->stretch);
    gap->long_ticks = TIMES_A_READING * readings * clock->cpu_reading_ticks;
    read_own(gap, clock);
    gap->left = gap->read_at;
    gap->due = gap->left + gap->long_ticks;
}

/* The time lost until `now` in a gap that began at `since`. */
static void note_lost(vef_gap *gap, const vef_clock *clock, uint64_t since, uint64_t now) {
    if (gap->read_at == 0 || now < gap->read_at)
        return;
    uint64_t own_ns =
        without(vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID), gap->read_cpu_ns - gap->half_ns);
    uint64_t span_ns = vef_clock_wall_ns(clock, gap->read_at, now);
    uint64_t lost_ns = without(span_ns, longest_ns(gap, clock, own_ns, span_ns));
    vef_add(&gap->lost_ns, less_of(lost_ns, vef_clock_wall_ns(clock, since, now)));
}

static uint64_t end_by_wall(vef_gap *gap, const vef_clock *clock, uint64_t now) {
    uint64_t wall_ns = vef_clock_wall_ns(clock, gap->left, now);
    vef_add(&gap->wall_ns, wall_ns);
    if (now >= gap->left) { /* else a counter that decreases between cores */
        note_lost(gap, clock, gap->left, now);
        read_all(gap, clock);
    } else {
        gap->left = now;
    }
    return wall_ns;
}

/* ---- either ---- */

uint64_t vef_gap_end_slowly(vef_gap *gap, const vef_clock *clock, uint64_t now) {
    return clock->cpu ? end_by_cpu(gap, clock, now) : end_by_wall(gap, clock, now);
}

void vef_gap_begin_slowly(vef_gap *gap, const vef_clock *clock) {
    if (clock->cpu)
        begin_by_cpu(gap, clock);
    else
        read_all(gap, clock);
}

uint64_t vef_gap_split(vef_gap *gap, const vef_clock *clock) {
    uint64_t now = vef_clock_wall(clock), began = gap->left;
    if (clock->cpu) {
        uint64_t own_ns = end_by_cpu(gap, clock, now);
        begin_by_cpu(gap, clock);
        return own_ns;
    }
    if (now - gap->read_at > gap->long_ticks) {
        note_lost(gap, clock, began, now);
        read_all(gap, clock);
        gap->left = began; /* the gap continues */
    }
    return 0;
}
