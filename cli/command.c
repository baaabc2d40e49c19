/* Messages common to all subcommands. Separate from main.c, so that tests can link subcommands.
 */
#include "cli/command.h"
#include "common/unknown.h"
#include "traces/file/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

const vef_command *const vef_commands[] = {
#define COMMAND(name) &vef_command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};

int vef_command_read(const vef_command *command, int argc, char **argv, void *choices, int least,
                     int most) {
    const vef_syntax syntax = {
        command->options, command->rules, command->stops_at_operand, least, most,
        command->operands};
    vef_error error;
    int operands;
    if (vef_options_read(&syntax, argc, argv, choices, &operands, &error) == VEF_OK)
        return operands;
    vef_command_usage(command, "%s", error.message);
    return -1;
}

const vef_command *vef_command_find(const char *what, const char *name) {
    const char *names[64];
    size_t count = 0;
    for (; vef_commands[count] && count < sizeof names / sizeof *names; count++) {
        names[count] = vef_commands[count]->name;
        if (strcmp(names[count], name) == 0)
            return vef_commands[count];
    }
    vef_error error;
    vef_fail_unknown(&error, "command", name, names, count);
    fprintf(stderr, "%s: %s\n", what, error.message);
    return NULL;
}

int vef_command_error(const char *name, const vef_error *error) {
    fprintf(stderr, "vef %s: %s\n", name, error->message);
    return error->code == VEF_FAILED ? VEF_EXIT_FAILURE : VEF_EXIT_USAGE;
}

FILE *vef_command_messages(const char *output) {
    return output && strcmp(output, VEF_STANDARD_OUTPUT) == 0 ? stderr : stdout;
}

vef_code vef_command_made(const char *path, vef_error *error) {
    vef_trace *trace = NULL;
    if (vef_command_messages(path) != stdout)
        return VEF_OK;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    printf("%s: %" PRIu32 " tasks, %" PRIu64 " events, %" PRIu64 " messages\n", path, header->tasks,
           header->events, header->messages);
    vef_trace_close(trace);
    return VEF_OK;
}

void vef_command_warn(const char *name, const char *text) {
    fprintf(stderr, "vef %s: warning: %s\n", name, text);
}

void vef_command_warn_ignored(const char *name, const vef_node *root) {
    for (size_t i = 0; root && i < root->count; i++) {
        const vef_node *item = root->items[i];
        if (root->kind == VEF_NODE_MAPPING && item->ignored_for)
            fprintf(stderr, "vef %s: warning: %s:%u:%u: %s: not a key with %s: ignored\n", name,
                    item->origin, item->key_line, item->key_column, root->keys[i],
                    item->ignored_for);
        vef_command_warn_ignored(name, item);
    }
}

vef_code vef_command_output(const char *path, bool force, vef_error *error) {
    struct stat there;
    return !force && vef_command_messages(path) == stdout && stat(path, &there) == 0 &&
                   S_ISREG(there.st_mode)
               ? vef_fail(error, VEF_INVALID,
                          "%s exists: expected a new file, or --force to overwrite it", path)
               : VEF_OK;
}

int vef_command_usage(const vef_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "vef %s: ", command->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nusage: vef %s %s\nSee `vef %s --help`.\n", command->name, command->usage,
            command->name);
    return VEF_EXIT_USAGE;
}
