/* The program: finds the subcommand in the table and runs it. */
#include "cli/command.h"
#include "common/config/config.h"
#include "common/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static void print_help(FILE *out) {
    fprintf(out, "usage: vef COMMAND [ARGUMENTS]\n\n" VEF_PROGRAM_SUMMARY ".\n\n");
    for (size_t i = 0; vef_commands[i]; i++)
        fprintf(out, "  %-10s %s\n", vef_commands[i]->name, vef_commands[i]->summary);
    fprintf(out, "\n`vef COMMAND --help` shows the options of a command.\n");
}

static bool is_help(const char *argument) {
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return VEF_EXIT_USAGE;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return VEF_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        argv[1] += 2;
        return vef_command_version.run(argc - 1, argv + 1);
    }
    const vef_command *command = vef_command_find("vef", argv[1]);
    if (!command)
        return VEF_EXIT_USAGE;
    if (argc <= 2 || !is_help(argv[2]))
        return command->run(argc - 1, argv + 1);
    printf("usage: vef %s %s\n\n%s.\n", command->name, command->usage, command->summary);
    if (command->options)
        putchar('\n');
    vef_options_help(stdout, command->options);
    if (command->help) {
        putchar('\n');
        command->help(stdout);
    }
    return VEF_EXIT_OK;
}

/* Without memory the command ends where it is (common/memory.h), in whatever thread. */
typedef struct ending {
    vef_landing landing;
    const char *command;
} ending;

static void end_without_memory(vef_landing *landing, size_t bytes) {
    fprintf(stderr, "vef %s: out of memory: %zu bytes more were needed\n",
            ((const ending *)landing)->command, bytes);
    _exit(VEF_EXIT_USAGE);
}

/* Commands with little output leave it in the stream's buffer; write errors are detected here, once
 * for all of them. */
int main(int argc, char **argv) {
    ending without_memory = {.landing = {.lost = end_without_memory, .ends_process = true},
                             .command = argc > 1 ? argv[1] : ""};
    vef_landing_set(&without_memory.landing);
    errno = 0;
    int status = run(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != VEF_EXIT_OK)
        return status;
    vef_error error;
    vef_fail_errno(&error, "cannot write the output");
    fprintf(stderr, "vef: %s\n", error.message);
    return VEF_EXIT_USAGE;
}
