/* `vef gather`: merges the logs of a run from any folders into one trace. */
#include "cli/capture/report.h"
#include "cli/capture/secrets.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/snapshot_trace.h"
#include "common/system/input.h"
#include "traces/check/check.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

typedef struct choices {
    const char *output, *command, *job;
    bool force, running;
} choices;

static const vef_option options[] = {
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_OPTION(STRING, "job", "NAME", choices, job,
               "Job to merge; required when the logs are of several jobs"),
    VEF_LETTERED('c', "command", "TEXT", choices, command,
                 "Captured command line, for the header of the trace"),
    VEF_FLAG("running", choices, running, "Merge a snapshot of tasks that still run"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_LAST_OPTIONS,
};

static void report_duplicates(const vef_gathering *gathering) {
    if (gathering->doubles > 0)
        fprintf(stderr, "vef gather: %" PRIu32 " log%s left out, copies of others: %s%s\n",
                gathering->doubles, gathering->doubles == 1 ? "" : "s", gathering->last_double,
                gathering->doubles > 1 ? ", …" : "");
    if (gathering->empty > 0)
        fprintf(stderr, "vef gather: %" PRIu32 " log%s no events: truncated before the first one\n",
                gathering->empty, gathering->empty == 1 ? " holds" : "s hold");
}

/* Lists missing tasks as ranges: "3, 8-15". */
static void report_missing(const vef_job *job) {
    enum { SHOWN = 16 };
    if (job->found == job->tasks)
        return;
    fprintf(stderr,
            "vef gather: no log of %" PRIu32 " of %" PRIu32 " tasks:", job->tasks - job->found,
            job->tasks);
    int shown = 0;
    for (uint32_t first = 0; first < job->tasks; first++) {
        if (job->log[first])
            continue;
        uint32_t last = first;
        while (last + 1 < job->tasks && !job->log[last + 1])
            last++;
        if (shown++ == SHOWN) {
            fputs(", …", stderr);
            break;
        }
        fprintf(stderr, "%s %" PRIu32, shown > 1 ? "," : "", first);
        if (last > first)
            fprintf(stderr, "-%" PRIu32, last);
        first = last;
    }
    fputc('\n', stderr);
}

/* Running tasks are merged only on request. */
static vef_code refuse_running(const vef_job *job, vef_error *error) {
    char names[VEF_MESSAGE_BYTES / 2];
    vef_job_holders(job, names, sizeof names);
    if (job->holders[0].uncertain)
        return vef_fail(error, VEF_INVALID,
                        "%s may still run: the file system of the logs has no locks. Run vef "
                        "gather on the host of the tasks, or merge a snapshot with --running",
                        names);
    return vef_fail(error, VEF_INVALID,
                    "the job still runs: %s. Wait for its end, or merge a snapshot with --running",
                    names);
}

/* Keeps the first fault that is more than the end of a task that was cut short. */
static void keep_fault(void *context, const char *sentence) {
    char *first = context;
    if (!*first && !strstr(sentence, "is cut short after") &&
        !strstr(sentence, "was no longer recorded after"))
        snprintf(first, VEF_MESSAGE_BYTES, "%s", sentence);
}

/* Logs of different runs may look like those of one job: each is whole, but they contradict each
 * other. `*sound`: they do not. */
static vef_code check_trace(const char *path, const vef_merge_summary *summary, bool *sound,
                            vef_error *error) {
    char first[VEF_MESSAGE_BYTES] = "";
    uint64_t faults = 0;
    vef_trace *trace = NULL;
    const vef_check_options checks = {.limit = UINT64_MAX, .report = keep_fault, .context = first};
    vef_input_state state;
    *sound = true;
    if (summary->guessed || !vef_input_look(path, &state)) /* a pipe has passed the trace on */
        return VEF_OK;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (!code)
        code = vef_check(trace, &checks, &faults, error);
    vef_trace_close(trace);
    *sound = !*first;
    if (*first)
        fprintf(stderr,
                "vef gather: %s is faulty: %s: expected logs of one run of a correct program; `vef "
                "check %s` lists all faults\n",
                path, first, path);
    return code;
}

static vef_code gather(const choices *chosen, vef_gathering *gathering, int *status,
                       vef_error *error) {
    const vef_job *job;
    vef_merge_summary summary;
    if (chosen->command)
        vef_mask_secrets((char *)(uintptr_t)chosen->command);
    vef_merge_options merging = {
        .command = chosen->command, .keep_existing = !chosen->force, .stop = vef_interrupts_stop};
    vef_code code = vef_gathering_job(gathering, chosen->job, &job, error);
    if (code && !chosen->job)
        return vef_fail_within(error, "missing --job NAME");
    if (code)
        return code;
    report_duplicates(gathering);
    report_missing(job);
    if (job->holder_count > 0 && !chosen->running)
        return refuse_running(job, error);
    code = vef_snapshot_merge(gathering, job, chosen->output, chosen->output, &merging, &summary,
                              error);
    if (code)
        return code;
    fprintf(vef_command_messages(chosen->output), "%s: %" PRIu32 " tasks, %" PRIu64 " events\n",
            chosen->output, summary.tasks, summary.events);
    if (summary.cut_short > 0)
        fprintf(stderr,
                "vef gather: %" PRIu32 " of %" PRIu32
                " tasks are cut short; `vef info --per-task "
                "%s` names them\n",
                summary.cut_short, summary.tasks, chosen->output);
    vef_capture_report_damage(&summary, "gather");
    if (summary.without_neighbours > 0)
        fprintf(stderr,
                "vef gather: %" PRIu64
                " members of graph topologies have no neighbours in the "
                "trace: their logs are missing or cut\n",
                summary.without_neighbours);
    if (summary.guessed)
        vef_command_warn("gather", VEF_GUESSED_PAIRS);
    bool sound = true;
    code = check_trace(chosen->output, &summary, &sound, error);
    *status = summary.cut_short > 0 || !sound ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
    return code;
}

static bool in_use(const vef_gathering *gathering) {
    for (size_t i = 0; i < gathering->count; i++)
        if (gathering->jobs[i].holder_count > 0)
            return true;
    return false;
}

/* Finds the logs. A killed task holds the lock of its log until the kernel has removed it, so
 * locks are checked again for a second, unless a snapshot is requested. */
static vef_code find_logs(const choices *chosen, const char *const *places, size_t count,
                          vef_gathering *gathering, vef_error *error) {
    enum { TRIES = 20, WAIT_MS = 50 };
    vef_code code = vef_gather(places, count, gathering, error);
    for (int i = 0;
         i < TRIES && !code && !chosen->running && in_use(gathering) && vef_interrupts_seen() == 0;
         i++) {
        vef_interrupts_wait(WAIT_MS);
        vef_gathering_free(gathering);
        code = vef_gather(places, count, gathering, error);
    }
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error;
    vef_gathering gathering = {0};
    int status = VEF_EXIT_OK;
    int operand = vef_command_read(&vef_command_gather, argc, argv, &chosen, 1, INT_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_interrupts_hold();
    vef_code code = vef_command_output(chosen.output, chosen.force, &error);
    if (!code)
        code = find_logs(&chosen, (const char *const *)(argv + operand), (size_t)(argc - operand),
                         &gathering, &error);
    for (int i = operand; i < argc && !code; i++)
        vef_capture_report_losses(argv[i], "gather");
    if (!code)
        code = gather(&chosen, &gathering, &status, &error);
    vef_gathering_free(&gathering);
    if (code == VEF_STOPPED) {
        fprintf(stderr, "vef gather: interrupted (%s): no trace is written, the logs are kept\n",
                strsignal(vef_interrupts_seen()));
        return 128 + vef_interrupts_seen();
    }
    return code ? vef_command_error("gather", &error) : status;
}

const vef_command vef_command_gather = {
    .name = "gather",
    .summary = "Merge the logs of a job into one trace",
    .usage = "-o FILE [--job NAME] [--command TEXT] [--running] [--force] FOLDER-OR-LOG…",
    .operands = "LOG",
    .options = options,
    .notes =
        "A folder means all logs (*.vlog) in it and in its subfolders: those that `vef capture` "
        "kept, or left behind when it was killed, or copies from nodes without a shared file "
        "system. Files *.live beside the logs of killed tasks belong to them. --job selects one of "
        "several jobs. Missing logs are reported and do not stop the merge: the trace marks their "
        "tasks as cut short, and the exit status is 1; likewise if the logs contradict each other "
        "(`vef check`). Logs of running tasks are refused; with --running each task is merged in "
        "its current state, as if it had been killed.\n",
    .run = run,
};
