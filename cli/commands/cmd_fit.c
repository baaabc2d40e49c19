/* `vef fit pingpong`: measures a machine with two MPI tasks and writes its machine file. */
#include "cli/command.h"
#include "cli/installed.h"
#include "cli/interrupt.h"
#include "common/memory.h"
#include "common/pictures/picture.h"
#include "common/status.h"
#include "common/system/file.h"
#include "netmodel/netmodel.h"
#include "replay/fit/pingpong.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct choices {
    const char *output, *network, *measured, *save;
    vef_plot plot;
    int64_t sizes, repetitions, seed;
    uint64_t most_bytes;
    double limit_ns;
    int buffers; /* of the words below */
    bool quiet, accept_noise, force;
} choices;

enum { WARM = 1 };
static const char *const temperatures[] = {"cold", [WARM] = "warm", NULL};

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Machine file to write"),
    VEF_OPTION(STRING, "net", "NET.yaml", choices, network,
               "Network between the tasks, at its endpoints 0 and 1: fit what it does not explain"),
    VEF_OPTION(STRING, "measured", "FILE", choices, measured,
               "Fit the measurements in FILE; measure nothing"),
    VEF_OPTION(STRING, "save", "FILE", choices, save, "Keep the measurements in FILE (CSV)"),
    VEF_PLOT_OPTIONS(choices, plot, "Draw the fit as FILE.svg, .pdf or .png"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_GROUP("Measurement"),
    VEF_OPTION(INT, "sizes", "N", choices, sizes, "Number of message sizes", .fallback = "150",
               .minimum = 1, .maximum = 100000),
    VEF_OPTION(INT, "repetitions", "N", choices, repetitions, "Measurements of each size",
               .fallback = "40", .minimum = 1, .maximum = 1000000),
    VEF_OPTION(BYTES, "largest", "SIZE", choices, most_bytes, "Largest size", .fallback = "16 MiB",
               .minimum = 1, .maximum = 1 << 30),
    VEF_OPTION(TIME, "time", "TIME", choices, limit_ns, "Maximum time of the measurement",
               .fallback = "45 s"),
    VEF_OPTION(INT, "seed", "N", choices, seed, "Seed of sizes and their order", .fallback = "1",
               .maximum = INFINITY),
    VEF_CHOICE("buffers", temperatures, choices, buffers,
               "Messages written just before, as in programs (cold), or sent again and again, as "
               "in benchmarks (warm)",
               .fallback = "cold"),
    VEF_FLAG("accept-noise", choices, accept_noise,
             "Write the file even if the machine was busy, with a warning"),
    VEF_FLAG("quiet", choices, quiet, "Print no progress"),
    VEF_LAST_OPTIONS,
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--measured", "--save COMMAND"),
    VEF_NEEDS("--figure", "--plot"),
    {0},
};

/* ---- the measuring program ---- */

enum { NUMBER_BYTES = 32, MOST_ADDED = 16 };

/* Passes held signals on to the child until it ends; its status as of waitpid. */
static vef_code wait_for(pid_t child, const char *name, vef_error *error) {
    int status = 0, passed_on = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        const int signal = vef_interrupts_seen();
        if (signal != 0 && signal != passed_on)
            kill(child, passed_on = signal);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    if (passed_on != 0)
        return vef_fail(error, VEF_STOPPED, "interrupted (%s)", strsignal(passed_on));
    if (ended < 0)
        return vef_fail_errno(error, "%s", name);
    if (WIFSIGNALED(status))
        return vef_fail(error, VEF_FAILED, "%s was ended by signal %d", name, WTERMSIG(status));
    if (WEXITSTATUS(status) == 127)
        return vef_fail(error, VEF_INVALID, "cannot run %s", name);
    if (WEXITSTATUS(status) != 0)
        return vef_fail(error, VEF_FAILED, "the measurement failed: %s ended with status %d", name,
                        WEXITSTATUS(status));
    return VEF_OK;
}

/* Runs the command with an empty input. */
static vef_code run_command(char *const *arguments, vef_error *error) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask, ignored;
    pid_t child;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    vef_interrupts_hold();
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        errno = failed;
        return vef_fail_errno(error, "cannot run %s", arguments[0]);
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &mask);
        posix_spawnattr_setsigdefault(&attributes, &ignored);
        failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (failed == 0)
            failed = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0)
        return wait_for(child, arguments[0], error);
    errno = failed;
    return vef_fail_errno(error, "cannot run %s", arguments[0]);
}

/* Runs vefpingpong, which writes its measurements to `path`. `launcher`: the `given` words of the
 * command that starts two tasks; 0: mpiexec.mpich -n 2, or mpiexec -n 2 where that is missing. The
 * program is $VEF_PINGPONG, or installed with vef (installed.h). Terminating signals are held back
 * from now on (interrupt.h), passed on to the command, and end the measurement with VEF_STOPPED. */
static vef_code run_pingpong(const choices *chosen, char *const *launcher, int given,
                             const char *path, vef_error *error) {
    static const char *const usual[] = {"mpiexec.mpich", "-n", "2"};
    enum { USUAL = sizeof usual / sizeof *usual };
    static char program[VEF_INSTALLED_BYTES], found[VEF_INSTALLED_BYTES];
    char numbers[5][NUMBER_BYTES];
    vef_code code = vef_installed_find("vefpingpong", "VEF_PINGPONG", program, error);
    if (code != VEF_OK)
        return code;
    const int words = given > 0 ? given : USUAL;
    const char **arguments = vef_calloc((size_t)words + MOST_ADDED, sizeof *arguments);
    int count = 0;
    for (; count < words; count++)
        arguments[count] = given > 0 ? launcher[count] : usual[count];
    if (given == 0 && !vef_program_find(usual[0], found))
        arguments[0] = "mpiexec";
    snprintf(numbers[0], NUMBER_BYTES, "%" PRId64, chosen->sizes);
    snprintf(numbers[1], NUMBER_BYTES, "%" PRId64, chosen->repetitions);
    snprintf(numbers[2], NUMBER_BYTES, "%" PRIu64, chosen->most_bytes);
    snprintf(numbers[3], NUMBER_BYTES, "%" PRIu64, (uint64_t)chosen->seed);
    snprintf(numbers[4], NUMBER_BYTES, "%.3f", chosen->limit_ns * 1e-9);
    const char *const added[] = {program,    "-o",       path,      "-n",       numbers[0],
                                 "-r",       numbers[1], "-m",      numbers[2], "-s",
                                 numbers[3], "-t",       numbers[4]};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        arguments[count++] = added[i];
    if (chosen->quiet)
        arguments[count++] = "-q";
    if (chosen->buffers == WARM)
        arguments[count++] = "-w";
    code = run_command((char *const *)(uintptr_t)arguments, error);
    free(arguments);
    return code;
}

/* What must not fail after the measurement. */
static vef_code check_outputs(const choices *chosen, vef_error *error) {
    vef_output output;
    vef_code code = vef_command_output(chosen->output, chosen->force, error);
    if (code == VEF_OK && chosen->save)
        code = vef_command_output(chosen->save, chosen->force, error);
    if (code == VEF_OK && chosen->plot.path)
        code = vef_picture_check("--plot", &chosen->plot, error);
    if (code == VEF_OK)
        code = vef_output_open(&output, chosen->output, error);
    if (code == VEF_OK)
        vef_output_discard(&output);
    return code;
}

/* An empty file beside the output, for the measuring program; allocated. */
static vef_code make_temporary(const char *output, char **path, vef_error *error) {
    *path = vef_file_beside(output, ".measured-XXXXXX");
    const int file = mkstemp(*path);
    if (file < 0) {
        vef_fail_errno(error, "%s", *path);
        free(*path);
        *path = NULL;
        return VEF_IO;
    }
    close(file);
    return VEF_OK;
}

static vef_code measure(const choices *chosen, char *const *launcher, int words,
                        vef_measurements *measurements, vef_error *error) {
    char *temporary = NULL;
    vef_code code = chosen->save ? VEF_OK : make_temporary(chosen->output, &temporary, error);
    const char *path = chosen->save ? chosen->save : temporary;
    if (code == VEF_OK)
        code = run_pingpong(chosen, launcher, words, path, error);
    if (code == VEF_OK)
        code = vef_measurements_read(path, measurements, error);
    if (code == VEF_OK && chosen->save && vef_file_sync_folder(path) != 0)
        code = vef_fail_errno(error, "cannot write '%s'", path);
    if (temporary)
        unlink(temporary);
    free(temporary);
    return code;
}

/* `network`: the file of --net, or NULL, whose sections mpi and host the fit replaces. */
static vef_code write_machine(const vef_pingpong_fit *fit, vef_node *network, const char *path,
                              vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code != VEF_OK)
        return code;
    vef_pingpong_fit_write(fit, output.stream);
    if (network) {
        size_t kept = 0;
        for (size_t i = 0; i < network->count; i++)
            if (strcmp(network->keys[i], "mpi") != 0 && strcmp(network->keys[i], "host") != 0) {
                network->keys[kept] = network->keys[i];
                network->items[kept++] = network->items[i];
            }
        network->count = kept;
        vef_node_write_yaml(network, output.stream);
    }
    return vef_output_commit(&output, error);
}

static vef_code read_network(const choices *chosen, vef_arena *arena, vef_node **root,
                             vef_fit_network *network, vef_error *error) {
    vef_netmodel *model = NULL;
    vef_code code = vef_netmodel_read(chosen->network, NULL, 0, arena, root, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(*root, &model, error);
    if (code == VEF_OK && (code = vef_fit_network_of(model, network, error)) != VEF_OK)
        vef_fail_within(error, "%s", chosen->network);
    vef_netmodel_destroy(model);
    return code;
}

/* ---- the picture ---- */

static const char *const titles[VEF_FIT_PARTS] = {
    "Send",       "Isend", "Recv, arrived", "transfer", "exchange",         "copy", "Put", "Get",
    "Accumulate", "flush", "train",         "reduce",   "half a round trip"};

/* Dots with quartiles for what was measured, a line for what was fitted. */
static void add_part(vef_panel *panel, const vef_pingpong_fit *fit, vef_fit_part part) {
    const vef_fit_quantity *quantity = &fit->parts[part];
    if (quantity->count == 0)
        return;
    vef_picture_series *measured = vef_panel_series(panel, titles[part], VEF_DOTS);
    vef_picture_series *fitted = vef_panel_series(panel, titles[part], VEF_LINE);
    for (size_t i = 0; i < quantity->count; i++) {
        const vef_size_times *size = &quantity->sizes[i];
        const double bytes = (double)size->bytes;
        vef_panel_mark(measured, bytes, size->quartile_ns[1], size->quartile_ns[0],
                       size->quartile_ns[2]);
        vef_panel_mark(fitted, bytes, vef_pingpong_fit_ns(fit, part, size->bytes), NAN, NAN);
    }
}

static void add_residuals(vef_panel *panel, const vef_pingpong_fit *fit) {
    const vef_fit_quantity *quantity = &fit->parts[VEF_FIT_HALF];
    vef_picture_series *residuals = vef_panel_series(panel, titles[VEF_FIT_HALF], VEF_DOTS);
    for (size_t i = 0; i < quantity->count; i++) {
        const vef_size_times *size = &quantity->sizes[i];
        const double median_ns = size->quartile_ns[1];
        const double fitted_ns = vef_pingpong_fit_ns(fit, VEF_FIT_HALF, size->bytes);
        vef_panel_mark(residuals, (double)size->bytes, 100 * (fitted_ns - median_ns) / median_ns,
                       NAN, NAN);
    }
}

/* Draws measured medians and fitted lines over the size, and relative residuals. docs/fit.md
 * explains it. */
static vef_picture *draw(const vef_pingpong_fit *fit) {
    vef_picture *picture = vef_picture_new(2);
    vef_panel *times = vef_picture_add(picture, NULL), *residuals = vef_picture_add(picture, NULL);
    times->x = residuals->x = (vef_axis){.kind = VEF_AXIS_LOG2, .label = "size", .unit = "B"};
    times->y = (vef_axis){.kind = VEF_AXIS_LOG10, .label = "time", .unit = "ns"};
    residuals->y =
        (vef_axis){.label = "fitted \xe2\x88\x92 measured", .unit = "%", .least = -50, .most = 50};
    for (int part = 0; part < VEF_FIT_PARTS; part++)
        add_part(times, fit, (vef_fit_part)part);
    if (fit->eager_bytes != UINT64_MAX) {
        vef_picture_series *eager =
            vef_panel_series(times, "eager limit", VEF_LINE | VEF_REFERENCE);
        vef_panel_mark(eager, (double)fit->eager_bytes, -INFINITY, NAN, NAN);
        vef_panel_mark(eager, (double)fit->eager_bytes, INFINITY, NAN, NAN);
    }
    add_residuals(residuals, fit);
    return picture;
}

/* The fit, its judgement and its files. */
static vef_code finish(const choices *chosen, const vef_measurements *measurements, vef_node *root,
                       const vef_fit_network *network, vef_error *error) {
    vef_pingpong_fit fit;
    vef_code code = vef_pingpong_fit_to(measurements, root ? network : NULL, &fit, error);
    if (code == VEF_OK && *fit.doubt && !chosen->accept_noise)
        code = vef_fail(error, VEF_FAILED, "%s; --accept-noise writes the file anyway", fit.doubt);
    if (code == VEF_OK && *fit.doubt)
        vef_command_warn("fit", fit.doubt);
    if (code == VEF_OK)
        code = write_machine(&fit, root, chosen->output, error);
    if (code == VEF_OK && chosen->plot.path)
        code = vef_picture_save(draw(&fit), &chosen->plot, error);
    vef_pingpong_fit_free(&fit);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    vef_measurements measurements = {0};
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_fit_network network;
    if (argc < 2 || strcmp(argv[1], "pingpong") != 0)
        return vef_command_usage(&vef_command_fit, "%s%s%s: expected pingpong",
                                 argc < 2 ? "missing kind of measurement" : "unknown kind '",
                                 argc < 2 ? "" : argv[1], argc < 2 ? "" : "'");
    argc--;
    argv++;
    const int operand = vef_command_read(&vef_command_fit, argc, argv, &chosen, 0, INT_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_code code = check_outputs(&chosen, &error);
    if (code == VEF_OK && chosen.network)
        code = read_network(&chosen, &arena, &root, &network, &error);
    if (code == VEF_OK)
        code = chosen.measured
                   ? vef_measurements_read(chosen.measured, &measurements, &error)
                   : measure(&chosen, argv + operand, argc - operand, &measurements, &error);
    if (code == VEF_OK)
        code = finish(&chosen, &measurements, root, &network, &error);
    vef_measurements_free(&measurements);
    vef_arena_release(&arena);
    if (code == VEF_OK)
        return VEF_EXIT_OK;
    const int status = vef_command_error("fit", &error);
    return code == VEF_STOPPED ? 128 + vef_interrupts_seen() : status;
}

const vef_command vef_command_fit = {
    .name = "fit",
    .summary = "Measure this machine and write its machine file",
    .usage = "pingpong -o FILE [OPTIONS] [--] [COMMAND…]",
    .operands = "COMMAND",
    .options = options,
    .rules = rules,
    .stops_at_operand = true,
    .notes =
        "COMMAND starts two MPI tasks (default: mpiexec.mpich -n 2, else mpiexec -n 2); vef "
        "appends the measuring program of the launcher's MPI library and its options. For a "
        "library for which vef was not built, compile the program and fit its file with --measured "
        "(docs/fit.md).\n\n"
        "Two tasks on one node give host.memory_time and model ideal, on two nodes model loggp, "
        "or, "
        "with --net, that network with sections mpi and host.\n\n"
        "Exit status: 1 if the machine was busy, the tasks shared a core, the fit is poor, or "
        "there are too few measurements; 2 for usage and input errors.\n",
    .run = run,
};
