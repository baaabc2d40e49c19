/* `vef list`: prints the tables of the program, which are docs/reference.md. */
#include "cli/command.h"
#include "cli/pages/pages.h"
#include "cli/topology/topology.h"
#include "cli/version.h"
#include "common/config/config.h"
#include "common/limits.h"
#include "common/plugin/library.h"
#include "common/report/result.h"
#include "mappings/mapping.h"
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/file/configuration.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/hops.h"
#include "netmodel/routing/routing.h"
#include "netmodel/traffic/traffic.h"
#include "replay/jobs/spec.h"
#include "replay/machine.h"
#include "study/kinds.h"
#include "traces/event.h"
#include "traces/log/settings.h"
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void list_networks(FILE *out) {
    for (size_t i = 0; vef_netmodel_kinds[i]; i++) {
        fprintf(out, "%smodel: %s   %s\n\n", i ? "\n" : "", vef_netmodel_kinds[i]->name,
                vef_netmodel_kinds[i]->summary);
        vef_netmodel_kinds[i]->describe(out);
    }
    fprintf(out, "\nsections of every network file about the rest of the machine\n\n");
    vef_machine_describe(out);
}

static void list_traffic(FILE *out) {
    vef_traffic_describe(out, true);
}

static void list_mappings(FILE *out) {
    vef_mapping_describe(out, 0);
}

static void list_jobs(FILE *out) {
    vef_job_list_describe(out, 0);
}

/* Whether an earlier algorithm is of the same call. */
static bool is_listed(const vef_algorithm *algorithm) {
    for (const vef_algorithm *row = vef_algorithms; row < algorithm; row++)
        if (row->call == algorithm->call)
            return true;
    return false;
}

static void list_collectives(FILE *out) {
    for (const vef_algorithm *first = vef_algorithms; first->name; first++) {
        if (is_listed(first))
            continue;
        fprintf(out, "MPI_%s\n", vef_call_name(first->call));
        for (const vef_algorithm *row = first; row->name; row++) {
            char needs[256];
            if (row->call != first->call)
                continue;
            vef_algorithm_needs_text(row, needs, sizeof needs);
            fprintf(out, "  %-22s %s%s%s\n", row->name, row->summary, *needs ? "; needs " : "",
                    needs);
        }
    }
    fputs("presets, which choose among them\n", out);
    for (size_t i = 0; vef_presets[i]; i++)
        fprintf(out, "  %-22s %s\n", vef_presets[i]->name, vef_presets[i]->summary);
}

static void list_calls(FILE *out) {
    static const char *const kinds[] = {
        [VEF_KIND_LOCAL] = "recorded, transfers no data",
        [VEF_KIND_TRANSFER] = "recorded, sends or receives",
        [VEF_KIND_COMPLETE] = "recorded, completes requests",
        [VEF_KIND_PROBE] = "recorded, probes",
        [VEF_KIND_COLLECTIVE] = "recorded, a collective",
        [VEF_KIND_COMM] = "recorded, makes or frees a communicator",
        [VEF_KIND_ONE_SIDED] = "recorded, one-sided",
        [VEF_KIND_SYNC] = "recorded, synchronises a window",
        [VEF_KIND_REGION] = "recorded, a mark set by the program",
        [VEF_KIND_AS] = "recorded as another call",
        [VEF_KIND_COUNTED] = "only counted, and reported with the result",
    };
    for (size_t call = 0; call < vef_call_count(); call++)
        if (vef_call_name((uint16_t)call))
            fprintf(out, "MPI_%-36s %s\n", vef_call_name((uint16_t)call),
                    kinds[vef_call_kind((uint16_t)call)]);
}

static void list_studies(FILE *out) {
    for (size_t k = 0; vef_study_kinds[k]; k++) {
        const vef_study_kind *kind = vef_study_kinds[k];
        fprintf(out, "%srun: %-19s %s\n", k ? "\n" : "", kind->name, kind->summary);
        for (const vef_study_key *key = kind->keys; key->key; key++)
            fprintf(out, "  %-22s %s%s\n", key->key, key->help, key->required ? " (required)" : "");
        fprintf(out, "  %-22s ", "figures");
        for (size_t f = 0; kind->figures[f]; f++)
            fprintf(out, "%s%s", f ? ", " : "", kind->figures[f]);
        putc('\n', out);
    }
}

static void list_example(FILE *out) {
    for (size_t i = 0; vef_netmodel_kinds[i]; i++)
        if (vef_netmodel_kinds[i]->example)
            vef_netmodel_kinds[i]->example(out);
    vef_machine_example(out);
}

static void put_option(vef_result *into, const vef_option *option) {
    vef_result *group = vef_put_group(into, option->param.key + strlen("--"));
    const char *const *choices = option->param.choices;
    char help[VEF_HELP_BYTES];
    size_t count = 0;
    while (choices && choices[count])
        count++;
    VEF_PUT(group, "value", option->value); /* null, and no choices: a flag */
    vef_put_texts(group, "choices", choices, count);
    VEF_PUT(group, "repeatable",
            vef_value_bool(option->form == VEF_OPTION_TEXTS || option->form == VEF_OPTION_LIST));
    VEF_PUT(group, "required", option->required);
    VEF_PUT(group, "help", vef_option_help(option, help));
}

/* For programs that call vef, such as the Python package (lib/python). */
static void list_options(FILE *out) {
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    VEF_PUT(root, "version", vef_version());
    vef_result *commands = vef_put_group(root, "commands");
    for (const vef_command *const *command = vef_commands; *command; command++) {
        vef_result *group = vef_put_group(commands, (*command)->name);
        const vef_option *option = (*command)->options;
        for (; option && option->param.key; option++)
            if (option->form != VEF_OPTION_GROUP)
                put_option(group, option);
    }
    vef_write_json(root, out);
    vef_result_free(root);
}

static int list_man(const char *name) {
    const vef_command *command = name ? vef_command_find("vef list", name) : NULL;
    if (name && !command)
        return VEF_EXIT_USAGE;
    vef_man_page(stdout, command, vef_version());
    return VEF_EXIT_OK;
}

/* ---- what a plug-in adds ---- */

static const vef_param *topology_schema(const void *row) {
    return ((const vef_topology_family *)row)->schema;
}
static const vef_param *routing_schema(const void *row) {
    return ((const vef_routing_algorithm *)row)->schema;
}
static const vef_param *pattern_schema(const void *row) {
    return ((const vef_pattern_kind *)row)->schema;
}

static const struct {
    const vef_plugin_point *point;
    const vef_param *(*schema)(const void *row); /* NULL: mappings, which have arguments */
} points[] = {
    {&vef_topology_point, topology_schema},
    {&vef_routing_point, routing_schema},
    {&vef_pattern_point, pattern_schema},
    {&vef_mapping_point, NULL},
};

static void write_row(size_t p, const vef_plugin_row *row) {
    const char *parameter = points[p].schema ? NULL : ((const vef_mapping_family *)row)->parameter;
    printf("%s: %s", points[p].point->key, row->name);
    if (parameter)
        printf(((const vef_mapping_family *)row)->needs ? "(%s)" : "[(%s)]", parameter);
    printf("   %s\n", row->summary);
    if (points[p].schema)
        vef_config_describe(stdout, 2, points[p].schema(row));
}

static int list_plugin(const char *path) {
    vef_error error = {0};
    void *library = NULL;
    const vef_plugin *plugin = NULL;
    if (!path)
        return vef_command_usage(&vef_command_list, "plugin: missing FILE: expected a file");
    vef_code code = vef_library_open(path, &library, &plugin, &error);
    if (code == VEF_OK && plugin->summary)
        printf("%s\n\n", plugin->summary);
    for (size_t p = 0; code == VEF_OK && p < sizeof points / sizeof *points; p++) {
        const vef_plugin_row *const *rows = NULL;
        code = vef_library_rows(path, plugin, points[p].point, &rows, &error);
        for (size_t i = 0; code == VEF_OK && rows && rows[i]; i++)
            write_row(p, rows[i]);
    }
    vef_library_close(library);
    return code == VEF_OK ? VEF_EXIT_OK : vef_command_error("list", &error);
}

/* ---- the table of lists ---- */

static int list_completion(const char *shell) {
    const char *script = vef_completion_script(shell ? shell : "bash");
    if (!script)
        return vef_command_usage(
            &vef_command_list, "completion: unknown shell '%s': expected bash, zsh or fish", shell);
    fputs(script, stdout);
    return VEF_EXIT_OK;
}

static void list_limits(FILE *out) {
    vef_error error = {0};
    fprintf(out, "What a file may ask for; --limit NAME=N or VEF_LIMITS=NAME=N,... changes it\n");
    if (vef_limits_write(out, &error) != VEF_OK)
        vef_command_error("list", &error);
}

/* A table of the reference; a part of such a table; a file in a form of its own. */
/* ---- routings ---- */

/* Generated: each routing of the table is tried on the example of each family, under either flow
 * control. */

static const char *const flow_controls[] = {
    [VEF_FLOW_BUBBLE] = "bubble",
    [VEF_FLOW_VIRTUAL_CHANNELS] = "virtual-channels",
};
enum { FLOW_CONTROLS = sizeof flow_controls / sizeof *flow_controls };

static bool reads_a_file(const vef_topology_family *family) {
    for (const vef_param *row = family->schema; row->key; row++)
        if (row->kind == VEF_PARAM_PATH)
            return true;
    return false;
}

/* A sample of the family; NULL: invalid. The caller destroys it. */
static vef_topology *build_sample(const vef_topology_family *family, const char *sample) {
    char text[512];
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    snprintf(text, sizeof text, "{family: %s, %s", family->name, sample + 1);
    if (vef_config_parse(text, "example", &arena, &node, NULL) == VEF_OK)
        vef_topology_create(node, 0, &topology, NULL);
    vef_arena_release(&arena);
    return topology;
}

/* The first of the samples that is neither trivial nor slow to prove; else the first of all. */
enum { LEAST_ROUTERS = 24, MOST_ROUTERS = 100 };
static vef_topology *example_of(const vef_topology_family *family, const char **sample) {
    for (size_t i = 0; family->samples[i]; i++) {
        vef_topology *topology = build_sample(family, family->samples[i]);
        *sample = family->samples[i];
        if (topology && topology->routers >= LEAST_ROUTERS && topology->routers <= MOST_ROUTERS)
            return topology;
        vef_topology_destroy(topology);
    }
    *sample = family->samples[0];
    return build_sample(family, *sample);
}

/* NULL: the routing refuses it, or another row of its name is for this topology. The caller
 * destroys it. */
static vef_routing *routing_on(const vef_topology *topology, size_t which,
                               vef_flow_control flow_control) {
    char text[128];
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_routing *routing = NULL;
    snprintf(text, sizeof text, "{algorithm: %s}", vef_routings[which]->name);
    if (vef_config_parse(text, "example", &arena, &node, NULL) == VEF_OK)
        vef_routing_create(node, topology, flow_control, &routing, NULL);
    vef_arena_release(&arena);
    if (!routing || routing->algorithm == vef_routings[which])
        return routing;
    vef_routing_destroy(routing);
    return NULL;
}

/* Channels of a link, "1 (inner 3)" if some ports have a different number. */
static void put_channels(vef_result *table, const vef_routing *routing) {
    uint32_t least = routing->channels, ports = routing->topology->ports;
    for (uint32_t p = 0; p < ports && routing->port_channels; p++)
        if (routing->port_channels[p] > 0 && routing->port_channels[p] < least)
            least = routing->port_channels[p];
    if (least == routing->channels)
        VEF_CELLS(table, least);
    else
        vef_cell_printed(table, "%" PRIu32 " to %" PRIu32, least, routing->channels);
}

static void put_longest(vef_result *table, const vef_routing *routing) {
    vef_deadlock_request request = {0};
    vef_deadlock proof = {0};
    if (vef_deadlock_prove(routing, &request, &proof, NULL) == VEF_OK && proof.bounded &&
        proof.verdict == VEF_DEADLOCK_FREE)
        VEF_CELLS(table, proof.longest_hops);
    else
        VEF_CELLS(table, "no bound");
    vef_deadlock_release(&proof);
}

static void put_rows(vef_result *table, const vef_topology *topology, size_t which) {
    vef_routing *made[FLOW_CONTROLS];
    const vef_routing *any = NULL;
    for (size_t f = 0; f < FLOW_CONTROLS; f++) {
        made[f] = routing_on(topology, which, (vef_flow_control)f);
        any = any ? any : made[f];
    }
    if (any) {
        VEF_CELLS(table, vef_routings[which]->name);
        for (size_t f = 0; f < FLOW_CONTROLS; f++) {
            if (made[f]) {
                put_channels(table, made[f]);
                VEF_CELLS(table, made[f]->least_queue_packets);
            } else {
                VEF_CELLS(table, "-", "-");
            }
        }
        put_longest(table, any);
    }
    for (size_t f = 0; f < FLOW_CONTROLS; f++)
        vef_routing_destroy(made[f]);
}

static void list_family(const vef_topology_family *family, FILE *out) {
    static const vef_column columns[] = {{.key = "routing"},
                                         {.key = "channels"},
                                         {.key = "places"},
                                         {.key = "channels"},
                                         {.key = "places"},
                                         {.key = "longest path"},
                                         {0}};
    const char *sample;
    vef_topology *topology = example_of(family, &sample);
    vef_arena arena = {0};
    vef_hops hops = {0};
    if (topology && vef_hops_create(topology, &arena, &hops, NULL) == VEF_OK) {
        fprintf(out, "\ntopology: {family: %s, %s   (%" PRIu32 " hops at most between endpoints)\n",
                family->name, sample + 1, hops.diameter);
        vef_result *root = vef_result_new(VEF_PEOPLE);
        vef_result *table = vef_put_table(root, NULL, VEF_PEOPLE, columns);
        for (size_t r = 0; vef_routings[r]; r++)
            put_rows(table, topology, r);
        vef_write_text(root, out);
        vef_result_free(root);
    }
    vef_arena_release(&arena);
    vef_topology_destroy(topology);
}

/* A table for each family of topologies, for its example: the supported routings, their virtual
 * channels and places by default under either flow control, and the longest path, as proved by `vef
 * verify`. Families whose example is a file get a sentence, so that the list does not depend on
 * files. */
static void list_routings(FILE *out) {
    for (size_t r = 0; vef_routings[r]; r++)
        fprintf(out, "%-18s %s\n", vef_routings[r]->name, vef_routings[r]->summary);
    for (int own = 0; own < 2; own++) {
        const char *before = own ? "\nWith failures, on their own topologies: "
                                 : "\nOn any graph, also with failures: ";
        for (size_t r = 0; vef_routings[r]; r++)
            if (own ? vef_routings[r]->around_failures : vef_routings[r]->any_graph) {
                fprintf(out, "%s%s", before, vef_routings[r]->name);
                before = ", ";
            }
    }
    fprintf(
        out,
        "\n\nSupported topologies. For the example of each topology, by default: virtual channels "
        "per link and\nminimum queue length in packets, under flow control by %s and by %s (-: "
        "not\nsupported), and the longest path of a packet in hops, as proved by vef verify.\n",
        flow_controls[VEF_FLOW_BUBBLE], flow_controls[VEF_FLOW_VIRTUAL_CHANNELS]);
    for (size_t i = 0; vef_topology_families[i]; i++) {
        const vef_topology_family *family = vef_topology_families[i];
        if (reads_a_file(family))
            fprintf(out,
                    "\ntopology: {family: %s, %s\nAny graph: the routings of topology complete.\n",
                    family->name, family->samples[0] + 1);
        else
            list_family(family, out);
    }
}

typedef enum list_kind { TABLE, PART, FORM } list_kind;

static const struct list {
    const char *name, *summary;
    void (*write)(FILE *out);
    list_kind kind;
    /* Instead of `write`, with a further argument, or NULL without: returns the exit status. */
    int (*run)(const char *argument);
} lists[] = {
    {"networks", "the keys of a network file: models, topologies, routings, arbiters",
     list_networks, TABLE, NULL},
    {"topologies", "families of topologies, their parameters, and an example of each",
     vef_topologies_describe, PART, NULL},
    {"routings", "topologies that each routing supports, its virtual channels and path lengths",
     list_routings, TABLE, NULL},
    {"topology", "figures of vef topology, and its options", vef_topology_describe, TABLE, NULL},
    {"traffic", "synthetic traffic: patterns, injection processes, message lengths", list_traffic,
     TABLE, NULL},
    {"mappings", "assignments of tasks to endpoints", list_mappings, TABLE, NULL},
    {"jobs", "several jobs on one network: keys, background traffic, placements, batch policies",
     list_jobs, TABLE, NULL},
    {"collectives", "the algorithms of each collective, and the presets that choose among them",
     list_collectives, TABLE, NULL},
    {"calls", "MPI calls, and what a trace stores of each", list_calls, TABLE, NULL},
    {"workloads", "the kinds of vef generate, and their keys", vef_workload_describe, TABLE, NULL},
    {"studies", "the keys and figures of each kind of points of vef study", list_studies, TABLE,
     NULL},
    {"limits", "limits on what files ask for, and how to change them", list_limits, TABLE, NULL},
    {"variables", "environment variables: of the capture library, and of vef",
     vef_settings_describe, TABLE, NULL},
    {"example", "a network file with all keys, of the router model", list_example, FORM, NULL},
    {"plugin", "plugin FILE: what a shared object adds, and its keys", NULL, FORM, list_plugin},
    {"completion",
     "completion SHELL: a script for bash, zsh or fish: source <(vef list completion)", NULL, FORM,
     list_completion},
    {"options", "the options of all commands as JSON, for programs that call vef", list_options,
     FORM, NULL},
    {"man", "the manual page of vef; man COMMAND: that of a command", NULL, FORM, list_man},
};
enum { LISTS = sizeof lists / sizeof *lists };

static void help(FILE *out) {
    for (size_t i = 0; i < LISTS; i++)
        fprintf(out, "  %-12s %s\n", lists[i].name, lists[i].summary);
    fprintf(out,
            "\n"
            "vef list all prints all tables (docs/reference.md).\n");
}

static void offer_lists(FILE *out) {
    for (size_t i = 0; i < LISTS; i++)
        fprintf(out, "%s\t%s\n", lists[i].name, lists[i].summary);
    fputs("all\tall tables\n", out);
}

static void write_list(FILE *out, const void *list) {
    ((const struct list *)list)->write(out);
}

static void write_all(FILE *out) {
    fprintf(out, "# Reference\n\nWhat `vef list all` prints: the tables of the program.\n");
    for (size_t i = 0; i < LISTS; i++) {
        if (lists[i].kind != TABLE)
            continue;
        fprintf(out, "\n## %s: %s\n\n```\n", lists[i].name, lists[i].summary);
        vef_write_wrapped(out, write_list, &lists[i]);
        fprintf(out, "```\n");
    }
}

static int run(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "words") == 0) { /* for completion: words -- WORD... */
        vef_offer_words(stdout, argc - 3, argv + 3, offer_lists);
        return VEF_EXIT_OK;
    }
    int operand = vef_command_read(&vef_command_list, argc, argv, NULL, 0, 2);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (operand == argc || strcmp(argv[operand], "all") == 0) {
        (operand == argc ? help : write_all)(stdout);
        return VEF_EXIT_OK;
    }
    const char *further = operand + 1 < argc ? argv[operand + 1] : NULL;
    const char *names[LISTS];
    for (size_t i = 0; i < LISTS; i++) {
        names[i] = lists[i].name;
        if (strcmp(names[i], argv[operand]) != 0)
            continue;
        if (lists[i].run)
            return lists[i].run(further);
        if (further)
            return vef_command_usage(&vef_command_list, "'%s': unexpected further argument",
                                     further);
        if (lists[i].kind == FORM)
            lists[i].write(stdout);
        else
            vef_write_wrapped(stdout, write_list, &lists[i]);
        return VEF_EXIT_OK;
    }
    vef_error error;
    vef_fail_unknown(&error, "list", argv[operand], names, LISTS);
    return vef_command_error("list", &error);
}

const vef_command vef_command_list = {
    .name = "list",
    .summary = "List networks, routings, traffic, mappings, collectives, MPI calls and more",
    .usage = "[NAME | all | plugin FILE | man [COMMAND] | completion [SHELL]]",
    .help = help,
    .run = run,
};
