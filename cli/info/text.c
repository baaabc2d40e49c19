/* `vef info` for people: a page or two, more where it was asked for; and the tables as CSV. See
 * view.h. */
#include "cli/info/view.h"

#include <math.h>
#include <string.h>

/* What is shown unasked. */
enum {
    FEW_CALLS = 12,
    FEW_WAITS = 5,
    FEW_REGIONS = 8,
    FEW_UNRECORDED = 8,
    FEW_CUT = 10,
    FEW_UNDER_WAY = 8
};

static void line(const char *name) {
    printf("%-14s ", name);
}

static double seconds(uint64_t ns) {
    return (double)ns * 1e-9;
}

static double percent(uint64_t part, uint64_t whole) {
    return 100 * vef_info_ratio(part, whole);
}

/* ---- the head ---- */

static void show_cut_short(const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    uint32_t cut = 0;
    for (uint32_t i = 0; i < header->tasks; i++)
        cut += vef_log_end_cuts(header->task[i].end);
    if (cut == 0)
        return;
    line("cut short");
    printf("%u tasks:", cut);
    for (uint32_t i = 0, shown = 0; i < header->tasks && shown < FEW_CUT; i++) {
        if (!vef_log_end_cuts(header->task[i].end))
            continue;
        printf("%s %u (after %" PRIu64 " events)", shown++ ? "," : "", i, header->task[i].events);
    }
    printf("%s\n", cut > FEW_CUT ? ", …" : "");
}

static void show_header(const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    const vef_stats *stats = &view->stats;
    const struct {
        const char *name, *text;
    } lines[] = {{"application", header->application}, {"command", header->command},
                 {"MPI library", header->library},     {"clock", header->clock},
                 {"options", header->options},         {"date", header->date}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (*lines[i].text)
            printf("%-14s %s\n", lines[i].name, lines[i].text);
    if (header->exit_status != 0)
        printf("%-14s %d\n", "exit status", header->exit_status);
    line("tasks");
    printf("%u", header->tasks);
    if (stats->threads > header->tasks)
        printf(", with %u threads that call MPI", stats->threads);
    uint64_t most = 0;
    for (uint32_t i = 0; header->measured && i < header->tasks; i++)
        most = header->measured[i].threads > most ? header->measured[i].threads : most;
    if (most > 1)
        printf(", of up to %" PRIu64 " threads at once", most);
    putchar('\n');
    show_cut_short(view);
    line("events");
    printf("%" PRIu64 " (%" PRIu64 " MPI calls)\n", stats->events, stats->calls);
    line("file");
    printf("%" PRIu64 " bytes, %.2f per MPI call (%.2f per event)\n", view->file_bytes,
           vef_info_ratio(view->file_bytes, stats->calls),
           vef_info_ratio(view->file_bytes, stats->events));
}

/* ---- time ---- */

static void show_kinds(const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    const char *separator = "";
    if (stats->mpi_ns == 0)
        return;
    line("MPI time");
    for (vef_kind kind = 0; kind <= VEF_KIND_COUNTED; kind++) {
        if (stats->kind[kind].duration_ns == 0)
            continue;
        printf("%s%s %.1f %%", separator, vef_info_kind_name(kind),
               percent(stats->kind[kind].duration_ns, stats->mpi_ns));
        separator = ", ";
    }
    putchar('\n');
}

static void show_warnings(const vef_info_view *view) {
    char text[VEF_MEASURED_TEXT_BYTES];
    const vef_measured_run run = vef_trace_measured(view->header);
    for (size_t i = 0; i < VEF_MEASURED_WARNINGS; i++) {
        if (!vef_measured_warnings[i](&run, text, sizeof text))
            continue;
        line("warning");
        printf("%s\n", text);
    }
}

static void show_time(const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    vef_efficiency efficiency = vef_stats_efficiency(stats);
    line("time");
    if (view->durations)
        printf("%.6f s computing, %.6f s in MPI", seconds(stats->compute_ns),
               seconds(stats->mpi_ns));
    else
        printf("%.6f s computing", seconds(stats->compute_ns));
    if (stats->outside_ns > 0)
        printf(", %.6f s outside (files, datatypes and the like)", seconds(stats->outside_ns));
    printf(", over all tasks\n");
    if (view->durations && stats->startup_ns > 0) {
        line("");
        printf("not counting %.6f s in MPI_Init and MPI_Finalize\n", seconds(stats->startup_ns));
    }
    if (!view->durations) {
        line("");
        printf("times inside calls were not recorded (--times %s)\n", view->header->times);
        if (!isnan(efficiency.load_balance)) {
            line("efficiency");
            printf("load balance %.3f\n", efficiency.load_balance);
        }
        return;
    }
    if (!isnan(efficiency.parallel)) {
        line("efficiency");
        printf("parallel %.3f = load balance %.3f x communication %.3f, of %.6f s\n",
               efficiency.parallel, efficiency.load_balance, efficiency.communication,
               seconds(stats->run_ns));
    }
    show_kinds(view);
}

/* ---- what moves ---- */

static void show_movement(const vef_info_view *view) {
    const vef_stats *stats = &view->stats;
    const vef_kind_stats *collectives = &stats->kind[VEF_KIND_COLLECTIVE];
    line("messages");
    printf("%" PRIu64 " with %" PRIu64 " bytes\n", stats->messages, stats->message_bytes);
    if (collectives->calls > 0) {
        line("collectives");
        printf("%" PRIu64 " calls, %.1f %% of all", collectives->calls,
               percent(collectives->calls, stats->calls));
        if (view->durations)
            printf(", %.1f %% of the time in MPI",
                   percent(collectives->duration_ns, stats->mpi_ns));
        putchar('\n');
    }
    if (stats->one_sided > 0) {
        line("one-sided");
        printf("%" PRIu64 " operations with %" PRIu64 " bytes\n", stats->one_sided,
               stats->one_sided_bytes);
    }
    if (stats->receives > 0) {
        line("wildcards");
        printf("%" PRIu64 " of %" PRIu64 " receives, %.1f %%", stats->wildcards, stats->receives,
               percent(stats->wildcards, stats->receives));
        if (stats->wildcards > 0)
            printf(" (any source %" PRIu64 ", any tag %" PRIu64 ")", stats->any_source,
                   stats->any_tag);
        putchar('\n');
    }
    if (stats->unmatched > 0) {
        line("unmatched");
        printf("%" PRIu64 " sends and receives whose other side is not in the trace\n",
               stats->unmatched);
    }
    if (stats->cancelled > 0) {
        line("cancelled");
        printf("%" PRIu64 " sends and receives\n", stats->cancelled);
    }
}

/* ---- tables ---- */

/* Writes and frees a table, after an empty line. */
static vef_code put_table(vef_table *table, bool csv, vef_error *error) {
    if (!table)
        return vef_fail_memory(error, "a table", 1024);
    vef_code code =
        csv ? vef_table_write_csv(table, stdout, error) : vef_table_write(table, stdout, error);
    vef_table_free(table);
    return code;
}

static vef_code show_table(vef_table *table, vef_error *error) {
    putchar('\n');
    return put_table(table, false, error);
}

static vef_code show_calls(const vef_info_view *view, vef_error *error) {
    size_t all = vef_info_distinct_calls(view), most = view->calls ? all : FEW_CALLS;
    if (all == 0)
        return VEF_OK;
    vef_code code = show_table(vef_info_calls(view, VEF_INFO_TEXT, most), error);
    if (!code && all > most)
        printf("and %zu more: --calls\n", all - most);
    return code;
}

static vef_code show_sizes(const vef_info_view *view, vef_error *error) {
    const vef_stats *stats = &view->stats;
    if (stats->message_sizes.counted + stats->collective_sizes.counted +
            stats->one_sided_sizes.counted ==
        0)
        return VEF_OK;
    return show_table(vef_info_sizes(view, VEF_INFO_TEXT, view->sizes ? 1 : 3), error);
}

static vef_code show_waits(const vef_info_view *view, vef_error *error) {
    size_t most = view->waits < 0 ? FEW_WAITS : (size_t)view->waits;
    if (!view->durations && view->waits > 0)
        printf("\nlongest waits: not known, times inside calls were not recorded\n");
    if (!view->durations || view->stats.wait_count == 0 || most == 0)
        return VEF_OK;
    return show_table(vef_info_waits(view, VEF_INFO_TEXT, most), error);
}

static vef_code show_regions(const vef_info_view *view, vef_error *error) {
    const vef_stats *stats = &view->stats;
    size_t most = view->regions ? SIZE_MAX : FEW_REGIONS;
    if (stats->region_count == 0)
        return VEF_OK;
    vef_code code = show_table(vef_info_regions(view, VEF_INFO_TEXT, most), error);
    if (!code && stats->region_count > most)
        printf("and %zu more: --regions\n", stats->region_count - most);
    if (!code && stats->unpaired_regions > 0)
        printf("%" PRIu64 " begins or ends of regions have no other side\n",
               stats->unpaired_regions);
    return code;
}

static vef_code show_partners(const vef_info_view *view, vef_error *error) {
    vef_table *table = NULL;
    vef_code code = vef_info_partners(view, VEF_INFO_TEXT, &table, error);
    return code ? code : show_table(table, error);
}

static void put_pair(void *context, const vef_info_pair *pair) {
    fprintf(context, "%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", pair->from,
            pair->to, pair->messages, pair->bytes, pair->one_sided_messages, pair->one_sided_bytes);
}

static vef_code put_matrix(const vef_info_view *view, vef_error *error) {
    printf("from,to,messages,bytes,one_sided,one_sided_bytes\n");
    return vef_info_pairs(view, put_pair, stdout, error);
}

static void show_not_recorded(const vef_info_view *view) {
    const vef_trace_header *header = view->header;
    size_t found = 0;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (!header->not_recorded[call])
            continue;
        if (found++ == 0)
            printf("\ncalled, but not held in the trace:\n");
        if (found > FEW_UNRECORDED && !view->calls)
            continue;
        printf("  MPI_%s %" PRIu64, vef_call_name((uint16_t)call), header->not_recorded[call]);
        if (header->not_recorded_ns && header->not_recorded_ns[call])
            printf(", %.3f ms%s", (double)header->not_recorded_ns[call] * 1e-6,
                   vef_call_may_block((uint16_t)call) ? " (may block: wall time)" : "");
        putchar('\n');
    }
    if (found > FEW_UNRECORDED && !view->calls)
        printf("  and %zu more: --calls\n", found - FEW_UNRECORDED);
}

/* First of all where tasks hang: it is what their user looks for. */
static vef_code show_under_way(const vef_info_view *view, vef_error *error) {
    size_t most = view->calls_under_way ? SIZE_MAX : FEW_UNDER_WAY;
    if (view->under_way_count == 0)
        return VEF_OK;
    printf("\nCalls under way, %s\n", view->running ? "at present" : "when the tasks were killed");
    vef_code code = put_table(vef_info_under_way(view, VEF_INFO_TEXT, most), false, error);
    if (view->under_way_count > most)
        printf("and %zu more: --calls-under-way\n", view->under_way_count - most);
    return code;
}

vef_code vef_info_show_text(const vef_info_view *view, vef_error *error) {
    show_header(view);
    vef_code code = show_under_way(view, error);
    if (view->under_way_count > 0)
        putchar('\n');
    show_time(view);
    show_warnings(view);
    show_movement(view);
    if (!code && view->header->tasks > 1)
        code = show_table(vef_info_spread(view), error);
    if (!code)
        code = show_calls(view, error);
    if (!code)
        code = show_sizes(view, error);
    if (!code)
        code = show_regions(view, error);
    if (!code)
        code = show_waits(view, error);
    show_not_recorded(view);
    if (!code && view->communicators)
        code = show_table(vef_info_comms(view, VEF_INFO_TEXT), error);
    if (!code && view->per_task)
        code = show_table(vef_info_tasks(view, VEF_INFO_TEXT), error);
    if (!code && (view->partners || view->per_task))
        code = show_partners(view, error);
    if (!code && view->matrix) {
        putchar('\n');
        code = put_matrix(view, error);
    }
    return code;
}

/* ---- CSV ---- */

vef_code vef_info_show_csv(const vef_info_view *view, vef_error *error) {
    bool first = true;
    vef_code code = VEF_OK;
    enum { CALLS, SIZES, REGIONS, WAITS, COMMS, TASKS, PARTNERS, UNDER_WAY, MATRIX, TABLES };
    const bool asked[TABLES] = {[CALLS] = view->calls,         [SIZES] = view->sizes,
                                [REGIONS] = view->regions,     [WAITS] = view->waits >= 0,
                                [COMMS] = view->communicators, [TASKS] = view->per_task,
                                [PARTNERS] = view->partners,   [UNDER_WAY] = view->calls_under_way,
                                [MATRIX] = view->matrix};
    for (int which = 0; which < TABLES && !code; which++) {
        vef_table *table = NULL;
        if (!asked[which])
            continue;
        if (!first)
            putchar('\n');
        first = false;
        if (which == MATRIX) {
            code = put_matrix(view, error);
            continue;
        }
        if (which == PARTNERS)
            code = vef_info_partners(view, VEF_INFO_EXACT, &table, error);
        else
            table = which == CALLS       ? vef_info_calls(view, VEF_INFO_EXACT, SIZE_MAX)
                    : which == UNDER_WAY ? vef_info_under_way(view, VEF_INFO_EXACT, SIZE_MAX)
                    : which == SIZES     ? vef_info_sizes(view, VEF_INFO_EXACT, 1)
                    : which == REGIONS   ? vef_info_regions(view, VEF_INFO_EXACT, SIZE_MAX)
                    : which == WAITS     ? vef_info_waits(view, VEF_INFO_EXACT, SIZE_MAX)
                    : which == COMMS     ? vef_info_comms(view, VEF_INFO_EXACT)
                                         : vef_info_tasks(view, VEF_INFO_EXACT);
        if (!code)
            code = put_table(table, true, error);
    }
    return code;
}
