/* `vef export`: a trace in the format of another tool. */
#include "cli/formats.h"
#include "cli/part.h"
#include "replay/machine.h"
#include "traces/file/trace.h"

#include <signal.h>

typedef struct choices {
    const char *output, *format;
    const char *network;
    vef_texts overrides;
    double poll_gap_ns, reduce_ns_per_byte; /* negative: of the network file */
    vef_part_choices part;
    uint64_t max_bytes;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "File to write"),
    VEF_LETTERED('f', "format", "FORMAT", choices, format, "Format, see below (required)"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_PART_OPTIONS(choices, part, "since each task's MPI_Init"),
    VEF_OPTION(BYTES, "max-size", "SIZE", choices, max_bytes,
               "Largest size of FILE: later calls are left out", .word = "unlimited",
               .fallback = "unlimited"),
    VEF_GROUP("Collectives and polls"),
    VEF_OPTION(STRING, "net", "NET.yaml", choices, network,
               "Network file whose section mpi chooses the algorithms of collectives"),
    VEF_SET_OPTION(choices, overrides, "network file (mpi.allreduce=ring)"),
    VEF_OPTION(TIME, "poll-gap", "TIME", choices, poll_gap_ns,
               "Longest gap between tests or probes that counts as waiting (host.poll_gap)"),
    VEF_OPTION(REAL, "reduce-cost", "X", choices, reduce_ns_per_byte,
               "Time per byte that a collective reduces, in ns (host.reduce_cost)",
               .maximum = INFINITY),
    VEF_LAST_OPTIONS,
};

static void help(FILE *out) {
    vef_formats_help(out, true);
    fputs(
        "\nInformation that the format cannot express is left out or approximated, and reported on "
        "stderr\n(docs/interchange.md). simgrid-ti also writes one file per task: FILE.0, FILE.1, "
        "and so on;\notf2 makes a folder FILE.\n\n--time, --region, --between, --tasks and "
        "--max-size are for chrome; a call "
        "must meet all conditions\n(see vef slice).\n",
        out);
}

/* The algorithms and costs for the writer; they refer to `arena`. */
static vef_code read_machine(const choices *chosen, vef_arena *arena, vef_replay_options *machine,
                             vef_error *error) {
    vef_node *root;
    const vef_code code =
        vef_machine_open(chosen->network ? chosen->network : "{}", chosen->overrides.text,
                         chosen->overrides.count, arena, &root, machine, error);
    if (chosen->poll_gap_ns >= 0)
        machine->host.poll_gap_ns = chosen->poll_gap_ns;
    if (chosen->reduce_ns_per_byte >= 0)
        machine->host.reduce_ns_per_byte = chosen->reduce_ns_per_byte;
    return code;
}

static vef_code check_part(const choices *chosen, const vef_format *format, vef_error *error) {
    if (format->parts || (vef_part_is_whole(&chosen->part) && chosen->max_bytes == 0))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "--time, --region, --between, --tasks and --max-size are not supported with "
                    "--format %s: expected the whole trace; `vef slice` cuts a part out of it",
                    format->name);
}

static vef_code export_trace(const choices *chosen, const vef_format *format, const char *path,
                             const vef_replay_options *machine, const char **missing,
                             vef_error *error) {
    vef_slice_options part = {0};
    const vef_format_options how = {.poll_gap_ns = machine->host.poll_gap_ns,
                                    .reduce_ns_per_byte = machine->host.reduce_ns_per_byte,
                                    .choices = &machine->choices,
                                    .part = &part,
                                    .max_bytes = chosen->max_bytes};
    vef_trace *trace = NULL;
    vef_arena arena = {0};
    vef_format_report report;
    vef_code code = check_part(chosen, format, error);
    if (code == VEF_OK)
        code = vef_trace_open(path, &trace, missing, error);
    if (code == VEF_OK)
        code =
            vef_part_read(&chosen->part, vef_trace_get_header(trace)->tasks, &arena, &part, error);
    if (code == VEF_OK)
        code = format->write(chosen->output, trace, &how, &report, error);
    if (code == VEF_OK) {
        fprintf(vef_command_messages(chosen->output), "%s: %u tasks, %llu lines\n", chosen->output,
                vef_trace_get_header(trace)->tasks, (unsigned long long)report.lines);
        if (*missing)
            fprintf(stderr, "vef export: %s: %s\n", path, *missing);
        if (report.notes.text[0])
            fprintf(stderr, "vef export: %s\n", report.notes.text);
    }
    vef_trace_close(trace);
    vef_arena_release(&arena);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_export, argc, argv, &chosen, 1, 2);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (operand + 1 < argc && chosen.network)
        return vef_command_usage(&vef_command_export, "unexpected operand '%s' beside --net",
                                 argv[operand + 1]);
    if (operand + 1 < argc)
        chosen.network = argv[operand + 1];
    const vef_format *format = vef_formats_choose(&vef_command_export, chosen.format, true);
    if (!format)
        return VEF_EXIT_USAGE;
    vef_error error;
    vef_arena arena = {0};
    vef_replay_options machine = vef_replay_defaults();
    const char *missing = NULL;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_code code = vef_command_output(chosen.output, chosen.force, &error);
    if (code == VEF_OK)
        code = read_machine(&chosen, &arena, &machine, &error);
    if (code == VEF_OK)
        code = export_trace(&chosen, format, argv[operand], &machine, &missing, &error);
    vef_arena_release(&arena);
    if (code != VEF_OK)
        return vef_command_error("export", &error);
    return missing ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

const vef_command vef_command_export = {
    .name = "export",
    .summary = "Write a trace in the format of another tool",
    .usage = "TRACE --format FORMAT -o FILE",
    .operands = "TRACE",
    .options = options,
    .help = help,
    .run = run,
};
