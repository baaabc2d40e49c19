/* Reports of replays as text, tables and documents. */
#include "replay/report.h"

#include "common/config/write_doc.h"
#include "netmodel/clock.h"
#include "netmodel/topology/failures/failures.h"
#include "replay/explain/report.h"
#include "replay/machine.h"
#include "traces/event.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tasks ---- */

/* Reported figures of each task; times, which come first, are reported in cycles. */
static const struct part {
    const char *key;
    size_t offset;
    const char *name; /* of a part of its time, in text */
} parts[] = {
    {"computing_cycles", offsetof(vef_task_result, computing_ps), "computing"},
    {"outside_cycles", offsetof(vef_task_result, outside_ps), "outside"},
    {"communicating_cycles", offsetof(vef_task_result, communicating_ps), "communicating"},
    {"waiting_cycles", offsetof(vef_task_result, waiting_ps), "waiting"},
    {"overhead_cycles", offsetof(vef_task_result, overhead_ps), "overhead"},
    {"end_cycles", offsetof(vef_task_result, end_ps), "end"},
    {"messages_sent", offsetof(vef_task_result, messages_sent), NULL},
    {"bytes_sent", offsetof(vef_task_result, bytes_sent), NULL},
};
enum { PARTS = sizeof parts / sizeof *parts, TIMES = PARTS - 2 };

static double part_of(const vef_replay_report *report, uint32_t task, size_t part) {
    const char *of = (const char *)&report->result->task[task];
    const uint64_t value = *(const uint64_t *)(const void *)(of + parts[part].offset);
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

/* `named`: each row ends with the approximations. */
static vef_table *task_table(const vef_replay_report *report, bool named) {
    static const char *const origin[] = {"trace", "mapping", "network", "set"};
    const vef_replay_result *result = report->result;
    vef_table *table = vef_table_new((const char *const[]){"task"}, 1);
    for (size_t part = 0; part < PARTS; part++)
        vef_table_head(table, parts[part].key);
    for (size_t i = 0; named && i < sizeof origin / sizeof *origin; i++)
        vef_table_head(table, origin[i]);
    for (uint32_t task = 0; task < result->tasks; task++) {
        vef_table_number(table, "%" PRIu32, task);
        for (size_t part = 0; part < PARTS; part++)
            vef_table_number(table, VEF_CYCLES_FORMAT, part_of(report, task, part));
        if (!named)
            continue;
        vef_table_text(table, report->trace);
        vef_table_text(table, report->mapping);
        vef_table_text(table, report->network_name);
        vef_table_list(table, report->overrides, report->override_count);
    }
    return table;
}

static vef_table *spread_table(const vef_replay_report *report) {
    static const char *const heads[] = {"per task (cycles)", "least", "mean", "greatest"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (size_t part = 0; part < TIMES; part++) {
        spread values = spread_of(report, part);
        vef_table_text(table, parts[part].name);
        vef_table_number(table, VEF_CYCLES_FORMAT, values.least);
        vef_table_number(table, "%.1f", values.mean);
        vef_table_number(table, VEF_CYCLES_FORMAT, values.most);
    }
    return table;
}

/* ---- links ---- */

static vef_table *link_table(const vef_replay_report *report) {
    vef_table *table = vef_utilization_table(NULL);
    vef_utilization_add_rows(table, NULL, report->network->topology, report->utilization);
    return table;
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
    fprintf(out, "packets              %" PRIu64 " (control messages included)\n",
            network->packets);
    if (!report->network->topology)
        return;
    char link[VEF_LINK_NAME_BYTES];
    fprintf(out, "mean hops            %.4f links crossed by a packet\n", network->average_hops);
    fprintf(out, "packet latency       %.2f cycles on average, %.0f at the 99th percentile\n",
            network->latency_mean_cycles, network->latency_p99_cycles);
    fprintf(out, "message latency      %.2f cycles on average\n",
            network->message_latency_mean_cycles);
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

static void write_text(const void *context, FILE *out) {
    const vef_replay_report *report = context;
    const vef_replay_result *result = report->result;
    fprintf(out, "trace                %s (%" PRIu32 " tasks, %" PRIu64 " events replayed)\n",
            report->trace, result->tasks, result->events);
    fprintf(out, "network              %s", report->network->kind->name);
    vef_replay_write_topology(report->network->topology, out);
    fprintf(out, ", mapping %s\ncycle                ", report->mapping);
    vef_netmodel_write_timing(report->network, out);
    fputc('\n', out);
    fprintf(out, "execution time       " VEF_CYCLES_FORMAT " cycles, %.15g ns (%.9f s)\n",
            result->time_cycles, result->time_ns, result->time_ns / 1e9);
    fprintf(out,
            "messages             %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64
            " of them within a node\n",
            result->messages, result->message_bytes, result->local_messages);
    if (result->refused_messages)
        fprintf(out, "full eager buffers   %" PRIu64 " messages used a rendezvous\n",
                result->refused_messages);
    if (result->noise_ps)
        fprintf(out,
                "noise                " VEF_CYCLES_FORMAT
                " cycles of all threads' computing time\n",
                result->noise_cycles);
    write_network(report, out);
    if (report->missing)
        fprintf(out, "trace incomplete     %s\n", report->missing);
    write_collectives(result, out);
    write_approximations(result->approximations, out);
    if (result->stall != VEF_STALL_NONE)
        fprintf(out, "stalled              %s: %s\n", vef_stall_name(result->stall),
                result->stall_text);
    fputc('\n', out);
    vef_table_write(report->per_task ? task_table(report, false) : spread_table(report), NULL, out);
    if (report->explanation)
        vef_explain_write_text(report->explanation, report->network, out);
    if (report->utilization) {
        fputc('\n', out);
        vef_table_write(link_table(report), NULL, out);
    }
    if (report->samples) {
        fputc('\n', out);
        vef_table_write(vef_link_samples_table(report->samples, report->network), NULL, out);
    }
}

/* ---- documents ---- */

#define OF_RESULT(field) offsetof(vef_replay_result, field)
static const struct figure {
    const char *key;
    size_t offset;
    const char *format; /* printf format of a double in the table; NULL: uint64_t */
    bool in_table;
} figures[] = {
    {"time_cycles", OF_RESULT(time_cycles), VEF_CYCLES_FORMAT, true},
    {"time_ns", OF_RESULT(time_ns), "%.3f", true},
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

static const void *value_of(const vef_replay_report *report, const struct figure *figure) {
    return (const char *)report->result + figure->offset;
}

static vef_table *result_table(const vef_replay_report *report) {
    static const char *const first[] = {"trace", "mapping"};
    static const char *const last[] = {"busiest_link", "stalled", "network", "set"};
    const char *stall = vef_stall_name(report->result->stall);
    char link[VEF_LINK_NAME_BYTES];
    vef_table *table = vef_table_new(first, sizeof first / sizeof *first);
    for (size_t f = 0; f < FIGURES; f++)
        if (figures[f].in_table)
            vef_table_head(table, figures[f].key);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vef_table_head(table, last[i]);
    vef_table_text(table, report->trace);
    vef_table_text(table, report->mapping);
    for (size_t f = 0; f < FIGURES; f++) {
        const void *value = value_of(report, &figures[f]);
        if (figures[f].in_table && figures[f].format)
            vef_table_number(table, figures[f].format, *(const double *)value);
        else if (figures[f].in_table)
            vef_table_number(table, "%" PRIu64, *(const uint64_t *)value);
    }
    vef_table_text(table, busiest_link(report, link) ? link : "");
    vef_table_text(table, stall ? stall : "");
    vef_table_text(table, report->network_name);
    vef_table_list(table, report->overrides, report->override_count);
    return table;
}

static vef_table *tabulate(const void *context) {
    const vef_replay_report *report = context;
    if (report->samples)
        return vef_link_samples_table(report->samples, report->network);
    if (report->utilization)
        return link_table(report);
    return report->per_task ? task_table(report, true) : result_table(report);
}

static void put_figures(vef_doc *doc, const vef_replay_report *report) {
    const vef_net_statistics *network = &report->result->network;
    char link[VEF_LINK_NAME_BYTES];
    for (size_t f = 0; f < FIGURES; f++)
        if (figures[f].format)
            vef_doc_real(doc, figures[f].key, *(const double *)value_of(report, &figures[f]));
        else
            vef_doc_uint(doc, figures[f].key, *(const uint64_t *)value_of(report, &figures[f]));
    vef_doc_string(doc, "busiest_link", busiest_link(report, link) ? link : NULL);
    vef_doc_uint(doc, "busiest_router",
                 report->network->topology ? vef_topology_router_number(report->network->topology,
                                                                        network->busiest_router)
                                           : network->busiest_router);
    vef_doc_uint(doc, "busiest_port", network->busiest_port);
}

static void put_collectives(vef_doc *doc, const vef_replay_result *result) {
    vef_doc_open_list(doc, "collectives");
    for (size_t i = 0; i < vef_algorithm_count; i++) {
        if (result->collectives[i] == 0)
            continue;
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "call", vef_call_name(vef_algorithms[i].call));
        vef_doc_string(doc, "algorithm", vef_algorithms[i].name);
        vef_doc_uint(doc, "task_calls", result->collectives[i]);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_options(vef_doc *doc, const vef_replay_report *report) {
    const vef_replay_options *options = report->options;
    vef_doc_open_map(doc, "options");
    vef_doc_uint(doc, "eager_bytes", options->eager_bytes);
    vef_doc_uint(doc, "control_bytes", options->control_bytes);
    vef_doc_uint(doc, "eager_buffer_bytes", options->eager_buffer_bytes);
    vef_doc_bool(doc, "hardware_broadcast",
                 vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE);
    vef_doc_real(doc, "limit_cycles",
                 options->limit_ps != VEF_FOREVER
                     ? vef_netmodel_cycles_of_ps(report->network, options->limit_ps)
                     : (double)INFINITY);
    vef_doc_close(doc);
}

static void put_spreads(vef_doc *doc, const vef_replay_report *report) {
    vef_doc_open_map(doc, "per_task");
    for (size_t part = 0; part < TIMES; part++) {
        spread values = spread_of(report, part);
        vef_doc_open_map(doc, parts[part].key);
        vef_doc_real(doc, "least", values.least);
        vef_doc_real(doc, "mean", values.mean);
        vef_doc_real(doc, "greatest", values.most);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_tasks(vef_doc *doc, const vef_replay_report *report) {
    vef_doc_open_list(doc, "task");
    for (uint32_t task = 0; task < report->result->tasks; task++) {
        vef_doc_open_map(doc, NULL);
        for (size_t part = 0; part < PARTS; part++)
            vef_doc_real(doc, parts[part].key, part_of(report, task, part));
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

/* The resolved configuration of network and machine. */
static void write_configuration(const void *context, FILE *out) {
    const vef_replay_report *report = context;
    vef_netmodel_write_config(report->network, out);
    vef_machine_write(report->options, out);
}

static vef_code write_doc(const void *context, vef_doc *doc, vef_error *error) {
    const vef_replay_report *report = context;
    const vef_replay_result *result = report->result;
    vef_doc_string(doc, "trace", report->trace);
    vef_doc_string(doc, "network", report->network_name);
    vef_doc_strings(doc, "set", report->overrides, report->override_count);
    vef_failures_write_doc(report->network->topology, false, doc);
    vef_doc_string(doc, "mapping", report->mapping);
    vef_doc_uint(doc, "tasks", result->tasks);
    put_figures(doc, report);
    put_collectives(doc, result);
    vef_doc_string(doc, "stalled", vef_stall_name(result->stall));
    vef_doc_string(doc, "stall_text", result->stall == VEF_STALL_NONE ? NULL : result->stall_text);
    vef_doc_string(doc, "approximations", result->approximations);
    vef_doc_string(doc, "trace_incomplete", report->missing);
    put_spreads(doc, report);
    if (report->per_task)
        put_tasks(doc, report);
    if (report->explanation)
        vef_explain_write_doc(report->explanation, report->network, doc);
    if (report->utilization)
        vef_table_write_doc(link_table(report), doc, "per_link");
    if (report->samples)
        vef_table_write_doc(vef_link_samples_table(report->samples, report->network), doc,
                            "samples");
    put_options(doc, report);
    vef_netmodel_write_timing_doc(report->network, doc);
    return vef_yaml_write_doc(doc, "configuration", write_configuration, report, error);
}

const vef_report_parts vef_replay_report_parts = {
    .text = write_text, .table = tabulate, .doc = write_doc};

static void write_tables(const void *context, vef_row_writer *row, FILE *out) {
    const vef_replay_report *report = context;
    vef_explain_write_tables(report->explanation, report->network, row, out);
}

const vef_report_parts vef_explained_report_parts = {
    .text = write_text, .tables = write_tables, .doc = write_doc};
