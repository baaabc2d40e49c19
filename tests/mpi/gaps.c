/* The clocks of gaps (capture/clock/gap.h, clock.h, rseq.h). Not an MPI program: linked with these
 * parts of the recorder. Arguments: "none" if the process must not have restartable sequences, else
 * "any"; the file of the kernel's clock source.
 *
 * A gap is compared with the same clock of the kernel, read before and after its beginning and its
 * end: this holds on any host, however busy. Ends with status 1, and the failed check, otherwise.
 */
#include "capture/clock/clock.h"
#include "capture/clock/gap.h"
#include "capture/clock/rseq.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, GAPS = 100, CONVERSIONS = 100000 };

#define CHECK(condition) check(condition, #condition, __LINE__)
static void check(bool holds, const char *condition, int line) {
    if (holds)
        return;
    fprintf(stderr, "gaps.c:%d: %s\n", line, condition);
    _exit(1);
}

static uint64_t random_bits(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

static uint64_t cpu_ns(void) {
    return vef_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void compute_ns(uint64_t ns) {
    for (uint64_t until = cpu_ns() + ns; cpu_ns() < until;) {
    }
}

/* Ticks to ns and back, against exact fractions of 128 bits: the scale is rounded down to 2^-32 ns
 * a tick, the result to 1 ns. */
static void conversions_are_exact(void) {
    uint64_t state = 1;
    for (int i = 0; i < CONVERSIONS; i++) {
        uint64_t span_ns = 2000000 + random_bits(&state) % 100000000000u;
        uint64_t ticks = span_ns / 5 + (uint64_t)((unsigned __int128)span_ns *
                                                  (random_bits(&state) % 5000) / 1000);
        vef_clock clock = {.counter = true, .scale = vef_clock_scale(span_ns, ticks)};
        uint64_t length = random_bits(&state) >> random_bits(&state) % 40;
        uint64_t exact = (uint64_t)((unsigned __int128)length * span_ns / ticks);
        uint64_t converted = vef_clock_ns(&clock, length);
        CHECK(converted <= exact && exact - converted <= (length >> 32) + 1);
        uint64_t back = vef_clock_ticks(&clock, converted);
        CHECK(back <= length && vef_clock_ns(&clock, back + 2) >= converted);
    }
    vef_clock ns = {.scale = UINT64_C(1) << 32};
    CHECK(vef_clock_ns(&ns, UINT64_MAX) == UINT64_MAX);
    CHECK(vef_clock_ticks(&ns, UINT64_MAX) == UINT64_MAX);
    CHECK(vef_clock_wall_ns(&ns, 7, 9) == 2 && vef_clock_wall_ns(&ns, 9, 7) == 0);
}

/* A counter of 3 ticks per ns (but for a wrong first calibration) against a clock that NTP slows
 * down, then a jump of a second. */
static void drift_is_noted(void) {
    enum { SECONDS = 100 };
    const uint64_t second = 1000000000, start = 5 * second;
    vef_clock_drift drift = {.since = {.wall_ns = start}, .latest = {.wall_ns = start}};
    vef_clock clock = {.counter = true, .scale = vef_clock_scale(second + 100000, 3 * second)};
    vef_clock_moment now = drift.latest;
    for (int i = 0; i < SECONDS; i++) {
        now.wall_ns += second - 50000;
        now.counter += 3 * second;
        vef_clock_compare(&clock, &drift, now);
        CHECK(drift.span_ns == now.wall_ns - start && drift.jumps == 0);
        CHECK(drift.error_ns >= 149990 && drift.error_ns <= 150010 + SECONDS);
        CHECK(clock.scale == vef_clock_scale(second - 50000, 3 * second));
    }
    vef_clock_moment early = now;
    early.wall_ns += 1000;
    vef_clock_compare(&clock, &drift, early); /* too short to be compared */
    CHECK(drift.latest.wall_ns == now.wall_ns);
    uint64_t scale = clock.scale, error_ns = drift.error_ns;
    now.wall_ns += second;
    now.counter += 6 * second;
    vef_clock_compare(&clock, &drift, now);
    CHECK(drift.jumps == 1 && clock.scale == scale && drift.since.counter == now.counter);
    CHECK(drift.error_ns > error_ns + 999000000 && drift.error_ns < error_ns + 1001000000);
    now.wall_ns += second;
    now.counter += 3 * second;
    vef_clock_compare(&clock, &drift, now);
    CHECK(drift.jumps == 1 && clock.scale == vef_clock_scale(second, 3 * second));
}

/* What a gap consists of; true if the thread certainly lost its core in it. */
static bool spend(unsigned kind) {
    switch (kind % 5) {
    case 0:
        return false;
    case 1:
        compute_ns(20000);
        return false;
    case 2:
        compute_ns(700000); /* longer than any that is not compared with CPU clocks */
        return false;
    case 3:
        nanosleep(&(struct timespec){0, 300000}, NULL);
        return true;
    default:
        compute_ns(5000);
        sched_yield();
        return false;
    }
}

/* What a hypervisor stole between the latest reading of the CPU clock and the tick `began`, shortly
 * after which the kernel's clock was `cpu`: a gap that begins at this tick may lack it. */
static uint64_t stolen_ns(const vef_gap *gap, const vef_clock *clock, uint64_t began,
                          uint64_t cpu) {
    uint64_t wall = vef_clock_wall_ns(clock, gap->read_at, began);
    return gap->read_cpu_ns + wall > cpu ? gap->read_cpu_ns + wall - cpu : 0;
}

/* Readings at the begin of a gap. They bound the CPU time that may be counted from there. */
typedef struct bounds {
    uint64_t began, inner, outer; /* ticks; the CPU clock just after, and at the latest reading */
    uint64_t stolen, before;      /* stolen_ns; wall time since the latest reading, ns */
} bounds;

static bounds bounds_here(const vef_gap *gap, const vef_clock *clock) {
    bounds here = {.began = gap->left, .inner = cpu_ns()};
    here.stolen = stolen_ns(gap, clock, here.began, here.inner);
    here.outer = gap->read_cpu_ns - gap->half_ns;
    here.before = vef_clock_wall_ns(clock, gap->read_at, here.began);
    return here;
}

/* `ns` was measured after the CPU clock was `inner` and before it is `outer`. */
static void check_bounds(const bounds *current, const vef_gap *gap, uint64_t inner, uint64_t ns,
                         uint64_t outer, bool bounded_above) {
    uint64_t least = inner - current->inner;
    CHECK(ns + gap->half_ns + current->stolen + least / 1000 >= least);
    if (bounded_above)
        CHECK(current->before + ns <= outer - current->outer + current->stolen);
}

/* The computation of a gap is at least the CPU time between the readings inside it, less half of
 * the recorder's reading at its end. Together with what precedes it since the latest reading, it is
 * at most the CPU time since then, unless the thread keeps its core: then it is the wall time,
 * which exceeds CPU time by what a hypervisor steals. */
static void gaps_are_cpu_time(const vef_clock *clock, uint64_t seed) {
    vef_gap gap = {0};
    vef_gap_open(&gap, clock);
    CHECK((gap.word != NULL) == clock->marks);
    for (int i = 0; i < GAPS; i++) {
        unsigned inside = (unsigned)random_bits(&seed), kind = (unsigned)random_bits(&seed);
        spend(inside); /* the call */
        uint64_t outer_wall = vef_clock_read_ns(CLOCK_MONOTONIC);
        vef_gap_begin(&gap, clock);
        bounds current = bounds_here(&gap, clock);
        bool slept = spend(kind);
        uint64_t inner = cpu_ns(), ns = vef_gap_end(&gap, clock);
        check_bounds(&current, &gap, inner, ns, cpu_ns(), slept || !clock->marks);
        uint64_t wall = vef_clock_read_ns(CLOCK_MONOTONIC) - outer_wall;
        CHECK(gap.left >= current.began);
        CHECK(ns <= wall + wall / 1000);
    }
    CHECK(gap.lost_ns <= gap.wall_ns);
    free(gap.stretch.cpu_ns);
}

/* A call that cannot block is computation: its CPU time. */
static void calls_are_cpu_time(const vef_clock *clock) {
    vef_gap gap = {0};
    vef_gap_open(&gap, clock);
    for (unsigned kind = 0; kind < 20; kind++) {
        vef_gap_begin(&gap, clock);
        vef_gap_end(&gap, clock);
        bounds current = bounds_here(&gap, clock);
        bool slept = spend(kind);
        uint64_t inner = cpu_ns();
        uint64_t wall_ns = vef_clock_wall_ns(clock, current.began, vef_clock_wall(clock));
        uint64_t ns = vef_gap_computed(&gap, clock, current.began, wall_ns);
        check_bounds(&current, &gap, inner, ns, cpu_ns(), slept || !clock->marks);
        CHECK(ns <= wall_ns);
    }
    free(gap.stretch.cpu_ns);
}

static const vef_clock *shared;

static void *in_thread(void *seed) {
    gaps_are_cpu_time(shared, (uintptr_t)seed);
    return NULL;
}

/* More threads than cores, and twice: the second ones may get the stacks, and the areas of
 * restartable sequences, of the first. */
static void threads_have_own_marks(const vef_clock *clock) {
    pthread_t threads[THREADS];
    shared = clock;
    for (int twice = 0; twice < 2; twice++) {
        for (uintptr_t i = 0; i < THREADS; i++)
            CHECK(pthread_create(&threads[i], NULL, in_thread, (void *)(i + 1)) == 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
}

/* In the child of a fork the former gap goes on, and new ones begin. */
static void children_have_own_marks(const vef_clock *clock) {
    vef_gap gap = {0};
    vef_gap_open(&gap, clock);
    vef_gap_begin(&gap, clock);
    pid_t child = fork();
    if (child == 0) {
        vef_gap_end(&gap, clock);
        gaps_are_cpu_time(clock, 5);
        threads_have_own_marks(clock);
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    vef_gap_end(&gap, clock);
    free(gap.stretch.cpu_ns);
}

static void ignore(int signal) {
    (void)signal;
}

/* What removes a mark: a sleep, a signal, another library. Then a gap is the kernel's. */
static void marks_are_lost(const vef_clock *clock) {
    vef_gap gap = {0};
    vef_gap_open(&gap, clock);
    volatile uint64_t *word = vef_rseq_word();
    CHECK(word != NULL && word == gap.word && gap.tested == word);
    for (int i = 0; i < 10 && (i == 0 || vef_rseq_is_marked(word)); i++) {
        vef_rseq_mark(word);
        nanosleep(&(struct timespec){0, 300000}, NULL); /* over before it began: still marked */
    }
    CHECK(!vef_rseq_is_marked(word));
    signal(SIGUSR1, ignore);
    vef_rseq_mark(word);
    raise(SIGUSR1);
    CHECK(!vef_rseq_is_marked(word));
    vef_gap_begin(&gap, clock);
    uint64_t read_at = gap.read_at;
    *word = 0;
    vef_gap_end(&gap, clock);
    CHECK(gap.read_at != read_at);
    free(gap.stretch.cpu_ns);
}

/* A clock whose wall time exceeds the kernel's CPU time although the mark remains: the scale is
 * wrong by a factor of 2. Then a thread does without marks, and its gaps are the kernel's. */
static void false_marks_are_given_up(vef_clock clock) {
    vef_gap gap = {0};
    clock.scale *= 2;
    vef_gap_open(&gap, &clock);
    for (int i = 0; i < 100000 && gap.word != NULL; i++) {
        vef_gap_begin(&gap, &clock);
        compute_ns(500000);
        vef_gap_end(&gap, &clock);
    }
    CHECK(gap.word == NULL);
    vef_gap_begin(&gap, &clock);
    uint64_t outer = gap.read_cpu_ns - gap.half_ns;
    compute_ns(50000);
    CHECK(vef_gap_end(&gap, &clock) <= cpu_ns() - outer);
    free(gap.stretch.cpu_ns);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    bool none = strcmp(arguments[1], "none") == 0;
    vef_clock_moment before = vef_clock_now();
    conversions_are_exact();
    drift_is_noted();
    compute_ns(20000000);
    vef_clock_moment after = vef_clock_now();
    CHECK(!none || vef_rseq_word() == NULL);
    /* The clock source of this host, and none. */
    for (int without = 0; without < 2; without++) {
        vef_clock wall =
            vef_clock_calibrate(before, after, false, without ? "/dev/null" : arguments[2]);
        vef_clock cpu =
            vef_clock_calibrate(before, after, true, without ? "/dev/null" : arguments[2]);
        CHECK(!wall.marks && (!without || !wall.counter) && (!none || !cpu.marks));
        CHECK(wall.counter == cpu.counter && wall.scale == cpu.scale);
        CHECK((strstr(vef_clock_readings(&cpu), "rseq") != NULL) == cpu.marks);
        CHECK((strstr(vef_clock_readings(&wall), "TSC") != NULL) == wall.counter);
        gaps_are_cpu_time(&cpu, 1);
        calls_are_cpu_time(&cpu);
        threads_have_own_marks(&cpu);
        children_have_own_marks(&cpu);
        if (cpu.marks) {
            marks_are_lost(&cpu);
            false_marks_are_given_up(cpu);
        }
        cpu.marks = false;
        gaps_are_cpu_time(&cpu, 2);
        calls_are_cpu_time(&cpu);
    }
    return 0;
}
