/* The result of a replay for people, for spreadsheets and for programs. */
#include "replay/report.h"

#include "common/config/write_doc.h"
#include "common/report/report.h"
#include "common/report/table.h"
#include "replay/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tasks did ---- */

/* The parts of a task's time, one row each: everything below goes by this table. */
static const struct part {
    const char *name, *key;
    size_t offset;
} parts[] = {
    {"computing", "computing_cycles", offsetof(vef_task_result, computing_cycles)},
    {"outside", "outside_cycles", offsetof(vef_task_result, outside_cycles)},
    {"communicating", "communicating_cycles", offsetof(vef_task_result, communicating_cycles)},
    {"waiting", "waiting_cycles", offsetof(vef_task_result, waiting_cycles)},
    {"overhead", "overhead_cycles", offsetof(vef_task_result, overhead_cycles)},
    {"end", "end_cycles", offsetof(vef_task_result, end_cycles)},
};
enum { PARTS = sizeof parts / sizeof *parts };

static uint64_t part_of(const vef_task_result *task, size_t part) {
    return *(const uint64_t *)(const void *)((const char *)task + parts[part].offset);
}

typedef struct spread {
    uint64_t least, most;
    double mean;
} spread;

static spread spread_of(const vef_replay_result *result, size_t part) {
    spread found = {.least = result->tasks ? UINT64_MAX : 0};
    for (uint32_t task = 0; task < result->tasks; task++) {
        uint64_t value = part_of(&result->task[task], part);
        if (value < found.least)
            found.least = value;
        if (value > found.most)
            found.most = value;
        found.mean += (double)value / result->tasks;
    }
    return found;
}

/* With `named` each row ends with what was replayed how. */
static vef_table *task_table(const vef_report *report, bool named) {
    static const char *const heads[] = {"task",
                                        "computing_cycles",
                                        "outside_cycles",
                                        "communicating_cycles",
                                        "waiting_cycles",
                                        "overhead_cycles",
                                        "end_cycles",
                                        "messages_sent",
                                        "bytes_sent",
                                        "trace",
                                        "mapping",
                                        "network",
                                        "set"};
    const vef_replay_result *result = report->result;
    const size_t columns = sizeof heads / sizeof *heads;
    vef_table *table = vef_table_new(heads, named ? columns : columns - 4);
    for (uint32_t task = 0; table && task < result->tasks; task++) {
        vef_table_number(table, "%" PRIu32, task);
        for (size_t part = 0; part < PARTS; part++)
            vef_table_number(table, "%" PRIu64, part_of(&result->task[task], part));
        vef_table_number(table, "%" PRIu64, result->task[task].messages_sent);
        vef_table_number(table, "%" PRIu64, result->task[task].bytes_sent);
        if (!named)
            continue;
        vef_table_text(table, report->trace);
        vef_table_text(table, report->mapping);
        vef_table_text(table, report->network_name);
        vef_table_list(table, report->overrides, report->override_count);
    }
    return table;
}

static vef_table *spread_table(const vef_replay_result *result) {
    static const char *const heads[] = {"per task (cycles)", "least", "mean", "greatest"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (size_t part = 0; table && part < PARTS; part++) {
        spread values = spread_of(result, part);
        vef_table_text(table, parts[part].name);
        vef_table_number(table, "%" PRIu64, values.least);
        vef_table_number(table, "%.1f", values.mean);
        vef_table_number(table, "%" PRIu64, values.most);
    }
    return table;
}

/* Writes a table in one of the forms and frees it. */
static vef_code write_table(vef_table *table,
                            vef_code (*write)(const vef_table *, FILE *, vef_error *), FILE *out,
                            vef_error *error) {
    if (!table)
        return vef_fail_memory(error, "a table", 0);
    vef_code code = write(table, out, error);
    vef_table_free(table);
    return code;
}

/* ---- people ---- */

/* The resolved configuration of network and machine as YAML; NULL without memory. The caller frees
 * it. */
static char *configuration_of(const vef_report *report) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    report->network->kind->write_config(report->network, out);
    const vef_code code = vef_machine_write(report->options, out, NULL);
    if (fclose(out) != 0 || code != VEF_OK) {
        free(text);
        return NULL;
    }
    return text;
}

enum { LINK_NAME_BYTES = VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 16 };

/* "router (5, 2), x+": the link of the greatest utilisation; false where no link carried anything.
 */
static bool busiest_link(const vef_report *report, char *text, size_t text_bytes) {
    const vef_net_statistics *network = &report->result->network;
    const vef_topology *topology = report->network->topology;
    if (!topology || network->link_utilization_max <= 0)
        return false;
    char router[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    vef_topology_router_name(topology, network->busiest_router, router, sizeof router);
    vef_topology_port_name(topology, network->busiest_port, port, sizeof port);
    snprintf(text, text_bytes, "router %s, %s", router, port);
    return true;
}

/* ", rtt of 8x4 routers" */
static void write_topology(const vef_topology *topology, FILE *out) {
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
}

static void write_network(const vef_report *report, FILE *out) {
    const vef_net_statistics *network = &report->result->network;
    fprintf(out, "packets              %" PRIu64 " (control messages included)\n",
            network->packets);
    if (!report->network->topology)
        return;
    char link[LINK_NAME_BYTES];
    fprintf(out, "mean hops            %.4f links crossed by a packet\n", network->average_hops);
    fprintf(out, "packet latency       %.2f cycles in the mean, %.0f at the 99th percentile\n",
            network->latency_mean_cycles, network->latency_p99_cycles);
    fprintf(out, "message latency      %.2f cycles in the mean\n",
            network->message_latency_mean_cycles);
    fprintf(out, "link utilisation     %.3f %% of the time in the mean",
            100 * network->link_utilization_mean);
    if (busiest_link(report, link, sizeof link))
        fprintf(out, ", %.3f %% at most (%s)", 100 * network->link_utilization_max, link);
    fputc('\n', out);
}

/* One a line; what parts them are semicolons. */
static void write_approximations(const char *text, FILE *out) {
    for (const char *head = "approximations"; *text; head = "") {
        const char *end = strstr(text, "; ");
        const int length = end ? (int)(end - text) : (int)strlen(text);
        fprintf(out, "%-20s %.*s\n", head, length, text);
        text += end ? length + 2 : length;
    }
}

vef_code vef_report_text(const vef_report *report, FILE *out, vef_error *error) {
    const vef_replay_result *result = report->result;
    fprintf(out, "trace                %s (%" PRIu32 " tasks, %" PRIu64 " events replayed)\n",
            report->trace, result->tasks, result->events);
    fprintf(out, "network              %s", report->network->kind->name);
    write_topology(report->network->topology, out);
    fprintf(out, ", mapping %s\ncycle                ", report->mapping);
    vef_netmodel_write_timing(report->network, out);
    fputc('\n', out);
    fprintf(out, "execution time       %" PRIu64 " cycles, %.0f ns (%.9f s)\n", result->time_cycles,
            result->time_ns, result->time_ns / 1e9);
    fprintf(out,
            "messages             %" PRIu64 " of %" PRIu64 " bytes, %" PRIu64
            " of them within an endpoint\n",
            result->messages, result->message_bytes, result->local_messages);
    write_network(report, out);
    if (report->missing)
        fprintf(out, "trace incomplete     %s\n", report->missing);
    write_approximations(result->approximations, out);
    if (result->stall != VEF_STALL_NONE)
        fprintf(out, "stalled              %s: %s\n", vef_stall_name(result->stall),
                result->stall_text);
    fputc('\n', out);
    return write_table(report->per_task ? task_table(report, false) : spread_table(result),
                       vef_table_write, out, error);
}

/* ---- spreadsheets ---- */

vef_code vef_report_csv(const vef_report *report, FILE *out, vef_error *error) {
    static const char *const heads[] = {"trace",
                                        "mapping",
                                        "time_cycles",
                                        "time_ns",
                                        "events",
                                        "messages",
                                        "message_bytes",
                                        "local_messages",
                                        "packets",
                                        "average_hops",
                                        "latency_mean_cycles",
                                        "latency_p99_cycles",
                                        "link_utilization_mean",
                                        "link_utilization_max",
                                        "busiest_link",
                                        "stalled",
                                        "network",
                                        "set"};
    const vef_replay_result *result = report->result;
    if (report->per_task)
        return write_table(task_table(report, true), vef_table_write_csv, out, error);
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    if (table) {
        const uint64_t counts[] = {result->events, result->messages, result->message_bytes,
                                   result->local_messages, result->network.packets};
        const double reals[] = {result->network.average_hops, result->network.latency_mean_cycles,
                                result->network.latency_p99_cycles,
                                result->network.link_utilization_mean,
                                result->network.link_utilization_max};
        const char *stall = vef_stall_name(result->stall);
        vef_table_text(table, report->trace);
        vef_table_text(table, report->mapping);
        vef_table_number(table, "%" PRIu64, result->time_cycles);
        vef_table_number(table, "%.3f", result->time_ns);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            vef_table_number(table, "%" PRIu64, counts[i]);
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
            vef_table_number(table, "%.6g", reals[i]);
        char link[LINK_NAME_BYTES];
        vef_table_text(table, busiest_link(report, link, sizeof link) ? link : "");
        vef_table_text(table, stall ? stall : "");
        vef_table_text(table, report->network_name);
        vef_table_list(table, report->overrides, report->override_count);
    }
    return write_table(table, vef_table_write_csv, out, error);
}

/* ---- programs ---- */

static void doc_options(vef_doc *doc, const vef_replay_options *options) {
    vef_doc_open_map(doc, "options");
    vef_doc_uint(doc, "eager_bytes", options->eager_bytes);
    vef_doc_uint(doc, "control_bytes", options->control_bytes);
    vef_doc_real(doc, "compute_scale", options->compute_scale);
    vef_doc_bool(doc, "no_outside", !options->outside);
    vef_doc_real(doc, "poll_gap_ns", options->poll_gap_ns);
    vef_doc_real(doc, "send_overhead_ns", options->send_overhead_ns);
    vef_doc_real(doc, "receive_overhead_ns", options->receive_overhead_ns);
    vef_doc_real(doc, "reduce_ns_per_byte", options->reduce_ns_per_byte);
    vef_doc_bool(doc, "hardware_broadcast",
                 vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE);
    if (options->limit_cycles == VEF_FOREVER)
        vef_doc_null(doc, "limit_cycles");
    else
        vef_doc_uint(doc, "limit_cycles", options->limit_cycles);
    vef_doc_close(doc);
}

static void doc_spreads(vef_doc *doc, const vef_replay_result *result) {
    vef_doc_open_map(doc, "per_task");
    for (size_t part = 0; part < PARTS; part++) {
        spread values = spread_of(result, part);
        vef_doc_open_map(doc, parts[part].key);
        vef_doc_uint(doc, "least", values.least);
        vef_doc_real(doc, "mean", values.mean);
        vef_doc_uint(doc, "greatest", values.most);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void doc_tasks(vef_doc *doc, const vef_replay_result *result) {
    vef_doc_open_list(doc, "task");
    for (uint32_t task = 0; task < result->tasks; task++) {
        vef_doc_open_map(doc, NULL);
        for (size_t part = 0; part < PARTS; part++)
            vef_doc_uint(doc, parts[part].key, part_of(&result->task[task], part));
        vef_doc_uint(doc, "messages_sent", result->task[task].messages_sent);
        vef_doc_uint(doc, "bytes_sent", result->task[task].bytes_sent);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void doc_network(vef_doc *doc, const vef_report *report) {
    const vef_net_statistics *network = &report->result->network;
    char link[LINK_NAME_BYTES];
    vef_doc_uint(doc, "packets", network->packets);
    vef_doc_uint(doc, "packet_hops", network->packet_hops);
    vef_doc_uint(doc, "phits", network->phits);
    vef_doc_real(doc, "average_hops", network->average_hops);
    vef_doc_real(doc, "latency_mean_cycles", network->latency_mean_cycles);
    vef_doc_real(doc, "latency_p99_cycles", network->latency_p99_cycles);
    vef_doc_real(doc, "message_latency_mean_cycles", network->message_latency_mean_cycles);
    vef_doc_real(doc, "link_utilization_mean", network->link_utilization_mean);
    vef_doc_real(doc, "link_utilization_max", network->link_utilization_max);
    vef_doc_string(doc, "busiest_link", busiest_link(report, link, sizeof link) ? link : NULL);
    vef_doc_uint(doc, "busiest_router", network->busiest_router);
    vef_doc_uint(doc, "busiest_port", network->busiest_port);
}

vef_code vef_report_json(const vef_report *report, FILE *out, vef_error *error) {
    const vef_replay_result *result = report->result;
    char *configuration = configuration_of(report);
    if (!configuration)
        return vef_fail_memory(error, "the resolved configuration", 0);
    vef_doc doc;
    vef_doc_begin(&doc, &vef_json, out);
    vef_doc_string(&doc, "trace", report->trace);
    vef_doc_string(&doc, "network", report->network_name);
    vef_doc_strings(&doc, "set", report->overrides, report->override_count);
    vef_doc_string(&doc, "mapping", report->mapping);
    vef_doc_uint(&doc, "tasks", result->tasks);
    vef_doc_uint(&doc, "time_cycles", result->time_cycles);
    vef_doc_real(&doc, "time_ns", result->time_ns);
    vef_doc_uint(&doc, "events", result->events);
    vef_doc_uint(&doc, "messages", result->messages);
    vef_doc_uint(&doc, "message_bytes", result->message_bytes);
    vef_doc_uint(&doc, "local_messages", result->local_messages);
    doc_network(&doc, report);
    vef_doc_string(&doc, "stalled", vef_stall_name(result->stall));
    vef_doc_string(&doc, "stall_text", result->stall == VEF_STALL_NONE ? NULL : result->stall_text);
    vef_doc_string(&doc, "approximations", result->approximations);
    vef_doc_string(&doc, "trace_incomplete", report->missing);
    doc_spreads(&doc, result);
    if (report->per_task)
        doc_tasks(&doc, result);
    doc_options(&doc, report->options);
    vef_netmodel_write_timing_doc(report->network, &doc);
    vef_code code = vef_yaml_write_doc(&doc, "configuration", configuration, error);
    vef_doc_end(&doc);
    free(configuration);
    return code;
}
