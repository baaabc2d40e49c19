/* `--help`, and the one place that breaks lines of help and of `vef list`. */
#include "cli/pages/pages.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, OPTION_COLUMN = 28, MOST_INDENT = 60 };

static bool continues_character(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The column at which a line goes on below: that of its description, which follows two blanks or
 * more, else that of its first word. */
static size_t indent_of(const char *line, size_t length) {
    size_t column = strspn(line, " "), indent = column;
    for (size_t i = column; i + 2 < length && column < MOST_INDENT; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ')
            indent = column + 2;
        column += !continues_character(line[i]);
    }
    return indent;
}

/* The bytes of the next line: as many words as fit into `room` columns, at least one. */
static size_t fitting(const char *text, size_t length, size_t room) {
    size_t column = 0, end = 0, i = 0;
    for (; i < length && column <= room; i++) {
        if (text[i] == ' ')
            end = i;
        column += !continues_character(text[i]);
    }
    if (i == length && column <= room)
        return length;
    while (end == 0 && i < length && text[i] != ' ')
        i++;
    return end > 0 ? end : i;
}

/* Further lines begin at the column `indent`. */
static void wrap_line(FILE *out, const char *line, size_t length, size_t indent) {
    size_t start = strspn(line, " ");
    fprintf(out, "%*s", (int)start, "");
    size_t room = start < WIDTH ? WIDTH - start : WIDTH;
    while (start < length) {
        const size_t bytes = fitting(line + start, length - start, room);
        fprintf(out, "%.*s", (int)bytes, line + start);
        start += bytes + strspn(line + start + bytes, " ");
        if (start < length)
            fprintf(out, "\n%*s", (int)indent, "");
        room = WIDTH - indent;
    }
    fputc('\n', out);
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
        wrap_line(out, line, bytes, indent_of(line, bytes));
        line += bytes + (line[bytes] == '\n');
    }
    free(text);
}

static void write_option(FILE *out, const vef_option *option) {
    char left[128], help[VEF_HELP_BYTES];
    size_t used = 0;
    if (option->letter)
        used += (size_t)snprintf(left, sizeof left, "-%c, ", option->letter);
    used += (size_t)snprintf(left + used, sizeof left - used, "--%s", option->name);
    if (option->value)
        used += (size_t)snprintf(left + used, sizeof left - used, " %s", option->value);
    for (size_t i = 0; option->choices && option->choices[i] && used < sizeof left; i++)
        used += (size_t)snprintf(left + used, sizeof left - used, "%s%s", i ? "|" : " ",
                                 option->choices[i]);
    if (used > OPTION_COLUMN - 4)
        fprintf(out, "  %s\n%*s", left, OPTION_COLUMN, "");
    else
        fprintf(out, "  %-*s", OPTION_COLUMN - 2, left);
    fprintf(out, "%s\n", vef_option_help(option, help));
}

static void write_body(FILE *out, const void *context) {
    const vef_command *command = context;
    fprintf(out, "\n%s.\n", command->summary);
    const vef_option *option = command->options;
    if (option && option->name && option->kind != VEF_OPTION_GROUP)
        fputc('\n', out);
    for (; option && option->name; option++)
        if (option->kind == VEF_OPTION_GROUP)
            fprintf(out, "\n%s:\n", option->help);
        else
            write_option(out, option);
    if (command->help) {
        fputc('\n', out);
        command->help(out);
    }
}

void vef_command_help(FILE *out, const vef_command *command) {
    char *usage = vef_printed("usage: vef %s %s", command->name, command->usage);
    wrap_line(out, usage, strlen(usage), strlen("usage: vef  ") + strlen(command->name));
    free(usage);
    vef_write_wrapped(out, write_body, command);
}
