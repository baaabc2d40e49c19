/* `vef replay`: how long a traced program would have run on a network. */
#include "cli/command.h"
#include "cli/program_grid.h"
#include "common/config.h"
#include "common/progress.h"
#include "netmodel/netmodel.h"
#include "replay/replay.h"
#include "replay/report.h"
#include "traces/trace.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OVERRIDES = 64 };

typedef struct options {
    bool csv, json, per_task;
    const char *network, *trace;
    const char *overrides[MOST_OVERRIDES];
    size_t override_count;
    char seed[64];        /* the override that --seed makes */
    double time_limit_ns; /* negative: none */
    vef_mapping_request request;
    vef_replay_options replay;
} options;

/* ---- options ---- */

typedef vef_code read_value(options *chosen, const char *text, const char *name, vef_error *error);

static vef_code read_network(options *chosen, const char *text, const char *name,
                             vef_error *error) {
    (void)name, (void)error;
    chosen->network = text;
    return VEF_OK;
}

static vef_code read_map(options *chosen, const char *text, const char *name, vef_error *error) {
    (void)name, (void)error;
    chosen->request.text = text;
    return VEF_OK;
}

static vef_code read_grid(options *chosen, const char *text, const char *name, vef_error *error) {
    (void)name;
    return vef_mapping_parse_grid(text, &chosen->request.grid, error);
}

static vef_code read_set(options *chosen, const char *text, const char *name, vef_error *error) {
    if (chosen->override_count == MOST_OVERRIDES)
        return vef_fail(error, VEF_INVALID, "%s: at most %d times", name, MOST_OVERRIDES);
    chosen->overrides[chosen->override_count++] = text;
    return VEF_OK;
}

static vef_code read_seed(options *chosen, const char *text, const char *name, vef_error *error) {
    if (!*text || strlen(text) > 20 || strspn(text, "0123456789") != strlen(text))
        return vef_fail(error, VEF_INVALID, "%s '%s': a whole number from 0", name, text);
    snprintf(chosen->seed, sizeof chosen->seed, "seed=%s", text);
    return read_set(chosen, chosen->seed, name, error);
}

static vef_code read_eager(options *chosen, const char *text, const char *name, vef_error *error) {
    return vef_parse_bytes(text, name, &chosen->replay.eager_bytes, error);
}

static vef_code read_control(options *chosen, const char *text, const char *name,
                             vef_error *error) {
    return vef_parse_bytes(text, name, &chosen->replay.control_bytes, error);
}

static vef_code read_factor(const char *text, const char *name, double *value, vef_error *error) {
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    if (end == text || *end || errno || !(number >= 0) || !isfinite(number))
        return vef_fail(error, VEF_INVALID, "%s '%s': a number from 0", name, text);
    *value = number;
    return VEF_OK;
}

static vef_code read_scale(options *chosen, const char *text, const char *name, vef_error *error) {
    return read_factor(text, name, &chosen->replay.compute_scale, error);
}

static vef_code read_reduce(options *chosen, const char *text, const char *name, vef_error *error) {
    return read_factor(text, name, &chosen->replay.reduce_ns_per_byte, error);
}

static vef_code read_poll(options *chosen, const char *text, const char *name, vef_error *error) {
    return vef_parse_time_ns(text, name, &chosen->replay.poll_gap_ns, error);
}

static vef_code read_send(options *chosen, const char *text, const char *name, vef_error *error) {
    return vef_parse_time_ns(text, name, &chosen->replay.send_overhead_ns, error);
}

static vef_code read_receive(options *chosen, const char *text, const char *name,
                             vef_error *error) {
    return vef_parse_time_ns(text, name, &chosen->replay.receive_overhead_ns, error);
}

static vef_code read_limit(options *chosen, const char *text, const char *name, vef_error *error) {
    return vef_parse_time_ns(text, name, &chosen->time_limit_ns, error);
}

static vef_code read_flag(options *chosen, const char *text, const char *name, vef_error *error) {
    (void)text, (void)error;
    if (strcmp(name, "--json") == 0)
        chosen->json = true;
    else if (strcmp(name, "--csv") == 0)
        chosen->csv = true;
    else
        chosen->per_task = true;
    return VEF_OK;
}

static const struct option_row {
    const char *name, *value; /* value NULL: a flag */
    read_value *read;
    const char *help;
} rows[] = {
    {"--net", "NET.yaml", read_network, "the network; required"},
    {"--map", "MAPPING", read_map, "what takes tasks to endpoints; default: identity"},
    {"--grid", "WxH", read_grid,
     "the logical grid of the tasks; default: the program's own, else "
     "the squarest"},
    {"--set", "KEY=VALUE", read_set, "override a key of the network file"},
    {"--seed", "N", read_seed, "the same as --set seed=N"},
    {"--eager-threshold", "BYTES", read_eager,
     "messages up to this travel at once, larger ones by "
     "rendezvous; default: 64 KiB"},
    {"--control-bytes", "BYTES", read_control, "a rendezvous request or clearance; default: 32 B"},
    {"--compute-scale", "X", read_scale, "multiplies the measured computation; default: 1"},
    {"--poll-gap", "TIME", read_poll,
     "a gap up to this between tests or probes is waiting, not "
     "computation; default: 1 us"},
    {"--send-overhead", "TIME", read_send, "of the processor for each send; default: 0 ns"},
    {"--receive-overhead", "TIME", read_receive,
     "of the processor for each receive; default: 0 ns"},
    {"--reduce-cost", "X", read_reduce, "ns per byte that a collective reduces; default: 0"},
    {"--time-limit", "TIME", read_limit, "stop at this simulated time; default: none"},
    {"--per-task", NULL, read_flag, "every task's times instead of their spread"},
    {"--json", NULL, read_flag, "as JSON"},
    {"--csv", NULL, read_flag, "as CSV"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void help(FILE *out) {
    for (size_t i = 0; i < ROWS; i++) {
        char option[48];
        snprintf(option, sizeof option, "%s %s", rows[i].name, rows[i].value ? rows[i].value : "");
        fprintf(out, "  %-25s %s\n", option, rows[i].help);
    }
    fputs(
        "\nMAPPING is one of these, or several composed as f . g . h, applied from right to "
        "left:\n",
        out);
    vef_mapping_describe(out, 2);
    fputs("\nA network file names its model by the key `model` (default: router):\n", out);
    for (size_t i = 0; vef_netmodel_kinds[i]; i++)
        fprintf(out, "  %-10s %s\n", vef_netmodel_kinds[i]->name, vef_netmodel_kinds[i]->summary);
    fputs(
        "\nExit status: 0; 1 when the replay could not go on to the end (the cause is told); 2 "
        "when\nsomething was not understood.\n",
        out);
}

static vef_code read_option(options *chosen, int argc, char **argv, int *i, vef_error *error) {
    const char *given = argv[*i];
    size_t length = strcspn(given, "=");
    for (size_t row = 0; row < ROWS; row++) {
        if (strlen(rows[row].name) != length || strncmp(rows[row].name, given, length) != 0)
            continue;
        if (!rows[row].value && given[length] == '=')
            return vef_fail(error, VEF_INVALID, "%s takes no value", rows[row].name);
        const char *text = given[length] == '=' ? given + length + 1 : NULL;
        if (rows[row].value && !text && *i + 1 == argc)
            return vef_fail(error, VEF_INVALID, "%s needs a value: %s", rows[row].name,
                            rows[row].value);
        if (rows[row].value && !text)
            text = argv[++*i];
        return rows[row].read(chosen, text, rows[row].name, error);
    }
    const char *names[ROWS];
    for (size_t row = 0; row < ROWS; row++)
        names[row] = rows[row].name;
    return vef_fail_unknown(error, "option", given, names, ROWS);
}

/* Reads all of them; VEF_EXIT_OK, or the exit status after telling what is wrong. */
static int read_options(options *chosen, int argc, char **argv) {
    *chosen = (options){.replay = vef_replay_defaults(), .time_limit_ns = -1};
    for (int i = 1; i < argc; i++) {
        vef_error error;
        if (argv[i][0] == '-') {
            if (read_option(chosen, argc, argv, &i, &error) != VEF_OK)
                return vef_command_usage(&vef_command_replay, "%s", error.message);
        } else if (chosen->trace)
            return vef_command_usage(&vef_command_replay, "%s: one trace is enough", argv[i]);
        else
            chosen->trace = argv[i];
    }
    if (!chosen->trace)
        return vef_command_usage(&vef_command_replay, "which trace?");
    if (!chosen->network)
        return vef_command_usage(&vef_command_replay, "which network? --net NET.yaml");
    if (chosen->csv && chosen->json)
        return vef_command_usage(&vef_command_replay, "--csv or --json, not both");
    return VEF_EXIT_OK;
}

/* ---- the replay ---- */

/* Everything that a replay holds; released in one place. */
typedef struct session {
    vef_trace *trace;
    const char *missing;
    vef_netmodel *network;
    vef_mapping *mapping;
    vef_replay_result result;
} session;

static vef_code open_session(options *chosen, session *held, vef_error *error) {
    vef_code code = vef_trace_open(chosen->trace, &held->trace, &held->missing, error);
    if (code == VEF_OK)
        code = vef_netmodel_open(chosen->network, chosen->overrides, chosen->override_count,
                                 &held->network, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(held->trace);
    chosen->request.tasks = header->tasks;
    chosen->request.program_grid =
        vef_program_grid(header->communicators, header->communicator_count, header->tasks);
    if (header->tasks > held->network->endpoints)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "the trace has %u tasks and the network %u endpoints; a larger topology, or "
            "--set endpoints_per_router=K with %u endpoints or more, would do",
            header->tasks, held->network->endpoints, header->tasks);
    if (chosen->time_limit_ns >= 0) {
        double cycles = chosen->time_limit_ns / vef_netmodel_cycle_ns(held->network);
        chosen->replay.limit_cycles = cycles < 0x1p62 ? (uint64_t)cycles : VEF_FOREVER;
    }
    return vef_mapping_create(&chosen->request, held->network->topology, &held->mapping, error);
}

static vef_code write_report(const options *chosen, const session *held, vef_error *error) {
    const vef_report report = {.result = &held->result,
                               .network = held->network,
                               .options = &chosen->replay,
                               .trace = chosen->trace,
                               .mapping = chosen->request.text ? chosen->request.text : "identity",
                               .missing = held->missing,
                               .per_task = chosen->per_task};
    vef_code code = chosen->json  ? vef_report_json(&report, stdout, error)
                    : chosen->csv ? vef_report_csv(&report, stdout, error)
                                  : vef_report_text(&report, stdout, error);
    if (code == VEF_OK && (fflush(stdout) != 0 || ferror(stdout)))
        code = vef_fail_errno(error, "writing the result");
    return code;
}

static int run(int argc, char **argv) {
    options chosen;
    int status = read_options(&chosen, argc, argv);
    if (status != VEF_EXIT_OK)
        return status;
    vef_error error = {0};
    session held = {0};
    vef_code code = open_session(&chosen, &held, &error);
    if (code == VEF_OK) {
        vef_progress progress;
        vef_progress_begin(&progress, "replaying");
        code = vef_replay(held.trace, held.network, held.mapping->endpoint, &chosen.replay,
                          &progress, &held.result, &error);
        vef_progress_end(&progress);
    }
    if (code == VEF_OK)
        code = write_report(&chosen, &held, &error);
    if (code != VEF_OK) {
        status = vef_command_error("replay", &error);
    } else if (held.result.stall != VEF_STALL_NONE) {
        fprintf(stderr, "vef replay: stalled (%s): %s\n", vef_stall_name(held.result.stall),
                held.result.stall_text);
        status = VEF_EXIT_FAILURE;
    }
    vef_replay_result_release(&held.result);
    vef_mapping_destroy(held.mapping);
    vef_netmodel_destroy(held.network);
    vef_trace_close(held.trace);
    return status;
}

const vef_command vef_command_replay = {
    .name = "replay",
    .summary = "Replay a trace on a simulated network: how long the program would have run",
    .usage = "TRACE --net NET.yaml [--map MAPPING] [--grid WxH] [--set KEY=VALUE]... [OPTIONS]",
    .help = help,
    .run = run,
};
