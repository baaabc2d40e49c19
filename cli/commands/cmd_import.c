/* `vef import`: a trace from a file of another tool. */
#include "cli/formats.h"
#include "common/system/file_kind.h"

#include <signal.h>

typedef struct choices {
    const char *output, *format;
    bool force;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "TRACE", choices, output, "Trace to write"),
    VEF_LETTERED('f', "format", "FORMAT", choices, format, "Format, see below (required)"),
    VEF_FLAG("force", choices, force, "Overwrite TRACE"),
    VEF_LAST_OPTIONS,
};

static void help(FILE *out) {
    vef_formats_help(out, false);
    fputs(
        "\n"
        "Information that a trace cannot express is reported on stderr (docs/interchange.md).\n",
        out);
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    int operand = vef_command_read(&vef_command_import, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const vef_format *format = vef_formats_choose(&vef_command_import, chosen.format, false);
    if (!format)
        return VEF_EXIT_USAGE;
    vef_error error;
    if (vef_command_output(chosen.output, chosen.force, &error))
        return vef_command_error("import", &error);
    vef_format_report report;
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    if (format->read(argv[operand], chosen.output, &report, &error)) {
        char expected[64];
        snprintf(expected, sizeof expected, "a file in the format %s", format->name);
        vef_fail_kind(&error, argv[operand], format->name, expected);
        return vef_command_error("import", &error);
    }
    if (vef_command_made(chosen.output, &error))
        return vef_command_error("import", &error);
    if (report.notes.text[0])
        fprintf(stderr, "vef import: %s\n", report.notes.text);
    return VEF_EXIT_OK;
}

const vef_command vef_command_import = {
    .name = "import",
    .summary = "Make a trace from a file of another tool",
    .usage = "FILE --format FORMAT -o TRACE",
    .operands = "FILE",
    .options = options,
    .help = help,
    .run = run,
};
