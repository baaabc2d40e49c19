/* Any network, from a file that lists its links (docs/edges.md). Ports of a router are in the order
 * of the file's lines. Links are of as many classes as they have bandwidths, delays and lengths. */
#include "common/memory.h"
#include "netmodel/topology/edges_file.h"
#include "netmodel/topology/families.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    const char *file;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(PATH, parameters, file),
     .help = "file of links, one per line, as in `0 1 10 Gbit/s 50 ns` (docs/edges.md)"},
    {.key = NULL},
};

/* Every router has as many ports as the one with the most links, and each takes 7 bytes, or 31 with
 * a bandwidth, a delay and a length. */
#define MOST_PORTS_IN_ALL (UINT64_C(1) << 28)

/* The links by router: those of r are number[first[r]] … number[first[r + 1] - 1], by line. */
typedef struct link_graph {
    const char *path;
    const vef_edges *edges;
    uint32_t routers, ports;
    uint64_t *first;  /* [routers + 1] */
    uint32_t *number; /* [2 * links] */
    uint32_t *work;   /* [routers] */
} link_graph;

static void make_graph(link_graph *graph) {
    const vef_edges *edges = graph->edges;
    for (size_t i = 0; i < edges->count; i++)
        for (int end = 0; end < 2; end++)
            if (edges->links[i].routers[end] >= graph->routers)
                graph->routers = edges->links[i].routers[end] + 1;
    graph->first = vef_calloc((size_t)graph->routers + 2, sizeof *graph->first);
    graph->number = vef_malloc(2 * edges->count * sizeof *graph->number);
    graph->work = vef_calloc(graph->routers, sizeof *graph->work);
    /* first[r + 2] counts, then first[r + 1] is where the next link of r goes. */
    for (size_t i = 0; i < edges->count; i++)
        for (int end = 0; end < 2; end++)
            graph->first[edges->links[i].routers[end] + 2]++;
    for (uint32_t r = 0; r < graph->routers; r++)
        graph->first[r + 2] += graph->first[r + 1];
    for (size_t i = 0; i < edges->count; i++)
        for (int end = 0; end < 2; end++)
            graph->number[graph->first[edges->links[i].routers[end] + 1]++] = (uint32_t)i;
}

static void release_graph(link_graph *graph) {
    free(graph->first);
    free(graph->number);
    free(graph->work);
}

static uint32_t other_end(const vef_edge *link, uint32_t router) {
    return link->routers[link->routers[0] == router];
}

/* ---- checks ---- */

static vef_code check_duplicates(link_graph *graph, vef_error *error) {
    const vef_edge *links = graph->edges->links;
    const vef_edge *again = NULL, *before = NULL;
    /* work[s]: 1 + the link that last led to s; it came from r if r is an end of it. */
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint64_t i = graph->first[r]; i < graph->first[r + 1]; i++) {
            const vef_edge *link = &links[graph->number[i]];
            const uint32_t other = other_end(link, r);
            const uint32_t last = graph->work[other];
            if (last && (links[last - 1].routers[0] == r || links[last - 1].routers[1] == r) &&
                (!again || link->line < again->line)) {
                again = link;
                before = &links[last - 1];
            }
            graph->work[other] = graph->number[i] + 1;
        }
    if (!again)
        return VEF_OK;
    return vef_fail(
        error, VEF_INVALID,
        "%s:%u: duplicate link of routers %u and %u: first in line %u; expected once, in "
        "either direction",
        graph->path, again->line, again->routers[0], again->routers[1], before->line);
}

/* Counts the routers for which work is 0, and lists the first ones: "4, 7, 8, …". */
static uint32_t list_without_work(const link_graph *graph, char *text, size_t text_bytes) {
    enum { LISTED = 8 };
    uint32_t count = 0;
    text[0] = '\0';
    for (uint32_t r = 0; r < graph->routers; r++) {
        if (graph->work[r])
            continue;
        if (count < LISTED)
            vef_append(text, text_bytes, "%s%u", count ? ", " : "", r);
        else if (count == LISTED)
            vef_append(text, text_bytes, ", …");
        count++;
    }
    return count;
}

static vef_code check_numbering(link_graph *graph, vef_error *error) {
    for (uint32_t r = 0; r < graph->routers; r++)
        graph->work[r] = graph->first[r + 1] > graph->first[r];
    char list[128];
    const uint32_t without = list_without_work(graph, list, sizeof list);
    if (without == 0)
        return VEF_OK;
    const vef_edge *greatest = graph->edges->links; /* the first with the greatest number */
    while (greatest->routers[0] != graph->routers - 1 && greatest->routers[1] != graph->routers - 1)
        greatest++;
    return vef_fail(
        error, VEF_INVALID,
        "%s: routers must be numbered from 0 without gaps: the greatest is %u (line %u), but %u of "
        "the numbers ha%s no link: %s: expected the %u routers as 0 to %u",
        graph->path, graph->routers - 1, greatest->line, without, without == 1 ? "s" : "ve", list,
        graph->routers - without, graph->routers - without - 1);
}

static vef_code check_connected(link_graph *graph, vef_error *error) {
    uint32_t *queue = vef_malloc(graph->routers * sizeof *queue);
    memset(graph->work, 0, graph->routers * sizeof *graph->work);
    uint32_t reached = 1;
    queue[0] = 0;
    graph->work[0] = 1;
    for (uint32_t place = 0; place < reached; place++)
        for (uint64_t i = graph->first[queue[place]]; i < graph->first[queue[place] + 1]; i++) {
            const uint32_t next = other_end(&graph->edges->links[graph->number[i]], queue[place]);
            if (!graph->work[next])
                queue[reached++] = next;
            graph->work[next] = 1;
        }
    free(queue);
    if (reached == graph->routers)
        return VEF_OK;
    char list[128];
    const uint32_t cut_off = list_without_work(graph, list, sizeof list);
    return vef_fail(error, VEF_INVALID,
                    "%s: the network is not connected: %u of its %u routers cannot be reached from "
                    "router 0: %s",
                    graph->path, cut_off, graph->routers, list);
}

static vef_code check_ports(link_graph *graph, vef_error *error) {
    uint32_t hub = 0;
    uint64_t most = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        if (graph->first[r + 1] - graph->first[r] > most) {
            hub = r;
            most = graph->first[r + 1] - graph->first[r];
        }
    if (most > VEF_MAX_PORTS)
        return vef_fail(error, VEF_INVALID,
                        "%s:%u: link %d of router %u, which has %" PRIu64 ": expected at most %d",
                        graph->path,
                        graph->edges->links[graph->number[graph->first[hub] + VEF_MAX_PORTS]].line,
                        VEF_MAX_PORTS + 1, hub, most, VEF_MAX_PORTS);
    if (most * graph->routers > MOST_PORTS_IN_ALL)
        return vef_fail(error, VEF_INVALID,
                        "%s: router %u has %" PRIu64
                        " links, and each of the %u routers is given room for as many: expected at "
                        "most %" PRIu64 " links (divide router %u into several)",
                        graph->path, hub, most, graph->routers, MOST_PORTS_IN_ALL / graph->routers,
                        hub);
    graph->ports = (uint32_t)most;
    return VEF_OK;
}

/* ---- attributes of links and endpoints ---- */

/* Different bandwidths, delays and lengths, in the order of their first links. */
typedef struct kinds {
    uint32_t count;
    uint64_t bandwidth_bits_per_s[VEF_MAX_LINK_CLASSES];
    double delay_ns[VEF_MAX_LINK_CLASSES], length_m[VEF_MAX_LINK_CLASSES];
    uint8_t *of_port; /* [router * ports + port] */
} kinds;
static_assert(VEF_MAX_LINK_CLASSES <= UINT8_MAX, "a class fits into of_port");

static uint32_t find_class(const kinds *classes, const vef_edge *link) {
    uint32_t i = 0;
    while (i < classes->count &&
           (classes->bandwidth_bits_per_s[i] != link->bandwidth_bits_per_s ||
            classes->delay_ns[i] != link->delay_ns || classes->length_m[i] != link->length_m))
        i++;
    return i;
}

static kinds *make_classes(const vef_edges *edges, vef_topology *topology) {
    const size_t ports = (size_t)topology->routers * topology->ports;
    kinds *classes = vef_arena_alloc(&topology->arena, 1, sizeof *classes);
    classes->of_port = vef_arena_alloc(&topology->arena, ports, 1);
    for (size_t i = 0; i < edges->count; i++) {
        const vef_edge *link = &edges->links[i];
        if (find_class(classes, link) < classes->count)
            continue;
        if (classes->count == VEF_MAX_LINK_CLASSES) {
            classes->count = 1; /* too many to distinguish */
            break;
        }
        classes->bandwidth_bits_per_s[classes->count] = link->bandwidth_bits_per_s;
        classes->delay_ns[classes->count] = link->delay_ns;
        classes->length_m[classes->count] = link->length_m;
        classes->count++;
    }
    topology->link_classes = classes->count;
    topology->details = classes;
    return classes;
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const kinds *classes = topology->details;
    return classes->of_port[(size_t)router * topology->ports + port];
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    const kinds *classes = topology->details;
    char parts[3][VEF_QUANTITY_TEXT_BYTES];
    uint32_t count = 0;
    if (classes->bandwidth_bits_per_s[class])
        vef_format_bandwidth(parts[count++], classes->bandwidth_bits_per_s[class]);
    if (classes->delay_ns[class] > 0)
        vef_format_time_ns(parts[count++], classes->delay_ns[class]);
    if (classes->length_m[class] > 0)
        vef_format_length_m(parts[count++], classes->length_m[class]);
    if (topology->link_classes == 1 || count == 0) {
        snprintf(text, text_bytes, "%s", topology->link_classes == 1 ? "all" : "others");
        return;
    }
    snprintf(text, text_bytes, "%s", parts[0]);
    for (uint32_t i = 1; i < count; i++)
        vef_append(text, text_bytes, ", %s", parts[i]);
}

static vef_code join(const link_graph *graph, vef_topology *topology, vef_error *error) {
    const vef_edges *edges = graph->edges;
    topology->routers = graph->routers;
    topology->ports = graph->ports;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code)
        return code;
    kinds *classes = make_classes(edges, topology);
    bool has_bandwidth = false, has_delay = false, has_length = false;
    for (size_t i = 0; i < edges->count; i++) {
        has_bandwidth = has_bandwidth || edges->links[i].bandwidth_bits_per_s;
        has_delay = has_delay || edges->links[i].delay_ns > 0;
        has_length = has_length || edges->links[i].length_m > 0;
    }
    const size_t ports = (size_t)topology->routers * topology->ports;
    vef_arena *arena = &topology->arena;
    uint64_t *bandwidth = has_bandwidth ? vef_arena_alloc(arena, ports, sizeof *bandwidth) : NULL;
    double *delay = has_delay ? vef_arena_alloc(arena, ports, sizeof *delay) : NULL;
    double *length = has_length ? vef_arena_alloc(arena, ports, sizeof *length) : NULL;
    memset(graph->work, 0, graph->routers * sizeof *graph->work); /* ports in use */
    for (size_t i = 0; i < edges->count; i++) {
        const vef_edge *link = &edges->links[i];
        const uint32_t class = classes->count > 1 ? find_class(classes, link) : 0;
        uint32_t port[2];
        for (int end = 0; end < 2; end++) {
            port[end] = graph->work[link->routers[end]]++;
            const size_t here = (size_t)link->routers[end] * topology->ports + port[end];
            classes->of_port[here] = (uint8_t) class;
            if (bandwidth)
                bandwidth[here] = link->bandwidth_bits_per_s;
            if (delay)
                delay[here] = link->delay_ns;
            if (length)
                length[here] = link->length_m;
        }
        vef_topology_join(topology, link->routers[0], port[0], link->routers[1], port[1]);
    }
    topology->bandwidth_bits_per_s = bandwidth;
    topology->delay_ns = delay;
    topology->length_m = length;
    return VEF_OK;
}

/* Endpoints by router: from the file, elsewhere from the rest of the configuration. */
static vef_code attach(const link_graph *graph, vef_topology *topology, vef_error *error) {
    const vef_edges *edges = graph->edges;
    if (edges->endpoint_lines == 0)
        return VEF_OK; /* left to the caller */
    memset(graph->work, 0xff, graph->routers * sizeof *graph->work);
    for (size_t i = 0; i < edges->endpoint_lines; i++) {
        const vef_edge_endpoints *some = &edges->endpoints[i];
        for (uint32_t r = some->first; r <= some->last; r++) {
            if (r >= graph->routers)
                return vef_fail(error, VEF_INVALID,
                                "%s:%u: router %u has no link: expected router 0 to %u",
                                graph->path, some->line, r, graph->routers - 1);
            if (graph->work[r] != UINT32_MAX)
                return vef_fail(error, VEF_INVALID, "%s:%u: duplicate endpoints of router %u",
                                graph->path, some->line, r);
            graph->work[r] = some->count;
        }
    }
    uint64_t sum = 0;
    uint32_t most = 0;
    for (uint32_t r = 0; r < graph->routers; r++) {
        if (graph->work[r] == UINT32_MAX)
            graph->work[r] = topology->endpoints_asked;
        most = graph->work[r] > most ? graph->work[r] : most;
        sum += graph->work[r];
    }
    if (sum == 0 || sum >= UINT32_MAX)
        return vef_fail(error, VEF_INVALID,
                        "%s: %" PRIu64 " endpoints in all: out of range: expected 1 to %" PRIu32,
                        graph->path, sum, UINT32_MAX - 1);
    uint32_t *router_of = vef_arena_alloc(&topology->arena, sum, sizeof *router_of);
    topology->endpoints = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t i = 0; i < graph->work[r]; i++)
            router_of[topology->endpoints++] = r;
    topology->endpoint_router = router_of;
    topology->endpoints_per_router = most;
    return VEF_OK;
}

static vef_code build(const void *parameters_, vef_topology *topology, vef_error *error) {
    const parameters *given = parameters_;
    vef_edges edges;
    vef_code code = vef_edges_read(given->file, &edges, error);
    if (code)
        return code;
    link_graph graph = {.path = given->file, .edges = &edges};
    make_graph(&graph);
    code = check_duplicates(&graph, error);
    if (code == VEF_OK)
        code = check_numbering(&graph, error);
    if (code == VEF_OK)
        code = check_connected(&graph, error);
    if (code == VEF_OK)
        code = check_ports(&graph, error);
    if (code == VEF_OK)
        code = join(&graph, topology, error);
    if (code == VEF_OK)
        code = attach(&graph, topology, error);
    release_graph(&graph);
    vef_edges_release(&edges);
    return code;
}

/* From the root of the source tree, where the tests run. */
const vef_topology_family vef_topology_edges = {
    .name = "edges",
    .aliases = "graph file custom adjacency links",
    .summary = "any network, from a file of its links",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .samples = VEF_LIST("{file: examples/networks/petersen.txt}"),
};
