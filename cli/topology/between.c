/* Paths between two routers: distance, minimal paths, routing records. See topology.h. */
#include "cli/topology/topology.h"

#include "netmodel/analysis/graph/distances.h"
#include "netmodel/topology/lattice/lattice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- reading routers ---- */

static vef_code find_router(const vef_topology *topology, const vef_router_place *place,
                            uint32_t *router, vef_error *error) {
    uint32_t number = 0;
    vef_code code = vef_topology_find_place(topology, place, &number, error);
    *router = vef_topology_router_numbered(topology, number);
    if (code == VEF_OK && *router == VEF_NO_ROUTER)
        code = vef_fail(error, VEF_INVALID, "router %" PRIu32 " is down: expected another", number);
    return code == VEF_OK ? code : vef_fail_within(error, "--between");
}

static vef_code read_routers(const vef_topology *topology, const char *text, uint32_t *from,
                             uint32_t *to, vef_error *error) {
    vef_router_place first, second;
    const char *rest = vef_topology_read_place(text, &first);
    if (rest && *rest == '\0' && first.count == 2 && text[0] != '(') { /* "17,40" */
        second = (vef_router_place){.number = {first.number[1]}, .count = 1};
        first.count = 1;
    } else {
        if (rest && *rest == ':')
            rest++;
        rest = rest && *rest ? vef_topology_read_place(rest, &second) : NULL;
        if (!rest || *rest)
            return vef_fail(error, VEF_INVALID,
                            "--between '%s': expected two routers by number or by coordinates, "
                            "such as 0:17 or 3,4:7,1",
                            text);
    }
    vef_code code = find_router(topology, &first, from, error);
    return code == VEF_OK ? find_router(topology, &second, to, error) : code;
}

/* ---- paths ---- */

typedef struct between {
    const vef_topology *topology;
    uint32_t from, to, distance;
    double paths;
    vef_minimal minimal; /* count 0: no records */
} between;

/* Distance and number of paths. A missing path is a result, not an error of the request:
 * VEF_FAILED. */
static vef_code measure(between *shown, vef_error *error) {
    vef_graph *graph = NULL;
    vef_code code = vef_graph_create(shown->topology, &graph, error);
    if (code != VEF_OK)
        return code;
    code = vef_minimal_paths(graph, shown->from, shown->to, &shown->distance, &shown->paths, error);
    vef_graph_destroy(graph);
    if (code == VEF_INVALID)
        code = error->code = VEF_FAILED;
    return code;
}

/* The hops of a record along a generator, and the port that they take. */
static int hops_of(const between *shown, uint32_t record, uint32_t generator,
                   char port[VEF_PORT_NAME_BYTES]) {
    const vef_minimal *minimal = &shown->minimal;
    const uint32_t generators = shown->topology->lattice->generators;
    const int hops =
        minimal->records[record * generators + generator] + minimal->straight[generator];
    vef_topology_port_name(shown->topology, 2 * generator + (hops < 0), port, VEF_PORT_NAME_BYTES);
    return abs(hops);
}

static void write_text(const void *report, FILE *out) {
    const between *shown = report;
    char from[VEF_ROUTER_NAME_BYTES], to[VEF_ROUTER_NAME_BYTES], port[VEF_PORT_NAME_BYTES];
    vef_topology_router_name(shown->topology, shown->from, from, sizeof from);
    vef_topology_router_name(shown->topology, shown->to, to, sizeof to);
    const bool named = shown->topology->dimensions > 1 || shown->topology->family->router_name;
    fprintf(out, "from router %" PRIu32 "%s%s to router %" PRIu32 "%s%s\n",
            vef_topology_router_number(shown->topology, shown->from), named ? " " : "",
            named ? from : "", vef_topology_router_number(shown->topology, shown->to),
            named ? " " : "", named ? to : "");
    fprintf(out, "  distance         %" PRIu32 " hops\n", shown->distance);
    if (isinf(shown->paths))
        fputs("  minimal paths    more than 10^308\n", out);
    else
        fprintf(out, "  minimal paths    %s%.*g\n", shown->paths > 0x1p53 ? "about " : "",
                shown->paths > 0x1p53 ? 5 : 17, shown->paths);
    if (shown->minimal.count > 0)
        fprintf(out, "  routing records  %" PRIu32 "\n", shown->minimal.count);
    for (uint32_t r = 0; r < shown->minimal.count; r++) {
        bool any = false;
        fputs("    ", out);
        for (uint32_t g = 0; g < shown->topology->lattice->generators; g++) {
            const int hops = hops_of(shown, r, g, port);
            if (hops == 0)
                continue;
            fprintf(out, "%s%d %s", any ? ", " : "", hops, port);
            any = true;
        }
        fputs(any ? "\n" : "stay\n", out);
    }
}

static void build(const void *report, vef_result *root) {
    const between *shown = report;
    vef_say_by(root, write_text, report);
    VEF_PUT(root, "from", vef_topology_router_number(shown->topology, shown->from));
    VEF_PUT(root, "to", vef_topology_router_number(shown->topology, shown->to));
    VEF_PUT(root, "distance", shown->distance);
    VEF_PUT(root, "minimal_paths", shown->paths);
    if (shown->minimal.count == 0) {
        VEF_PUT(root, "routing_records", VEF_NO_VALUE);
        return;
    }
    vef_result *routing_records = vef_put_list(root, "routing_records");
    for (uint32_t r = 0; r < shown->minimal.count; r++) {
        vef_result *routing_record = vef_put_group(routing_records, NULL);
        for (uint32_t g = 0; g < shown->topology->lattice->generators; g++) {
            char port[VEF_PORT_NAME_BYTES];
            const int hops = hops_of(shown, r, g, port);
            if (hops != 0)
                VEF_PUT(routing_record, port, hops);
        }
    }
}

vef_code vef_topology_show_between(const vef_topology *topology, const char *text,
                                   const vef_report_format *format, vef_error *error) {
    between shown = {.topology = topology};
    vef_code code = read_routers(topology, text, &shown.from, &shown.to, error);
    if (code == VEF_OK)
        code = measure(&shown, error);
    if (code != VEF_OK)
        return code;
    if (topology->lattice && topology->lattice->records)
        vef_lattice_minimal(topology->lattice, shown.from, shown.to, &shown.minimal);
    return vef_report_write(format, build, &shown, stdout, error);
}
