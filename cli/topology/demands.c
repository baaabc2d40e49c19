/* Demands between routers. See demands.h. */
#include "cli/topology/demands.h"

#include "cli/map/traffic.h"
#include "cli/program_grid.h"
#include "mappings/mapping.h"
#include "netmodel/traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

/* The list has room; demands inside a router load no link. */
static void add(vef_demands *made, uint32_t from, uint32_t to, double phits) {
    if (from != to && phits > 0)
        made->list[made->count++] = (vef_demand){from, to, phits};
}

/* ---- patterns ---- */

static vef_code add_uniform(const vef_topology *topology, vef_demands *made, vef_error *error) {
    const uint32_t routers = topology->routers, endpoints = topology->endpoints;
    uint32_t *on = calloc(routers, sizeof *on);
    made->list = calloc((size_t)routers * routers, sizeof *made->list);
    if (!on || !made->list || endpoints < 2) {
        free(on);
        return endpoints < 2 ? vef_fail(error, VEF_UNSUPPORTED, "one endpoint: expected two")
                             : vef_fail_memory(error, "demands",
                                               (size_t)routers * routers * sizeof *made->list);
    }
    for (uint32_t e = 0; e < endpoints; e++)
        on[vef_topology_router_of(topology, e)]++;
    for (uint32_t from = 0; from < routers; from++)
        for (uint32_t to = 0; to < routers; to++)
            if (from != to && on[from] && on[to])
                made->list[made->count++] =
                    (vef_demand){from, to, (double)on[from] * on[to] / (endpoints - 1)};
    made->senders = endpoints;
    made->total = endpoints;
    free(on);
    return VEF_OK;
}

static vef_code add_permutation(const vef_topology *topology, const vef_pattern *pattern,
                                vef_demands *made, vef_error *error) {
    vef_rng rng = vef_rng_make(0, VEF_RNG_TRAFFIC, 0);
    made->list = calloc(topology->endpoints + (size_t)1, sizeof *made->list);
    if (!made->list)
        return vef_fail_memory(error, "demands", topology->endpoints * sizeof *made->list);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t to = pattern->kind->destination(pattern, e, &rng);
        if (to == VEF_SILENT)
            continue;
        made->senders++;
        made->total++;
        add(made, vef_topology_router_of(topology, e), vef_topology_router_of(topology, to), 1);
    }
    return VEF_OK;
}

vef_code vef_demands_of_pattern(const vef_topology *topology, const char *text, vef_demands *made,
                                vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_pattern *pattern = NULL;
    vef_code code = vef_config_parse(text, "--pattern", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_pattern_create(node, topology, &pattern, error);
    if (code == VEF_OK && strcmp(pattern->kind->name, "uniform") == 0)
        code = add_uniform(topology, made, error);
    else if (code == VEF_OK && pattern->kind->permutation)
        code = add_permutation(topology, pattern, made, error);
    else if (code == VEF_OK)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "--pattern %s: destinations are random: expected uniform or a permutation",
                        pattern->kind->name);
    vef_pattern_destroy(pattern);
    vef_arena_release(&arena);
    return code;
}

/* ---- traces ---- */

static int compare(const void *a, const void *b) {
    const vef_demand *p = a, *q = b;
    if (p->to != q->to)
        return p->to < q->to ? -1 : 1;
    return (p->from > q->from) - (p->from < q->from);
}

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

static vef_code add_traffic(const vef_topology *topology, const vef_traffic_matrix *traffic,
                            const vef_mapping *mapping, vef_demands *made, vef_error *error) {
    const size_t flows = traffic->first[traffic->tasks];
    made->list = calloc(flows + 1, sizeof *made->list);
    if (!made->list)
        return vef_fail_memory(error, "demands", flows * sizeof *made->list);
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
    return VEF_OK;
}

vef_code vef_demands_of_trace(const vef_topology *topology, const char *path, const char *map,
                              const vef_replay_options *machine, vef_demands *made,
                              vef_error *error) {
    vef_trace *trace = NULL;
    vef_traffic_matrix traffic = {0};
    vef_mapping *mapping = NULL;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_program_traffic program = {trace, machine};
    code = vef_program_traffic_find(&program, &traffic, error);
    if (code == VEF_OK) {
        const vef_mapping_request request = {
            .text = map,
            .tasks = header->tasks,
            .cores = machine->host.cores,
            .nics = machine->host.nics,
            .traffic = &traffic,
            .program_grid = vef_program_grid(header->communicators, header->communicator_count,
                                             header->tasks, topology->dimensions)};
        code = vef_mapping_create(&request, topology, &mapping, error);
        if (code == VEF_OK)
            code = add_traffic(topology, &traffic, mapping, made, error);
        vef_traffic_matrix_free(&traffic);
    }
    vef_mapping_destroy(mapping);
    vef_trace_close(trace);
    return code;
}
