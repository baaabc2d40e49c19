/* Explanations as text, tables and documents. See report.h. */
#include "replay/explain/report.h"

#include "netmodel/clock.h"
#include "replay/state/sim_time.h"
#include "traces/call.h"

#include <inttypes.h>

/* ---- names ---- */

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
    const uint64_t total_ps = explanation->path.end_ps;
    return total_ps ? (double)ps / (double)total_ps : 0;
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

/* ---- the path ---- */

enum { PEOPLE_AND_TABLES = VEF_PEOPLE | VEF_TABLES };

static void put_tasks(const vef_explanation *explanation, vef_result *into) {
    static const vef_column columns[] = {{.key = "task"},
                                         {.key = "end_cycles", .format = VEF_CYCLES_FORMAT},
                                         {.key = "imbalance_cycles", .readers = VEF_DOCUMENTS},
                                         {0}};
    vef_result *table =
        vef_put_table(into, "tasks", VEF_TABLES | VEF_DOCUMENTS | VEF_FULL_PRECISION, columns);
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++) {
        char key[64];
        snprintf(key, sizeof key, "%s_cycles", vef_causes[cause].key);
        vef_add_column(
            table, (vef_column){.key = key, .format = VEF_CYCLES_FORMAT, .readers = VEF_TABLES});
    }
    vef_add_column(table, (vef_column){.key = "imbalance_cycles",
                                       .format = VEF_CYCLES_FORMAT,
                                       .readers = VEF_TABLES});
    for (uint32_t task = 0; task < explanation->record.tasks; task++) {
        const vef_task_end *end = &explanation->record.ends[task];
        const double imbalance = cycles_of(explanation, imbalance_of(explanation, task));
        VEF_CELLS(table, task, cycles_of(explanation, end->end_ps), imbalance);
        for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
            VEF_CELLS(table, cycles_of(explanation, end->ps.by_cause[cause]));
        VEF_CELLS(table, imbalance);
        vef_result *causes = vef_put_group(table, "causes");
        for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
            VEF_PUT(causes, vef_causes[cause].key, cycles_of(explanation, end->ps.by_cause[cause]));
    }
}

/* A row for each cause: its share of the time of all tasks, and of the path. Documents have those
 * of the path, people those that occur. */
static void put_causes(const vef_explanation *explanation, vef_result *into) {
    static const char *const kinds[] = {"busy", "waiting", "transfer"};
    const double ns = vef_netmodel_cycle_ns(explanation->network);
    const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("cause", NULL, .readers = VEF_TABLES | VEF_DOCUMENTS), VEF_COLUMN(NULL, "cause"),
        VEF_COLUMN("kind", NULL, .readers = VEF_DOCUMENTS),
        VEF_COLUMN("tasks_cycles", "all tasks (ns)", .format = "%.1f", .exact = VEF_CYCLES_FORMAT,
                   .scale = ns, .readers = PEOPLE_AND_TABLES),
        VEF_COLUMN("tasks_share", NULL, .exact = "%.6f", .readers = VEF_TABLES),
        VEF_COLUMN(NULL, "%", .format = "%.2f"),
        VEF_COLUMN("path_cycles", "critical path", .format = "%.1f", .exact = VEF_CYCLES_FORMAT,
                   .scale = ns),
        VEF_COLUMN("path_share", "%", .format = "%.2f", .exact = "%.6f", .scale = 100));
    const uint64_t tasks = explanation->record.tasks;
    const double whole_ps = (double)explanation->time_ps * (double)tasks;
    const vef_cause_ps sum = sum_of(explanation);
    const uint64_t imbalance_ps = explanation->time_ps * tasks - vef_cause_sum(&sum);
    const bool tabulated = vef_result_is_for(into, VEF_TABLES),
               document = vef_result_is_for(into, VEF_DOCUMENTS);
    vef_result *table =
        vef_put_table(into, "critical_path", VEF_EVERYONE | VEF_FULL_PRECISION, columns);
    for (unsigned cause = 0; cause <= VEF_CAUSES; cause++) {
        const bool last = cause == VEF_CAUSES;
        const uint64_t ps = last ? imbalance_ps : sum.by_cause[cause];
        const uint64_t path_ps = last ? 0 : explanation->path.ps.by_cause[cause];
        const double share = whole_ps > 0 ? (double)ps / whole_ps : 0,
                     path_share = share_of(explanation, path_ps);
        if (!tabulated && path_ps == 0 && (document || ps == 0))
            continue;
        VEF_CELLS(table, last ? "imbalance" : vef_causes[cause].key,
                  last ? "imbalance" : vef_causes[cause].name,
                  last ? "" : kinds[vef_causes[cause].kind], cycles_of(explanation, ps), share,
                  100 * share);
        VEF_CELLS(table, cycles_of(explanation, path_ps), path_share);
    }
}

enum { SHARE_BYTES = VEF_SITE_NAME_BYTES + 64 };

/* May write to `text`. */
typedef const char *share_name(const vef_explanation *explanation, uint32_t number,
                               char text[SHARE_BYTES]);

static const char *region_name(const vef_explanation *explanation, uint32_t region,
                               char text[SHARE_BYTES]) {
    (void)text;
    return region ? explanation->record.regions[region - 1] : "(no region)";
}

/* "Waitall", or "MPI_Waitall at solver.c:214". */
static const char *place_name(const vef_explanation *explanation, uint32_t place,
                              char text[SHARE_BYTES]) {
    const vef_time_record *record = &explanation->record;
    char name[VEF_SITE_NAME_BYTES];
    const vef_site *site = vef_trace_site(explanation->trace, vef_time_record_site(record, place));
    if (!site)
        return vef_call_name(vef_time_record_call(record, place));
    snprintf(text, SHARE_BYTES, "MPI_%s at %s", vef_call_name(vef_time_record_call(record, place)),
             vef_site_name(site, name));
    return text;
}

/* `name` NULL: the number itself. */
static void put_shares(const vef_explanation *explanation, const char *key, const char *what,
                       unsigned readers, const vef_path_share *shares, size_t count,
                       share_name *name, vef_result *into) {
    const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN(what, what),
        VEF_COLUMN("path_cycles", "path (ns)", .format = "%.1f", .exact = VEF_CYCLES_FORMAT,
                   .scale = vef_netmodel_cycle_ns(explanation->network)),
        VEF_COLUMN("path_share", "%", .format = "%.2f", .exact = "%.6f", .scale = 100));
    vef_result *table = vef_put_table(into, key, readers | VEF_FULL_PRECISION, columns);
    char text[SHARE_BYTES];
    for (size_t i = 0; i < count; i++)
        VEF_CELLS(table,
                  name ? vef_value_text(name(explanation, shares[i].number, text))
                       : vef_value_uint(shares[i].number),
                  cycles_of(explanation, shares[i].ps), share_of(explanation, shares[i].ps));
}

/* ---- other machines ---- */

static void put_effects(const vef_explanation *explanation, vef_result *into) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("machine", "machine", .readers = PEOPLE_AND_TABLES),
        VEF_COLUMN("machine", NULL, .readers = VEF_DOCUMENTS),
        VEF_COLUMN("predicted_ns", "predicted (ns)", .format = "%.0f"),
        VEF_COLUMN("predicted_speedup", "speedup", .format = "%.4f", .readers = PEOPLE_AND_TABLES),
        VEF_COLUMN("simulated_ns", "simulated (ns)", .format = "%.0f"),
        VEF_COLUMN("simulated_speedup", "speedup", .format = "%.4f", .readers = PEOPLE_AND_TABLES),
        VEF_COLUMN("not_simulated", NULL, .readers = VEF_DOCUMENTS));
    const double ns = (double)explanation->time_ps / VEF_PS_PER_NS;
    vef_result *table = vef_put_table(into, "what_if", VEF_EVERYONE | VEF_FULL_PRECISION, columns);
    for (unsigned i = 0; i < VEF_CHANGES; i++) {
        const vef_what_if *change = &explanation->what_if[i];
        const double simulated_ns = change->simulated_ns;
        VEF_CELLS(table, change->name, change->key, change->predicted_ns,
                  VEF_IF(change->predicted_ns > 0, ns / change->predicted_ns),
                  VEF_IF(change->simulated, simulated_ns),
                  VEF_IF(change->simulated && simulated_ns > 0, ns / simulated_ns),
                  change->reason[0] ? change->reason : NULL);
    }
    if (!explanation->repeated)
        vef_say(into, "(not simulated)\n");
    for (unsigned i = 0; i < VEF_CHANGES; i++)
        if (explanation->what_if[i].reason[0])
            vef_say(into, "%s: not simulated: %s\n", explanation->what_if[i].name,
                    explanation->what_if[i].reason);
}

/* ---- links ---- */

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

static void put_pairs(const vef_hot_link *link, vef_result *row) {
    vef_result *tasks = vef_put_list(row, "tasks");
    for (uint32_t i = 0; i < link->shown; i++) {
        vef_result *pair = vef_put_group(tasks, NULL);
        VEF_PUT(pair, "from", link->pairs[i].from);
        VEF_PUT(pair, "to", link->pairs[i].to);
        VEF_PUT(pair, "phits", link->pairs[i].phits);
    }
    VEF_PUT(row, "pairs", link->pair_count);
}

static void put_links(const vef_explanation *explanation, const vef_netmodel *network,
                      vef_result *into) {
    static const vef_column columns[] = {
        {.key = "link", .label = "link"},
        {.key = "router"},
        {.key = "port"},
        {.key = "utilization", .label = "busy share", .format = "%.4f", .exact = "%.6f"},
        {.key = "phits", .label = "phits"},
        {.key = "tasks", .label = "tasks", .readers = PEOPLE_AND_TABLES},
        {0}};
    const vef_topology *topology = network->topology;
    const bool any = explanation->links.count > 0;
    if (any)
        vef_say(into, "\nBusiest links, and the tasks whose messages crossed them\n\n");
    vef_result *table = vef_put_table(
        into, "links", (any ? VEF_EVERYONE : VEF_TABLES | VEF_DOCUMENTS) | VEF_FULL_PRECISION,
        columns);
    for (uint32_t i = 0; i < explanation->links.count; i++) {
        const vef_hot_link *link = &explanation->links.list[i];
        char name[VEF_LINK_NAME_BYTES], pairs[64 * VEF_HOT_PAIRS];
        vef_explain_name_link(topology, link->router, link->port, name);
        name_pairs(link, pairs, sizeof pairs);
        VEF_CELLS(table, name, vef_topology_router_number(topology, link->router), link->port,
                  link->utilization, link->phits, pairs);
        if (explanation->links.counted)
            put_pairs(link, table);
    }
}

/* ---- the report ---- */

void vef_explain_put(const vef_explanation *explanation, const vef_netmodel *network,
                     vef_result *into) {
    const vef_path *path = &explanation->path;
    vef_result *explain = vef_put_group(into, "explain");
    const bool tabulated = vef_result_is_for(into, VEF_TABLES);
    if (tabulated)
        put_tasks(explanation, explain);
    vef_say(explain,
            "\ncritical path        %.15g ns, " VEF_CYCLES_FORMAT " cycles; %" PRIu64
            " pieces, %" PRIu64 " of them messages\n\n",
            (double)path->end_ps / VEF_PS_PER_NS, cycles_of(explanation, path->end_ps),
            path->pieces, path->messages);
    if (path->site_count > 0) {
        char text[SHARE_BYTES];
        vef_say(explain, "%.0f %% of the critical path: %s\n\n",
                100 * share_of(explanation, path->sites[0].ps),
                place_name(explanation, path->sites[0].number, text));
    }
    VEF_PUT(explain, "path_cycles", cycles_of(explanation, path->end_ps));
    VEF_PUT(explain, "path_pieces", path->pieces);
    VEF_PUT(explain, "path_messages", path->messages);
    put_causes(explanation, explain);
    vef_say(explain, "\nCalls and regions on the critical path\n\n");
    put_shares(explanation, "path_calls", "call", VEF_EVERYONE, path->calls, path->call_count,
               place_name, explain);
    if (path->site_count > 0) {
        vef_say(explain, "\n");
        put_shares(explanation, "path_sites", "site", VEF_EVERYONE, path->sites, path->site_count,
                   place_name, explain);
    }
    vef_say(explain, "\n");
    put_shares(explanation, "path_regions", "region", VEF_EVERYONE, path->regions,
               path->region_count, region_name, explain);
    put_shares(explanation, "path_tasks", "task", VEF_DOCUMENTS, path->tasks, path->task_count,
               NULL, explain);
    vef_say(explain, "\nOn other machines\n\n");
    put_effects(explanation, explain);
    if (!tabulated)
        put_tasks(explanation, explain);
    VEF_PUT(explain, "memory_bytes", vef_time_record_bytes(&explanation->record));
    put_links(explanation, network, into);
}
