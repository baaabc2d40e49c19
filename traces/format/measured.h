/* How the times of a run were measured, beside its events: whether the clocks agreed, whether cores
 * were short, and what was left out by choice. A log holds it for its task, a trace for all
 * (FORMAT.md, block "measured"). The sentences here are what `vef capture`, `vef info` and `vef
 * replay` say of it. */
#ifndef VEF_TRACES_FORMAT_MEASURED_H
#define VEF_TRACES_FORMAT_MEASURED_H

#include "common/status.h"
#include "traces/format/varint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One task. Times count from the return of MPI_Init, through stretches that were not recorded
 * too, and over all threads that call MPI. All 0: not known, as in logs and traces from elsewhere.
 */
typedef struct vef_measured {
    uint64_t run_ns;       /* wall time until this was last noted */
    uint64_t wall_ns;      /* between MPI calls, by the wall clock */
    uint64_t cpu_ns;       /* the same by CPU clocks: of its threads the one with most at a time */
    uint64_t core_wait_ns; /* of the thread that called MPI_Init: ready to run, without a core */
    uint64_t cpu_clock;    /* 1: gaps are by the CPU clock, 0: by the wall clock */
    uint64_t threads;      /* most threads that its process had at once, without MPI's own */
    uint64_t host_tasks;   /* of the run on its host */
    uint64_t host_cores;   /* that these may use */
} vef_measured;

/* Calls that were left out by choice (--skip, --only), by call number, and the time inside. */
typedef struct vef_left_out {
    uint64_t *calls, *ns; /* vef_call_count entries each */
} vef_left_out;

/* Its members, by name: in the order of FORMAT.md, and as the text form and JSON have them. */
typedef struct vef_measured_field {
    const char *name;
    size_t offset;
} vef_measured_field;
enum { VEF_MEASURED_FIELDS = sizeof(vef_measured) / sizeof(uint64_t) };
extern const vef_measured_field vef_measured_fields[VEF_MEASURED_FIELDS];
uint64_t *vef_measured_at(vef_measured *measured, size_t field);
uint64_t vef_measured_value(const vef_measured *measured, size_t field);

/* Clears the times, which are those of the whole run; what is known of the host stays. */
void vef_measured_forget_times(vef_measured *measured);
bool vef_measured_has_times(const vef_measured *measured);

/* As bytes: the numbers of one task; its bound; and back. */
enum { VEF_MEASURED_BOUND = VEF_MEASURED_FIELDS * VEF_VARINT_BYTES };
uint8_t *vef_measured_put(uint8_t *to, const vef_measured *measured);
void vef_measured_get(vef_cursor *from, vef_measured *measured);

/* The list of calls left out: call, calls and ns of each; it goes to the end of a block. */
size_t vef_left_out_bound(void);
uint8_t *vef_left_out_put(uint8_t *to, const uint64_t *calls, const uint64_t *ns);
void vef_left_out_get(vef_cursor *from, vef_left_out *left_out);

/* A warning and what it is about, for a run of `tasks`; false, and "" in `text`, where there is
 * nothing to warn of. Sentences have no semicolons and no full stop at their end. */
typedef struct vef_measured_run {
    uint32_t tasks;
    const vef_measured *task; /* NULL: not known */
    const vef_left_out *left_out;
    const char *options; /* of the trace's header; NULL: not known */
} vef_measured_run;

enum { VEF_MEASURED_TEXT_BYTES = 768, VEF_MEASURED_WARNINGS = 3 };
typedef bool vef_measured_warning(const vef_measured_run *run, char *text, size_t bytes);
/* Those below, in the order in which they are told. */
extern vef_measured_warning *const vef_measured_warnings[VEF_MEASURED_WARNINGS];

/* Computation by wall clock and CPU clock differs by more than 5 % (and 1 ms) in some tasks, which
 * it names. */
bool vef_measured_clocks(const vef_measured_run *run, char *text, size_t bytes);
/* Tasks had fewer cores than threads: times inside MPI are largely waiting for cores. */
bool vef_measured_crowded(const vef_measured_run *run, char *text, size_t bytes);
/* Calls were left out by choice: which, how many, and what share of the run's time. */
bool vef_measured_left_out(const vef_measured_run *run, char *text, size_t bytes);

/* Whether the clocks of one task differ by so much. */
bool vef_measured_differs(const vef_measured *measured);

#endif
