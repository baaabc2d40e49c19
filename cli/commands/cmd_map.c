/* `vef map`: compares mappings of a program on a network, or shows where one places the tasks. */
#include "cli/command.h"
#include "cli/map/compare.h"
#include "common/config/config.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/pictures/picture.h"
#include "common/plugin/library.h"
#include "common/progress.h"
#include "common/system/file.h"
#include "mappings/grid.h"
#include "mappings/mapping.h"
#include "mappings/places/host_names.h"
#include "mappings/places/launch.h"
#include "netmodel/topology/topology.h"
#include "netmodel/traffic/traffic.h"
#include "replay/machine.h"
#include "replay/program.h"
#include "replay/traffic.h"
#include "traces/file/trace.h"
#include "traces/file/traffic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct choices {
    bool net, show, simulate, force;
    const vef_report_format *format;
    const char *network, *grid, *output, *hosts, *pattern;
    vef_plot plot;
    vef_texts maps, overrides;
    int as;         /* a form, of the words below */
    int weigh;      /* of the words below; negative: not given */
    uint32_t tasks; /* 0: not given */
    double limit_ns;
} choices;

enum { MESSAGES = 1 };
static const char *const units[] = {"bytes", [MESSAGES] = "messages", NULL};

typedef enum form {
    OF_ENDPOINTS,
    OF_HOSTS, /* srun */
    OF_RANKS, /* Open MPI */
} form;
static const char *const forms[] = {
    [OF_ENDPOINTS] = "endpoints", [OF_HOSTS] = "hostfile", [OF_RANKS] = "rankfile", NULL};

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_NET_OPTION(choices, net),
    VEF_SET_OPTION(choices, overrides, "network file (router.queue_packets=8)"),
    VEF_TEXTS("map", "MAPPING", choices, maps,
              "Mapping of tasks to endpoints, see below; repeat it to compare several"),
    VEF_OPTION(STRING, "grid", "GRID", choices, grid, "Logical grid of the tasks, 16x8 or 8x4x4",
               .default_text = "that of the program, else one that fits"),
    VEF_OPTION(COUNT, "tasks", "N", choices, tasks, "Number of tasks, without TRACE", .minimum = 1,
               .maximum = INT32_MAX),
    VEF_OPTION(STRING, "pattern", "PATTERN", choices, pattern,
               "Traffic pattern as of vef load, a task for each endpoint, instead of TRACE"),
    VEF_FLAG("show", choices, show,
             "Print the endpoint and the router of each task (the default without TRACE)"),
    VEF_GROUP("Comparison"),
    VEF_FLAG("simulate", choices, simulate, "Replay TRACE with each mapping"),
    VEF_CHOICE("weigh", units, choices, weigh,
               "Unit of costs and pictures; see also greedy(messages)", .default_text = "bytes"),
    VEF_OPTION(TIME, "map-time", "TIME", choices, limit_ns,
               "Maximum time of each optimiser; results then depend on the machine's speed"),
    VEF_PLOT_OPTIONS(
        choices, plot,
        "Draw the first and the best mapping, their traffic and loads of links (.svg, .pdf "
        "or .png)"),
    VEF_GROUP("Best mapping"),
    VEF_LETTERED('o', "output", "FILE", choices, output,
                 "Write the best mapping, for --map 'file(FILE)'"),
    VEF_CHOICE("as", forms, choices, as,
               "Form of FILE; a hostfile is for srun, a rankfile for Open MPI",
               .fallback = "endpoints"),
    VEF_OPTION(STRING, "hosts", "NAMES", choices, hosts, "Names of the nodes, one in each line",
               .default_text = "node0, node1, ..."),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_NETWORK_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_NEEDS("--as --hosts", "--output"),
    VEF_NEEDS("--weigh --plot", "TRACE --pattern"),
    VEF_NEEDS("--simulate", "TRACE"),
    VEF_NEEDS("--figure", "--plot"),
    VEF_EXCLUDES("--weigh --plot --simulate", "--show"),
    {0},
};

static void help(FILE *out) {
    fputs("MAPPING is one of these, or a composition f . g . h, applied from right to left:\n",
          out);
    vef_mapping_describe(out, 2);
    fputs(
        "\nThe resulting grid must be that of the routers. `identity` alone fills the routers in "
        "order and needs no grid. Mappings that assign endpoints directly, such as random, have no "
        "stage of a grid beside them. swap and anneal improve the mapping to their right, or "
        "identity: swap . greedy.\n\nWith TRACE or --pattern: a table of the mappings (without "
        "--map: of some usual ones). Columns:\norder from the best, by simulated time, else by the "
        "load of the most loaded link; hop_bytes, the sum of bytes x hops; dilation, hops between "
        "tasks that exchange messages; link loads in bytes, messages divided evenly at each router "
        "among the minimal ports; local_bytes, inside nodes; seconds to find it; the logical grid, "
        "where one was used; note: whether --map-time ended an optimiser; error: why the mapping "
        "cannot be used (docs/mappings.md).\n\nExit status: 1 when the trace is damaged and its "
        "traffic was counted as far as it can be read; 2 for usage and input errors.\n",
        out);
}

/* Checks the options together; the number of tasks of a trace is checked later. */
static vef_code check(const choices *chosen, const char *trace, vef_error *error) {
    const bool traffic = trace || chosen->pattern;
    const int given = (chosen->tasks > 0) + (trace != NULL) + (chosen->pattern != NULL);
    if (given == 0 && !chosen->net)
        return vef_fail(error, VEF_INVALID,
                        "missing TRACE or --net NET.yaml: expected a network file, and beside it "
                        "--tasks N, a TRACE or a --pattern");
    if (given != 1)
        return vef_fail(error, VEF_INVALID,
                        "missing number of tasks: expected --tasks N, a TRACE or a --pattern");
    if ((chosen->show || !traffic) && chosen->maps.count > 1)
        return vef_fail(error, VEF_INVALID, "--map: expected one with --show, or without a TRACE");
    return VEF_OK;
}

static vef_code make_request(const choices *chosen, vef_progress *progress,
                             vef_mapping_request *request, vef_error *error) {
    *request = (vef_mapping_request){.tasks = chosen->tasks,
                                     .text = chosen->maps.count ? chosen->maps.text[0] : NULL,
                                     .limit_s = chosen->limit_ns * 1e-9,
                                     .progress = progress};
    return chosen->grid ? vef_mapping_parse_grid(chosen->grid, &request->grid, error) : VEF_OK;
}

/* ---- the table ---- */

/* A mapping and its network; NULL: no routers. */
typedef struct placed {
    const vef_mapping *mapping;
    const vef_topology *topology;
} placed;

/* One row per task: its grid coordinates, its endpoint and, if any, its router with coordinates. */
static void put_tasks(const placed *shown, vef_result *into) {
    const vef_mapping *mapping = shown->mapping;
    const vef_topology *topology = shown->topology;
    const uint32_t sides = vef_grid_dimensions(&mapping->grid);
    char name[32];
    vef_result *table =
        vef_put_table(into, "mapping", VEF_EVERYONE, (const vef_column[]){{.key = "task"}, {0}});
    for (uint32_t d = 0; d < sides; d++) {
        vef_grid_axis_name(d, name);
        vef_add_column(table, (vef_column){.key = name});
    }
    vef_add_column(table, (vef_column){.key = "endpoint"});
    if (topology)
        vef_add_column(table, (vef_column){.key = "router"});
    for (uint32_t d = 0; topology && d < topology->dimensions; d++) {
        if (d < 3)
            snprintf(name, sizeof name, "router_%c", "xyz"[d]);
        else
            snprintf(name, sizeof name, "router_%u", d);
        vef_add_column(table, (vef_column){.key = name});
    }
    for (uint32_t t = 0; t < mapping->tasks; t++) {
        uint32_t position[VEF_MAX_DIMENSIONS];
        VEF_CELLS(table, t);
        vef_grid_locate(&mapping->grid, t, position);
        for (uint32_t d = 0; d < sides; d++)
            VEF_CELLS(table, position[d]);
        VEF_CELLS(table, mapping->endpoint[t]);
        if (!topology)
            continue;
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        vef_topology_coordinates(topology, router, position);
        VEF_CELLS(table, vef_topology_router_number(topology, router));
        for (uint32_t d = 0; d < topology->dimensions; d++)
            VEF_CELLS(table, position[d]);
    }
}

static void build(const void *report, vef_result *root) {
    const placed *shown = report;
    const vef_mapping *mapping = shown->mapping;
    char grid[VEF_GRID_TEXT_BYTES];
    VEF_PUT(root, "tasks", mapping->tasks);
    VEF_PUT(root, "grid_width", mapping->grid.width);
    VEF_PUT(root, "grid_height", mapping->grid.height);
    VEF_PUT(root, "grid", vef_grid_write(&mapping->grid, grid));
    put_tasks(shown, root);
}

/* ---- the command ---- */

typedef struct session {
    vef_arena arena;
    vef_node *root;
    vef_netmodel *network;
    vef_replay_options machine;
    vef_trace *trace;           /* NULL: none */
    const char *missing;        /* of a damaged trace; NULL: nothing */
    vef_traced_program program; /* to show a mapping */
    vef_traffic_matrix traffic; /* to compare several mappings */
    vef_progress progress;
    vef_mapping_request request;
} session;

/* ---- the traffic of a pattern ---- */

enum { ALL_BYTES = 1 << 20, ALL_MESSAGES = 1024 };

static void add_shares(const vef_pattern *pattern, const double *share, vef_traffic_row *row) {
    const uint64_t messages_of_task = pattern->kind->permutation ? 1 : ALL_MESSAGES;
    for (uint32_t to = 0; to < pattern->endpoints; to++) {
        const uint64_t messages = (uint64_t)llround((double)messages_of_task * share[to]);
        if (share[to] > 0)
            vef_traffic_row_add(row, to, messages ? messages : 1,
                                (uint64_t)llround(ALL_BYTES * share[to]));
    }
}

static void add_draws(const vef_pattern *pattern, uint32_t task, vef_traffic_row *row) {
    vef_rng rng = vef_rng_make(1, VEF_RNG_TRAFFIC, task);
    for (uint32_t i = 0; i < ALL_MESSAGES; i++)
        vef_traffic_row_add(row, pattern->kind->destination(pattern, task, &rng), 1,
                            ALL_BYTES / ALL_MESSAGES);
}

static void add_task(const vef_pattern *pattern, uint32_t task, double *share,
                     vef_traffic_row *row) {
    if (!vef_pattern_sends(pattern, task))
        return;
    uint32_t destinations = 0;
    vef_pattern_shares(pattern, task, share);
    for (uint32_t to = 0; to < pattern->endpoints; to++)
        destinations += share[to] > 0;
    if (destinations <= ALL_MESSAGES)
        add_shares(pattern, share, row);
    else
        add_draws(pattern, task, row);
}

/* `text`: a pattern as of vef load. Every task sends 1 MiB: in one message if its destination is
 * always the same, else in about 1,024. These are divided by the probabilities of the destinations
 * or, if there are more of them than messages, drawn with a fixed seed. On failure nothing is held.
 */
static vef_code find_pattern_traffic(const char *text, const vef_node *root,
                                     const vef_topology *topology, vef_traffic_matrix *traffic,
                                     vef_error *error) {
    vef_pattern *pattern = NULL;
    *traffic = (vef_traffic_matrix){0};
    vef_code code = vef_pattern_of_text(text, vef_library_list(root), topology, &pattern, error);
    if (code != VEF_OK)
        return code;
    vef_traffic_row row;
    double *share = vef_calloc(topology->endpoints, sizeof *share);
    vef_traffic_matrix_begin(traffic, topology->endpoints);
    vef_traffic_row_begin(&row, topology->endpoints);
    for (uint32_t t = 0; code == VEF_OK && t < topology->endpoints; t++) {
        add_task(pattern, t, share, &row);
        vef_traffic_matrix_end_row(traffic, t, &row);
        code = vef_limit_check(VEF_LIMIT_FLOWS, traffic->first[t + 1], error);
    }
    if (code != VEF_OK)
        vef_traffic_matrix_free(traffic);
    vef_traffic_row_free(&row);
    free(share);
    vef_pattern_destroy(pattern);
    return code;
}

/* The traffic of a pattern; a task for each endpoint. */
static vef_code open_pattern(const choices *chosen, session *held, vef_error *error) {
    const vef_topology *topology = held->network->topology;
    if (!topology)
        return vef_fail(error, VEF_UNSUPPORTED, "--pattern: the network has no topology");
    held->request.tasks = topology->endpoints;
    held->request.traffic = &held->traffic;
    return find_pattern_traffic(chosen->pattern, held->root, topology, &held->traffic, error);
}

/* The network, and of a trace the number of tasks, their grid, and for a comparison the traffic. */
static vef_code open_session(const choices *chosen, const char *path, session *held,
                             vef_error *error) {
    vef_mapping_request *request = &held->request;
    vef_code code =
        vef_machine_open(chosen->network, chosen->overrides.text, chosen->overrides.count,
                         &held->arena, &held->root, &held->machine, error);
    request->plugins = vef_library_list(held->root);
    for (size_t i = 0; code == VEF_OK && i < chosen->maps.count; i++)
        code = vef_mapping_check(chosen->maps.text[i], request->plugins, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(held->root, &held->network, error);
    if (code == VEF_OK)
        vef_command_warn_ignored("map", held->root);
    request->cores = held->machine.host.cores;
    request->nics = held->machine.host.nics;
    if (code == VEF_OK && chosen->pattern)
        return open_pattern(chosen, held, error);
    if (code == VEF_OK && path)
        code = vef_trace_open(path, &held->trace, &held->missing, error);
    if (code != VEF_OK || !path)
        return code;
    held->program = (vef_traced_program){held->trace, &held->machine};
    const vef_mapping_request program =
        vef_program_request(&held->program, held->network->topology);
    request->tasks = program.tasks;
    request->program_grid = program.program_grid;
    if (chosen->show) {
        request->find_traffic = program.find_traffic;
        request->context = program.context;
        return VEF_OK;
    }
    request->traffic = &held->traffic;
    return vef_replay_traffic(held->trace, &held->machine, &held->traffic, error);
}

static void close_session(session *held) {
    vef_netmodel_destroy(held->network);
    vef_traffic_matrix_free(&held->traffic);
    vef_trace_close(held->trace);
    vef_arena_release(&held->arena);
}

/* ---- the file of a mapping ---- */

/* The core of each task: the first free one of its endpoint. */
static vef_code find_cores(const vef_mapping *mapping, const vef_mapping_view *view, uint32_t *core,
                           vef_error *error) {
    uint32_t endpoints = 0;
    for (uint32_t t = 0; t < mapping->tasks; t++)
        if (mapping->endpoint[t] >= endpoints)
            endpoints = mapping->endpoint[t] + 1;
    uint32_t *tasks = vef_calloc(endpoints, sizeof *tasks);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        const uint32_t endpoint = mapping->endpoint[t], node = endpoint / view->nics;
        uint32_t c = 0, before = tasks[endpoint]++;
        while (c < view->cores && (vef_mapping_core(view, node, c) != endpoint || before-- > 0))
            c++;
        core[t] = c;
        if (c == view->cores)
            code = vef_fail(error, VEF_UNSUPPORTED,
                            "endpoint %u has more tasks than cores (host.cores=%u): expected "
                            "--as endpoints",
                            endpoint, view->cores);
    }
    free(tasks);
    return code;
}

static vef_code write_hosts(const vef_mapping *mapping, const vef_mapping_view *view,
                            const char *hosts, bool ranks, FILE *out, vef_error *error) {
    vef_host_names names = {0};
    char name[VEF_HOST_NAME_BYTES];
    uint32_t *core = vef_calloc(mapping->tasks, sizeof *core);
    vef_code code = find_cores(mapping, view, core, error);
    if (code == VEF_OK)
        code = vef_host_names_read(hosts, &names, error);
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        code = vef_host_names_write(&names, mapping->endpoint[t] / view->nics, name, error);
        if (code == VEF_OK && ranks)
            fprintf(out, "rank %u=%s slot=%u\n", t, name, core[t]);
        else if (code == VEF_OK)
            fprintf(out, "%s\n", name);
    }
    vef_host_names_free(&names);
    free(core);
    return code;
}

/* Writes the mapping to --output; `name` goes into a comment. VEF_UNSUPPORTED if a node has more
 * tasks than cores and the form is of hosts. */
static vef_code write_mapping(const choices *chosen, const session *held, const char *name,
                              const vef_mapping *mapping, vef_error *error) {
    const vef_mapping_view view = {.tasks = mapping->tasks,
                                   .cores = held->machine.host.cores,
                                   .nics = held->machine.host.nics};
    const form written = (form)chosen->as;
    vef_output output;
    vef_code code = vef_output_open(&output, chosen->output, error);
    if (code != VEF_OK)
        return code;
    if (written != OF_HOSTS) /* srun takes every line of a hostfile for a host */
        fprintf(output.stream, "# %.*s, %u tasks\n", (int)strcspn(name, "\r\n"), name,
                mapping->tasks);
    for (uint32_t t = 0; written == OF_ENDPOINTS && t < mapping->tasks; t++)
        fprintf(output.stream, "%u\n", mapping->endpoint[t]);
    if (written != OF_ENDPOINTS)
        code =
            write_hosts(mapping, &view, chosen->hosts, written == OF_RANKS, output.stream, error);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

static vef_code show(const choices *chosen, const session *held, vef_error *error) {
    vef_mapping *mapping = NULL;
    vef_code code = vef_mapping_create(&held->request, held->network->topology, &mapping, error);
    if (code == VEF_OK)
        code = vef_report_write(chosen->format, build, &(placed){mapping, held->network->topology},
                                vef_command_messages(chosen->output), error);
    if (code == VEF_OK && mapping->limited)
        fprintf(stderr, "vef map: --map-time ended the optimiser: the best mapping so far\n");
    if (code == VEF_OK && chosen->output)
        code = write_mapping(chosen, held, held->request.text ? held->request.text : "identity",
                             mapping, error);
    vef_mapping_destroy(mapping);
    return code;
}

/* No mapping can be used. `error` says why the last one cannot; a table has the reasons of several
 * that were asked for. */
static vef_code fail_all(const choices *chosen, const vef_comparison *comparison,
                         vef_error *error) {
    if (chosen->maps.count < 2)
        return VEF_UNSUPPORTED;
    const vef_code code = vef_report_write(chosen->format, vef_comparison_build, comparison,
                                           vef_command_messages(chosen->output), error);
    return code ? code
                : vef_fail(error, VEF_UNSUPPORTED,
                           "none of the %u mappings can be used: the column error says why",
                           comparison->count);
}

static vef_code compare(const choices *chosen, session *held, const char *path, vef_error *error) {
    static const char *const usual[] = {
        "identity", "random(1)", "hilbert",
        /* of the task-mapping paper, for one, two and four tasks on each router */
        "diagonal-shift", "horizontal-union(2)", "vertical-union(2)",
        "diagonal-shift . vertical-union(2)", "twisted-union(2)",
        "vertical-union(2) . horizontal-union(2)",
        "diagonal-shift . vertical-union(2) . horizontal-union(2)",
        "twisted-union(2) . horizontal-union(2)"};
    static const char *const by_traffic[][5] = {
        {"greedy", "bisection", "scotch", "swap . greedy", "anneal"},
        {"greedy(messages)", "bisection(messages)", "scotch(messages)",
         "swap(messages) . greedy(messages)", "anneal(messages)"}};
    enum { USUAL = sizeof usual / sizeof *usual, BY_TRAFFIC = 5 };
    const bool given = chosen->maps.count > 0;
    const bool messages = chosen->weigh == MESSAGES;
    const size_t count = given ? chosen->maps.count : USUAL + BY_TRAFFIC;
    vef_traffic_matrix counted = {0};
    static vef_compared compared[VEF_MOST_COMPARED];
    vef_comparison comparison = {.mappings = compared,
                                 .trace = path,
                                 .pattern = chosen->pattern,
                                 .network_name = chosen->network,
                                 .root = held->root,
                                 .network = held->network,
                                 .traffic = messages ? &counted : &held->traffic,
                                 .messages = messages,
                                 .machine = &held->machine,
                                 .progress = &held->progress};
    vef_code code = VEF_OK;
    if (messages)
        vef_traffic_matrix_count(&held->traffic, &counted);
    for (size_t i = 0; code == VEF_OK && i < count; i++) {
        held->request.text = given       ? chosen->maps.text[i]
                             : i < USUAL ? usual[i]
                                         : by_traffic[messages][i - USUAL];
        code = vef_comparison_add(&comparison, &held->request, !given && i < USUAL, error);
    }
    if (code == VEF_OK && comparison.usable == 0)
        code = fail_all(chosen, &comparison, error);
    if (code == VEF_OK && chosen->simulate)
        code = vef_comparison_simulate(&comparison, held->trace, error);
    const vef_compared *best = vef_comparison_order(&comparison);
    if (code == VEF_OK)
        code = vef_report_write(chosen->format, vef_comparison_build, &comparison,
                                vef_command_messages(chosen->output), error);
    if (code == VEF_OK && chosen->plot.path && best && !held->network->topology)
        code = vef_fail(error, VEF_UNSUPPORTED, "--plot: the network has no routers to draw");
    else if (code == VEF_OK && chosen->plot.path && best)
        code = vef_comparison_picture(&comparison, best, &chosen->plot, error);
    if (code == VEF_OK && chosen->output && best)
        code = write_mapping(chosen, held, best->name, best->mapping, error);
    vef_traffic_matrix_free(&counted);
    vef_comparison_free(&comparison);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    const int operand = vef_command_read(&vef_command_map, argc, argv, &chosen, 1, 2);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const char *trace = operand < argc - 1 ? argv[operand] : NULL;
    chosen.network = argv[argc - 1];
    session held = {.machine = vef_replay_defaults()};
    if (check(&chosen, trace, &error) != VEF_OK ||
        make_request(&chosen, &held.progress, &held.request, &error) != VEF_OK)
        return vef_command_usage(&vef_command_map, "%s", error.message);
    vef_code code =
        chosen.output ? vef_command_output(chosen.output, chosen.force, &error) : VEF_OK;
    if (code == VEF_OK && chosen.plot.path)
        code = vef_command_output(chosen.plot.path, chosen.force, &error);
    if (code == VEF_OK && chosen.plot.path)
        code = vef_picture_check("--plot", &chosen.plot, &error);
    if (code == VEF_OK)
        code = open_session(&chosen, trace, &held, &error);
    if (code == VEF_OK)
        code = held.request.traffic && !chosen.show ? compare(&chosen, &held, trace, &error)
                                                    : show(&chosen, &held, &error);
    const bool damaged = held.missing != NULL;
    if (code == VEF_OK && damaged)
        fprintf(stderr, "vef map: trace incomplete: %s\n", held.missing);
    close_session(&held);
    if (code != VEF_OK)
        return vef_command_error("map", &error);
    return damaged ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

const vef_command vef_command_map = {
    .name = "map",
    .summary = "Compare mappings of tasks to endpoints, or show one",
    .usage =
        "(TRACE | --pattern PATTERN | --tasks N) --net NET.yaml [--map MAPPING]... [--grid GRID] "
        "[OPTIONS]",
    .operands = "TRACE NET.yaml",
    .options = options,
    .rules = rules,
    .help = help,
    .run = run,
};
