/* Measures the analysis of topologies of some 65,536 routers: seconds for building the network, for
 * its distances and for the loads of its links, and the greatest memory of the process so far.
 *
 *   topology                the table
 *   topology '{family: …}'  one network */
#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/loads/link_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void stop(const char *why) {
    fprintf(stderr, "topology: %s\n", why);
    exit(2);
}

static double memory_mb(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void measure(const char *yaml) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    vef_graph *graph = NULL;
    vef_distances distances;
    vef_link_load load;
    vef_error error;
    const double started = seconds();
    if (vef_config_parse(yaml, "bench", &arena, &node, &error) ||
        vef_topology_create(node, 1, &topology, &error) ||
        vef_graph_create(topology, &graph, &error))
        stop(error.message);
    const double built = seconds();
    if (vef_distances_measure(graph, &distances, &error))
        stop(error.message);
    const double searched = seconds();
    if (vef_link_load_measure(graph, NULL, 0, &load, &error))
        stop(error.message);
    const double loaded = seconds();
    printf("%-44s %8u %8u %8u %9u %10.5f %8.5f %-8s %6.2f %6.2f %6.2f %7.1f\n", yaml,
           graph->routers, graph->arcs / 2, graph->sources, distances.diameter, distances.average,
           load.throughput_bound, load.sharing->name, built - started, searched - built,
           loaded - searched, memory_mb());
    fflush(stdout);
    vef_link_load_release(&load);
    vef_distances_release(&distances);
    vef_graph_destroy(graph);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

/* Of growing memory, as that of the process does not shrink. */
static const char *const rows[] = {
    "{family: hypercube, dimensions: 15}",
    "{family: pdtt, a: 32}",
    "{family: king-torus, sizes: [256, 256]}",
    "{family: king-mesh, sizes: [256, 256]}",
    "{family: mesh, sizes: [256, 256]}",
    "{family: de-bruijn, symbols: 4, length: 8}",
    NULL,
};

int main(int argc, char **argv) {
    printf("%-44s %8s %8s %8s %9s %10s %8s %-8s %6s %6s %6s %7s\n", "network", "routers", "links",
           "searches", "diameter", "average", "bound", "sharing", "build", "dist", "loads", "MB");
    for (int i = 1; i < argc; i++)
        measure(argv[i]);
    for (size_t i = 0; rows[i] && argc == 1; i++)
        measure(rows[i]);
    return 0;
}
