/* The program: finds the subcommand in the table and runs it. */
#include "cli/command.h"
#include "cli/pages/pages.h"
#include "cli/ranks.h"
#include "common/memory.h"

#include <errno.h>
#include <pthread.h>
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

/* `vef COMMAND help`, unless it is the name of a file; --help anywhere before "--", but not among
 * the arguments of a program that the command starts. */
static bool asks_for_help(const vef_command *command, int argc, char **argv) {
    if (argc == 3 && strcmp(argv[2], "help") == 0 && access(argv[2], F_OK) != 0)
        return true;
    const bool kind = argc > 3 && strncmp(command->usage, argv[2], strlen(argv[2])) == 0;
    const int end = command->stops_at_operand ? 3 + kind : argc;
    for (int i = 2; i < end && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return VEF_EXIT_USAGE;
    }
    const bool asks = is_help(argv[1]) || strcmp(argv[1], "help") == 0;
    if (asks && argc == 2) {
        print_help(stdout);
        return VEF_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        argv[1] += 2;
        return vef_command_version.run(argc - 1, argv + 1);
    }
    const vef_command *command = vef_command_find("vef", argv[asks ? 2 : 1]);
    if (!command)
        return VEF_EXIT_USAGE;
    if (!asks && !asks_for_help(command, argc, argv)) {
        vef_net_ranks ranks;
        if (!command->spreads && vef_ranks_of_program(&ranks)) {
            fprintf(stderr,
                    "vef %s: not supported by %u processes: expected one, or vef load or replay\n",
                    command->name, ranks.count);
            return VEF_EXIT_USAGE;
        }
        return command->run(argc - 1, argv + 1);
    }
    vef_command_help(stdout, command);
    return VEF_EXIT_OK;
}

/* Standard output or error. */
typedef struct written {
    FILE *to;
    unsigned char last; /* byte */
} written;

/* Shows what a terminal would obey, C0, DEL and C1 in UTF-8, as \x1b: names of others may hold it.
 */
static ssize_t write_visible(void *cookie, const char *bytes, size_t count) {
    written *output = cookie;
    for (size_t i = 0; i < count; i++) {
        const unsigned char last = output->last, byte = output->last = (unsigned char)bytes[i];
        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f ||
            (last == 0xc2 && byte >= 0x80 && byte < 0xa0))
            fprintf(output->to, "\\x%02x", byte);
        else
            putc_unlocked(byte, output->to);
    }
    return fflush(output->to) == 0 && !ferror(output->to) ? (ssize_t)count : 0;
}

/* All that commands print passes write_visible. */
static void guard(FILE **stream, written *output, int mode) {
    *output = (written){.to = *stream};
    FILE *guarded = fopencookie(output, "w", (cookie_io_functions_t){.write = write_visible});
    if (guarded) {
        setvbuf(guarded, NULL, mode, 0);
        setvbuf(*stream, NULL, _IOFBF, 0); /* flushed with the other */
        *stream = guarded;
    }
}

/* Threads get the size of stacks that `ulimit -s` says; what runs in ours needs some 100 KiB. */
static void give_threads_stacks(void) {
    enum { LEAST_BYTES = 1 << 20 };
    pthread_attr_t attributes;
    size_t bytes;
    if (pthread_getattr_default_np(&attributes) != 0)
        return;
    if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < LEAST_BYTES &&
        pthread_attr_setstacksize(&attributes, LEAST_BYTES) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/* Without memory the command ends where it is (common/memory.h), in whatever thread. */
typedef struct ending {
    vef_landing landing;
    const char *command;
} ending;

static void end_without_memory(vef_landing *landing, size_t bytes) {
    dprintf(STDERR_FILENO, "vef %s: " VEF_OUT_OF_MEMORY ": %zu bytes more were needed\n",
            ((const ending *)landing)->command, bytes);
    _exit(VEF_EXIT_USAGE);
}

/* Commands with little output leave it in the stream's buffer; write errors are detected here, once
 * for all of them. */
int main(int argc, char **argv) {
    static written out, err;
    vef_ranks_begin(&argc, &argv);
    guard(&stdout, &out, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    guard(&stderr, &err, _IONBF);
    give_threads_stacks();
    ending without_memory = {.landing = {.lost = end_without_memory, .ends_process = true},
                             .command = argc > 1 ? argv[1] : ""};
    vef_landing_set(&without_memory.landing);
    errno = 0;
    int status = run(argc, argv);
    vef_ranks_end();
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != VEF_EXIT_OK)
        return status;
    vef_error error;
    vef_fail_errno(&error, "cannot write the output");
    fprintf(stderr, "vef: %s\n", error.message);
    return VEF_EXIT_USAGE;
}
