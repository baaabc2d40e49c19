/* Subcommands of `vef`: one file and one row of vef_commands (commands.def) each. */
#ifndef VEF_CLI_COMMAND_H
#define VEF_CLI_COMMAND_H

#include "cli/options.h"
#include "common/config/config.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit statuses of the program. */
enum { VEF_EXIT_OK = 0, VEF_EXIT_FAILURE = 1, VEF_EXIT_USAGE = 2 };

typedef struct vef_command {
    const char *name;
    const char *summary;  /* one line for `vef --help` */
    const char *usage;    /* the arguments after the name: "FILE [OPTIONS]" */
    const char *operands; /* see vef_syntax; NULL: none, or they are words */
    const vef_option *options;
    const vef_option_rule *rules; /* NULL: none */
    bool spreads;                 /* several processes run it together (ranks.h) */
    bool stops_at_operand; /* the arguments after the first operand belong to it: it is a command */
    /* The part of `vef NAME --help` below the options: a text, or, where it has tables, what writes
     * it. At most one of them. */
    const char *notes;
    void (*help)(FILE *out);
    /* argv[0] is the subcommand's name. Returns the exit status. */
    int (*run)(int argc, char **argv);
} vef_command;

#define VEF_PROGRAM_SUMMARY                                                                        \
    "Captures MPI programs and replays them on simulated interconnection networks"

extern const vef_command *const vef_commands[]; /* terminated by NULL */
#define COMMAND(name) extern const vef_command vef_command_##name;
#include "cli/commands.def"
#undef COMMAND

/* Reads options and `least` to `most` operands as vef_options_read does; returns the index of the
 * first operand. On errors, prints the message and the usage on stderr and returns -1 (exit status
 * 2). */
int vef_command_read(const vef_command *command, int argc, char **argv, void *choices, int least,
                     int most);

/* The row of that name, or NULL after a message on stderr with all names; `what` begins it: "vef"
 * or "vef list". */
const vef_command *vef_command_find(const char *what, const char *name);

/* Prints "vef NAME: message" on stderr; returns the exit status of the error: 1 for VEF_FAILED, 2
 * otherwise. */
int vef_command_error(const char *name, const vef_error *error);

/* Where a command prints what it says about the file that it writes: stderr if that is standard
 * output (`-o -`). `output`: NULL if it writes none. */
FILE *vef_command_messages(const char *output);

/* Prints how many tasks, events and messages the trace `path` has, which a command has made. */
vef_code vef_command_made(const char *path, vef_error *error);

/* Prints "vef NAME: warning: text" on stderr. */
void vef_command_warn(const char *name, const char *text);
/* Warns of the keys of a network file that were ignored (vef_config_read). */
void vef_command_warn_ignored(const char *name, const vef_node *root);

/* Refuses to overwrite an existing file without `force`: VEF_INVALID. Devices and pipes are written
 * to. */
vef_code vef_command_output(const char *path, bool force, vef_error *error);

/* Prints "vef NAME: …" and how to get help; returns VEF_EXIT_USAGE. */
int vef_command_usage(const vef_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
