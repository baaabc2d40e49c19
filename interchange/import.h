/* Making a trace from the calls that another tool recorded.
 *
 * A reader of a foreign format states what each task called, as capture does: receives by source
 * and tag of their communicator, completions of requests. The calls go through logs of tasks
 * (traces/log/log.h) and their merge (traces/merge/merge.h), so that messages, wildcards,
 * communicators and what is cut short are settled by the code that settles them after a capture.
 *
 * The logs are in a folder of their own beside the trace, which is removed in any case. */
#ifndef VEF_INTERCHANGE_IMPORT_H
#define VEF_INTERCHANGE_IMPORT_H

#include "common/status.h"
#include "interchange/format.h"
#include "traces/event.h"

/* The numbers that a log gives the communicators of every task. */
enum { VEF_IMPORT_WORLD = 0, VEF_IMPORT_SELF = 1 };

/* What the format states of the run; NULL: not known. Strings are used until the import is freed.
 */
typedef struct vef_import_facts {
    const char *format;  /* name of its row */
    const char *program; /* that was traced */
    const char *library; /* the MPI library, or what wrote the trace */
    const char *clock;   /* of gaps: "cpu" or "wall", which is the default */
    uint32_t tasks;
    uint64_t started_ns; /* wall clock since the epoch; 0: not known */
} vef_import_facts;

typedef struct vef_import vef_import;

/* Begins a trace that will be `trace_path`, which is used until the import is freed. VEF_INVALID
 * without tasks. */
vef_code vef_import_begin(const char *trace_path, const vef_import_facts *facts,
                          vef_import **import, vef_error *error);

/* Of its logs: to remove them, by vef_logs_remove, if the process ends within the import. */
const char *vef_import_folder(const vef_import *import);

/* The calls of `task` follow, in the order of time; each task begins once, in any order. Ends the
 * task before it: the trace says that more was to come if its last call was not Finalize, unless
 * vef_import_ends was called. `host` may be NULL. */
vef_code vef_import_task(vef_import *import, uint32_t task, const char *host, vef_error *error);

/* A further communicator of the task, or a window: see vef_communicator. Its parent is one that the
 * task has, and its members, which include the task, call for it in the same order if their parent,
 * members and `made_by` are equal. `*number` is what operations and events call it. */
vef_code vef_import_communicator(vef_import *import, const vef_communicator *communicator,
                                 uint32_t *number, vef_error *error);

/* A call of the task, in the form of a log (traces/event.h). If `left` is 0, the call comes after
 * all calls before it; in a task of several threads the caller gives `entered` and `left`. Polls in
 * a row become one event. */
vef_code vef_import_event(vef_import *import, const vef_event *event, vef_error *error);

/* A thread of the task, for readers of formats that give each call its times. */
typedef struct vef_import_thread {
    uint32_t number;      /* plus 1, in the order of the first calls; 0: no call yet */
    uint64_t returned_ns; /* from the calls so far, at the latest */
    uint64_t gap_ns;      /* between calls since the last event */
    uint64_t outside_ns;  /* in calls that are no events, since the last event */
    uint64_t last_tick;
} vef_import_thread; /* zero-initialised is one without calls */

/* The thread makes a call; the time since the one before it adds to the gap. `*threads` counts the
 * task's threads. False: the call begins before the one before it has ended. */
bool vef_import_call(vef_import_thread *thread, uint32_t *threads, uint64_t entered_ns,
                     uint64_t left_ns);

/* Sets the thread, gap and length of an event, which is of the call, and begins the next gap. */
void vef_import_times(vef_import_thread *thread, uint64_t duration_ns, vef_event *event);

/* The ticks of a call of a task with several threads, for vef_import_event, by the clock that they
 * share: ns since the task's first call. `last` is the last tick of the thread, 0 before its first
 * call; they increase along a thread even where its clock does not. */
void vef_import_order(vef_event *event, uint64_t since_ns, uint64_t *last);

/* The task ends as the format states, though not with Finalize: a part of a run. */
void vef_import_ends(vef_import *import);

/* A call of the task that a trace only counts (VEF_KIND_COUNTED), and the time inside it. */
void vef_import_count(vef_import *import, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Ends the last task and makes the trace. Tasks that did not begin are in it without calls. The
 * number of tasks that were cut short goes to the notes of `report`. */
vef_code vef_import_finish(vef_import *import, vef_format_report *report, vef_error *error);

/* Removes the logs and frees `import`, which may be NULL. */
void vef_import_free(vef_import *import);

#endif
