/* Manual pages: NAME, SYNOPSIS and OPTIONS from the tables, and below them what `--help` shows. */
#include "cli/pages/pages.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Text escaped for troff, which interprets backslashes, dashes and dots. An ellipsis becomes three
 * dots: man warns about it where the locale is not UTF-8. */
static void write_text(FILE *out, const char *text, bool at_begin) {
    static const char ellipsis[] = "\u2026";
    for (; *text; text++) {
        if (strncmp(text, ellipsis, sizeof ellipsis - 1) == 0) {
            fputs("\\&...", out);
            text += sizeof ellipsis - 2;
            continue;
        }
        if (at_begin && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        at_begin = *text == '\n';
    }
}

static void begin_page(FILE *out, const char *name, const char *summary, const char *release) {
    fprintf(out, ".TH %s 1 \"\" \"vef %s\" \"vef\"\n.SH NAME\n", name, release);
    write_text(out, name, true);
    fprintf(out, " \\- ");
    write_text(out, summary, false);
    fputc('\n', out);
}

/* Preformatted lines: tables. */
static void write_lines(FILE *out, const char *heading, const char *text) {
    fprintf(out, ".SH %s\n.nf\n", heading);
    write_text(out, text, true);
    fprintf(out, ".fi\n");
}

static void write_option(FILE *out, const vef_option *option) {
    fprintf(out, ".TP\n");
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fprintf(out, "\\fB");
    write_text(out, option->param.key, false);
    fprintf(out, "\\fR");
    const char *const *choices = option->param.choices;
    if (option->value || choices)
        fputc(' ', out);
    if (option->value) {
        fprintf(out, "\\fI");
        write_text(out, option->value, false);
        fprintf(out, "\\fR");
    }
    for (size_t i = 0; choices && choices[i]; i++) {
        fprintf(out, "%s\\fB", i ? "|" : "");
        write_text(out, choices[i], false);
        fprintf(out, "\\fR");
    }
    fputc('\n', out);
    char help[VEF_HELP_BYTES];
    write_text(out, vef_option_help(option, help), true);
    fputc('\n', out);
}

static void write_notes(FILE *out, const vef_command *command) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = vef_memory_stream(&text, &length);
    vef_write_wrapped(memory, vef_command_notes, command);
    fclose(memory);
    write_lines(out, "NOTES", text);
    free(text);
}

static void write_command(FILE *out, const vef_command *command, const char *release) {
    char name[64];
    snprintf(name, sizeof name, "vef-%s", command->name);
    begin_page(out, name, command->summary, release);
    fprintf(out, ".SH SYNOPSIS\n\\fBvef %s\\fR ", command->name);
    write_text(out, command->usage, false);
    fprintf(out, "\n.SH DESCRIPTION\n");
    write_text(out, command->summary, true);
    fprintf(out, ".\n");
    if (command->options)
        fprintf(out, ".SH OPTIONS\n");
    for (const vef_option *option = command->options; option && option->param.key; option++)
        if (option->form == VEF_OPTION_GROUP)
            fprintf(out, ".SS %s\n", option->param.help);
        else
            write_option(out, option);
    if (command->notes || command->help)
        write_notes(out, command);
}

static void write_program(FILE *out, const char *release) {
    begin_page(out, "vef", VEF_PROGRAM_SUMMARY, release);
    fprintf(out, ".SH SYNOPSIS\n\\fBvef\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n");
    for (size_t i = 0; vef_commands[i]; i++) {
        fprintf(out, ".TP\n\\fBvef\\-%s\\fR(1)\n", vef_commands[i]->name);
        write_text(out, vef_commands[i]->summary, true);
        fputc('\n', out);
    }
}

void vef_man_page(FILE *out, const vef_command *command, const char *release) {
    if (command)
        write_command(out, command, release);
    else
        write_program(out, release);
    fprintf(out,
            ".SH EXIT STATUS\n0: done. 1: it ran, and found a failure. 2: usage or input "
            "error.\n.SH SEE ALSO\n");
    if (command)
        fprintf(out, "\\fBvef\\fR(1), ");
    fprintf(out, "docs/README.md of vef\n");
}
