/* Making a trace from the calls that another tool recorded: see import.h. */
#include "interchange/import.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "traces/log/log.h"
#include "traces/log/snapshot.h"
#include "traces/merge/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct vef_import {
    const char *trace_path;
    char *folder, options[64];
    vef_log_header header;  /* of the next task's log */
    uint32_t tasks, *world; /* its members */
    const char **logs;      /* per task: the path of its log, owned; NULL before it begins */

    vef_log *log; /* of the task under way; NULL before the first */
    uint32_t communicators;
    uint64_t tick;
    bool finalized, ended;
    vef_event *runs; /* per thread: a run of polls that may go on; `repeats` 0: none */
    size_t run_room;
};

static const char *either(const char *text, const char *otherwise) {
    return text && *text ? text : otherwise;
}

vef_code vef_import_begin(const char *trace_path, const vef_import_facts *facts,
                          vef_import **import, vef_error *error) {
    *import = NULL;
    if (facts->tasks == 0)
        return vef_fail(error, VEF_INVALID, "no tasks: expected at least one");
    vef_import *made = vef_calloc(1, sizeof *made);
    snprintf(made->options, sizeof made->options, "imported from %s", facts->format);
    made->tasks = facts->tasks;
    made->trace_path = trace_path;
    made->folder = vef_file_beside(trace_path, ".import-XXXXXX");
    made->header = (vef_log_header){.tasks = facts->tasks,
                                    .program = either(facts->program, "unknown"),
                                    .library = either(facts->library, "unknown"),
                                    .clock = either(facts->clock, "wall"),
                                    .started_ns = facts->started_ns,
                                    .options = made->options,
                                    .job = "",
                                    .times = "all"};
    made->world = vef_malloc(facts->tasks * sizeof *made->world);
    made->logs = vef_calloc(facts->tasks, sizeof *made->logs);
    for (uint32_t task = 0; task < made->tasks; task++)
        made->world[task] = task;
    if (mkdtemp(made->folder) == NULL) {
        const vef_code code = vef_fail_errno(error, "creating %s", made->folder);
        free(made->folder);
        made->folder = NULL;
        vef_import_free(made);
        return code;
    }
    *import = made;
    return VEF_OK;
}

const char *vef_import_folder(const vef_import *import) {
    return import->folder;
}

static vef_code put(vef_import *import, vef_event event, vef_error *error) {
    if (event.left == 0) {
        event.entered = import->tick++;
        event.left = import->tick++;
    }
    import->finalized = event.call == VEF_CALL_Finalize;
    return vef_log_event(import->log, &event, error);
}

static vef_code put_run(vef_import *import, uint32_t thread, vef_error *error) {
    if (thread >= import->run_room)
        return VEF_OK;
    const vef_event run = import->runs[thread];
    import->runs[thread].repeats = 0;
    return run.repeats ? put(import, run, error) : VEF_OK;
}

static vef_code put_runs(vef_import *import, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t thread = 0; !code && thread < import->run_room; thread++)
        code = put_run(import, thread, error);
    return code;
}

static bool spins(const vef_event *poll) {
    return poll->gap_ns <= poll->repeats * VEF_SPIN_NS;
}

/* Polls of a thread in a row are one event (traces/FORMAT.md). Those with the same ticks are one
 * call of vef's, written as several. */
static vef_code put_poll(vef_import *import, const vef_event *event, vef_error *error) {
    vef_grow_zeroed(&import->runs, &import->run_room, event->thread + 1ull, sizeof *import->runs);
    vef_event *run = &import->runs[event->thread];
    const bool same = event->left > 0 && run->left == event->left;
    if (run->repeats && run->call == event->call && run->comm == event->comm &&
        (same || (event->outside_ns == 0 && spins(run) == spins(event)))) {
        run->repeats += event->repeats;
        run->gap_ns += event->gap_ns;
        run->duration_ns += event->duration_ns;
        run->left = event->left;
        return VEF_OK;
    }
    vef_code code = put_run(import, event->thread, error);
    *run = *event;
    return code;
}

static vef_code end_task(vef_import *import, vef_error *error) {
    if (!import->log)
        return VEF_OK;
    vef_code code = put_runs(import, error);
    vef_log *log = import->log;
    vef_error ignored;
    import->log = NULL;
    vef_code closed =
        vef_log_close(log, import->finalized || import->ended ? VEF_LOG_FINALIZED : VEF_LOG_CUT,
                      code ? &ignored : error);
    return code ? code : closed;
}

vef_code vef_import_task(vef_import *import, uint32_t task, const char *host, vef_error *error) {
    vef_code code = end_task(import, error);
    if (code)
        return code;
    if (task >= import->tasks || import->logs[task])
        return vef_fail(error, VEF_CORRUPT,
                        "task %" PRIu32 ": expected each of the %" PRIu32 " tasks once", task,
                        import->tasks);
    char *path = vef_printed("%s/task-%06" PRIu32 ".vlog", import->folder, task);
    import->logs[task] = path;
    import->header.task = task;
    import->header.host = host ? host : "unknown";
    const vef_communicator world = {.parent = VEF_NO_COMM,
                                    .made_by = VEF_PREDEFINED,
                                    .size = import->tasks,
                                    .members = import->world};
    const vef_communicator alone = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 1, .members = &task};
    import->communicators = VEF_IMPORT_SELF + 1;
    import->tick = 0;
    import->finalized = import->ended = false;
    code = vef_log_open(path, &import->header, &import->log, error);
    code = code ? code : vef_log_communicator(import->log, &world, error);
    return code ? code : vef_log_communicator(import->log, &alone, error);
}

vef_code vef_import_communicator(vef_import *import, const vef_communicator *communicator,
                                 uint32_t *number, vef_error *error) {
    *number = import->communicators++;
    return vef_log_communicator(import->log, communicator, error);
}

vef_code vef_import_event(vef_import *import, const vef_event *event, vef_error *error) {
    if (event->flags & VEF_EVENT_POLL)
        return put_poll(import, event, error);
    /* The last call of a task ends all threads. */
    vef_code code = vef_call_has(event->call, VEF_FACT_ENDS)
                        ? put_runs(import, error)
                        : put_run(import, event->thread, error);
    return code ? code : put(import, *event, error);
}

bool vef_import_call(vef_import_thread *thread, uint32_t *threads, uint64_t entered_ns,
                     uint64_t left_ns) {
    if (thread->number == 0) {
        thread->number = ++*threads;
        thread->returned_ns = entered_ns;
    }
    const bool follows = entered_ns >= thread->returned_ns;
    thread->gap_ns += follows ? entered_ns - thread->returned_ns : 0;
    thread->returned_ns = left_ns > thread->returned_ns ? left_ns : thread->returned_ns;
    return follows;
}

void vef_import_times(vef_import_thread *thread, uint64_t duration_ns, vef_event *event) {
    event->thread = thread->number - 1;
    event->gap_ns = thread->gap_ns;
    event->outside_ns = thread->outside_ns;
    event->duration_ns = duration_ns;
    event->repeats = 1;
    thread->gap_ns = thread->outside_ns = 0;
}

void vef_import_order(vef_event *event, uint64_t since_ns, uint64_t *last) {
    event->entered = since_ns > *last ? since_ns : *last + 1;
    event->left = *last = event->entered + 1 + event->duration_ns;
}

void vef_import_ends(vef_import *import) {
    import->ended = true;
}

void vef_import_count(vef_import *import, uint16_t call, uint64_t times, uint64_t inside_ns) {
    vef_log_count(import->log, call, times, inside_ns);
}

vef_code vef_import_finish(vef_import *import, vef_format_report *report, vef_error *error) {
    vef_merge_summary summary = {0};
    vef_code code = end_task(import, error);
    vef_job job = {
        .name = "", .program = import->header.program, .tasks = import->tasks, .log = import->logs};
    for (uint32_t task = 0; task < import->tasks; task++)
        job.found += import->logs[task] != NULL;
    if (!code && job.found == 0)
        code = vef_fail(error, VEF_INVALID, "no calls of any task");
    code = code ? code : vef_merge_job(&job, import->trace_path, NULL, &summary, error);
    if (code)
        return code;
    if (summary.cut_short > 0)
        vef_note(&report->notes, "%" PRIu32 " of %" PRIu32 " tasks end before MPI_Finalize",
                 summary.cut_short, summary.tasks);
    return VEF_OK;
}

void vef_import_free(vef_import *import) {
    vef_error ignored;
    if (!import)
        return;
    end_task(import, &ignored);
    if (import->folder)
        vef_logs_remove(import->folder);
    for (uint32_t task = 0; task < import->tasks; task++)
        free((char *)(uintptr_t)import->logs[task]);
    free(import->runs);
    free(import->logs);
    free(import->world);
    free(import->folder);
    free(import);
}
