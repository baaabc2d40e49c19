/* `vef topology --pattern`. See pattern.h. */
#include "cli/topology/pattern.h"

#include "common/progress.h"
#include "netmodel/analysis/loads/concurrent.h"
#include "netmodel/traffic/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PHASES = 5000 };

/* The demands of a pattern, each endpoint sending a phit per cycle. */
typedef struct demands {
    vef_demand *list;
    size_t count;
    uint32_t senders;
} demands;

static vef_code add_uniform(const vef_topology *topology, demands *made, vef_error *error) {
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
    free(on);
    return VEF_OK;
}

static vef_code add_permutation(const vef_topology *topology, const vef_pattern *pattern,
                                demands *made, vef_error *error) {
    vef_rng rng = vef_rng_make(0, VEF_RNG_TRAFFIC, 0);
    made->list = calloc(topology->endpoints + (size_t)1, sizeof *made->list);
    if (!made->list)
        return vef_fail_memory(error, "demands", topology->endpoints * sizeof *made->list);
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t to = pattern->kind->destination(pattern, e, &rng);
        if (to == VEF_SILENT)
            continue;
        made->senders++;
        made->list[made->count++] = (vef_demand){vef_topology_router_of(topology, e),
                                                 vef_topology_router_of(topology, to), 1};
    }
    return VEF_OK;
}

static vef_code make_demands(const vef_topology *topology, const char *text, demands *made,
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

/* ---- the report ---- */

typedef struct bounds {
    const vef_topology *topology;
    const char *pattern;
    uint32_t senders;
    vef_concurrent_flow flow;
} bounds;

static vef_code write_text(const void *report, FILE *out, vef_error *error) {
    const bounds *found = report;
    char router[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    (void)error;
    vef_topology_router_name(found->topology, found->flow.busiest_router, router, sizeof router);
    vef_topology_port_name(found->topology, found->flow.busiest_port, port, sizeof port);
    fprintf(out,
            "pattern               %s, %u of %u endpoints send\n"
            "throughput bound      %.6f to %.6f phits/cycle/endpoint, ideal division among minimal "
            "paths\n"
            "even division         %.6f\n"
            "busiest link          router %s, %s, in the division that reaches %.6f\n",
            found->pattern, found->senders, found->topology->endpoints, found->flow.lower,
            found->flow.upper, found->flow.even, router, port, found->flow.lower);
    return VEF_OK;
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    const bounds *found = report;
    (void)error;
    vef_doc_string(doc, "pattern", found->pattern);
    vef_doc_uint(doc, "senders", found->senders);
    vef_doc_real(doc, "throughput_bound", found->flow.lower);
    vef_doc_real(doc, "throughput_bound_upper", found->flow.upper);
    vef_doc_real(doc, "throughput_bound_even", found->flow.even);
    vef_doc_uint(doc, "busiest_router", found->flow.busiest_router);
    vef_doc_uint(doc, "busiest_port", found->flow.busiest_port);
    vef_doc_uint(doc, "phases", found->flow.phases);
    return VEF_OK;
}

static const vef_report_parts parts = {.text = write_text, .doc = write_doc};

static void show_progress(void *context, const char *step, uint64_t done, uint64_t total) {
    (void)step;
    vef_progress_update(context, done, total);
}

vef_code vef_topology_show_pattern(const vef_topology *topology, const char *text, double precision,
                                   const vef_report_format *format, vef_error *error) {
    demands made = {0};
    vef_graph *graph = NULL;
    vef_progress progress;
    bounds found = {.topology = topology, .pattern = text};
    vef_code code = make_demands(topology, text, &made, error);
    if (code == VEF_OK)
        code = vef_graph_create(topology, &graph, error);
    if (code == VEF_OK) {
        vef_progress_begin(&progress, "dividing traffic");
        graph->watch = (vef_graph_watch){show_progress, &progress};
        found.senders = made.senders;
        code = vef_concurrent_flow_measure(graph, made.list, made.count, precision, MOST_PHASES,
                                           &found.flow, error);
        vef_progress_end(&progress);
    }
    if (code == VEF_OK)
        code = vef_report_write(format, &parts, &found, stdout, error);
    vef_graph_destroy(graph);
    free(made.list);
    return code;
}
