/* The tables of `vef info`. */
#include "cli/info/view.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *vef_info_end_name(vef_log_end end) {
    switch (end) {
    case VEF_LOG_FINALIZED:
        return "finalized";
    case VEF_LOG_ABORTED:
        return "aborted";
    case VEF_LOG_EXITED:
        return "exited";
    case VEF_LOG_FULL:
        return "full";
    case VEF_LOG_CUT:
    case VEF_LOG_ENDS:
        break;
    }
    return "cut short";
}

const char *vef_info_kind_name(vef_kind kind) {
    static const char *const names[] = {
        [VEF_KIND_LOCAL] = "local",
        [VEF_KIND_TRANSFER] = "sends and receives",
        [VEF_KIND_COMPLETE] = "completion",
        [VEF_KIND_PROBE] = "probes",
        [VEF_KIND_COLLECTIVE] = "collectives",
        [VEF_KIND_COMM] = "communicators",
        [VEF_KIND_ONE_SIDED] = "one-sided",
        [VEF_KIND_SYNC] = "windows",
        [VEF_KIND_REGION] = "marks",
        [VEF_KIND_AS] = "",
        [VEF_KIND_COUNTED] = "",
    };
    return names[kind];
}

const char *vef_info_call_name(char *to, size_t call) {
    bool mpi = vef_call_kind((uint16_t)call) != VEF_KIND_REGION;
    snprintf(to, 80, "%s%s", mpi ? "MPI_" : "", vef_call_name((uint16_t)call));
    return to;
}

/* ---- cells ---- */

static void time_cell(vef_table *table, vef_info_style style, bool known, double ns) {
    if (!known)
        vef_table_number(table, style == VEF_INFO_TEXT ? "n/a" : "");
    else if (style == VEF_INFO_TEXT)
        vef_table_number(table, "%.3f", ns * 1e-6);
    else
        vef_table_number(table, "%.0f", ns);
}

static void whole_time_cell(vef_table *table, vef_info_style style, bool known, uint64_t ns) {
    if (known && style == VEF_INFO_EXACT)
        vef_table_number(table, "%" PRIu64, ns);
    else
        time_cell(table, style, known, (double)ns);
}

static void share_cell(vef_table *table, vef_info_style style, bool known, double share) {
    if (!known || isnan(share))
        vef_table_number(table, style == VEF_INFO_TEXT ? "n/a" : "");
    else if (style == VEF_INFO_TEXT)
        vef_table_number(table, "%.1f %%", 100 * share);
    else
        vef_table_number(table, "%.6f", share);
}

static void count_cell(vef_table *table, uint64_t count) {
    vef_table_number(table, "%" PRIu64, count);
}

/* ---- calls ---- */

size_t vef_info_distinct_calls(const vef_info_view *view) {
    size_t count = 0;
    for (size_t call = 0; call < vef_call_count(); call++)
        count += view->stats.call[call].calls > 0;
    return count;
}

/* A number to sort, and its weight. */
typedef struct weighed {
    size_t number;
    uint64_t weight;
} weighed;

static int heavier(const void *a, const void *b) {
    const weighed *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight > other->weight ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

vef_table *vef_info_calls(const vef_info_view *view, vef_info_style style, size_t most) {
    static const char *const heads[2][9] = {{"call", "calls", "tasks", "bytes", "time (ms)",
                                             "mean (ms)", "longest (ms)", "of MPI time", "of run"},
                                            {"call", "calls", "tasks", "bytes", "time_ns",
                                             "mean_ns", "longest_ns", "share_of_mpi",
                                             "share_of_run"}};
    const vef_stats *stats = &view->stats;
    weighed *order = vef_calloc(vef_call_count(), sizeof *order);
    vef_table *table = order ? vef_table_new(heads[style], view->durations ? 9 : 4) : NULL;
    size_t count = 0;
    char name[80];
    for (size_t call = 0; order && call < vef_call_count(); call++)
        if (stats->call[call].calls)
            order[count++] = (weighed){call, view->durations ? stats->call[call].duration_ns
                                                             : stats->call[call].calls};
    if (order)
        qsort(order, count, sizeof *order, heavier);
    uint64_t run_ns =
        vef_saturating_sum(vef_saturating_sum(stats->compute_ns, stats->mpi_ns), stats->outside_ns);
    for (size_t i = 0; i < count && i < most; i++) {
        const vef_call_stats *call = &stats->call[order[i].number];
        vef_table_text(table, vef_info_call_name(name, order[i].number));
        count_cell(table, call->calls);
        count_cell(table, call->tasks);
        count_cell(table, call->bytes);
        if (!view->durations)
            continue;
        whole_time_cell(table, style, true, call->duration_ns);
        time_cell(table, style, true, vef_info_ratio(call->duration_ns, call->calls));
        whole_time_cell(table, style, true, call->longest_ns);
        bool runs = !vef_stats_is_startup((uint16_t)order[i].number);
        share_cell(table, style, runs, vef_info_ratio(call->duration_ns, stats->mpi_ns));
        share_cell(table, style, runs, vef_info_ratio(call->duration_ns, run_ns));
    }
    free(order);
    return table;
}

/* ---- tasks ---- */

vef_table *vef_info_tasks(const vef_info_view *view, vef_info_style style, size_t most) {
    static const char *const heads[2][19] = {
        {"task", "threads", "events", "calls", "collective", "messages", "bytes", "received",
         "bytes received", "one-sided", "bytes one-sided", "partners", "compute (ms)", "MPI (ms)",
         "outside (ms)", "end", "all threads", "by wall clock (ms)", "by CPU clock (ms)"},
        {"task", "threads", "events", "calls", "collective_calls", "messages", "message_bytes",
         "received", "received_bytes", "one_sided", "one_sided_bytes", "partners", "compute_ns",
         "mpi_ns", "outside_ns", "end", "all_threads", "compute_wall_ns", "compute_cpu_ns"}};
    vef_table *table = vef_table_new(heads[style], 19);
    static const vef_measured unknown;
    for (uint32_t i = 0; i < view->header->tasks && i < most; i++) {
        const vef_task_stats *task = &view->stats.task[i];
        const uint64_t counts[] = {i,
                                   view->header->task[i].threads,
                                   view->header->task[i].events,
                                   task->calls,
                                   task->collective_calls,
                                   task->messages,
                                   task->message_bytes,
                                   task->received,
                                   task->received_bytes,
                                   task->one_sided,
                                   task->one_sided_bytes,
                                   task->partners};
        for (size_t cell = 0; cell < sizeof counts / sizeof *counts; cell++)
            count_cell(table, counts[cell]);
        whole_time_cell(table, style, true, task->compute_ns);
        whole_time_cell(table, style, view->durations, task->mpi_ns);
        whole_time_cell(table, style, true, task->outside_ns);
        vef_table_text(table, vef_info_end_name(view->header->task[i].end));
        const vef_measured *measured =
            view->header->measured ? &view->header->measured[i] : &unknown;
        bool known = measured->threads > 0;
        if (known)
            count_cell(table, measured->threads);
        else
            vef_table_number(table, style == VEF_INFO_TEXT ? "n/a" : "");
        known = vef_measured_has_times(measured);
        whole_time_cell(table, style, known, measured->wall_ns);
        whole_time_cell(table, style, known, measured->cpu_ns);
    }
    return table;
}

/* A row with the minimum, mean and maximum over tasks of the field at `offset` bytes in a task's
 * statistics. */
static void spread_row(vef_table *table, const vef_info_view *view, const char *name, size_t offset,
                       bool time) {
    uint32_t least = 0, most = 0, tasks = view->header->tasks;
    uint64_t least_value = UINT64_MAX, most_value = 0;
    double sum = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        uint64_t value;
        if (offset == offsetof(vef_task_stats, partners)) {
            value = view->stats.task[i].partners;
        } else {
            memcpy(&value, (const char *)&view->stats.task[i] + offset, sizeof value);
        }
        sum += (double)value;
        if (value < least_value) {
            least_value = value;
            least = i;
        }
        if (i == 0 || value > most_value) {
            most_value = value;
            most = i;
        }
    }
    vef_table_text(table, name);
    time ? time_cell(table, VEF_INFO_TEXT, true, (double)least_value)
         : count_cell(table, least_value);
    count_cell(table, least);
    time ? time_cell(table, VEF_INFO_TEXT, true, sum / tasks)
         : vef_table_number(table, "%.1f", sum / tasks);
    time ? time_cell(table, VEF_INFO_TEXT, true, (double)most_value)
         : count_cell(table, most_value);
    count_cell(table, most);
    vef_table_number(table, "%.3f", sum > 0 ? (double)most_value * tasks / sum : 1.0);
}

vef_table *vef_info_spread(const vef_info_view *view) {
    static const char *const heads[] = {"per task", "least",   "of task",    "mean",
                                        "most",     "of task", "most / mean"};
    vef_table *table = vef_table_new(heads, 7);
    spread_row(table, view, "computing (ms)", offsetof(vef_task_stats, compute_ns), true);
    if (view->durations)
        spread_row(table, view, "in MPI (ms)", offsetof(vef_task_stats, mpi_ns), true);
    if (view->stats.outside_ns > 0)
        spread_row(table, view, "outside (ms)", offsetof(vef_task_stats, outside_ns), true);
    spread_row(table, view, "MPI calls", offsetof(vef_task_stats, calls), false);
    if (view->stats.messages > 0) {
        spread_row(table, view, "messages sent", offsetof(vef_task_stats, messages), false);
        spread_row(table, view, "bytes sent", offsetof(vef_task_stats, message_bytes), false);
    }
    if (view->stats.one_sided > 0)
        spread_row(table, view, "one-sided bytes", offsetof(vef_task_stats, one_sided_bytes),
                   false);
    if (view->stats.messages > 0 || view->stats.one_sided > 0)
        spread_row(table, view, "partners", offsetof(vef_task_stats, partners), false);
    return table;
}

/* ---- sizes ---- */

static uint64_t class_from(unsigned class) {
    return class ? UINT64_C(1) << (class - 1) : 0;
}

static uint64_t class_to(unsigned class) {
    return class == 64 ? UINT64_MAX : (UINT64_C(1) << class) - 1;
}

/* The sum of the classes `first` (never 0 with others) to `last`. */
static void size_row(vef_table *table, const vef_info_view *view, vef_info_style style,
                     unsigned first, unsigned last) {
    const vef_size_stats *const all[] = {&view->stats.message_sizes, &view->stats.collective_sizes,
                                         &view->stats.one_sided_sizes};
    uint64_t count[3] = {0}, bytes[3] = {0};
    for (int kind = 0; kind < 3; kind++)
        for (unsigned class = first; class <= last; class ++) {
            count[kind] += all[kind]->count[class];
            bytes[kind] = vef_saturating_sum(bytes[kind], all[kind]->bytes[class]);
        }
    if (count[0] + count[1] + count[2] == 0)
        return;
    char name[48];
    if (style == VEF_INFO_EXACT) {
        count_cell(table, class_from(first));
        count_cell(table, class_to(last));
        for (int kind = 0; kind < 3; kind++) {
            count_cell(table, count[kind]);
            count_cell(table, bytes[kind]);
        }
        return;
    }
    if (class_from(first) == class_to(last))
        snprintf(name, sizeof name, "%" PRIu64, class_from(first));
    else
        snprintf(name, sizeof name, "%" PRIu64 "-%" PRIu64, class_from(first), class_to(last));
    vef_table_text(table, name);
    for (int kind = 0; kind < 3; kind++) {
        if (all[kind]->counted == 0)
            continue;
        count_cell(table, count[kind]);
        share_cell(table, style, true, vef_info_ratio(count[kind], all[kind]->counted));
    }
}

vef_table *vef_info_sizes(const vef_info_view *view, vef_info_style style, size_t most) {
    (void)most; /* few classes */
    static const char *const exact[] = {"from_bytes",    "to_bytes",         "messages",
                                        "message_bytes", "collective_calls", "collective_bytes",
                                        "one_sided",     "one_sided_bytes"};
    const struct {
        uint64_t counted;
        const char *name;
    } kinds[] = {{view->stats.message_sizes.counted, "messages"},
                 {view->stats.collective_sizes.counted, "collective calls"},
                 {view->stats.one_sided_sizes.counted, "one-sided"}};
    const bool text = style == VEF_INFO_TEXT;
    const unsigned in_one = text && !view->sizes ? 3 : 1;
    vef_table *table =
        text ? vef_table_new((const char *const[]){"bytes"}, 1) : vef_table_new(exact, 8);
    for (int kind = 0; text && kind < 3; kind++) {
        if (kinds[kind].counted == 0)
            continue;
        vef_table_head(table, kinds[kind].name);
        vef_table_head(table, "share");
    }
    size_row(table, view, style, 0, 0);
    for (unsigned class = 1; class < VEF_SIZE_CLASSES; class += in_one) {
        unsigned last = class + in_one - 1;
        size_row(table, view, style, class, last < VEF_SIZE_CLASSES ? last : VEF_SIZE_CLASSES - 1);
    }
    return table;
}

/* ---- waits ---- */

/* The peer or communicator that it waited for, if that is in the trace. */
static void for_whom(char *to, size_t size, const vef_wait *wait) {
    if (wait->comm != VEF_NO_COMM && wait->peer == VEF_NO_TASK)
        snprintf(to, size, "communicator %u", wait->comm);
    else if (wait->peer != VEF_NO_TASK)
        snprintf(to, size, "task %d", wait->peer);
    else
        snprintf(to, size, wait->waited > 1 ? "%u operations" : "-", wait->waited);
}

vef_table *vef_info_waits(const vef_info_view *view, vef_info_style style, size_t most) {
    static const char *const heads[2][7] = {
        {"longest waits (ms)", "of run", "task", "event", "call", "for", "since start (ms)"},
        {"duration_ns", "task", "thread", "event", "call", "peer", "since_start_ns"}};
    vef_table *table = vef_table_new(heads[style], 7);
    char name[80], whom[48];
    for (size_t i = 0; i < view->stats.wait_count && i < most; i++) {
        const vef_wait *wait = &view->stats.waits[i];
        whole_time_cell(table, style, true, wait->duration_ns);
        if (style == VEF_INFO_TEXT)
            share_cell(table, style, true, vef_info_ratio(wait->duration_ns, view->stats.run_ns));
        if (style == VEF_INFO_TEXT && wait->thread > 0)
            vef_table_number(table, "%u.%u", wait->task, wait->thread);
        else
            count_cell(table, wait->task);
        if (style == VEF_INFO_EXACT)
            count_cell(table, wait->thread);
        count_cell(table, wait->event);
        vef_table_text(table, vef_info_call_name(name, wait->call));
        for_whom(whom, sizeof whom, wait);
        vef_table_text(table, whom);
        whole_time_cell(table, style, true, wait->since_start_ns);
    }
    return table;
}

/* ---- regions ---- */

static uint64_t region_ns(const vef_region_stats *region) {
    return vef_saturating_sum(vef_saturating_sum(region->compute_ns, region->mpi_ns),
                              region->outside_ns);
}

vef_table *vef_info_regions(const vef_info_view *view, vef_info_style style, size_t most) {
    static const char *const heads[2][11] = {
        {"region", "entries", "marks", "tasks", "time (ms)", "compute (ms)", "MPI (ms)",
         "outside (ms)", "most / mean", "messages", "bytes"},
        {"region", "entries", "marks", "tasks", "time_ns", "compute_ns", "mpi_ns", "outside_ns",
         "imbalance", "messages", "message_bytes"}};
    const vef_stats *stats = &view->stats;
    weighed *order = vef_calloc(stats->region_count + 1, sizeof *order);
    vef_table *table = order ? vef_table_new(heads[style], 11) : NULL;
    for (size_t i = 0; order && i < stats->region_count; i++)
        order[i] = (weighed){i, region_ns(&stats->regions[i])};
    if (order)
        qsort(order, stats->region_count, sizeof *order, heavier);
    for (size_t i = 0; order && i < stats->region_count && i < most; i++) {
        const vef_region_stats *region = &stats->regions[order[i].number];
        vef_table_text(table, region->name);
        count_cell(table, region->entries);
        count_cell(table, region->marks);
        count_cell(table, region->tasks);
        whole_time_cell(table, style, view->durations, region_ns(region));
        whole_time_cell(table, style, true, region->compute_ns);
        whole_time_cell(table, style, view->durations, region->mpi_ns);
        whole_time_cell(table, style, true, region->outside_ns);
        if (region_ns(region) > 0)
            vef_table_number(table, "%.3f",
                             (double)region->most_task_ns * region->tasks /
                                 (double)region_ns(region));
        else
            vef_table_number(table, style == VEF_INFO_TEXT ? "n/a" : "");
        count_cell(table, region->messages);
        count_cell(table, region->message_bytes);
    }
    free(order);
    return table;
}

/* ---- communicators ---- */

vef_table *vef_info_comms(const vef_info_view *view, vef_info_style style, size_t most) {
    static const char *const heads[2][12] = {
        {"communicator", "made by", "of", "tasks", "messages", "bytes", "collective calls",
         "bytes collective", "time (ms)", "one-sided", "bytes one-sided", "synchronisations"},
        {"communicator", "made_by", "parent", "tasks", "messages", "message_bytes",
         "collective_calls", "collective_bytes", "collective_ns", "one_sided", "one_sided_bytes",
         "synchronisations"}};
    vef_table *table = vef_table_new(heads[style], 12);
    char name[80];
    for (uint32_t i = 0; i < view->header->communicator_count && i < most; i++) {
        const vef_communicator *made = &view->header->communicators[i];
        const vef_comm_stats *comm = &view->stats.comm[i];
        count_cell(table, i);
        vef_table_text(table, vef_info_call_name(name, made->made_by));
        if (made->parent == VEF_NO_COMM)
            vef_table_number(table, style == VEF_INFO_TEXT ? "-" : "");
        else
            count_cell(table, made->parent);
        count_cell(table, made->size + made->remote_size);
        count_cell(table, comm->messages);
        count_cell(table, comm->message_bytes);
        count_cell(table, comm->collectives);
        count_cell(table, comm->collective_bytes);
        whole_time_cell(table, style, view->durations, comm->collective_ns);
        count_cell(table, comm->one_sided);
        count_cell(table, comm->one_sided_bytes);
        count_cell(table, comm->sync_calls);
    }
    return table;
}
