/* `vef map`: shows where a mapping puts the tasks of a program on a network. */
#include "cli/command.h"
#include "cli/program_grid.h"
#include "common/config.h"
#include "common/table.h"
#include "netmodel/netmodel.h"
#include "traces/trace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OVERRIDES = 64 };

typedef struct options {
    bool csv, json;
    const char *network, *trace;
    const char *overrides[MOST_OVERRIDES];
    size_t override_count;
    vef_mapping_request request;
} options;

static void help(FILE *out) {
    fputs(
        "  --show            print the mapping (the default, and all there is)\n"
        "  --net NET.yaml    the network\n"
        "  --set KEY=VALUE   override a key of the network file (router.queue_packets=8)\n"
        "  --tasks N         the number of tasks, where there is no TRACE\n"
        "  --grid WxH        the logical grid of the tasks, row by row; default: that of the\n"
        "                    program's two-dimensional Cartesian communicator, else the squarest\n"
        "  --map MAPPING     what takes tasks to endpoints; default: identity\n"
        "  --csv, --json     instead of an aligned table\n\n"
        "MAPPING is one of these, or several composed as f . g . h, applied from right to left:\n",
        out);
    vef_mapping_describe(out, 2);
    fputs(
        "The grid that comes out must be that of the routers. `identity` alone fills the routers "
        "in\norder and needs no grid; random and file name endpoints and cannot be composed.\n",
        out);
}

/* ---- options ---- */

/* The value of `--name value` or `--name=value` at argv[*i]; NULL when that is another option. A
 * value that is missing is "". */
static const char *option_value(const char *name, int argc, char **argv, int *i) {
    const size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length] != '\0')
        return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

static vef_code read_tasks(const char *text, uint32_t *tasks, vef_error *error) {
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || number < 1 || number > INT32_MAX)
        return vef_fail(error, VEF_INVALID, "--tasks '%s': a number of tasks from 1 to %d", text,
                        INT32_MAX);
    *tasks = (uint32_t)number;
    return VEF_OK;
}

static vef_code read_option(options *chosen, int argc, char **argv, int *i, vef_error *error) {
    static const char *const names[] = {"--show", "--net", "--set", "--tasks",
                                        "--grid", "--map", "--csv", "--json"};
    const char *value;
    if ((value = option_value("--net", argc, argv, i)) != NULL)
        chosen->network = value;
    else if ((value = option_value("--map", argc, argv, i)) != NULL)
        chosen->request.text = value;
    else if ((value = option_value("--tasks", argc, argv, i)) != NULL)
        return read_tasks(value, &chosen->request.tasks, error);
    else if ((value = option_value("--grid", argc, argv, i)) != NULL)
        return vef_mapping_parse_grid(value, &chosen->request.grid, error);
    else if ((value = option_value("--set", argc, argv, i)) != NULL) {
        if (chosen->override_count == MOST_OVERRIDES)
            return vef_fail(error, VEF_INVALID, "--set: at most %d times", MOST_OVERRIDES);
        chosen->overrides[chosen->override_count++] = value;
    } else if (strcmp(argv[*i], "--csv") == 0)
        chosen->csv = true;
    else if (strcmp(argv[*i], "--json") == 0)
        chosen->json = true;
    else if (strcmp(argv[*i], "--show") != 0)
        return vef_fail_unknown(error, "option", argv[*i], names, sizeof names / sizeof *names);
    return VEF_OK;
}

/* Reads all of them; VEF_EXIT_OK, or the exit status after telling what is wrong. */
static int read_options(options *chosen, int argc, char **argv) {
    *chosen = (options){0};
    for (int i = 1; i < argc; i++) {
        vef_error error;
        if (argv[i][0] == '-') {
            if (read_option(chosen, argc, argv, &i, &error) != VEF_OK)
                return vef_command_usage(&vef_command_map, "%s", error.message);
        } else if (chosen->trace)
            return vef_command_usage(&vef_command_map, "%s: one trace is enough", argv[i]);
        else
            chosen->trace = argv[i];
    }
    if (!chosen->network)
        return vef_command_usage(&vef_command_map, "which network? --net NET.yaml");
    if ((chosen->request.tasks == 0) == (chosen->trace == NULL))
        return vef_command_usage(&vef_command_map, "how many tasks? Either --tasks N or a TRACE");
    if (chosen->csv && chosen->json)
        return vef_command_usage(&vef_command_map, "--csv or --json, not both");
    return VEF_EXIT_OK;
}

/* ---- the table ---- */

/* The number of tasks and the program's grid, from the header of a trace. */
static vef_code ask_trace(const char *path, vef_mapping_request *request, vef_error *error) {
    vef_trace *trace = NULL;
    const vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    request->tasks = header->tasks;
    request->program_grid =
        vef_program_grid(header->communicators, header->communicator_count, header->tasks);
    vef_trace_close(trace);
    return VEF_OK;
}

/* One row per task: its place on the logical grid, its endpoint, and where there are routers its
 * router and that one's coordinates. */
static vef_table *tabulate(const vef_mapping *mapping, const vef_topology *topology) {
    static const char *const heads[] = {"task",     "x",        "y",        "endpoint", "router",
                                        "router_x", "router_y", "router_z", "router_3", "router_4",
                                        "router_5", "router_6", "router_7"};
    const size_t columns = topology ? 5 + topology->dimensions : 4;
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

static vef_code print_mapping(const options *chosen, const vef_mapping *mapping,
                              const vef_topology *topology, vef_error *error) {
    vef_table *table = tabulate(mapping, topology);
    if (!table)
        return vef_fail_memory(error, "a table", mapping->tasks);
    vef_code code = VEF_OK;
    if (chosen->json) {
        vef_json json;
        vef_json_begin(&json, stdout);
        vef_json_uint(&json, "tasks", mapping->tasks);
        vef_json_uint(&json, "grid_width", mapping->grid.width);
        vef_json_uint(&json, "grid_height", mapping->grid.height);
        code = vef_table_write_json(table, &json, "mapping", error);
        vef_json_end(&json);
    } else
        code = chosen->csv ? vef_table_write_csv(table, stdout, error)
                           : vef_table_write(table, stdout, error);
    vef_table_free(table);
    if (code == VEF_OK && fflush(stdout) != 0)
        code = vef_fail_errno(error, "writing the mapping");
    return code;
}

static int run(int argc, char **argv) {
    options chosen;
    const int status = read_options(&chosen, argc, argv);
    if (status != VEF_EXIT_OK)
        return status;
    vef_error error = {0};
    vef_netmodel *network = NULL;
    vef_mapping *mapping = NULL;
    vef_code code = vef_netmodel_open(chosen.network, chosen.overrides, chosen.override_count,
                                      &network, &error);
    if (code == VEF_OK && chosen.trace)
        code = ask_trace(chosen.trace, &chosen.request, &error);
    if (code == VEF_OK)
        code = vef_mapping_create(&chosen.request, network->topology, &mapping, &error);
    if (code == VEF_OK)
        code = print_mapping(&chosen, mapping, network->topology, &error);
    vef_mapping_destroy(mapping);
    vef_netmodel_destroy(network);
    return code == VEF_OK ? VEF_EXIT_OK : vef_command_error("map", &error);
}

const vef_command vef_command_map = {
    .name = "map",
    .summary = "Show which endpoint and router each task of a program is mapped to",
    .usage = "--net NET.yaml (--tasks N | TRACE) [--grid WxH] [--map MAPPING] [--csv | --json]",
    .help = help,
    .run = run,
};
