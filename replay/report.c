/* Reports of replays as text, tables and documents. */
#include "replay/report.h"

#include "common/config/node_result.h"
#include "netmodel/clock.h"
#include "netmodel/topology/failures/failures.h"
#include "replay/explain/report.h"
#include "replay/machine.h"
#include "replay/state/sim_time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tasks ---- */

/* Reported figures of each task; times, which come first, are reported in cycles. */
static const struct part {
    const char *key;
    size_t offset;
    const char *label; /* in text, there in ns */
} parts[] = {
    {"computing_cycles", offsetof(vef_task_result, computing_ps), "computing"},
    {"outside_cycles", offsetof(vef_task_result, outside_ps), "outside"},
    {"communicating_cycles", offsetof(vef_task_result, communicating_ps), "communicating"},
    {"waiting_cycles", offsetof(vef_task_result, waiting_ps), "waiting"},
    {"overhead_cycles", offsetof(vef_task_result, overhead_ps), "overhead"},
    {"end_cycles", offsetof(vef_task_result, end_ps), "end"},
    {"messages_sent", offsetof(vef_task_result, messages_sent), "messages"},
    {"bytes_sent", offsetof(vef_task_result, bytes_sent), "bytes"},
};
enum { PARTS = sizeof parts / sizeof *parts, TIMES = PARTS - 2 };

static double part_of(const vef_replay_report *report, uint32_t task, size_t part) {
    const char *parts_of = (const char *)&report->result->task[task];
    const uint64_t value = *(const uint64_t *)(const void *)(parts_of + parts[part].offset);
    return part < TIMES ? vef_netmodel_cycles_of_ps(report->network, value) : (double)value;
}

typedef struct spread {
    double least, mean, most;
} spread;

static spread spread_of(const vef_replay_report *report, size_t part) {
    const vef_replay_result *result = report->result;
    spread found = {.least = result->tasks ? (double)INFINITY : 0};
    for (uint32_t task = 0; task < result->tasks; task++) {
        const double value = part_of(report, task, part);
        if (value < found.least)
            found.least = value;
        if (value > found.most)
            found.most = value;
        found.mean += value / result->tasks;
    }
    return found;
}

/* What was replayed how, for rows of several replays in one file. */
static void add_origin_columns(vef_result *table) {
    static const char *const keys[] = {"trace", "mapping", "network", "set"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        vef_add_column(table, (vef_column){.key = keys[i], .readers = VEF_TABLES});
}

static void add_origin(vef_result *table, const vef_replay_report *report) {
    VEF_CELLS(table, report->trace, report->mapping, report->network_name);
    vef_cell_texts(table, report->overrides, report->override_count);
}

static void put_tasks(vef_result *into, const vef_replay_report *report, unsigned readers) {
    const vef_replay_result *result = report->result;
    vef_result *table = vef_put_table(
        into, "task", readers | VEF_FULL_PRECISION,
        (const vef_column[]){
            {.key = "task", .label = "task (times in ns)", .readers = VEF_PEOPLE | VEF_TABLES},
            {0}});
    for (size_t part = 0; part < PARTS; part++)
        vef_add_column(
            table,
            (vef_column){.key = parts[part].key,
                         .label = parts[part].label,
                         .format = part < TIMES ? "%.1f" : "%.0f",
                         .exact = VEF_CYCLES_FORMAT,
                         .scale = part < TIMES ? vef_netmodel_cycle_ns(report->network) : 1});
    add_origin_columns(table);
    for (uint32_t task = 0; task < result->tasks; task++) {
        VEF_CELLS(table, task);
        for (size_t part = 0; part < PARTS; part++)
            VEF_CELLS(table, part_of(report, task, part));
        add_origin(table, report);
    }
}

/* Parts of the tasks' times over the tasks. */
static void put_spreads(vef_result *into, const vef_replay_report *report) {
    const double ns = vef_netmodel_cycle_ns(report->network);
    const vef_column columns[] = {
        {.key = "part", .label = "per task (ns)"},
        {.key = "least_cycles", .label = "least", .format = "%.1f", .scale = ns},
        {.key = "mean_cycles", .label = "mean", .format = "%.1f", .scale = ns},
        {.key = "greatest_cycles", .label = "greatest", .format = "%.1f", .scale = ns},
        {0}};
    vef_result *table = vef_put_table(
        into, "per_task", report->per_task ? VEF_DOCUMENTS : VEF_PEOPLE | VEF_DOCUMENTS, columns);
    for (size_t part = 0; part < TIMES; part++) {
        const spread values = spread_of(report, part);
        VEF_CELLS(table, parts[part].label, values.least, values.mean, values.most);
    }
}

/* ---- text ---- */

/* The link of the greatest utilisation; false if no link was used. */
static bool busiest_link(const vef_replay_report *report, char text[VEF_LINK_NAME_BYTES]) {
    const vef_net_statistics *network = &report->result->network;
    const vef_topology *topology = report->network->topology;
    if (!topology || network->link_utilization_max <= 0)
        return false;
    vef_explain_name_link(topology, network->busiest_router, network->busiest_port, text);
    return true;
}

void vef_replay_write_topology(const vef_topology *topology, FILE *out) {
    if (!topology)
        return;
    fprintf(out, ", %s of ", topology->family->name);
    for (uint32_t d = 0; d < topology->dimensions; d++)
        fprintf(out, "%s%" PRIu32, d ? "x" : "", topology->sizes[d]);
    if (topology->dimensions == 0)
        fprintf(out, "%" PRIu32, topology->routers);
    fputs(" routers", out);
    if (topology->endpoint_router)
        fprintf(out, " and %" PRIu32 " endpoints", topology->endpoints);
    else if (topology->endpoints_per_router > 1)
        fprintf(out, " with %" PRIu32 " endpoints each", topology->endpoints_per_router);
    char failures[VEF_FAILURES_TEXT_BYTES];
    if (topology->failures)
        fprintf(out, "; down: %s", vef_failures_text(topology, failures));
}

static void write_network(const vef_replay_report *report, FILE *out) {
    const vef_net_statistics *network = &report->result->network;
    const double ns = vef_netmodel_cycle_ns(report->network);
    fprintf(out, "packets              %" PRIu64 " (control messages included)\n",
            network->packets);
    if (!report->network->topology)
        return;
    char link[VEF_LINK_NAME_BYTES];
    fprintf(out, "mean hops            %.4f links crossed by a packet\n", network->average_hops);
    fprintf(
        out,
        "packet latency       %.2f ns on average, %.0f ns at the 99th percentile (%.2f and %.0f "
        "cycles)\n",
        ns * network->latency_mean_cycles, ns * network->latency_p99_cycles,
        network->latency_mean_cycles, network->latency_p99_cycles);
    fprintf(out, "message latency      %.2f ns on average (%.2f cycles)\n",
            ns * network->message_latency_mean_cycles, network->message_latency_mean_cycles);
    fprintf(out, "link utilisation     %.3f %% of the time on average",
            100 * network->link_utilization_mean);
    if (busiest_link(report, link))
        fprintf(out, ", %.3f %% at most (%s)", 100 * network->link_utilization_max, link);
    fputc('\n', out);
}

/* The algorithms of collectives that the replay used, one per line. */
static void write_collectives(const vef_replay_result *result, FILE *out) {
    const char *head = "collectives";
    for (size_t i = 0; i < vef_algorithm_count; i++) {
        if (result->collectives[i] == 0)
            continue;
        const vef_algorithm *row = &vef_algorithms[i];
        fprintf(out, "%-20s MPI_%s: %s, %" PRIu64 " calls of tasks\n", head,
                vef_call_name(row->call), row->name, result->collectives[i]);
        head = "";
    }
}

/* One per line; `text` separates them by semicolons. */
static void write_approximations(const char *text, FILE *out) {
    for (const char *head = "approximations"; *text; head = "") {
        const char *end = strstr(text, "; ");
        const int length = end ? (int)(end - text) : (int)strlen(text);
        fprintf(out, "%-20s %.*s\n", head, length, text);
        text += end ? length + 2 : length;
    }
}

static void write_head(const void *context, FILE *out) {
    const vef_replay_report *report = context;
    const vef_replay_result *result = report->result;
    fprintf(out, "trace                %s (%" PRIu32 " tasks, %" PRIu64 " events replayed)\n",
            report->trace, result->tasks, result->events);
    fprintf(out, "network              %s", report->network->kind->name);
    vef_replay_write_topology(report->network->topology, out);
    fprintf(out, ", mapping %s\ncycle                ", report->mapping);
    vef_netmodel_write_timing(report->network, out);
    fputc('\n', out);
    fprintf(out, "execution time       %.15g ns (%.9f s), " VEF_CYCLES_FORMAT " cycles\n",
            result->time_ns, result->time_ns / 1e9, result->time_cycles);
    fprintf(out,
            "messages             %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64
            " of them within a node\n",
            result->messages, result->message_bytes, result->local_messages);
    if (result->refused_messages)
        fprintf(out, "full eager buffers   %" PRIu64 " messages used a rendezvous\n",
                result->refused_messages);
    if (result->noise_ps)
        fprintf(out, "noise                %.15g ns of all threads' computing time\n",
                (double)result->noise_ps / VEF_PS_PER_NS);
    write_network(report, out);
    if (report->missing)
        fprintf(out, "trace incomplete     %s\n", report->missing);
    write_collectives(result, out);
    write_approximations(result->approximations, out);
    if (result->stall != VEF_STALL_NONE)
        fprintf(out, "stalled              %s: %s\n", vef_stall_name(result->stall),
                result->stall_text);
    fputc('\n', out);
}

/* ---- documents ---- */

#define OF_RESULT(field) offsetof(vef_replay_result, field)
static const struct figure {
    const char *key;
    size_t offset;
    const char *format; /* printf format of a double in the table; NULL: uint64_t */
    bool in_table;
} figures[] = {
    {"time_ns", OF_RESULT(time_ns), "%.3f", true},
    {"time_cycles", OF_RESULT(time_cycles), VEF_CYCLES_FORMAT, true},
    {"events", OF_RESULT(events), NULL, true},
    {"messages", OF_RESULT(messages), NULL, true},
    {"message_bytes", OF_RESULT(message_bytes), NULL, true},
    {"local_messages", OF_RESULT(local_messages), NULL, true},
    {"refused_messages", OF_RESULT(refused_messages), NULL, false},
    {"noise_cycles", OF_RESULT(noise_cycles), VEF_CYCLES_FORMAT, false},
    {"packets", OF_RESULT(network.packets), NULL, true},
    {"packet_hops", OF_RESULT(network.packet_hops), NULL, false},
    {"phits", OF_RESULT(network.phits), NULL, false},
    {"average_hops", OF_RESULT(network.average_hops), "%.6g", true},
    {"latency_mean_cycles", OF_RESULT(network.latency_mean_cycles), "%.6g", true},
    {"latency_p99_cycles", OF_RESULT(network.latency_p99_cycles), "%.6g", true},
    {"message_latency_mean_cycles", OF_RESULT(network.message_latency_mean_cycles), "%.6g", false},
    {"link_utilization_mean", OF_RESULT(network.link_utilization_mean), "%.6g", true},
    {"link_utilization_max", OF_RESULT(network.link_utilization_max), "%.6g", true},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static vef_value value_of(const vef_replay_report *report, const struct figure *figure) {
    const void *value = (const char *)report->result + figure->offset;
    return figure->format ? vef_value_real(*(const double *)value)
                          : vef_value_uint(*(const uint64_t *)value);
}

/* One row for the whole replay. */
static void put_table(vef_result *into, const vef_replay_report *report) {
    static const vef_column first[] = {{.key = "trace"}, {.key = "mapping"}, {0}};
    static const vef_column last[] = {
        {.key = "busiest_link"}, {.key = "stalled"}, {.key = "network"}, {.key = "set"}};
    char link[VEF_LINK_NAME_BYTES];
    vef_result *table = vef_put_table(into, NULL, VEF_TABLES, first);
    for (size_t f = 0; f < FIGURES; f++)
        if (figures[f].in_table)
            vef_add_column(table, (vef_column){.key = figures[f].key, .exact = figures[f].format});
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vef_add_column(table, last[i]);
    VEF_CELLS(table, report->trace, report->mapping);
    for (size_t f = 0; f < FIGURES; f++)
        if (figures[f].in_table)
            VEF_CELLS(table, value_of(report, &figures[f]));
    VEF_CELLS(table, busiest_link(report, link) ? link : NULL,
              vef_stall_name(report->result->stall), report->network_name);
    vef_cell_texts(table, report->overrides, report->override_count);
}

static void put_figures(vef_result *into, const vef_replay_report *report) {
    const vef_net_statistics *network = &report->result->network;
    const vef_topology *topology = report->network->topology;
    char link[VEF_LINK_NAME_BYTES];
    for (size_t f = 0; f < FIGURES; f++)
        VEF_PUT(into, figures[f].key, value_of(report, &figures[f]));
    VEF_PUT(into, "busiest_link", busiest_link(report, link) ? link : NULL);
    VEF_PUT(into, "busiest_router",
            topology ? vef_topology_router_number(topology, network->busiest_router)
                     : network->busiest_router);
    VEF_PUT(into, "busiest_port", network->busiest_port);
}

static void put_collectives(vef_result *into, const vef_replay_result *result) {
    vef_result *collectives_list = vef_put_list(into, "collectives");
    for (size_t i = 0; i < vef_algorithm_count; i++) {
        if (result->collectives[i] == 0)
            continue;
        vef_result *item = vef_put_group(collectives_list, NULL);
        VEF_PUT(item, "call", vef_call_name(vef_algorithms[i].call));
        VEF_PUT(item, "algorithm", vef_algorithms[i].name);
        VEF_PUT(item, "task_calls", result->collectives[i]);
    }
}

static void put_options(vef_result *into, const vef_replay_report *report) {
    const vef_replay_options *options = report->options;
    vef_result *options_group = vef_put_group(into, "options");
    VEF_PUT(options_group, "eager_bytes", options->eager_bytes);
    VEF_PUT(options_group, "control_bytes", options->control_bytes);
    VEF_PUT(options_group, "eager_buffer_bytes", options->eager_buffer_bytes);
    VEF_PUT(options_group, "hardware_broadcast",
            vef_value_bool(vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE));
    VEF_PUT(options_group, "limit_cycles",
            options->limit_ps != VEF_FOREVER
                ? vef_netmodel_cycles_of_ps(report->network, options->limit_ps)
                : (double)INFINITY);
}

/* The resolved configuration of network and machine. */
static void put_configuration(const void *context, vef_node *config) {
    const vef_replay_report *report = context;
    vef_netmodel_put_config(report->network, config);
    vef_machine_put(report->options, config);
}

/* The whole replay, without its tables. */
static void put_replay(vef_result *into, const vef_replay_report *report) {
    const vef_replay_result *result = report->result;
    vef_say_by(into, write_head, report);
    VEF_PUT(into, "trace", report->trace);
    VEF_PUT(into, "network", report->network_name);
    vef_put_texts(into, "set", report->overrides, report->override_count);
    vef_failures_put_result(report->network->topology, false, into);
    VEF_PUT(into, "mapping", report->mapping);
    VEF_PUT(into, "tasks", result->tasks);
    put_figures(into, report);
    put_collectives(into, result);
    VEF_PUT(into, "stalled", vef_stall_name(result->stall));
    VEF_PUT(into, "stall_text", result->stall == VEF_STALL_NONE ? NULL : result->stall_text);
    VEF_PUT(into, "approximations", result->approximations);
    VEF_PUT(into, "trace_incomplete", report->missing);
}

void vef_replay_report_build(const void *context, vef_result *root) {
    const vef_replay_report *report = context;
    const unsigned shown = VEF_PEOPLE | VEF_DOCUMENTS; /* tables of others have other contents */
    const bool explained = report->explanation != NULL;
    vef_result_set_cycle_ns(root, vef_netmodel_cycle_ns(report->network));
    put_replay(root, report);
    put_spreads(root, report);
    if (report->per_task)
        put_tasks(root, report,
                  report->samples || report->utilization || explained ? shown : VEF_EVERYONE);
    else if (!report->samples && !report->utilization && !explained)
        put_table(root, report);
    if (explained)
        vef_explain_put(report->explanation, report->network, root);
    if (report->utilization) {
        vef_say(root, "\n");
        vef_result *table =
            vef_utilization_table(root, report->samples || explained ? shown : VEF_EVERYONE, NULL);
        vef_utilization_add_rows(table, NULL, report->network->topology, report->utilization);
    }
    if (report->samples) {
        vef_say(root, "\n");
        vef_link_samples_put(report->samples, report->network, explained ? shown : VEF_EVERYONE,
                             root);
    }
    if (report->timeline && vef_result_is_for(root, VEF_DOCUMENTS))
        vef_replay_timeline_put(report->timeline, explained ? &report->explanation->record : NULL,
                                root);
    put_options(root, report);
    vef_netmodel_put_timing(report->network, root);
    vef_config_put_result(root, "configuration", put_configuration, report);
}
