/* Explanations as text, tables and documents. See report.h. */
#include "replay/explain/report.h"

#include "netmodel/clock.h"
#include "replay/state/sim_time.h"
#include "traces/call.h"

#include <inttypes.h>

/* ---- names ---- */

static const char *region_name(const vef_explanation *explanation, uint32_t region) {
    return region ? explanation->record.regions[region - 1] : "(no region)";
}

void vef_explain_name_link(const vef_topology *topology, uint32_t router, uint32_t port,
                           char text[VEF_LINK_NAME_BYTES]) {
    char router_name[VEF_ROUTER_NAME_BYTES], port_name[VEF_PORT_NAME_BYTES];
    vef_topology_router_name(topology, router, router_name, sizeof router_name);
    vef_topology_port_name(topology, port, port_name, sizeof port_name);
    snprintf(text, VEF_LINK_NAME_BYTES, "router %s, %s", router_name, port_name);
}

static double cycles_of(const vef_explanation *explanation, uint64_t ps) {
    return vef_netmodel_cycles_of_ps(explanation->network, ps);
}

static double share_of(const vef_explanation *explanation, uint64_t ps) {
    const uint64_t all = explanation->path.end_ps;
    return all ? (double)ps / (double)all : 0;
}

static uint64_t imbalance_of(const vef_explanation *explanation, uint32_t task) {
    return explanation->time_ps - explanation->record.ends[task].end_ps;
}

/* Times of all tasks by cause. */
static vef_cause_ps sum_of(const vef_explanation *explanation) {
    vef_cause_ps sum = {{0}};
    for (uint32_t task = 0; task < explanation->record.tasks; task++)
        vef_cause_add(&sum, &explanation->record.ends[task].ps);
    return sum;
}

/* ---- tables ---- */

static vef_table *task_table(const vef_explanation *explanation) {
    char head[64];
    vef_table *table = vef_table_new((const char *const[]){"task", "end_cycles"}, 2);
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++) {
        snprintf(head, sizeof head, "%s_cycles", vef_causes[cause].key);
        vef_table_head(table, head);
    }
    vef_table_head(table, "imbalance_cycles");
    for (uint32_t task = 0; task < explanation->record.tasks; task++) {
        const vef_task_end *end = &explanation->record.ends[task];
        vef_table_number(table, "%" PRIu32, task);
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(explanation, end->end_ps));
        for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
            vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(explanation, end->ps.of[cause]));
        vef_table_number(table, VEF_CYCLES_FORMAT,
                         cycles_of(explanation, imbalance_of(explanation, task)));
    }
    return table;
}

/* A row for each cause with any time: its share of the time of all tasks, and of the path. */
static vef_table *cause_table(const vef_explanation *explanation, bool exact) {
    static const char *const plain[] = {"cause", "tasks_cycles", "tasks_share", "path_cycles",
                                        "path_share"};
    static const char *const people[] = {"cause", "all tasks (cycles)", "%", "critical path", "%"};
    const uint64_t tasks = explanation->record.tasks;
    const double all = (double)explanation->time_ps * (double)tasks;
    const char *share = exact ? "%.6f" : "%.2f";
    const double scale = exact ? 1 : 100;
    vef_cause_ps sum = sum_of(explanation);
    uint64_t imbalance = explanation->time_ps * tasks - vef_cause_sum(&sum);
    vef_table *table = vef_table_new(exact ? plain : people, 5);
    for (unsigned cause = 0; cause <= VEF_CAUSES; cause++) {
        const bool last = cause == VEF_CAUSES;
        const uint64_t ps = last ? imbalance : sum.of[cause];
        const uint64_t on_path = last ? 0 : explanation->path.ps.of[cause];
        if (!exact && ps == 0 && on_path == 0)
            continue;
        vef_table_text(table, last    ? "imbalance"
                              : exact ? vef_causes[cause].key
                                      : vef_causes[cause].name);
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(explanation, ps));
        vef_table_number(table, share, all > 0 ? scale * (double)ps / all : 0);
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(explanation, on_path));
        vef_table_number(table, share, scale * share_of(explanation, on_path));
    }
    return table;
}

typedef const char *share_name(const vef_explanation *explanation, uint32_t number);

static const char *call_name(const vef_explanation *explanation, uint32_t call) {
    (void)explanation;
    return vef_call_name((uint16_t)call);
}

static vef_table *share_table(const vef_explanation *explanation, const char *what,
                              const vef_path_share *shares, size_t count, share_name *name) {
    vef_table *table = vef_table_new((const char *const[]){what, "path_cycles", "path_share"}, 3);
    for (size_t i = 0; i < count; i++) {
        vef_table_text(table, name(explanation, shares[i].number));
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(explanation, shares[i].ps));
        vef_table_number(table, "%.6f", share_of(explanation, shares[i].ps));
    }
    return table;
}

static vef_table *call_table(const vef_explanation *explanation) {
    const vef_path *path = &explanation->path;
    return share_table(explanation, "call", path->calls, path->call_count, call_name);
}

static vef_table *region_table(const vef_explanation *explanation) {
    const vef_path *path = &explanation->path;
    return share_table(explanation, "region", path->regions, path->region_count, region_name);
}

static vef_table *effect_table(const vef_explanation *explanation) {
    static const char *const heads[] = {"machine", "predicted_ns", "predicted_speedup",
                                        "simulated_ns", "simulated_speedup"};
    const double ns = (double)explanation->time_ps / VEF_PS_PER_NS;
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (unsigned i = 0; i < VEF_CHANGES; i++) {
        const vef_what_if *change = &explanation->what_if[i];
        vef_table_text(table, change->name);
        vef_table_number(table, "%.0f", change->predicted_ns);
        if (change->predicted_ns > 0)
            vef_table_number(table, "%.4f", ns / change->predicted_ns);
        else
            vef_table_none(table);
        if (change->simulated)
            vef_table_number(table, "%.0f", change->simulated_ns);
        else
            vef_table_none(table);
        if (change->simulated && change->simulated_ns > 0)
            vef_table_number(table, "%.4f", ns / change->simulated_ns);
        else
            vef_table_none(table);
    }
    return table;
}

/* "0 -> 1 (41 %); 3 -> 7 (20 %); 12 more" */
static void name_pairs(const vef_hot_link *link, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < link->shown && used < text_bytes; i++)
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%u -> %u (%.0f %%)",
                                 i ? "; " : "", link->pairs[i].from, link->pairs[i].to,
                                 100 * (double)link->pairs[i].phits / (double)link->phits);
    if (link->pair_count > link->shown && used < text_bytes)
        snprintf(text + used, text_bytes - used, "; %u more", link->pair_count - link->shown);
}

static vef_table *link_table(const vef_explanation *explanation, const vef_netmodel *network) {
    static const char *const heads[] = {"link", "router", "port", "utilization", "phits", "tasks"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < explanation->links.count; i++) {
        const vef_hot_link *link = &explanation->links.of[i];
        char name[VEF_LINK_NAME_BYTES], pairs[64 * VEF_HOT_PAIRS];
        vef_explain_name_link(network->topology, link->router, link->port, name);
        name_pairs(link, pairs, sizeof pairs);
        vef_table_text(table, name);
        vef_table_number(table, "%" PRIu32,
                         vef_topology_router_number(network->topology, link->router));
        vef_table_number(table, "%" PRIu32, link->port);
        vef_table_number(table, "%.6f", link->utilization);
        vef_table_number(table, "%" PRIu64, link->phits);
        vef_table_text(table, pairs);
    }
    return table;
}

/* ---- text and table formats ---- */

void vef_explain_write_tables(const vef_explanation *explanation, const vef_netmodel *network,
                              vef_row_writer *row, FILE *out) {
    static vef_table *(*const makers[])(const vef_explanation *explanation) = {
        call_table, region_table, effect_table};
    vef_table_write(task_table(explanation), row, out);
    fputc('\n', out);
    vef_table_write(cause_table(explanation, true), row, out);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        fputc('\n', out);
        vef_table_write(makers[i](explanation), row, out);
    }
    fputc('\n', out);
    vef_table_write(link_table(explanation, network), row, out);
}

static void write_reasons(const vef_explanation *explanation, FILE *out) {
    if (!explanation->repeated)
        fputs("(not simulated)\n", out);
    for (unsigned i = 0; i < VEF_CHANGES; i++)
        if (explanation->what_if[i].reason[0])
            fprintf(out, "%s: not simulated: %s\n", explanation->what_if[i].name,
                    explanation->what_if[i].reason);
}

void vef_explain_write_text(const vef_explanation *explanation, const vef_netmodel *network,
                            FILE *out) {
    const vef_path *path = &explanation->path;
    fprintf(out,
            "\ncritical path        " VEF_CYCLES_FORMAT " cycles, %" PRIu64 " pieces, %" PRIu64
            " of them messages\n\n",
            cycles_of(explanation, path->end_ps), path->pieces, path->messages);
    vef_table_write(cause_table(explanation, false), NULL, out);
    fputs("\nCalls and regions on the critical path\n\n", out);
    vef_table_write(call_table(explanation), NULL, out);
    fputc('\n', out);
    vef_table_write(region_table(explanation), NULL, out);
    fputs("\nOn other machines\n\n", out);
    vef_table_write(effect_table(explanation), NULL, out);
    write_reasons(explanation, out);
    if (explanation->links.count == 0)
        return;
    fputs("\nBusiest links, and the tasks whose messages crossed them\n\n", out);
    vef_table_write(link_table(explanation, network), NULL, out);
}

/* ---- documents ---- */

static void put_tasks(const vef_explanation *explanation, vef_doc *doc) {
    vef_doc_open_list(doc, "tasks");
    for (uint32_t task = 0; task < explanation->record.tasks; task++) {
        const vef_task_end *end = &explanation->record.ends[task];
        vef_doc_open_map(doc, NULL);
        vef_doc_uint(doc, "task", task);
        vef_doc_real(doc, "end_cycles", cycles_of(explanation, end->end_ps));
        vef_doc_real(doc, "imbalance_cycles",
                     cycles_of(explanation, imbalance_of(explanation, task)));
        vef_doc_open_map(doc, "causes");
        for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
            vef_doc_real(doc, vef_causes[cause].key, cycles_of(explanation, end->ps.of[cause]));
        vef_doc_close(doc);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_share(const vef_explanation *explanation, uint64_t ps, vef_doc *doc) {
    vef_doc_real(doc, "cycles", cycles_of(explanation, ps));
    vef_doc_real(doc, "share", share_of(explanation, ps));
}

static void put_path(const vef_explanation *explanation, vef_doc *doc) {
    static const char *const kinds[] = {"busy", "waiting", "transfer"};
    vef_doc_open_list(doc, "critical_path");
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++) {
        const uint64_t ps = explanation->path.ps.of[cause];
        if (ps == 0)
            continue;
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "cause", vef_causes[cause].key);
        vef_doc_string(doc, "kind", kinds[vef_causes[cause].kind]);
        put_share(explanation, ps, doc);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_shares(const vef_explanation *explanation, const char *key, const char *what,
                       const vef_path_share *shares, size_t count, share_name *name, vef_doc *doc) {
    vef_doc_open_list(doc, key);
    for (size_t i = 0; i < count; i++) {
        vef_doc_open_map(doc, NULL);
        if (name)
            vef_doc_string(doc, what, name(explanation, shares[i].number));
        else
            vef_doc_uint(doc, what, shares[i].number);
        put_share(explanation, shares[i].ps, doc);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_effects(const vef_explanation *explanation, vef_doc *doc) {
    vef_doc_open_list(doc, "what_if");
    for (unsigned i = 0; i < VEF_CHANGES; i++) {
        const vef_what_if *change = &explanation->what_if[i];
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "machine", change->key);
        vef_doc_real(doc, "predicted_ns", change->predicted_ns);
        if (change->simulated)
            vef_doc_real(doc, "simulated_ns", change->simulated_ns);
        else
            vef_doc_null(doc, "simulated_ns");
        vef_doc_string(doc, "not_simulated", change->reason[0] ? change->reason : NULL);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

static void put_pairs(const vef_hot_link *link, vef_doc *doc) {
    vef_doc_open_list(doc, "tasks");
    for (uint32_t i = 0; i < link->shown; i++) {
        vef_doc_open_map(doc, NULL);
        vef_doc_uint(doc, "from", link->pairs[i].from);
        vef_doc_uint(doc, "to", link->pairs[i].to);
        vef_doc_uint(doc, "phits", link->pairs[i].phits);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
    vef_doc_uint(doc, "pairs", link->pair_count);
}

static void put_links(const vef_explanation *explanation, const vef_netmodel *network,
                      vef_doc *doc) {
    vef_doc_open_list(doc, "links");
    for (uint32_t i = 0; i < explanation->links.count; i++) {
        const vef_hot_link *link = &explanation->links.of[i];
        char name[VEF_LINK_NAME_BYTES];
        vef_explain_name_link(network->topology, link->router, link->port, name);
        vef_doc_open_map(doc, NULL);
        vef_doc_string(doc, "link", name);
        vef_doc_uint(doc, "router", vef_topology_router_number(network->topology, link->router));
        vef_doc_uint(doc, "port", link->port);
        vef_doc_real(doc, "utilization", link->utilization);
        vef_doc_uint(doc, "phits", link->phits);
        if (explanation->links.counted)
            put_pairs(link, doc);
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
}

void vef_explain_write_doc(const vef_explanation *explanation, const vef_netmodel *network,
                           vef_doc *doc) {
    const vef_path *path = &explanation->path;
    vef_doc_open_map(doc, "explain");
    vef_doc_real(doc, "path_cycles", cycles_of(explanation, path->end_ps));
    vef_doc_uint(doc, "path_pieces", path->pieces);
    vef_doc_uint(doc, "path_messages", path->messages);
    put_path(explanation, doc);
    put_shares(explanation, "path_calls", "call", path->calls, path->call_count, call_name, doc);
    put_shares(explanation, "path_regions", "region", path->regions, path->region_count,
               region_name, doc);
    put_shares(explanation, "path_tasks", "task", path->tasks, path->task_count, NULL, doc);
    put_effects(explanation, doc);
    put_tasks(explanation, doc);
    vef_doc_uint(doc, "memory_bytes", vef_time_record_bytes(&explanation->record));
    vef_doc_close(doc);
    put_links(explanation, network, doc);
}
