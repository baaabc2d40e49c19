/* `vef replay`: the execution time of a traced program on a simulated network. */
#include "cli/command.h"
#include "cli/jobs/session.h"
#include "cli/part.h"
#include "cli/ranks.h"
#include "cli/replay/observed.h"
#include "cli/report/page.h"
#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/progress.h"
#include "replay/program.h"
#include "replay/report.h"
#include "replay/timeline/replay_timeline.h"
#include "traces/file/trace.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct choices {
    vef_observed_choices machine;
    bool net, per_task, once;
    const char *map, *grid, *timeline, *html;
    vef_jobs_choices jobs;
    vef_part_choices part; /* of the timeline */
    uint64_t max_bytes;    /* of the timeline; 0: unlimited */
    const vef_net_ranks *ranks;
} choices;

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_NET_OPTION(choices, net),
    VEF_OPTION(STRING, "map", "MAPPING", choices, map,
               "Mapping of tasks to endpoints, see \"vef list mappings\"",
               .default_text = "identity"),
    VEF_OPTION(STRING, "grid", "GRID", choices, grid, "Logical grid of the tasks",
               .default_text = "that of the program, else the squarest"),
    VEF_SET_OPTION(choices, machine.overrides, "file (router.queue_packets=8, mpi.bcast=binomial)"),
    VEF_SHORT("seed", "N", choices, machine.overrides, "seed"),
    VEF_OPTION(TIME, "time-limit", "TIME", choices, machine.time_limit_ns, "Maximum simulated time",
               .default_text = "unlimited"),
    VEF_OPTION(COUNT, "threads", "N", choices, machine.threads,
               "Maximum number of threads; results do not depend on it",
               .default_text = "one per core", .minimum = 1, .maximum = UINT32_MAX),
    VEF_GROUP("Reports"),
    VEF_FLAG("per-task", choices, per_task,
             "Print the times of every task instead of their distribution"),
    VEF_FLAG("per-link", choices, machine.per_link,
             "Print how busy every link is; with --csv this table alone"),
    VEF_FLAG("explain", choices, machine.explain,
             "Explain the time: causes per task, critical path, busiest links, other machines"),
    VEF_FLAG("once", choices, once,
             "Explain from one replay: do not simulate other machines nor count what loads links"),
    VEF_OPTION(TIME, "sample", "TIME", choices, machine.sample_ns,
               "How busy links are in each interval of so long; with --csv this table alone"),
    VEF_PLOT_OPTIONS(
        choices, machine.plot,
        "Draw how busy each link is, with --sample also over time (.svg, .pdf or .png)"),
    VEF_OPTION(STRING, "html", "FILE", choices, html,
               "Write a page with a timeline of tasks and messages, the critical path, and links "
               "over time"),
    VEF_GROUP("Timeline of the replayed execution"),
    VEF_OPTION(STRING, "timeline", "FILE", choices, timeline,
               "Write the replayed execution as a timeline for Perfetto (Chrome trace events)"),
    VEF_PART_OPTIONS(choices, part, "(simulated time)"),
    VEF_OPTION(BYTES, "max-size", "SIZE", choices, max_bytes,
               "Largest size of the timeline: later calls are left out; in a page (default: 12 "
               "MB) calls are summed up",
               .word = "unlimited", .fallback = "unlimited"),
    VEF_GROUP("Several jobs"),
    VEF_TEXTS(
        "job", "JOB", choices, jobs.jobs,
        "Replay this job beside others instead of a TRACE, see \"vef list jobs\" (repeatable)"),
    VEF_OPTION(STRING, "jobs", "FILE", choices, jobs.file, "Jobs in a YAML file"),
    VEF_OPTION(STRING, "place", "PLACE", choices, jobs.place,
               "Placement of jobs without the key place"),
    VEF_OPTION(STRING, "batch", "POLICY", choices, jobs.batch,
               "Policy of a batch scheduler that starts the jobs: fcfs or easy"),
    VEF_FLAG("no-alone", choices, jobs.no_alone,
             "Do not replay each job alone as well, for its slowdown"),
    VEF_GROUP("Short forms of --set"),
    VEF_SHORT("eager-threshold", "BYTES", choices, machine.overrides, "mpi.eager_threshold"),
    VEF_SHORT("control-bytes", "BYTES", choices, machine.overrides, "mpi.control_bytes"),
    VEF_SHORT("hardware-broadcast", NULL, choices, machine.overrides, "mpi.bcast=hardware"),
    VEF_SHORT("compute-scale", "X", choices, machine.overrides, "host.compute_scale"),
    VEF_SHORT("no-outside", NULL, choices, machine.overrides, "host.outside=false"),
    VEF_SHORT("poll-gap", "TIME", choices, machine.overrides, "host.poll_gap"),
    VEF_SHORT("send-overhead", "TIME", choices, machine.overrides, "host.send_overhead"),
    VEF_SHORT("receive-overhead", "TIME", choices, machine.overrides, "host.receive_overhead"),
    VEF_SHORT("reduce-cost", "X", choices, machine.overrides, "host.reduce_cost"),
    VEF_NETWORK_OPTIONS(choices, machine.format),
};

#define JOBS "--job --jobs"
#define ONE_TRACE "expected a replay of a single TRACE"
static const vef_option_rule rules[] = {
    VEF_NEEDS("--batch --place --no-alone", JOBS),
    VEF_NEEDS("--once", "--explain"),
    VEF_NEEDS("--max-size --time --region --between --tasks", "--timeline --html"),
    VEF_EXCLUDES("--map", JOBS, .reason = "expected the key `map` of a job"),
    VEF_EXCLUDES("--grid", JOBS, .reason = "expected the key `grid` of a job"),
    VEF_EXCLUDES("--timeline --html", JOBS, .reason = ONE_TRACE),
    VEF_EXCLUDES("--timeline", "--html"),
    VEF_EXCLUDES("--per-task", JOBS, .reason = ONE_TRACE),
    VEF_EXCLUDES("--sample", "--per-link --per-task --explain", .when = VEF_TABLE_WORDS),
    VEF_EXCLUDES("--per-link", "--per-task --explain", .when = VEF_TABLE_WORDS),
    {0},
};

static void help(FILE *out) {
    fputs(
        "MAPPING is a mapping such as block, greedy or twisted-union(2), or a composition f . g . "
        "h, applied from right to left. JOB is a trace with keys, or background traffic: "
        "app.vef,place=group.\n\nThe key `model` of a network file selects the model (default: "
        "router):\n",
        out);
    for (size_t i = 0; vef_netmodel_kinds[i]; i++)
        fprintf(out, "  %-10s %s\n", vef_netmodel_kinds[i]->name, vef_netmodel_kinds[i]->summary);
    fputs(
        "`vef list networks` lists all keys of a network file, also of its sections about the MPI "
        "library and the computers; `vef list collectives` the algorithms.\n\n`mpiexec -n N "
        "vef-mpi replay …`: N processes replay the trace together, or divide the "
        "replays of jobs; results are the same. A trace is not supported with --explain, "
        "--timeline, --html, --sample, --time-limit and what "
        "docs/semantics.md lists.\n\nExit status: 0; 1 when the replay stalled (stderr has the "
        "cause), or the trace is damaged and was replayed "
        "as far as it can be read; 2 for usage and input errors.\n",
        out);
}

/* ---- the replay ---- */

/* Resources of a replay, released together. */
typedef struct session {
    vef_observed machine;
    vef_trace *trace;
    const char *missing;
    vef_slice_options part; /* of the timeline */
    vef_replay_timeline *timeline;
    vef_mapping *mapping;
    vef_replay_result result;
    vef_explanation explanation;
} session;

static vef_code too_many_tasks(const char *network_path, const char *trace, uint32_t tasks,
                               const vef_netmodel *network, vef_error *error) {
    char more[64] = "";
    if (network->topology)
        snprintf(more, sizeof more, ", --set endpoints_per_router=%u",
                 (tasks - 1) / network->topology->routers + 1);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%s has %u tasks, but the network %s %u endpoints: expected a larger "
                    "topology%s, --map block with host.cores, or a mapping file(PATH)",
                    trace, tasks, network_path, network->endpoints, more);
}

/* The timeline, which listens to the replay. */
static vef_code begin_timeline(choices *chosen, session *held, vef_error *error) {
    if (!chosen->timeline && !chosen->html)
        return VEF_OK;
    const vef_replay_timeline_options about = {
        .trace = vef_trace_path(held->trace),
        .header = vef_trace_get_header(held->trace),
        .network = chosen->machine.network,
        .mapping = chosen->map ? chosen->map : "identity",
        .part = vef_part_is_whole(&chosen->part) ? NULL : &held->part,
        .max_bytes = chosen->max_bytes,
        .sampled = held->machine.sampler != NULL};
    signal(SIGXFSZ, SIG_IGN); /* report exceeding ulimit -f as an error */
    vef_code code = vef_part_read(&chosen->part, vef_trace_get_header(held->trace)->tasks,
                                  &held->machine.arena, &held->part, error);
    if (code == VEF_OK)
        code = vef_slice_check_names(held->trace, &held->part, error);
    if (code == VEF_OK)
        code = vef_replay_timeline_open(chosen->timeline, &about, &held->timeline, error);
    if (code == VEF_OK)
        vef_listen(&chosen->machine.replay.listeners, vef_replay_timeline_listener(held->timeline));
    return code;
}

static vef_code end_timeline(const session *held, vef_error *error) {
    const char *notes = "";
    const vef_code code =
        held->timeline
            ? vef_replay_timeline_finish(held->timeline, held->machine.network,
                                         vef_sampler_samples(held->machine.sampler), &notes, error)
            : VEF_OK;
    if (code == VEF_OK && *notes)
        fprintf(stderr, "vef replay: %s\n", notes);
    return code;
}

/* Divides the network among processes, or threads. */
static vef_code divide(const choices *chosen, const session *held, vef_error *error) {
    const struct {
        bool given;
        const char *name;
    } excluded[] = {
        {chosen->machine.explain, "--explain"},
        {chosen->timeline != NULL, "--timeline"},
        {chosen->html != NULL, "--html"},
        {chosen->machine.sample_ns >= 0, "--sample"},
    };
    if (!chosen->ranks) {
        vef_netmodel_split(held->machine.network, vef_observed_threads(&chosen->machine));
        return VEF_OK;
    }
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++)
        if (excluded[i].given)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s: not supported by several processes: expected one",
                            excluded[i].name);
    return vef_netmodel_spread(held->machine.network, chosen->ranks, error);
}

static vef_code open_session(choices *chosen, const char *path, session *held, vef_error *error) {
    vef_code code = vef_trace_open(path, &held->trace, &held->missing, error);
    if (code == VEF_OK)
        code = vef_observed_open(&chosen->machine, &held->machine, error);
    code = vef_net_agree(chosen->ranks, code, error);
    if (code == VEF_OK)
        code = divide(chosen, held, error);
    if (code != VEF_OK)
        return code;
    const vef_netmodel *network = held->machine.network;
    vef_traced_program program = {held->trace, &chosen->machine.replay};
    vef_mapping_request request = vef_program_request(&program, network->topology);
    request.text = chosen->map;
    request.plugins = vef_library_list(held->machine.root);
    if (chosen->grid)
        code = vef_mapping_parse_grid(chosen->grid, &request.grid, error);
    if (code != VEF_OK)
        return code;
    /* More tasks than endpoints need a mapping that shares them. */
    code = vef_mapping_create(&request, network->topology, &held->mapping, error);
    if (code == VEF_UNSUPPORTED && request.tasks > network->endpoints)
        return too_many_tasks(chosen->machine.network, path, request.tasks, network, error);
    return code;
}

/* The page has the document with all that it shows. */
static vef_code write_page(const char *path, const vef_replay_report *report, vef_error *error) {
    vef_report_input input = {.name = report->trace};
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&input.json, &bytes);
    vef_code code = vef_report_write(&vef_report_json, vef_replay_report_build, report, out, error);
    fclose(out);
    if (code == VEF_OK)
        code = vef_report_read_document(&input, bytes, error);
    if (code == VEF_OK)
        code = vef_report_save(path, &input, 1, NULL, error);
    vef_report_input_release(&input);
    return code;
}

static vef_code write_report(const choices *chosen, session *held, vef_error *error) {
    const vef_observed *machine = &held->machine;
    const char *mapping = chosen->map ? chosen->map : "identity";
    char *title = vef_printed("%s on %s, mapping %s", vef_picture_name(vef_trace_path(held->trace)),
                              vef_picture_name(chosen->machine.network), mapping);
    vef_code code = vef_observed_end(&chosen->machine, &held->machine, title, error);
    free(title);
    if (code == VEF_OK)
        code = end_timeline(held, error);
    if (code != VEF_OK)
        return code;
    vef_replay_report report = {
        .result = &held->result,
        .network = machine->network,
        .options = &chosen->machine.replay,
        .trace = vef_trace_path(held->trace),
        .mapping = mapping,
        .network_name = chosen->machine.network,
        .overrides = chosen->machine.overrides.text,
        .override_count = chosen->machine.overrides.count,
        .missing = held->missing,
        .per_task = chosen->per_task,
        .samples = chosen->machine.sample_ns >= 0 ? vef_sampler_samples(machine->sampler) : NULL,
        .utilization = chosen->machine.per_link ? machine->utilization : NULL,
        .explanation = chosen->machine.explain ? &held->explanation : NULL};
    if (chosen->html) {
        vef_replay_report page = report;
        page.per_task = true;
        page.utilization = machine->utilization;
        page.samples = vef_sampler_samples(machine->sampler);
        page.explanation = &held->explanation;
        page.timeline = held->timeline;
        code = write_page(chosen->html, &page, error);
        if (chosen->machine.format == &vef_report_json)
            report = page;
    }
    return code ? code
                : vef_report_write(chosen->machine.format, vef_replay_report_build, &report, stdout,
                                   error);
}

static vef_code replay_once(const choices *chosen, session *held, vef_progress *progress,
                            vef_error *error) {
    return vef_replay(held->trace, vef_observed_network(&held->machine), held->mapping->endpoint,
                      &chosen->machine.replay, progress, &held->result, error);
}

/* Of several processes the first one reports, and repeats what is not divided. */
static bool is_silent(const choices *chosen) {
    return chosen->ranks && chosen->ranks->rank > 0;
}

/* The replay, explained if that was asked for. */
static vef_code replay(choices *chosen, session *held, vef_error *error) {
    vef_progress progress;
    if (chosen->machine.explain || chosen->html) {
        vef_explanation_begin(&held->explanation, vef_trace_get_header(held->trace));
        vef_time_record_listen(&held->explanation.record, &chosen->machine.replay.listeners);
    }
    vef_progress_begin(&progress, "replaying");
    vef_code code = replay_once(chosen, held, &progress, error);
    if (code == VEF_OK && held->result.repeat) { /* which is not so if links are sampled */
        vef_replay_result_release(&held->result);
        if (!is_silent(chosen))
            code = vef_observed_renew(&held->machine, error);
        if (code == VEF_OK && !is_silent(chosen))
            code = replay_once(chosen, held, &progress, error);
        code = vef_net_agree(chosen->ranks, code, error);
    }
    if (code == VEF_OK && (chosen->machine.explain || chosen->html))
        vef_explanation_finish(&held->explanation, held->machine.network, &held->result);
    vef_progress_end(&progress);
    if (code != VEF_OK || !chosen->machine.explain || chosen->once ||
        held->result.stall != VEF_STALL_NONE)
        return code;
    vef_progress_begin(&progress, "explaining");
    const vef_repetition repetition = {held->trace,
                                       held->machine.network,
                                       held->machine.root,
                                       held->mapping->endpoint,
                                       &chosen->machine.replay,
                                       &progress};
    code = vef_explanation_repeat(&held->explanation, &repetition, error);
    vef_progress_end(&progress);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {.machine.replay = vef_replay_defaults()};
    vef_error error = {0};
    int status = VEF_EXIT_OK;
    int operand = vef_command_read(&vef_command_replay, argc, argv, &chosen, 1, 2);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const bool alone = operand == argc - 1; /* the network */
    if (vef_jobs_are_asked_for(&chosen.jobs) != alone)
        return vef_command_usage(&vef_command_replay,
                                 !alone ? "%s: not supported with jobs: expected --job %s"
                                 : chosen.net
                                     ? "missing TRACE: expected a trace, or --job"
                                     : "missing TRACE or --net NET.yaml: expected a trace, or "
                                       "--job, and a network file",
                                 argv[operand], argv[operand]);
    chosen.machine.network = argv[argc - 1];
    vef_net_ranks ranks;
    chosen.ranks = vef_ranks_of_program(&ranks);
    chosen.jobs.ranks = chosen.ranks;
    if (alone)
        return vef_jobs_session_run(&chosen.jobs, &chosen.machine);
    static session held;
    chosen.machine.page = chosen.html != NULL;
    vef_code code = open_session(&chosen, argv[operand], &held, &error);
    if (code == VEF_OK)
        code = vef_observed_begin(&chosen.machine, &held.machine, &error);
    if (code == VEF_OK)
        code = begin_timeline(&chosen, &held, &error);
    code = vef_net_agree(chosen.ranks, code, &error);
    if (code == VEF_OK)
        code = replay(&chosen, &held, &error);
    if (code == VEF_OK && !is_silent(&chosen))
        code = write_report(&chosen, &held, &error);
    if (code != VEF_OK) {
        status = vef_command_error("replay", &error);
    } else if (held.result.stall != VEF_STALL_NONE) {
        fprintf(stderr, "vef replay: stalled (%s): %s\n", vef_stall_name(held.result.stall),
                held.result.stall_text);
        status = VEF_EXIT_FAILURE;
    } else if (held.missing) { /* the readable part was replayed */
        fprintf(stderr, "vef replay: trace incomplete: %s\n", held.missing);
        status = VEF_EXIT_FAILURE;
    }
    vef_explanation_release(&held.explanation);
    vef_replay_result_release(&held.result);
    vef_mapping_destroy(held.mapping);
    vef_replay_timeline_destroy(held.timeline);
    vef_trace_close(held.trace);
    vef_observed_release(&held.machine);
    return status;
}

const vef_command vef_command_replay = {
    .name = "replay",
    .summary = "Replay a trace on a simulated network",
    .usage = "TRACE|--job JOB... --net NET.yaml [OPTIONS]",
    .operands = "TRACE NET.yaml",
    .options = options,
    .rules = rules,
    .spreads = true,
    .help = help,
    .run = run,
};
