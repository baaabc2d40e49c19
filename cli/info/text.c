/* `vef info` as text: a page or two by default. */
#include "cli/info/view.h"

#include <math.h>
#include <stdarg.h>

/* Default numbers of rows. */
enum {
    FEW_CALLS = 12,
    FEW_SITES = 12,
    FEW_SENDERS = 20,
    FEW_REGIONS = 8,
    FEW_UNRECORDED = 8,
    FEW_CUT = 10,
    FEW_UNDER_WAY = 8
};

static void __attribute__((format(printf, 3, 4)))
line(FILE *out, const char *name, const char *format, ...) {
    va_list arguments;
    fprintf(out, "%-14s ", name);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
}

static double seconds(uint64_t ns) {
    return (double)ns * 1e-9;
}

static double percent(uint64_t part, uint64_t whole) {
    return 100 * vef_info_ratio(part, whole);
}

/* ---- the head ---- */

static void show_cut_short(const vef_info_view *view, FILE *out) {
    const vef_trace_header *header = view->header;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < header->tasks; i++)
        cut += vef_log_end_cuts(header->task[i].end);
    if (cut == 0)
        return;
    line(out, "cut short", "%u tasks:", cut);
    for (uint32_t i = 0, shown = 0; i < header->tasks && shown < FEW_CUT; i++) {
        if (!vef_log_end_cuts(header->task[i].end))
            continue;
        fprintf(out, "%s %u (after %" PRIu64 " events)", shown++ ? "," : "", i,
                header->task[i].events);
    }
    fprintf(out, "%s\n", cut > FEW_CUT ? ", …" : "");
}

static void show_header(const void *context, FILE *out) {
    const vef_info_view *view = context;
    const vef_trace_header *header = view->header;
    const vef_stats *stats = &view->stats;
    const struct {
        const char *name, *text;
    } lines[] = {{"application", header->application}, {"command", header->command},
                 {"MPI library", header->library},     {"clock", header->clock},
                 {"options", header->options},         {"date", header->date}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (*lines[i].text)
            line(out, lines[i].name, "%s\n", lines[i].text);
    if (header->exit_status != 0)
        line(out, "exit status", "%d\n", header->exit_status);
    line(out, "tasks", "%u", header->tasks);
    if (stats->threads > header->tasks)
        fprintf(out, ", with %u threads that call MPI", stats->threads);
    uint64_t most = 0;
    for (uint32_t i = 0; header->measured && i < header->tasks; i++)
        most = header->measured[i].threads > most ? header->measured[i].threads : most;
    if (most > 1)
        fprintf(out, ", of up to %" PRIu64 " threads at once", most);
    fputc('\n', out);
    show_cut_short(view, out);
    line(out, "events", "%" PRIu64 " (%" PRIu64 " MPI calls)\n", stats->events, stats->calls);
    line(out, "file", "%" PRIu64 " bytes, %.2f per MPI call (%.2f per event)\n", view->file_bytes,
         vef_info_ratio(view->file_bytes, stats->calls),
         vef_info_ratio(view->file_bytes, stats->events));
}

/* ---- time ---- */

static void show_kinds(const vef_info_view *view, FILE *out) {
    const vef_stats *stats = &view->stats;
    const char *separator = "";
    if (stats->mpi_ns == 0)
        return;
    fprintf(out, "%-14s ", "MPI time");
    for (vef_kind kind = 0; kind <= VEF_KIND_COUNTED; kind++) {
        if (stats->kind[kind].duration_ns == 0)
            continue;
        fprintf(out, "%s%s %.1f %%", separator, vef_info_kind_name(kind),
                percent(stats->kind[kind].duration_ns, stats->mpi_ns));
        separator = ", ";
    }
    fputc('\n', out);
}

static void show_warnings(const vef_info_view *view, FILE *out) {
    char text[VEF_MEASURED_TEXT_BYTES];
    const vef_measured_run run = vef_trace_measured(view->header);
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++) {
        if (!vef_measured_warnings[i](&run, text, sizeof text))
            continue;
        line(out, "warning", "%s\n", text);
    }
}

/* The task whose time-stamp counter differed most from CLOCK_MONOTONIC. */
static void show_drift(const vef_info_view *view, FILE *out) {
    const vef_measured *task = view->header->measured;
    uint32_t worst = 0;
    for (uint32_t i = 1; task && i < view->header->tasks; i++)
        if (task[i].clock_error_ns > task[worst].clock_error_ns)
            worst = i;
    if (!task || task[worst].clock_compared_ns == 0)
        return;
    double error_s = seconds(task[worst].clock_error_ns);
    double compared_s = seconds(task[worst].clock_compared_ns);
    line(out, "clock drift",
         "at most %.0f us in %.6g s (%.1f ppm): time-stamp counter against CLOCK_MONOTONIC, in "
         "task %" PRIu32 "\n",
         1e6 * error_s, compared_s, 1e6 * error_s / compared_s, worst);
}

static void show_time(const vef_info_view *view, FILE *out) {
    const vef_stats *stats = &view->stats;
    vef_efficiency efficiency = vef_stats_efficiency(stats);
    line(out, "time", "%.6f s computing", seconds(stats->compute_ns));
    if (view->durations)
        fprintf(out, ", %.6f s in MPI", seconds(stats->mpi_ns));
    if (stats->outside_ns > 0)
        fprintf(out, ", %.6f s outside (files, datatypes and the like)",
                seconds(stats->outside_ns));
    fprintf(out, ", over all tasks\n");
    if (view->durations && stats->startup_ns > 0)
        line(out, "", "not counting %.6f s in MPI_Init and MPI_Finalize\n",
             seconds(stats->startup_ns));
    if (!view->durations) {
        line(out, "", "times inside calls were not recorded (--times %s)\n", view->header->times);
        if (!isnan(efficiency.load_balance))
            line(out, "efficiency", "load balance %.3f\n", efficiency.load_balance);
        return;
    }
    if (!isnan(efficiency.parallel))
        line(out, "efficiency",
             "parallel %.3f = load balance %.3f x communication %.3f, of %.6f s\n",
             efficiency.parallel, efficiency.load_balance, efficiency.communication,
             seconds(stats->run_ns));
    show_kinds(view, out);
}

/* ---- what moves ---- */

static void show_movement(const vef_info_view *view, FILE *out) {
    const vef_stats *stats = &view->stats;
    const vef_kind_stats *collectives = &stats->kind[VEF_KIND_COLLECTIVE];
    line(out, "messages", "%" PRIu64 " with %" PRIu64 " bytes\n", stats->messages,
         stats->message_bytes);
    if (collectives->calls > 0) {
        line(out, "collectives", "%" PRIu64 " calls, %.1f %% of all", collectives->calls,
             percent(collectives->calls, stats->calls));
        if (view->durations)
            fprintf(out, ", %.1f %% of the time in MPI",
                    percent(collectives->duration_ns, stats->mpi_ns));
        fputc('\n', out);
    }
    if (stats->one_sided > 0)
        line(out, "one-sided", "%" PRIu64 " operations with %" PRIu64 " bytes\n", stats->one_sided,
             stats->one_sided_bytes);
    if (stats->receives > 0) {
        line(out, "wildcards", "%" PRIu64 " of %" PRIu64 " receives, %.1f %%", stats->wildcards,
             stats->receives, percent(stats->wildcards, stats->receives));
        if (stats->wildcards > 0)
            fprintf(out, " (any source %" PRIu64 ", any tag %" PRIu64 ")", stats->any_source,
                    stats->any_tag);
        fputc('\n', out);
    }
    if (stats->unmatched > 0)
        line(out, "unmatched",
             "%" PRIu64 " unmatched sends and receives: their peers are not in the trace\n",
             stats->unmatched);
    if (stats->cancelled > 0)
        line(out, "cancelled", "%" PRIu64 " sends and receives\n", stats->cancelled);
}

/* ---- tables ---- */

static void put_left_out(size_t rows, size_t most, const char *option, vef_result *into) {
    if (rows > most)
        vef_say(into, "and %zu more: --%s\n", rows - most, option);
}

/* A table after an empty line. */
static void put(const vef_info_view *view, vef_info_table *table, size_t most, vef_result *into) {
    vef_say(into, "\n");
    table(view, into, NULL, most);
}

static void put_calls(const vef_info_view *view, vef_result *into) {
    const size_t count = vef_info_distinct_calls(view), most = view->calls ? count : FEW_CALLS;
    if (count == 0)
        return;
    put(view, vef_info_calls, most, into);
    put_left_out(count, most, "calls", into);
}

static void put_sites(const vef_info_view *view, vef_result *into) {
    const size_t most = view->sites ? SIZE_MAX : FEW_SITES;
    if (view->header->site_count == 0) {
        vef_say(into, view->sites ? "\ncall sites: not recorded (vef capture --sites)\n" : "");
        return;
    }
    put(view, vef_info_sites, most, into);
    put_left_out(view->stats.site_count, most, "sites", into);
    if (view->sites)
        put(view, vef_info_site_bytes, FEW_SENDERS, into);
}

static void put_waits(const vef_info_view *view, vef_result *into) {
    if (!view->durations && view->waits > 0)
        vef_say(into, "\nlongest waits: not known, times inside calls were not recorded\n");
    if (view->durations && view->stats.wait_count > 0)
        put(view, vef_info_waits, SIZE_MAX, into);
}

static void put_regions(const vef_info_view *view, vef_result *into) {
    const vef_stats *stats = &view->stats;
    const size_t most = view->regions ? SIZE_MAX : FEW_REGIONS;
    if (stats->region_count == 0)
        return;
    put(view, vef_info_regions, most, into);
    put_left_out(stats->region_count, most, "regions", into);
    if (stats->unpaired_regions > 0)
        vef_say(into, "%" PRIu64 " begins or ends of regions are unpaired\n",
                stats->unpaired_regions);
}

static void show_not_recorded(const void *context, FILE *out) {
    const vef_info_view *view = context;
    const vef_trace_header *header = view->header;
    size_t found = 0;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (!header->not_recorded[call])
            continue;
        if (found++ == 0)
            fprintf(out, "\ncalled, but not recorded in the trace:\n");
        if (found > FEW_UNRECORDED && !view->calls)
            continue;
        fprintf(out, "  MPI_%s %" PRIu64, vef_call_name((uint16_t)call),
                header->not_recorded[call]);
        if (header->not_recorded_ns && header->not_recorded_ns[call])
            fprintf(out, ", %.3f ms%s", (double)header->not_recorded_ns[call] * 1e-6,
                    vef_call_may_block((uint16_t)call) ? " (may block: wall time)" : "");
        fputc('\n', out);
    }
    if (found > FEW_UNRECORDED && !view->calls)
        fprintf(out, "  and %zu more: --calls\n", found - FEW_UNRECORDED);
}

/* Comes first: users look for it when a program hangs. */
static void put_under_way(const vef_info_view *view, vef_result *into) {
    const size_t most = view->calls_under_way ? SIZE_MAX : FEW_UNDER_WAY;
    if (view->under_way_count == 0)
        return;
    vef_say(into, "\nCalls under way, %s\n",
            view->running ? "at present" : "when the tasks were killed");
    vef_info_under_way(view, into, NULL, most);
    put_left_out(view->under_way_count, most, "calls-under-way", into);
    vef_say(into, "\n");
}

static void show_sums(const void *context, FILE *out) {
    const vef_info_view *view = context;
    show_time(view, out);
    show_drift(view, out);
    show_warnings(view, out);
    show_movement(view, out);
}

void vef_info_put_text(const vef_info_view *view, vef_result *into) {
    const vef_stats *stats = &view->stats;
    vef_say_by(into, show_header, view);
    put_under_way(view, into);
    vef_say_by(into, show_sums, view);
    if (view->header->tasks > 1) {
        vef_say(into, "\n");
        vef_info_spread(view, into);
    }
    put_calls(view, into);
    put_sites(view, into);
    if (stats->message_sizes.counted || stats->collective_sizes.counted ||
        stats->one_sided_sizes.counted)
        put(view, vef_info_sizes, SIZE_MAX, into);
    put_regions(view, into);
    put_waits(view, into);
    vef_say_by(into, show_not_recorded, view);
    if (view->communicators)
        put(view, vef_info_comms, SIZE_MAX, into);
    if (view->per_task)
        put(view, vef_info_tasks, SIZE_MAX, into);
    if (view->partners || view->per_task)
        put(view, vef_info_partners, SIZE_MAX, into);
    if (view->matrix) {
        vef_say(into, "\n");
        vef_info_matrix(view, into);
    }
}
