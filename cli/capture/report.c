/* The report of `vef capture`. */
#include "cli/capture/report.h"
#include "traces/file/trace.h"
#include "traces/stats/stats.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* Lists the tasks whose log ended like `end`; returns their number. */
static uint32_t report_ends(const vef_trace_header *header, vef_log_end end, const char *what) {
    uint32_t count = 0, shown = 0;
    for (uint32_t t = 0; t < header->tasks; t++)
        count += header->task[t].end == end;
    if (count == 0)
        return 0;
    fprintf(stderr, "vef capture: %s:", what);
    for (uint32_t t = 0; t < header->tasks && shown < 8; t++)
        if (header->task[t].end == end)
            fprintf(stderr, "%s task %" PRIu32 " after %" PRIu64 " events", shown++ > 0 ? "," : "",
                    t, header->task[t].events);
    if (count > shown)
        fprintf(stderr, ", and %" PRIu32 " more", count - shown);
    fputc('\n', stderr);
    return count;
}

/* Events that rings dropped because of --max-size. */
static void report_dropped(const vef_trace_header *header) {
    uint64_t events = 0;
    uint32_t tasks = 0;
    for (uint32_t t = 0; t < header->tasks; t++) {
        events += header->task[t].skipped;
        tasks += header->task[t].skipped > 0;
    }
    if (tasks > 0)
        fprintf(stderr,
                "vef capture: dropped to stay within --max-size: the first %" PRIu64
                " events of %" PRIu32 " of %" PRIu32 " tasks\n",
                events, tasks, header->tasks);
}

/* Calls that are only counted: bookkeeping, or the others. */
static void report_counts(const vef_trace_header *header, bool bookkeeping, const char *what) {
    bool any = false;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (header->not_recorded[call] == 0 ||
            vef_call_is_bookkeeping((uint16_t)call) != bookkeeping)
            continue;
        fprintf(stderr, "%s MPI_%s %" PRIu64, any ? "," : what, vef_call_name((uint16_t)call),
                header->not_recorded[call]);
        any = true;
    }
    if (any)
        fputc('\n', stderr);
}

/* Whether the times are reliable. Busy cores are not reported here; `vef info` reports them with
 * the times. */
static void report_measured(const vef_trace_header *header) {
    char text[VEF_MEASURED_TEXT_BYTES];
    const vef_measured_run run = vef_trace_measured(header);
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++)
        if (vef_measured_warnings[i] != vef_measured_crowded &&
            vef_measured_warnings[i](&run, text, sizeof text))
            fprintf(stderr, "vef capture: warning: %s\n", text);
}

static void report_not_recorded(const vef_trace_header *header) {
    report_counts(header, false, "vef capture: communication not recorded in the trace (calls):");
    report_counts(header, true, "vef capture: only counted, with their time (calls):");
}

/* Reports the names in --regions that the trace does not have (likely misspelt). */
static vef_code report_absent_regions(vef_trace *trace, const char *regions, vef_error *error) {
    vef_stats stats;
    vef_code code = vef_stats_read(trace, 0, NULL, &stats, error);
    if (code)
        return code;
    for (const char *name = regions; *name != '\0';) {
        size_t length = strcspn(name, ","), i = 0;
        while (i < stats.region_count && (strlen(stats.regions[i].name) != length ||
                                          strncmp(stats.regions[i].name, name, length) != 0))
            i++;
        if (length > 0 && i == stats.region_count)
            fprintf(stderr, "vef capture: --regions: the trace has no region '%.*s'\n", (int)length,
                    name);
        name += length + (name[length] == ',');
    }
    vef_stats_free(&stats);
    return VEF_OK;
}

vef_code vef_capture_report(const char *path, const char *regions, bool *cut_short,
                            vef_error *error) {
    vef_trace *trace;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    fprintf(stderr,
            "vef capture: %s: %" PRIu32 " task%s, %" PRIu64 " events, %.2f bytes per event\n", path,
            header->tasks, header->tasks == 1 ? "" : "s", header->events,
            header->events > 0 ? (double)vef_trace_bytes(trace) / (double)header->events : 0.0);
    report_not_recorded(header);
    report_measured(header);
    report_ends(header, VEF_LOG_ABORTED, "called MPI_Abort");
    report_ends(header, VEF_LOG_EXITED, "ended without MPI_Finalize");
    report_ends(header, VEF_LOG_FULL, "recorded up to --max-size");
    report_dropped(header);
    *cut_short |= report_ends(header, VEF_LOG_CUT, "cut short") > 0;
    if (regions != NULL)
        code = report_absent_regions(trace, regions, error);
    vef_trace_close(trace);
    return code;
}

static int is_mark(const struct dirent *entry) {
    return strncmp(entry->d_name, "lost-", 5) == 0;
}

bool vef_capture_report_losses(const char *logs, const char *command) {
    enum { SHOWN = 8 };
    char path[PATH_BYTES + NAME_MAX], line[PATH_BYTES];
    struct dirent **marks = NULL;
    int count = scandir(logs, &marks, is_mark, alphasort), lines = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", logs, marks[i]->d_name);
        FILE *mark = fopen(path, "r");
        while (mark != NULL && fgets(line, sizeof line, mark) != NULL)
            if (lines++ < SHOWN)
                fprintf(stderr, "vef %s: %s", command, line);
        if (mark != NULL)
            fclose(mark);
        free(marks[i]);
    }
    free(marks);
    if (lines > SHOWN)
        fprintf(stderr, "vef %s: and %d more tasks\n", command, lines - SHOWN);
    return lines > 0;
}

void vef_capture_report_damage(const vef_merge_summary *summary, const char *command) {
    if (*summary->damage)
        fprintf(stderr,
                "vef %s: the trace lacks %" PRIu64
                " recorded events or more, of damaged files: %s\n",
                command, summary->lost, summary->damage);
}
