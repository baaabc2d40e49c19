/* `vef topology`: the figures of a network, without simulating it. */
#include "cli/command.h"
#include "cli/topology/topology.h"
#include "common/progress.h"
#include "netmodel/analysis/search/search.h"
#include "netmodel/file/prices.h"
#include "netmodel/netmodel.h"
#include "replay/machine.h"

#include <stdbool.h>
#include <string.h>

typedef struct choices {
    bool net;
    const vef_report_format *format;
    bool distances, partition, without_loads, all_paths, dot, resolved, routes;
    const char *pattern, *trace, *map;
    double precision;
    const char *between, *sharing, *layout, *best;
    vef_plot svg;
    int by;      /* a vef_rank_by; negative: not given */
    int64_t top; /* negative: not given */
    vef_texts overrides;
} choices;

enum { USUAL_TOP = 10 };
static const double USUAL_PRECISION = 0.02;

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_NET_OPTION(choices, net),
    VEF_SET_OPTION(choices, overrides, "network file (topology.a=8)"),
    VEF_FLAG("distances", choices, distances, "Number of routers at each distance"),
    VEF_FLAG("resolved", choices, resolved,
             "Delays, sizes and queues in cycles and phits, by class of links and cable"),
    VEF_OPTION(STRING, "between", "A:B", choices, between,
               "Distance, minimal paths and routing records between two routers (0:17, 3,4:7,1)"),
    VEF_FLAG("routes", choices, routes,
             "The links from each endpoint to each other one, of a deterministic routing"),
    VEF_FLAG("no-loads", choices, without_loads,
             "Skip link loads and the figures that need them: faster on irregular networks"),
    VEF_FLAG("partition", choices, partition,
             "Compute the bisection by graph partitioning for grids too"),
    VEF_OPTION(STRING, "sharing", "NAME", choices, sharing,
               "Rule by which minimal paths share traffic, see below", .default_text = "the best"),
    VEF_GROUP("Bounds for a traffic pattern or a program"),
    VEF_OPTION(STRING, "pattern", "PATTERN", choices, pattern,
               "Throughput bounds of a traffic pattern, as of vef load, with minimal routing"),
    VEF_OPTION(STRING, "trace", "TRACE", choices, trace,
               "The same for the messages of a program, with those of its collectives"),
    VEF_OPTION(STRING, "map", "MAPPING", choices, map,
               "With --trace: mapping of tasks to endpoints", .default_text = "identity"),
    VEF_FLAG("all-paths", choices, all_paths,
             "With --pattern or --trace: divide among all paths, not only minimal ones: no routing "
             "exceeds the upper bound"),
    VEF_OPTION(REAL, "precision", "X", choices, precision,
               "With --pattern or --trace: relative distance of lower and upper bound",
               .default_text = "0.02", .maximum = INFINITY),
    VEF_GROUP("Layouts and pictures"),
    VEF_OPTION(STRING, "layout", "NAME", choices, layout,
               "Places of routers on a plane, and lengths of links, see below"),
    VEF_OPTION(STRING, "svg", "FILE", choices, svg.path,
               "With --layout: draw it as FILE.svg, .pdf or .png"),
    VEF_FIGURE_OPTION(choices, svg.figure),
    VEF_FLAG("dot", choices, dot, "Write the network for Graphviz; with --layout at its places"),
    VEF_GROUP("Search"),
    VEF_OPTION(
        STRING, "best", "TEXT", choices, best,
        "Instead of NET.yaml: search the best of the networks that TEXT describes, see below"),
    VEF_CHOICE("by", vef_rank_names, choices, by, "With --best: figure to rank by",
               .default_text = "depends on the family"),
    VEF_OPTION(INT, "top", "N", choices, top, "With --best: number of networks to print",
               .default_text = "10; 0: all", .maximum = INFINITY),
    VEF_NETWORK_OPTIONS(choices, format),
};

#define MODES "--distances --between --routes --pattern --trace --dot --resolved --best"
static const vef_option_rule rules[] = {
    VEF_EXCLUDES(MODES, MODES),
    VEF_EXCLUDES("--layout", "--distances --between --routes --pattern --trace --resolved --best"),
    VEF_NEEDS("--svg", "--layout"),
    VEF_NEEDS("--figure", "--svg"),
    VEF_EXCLUDES("--svg", "--dot"),
    VEF_NEEDS("--by --top", "--best"),
    VEF_NEEDS("--map", "--trace"),
    VEF_NEEDS("--all-paths --precision", "--pattern --trace"),
    VEF_EXCLUDES("--sharing --partition --no-loads",
                 "--between --routes --pattern --trace --dot --resolved --layout --best"),
    VEF_EXCLUDES("--sharing", "--no-loads"),
    VEF_EXCLUDES("--set", "--best"),
    VEF_EXCLUDES(VEF_TABLE_WORDS, "--between --pattern --trace --dot"),
    VEF_EXCLUDES(VEF_DOC_WORDS, "--dot"),
    {0},
};

static void help(FILE *out) {
    fputs(
        "NET.yaml is a network file, or the topology itself: '{family: rtt, a: 16}'. Only the keys "
        "topology, endpoints_per_router, rails, pods, endpoint_order, failures, link, packet and "
        "cost "
        "are used, and no routing needs to support the network, except with --resolved and "
        "--routes. `vef list "
        "networks` "
        "lists the families.\n\nRules for sharing traffic among the minimal paths of a pair:\n",
        out);
    vef_topology_describe_sharings(out);
    fputs("\nLayouts:\n", out);
    vef_topology_describe_layouts(out);
    fputs("\nSearches:\n", out);
    vef_search_spaces_describe(out, 2);
    fputs(
        "\nExit status: 0; 1 when the network is disconnected; 2 for usage and input errors. "
        "docs/topology.md defines each figure.\n",
        out);
}

/* Shows each step with a time estimate. */
static void show_progress(void *context, const char *step, uint64_t done, uint64_t total) {
    vef_progress *progress = context;
    if (strcmp(progress->what, step) != 0) {
        vef_progress_end(progress);
        vef_progress_begin(progress, step);
    }
    vef_progress_update(progress, done, total);
}

/* Documents include all figures and the distances. */
static bool is_document(const choices *chosen) {
    return chosen->format && chosen->format->reader == VEF_DOCUMENTS;
}

static vef_code show_figures(const choices *chosen, const vef_node *root,
                             const vef_topology *topology, uint64_t bandwidth_bits_per_s,
                             vef_error *error) {
    vef_arena arena = {0};
    vef_prices prices;
    vef_progress progress;
    vef_figures figures;
    vef_figures_request request = {
        .without_loads = chosen->without_loads || (chosen->distances && !is_document(chosen)),
        /* Without a grid of routers, cuts across axes may be far from minimal. */
        .with_partition = chosen->partition || topology->dimensions == 0,
        .prices = &prices,
        .nominal_bits_per_s = bandwidth_bits_per_s,
        .watch = {show_progress, &progress},
    };
    vef_code code = vef_prices_read(root, topology, &arena, &prices, error);
    if (code == VEF_OK && chosen->sharing &&
        vef_sharing_find(chosen->sharing, &request.sharing, error) != VEF_OK)
        code = vef_fail_within(error, "--sharing");
    if (code == VEF_OK) {
        vef_progress_begin(&progress, "measuring");
        code = vef_figures_measure(topology, &request, &figures, error);
        vef_progress_end(&progress);
    }
    if (code == VEF_OK) {
        code = vef_report_write(chosen->format,
                                chosen->distances ? vef_topology_distances_build
                                                  : vef_topology_report_build,
                                &(vef_topology_report){topology, &figures, &prices}, stdout, error);
        vef_figures_release(&figures);
    }
    vef_arena_release(&arena);
    return code;
}

static vef_code show(const choices *chosen, const vef_node *root, const vef_topology *topology,
                     const vef_replay_options *machine, uint64_t bandwidth_bits_per_s,
                     vef_error *error) {
    if (chosen->resolved)
        return vef_topology_show_resolved(root, chosen->format, error);
    if (chosen->routes)
        return vef_topology_show_routes(root, bandwidth_bits_per_s, chosen->format, error);
    if (chosen->between)
        return vef_topology_show_between(topology, chosen->between, chosen->format, error);
    if (chosen->pattern || chosen->trace) {
        const vef_bounds_request request = {.root = root,
                                            .pattern = chosen->pattern,
                                            .trace = chosen->trace,
                                            .map = chosen->map,
                                            .machine = machine,
                                            .bandwidth_bits_per_s = bandwidth_bits_per_s,
                                            .all_paths = chosen->all_paths,
                                            .precision = chosen->precision < 0 ? USUAL_PRECISION
                                                                               : chosen->precision};
        return vef_topology_show_bounds(topology, &request, chosen->format, error);
    }
    if (chosen->dot)
        return vef_topology_write_dot(topology, chosen->layout, stdout, error);
    if (chosen->layout)
        return vef_topology_show_layout(topology, chosen->layout, &chosen->svg, chosen->format,
                                        error);
    return show_figures(chosen, root, topology, bandwidth_bits_per_s, error);
}

static vef_code show_network(const choices *chosen, const char *network, vef_error *error) {
    vef_topology *topology = NULL;
    uint64_t bandwidth_bits_per_s = 0;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_replay_options machine = vef_replay_defaults();
    vef_code code = vef_machine_open(network, chosen->overrides.text, chosen->overrides.count,
                                     &arena, &root, &machine, error);
    if (code == VEF_OK)
        code = vef_netmodel_create_topology(root, &topology, &bandwidth_bits_per_s, error);
    if (code == VEF_OK)
        vef_command_warn_ignored("topology", root);
    if (code == VEF_OK)
        code = show(chosen, root, topology, &machine, bandwidth_bits_per_s, error);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_topology, argc, argv, &chosen, 0, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    /* Documents have all figures beside the distances. */
    if (chosen.distances && !is_document(&chosen) && (chosen.sharing || chosen.partition))
        return vef_command_usage(&vef_command_topology,
                                 "%s and --distances: not supported together",
                                 chosen.sharing ? "--sharing" : "--partition");
    if (chosen.best && operand < argc)
        return vef_command_usage(&vef_command_topology, "--best: unexpected operand '%s'",
                                 argv[operand]);
    if (!chosen.best && operand == argc)
        return vef_command_usage(&vef_command_topology,
                                 "missing NET.yaml: expected a network file, or --best");
    const int64_t top = chosen.top < 0 ? USUAL_TOP : chosen.top;
    const vef_code code =
        chosen.best ? vef_topology_show_best(chosen.best, chosen.by, top, chosen.format, &error)
                    : show_network(&chosen, argv[operand], &error);
    if (code == VEF_INVALID && chosen.best)
        vef_fail_within(&error, "--best");
    return code == VEF_OK ? VEF_EXIT_OK : vef_command_error("topology", &error);
}

const vef_command vef_command_topology = {
    .name = "topology",
    .summary = "Compute distances, link loads, bisection and symmetry of a network",
    .usage = "NET.yaml|'{family: …}'|--best TEXT [--set KEY=VALUE]... [OPTIONS]",
    .operands = "NET.yaml",
    .options = options,
    .rules = rules,
    .help = help,
    .run = run,
};
