/* `vef fit pingpong`: measures a machine with two MPI tasks and writes its machine file. */
#include "cli/command.h"
#include "cli/fit/measure.h"
#include "cli/fit/plot.h"
#include "cli/interrupt.h"
#include "common/system/file.h"
#include "netmodel/netmodel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
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
    const vef_measuring measuring = {launcher,
                                     words,
                                     chosen->sizes,
                                     chosen->repetitions,
                                     chosen->most_bytes,
                                     (uint64_t)chosen->seed,
                                     chosen->limit_ns * 1e-9,
                                     chosen->quiet,
                                     chosen->buffers == WARM};
    char *temporary = NULL;
    vef_code code = chosen->save ? VEF_OK : make_temporary(chosen->output, &temporary, error);
    const char *path = chosen->save ? chosen->save : temporary;
    if (code == VEF_OK)
        code = vef_pingpong_measure(&measuring, path, error);
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
        code = vef_picture_save(vef_fit_draw(&fit), &chosen->plot, error);
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
