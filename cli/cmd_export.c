/* `vef export`: a trace in the format of another tool. */
#include "cli/formats.h"
#include "traces/file/trace.h"

#include <signal.h>
#include <stdlib.h>

typedef struct choices {
    const char *output, *format;
    double poll_gap_ns, reduce_ns_per_byte;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', "output", "FILE", choices, output, "File to write"),
    VEF_OPTION_ROW(TEXT, "format", choices, format, .letter = 'f', .value = "FORMAT",
                   .help = "Format, see below (required)."),
    VEF_OPTION(TIME, "poll-gap", "TIME", choices, poll_gap_ns,
               "Longest gap between tests or probes that counts as waiting (default: 1 us)."),
    VEF_OPTION(FACTOR, "reduce-cost", "X", choices, reduce_ns_per_byte,
               "Time per byte that a collective reduces, in ns (default: 0)."),
    VEF_FLAG("force", choices, force, "Overwrite FILE."),
    {0},
};

static void help(FILE *out) {
    vef_formats_help(out, true);
    fputs(
        "\nInformation that the format cannot express is left out or approximated, and reported on "
        "stderr\n(docs/interchange.md). simgrid-ti also writes one file per task: FILE.0, FILE.1, "
        "and so on.\n",
        out);
}

static int run(int argc, char **argv) {
    choices chosen = {.poll_gap_ns = 1000};
    int operand = vef_command_read(&vef_command_export, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const vef_format *format = vef_formats_choose(&vef_command_export, chosen.format, true);
    if (!format)
        return VEF_EXIT_USAGE;
    vef_error error;
    if (vef_command_output(chosen.output, chosen.force, &error))
        return vef_command_error("export", &error);
    vef_trace *trace = NULL;
    const char *missing = NULL;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    if (vef_trace_open(argv[operand], &trace, &missing, &error))
        return vef_command_error("export", &error);
    const vef_format_options how = {chosen.poll_gap_ns, chosen.reduce_ns_per_byte};
    vef_format_report report;
    vef_code code = format->write(chosen.output, trace, &how, &report, &error);
    if (!code) {
        printf("%s: %u tasks, %llu lines\n", chosen.output, vef_trace_get_header(trace)->tasks,
               (unsigned long long)report.lines);
        if (missing)
            fprintf(stderr, "vef export: %s: %s\n", argv[operand], missing);
        if (report.notes[0])
            fprintf(stderr, "vef export: %s\n", report.notes);
    }
    int status =
        code ? vef_command_error("export", &error) : (missing ? VEF_EXIT_FAILURE : VEF_EXIT_OK);
    vef_trace_close(trace);
    return status;
}

const vef_command vef_command_export = {
    .name = "export",
    .summary = "Write a trace in the format of another tool",
    .usage = "TRACE --format FORMAT -o FILE",
    .options = options,
    .help = help,
    .run = run,
};
