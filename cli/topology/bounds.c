/* Throughput bounds. See topology.h. */
#include "cli/topology/topology.h"

#include "common/config/config.h"
#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/progress.h"
#include "mappings/mapping.h"
#include "netmodel/analysis/graph/graph.h"
#include "netmodel/analysis/loads/concurrent.h"
#include "netmodel/traffic/traffic.h"
#include "replay/program.h"
#include "replay/replay.h"
#include "replay/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- demands between the routers ---- */

typedef struct demand_list {
    vef_demand *list; /* between different routers; from malloc */
    size_t count;
    uint32_t senders; /* endpoints, or tasks, that send */
    double total;     /* of all that is sent, also inside routers */
} demand_list;        /* zero-initialised is empty */

/* The list has room; demands inside a router load no link. */
static void add(demand_list *made, uint32_t from, uint32_t to, double phits) {
    if (from != to && phits > 0)
        made->list[made->count++] = (vef_demand){from, to, phits};
}

/* ---- patterns ---- */

/* The endpoints in the order of their routers: those of router r are order[first[r]] to
 * order[first[r + 1] - 1]. `first` has a 0 for each router and two more. */
static void sort_by_router(const vef_topology *topology, uint32_t *first, uint32_t *order) {
    for (uint32_t e = 0; e < topology->endpoints; e++)
        first[vef_topology_router_of(topology, e) + 2]++;
    for (uint32_t r = 0; r < topology->routers; r++)
        first[r + 2] += first[r + 1];
    for (uint32_t e = 0; e < topology->endpoints; e++)
        order[first[vef_topology_router_of(topology, e) + 1]++] = e;
}

/* What the endpoints of all routers send to each other router, a phit in all of each sender. */
static vef_code add_routers(const vef_topology *topology, const vef_pattern *pattern,
                            const uint32_t *first, const uint32_t *order, double *share,
                            double *sent, demand_list *made, vef_error *error) {
    size_t room = 0;
    for (uint32_t from = 0; from < topology->routers; from++) {
        memset(sent, 0, topology->routers * sizeof *sent);
        for (uint32_t i = first[from]; i < first[from + 1]; i++) {
            if (!vef_pattern_sends(pattern, order[i]))
                continue;
            vef_pattern_shares(pattern, order[i], share);
            for (uint32_t e = 0; e < topology->endpoints; e++)
                sent[vef_topology_router_of(topology, e)] += share[e];
            made->senders++;
        }
        vef_grow(&made->list, &room, made->count + (uint64_t)topology->routers, sizeof *made->list);
        for (uint32_t to = 0; to < topology->routers; to++)
            add(made, from, to, sent[to]);
        const vef_code code = vef_limit_check(VEF_LIMIT_FLOWS, made->count, error);
        if (code != VEF_OK)
            return code;
    }
    made->total = made->senders;
    return VEF_OK;
}

static vef_code add_pattern(const vef_topology *topology, const vef_pattern *pattern,
                            demand_list *made, vef_error *error) {
    const size_t endpoints = topology->endpoints, routers = topology->routers;
    uint32_t *first = vef_calloc(routers + 2, sizeof *first);
    uint32_t *order = vef_calloc(endpoints, sizeof *order);
    double *share = vef_calloc(endpoints, sizeof *share);
    double *sent = vef_calloc(routers, sizeof *sent);
    sort_by_router(topology, first, order);
    const vef_code code = add_routers(topology, pattern, first, order, share, sent, made, error);
    free(first);
    free(order);
    free(share);
    free(sent);
    return code;
}

/* Of a pattern as of vef load, exactly: a phit per cycle and sender. */
static vef_code demands_of_pattern(const vef_topology *topology, const vef_node *root,
                                   const char *text, demand_list *made, vef_error *error) {
    vef_pattern *pattern = NULL;
    vef_code code = vef_pattern_of_text(text, vef_library_list(root), topology, &pattern, error);
    if (code == VEF_OK)
        code = add_pattern(topology, pattern, made, error);
    vef_pattern_destroy(pattern);
    return code;
}

/* ---- traces ---- */

VEF_ORDER_BY(by_routers, vef_demand, to, from)

/* Joins the demands of each pair of routers. */
static void join_pairs(demand_list *made) {
    size_t kept = 0;
    if (made->count)
        qsort(made->list, made->count, sizeof *made->list, by_routers);
    for (size_t i = 0; i < made->count; i++)
        if (kept > 0 && by_routers(&made->list[kept - 1], &made->list[i]) == 0)
            made->list[kept - 1].phits += made->list[i].phits;
        else
            made->list[kept++] = made->list[i];
    made->count = kept;
}

static void add_traffic(const vef_topology *topology, const vef_traffic_matrix *traffic,
                        const vef_mapping *mapping, demand_list *made) {
    const size_t flows = traffic->first[traffic->tasks];
    made->list = vef_calloc(flows + 1, sizeof *made->list);
    for (uint32_t t = 0; t < traffic->tasks; t++) {
        const uint32_t from = vef_topology_router_of(topology, mapping->endpoint[t]);
        double sent = 0;
        for (size_t f = traffic->first[t]; f < traffic->first[t + 1]; f++) {
            const vef_flow *flow = &traffic->flows[f];
            sent += (double)flow->bytes;
            add(made, from, vef_topology_router_of(topology, mapping->endpoint[flow->to]),
                (double)flow->bytes);
        }
        made->senders += sent > 0;
        made->total += sent;
    }
    join_pairs(made);
}

/* Of a trace, with its collectives: in bytes. `map`: a mapping, NULL: identity. `machine`: of the
 * network's file. */
static vef_code demands_of_trace(const vef_topology *topology, const vef_node *root,
                                 const char *path, const char *map,
                                 const vef_replay_options *machine, demand_list *made,
                                 vef_error *error) {
    vef_trace *trace = NULL;
    vef_traffic_matrix traffic = {0};
    vef_mapping *mapping = NULL;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    vef_traced_program program = {trace, machine};
    code = vef_replay_traffic(trace, machine, &traffic, error);
    if (code == VEF_OK) {
        vef_mapping_request request = vef_program_request(&program, topology);
        request.text = map;
        request.plugins = vef_library_list(root);
        request.traffic = &traffic;
        code = vef_mapping_create(&request, topology, &mapping, error);
        if (code == VEF_OK)
            add_traffic(topology, &traffic, mapping, made);
        vef_traffic_matrix_free(&traffic);
    }
    vef_mapping_destroy(mapping);
    vef_trace_close(trace);
    return code;
}

enum { MOST_PHASES = 5000, MOST_LINKS_SHOWN = 8, CUT_TRIES = 6, NUMBER_BYTES = 48 };

/* The links that bind are the fewest that hold this part of the lengths that prove the bound, and
 * others with at least half the share of the last of these: equal links stay together. A cut
 * explains the bound if its own is at most so much greater. */
static const double BINDING = 0.95, CUT_TOLERANCE = 0.001;

/* Bounds are factors of the demands. */
typedef struct bounds {
    const vef_topology *topology;
    const vef_bounds_request *request;
    const vef_graph *graph;
    double *capacity; /* per arc, relative to the network's links */
    demand_list demands;
    vef_concurrent_flow flow;
    vef_division dimension_order;
    uint32_t *binding; /* arcs, the greatest share first */
    uint32_t binding_count;
    double least_share;  /* links with less do not bind */
    vef_traffic_cut cut; /* routers 0: none explains the bound */
} bounds;

/* ---- what binds ---- */

typedef struct shared_arc {
    double share;
    uint32_t arc;
} shared_arc;

static int compare(const void *a, const void *b) {
    const shared_arc *p = a, *q = b;
    if (p->share != q->share)
        return p->share > q->share ? -1 : 1;
    return (p->arc > q->arc) - (p->arc < q->arc);
}

static void find_binding(bounds *found) {
    const uint32_t arcs = found->graph->arcs;
    shared_arc *order = vef_calloc(arcs, sizeof *order);
    found->binding = vef_calloc(arcs, sizeof *found->binding);
    for (uint32_t arc = 0; arc < arcs; arc++)
        order[arc] = (shared_arc){found->flow.share[arc], arc};
    qsort(order, arcs, sizeof *order, compare);
    double sum = 0;
    for (uint32_t i = 0; i < arcs; i++) {
        if (sum >= BINDING && order[i].share < found->least_share / 2)
            break;
        if (sum < BINDING)
            found->least_share = order[i].share;
        sum += order[i].share;
        found->binding[found->binding_count++] = order[i].arc;
    }
    found->least_share /= 2;
    free(order);
}

static bool explains(const bounds *found) {
    return found->cut.routers > 0 && found->cut.factor <= found->flow.upper * (1 + CUT_TOLERANCE);
}

static void find_bottleneck(bounds *found) {
    if (!found->flow.share)
        return;
    find_binding(found);
    /* Several sets of links may prove the bound: links of smaller shares may complete a cut. */
    double least = found->least_share;
    for (int i = 0; i < CUT_TRIES && !explains(found); i++, least /= 100)
        found->cut = vef_traffic_cut_find(found->graph, found->capacity, found->demands.list,
                                          found->demands.count, found->flow.share, least);
    if (!explains(found))
        found->cut = (vef_traffic_cut){0};
}

/* ---- the report ---- */

/* The rate of a mean sender at a factor, in phits per cycle: a pattern's senders send one each. A
 * program's load is that of its bytes at the rate of the links. */
static double rate_of(const bounds *found, double factor) {
    return factor * found->demands.total / found->demands.senders;
}

/* The time of all bytes of a program at a factor. */
static double time_ns(const bounds *found, double factor) {
    return 8e9 / (double)found->request->bandwidth_bits_per_s / factor;
}

static void name_link(const bounds *found, uint32_t arc, char *router, char *port) {
    uint32_t owner = 0;
    while (found->graph->first[owner + 1] <= arc)
        owner++;
    vef_topology_router_name(found->topology, owner, router, VEF_ROUTER_NAME_BYTES);
    vef_topology_port_name(found->topology, found->graph->port[arc], port, VEF_PORT_NAME_BYTES);
}

/* A pattern's rate as `vef load` counts accepted load: per endpoint, silent ones included. NaN for
 * a program. */
static double accepted_of(const bounds *found, double factor) {
    return found->request->trace ? NAN : factor * found->demands.total / found->topology->endpoints;
}

static void write_number(char *text, const bounds *found, double factor) {
    if (isnan(factor))
        snprintf(text, NUMBER_BYTES, "not defined on this topology");
    else if (found->request->trace)
        snprintf(text, NUMBER_BYTES, "%.6f (%.6g ms)", rate_of(found, factor),
                 time_ns(found, factor) * 1e-6);
    else
        snprintf(text, NUMBER_BYTES, "%.6f", factor);
}

static void write_bottleneck(const bounds *found, FILE *out) {
    char router[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    fprintf(out, "binding links         %u of %u:", found->binding_count, found->graph->arcs);
    for (uint32_t i = 0; i < found->binding_count && i < MOST_LINKS_SHOWN; i++) {
        name_link(found, found->binding[i], router, port);
        fprintf(out, "%s %s %s", i ? "," : "", router, port);
    }
    fputs(found->binding_count > MOST_LINKS_SHOWN ? ", ...\n" : "\n", out);
    if (found->cut.routers)
        fprintf(out,
                "cut                   %u links from %u routers to the others: no routing carries "
                "more across\n",
                found->cut.links, found->cut.routers);
}

static const char *paths_of(const bounds *found) {
    return found->request->all_paths ? "all" : "minimal";
}

static void write_text(const void *report, FILE *out) {
    const bounds *found = report;
    char lower[NUMBER_BYTES], upper[NUMBER_BYTES], even[NUMBER_BYTES], order[NUMBER_BYTES];
    write_number(lower, found, found->flow.lower);
    write_number(upper, found, found->flow.upper);
    write_number(even, found, found->flow.even);
    write_number(order, found, found->dimension_order.factor);
    if (found->request->trace)
        fprintf(out, "trace                 %s, %u tasks send %.0f bytes, mapping %s\n",
                found->request->trace, found->demands.senders, found->demands.total,
                found->request->map ? found->request->map : "identity");
    else
        fprintf(out, "pattern               %s, %u of %u endpoints send\n", found->request->pattern,
                found->demands.senders, found->topology->endpoints);
    fprintf(out,
            "throughput bound      %s to %s phits/cycle/%s, ideal division among %s paths\n"
            "even division         %s\n"
            "dimension order       %s\n",
            lower, upper, found->request->trace ? "task" : "sending endpoint", paths_of(found),
            even, order);
    if (!found->request->trace && found->demands.senders < found->topology->endpoints)
        fprintf(out,
                "as accepted load      %.6f to %.6f phits/cycle/endpoint, as vef load counts: with "
                "silent endpoints\n",
                accepted_of(found, found->flow.lower), accepted_of(found, found->flow.upper));
    if (found->flow.share)
        write_bottleneck(found, out);
}

static void put_bottleneck(const bounds *found, vef_result *into) {
    char router[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    vef_result *bottleneck = vef_put_list(into, "bottleneck");
    for (uint32_t i = 0; i < found->binding_count; i++) {
        name_link(found, found->binding[i], router, port);
        vef_result *item = vef_put_group(bottleneck, NULL);
        VEF_PUT(item, "router", router);
        VEF_PUT(item, "port", port);
        VEF_PUT(item, "share", found->flow.share[found->binding[i]]);
    }
    if (!found->cut.routers) {
        VEF_PUT(into, "cut", VEF_NO_VALUE);
        return;
    }
    vef_result *cut_group = vef_put_group(into, "cut");
    VEF_PUT(cut_group, "routers", found->cut.routers);
    VEF_PUT(cut_group, "links", found->cut.links);
    VEF_PUT(cut_group, "throughput_bound", rate_of(found, found->cut.factor));
}

static void build(const void *report, vef_result *root) {
    const bounds *found = report;
    vef_say_by(root, write_text, report);
    VEF_PUT(root, "pattern", found->request->pattern);
    VEF_PUT(root, "trace", found->request->trace);
    VEF_PUT(root, "senders", found->demands.senders);
    VEF_PUT(root, "paths", paths_of(found));
    VEF_PUT(root, "throughput_bound", rate_of(found, found->flow.lower));
    VEF_PUT(root, "throughput_bound_upper", rate_of(found, found->flow.upper));
    VEF_PUT(root, "throughput_bound_even", rate_of(found, found->flow.even));
    VEF_PUT(root, "throughput_bound_dimension_order",
            rate_of(found, found->dimension_order.factor));
    VEF_PUT(root, "accepted_load_bound", accepted_of(found, found->flow.lower));
    VEF_PUT(root, "accepted_load_bound_upper", accepted_of(found, found->flow.upper));
    if (found->request->trace) {
        VEF_PUT(root, "bytes", found->demands.total);
        VEF_PUT(root, "transfer_ns", time_ns(found, found->flow.upper));
        VEF_PUT(root, "transfer_ns_even", time_ns(found, found->flow.even));
        VEF_PUT(root, "transfer_ns_dimension_order", time_ns(found, found->dimension_order.factor));
    }
    VEF_PUT(root, "busiest_router",
            vef_topology_router_number(found->topology, found->flow.busiest_router));
    VEF_PUT(root, "busiest_port", found->flow.busiest_port);
    put_bottleneck(found, root);
    VEF_PUT(root, "phases", found->flow.phases);
}

static void show_progress(void *context, const char *step, uint64_t done, uint64_t total) {
    (void)step;
    vef_progress_update(context, done, total);
}

static vef_code find_bounds(bounds *found, vef_graph *graph, vef_error *error) {
    vef_progress progress;
    demand_list *demands = &found->demands;
    found->graph = graph;
    found->capacity = vef_arc_capacities(graph, found->request->bandwidth_bits_per_s);
    found->dimension_order =
        vef_dimension_order_bound(found->topology, demands->list, demands->count);
    vef_progress_begin(&progress, "dividing traffic");
    graph->watch = (vef_graph_watch){show_progress, &progress};
    const vef_code code = vef_concurrent_flow_measure(
        graph, found->request->all_paths, found->capacity, demands->list, demands->count,
        &found->dimension_order, found->request->precision, MOST_PHASES, &found->flow, error);
    vef_progress_end(&progress);
    if (code == VEF_OK)
        find_bottleneck(found);
    return code;
}

vef_code vef_topology_show_bounds(const vef_topology *topology, const vef_bounds_request *request,
                                  const vef_report_format *format, vef_error *error) {
    vef_graph *graph = NULL;
    bounds found = {.topology = topology, .request = request};
    vef_code code =
        request->trace
            ? demands_of_trace(topology, request->root, request->trace, request->map,
                               request->machine, &found.demands, error)
            : demands_of_pattern(topology, request->root, request->pattern, &found.demands, error);
    if (code == VEF_OK && found.demands.senders == 0)
        code = vef_fail(error, VEF_INVALID, "%s: nothing is sent: expected messages",
                        request->trace ? request->trace : request->pattern);
    if (code == VEF_OK)
        code = vef_graph_create(topology, &graph, error);
    if (code == VEF_OK)
        code = find_bounds(&found, graph, error);
    if (code == VEF_OK)
        code = vef_report_write(format, build, &found, stdout, error);
    free(found.flow.share);
    free(found.capacity);
    free(found.binding);
    free(found.demands.list);
    vef_graph_destroy(graph);
    return code;
}
