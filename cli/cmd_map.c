/* `vef map`: shows where a mapping places the tasks of a program on a network. */
#include "cli/command.h"
#include "cli/program_grid.h"
#include "common/config/config.h"
#include "replay/machine.h"
#include "traces/file/trace.h"

#include <stdbool.h>
#include <string.h>

typedef struct choices {
    bool show;
    const vef_report_format *format;
    const char *network, *grid, *map;
    int64_t tasks; /* negative: not given */
    vef_texts overrides;
} choices;

static const vef_option options[] = {
    VEF_FLAG("show", choices, show, "Print the mapping (the default, and the only action)."),
    VEF_REQUIRED(0, "net", "NET.yaml", choices, network,
                 "Network file, or the network itself: '{topology: …}'"),
    VEF_OPTION(TEXTS, "set", "KEY=VALUE", choices, overrides,
               "Override a key of the network file (router.queue_packets=8)."),
    VEF_OPTION(COUNT, "tasks", "N", choices, tasks, "Number of tasks, without TRACE."),
    VEF_OPTION(TEXT, "grid", "WxH", choices, grid,
               "Logical grid of the tasks (default: that of the program, else the squarest)."),
    VEF_OPTION(TEXT, "map", "MAPPING", choices, map,
               "Mapping of tasks to endpoints, see below (default: identity)."),
    VEF_FORMAT_OPTIONS(choices, format),
};

static void help(FILE *out) {
    fputs("MAPPING is one of these, or a composition f . g . h, applied from right to left:\n",
          out);
    vef_mapping_describe(out, 2);
    fputs(
        "The resulting grid must be that of the routers. `identity` alone fills the routers in "
        "order and\nneeds no grid. Mappings that assign endpoints directly, such as random, cannot "
        "be composed.\n",
        out);
}

/* Checks the options together; the number of tasks of a trace is checked later. */
static vef_code make_request(const choices *chosen, const char *trace, vef_mapping_request *request,
                             vef_error *error) {
    *request = (vef_mapping_request){.text = chosen->map};
    if ((chosen->tasks < 0) == (trace == NULL))
        return vef_fail(error, VEF_INVALID,
                        "missing number of tasks: expected --tasks N or a TRACE");
    if (chosen->tasks == 0 || chosen->tasks > INT32_MAX)
        return vef_fail(error, VEF_INVALID, "--tasks: out of range: expected 1 to %d", INT32_MAX);
    request->tasks = trace ? 0 : (uint32_t)chosen->tasks;
    return chosen->grid ? vef_mapping_parse_grid(chosen->grid, &request->grid, error) : VEF_OK;
}

/* ---- the table ---- */

/* The number of tasks and the program's grid, from the header of a trace, which stays open. */
static vef_code ask_trace(const char *path, vef_mapping_request *request, vef_error *error) {
    const vef_code code = vef_trace_open(path, &request->trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(request->trace);
    request->tasks = header->tasks;
    request->program_grid =
        vef_program_grid(header->communicators, header->communicator_count, header->tasks);
    return VEF_OK;
}

/* A mapping and its network; NULL: no routers. */
typedef struct placed {
    const vef_mapping *mapping;
    const vef_topology *topology;
} placed;

/* One row per task: its grid coordinates, its endpoint and, if any, its router with coordinates. */
static vef_table *tabulate(const void *report) {
    const vef_mapping *mapping = ((const placed *)report)->mapping;
    const vef_topology *topology = ((const placed *)report)->topology;
    static const char *const fixed[] = {"task",   "x",        "y",        "endpoint",
                                        "router", "router_x", "router_y", "router_z"};
    enum { FIXED = sizeof fixed / sizeof *fixed, ROUTER = 4 };
    char names[VEF_MAX_DIMENSIONS][16];
    const char *heads[FIXED + VEF_MAX_DIMENSIONS];
    memcpy(heads, fixed, sizeof fixed);
    for (uint32_t d = 3; d < VEF_MAX_DIMENSIONS; d++) {
        snprintf(names[d], sizeof names[d], "router_%u", d);
        heads[ROUTER + 1 + d] = names[d];
    }
    const size_t columns = topology ? ROUTER + 1 + topology->dimensions : ROUTER;
    vef_table *table = vef_table_new(heads, columns);
    for (uint32_t t = 0; table && t < mapping->tasks; t++) {
        vef_table_number(table, "%u", t);
        vef_table_number(table, "%u", t % mapping->grid.width);
        vef_table_number(table, "%u", t / mapping->grid.width);
        vef_table_number(table, "%u", mapping->endpoint[t]);
        if (!topology)
            continue;
        uint32_t at[VEF_MAX_DIMENSIONS];
        const uint32_t router = vef_topology_router_of(topology, mapping->endpoint[t]);
        vef_topology_coordinates(topology, router, at);
        vef_table_number(table, "%u", router);
        for (uint32_t d = 0; d < topology->dimensions; d++)
            vef_table_number(table, "%u", at[d]);
    }
    return table;
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    const vef_mapping *mapping = ((const placed *)report)->mapping;
    vef_doc_uint(doc, "tasks", mapping->tasks);
    vef_doc_uint(doc, "grid_width", mapping->grid.width);
    vef_doc_uint(doc, "grid_height", mapping->grid.height);
    return vef_table_write_doc(tabulate(report), doc, "mapping", error);
}

static const vef_report_parts parts = {.table = tabulate, .doc = write_doc};

static int run(int argc, char **argv) {
    choices chosen = {.tasks = -1};
    vef_mapping_request request;
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_map, argc, argv, &chosen, 0, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const char *trace = operand < argc ? argv[operand] : NULL;
    if (make_request(&chosen, trace, &request, &error) != VEF_OK)
        return vef_command_usage(&vef_command_map, "%s", error.message);
    vef_netmodel *network = NULL;
    vef_mapping *mapping = NULL;
    vef_replay_options machine = vef_replay_defaults();
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_machine_open(chosen.network, chosen.overrides.text, chosen.overrides.count,
                                     &arena, &root, &machine, &error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &network, &error);
    if (code == VEF_OK && trace)
        code = ask_trace(trace, &request, &error);
    if (code == VEF_OK)
        request.cores = machine.host.cores, request.nics = machine.host.nics;
    if (code == VEF_OK)
        code = vef_mapping_create(&request, network->topology, &mapping, &error);
    if (code == VEF_OK)
        code = vef_report_write(chosen.format, &parts, &(placed){mapping, network->topology},
                                stdout, &error);
    vef_mapping_destroy(mapping);
    vef_netmodel_destroy(network);
    vef_trace_close(request.trace);
    vef_arena_release(&arena);
    return code == VEF_OK ? VEF_EXIT_OK : vef_command_error("map", &error);
}

const vef_command vef_command_map = {
    .name = "map",
    .summary = "Show the endpoint and the router of each task",
    .usage = "--net NET.yaml (--tasks N | TRACE) [--grid WxH] [--map MAPPING] [OPTIONS]",
    .options = options,
    .help = help,
    .run = run,
};
