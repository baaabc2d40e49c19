/* `--help`, and the one place that breaks lines of help and of `vef list`. */
#include "cli/pages/pages.h"
#include "common/memory.h"
#include "common/utf8.h"
#include "common/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, OPTION_COLUMN = 28, MOST_INDENT = 60 };

/* The column at which a line goes on below: that of its description, which follows two blanks or
 * more, else that of its first word. */
static size_t indent_of(const char *line, size_t length) {
    size_t column = strspn(line, " "), indent = column;
    for (size_t i = column; i + 2 < length && column < MOST_INDENT; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
            indent = column + 2;
        column += !vef_utf8_continues(line[i]);
    }
    return indent;
}

void vef_write_wrapped(FILE *out, void (*write)(FILE *out, const void *context),
                       const void *context) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = vef_memory_stream(&text, &length);
    write(memory, context);
    fclose(memory);
    for (const char *line = text; *line;) {
        const size_t bytes = strcspn(line, "\n");
        vef_wrap_line(out, line, bytes, indent_of(line, bytes), WIDTH);
        line += bytes + (line[bytes] == '\n');
    }
    free(text);
}

static void write_option(FILE *out, const vef_option *option) {
    char left[128] = "", help[VEF_HELP_BYTES];
    if (option->letter)
        vef_append(left, sizeof left, "-%c, ", option->letter);
    vef_append(left, sizeof left, "%s", option->param.key);
    if (option->value)
        vef_append(left, sizeof left, " %s", option->value);
    const char *const *choices = option->param.choices;
    for (size_t i = 0; choices && choices[i]; i++)
        vef_append(left, sizeof left, "%s%s", i ? "|" : " ", choices[i]);
    if (strlen(left) > OPTION_COLUMN - 4)
        fprintf(out, "  %s\n%*s", left, OPTION_COLUMN, "");
    else
        fprintf(out, "  %-*s", OPTION_COLUMN - 2, left);
    fprintf(out, "%s\n", vef_option_help(option, help));
}

static void write_body(FILE *out, const void *context) {
    const vef_command *command = context;
    fprintf(out, "\n%s.\n", command->summary);
    const vef_option *option = command->options;
    if (option && option->param.key && option->form != VEF_OPTION_GROUP)
        fputc('\n', out);
    for (; option && option->param.key; option++)
        if (option->form == VEF_OPTION_GROUP)
            fprintf(out, "\n%s:\n", option->param.help);
        else
            write_option(out, option);
    if (command->notes || command->help)
        fputc('\n', out);
    vef_command_notes(out, command);
}

void vef_command_notes(FILE *out, const void *context) {
    const vef_command *command = context;
    if (command->notes)
        fputs(command->notes, out);
    else if (command->help)
        command->help(out);
}

void vef_command_help(FILE *out, const vef_command *command) {
    char *usage = vef_printed("usage: vef %s %s", command->name, command->usage);
    vef_wrap_line(out, usage, strlen(usage), strlen("usage: vef  ") + strlen(command->name), WIDTH);
    free(usage);
    vef_write_wrapped(out, write_body, command);
}
