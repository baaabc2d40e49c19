/* Making a trace from the calls that another tool recorded: see import.h. */
#include "interchange/import.h"
#include "common/file.h"
#include "common/grow.h"
#include "common/memory.h"
#include "traces/log/log.h"
#include "traces/log/snapshot.h"
#include "traces/merge/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vef_import {
    char *trace_path, *folder;
    char *program, *library, *options, *clock;
    uint32_t tasks, *world; /* its members */
    uint64_t started_ns;
    const char **logs; /* per task: the path of its log, owned; NULL before it begins */

    vef_log *log; /* of the task under way; NULL before the first */
    uint32_t communicators;
    uint64_t tick;
    bool finalized, ended;
    vef_event *runs; /* per thread: a run of polls that may go on; `repeats` 0: none */
    size_t run_room;
};

static char *copy(const char *text, const char *otherwise) {
    return vef_strdup(text && *text ? text : otherwise);
}

vef_code vef_import_begin(const char *trace_path, const vef_import_facts *facts,
                          vef_import **import, vef_error *error) {
    *import = NULL;
    if (facts->tasks == 0)
        return vef_fail(error, VEF_INVALID, "no tasks: expected at least one");
    vef_import *self = vef_calloc(1, sizeof *self);
    char options[64];
    snprintf(options, sizeof options, "imported from %s", facts->format);
    self->tasks = facts->tasks;
    self->started_ns = facts->started_ns;
    self->trace_path = vef_strdup(trace_path);
    self->folder = vef_file_beside(trace_path, ".import-XXXXXX");
    self->program = copy(facts->program, "unknown");
    self->library = copy(facts->library, "unknown");
    self->options = vef_strdup(options);
    self->clock = copy(facts->clock, "wall");
    self->world = vef_malloc(facts->tasks * sizeof *self->world);
    self->logs = vef_calloc(facts->tasks, sizeof *self->logs);
    for (uint32_t task = 0; task < self->tasks; task++)
        self->world[task] = task;
    if (mkdtemp(self->folder) == NULL) {
        const vef_code code = vef_fail_errno(error, "creating %s", self->folder);
        free(self->folder);
        self->folder = NULL;
        vef_import_free(self);
        return code;
    }
    *import = self;
    return VEF_OK;
}

const char *vef_import_folder(const vef_import *self) {
    return self->folder;
}

static vef_code put(vef_import *self, vef_event event, vef_error *error) {
    if (event.left == 0) {
        event.entered = self->tick++;
        event.left = self->tick++;
    }
    self->finalized = event.call == VEF_CALL_Finalize;
    return vef_log_event(self->log, &event, error);
}

static vef_code put_run(vef_import *self, uint32_t thread, vef_error *error) {
    if (thread >= self->run_room)
        return VEF_OK;
    const vef_event run = self->runs[thread];
    self->runs[thread].repeats = 0;
    return run.repeats ? put(self, run, error) : VEF_OK;
}

static vef_code put_runs(vef_import *self, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t thread = 0; !code && thread < self->run_room; thread++)
        code = put_run(self, thread, error);
    return code;
}

static bool spins(const vef_event *poll) {
    return poll->gap_ns <= poll->repeats * VEF_SPIN_NS;
}

/* Polls of a thread in a row are one event (traces/FORMAT.md). Those with the same ticks are one
 * call of vef's, written as several. */
static vef_code put_poll(vef_import *self, const vef_event *event, vef_error *error) {
    const size_t former = self->run_room;
    vef_grow(&self->runs, &self->run_room, event->thread + 1ull, sizeof *self->runs);
    memset(self->runs + former, 0, (self->run_room - former) * sizeof *self->runs);
    vef_event *run = &self->runs[event->thread];
    const bool same = event->left > 0 && run->left == event->left;
    if (run->repeats && run->call == event->call && run->comm == event->comm &&
        (same || (event->outside_ns == 0 && spins(run) == spins(event)))) {
        run->repeats += event->repeats;
        run->gap_ns += event->gap_ns;
        run->duration_ns += event->duration_ns;
        run->left = event->left;
        return VEF_OK;
    }
    vef_code code = put_run(self, event->thread, error);
    *run = *event;
    return code;
}

static vef_code end_task(vef_import *self, vef_error *error) {
    if (!self->log)
        return VEF_OK;
    vef_code code = put_runs(self, error);
    vef_log *log = self->log;
    vef_error ignored;
    self->log = NULL;
    vef_code closed =
        vef_log_close(log, self->finalized || self->ended ? VEF_LOG_FINALIZED : VEF_LOG_CUT,
                      code ? &ignored : error);
    return code ? code : closed;
}

vef_code vef_import_task(vef_import *self, uint32_t task, const char *host, vef_error *error) {
    vef_code code = end_task(self, error);
    if (code)
        return code;
    if (task >= self->tasks || self->logs[task])
        return vef_fail(error, VEF_CORRUPT,
                        "task %" PRIu32 ": expected each of the %" PRIu32 " tasks once", task,
                        self->tasks);
    char *path = vef_printed("%s/task-%06" PRIu32 ".vlog", self->folder, task);
    self->logs[task] = path;
    const vef_log_header header = {.task = task,
                                   .tasks = self->tasks,
                                   .program = self->program,
                                   .library = self->library,
                                   .clock = self->clock,
                                   .host = host ? host : "unknown",
                                   .started_ns = self->started_ns,
                                   .options = self->options,
                                   .job = "",
                                   .times = "all"};
    const vef_communicator world = {.parent = VEF_NO_COMM,
                                    .made_by = VEF_PREDEFINED,
                                    .size = self->tasks,
                                    .members = self->world};
    const vef_communicator alone = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 1, .members = &task};
    self->communicators = VEF_IMPORT_SELF + 1;
    self->tick = 0;
    self->finalized = self->ended = false;
    code = vef_log_open(path, &header, &self->log, error);
    code = code ? code : vef_log_communicator(self->log, &world, error);
    return code ? code : vef_log_communicator(self->log, &alone, error);
}

vef_code vef_import_communicator(vef_import *self, const vef_communicator *communicator,
                                 uint32_t *number, vef_error *error) {
    *number = self->communicators++;
    return vef_log_communicator(self->log, communicator, error);
}

vef_code vef_import_event(vef_import *self, const vef_event *event, vef_error *error) {
    if (event->flags & VEF_EVENT_POLL)
        return put_poll(self, event, error);
    /* The last call of a task ends all threads. */
    vef_code code = vef_call_has(event->call, VEF_FACT_ENDS) ? put_runs(self, error)
                                                             : put_run(self, event->thread, error);
    return code ? code : put(self, *event, error);
}

void vef_import_order(vef_event *event, uint64_t since_ns, uint64_t *last) {
    event->entered = since_ns > *last ? since_ns : *last + 1;
    event->left = *last = event->entered + 1 + event->duration_ns;
}

void vef_import_ends(vef_import *self) {
    self->ended = true;
}

void vef_import_count(vef_import *self, uint16_t call, uint64_t times, uint64_t inside_ns) {
    vef_log_count(self->log, call, times, inside_ns);
}

vef_code vef_import_finish(vef_import *self, vef_format_report *report, vef_error *error) {
    vef_merge_summary summary = {0};
    vef_code code = end_task(self, error);
    vef_job job = {.name = "", .program = self->program, .tasks = self->tasks, .log = self->logs};
    for (uint32_t task = 0; task < self->tasks; task++)
        job.found += self->logs[task] != NULL;
    if (!code && job.found == 0)
        code = vef_fail(error, VEF_INVALID, "no calls of any task");
    code = code ? code : vef_merge_job(&job, self->trace_path, NULL, &summary, error);
    if (code)
        return code;
    if (summary.cut_short > 0)
        vef_note(&report->notes, "%" PRIu32 " of %" PRIu32 " tasks end before MPI_Finalize",
                 summary.cut_short, summary.tasks);
    return VEF_OK;
}

void vef_import_free(vef_import *self) {
    vef_error ignored;
    if (!self)
        return;
    end_task(self, &ignored);
    if (self->folder)
        vef_logs_remove(self->folder);
    for (uint32_t task = 0; task < self->tasks; task++)
        free((char *)(uintptr_t)self->logs[task]);
    free(self->runs);
    free(self->logs);
    free(self->world);
    free(self->options);
    free(self->clock);
    free(self->library);
    free(self->program);
    free(self->folder);
    free(self->trace_path);
    free(self);
}
