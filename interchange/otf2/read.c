/* Reading an OTF2 archive, as Score-P writes them: calls of MPI are regions, and the records inside
 * say what they did. The archive is read twice, the events of one task after the other: by
 * survey.h, and for the calls. Gaps are the time between MPI calls. */
#include "interchange/format.h"

#ifndef VEF_HAVE_OTF2

vef_code vef_otf2_read(const char *path, const char *trace_path, vef_format_report *report,
                       vef_error *error) {
    (void)path, (void)trace_path;
    *report = (vef_format_report){0};
    return vef_fail(error, VEF_UNSUPPORTED,
                    "vef was built without OTF2 (libopen-trace-format2-dev): install it and "
                    "rebuild vef");
}

#else

#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/system/apart.h"
#include "interchange/otf2/reading.h"
#include "traces/log/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- events ---- */

static void take_attributes(vef_otf2_frame *frame, const vef_otf2_record *record) {
    const uint64_t left = record->values[VEF_OTF2_LEFT];
    frame->argument = record->values[VEF_OTF2_ARGUMENT];
    frame->entered = record->values[VEF_OTF2_ENTERED];
    frame->left = left > frame->entered && left < (uint64_t)1 << 61 ? left : 0;
}

/* Whether the program has initialised MPI, or the archive does not say. */
static bool is_running(const vef_otf2_reading *reader) {
    return reader->initialized || !reader->survey->tasks[reader->task].initializes;
}

static vef_code enter(vef_otf2_reading *reader, vef_otf2_thread *thread,
                      const vef_otf2_record *record, uint64_t at_ns, vef_error *error) {
    const vef_otf2_known_region *known = vef_otf2_run_region(reader->run, record->a);
    vef_grow(&thread->open, &thread->open_room, thread->open_count + 1, sizeof *thread->open);
    vef_otf2_open *open = &thread->open[thread->open_count];
    *open = (vef_otf2_open){.reference = record->a, .known = known, .entered_ns = at_ns};
    vef_code code = VEF_OK;
    if (!thread->frame.open) {
        thread->frame.left = 0;
        if (vef_call_has(known->call, VEF_FACT_BEGINS) || (known->call && is_running(reader))) {
            vef_otf2_frame_begin(thread, known->call, at_ns);
            take_attributes(&thread->frame, record);
        } else if (is_running(reader) &&
                   (known->meaning == VEF_OTF2_IS_REGION || known->meaning == VEF_OTF2_IS_MARK)) {
            take_attributes(&thread->frame, record);
            open->stated = known->meaning == VEF_OTF2_IS_REGION;
            code = vef_otf2_put_region(reader, thread,
                                       open->stated ? VEF_CALL_Region_begin : VEF_CALL_Mark, known,
                                       at_ns, error);
        }
    }
    thread->open_count++;
    return code;
}

static vef_code leave_innermost(vef_otf2_reading *reader, vef_otf2_thread *thread,
                                const vef_otf2_record *record, uint64_t at_ns, vef_error *error) {
    const vef_otf2_open open = thread->open[--thread->open_count];
    if (thread->frame.open)
        return thread->open_count == thread->frame.depth
                   ? vef_otf2_frame_end(reader, thread, at_ns, error)
                   : VEF_OK;
    if (open.stated) {
        take_attributes(&thread->frame, record);
        return vef_otf2_put_region(reader, thread, VEF_CALL_Region_end, open.known, at_ns, error);
    }
    if (open.known->meaning == VEF_OTF2_IS_END)
        vef_import_ends(reader->import);
    if (open.known->meaning == VEF_OTF2_IS_OUTSIDE) {
        vef_otf2_pass_time(reader, thread, open.entered_ns);
        thread->outside_ns += at_ns > thread->last_ns ? at_ns - thread->last_ns : 0;
        thread->last_ns = at_ns > thread->last_ns ? at_ns : thread->last_ns;
    }
    return VEF_OK;
}

/* Also leaves regions that were entered inside and not left; without its region it does nothing. */
static vef_code leave(vef_otf2_reading *reader, vef_otf2_thread *thread,
                      const vef_otf2_record *record, uint64_t at_ns, vef_error *error) {
    size_t place = thread->open_count;
    vef_code code = VEF_OK;
    while (place > 0 && thread->open[place - 1].reference != record->a)
        place--;
    while (place > 0 && thread->open_count >= place && !code && !reader->finalized)
        code = leave_innermost(reader, thread, record, at_ns, error);
    return code;
}

/* ---- tasks ---- */

static vef_code begin_task(vef_otf2_reading *reader, const vef_otf2_record *record,
                           vef_error *error) {
    const vef_otf2_run *run = reader->run;
    reader->task = (uint32_t)record->a;
    const vef_otf2_task *task = &run->tasks[reader->task];
    vef_grow_zeroed(&reader->threads, &reader->thread_room, task->location_count + 1ull,
                    sizeof *reader->threads);
    for (uint32_t i = 0; i < task->location_count; i++) {
        vef_otf2_thread *thread = &reader->threads[i];
        *thread = (vef_otf2_thread){.location = task->locations[i],
                                    .open = thread->open,
                                    .open_room = thread->open_room,
                                    .frame = thread->frame};
        thread->frame.open = false;
        thread->frame.left = 0;
    }
    reader->thread_count = task->location_count;
    reader->numbered = 0;
    reader->initialized = reader->finalized = false;
    reader->requests = reader->facts = reader->receives = reader->receives_of_run = 0;
    reader->null_count = 0;
    reader->base_ns = UINT64_MAX;
    vef_map64_clear(&reader->request_of);
    vef_map64_clear(&reader->calls);
    vef_code code = vef_import_task(reader->import, reader->task, task->host, error);
    for (uint32_t i = 0; i < run->comm_count; i++) {
        const vef_otf2_comm *comm = &run->comms[i];
        reader->numbers[i] = comm->kind == VEF_OTF2_COMM_WORLD  ? VEF_IMPORT_WORLD
                             : comm->kind == VEF_OTF2_COMM_SELF ? VEF_IMPORT_SELF
                                                                : VEF_NO_COMM;
    }
    /* Without an event of their creation they are there from the beginning. */
    for (uint32_t i = 0; i < run->comm_count && !code; i++) {
        const uint32_t parent = vef_otf2_number_of(reader, run->comms[i].parent);
        if (!reader->survey->made[i])
            code = vef_otf2_state_comm(reader, i, parent, VEF_CALL_Comm_create, error);
    }
    return code;
}

static vef_otf2_thread *thread_of(vef_otf2_reading *reader, uint64_t location) {
    for (uint32_t i = 0; i < reader->thread_count; i++)
        if (reader->threads[i].location == location)
            return &reader->threads[i];
    return NULL;
}

/* A further thread of a task computes since the last call of the others, as in slices. */
static void begin_thread(const vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t at_ns) {
    uint64_t latest_ns = 0;
    bool others = false;
    thread->seen = true;
    for (uint32_t i = 0; i < reader->thread_count; i++) {
        const vef_otf2_thread *other = &reader->threads[i];
        const uint64_t other_ns = other->frame.open ? other->frame.entered_ns : other->last_ns;
        others |= other->begun;
        if (other->begun && other_ns > latest_ns)
            latest_ns = other_ns;
    }
    thread->last_ns = others && latest_ns < at_ns ? latest_ns : at_ns;
}

static vef_code take(vef_otf2_reading *reader, const vef_otf2_record *record, vef_error *error) {
    vef_otf2_thread *thread = thread_of(reader, record->location);
    const uint64_t at_ns = vef_otf2_run_ns(reader->run, record->time);
    if (!thread)
        return vef_fail(error, VEF_CORRUPT, "location %" PRIu64, record->location);
    if (reader->finalized)
        return VEF_OK;
    if (!thread->seen)
        begin_thread(reader, thread, at_ns);
    if (reader->run->tool->finalize && !reader->initialized) {
        vef_otf2_frame_begin(thread, VEF_CALL_Init, at_ns);
        vef_code code = vef_otf2_frame_end(reader, thread, at_ns, error);
        if (code)
            return code;
    }
    thread->last_ns += record->values[VEF_OTF2_DELAY]; /* the time until here, less the delay */
    if (record->type == VEF_OTF2_ENTER)
        return enter(reader, thread, record, at_ns, error);
    if (record->type == VEF_OTF2_LEAVE)
        return leave(reader, thread, record, at_ns, error);
    if (thread->frame.open)
        return vef_otf2_frame_take(reader, thread, record, error);
    const uint16_t call = vef_otf2_implied_call(record);
    if (call == 0 || !is_running(reader))
        return VEF_OK;
    vef_otf2_frame_begin(thread, call, at_ns);
    vef_code code = vef_otf2_frame_take(reader, thread, record, error);
    return code ? code : vef_otf2_frame_end(reader, thread, at_ns, error);
}

static vef_code take_record(void *context, const vef_otf2_record *record, vef_error *error) {
    vef_otf2_reading *reader = context;
    vef_code code = record->type == VEF_OTF2_TASK ? begin_task(reader, record, error)
                                                  : take(reader, record, error);
    if (code)
        vef_fail_within(error, "%s: task %" PRIu32 ", time %" PRIu64, reader->run->path,
                        reader->task, record->time);
    return code;
}

static void note_all(const vef_otf2_reading *reader, vef_format_report *report) {
    const vef_note_count notes[] = {
        {reader->exchanges,
         "calls of Alltoallv and Alltoallw have the counts for each rank in "
         "proportion to the sums of the members: the archive has only these"},
        {reader->survey->odd,
         "collectives Alltoallv and Alltoallw whose members send in all another "
         "number of bytes than they receive: as much is received as sent"},
        {reader->maybe_in_place,
         "calls of collectives may have been in place, and then of more bytes"},
        {reader->odd, "calls of collectives have sizes that no such call has: rounded up"},
        {reader->left_out_comm,
         "calls on intercommunicators, and on communicators that the archive "
         "does not define or that the task did not make, are left out"},
        {reader->one_sided, "calls of one-sided communication are left out"},
        {reader->neighbours, "neighborhood collectives are left out: OTF2 has no operation"},
        {reader->probes,
         "calls of MPI_Probe and MPI_Mprobe are left out: OTF2 has no record of the "
         "message that they saw"},
        {reader->inspected, "calls that inspect a request are left out"},
        {reader->named, "calls that name a request (MPI_Cancel, MPI_Pready) are left out"},
        {reader->generalised, "generalised requests are left out"},
        {reader->persistent,
         "calls that make or start a persistent collective are left out: OTF2 does not say "
         "which one is started"},
        {reader->scattered,
         "calls of Reduce_scatter, or of Allgatherv in place, have equal parts: the archive has "
         "their sum only"},
        {reader->comm_calls,
         "calls that make or free communicators are left out: the archive does not say which, and "
         "its communicators are there from the beginning"},
        {reader->unrecorded,
         "calls of MPI_Sendrecv are left out: the archive does not have their messages"},
        {reader->unfinished,
         "collectives and calls on communicators without the record of their end "
         "are left out"},
        {reader->unknown_requests, "completions of requests that the archive does not start"},
        {reader->backwards,
         "calls begin before the last one of their thread returned: no time "
         "between them"},
    };
    if (!reader->run->tool->sizes_known)
        vef_note(&report->notes,
                 "the archive is not of Score-P but of '%.60s': the bytes of collectives are "
                 "taken as Score-P counts them",
                 reader->run->creator ? reader->run->creator : "");
    vef_note_counts(&report->notes, notes, sizeof notes / sizeof *notes);
}

static vef_code check_completions(const vef_otf2_run *run, const vef_otf2_survey *survey,
                                  vef_error *error) {
    if (survey->unstated > 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "%s: %s does not record what becomes of requests: which message each of the "
            "%" PRIu64
            " requests of MPI_Irecv, MPI_Isend, … got, and which call "
            "completed it, is not in the archive: record the program with vef capture, "
            "or with Score-P",
            run->path, run->tool->name, survey->unstated);
    if (survey->started == 0 || survey->completed > 0 || survey->waits == 0 ||
        run->tool->starts_only || run->tool->open_ended)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%s: none of its %" PRIu64
                    " requests of messages is completed: expected records MpiIrecv and "
                    "MpiIsendComplete",
                    run->path, survey->started);
}

/* What the process that reads is given, and what it returns. */
typedef struct job {
    const char *path, *trace_path;
    char folder[4096]; /* of the import's logs */
    vef_format_report report;
} job;

static vef_code read_run(const vef_otf2_run *run, vef_otf2_reading *reader, job *shared,
                         vef_error *error) {
    const vef_import_facts facts = {.format = "otf2",
                                    .library = run->creator,
                                    .tasks = run->task_count,
                                    .started_ns = run->started_ns};
    reader->numbers = vef_malloc((run->comm_count + 1) * sizeof *reader->numbers);
    vef_code code = vef_otf2_survey_read(run, reader->survey, error);
    code = code ? code : check_completions(run, reader->survey, error);
    code = code ? code : vef_import_begin(shared->trace_path, &facts, &reader->import, error);
    if (!code)
        snprintf(shared->folder, sizeof shared->folder, "%s", vef_import_folder(reader->import));
    code = code ? code : vef_otf2_pass(run, take_record, reader, error);
    vef_otf2_renew_time(false);
    code = code ? code : vef_import_finish(reader->import, &shared->report, error);
    if (!code)
        note_all(reader, &shared->report);
    return code;
}

static void release(vef_otf2_reading *reader) {
    vef_import_free(reader->import);
    for (size_t i = 0; i < reader->thread_room; i++) {
        free(reader->threads[i].open);
        free(reader->threads[i].frame.operations);
        free(reader->threads[i].frame.completions);
        free(reader->threads[i].frame.collectives);
    }
    free(reader->threads);
    free(reader->numbers);
    free(reader->nulls);
    free(reader->sends);
    free(reader->receives_each);
    vef_map64_free(&reader->request_of);
    vef_map64_free(&reader->calls);
}

static vef_code read_here(void *context, vef_error *error) {
    job *shared = context;
    vef_otf2_run run;
    vef_otf2_survey survey = {.run = &run};
    vef_otf2_reading reader = {.run = &run, .survey = &survey};
    vef_code code = vef_otf2_run_read(shared->path, &run, error);
    code = code ? code : read_run(&run, &reader, shared, error);
    release(&reader);
    vef_otf2_survey_release(&survey);
    vef_otf2_run_release(&run);
    return code;
}

vef_code vef_otf2_read(const char *path, const char *trace_path, vef_format_report *report,
                       vef_error *error) {
    job *shared = vef_apart_allocate(sizeof *shared);
    shared->path = path;
    shared->trace_path = trace_path;
    vef_code code = vef_otf2_isolate(path, read_here, shared, error);
    if (code && shared->folder[0])
        vef_logs_remove(shared->folder); /* where the process did not return */
    *report = shared->report;
    vef_apart_free(shared, sizeof *shared);
    return code;
}

#endif
