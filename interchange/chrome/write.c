/* Writing a trace as a timeline (common/report/timeline.h): a track per thread of a task, with
 * calls and the computation between them as slices inside those of the program's regions, and an
 * arrow per message, from the call that sends it to the one that ends its receive.
 *
 * Each task has its own clock, that of slices (traces/slice/slice.h): recorded computation, time in
 * MPI and outside, from the end of MPI_Init, which like MPI_Finalize has length 0. Clocks of tasks
 * are not synchronised, so an arrow may point back in time; such arrows are counted.
 *
 * The trace is read twice. The first pass finds the messages with both ends in the part, so that
 * every arrow has both; and, if the file is bounded, how many bytes the events of each interval of
 * time take. A timeline beyond the bound is cut at the end of an interval, for all tasks, and the
 * messages are then searched again up to there. Memory: the requests of one task, the runs of
 * messages of each pair of tasks, and 8 bytes per message, for its time. */
#include "common/memory.h"
#include "interchange/chrome/chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- passes ---- */

/* The time up to which the events fit. The interval of the first event is the shortest that the
 * counts can tell apart. */
static uint64_t fitting_ns(const vef_chrome *chrome, uint64_t max_bytes) {
    uint64_t bytes = chrome->frame_bytes;
    size_t interval = 0;
    for (; interval < VEF_CHROME_INTERVALS; interval++) {
        bytes += chrome->interval_bytes[interval];
        if (bytes > max_bytes)
            break;
    }
    return interval * chrome->interval_ns;
}

static vef_code survey(vef_chrome *chrome, vef_error *error) {
    chrome->calls = chrome->ends = 0;
    vef_chrome_forget_messages(chrome);
    const vef_code code = vef_chrome_read(chrome, error);
    if (code == VEF_OK)
        vef_chrome_number_messages(chrome);
    return code;
}

/* Cuts the part where the bytes of its events exceed the bound. */
static vef_code bound(vef_chrome *chrome, uint64_t max_bytes, vef_error *error) {
    uint64_t bytes = chrome->timeline.bytes + chrome->frame_bytes;
    chrome->timeline.out = NULL;
    if (bytes <= max_bytes)
        return VEF_OK;
    chrome->cut = true;
    chrome->calls_in_part = chrome->calls;
    chrome->cut_ns = fitting_ns(chrome, max_bytes);
    if (!chrome->part.by_time)
        chrome->part.to_ns = UINT64_MAX;
    chrome->part.by_time = true;
    if (chrome->part.to_ns > chrome->cut_ns)
        chrome->part.to_ns = chrome->cut_ns;
    return survey(chrome, error);
}

/* ---- the file ---- */

static void begin_file(vef_chrome *chrome, FILE *out) {
    const vef_trace_header *header = chrome->header;
    const vef_timeline_argument facts[] = {
        {.key = "application", .text = header->application},
        {.key = "command", .text = header->command},
        {.key = "MPI library", .text = header->library},
        {.key = "date", .text = header->date},
        {.key = "clock", .text = header->clock},
        {.key = "tasks", .number = header->tasks},
        {.key = "written by", .text = "vef export --format chrome"},
    };
    vef_timeline_begin(&chrome->timeline, out, facts, sizeof facts / sizeof *facts);
    vef_timeline_group(&chrome->timeline, VEF_CHROME_TASKS,
                       *header->application ? header->application : "tasks");
}

static void report(const vef_chrome *chrome, vef_format_report *to) {
    const vef_trace_header *header = chrome->header;
    const vef_note_count notes[] = {
        {chrome->ends - chrome->arrow_ends,
         "ends of messages without an arrow: the other end is not in the timeline"},
        {chrome->unmatched, "sends and receives without an arrow: the trace has no counterpart"},
        {chrome->one_sided,
         "one-sided operations without an arrow: a trace does not store when they reach their "
         "target"},
    };
    to->lines = chrome->timeline.events;
    if (chrome->cut)
        vef_note(&to->notes,
                 "--max-size: written are the calls entered before %.9f s; %" PRIu64 " of %" PRIu64
                 " calls are left out",
                 (double)chrome->cut_ns * 1e-9, chrome->calls_in_part - chrome->calls,
                 chrome->calls_in_part);
    if (chrome->calls == 0)
        vef_note(&to->notes,
                 "the timeline is empty: no call meets the conditions; the tasks' recorded "
                 "times reach from 0 to %.9f s",
                 (double)chrome->longest_ns * 1e-9);
    vef_note_counts(&to->notes, notes, sizeof notes / sizeof *notes);
    if (chrome->back > 0)
        vef_note(&to->notes,
                 "%" PRIu64 " of %" PRIu64
                 " arrows point back in time, because the clocks of tasks are not "
                 "synchronised; Perfetto does not draw them",
                 chrome->back, chrome->arrow_ends / 2);
    if (strcmp(header->times, "compute") == 0)
        vef_note(&to->notes, "calls have length 0: the trace has no durations");
}

static vef_code write_file(vef_chrome *chrome, const char *path, vef_format_report *to,
                           vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code)
        return code;
    setvbuf(output.stream, NULL, _IOFBF, 1 << 16);
    begin_file(chrome, output.stream);
    chrome->writing = true;
    chrome->calls = chrome->unmatched = chrome->one_sided = 0;
    code = vef_chrome_read(chrome, error);
    vef_timeline_end(&chrome->timeline);
    report(chrome, to);
    if (!code)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

static void release(vef_chrome *chrome) {
    vef_chrome_forget_messages(chrome);
    free(chrome->interval_bytes);
    free(chrome->pairs);
    vef_map64_free(&chrome->pair_of);
}

vef_code vef_chrome_write(const char *path, vef_trace *trace, const vef_format_options *options,
                          vef_format_report *to, vef_error *error) {
    vef_chrome chrome = {.trace = trace, .header = vef_trace_get_header(trace), .interval_ns = 1};
    FILE *nowhere = NULL;
    *to = (vef_format_report){0};
    if (options->part)
        chrome.part = *options->part;
    if (options->max_bytes > 0) {
        nowhere = fopen("/dev/null", "w");
        if (!nowhere)
            return vef_fail_errno(error, "/dev/null");
        begin_file(&chrome, nowhere);
        chrome.frame_bytes = chrome.timeline.bytes + VEF_CHROME_FRAME_BYTES;
        chrome.timeline.bytes = 0;
    }
    chrome.interval_bytes = vef_calloc(VEF_CHROME_INTERVALS, sizeof *chrome.interval_bytes);
    /* An unknown name is a mistake, an interval without calls is not. */
    vef_code code = vef_slice_check_names(trace, &chrome.part, error);
    if (!code)
        code = survey(&chrome, error);
    if (!code && nowhere)
        code = bound(&chrome, options->max_bytes, error);
    if (!code)
        code = write_file(&chrome, path, to, error);
    if (nowhere)
        fclose(nowhere);
    release(&chrome);
    return code;
}

vef_code vef_chrome_record(vef_trace *trace, const vef_timeline_sink *sink, vef_notes *notes,
                           vef_error *error) {
    vef_chrome chrome = {.trace = trace, .header = vef_trace_get_header(trace)};
    vef_code code = survey(&chrome, error);
    chrome.timeline.sink = sink;
    chrome.writing = true;
    chrome.calls = 0;
    if (!code)
        code = vef_chrome_read(&chrome, error);
    if (chrome.back > 0)
        vef_note(notes,
                 "%" PRIu64 " of %" PRIu64
                 " messages point back in time, because the clocks of tasks are not synchronised",
                 chrome.back, chrome.arrow_ends / 2);
    release(&chrome);
    return code;
}
