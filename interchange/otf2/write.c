/* Writing a trace as an OTF2 archive, the format of Score-P (https://www.score-p.org; the OTF2
 * reference manual, version 3.0): a folder of traces.otf2, traces.def and the events of each
 * location, which Vampir, Scalasca and others read. The library libotf2 writes it.
 *
 * The trace is read once, and then the archive, to see that it is whole. It is made beside its
 * name, in a folder that is renamed when it is whole. Memory: a chunk of events for each thread of
 * one task, the task's outstanding requests, and the names of regions. */
#include "interchange/format.h"

#ifndef VEF_HAVE_OTF2

vef_code vef_otf2_write(const char *path, vef_trace *trace, const vef_format_options *options,
                        vef_format_report *report, vef_error *error) {
    (void)path, (void)trace, (void)options;
    *report = (vef_format_report){0};
    return vef_fail(error, VEF_UNSUPPORTED,
                    "vef was built without OTF2 (libopen-trace-format2-dev): install it and "
                    "rebuild vef");
}

#else

#include "common/memory.h"
#include "common/system/apart.h"
#include "common/system/file.h"
#include "interchange/otf2/write.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Chunks of events: the least that the library takes. */
enum { EVENT_CHUNK = 256 * 1024, DEFINITION_CHUNK = 4 * 1024 * 1024 };

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Without a second function the library records no flushes. */
static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};

static vef_code write_events(vef_otf2_writer *export, vef_error *error) {
    vef_code code = VEF_OK;
    if (OTF2_Archive_OpenEvtFiles(export->archive) != OTF2_SUCCESS)
        return vef_otf2_failed(export, "events", error);
    for (uint32_t task = 0; task < export->header->tasks && !code; task++)
        code = vef_otf2_write_task(export, task, error);
    if (OTF2_Archive_CloseEvtFiles(export->archive) != OTF2_SUCCESS && !code)
        code = vef_otf2_failed(export, "events", error);
    return code;
}

/* Readers expect a file of definitions for each location; nothing is defined there. */
static vef_code write_local_definitions(vef_otf2_writer *export, vef_error *error) {
    bool failed = OTF2_Archive_OpenDefFiles(export->archive) != OTF2_SUCCESS;
    for (size_t i = 0; i < export->location_count && !failed; i++) {
        OTF2_DefWriter *writer =
            OTF2_Archive_GetDefWriter(export->archive, export->locations[i].reference);
        failed = !writer || OTF2_Archive_CloseDefWriter(export->archive, writer) != OTF2_SUCCESS;
    }
    failed |= OTF2_Archive_CloseDefFiles(export->archive) != OTF2_SUCCESS;
    return failed ? vef_otf2_failed(export, "definitions", error) : VEF_OK;
}

static vef_code write_archive(vef_otf2_writer *export, const char *folder, vef_error *error) {
    export->archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    export->attributes = OTF2_AttributeList_New();
    if (!export->archive || !export->attributes ||
        OTF2_Archive_SetFlushCallbacks(export->archive, &flushes, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetSerialCollectiveCallbacks(export->archive) != OTF2_SUCCESS ||
        OTF2_Archive_SetCreator(export->archive, "vef export") != OTF2_SUCCESS ||
        OTF2_Archive_SetDescription(export->archive, export->header->command) != OTF2_SUCCESS)
        return vef_otf2_failed(export, "the archive", error);
    vef_otf2_number_comms(export);
    vef_code code = write_events(export, error);
    code = code ? code : write_local_definitions(export, error);
    return code ? code : vef_otf2_define(export, error);
}

/* What a process that reads the written archive is given, and returns. */
typedef struct check {
    const vef_otf2_writer *writer;
    char anchor[4096];
    uint64_t events;
} check;

static vef_code count_event(void *context, const vef_otf2_record *record, vef_error *error) {
    check *shared = context;
    (void)error;
    shared->events += record->type != VEF_OTF2_TASK;
    return VEF_OK;
}

static vef_code count_events(void *context, vef_error *error) {
    check *shared = context;
    const vef_otf2_writer *writer = shared->writer;
    vef_otf2_task *tasks = vef_calloc(writer->location_count + 1, sizeof *tasks);
    for (size_t i = 0; i < writer->location_count; i++)
        tasks[i] =
            (vef_otf2_task){.locations = &writer->locations[i].reference, .location_count = 1};
    const vef_otf2_wanted wanted = {.path = shared->anchor,
                                    .tasks = tasks,
                                    .count = (uint32_t)writer->location_count,
                                    .take = count_event,
                                    .context = shared};
    vef_code code = vef_otf2_archive_read(&wanted, error);
    free(tasks);
    return code;
}

/* The library does not report when a file cannot be written whole (3.0.2): the events are counted
 * in the archive. */
static vef_code check_archive(vef_otf2_writer *export, const char *folder, vef_error *error) {
    check *shared = vef_apart_allocate(sizeof *shared);
    vef_error cause;
    shared->writer = export;
    snprintf(shared->anchor, sizeof shared->anchor, "%s/traces.otf2", folder);
    vef_code code = vef_otf2_isolate(shared->anchor, count_events, shared, &cause);
    const uint64_t events = shared->events;
    vef_apart_free(shared, sizeof *shared);
    if (code)
        return vef_fail(error, VEF_IO, "the written archive is not whole (disk full?): %s",
                        cause.message);
    return events == export->events
               ? VEF_OK
               : vef_fail(error, VEF_IO,
                          "the written archive has %" PRIu64 " of %" PRIu64 " records (disk full?)",
                          events, export->events);
}

/* ---- the folder ---- */

static int remove_entry(const char *path, const struct stat *about, int type, struct FTW *place) {
    (void)about, (void)type, (void)place;
    remove(path);
    return 0;
}

static int sync_entry(const char *path, const struct stat *about, int type, struct FTW *place) {
    (void)about, (void)type, (void)place;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int cause = file < 0 || vef_file_sync(file) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    return cause;
}

/* Gives the whole archive its name. */
static vef_code name_archive(const char *folder, const char *path, vef_error *error) {
    errno = nftw(folder, sync_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (errno == 0 && rename(folder, path) == 0 && vef_file_sync_folder(path) == 0)
        return VEF_OK;
    return vef_fail_errno(error, "cannot write '%s'", path);
}

/* Creates the folder that holds the archive until it is whole. */
static vef_code make_holder(const char *path, char **holder, vef_error *error) {
    struct stat there;
    if (lstat(path, &there) == 0)
        return vef_fail(error, VEF_INVALID,
                        "%s exists: expected a new folder, also with --force: remove it first",
                        path);
    char *made = vef_file_beside(path, ".export-XXXXXX");
    if (mkdtemp(made)) {
        *holder = made;
        return VEF_OK;
    }
    vef_code code = vef_fail_errno(error, "creating %s", path);
    free(made);
    return code;
}

static void report_all(const vef_otf2_writer *export, vef_format_report *report) {
    const vef_note_count notes[] = {
        {export->probes, "probes without the message that they saw: OTF2 has no record for it"},
        {export->one_sided, "calls of one-sided communication as regions only"},
        {export->neighbours, "neighborhood collectives as regions only: OTF2 has no operation"},
        {export->vectors,
         "Alltoallv and Alltoallw with the sums of their counts: OTF2 has no counts for each rank"},
        {export->unmatched, "sends and receives whose other side is not in the trace"},
        {export->alone,
         "collectives and calls on communicators as regions only: the trace does not "
         "have them for all members"},
        {export->open_ended, "non-blocking collectives that no call completes as complete at once"},
        {export->partitioned, "partitioned sends as sends at their start"},
        {export->generalised, "generalised requests as regions only"},
    };
    report->lines = export->events;
    vef_note_counts(&report->notes, notes, sizeof notes / sizeof *notes);
    if (export->header->tasks > 1)
        vef_note(&report->notes,
                 "the clocks of tasks are not synchronised: time 0 is the end of "
                 "each task's MPI_Init");
}

static void release(vef_otf2_writer *export) {
    vef_names_free(&export->regions);
    free(export->comms);
    free(export->locations);
    vef_replay_comms_release(&export->ranks);
    if (export->attributes)
        OTF2_AttributeList_Delete(export->attributes);
}

vef_code vef_otf2_write(const char *path, vef_trace *trace, const vef_format_options *options,
                        vef_format_report *report, vef_error *error) {
    vef_otf2_writer export = {.trace = trace, .header = vef_trace_get_header(trace)};
    char *holder = NULL;
    (void)options;
    *report = (vef_format_report){0};
    vef_code code = make_holder(path, &holder, error);
    if (code)
        return code;
    char *folder = vef_printed("%s/archive", holder);
    vef_otf2_keep_problem(export.problem);
    code = write_archive(&export, folder, error);
    if (export.archive && OTF2_Archive_Close(export.archive) != OTF2_SUCCESS && !code)
        code = vef_otf2_failed(&export, "the archive", error);
    vef_otf2_keep_problem(NULL);
    code = code ? code : check_archive(&export, folder, error);
    code = code ? code : name_archive(folder, path, error);
    if (!code)
        report_all(&export, report);
    nftw(holder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(holder);
    free(folder);
    release(&export);
    return code;
}

#endif
