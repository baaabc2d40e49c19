/* How the times of a run were measured: whether the clocks agreed, whether tasks lacked cores, and
 * which calls were left out by choice. A log stores it for its task, a trace for all tasks
 * (FORMAT.md, block "measured"). `vef capture`, `vef info` and `vef replay` print the sentences.
 * Logs and traces store the fields of vef_measured column by column, so that more can be added. */
#ifndef VEF_TRACES_FORMAT_MEASURED_H
#define VEF_TRACES_FORMAT_MEASURED_H

#include "common/status.h"
#include "traces/format/varint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One task. Times count from the return of MPI_Init, including stretches that were not recorded,
 * over all threads that call MPI. All 0: not known, as in logs and traces from elsewhere. Capture
 * rounds times down to 1 us, clock_compared_ns to 1 ms: noise below would make short traces longer.
 */
typedef struct vef_measured {
    uint64_t run_ns;       /* wall time up to the last update */
    uint64_t wall_ns;      /* between MPI calls, by the wall clock */
    uint64_t cpu_ns;       /* the same by CPU clocks: at each moment of the thread with most */
    uint64_t core_wait_ns; /* the thread that called MPI_Init was runnable without a core */
    uint64_t cpu_clock;    /* 1: gaps are by the CPU clock, 0: by the wall clock */
    uint64_t threads;      /* maximum number of threads of its process, without MPI's own */
    uint64_t host_tasks;   /* of the run on its host */
    uint64_t host_cores;   /* available to these tasks */
    /* Comparisons of the time-stamp counter with CLOCK_MONOTONIC, about every second: */
    uint64_t clock_compared_ns; /* wall time that they cover; 0: none, as without the counter */
    uint64_t clock_error_ns;    /* by which the two differed, summed up without sign */
    uint64_t clock_jumps;       /* how many differed by more than 0.1 % */
} vef_measured;

/* Calls that were left out by choice (--skip, --only), by call number, and the time inside them. */
typedef struct vef_left_out {
    uint64_t *calls, *ns; /* vef_call_count entries each */
} vef_left_out;

/* Its members by name: in the order of FORMAT.md, with the names of the text form and JSON. */
typedef struct vef_measured_field {
    const char *name;
    size_t offset;
} vef_measured_field;
enum { VEF_MEASURED_FIELDS = sizeof(vef_measured) / sizeof(uint64_t) };
extern const vef_measured_field vef_measured_fields[VEF_MEASURED_FIELDS];
uint64_t *vef_measured_at(vef_measured *measured, size_t field);
uint64_t vef_measured_value(const vef_measured *measured, size_t field);

/* Clears the times of the whole run; keeps the facts about the host. */
void vef_measured_forget_times(vef_measured *measured);
bool vef_measured_has_times(const vef_measured *measured);

/* The numbers of `count` tasks as bytes; the bound of that; and reading them, of which unknown
 * fields are skipped. `rows`: as in versions 2 and 3 of the format, the first eight fields, task by
 * task. */
size_t vef_measured_bound(uint32_t count);
uint8_t *vef_measured_put(uint8_t *to, const vef_measured *task, uint32_t count);
void vef_measured_get(vef_cursor *from, bool rows, vef_measured *task, uint32_t count);

/* Counts of calls and the time inside them, by call number: call, count and ns of each that has a
 * count. Reading takes `entries` of them, or those up to the end of the block. */
size_t vef_calls_bound(void);
uint8_t *vef_calls_put(uint8_t *to, const uint64_t *calls, const uint64_t *ns);
void vef_calls_get(vef_cursor *from, uint64_t entries, uint64_t *calls, uint64_t *ns);

/* A warning and its subject, for a run of `tasks`; false and "" in `text` if there is nothing to
 * warn about. Sentences have no semicolon and no final full stop. */
typedef struct vef_measured_run {
    uint32_t tasks;
    const vef_measured *task; /* NULL: not known */
    const vef_left_out *left_out;
    const char *options; /* of the trace's header; NULL: not known */
} vef_measured_run;

enum { VEF_MEASURED_TEXT_BYTES = 768, VEF_MEASURED_WARNINGS = 4 };
typedef bool vef_measured_warning(const vef_measured_run *run, char *text, size_t bytes);
/* All of those below, in this order. */
extern vef_measured_warning *const vef_measured_warnings[VEF_MEASURED_WARNINGS];

/* Computation by wall clock and CPU clock differs by more than 5 % (and 1 ms) in some tasks, which
 * are named. */
bool vef_measured_clocks(const vef_measured_run *run, char *text, size_t bytes);
/* The time-stamp counter differed from CLOCK_MONOTONIC by more than 0.1 %, or jumped, in some
 * tasks, which are named. */
bool vef_measured_drift(const vef_measured_run *run, char *text, size_t bytes);
/* Tasks had fewer cores than threads: times inside MPI are largely waiting for cores. */
bool vef_measured_crowded(const vef_measured_run *run, char *text, size_t bytes);
/* Calls were left out by choice: which, how many, and what share of the run's time. */
bool vef_measured_left_out(const vef_measured_run *run, char *text, size_t bytes);

#endif
