/* The tables of `vef info`. */
#include "cli/info/view.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *vef_info_end_name(vef_log_end end) {
    static const char *const names[] = {[VEF_LOG_FINALIZED] = "finalized",
                                        [VEF_LOG_ABORTED] = "aborted",
                                        [VEF_LOG_EXITED] = "exited",
                                        [VEF_LOG_FULL] = "full",
                                        [VEF_LOG_CUT] = "cut short"};
    return names[end];
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

/* ---- columns ---- */

/* ns, for people ms; whole where they are counted, else rounded. */
#define TIME(key_, label_)                                                                         \
    VEF_COLUMN(key_, label_, .format = "%.3f", .exact = "%.0f", .scale = 1e-6)
#define SHARE(key_, label_)                                                                        \
    VEF_COLUMN(key_, label_, .format = "%.1f %%", .exact = "%.6f", .scale = 100)

static vef_value known_if(bool known, uint64_t count) {
    return known ? vef_value_uint(count) : VEF_UNKNOWN;
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

static void add_timed_columns(const vef_info_view *view, vef_result *table) {
    static const vef_column columns[] =
        VEF_COLUMNS(TIME("time_ns", "time (ms)"), TIME("mean_ns", "mean (ms)"),
                    TIME("longest_ns", "longest (ms)"), SHARE("share_of_mpi", "of MPI time"),
                    SHARE("share_of_run", "of run"));
    if (view->durations)
        vef_add_columns(table, columns);
}

/* The numbers and times of calls; `stats` of all of them or of some. */
static void put_call(const vef_info_view *view, vef_result *table, uint16_t call,
                     const vef_call_stats *stats) {
    const vef_stats *whole = &view->stats;
    const uint64_t ns = stats->duration_ns;
    const uint64_t run_ns =
        vef_saturating_sum(vef_saturating_sum(whole->compute_ns, whole->mpi_ns), whole->outside_ns);
    const bool runs = !vef_stats_is_startup(call);
    VEF_CELLS(table, stats->calls, stats->tasks, stats->bytes);
    if (view->durations)
        VEF_CELLS(table, ns, vef_info_ratio(ns, stats->calls), stats->longest_ns,
                  runs ? vef_info_ratio(ns, whole->mpi_ns) : (double)NAN,
                  runs ? vef_info_ratio(ns, run_ns) : (double)NAN);
}

void vef_info_calls(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("call", "call"), VEF_COLUMN("calls", "calls"),
                    VEF_COLUMN("tasks", "tasks"), VEF_COLUMN("bytes", "bytes"));
    const vef_stats *stats = &view->stats;
    weighed *order = vef_calloc(vef_call_count(), sizeof *order);
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    add_timed_columns(view, table);
    size_t count = 0;
    char text[80];
    for (size_t call = 0; call < vef_call_count(); call++)
        if (stats->call[call].calls)
            order[count++] = (weighed){call, view->durations ? stats->call[call].duration_ns
                                                             : stats->call[call].calls};
    qsort(order, count, sizeof *order, heavier);
    for (size_t i = 0; i < count && i < most; i++) {
        VEF_CELLS(table, vef_info_call_name(text, order[i].number));
        put_call(view, table, (uint16_t)order[i].number, &stats->call[order[i].number]);
    }
    free(order);
}

/* ---- sites ---- */

/* The rows of sites, the largest first; by bytes only those with some. Returns their number. */
static size_t order_sites(const vef_info_view *view, bool by_bytes, weighed *order) {
    size_t count = 0;
    for (size_t i = 0; i < view->stats.site_count; i++) {
        const vef_call_stats *sums = &view->stats.sites[i].sums;
        const uint64_t weight = by_bytes          ? view->stats.sites[i].sent_bytes
                                : view->durations ? sums->duration_ns
                                                  : sums->calls;
        if (weight > 0 || !by_bytes)
            order[count++] = (weighed){i, weight};
    }
    qsort(order, count, sizeof *order, heavier);
    return count;
}

/* The standard deviation of a call's time over its tasks, by its mean. */
static double variation(const vef_site_stats *row) {
    const double tasks = row->sums.tasks, mean = (double)row->sums.duration_ns / tasks;
    const double variance = row->squares / tasks - mean * mean;
    return mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : (double)NAN;
}

/* As mpiP's aggregate time of call sites. */
void vef_info_sites(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("site", NULL), VEF_COLUMN("call", "call"), VEF_COLUMN(NULL, "site"),
        VEF_COLUMN("file", NULL), VEF_COLUMN("line", NULL), VEF_COLUMN("function", "function"),
        VEF_COLUMN("caller", "in"), VEF_COLUMN("module", NULL), VEF_COLUMN("offset", NULL),
        VEF_COLUMN("calls", "calls"), VEF_COLUMN("tasks", "tasks"), VEF_COLUMN("bytes", "bytes"));
    static const vef_site unknown = {"", "", 0, "", "", "", 0, 0};
    weighed *order = vef_calloc(view->stats.site_count + 1, sizeof *order);
    const size_t count = order_sites(view, false, order);
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    char call[80], place[VEF_SITE_NAME_BYTES];
    add_timed_columns(view, table);
    if (view->durations)
        vef_add_column(table, (vef_column){.key = "variation", .label = "cov", .format = "%.2f"});
    for (size_t i = 0; i < count && i < most; i++) {
        const vef_site_stats *row = &view->stats.sites[order[i].number];
        const vef_site *site = vef_trace_site(view->header, row->site);
        vef_site_name(site, place);
        site = site ? site : &unknown;
        VEF_CELLS(table, row->site, vef_info_call_name(call, row->call), (const char *)place,
                  site->file, VEF_IF(site->line > 0, site->line), site->function, site->caller,
                  site->module, site->offset);
        put_call(view, table, row->call, &row->sums);
        if (view->durations)
            VEF_CELLS(table, variation(row));
    }
    free(order);
}

/* As mpiP's aggregate size of messages sent. */
void vef_info_site_bytes(const vef_info_view *view, vef_result *into, const char *name,
                         size_t most) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN(NULL, "call"), VEF_COLUMN(NULL, "site"), VEF_COLUMN(NULL, "calls"),
                    VEF_COLUMN(NULL, "bytes sent"),
                    VEF_COLUMN(NULL, "bytes each", .format = "%.1f"), SHARE(NULL, "of all"));
    weighed *order = vef_calloc(view->stats.site_count + 1, sizeof *order);
    const size_t count = order_sites(view, true, order);
    vef_result *table = vef_put_table(into, name, VEF_PEOPLE, columns);
    uint64_t bytes = 0;
    char call[80], place[VEF_SITE_NAME_BYTES];
    for (size_t i = 0; i < count; i++)
        bytes = vef_saturating_sum(bytes, order[i].weight);
    for (size_t i = 0; i < count && i < most; i++) {
        const vef_site_stats *row = &view->stats.sites[order[i].number];
        vef_site_name(vef_trace_site(view->header, row->site), place);
        VEF_CELLS(table, vef_info_call_name(call, row->call), (const char *)place, row->sums.calls,
                  row->sent_bytes, vef_info_ratio(row->sent_bytes, row->sums.calls),
                  vef_info_ratio(row->sent_bytes, bytes));
    }
    free(order);
}

/* ---- tasks ---- */

void vef_info_tasks(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("task", "task"), VEF_COLUMN("threads", "threads"),
        VEF_COLUMN("events", "events"), VEF_COLUMN("calls", "calls"),
        VEF_COLUMN("collective_calls", "collective"), VEF_COLUMN("messages", "messages"),
        VEF_COLUMN("message_bytes", "bytes"), VEF_COLUMN("received", "received"),
        VEF_COLUMN("received_bytes", "bytes received"), VEF_COLUMN("one_sided", "one-sided"),
        VEF_COLUMN("one_sided_bytes", "bytes one-sided"), VEF_COLUMN("partners", "partners"),
        TIME("compute_ns", "compute (ms)"), TIME("mpi_ns", "MPI (ms)"),
        TIME("outside_ns", "outside (ms)"), VEF_COLUMN("end", "end"),
        VEF_COLUMN("all_threads", "all threads"), TIME("compute_wall_ns", "by wall clock (ms)"),
        TIME("compute_cpu_ns", "by CPU clock (ms)"));
    static const vef_measured unknown;
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    for (uint32_t i = 0; i < view->header->tasks && i < most; i++) {
        const vef_task_stats *task = &view->stats.task[i];
        const vef_measured *measured =
            view->header->measured ? &view->header->measured[i] : &unknown;
        const bool timed = vef_measured_has_times(measured);
        VEF_CELLS(table, i, view->header->task[i].threads, view->header->task[i].events,
                  task->calls, task->collective_calls, task->messages, task->message_bytes,
                  task->received, task->received_bytes, task->one_sided, task->one_sided_bytes,
                  task->partners);
        VEF_CELLS(table, task->compute_ns, known_if(view->durations, task->mpi_ns),
                  task->outside_ns, vef_info_end_name(view->header->task[i].end),
                  known_if(measured->threads > 0, measured->threads),
                  known_if(timed, measured->wall_ns), known_if(timed, measured->cpu_ns));
    }
}

/* A row with the minimum, mean and maximum over tasks of the field at `offset` bytes in a task's
 * statistics. */
static void spread_row(vef_result *table, const vef_info_view *view, const char *name,
                       size_t offset, bool time) {
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
    const double unit = time ? 1e-6 : 1, mean = sum / tasks * unit;
    VEF_CELLS(table, name);
    if (time) {
        vef_cell_printed(table, "%.3f", (double)least_value * unit);
        VEF_CELLS(table, least);
        vef_cell_printed(table, "%.3f", mean);
        vef_cell_printed(table, "%.3f", (double)most_value * unit);
    } else {
        VEF_CELLS(table, least_value, least);
        vef_cell_printed(table, "%.1f", mean);
        VEF_CELLS(table, most_value);
    }
    VEF_CELLS(table, most, sum > 0 ? (double)most_value * tasks / sum : 1.0);
}

void vef_info_spread(const vef_info_view *view, vef_result *into) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN(NULL, "per task"), VEF_COLUMN(NULL, "least"),
                    VEF_COLUMN(NULL, "of task"), VEF_COLUMN(NULL, "mean"), VEF_COLUMN(NULL, "most"),
                    VEF_COLUMN(NULL, "of task"), VEF_COLUMN(NULL, "most / mean", .format = "%.3f"));
    vef_result *table = vef_put_table(into, NULL, VEF_PEOPLE, columns);
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
}

/* ---- sizes ---- */

static uint64_t class_from(unsigned class) {
    return class ? UINT64_C(1) << (class - 1) : 0;
}

static uint64_t class_to(unsigned class) {
    return class == 64 ? UINT64_MAX : (UINT64_C(1) << class) - 1;
}

enum { SIZE_KINDS = 3 };

/* The sums of the classes `first` (never 0 with others) to `last`; false if they are empty. */
static bool add_classes(const vef_info_view *view, unsigned first, unsigned last,
                        uint64_t count[SIZE_KINDS], uint64_t bytes[SIZE_KINDS]) {
    const vef_size_stats *const sizes[] = {
        &view->stats.message_sizes, &view->stats.collective_sizes, &view->stats.one_sided_sizes};
    for (int kind = 0; kind < SIZE_KINDS; kind++) {
        count[kind] = bytes[kind] = 0;
        for (unsigned class = first; class <= last; class ++) {
            count[kind] += sizes[kind]->count[class];
            bytes[kind] = vef_saturating_sum(bytes[kind], sizes[kind]->bytes[class]);
        }
    }
    return count[0] + count[1] + count[2] > 0;
}

/* People see ranges, and the kinds that occur with their shares. */
void vef_info_sizes(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    (void)most; /* few classes */
    const uint64_t counted[] = {view->stats.message_sizes.counted,
                                view->stats.collective_sizes.counted,
                                view->stats.one_sided_sizes.counted};
    static const char *const labels[] = {"messages", "collective calls", "one-sided"};
    static const char *const keys[] = {"messages",         "message_bytes", "collective_calls",
                                       "collective_bytes", "one_sided",     "one_sided_bytes"};
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("from_bytes", NULL), VEF_COLUMN("to_bytes", NULL), VEF_COLUMN(NULL, "bytes"));
    const unsigned in_one = vef_result_is_for(into, VEF_PEOPLE) && !view->sizes ? 3 : 1;
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    for (int kind = 0; kind < SIZE_KINDS; kind++) {
        const unsigned readers = counted[kind] > 0 ? VEF_EVERYONE : VEF_TABLES | VEF_DOCUMENTS;
        vef_add_column(
            table, (vef_column){.key = keys[2 * kind], .label = labels[kind], .readers = readers});
        vef_add_column(table, (vef_column){.key = keys[2 * kind + 1]});
        vef_add_column(
            table,
            (vef_column){.label = "share", .format = "%.1f %%", .scale = 100, .readers = readers});
    }
    for (unsigned first = 0, last; first < VEF_SIZE_CLASSES; first = last + 1) {
        uint64_t count[SIZE_KINDS], bytes[SIZE_KINDS];
        char range[48];
        last = first == 0 ? 0 : first + in_one - 1;
        last = last < VEF_SIZE_CLASSES ? last : VEF_SIZE_CLASSES - 1;
        if (!add_classes(view, first, last, count, bytes))
            continue;
        const uint64_t from = class_from(first), to = class_to(last);
        if (from == to)
            snprintf(range, sizeof range, "%" PRIu64, from);
        else
            snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, from, to);
        VEF_CELLS(table, from, to, range);
        for (int kind = 0; kind < SIZE_KINDS; kind++)
            VEF_CELLS(table, count[kind], bytes[kind], vef_info_ratio(count[kind], counted[kind]));
    }
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

void vef_info_waits(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] =
        VEF_COLUMNS(TIME("duration_ns", "longest waits (ms)"), SHARE(NULL, "of run"),
                    VEF_COLUMN("task", NULL), VEF_COLUMN("thread", NULL), VEF_COLUMN(NULL, "task"),
                    VEF_COLUMN("event", "event"), VEF_COLUMN("call", "call"),
                    VEF_COLUMN("peer", "for"), TIME("since_start_ns", "since start (ms)"));
    const bool sites = view->header->site_count > 0;
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    char call[80], whom[48], place[VEF_SITE_NAME_BYTES];
    if (sites)
        vef_add_column(table, (vef_column)VEF_COLUMN("site", "site"));
    for (size_t i = 0; i < view->stats.wait_count && i < most; i++) {
        const vef_wait *wait = &view->stats.waits[i];
        VEF_CELLS(table, wait->duration_ns, vef_info_ratio(wait->duration_ns, view->stats.run_ns),
                  wait->task, wait->thread);
        vef_cell_printed(table, wait->thread > 0 ? "%u.%u" : "%u", wait->task, wait->thread);
        for_whom(whom, sizeof whom, wait);
        VEF_CELLS(table, wait->event, vef_info_call_name(call, wait->call), whom,
                  wait->since_start_ns);
        if (sites)
            VEF_CELLS(table, vef_site_name(vef_trace_site(view->header, wait->site), place));
    }
}

/* ---- regions ---- */

static uint64_t region_ns(const vef_region_stats *region) {
    return vef_saturating_sum(vef_saturating_sum(region->compute_ns, region->mpi_ns),
                              region->outside_ns);
}

void vef_info_regions(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] =
        VEF_COLUMNS(VEF_COLUMN("region", "region"), VEF_COLUMN("entries", "entries"),
                    VEF_COLUMN("marks", "marks"), VEF_COLUMN("tasks", "tasks"),
                    TIME("time_ns", "time (ms)"), TIME("compute_ns", "compute (ms)"),
                    TIME("mpi_ns", "MPI (ms)"), TIME("outside_ns", "outside (ms)"),
                    VEF_COLUMN("imbalance", "most / mean", .format = "%.3f"),
                    VEF_COLUMN("messages", "messages"), VEF_COLUMN("message_bytes", "bytes"));
    const vef_stats *stats = &view->stats;
    weighed *order = vef_calloc(stats->region_count + 1, sizeof *order);
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    for (size_t i = 0; i < stats->region_count; i++)
        order[i] = (weighed){i, region_ns(&stats->regions[i])};
    qsort(order, stats->region_count, sizeof *order, heavier);
    for (size_t i = 0; i < stats->region_count && i < most; i++) {
        const vef_region_stats *region = &stats->regions[order[i].number];
        const uint64_t ns = region_ns(region);
        VEF_CELLS(table, region->name, region->entries, region->marks, region->tasks,
                  known_if(view->durations, ns), region->compute_ns,
                  known_if(view->durations, region->mpi_ns), region->outside_ns,
                  ns > 0 ? (double)region->most_task_ns * region->tasks / (double)ns : (double)NAN,
                  region->messages, region->message_bytes);
    }
    free(order);
}

/* ---- communicators ---- */

void vef_info_comms(const vef_info_view *view, vef_result *into, const char *name, size_t most) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("communicator", "communicator"), VEF_COLUMN("made_by", "made by"),
        VEF_COLUMN("parent", NULL), VEF_COLUMN(NULL, "of"), VEF_COLUMN("tasks", "tasks"),
        VEF_COLUMN("messages", "messages"), VEF_COLUMN("message_bytes", "bytes"),
        VEF_COLUMN("collective_calls", "collective calls"),
        VEF_COLUMN("collective_bytes", "bytes collective"), TIME("collective_ns", "time (ms)"),
        VEF_COLUMN("one_sided", "one-sided"), VEF_COLUMN("one_sided_bytes", "bytes one-sided"),
        VEF_COLUMN("synchronisations", "synchronisations"));
    vef_result *table = vef_put_table(into, name, VEF_EVERYONE, columns);
    char call[80];
    for (uint32_t i = 0; i < view->header->communicator_count && i < most; i++) {
        const vef_communicator *made = &view->header->communicators[i];
        const vef_comm_stats *comm = &view->stats.comm[i];
        const bool child = made->parent != VEF_NO_COMM;
        VEF_CELLS(table, i, vef_info_call_name(call, made->made_by), VEF_IF(child, made->parent));
        vef_cell_printed(table, child ? "%" PRIu32 : "-", made->parent);
        VEF_CELLS(table, made->size + made->remote_size, comm->messages, comm->message_bytes,
                  comm->collectives, comm->collective_bytes,
                  known_if(view->durations, comm->collective_ns), comm->one_sided,
                  comm->one_sided_bytes, comm->sync_calls);
    }
}
