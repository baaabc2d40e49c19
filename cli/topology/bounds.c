/* Throughput bounds. See bounds.h. */
#include "cli/topology/bounds.h"

#include "cli/topology/demands.h"
#include "common/memory.h"
#include "common/progress.h"
#include "netmodel/analysis/graph/graph.h"
#include "netmodel/analysis/loads/concurrent.h"

#include <math.h>
#include <stdlib.h>

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
    vef_demands demands;
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
    vef_demands *demands = &found->demands;
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
        request->trace ? vef_demands_of_trace(topology, request->root, request->trace, request->map,
                                              request->machine, &found.demands, error)
                       : vef_demands_of_pattern(topology, request->root, request->pattern,
                                                &found.demands, error);
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
