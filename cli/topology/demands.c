/* Demands between routers. See demands.h. */
#include "cli/topology/demands.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "mappings/mapping.h"
#include "netmodel/traffic/traffic.h"
#include "replay/program.h"
#include "replay/traffic.h"

#include <stdlib.h>
#include <string.h>

/* The list has room; demands inside a router load no link. */
static void add(vef_demands *made, uint32_t from, uint32_t to, double phits) {
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
                            double *sent, vef_demands *made, vef_error *error) {
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
                            vef_demands *made, vef_error *error) {
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

vef_code vef_demands_of_pattern(const vef_topology *topology, const vef_node *root,
                                const char *text, vef_demands *made, vef_error *error) {
    vef_pattern *pattern = NULL;
    vef_code code = vef_pattern_of_text(text, vef_library_list(root), topology, &pattern, error);
    if (code == VEF_OK)
        code = add_pattern(topology, pattern, made, error);
    vef_pattern_destroy(pattern);
    return code;
}

/* ---- traces ---- */

VEF_ORDER_BY(compare, vef_demand, to, from)

/* Joins the demands of each pair of routers. */
static void join_pairs(vef_demands *made) {
    size_t kept = 0;
    if (made->count)
        qsort(made->list, made->count, sizeof *made->list, compare);
    for (size_t i = 0; i < made->count; i++)
        if (kept > 0 && compare(&made->list[kept - 1], &made->list[i]) == 0)
            made->list[kept - 1].phits += made->list[i].phits;
        else
            made->list[kept++] = made->list[i];
    made->count = kept;
}

static void add_traffic(const vef_topology *topology, const vef_traffic_matrix *traffic,
                        const vef_mapping *mapping, vef_demands *made) {
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

vef_code vef_demands_of_trace(const vef_topology *topology, const vef_node *root, const char *path,
                              const char *map, const vef_replay_options *machine, vef_demands *made,
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
