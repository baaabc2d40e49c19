/* `vef capture`: runs a command with the capture library preloaded and makes traces of its jobs. */
#include "cli/capture/launch.h"
#include "cli/capture/logs.h"
#include "cli/capture/nothing.h"
#include "cli/capture/report.h"
#include "cli/capture/secrets.h"
#include "cli/capture/shell_word.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "common/memory.h"
#include "common/status.h"
#include "common/system/file.h"
#include "traces/log/log.h"
#include "traces/log/settings.h"
#include "traces/log/snapshot.h"
#include "traces/merge/merge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, COMMAND_BYTES = 16384 };

typedef struct choices {
    const char *output, *library;
    int clock, oversubscribe, level, when_full, times; /* of the words below */
    bool keep_logs, no_command, force;
    double wait_ns;
    double flush_ns;
    uint64_t most_bytes;               /* of a task's log; 0: no limit */
    bool sites;                        /* record the call sites */
    const char *skip, *only, *regions; /* comma-separated lists, or NULL */
    char **command;                    /* NULL-terminated */
} choices;

static const char *const clocks[] = {"auto", "wall", "cpu", NULL};
static const char *const switches[] = {"auto", "on", "off", NULL};
static const char *const levels[] = {"innermost", "outermost", NULL};
static const char *const times[] = {"all", "compute", NULL};
static const char *const when_full[] = {"stop", "ring", NULL};

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_REQUIRED('o', STRING, "output", "FILE", choices, output, "Trace to write"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_OPTION(STRING, "skip", "CALLS", choices, skip,
               "Exclude these calls and the time inside them: Iprobe,Test"),
    VEF_OPTION(
        STRING, "only", "CALLS", choices, only,
        "Exclude all other calls and the time inside them, except Init, Finalize and regions"),
    VEF_OPTION(STRING, "regions", "NAMES", choices, regions,
               "Record only inside these regions of the program (vef.h)"),
    VEF_OPTION(BYTES, "max-size", "SIZE", choices, most_bytes, "Maximum size of a task's log",
               .word = "unlimited", .fallback = "unlimited"),
    VEF_CHOICE("when-full", when_full, choices, when_full,
               "Stop recording, or drop the oldest events", .fallback = "stop"),
    VEF_FLAG("sites", choices, sites,
             "Record the place in the program of each call: function, file and line"),
    VEF_GROUP("Clock and computation"),
    VEF_CHOICE("clock", clocks, choices, clock, "Clock of the computation between calls",
               .fallback = "auto"),
    VEF_CHOICE("oversubscribe", switches, choices, oversubscribe, "Let idle tasks yield their core",
               .fallback = "auto"),
    VEF_CHOICE("times", times, choices, times,
               "Times to record; compute: only computation, in steps of 100 ns", .fallback = "all"),
    VEF_CHOICE("level", levels, choices, level,
               "With other PMPI libraries: record calls that reach MPI, or the program's",
               .fallback = "innermost"),
    VEF_GROUP("Logs"),
    VEF_OPTION(TIME, "flush", "TIME", choices, flush_ns,
               "Interval at which a task writes its log; 0 s: after every call", .fallback = "1 s"),
    VEF_OPTION(TIME, "wait", "TIME", choices, wait_ns,
               "Maximum time to wait for tasks that outlive the command", .fallback = "10 s"),
    VEF_FLAG("keep-logs", choices, keep_logs,
             "Keep the logs of the tasks, FILE.logs-XXXXXX, after the merge"),
    VEF_FLAG("no-command", choices, no_command,
             "Leave the command line out of the trace; secrets in it are masked anyway"),
    VEF_LAST_OPTIONS,
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--skip", "--only"),
    {0},
};

/* ---- what to record ---- */

static vef_code check_selection(const choices *chosen, vef_error *error) {
    vef_code code = VEF_OK;
    if (chosen->most_bytes > 0 && chosen->most_bytes < VEF_LOG_LEAST_BYTES)
        return vef_fail(error, VEF_INVALID, "--max-size: expected at least %d KiB",
                        VEF_LOG_LEAST_BYTES / 1024);
    if (chosen->skip != NULL)
        code = vef_settings_check_calls("--skip", true, chosen->skip, error);
    if (code == VEF_OK && chosen->only != NULL)
        code = vef_settings_check_calls("--only", false, chosen->only, error);
    if (code == VEF_OK && chosen->regions != NULL &&
        strspn(chosen->regions, ",") == strlen(chosen->regions))
        code = vef_fail(error, VEF_INVALID, "--regions: missing name of a region");
    return code;
}

static void set_variable(const char *name, const char *value) {
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Checks the options, and sets the environment variables by which the library in the command's
 * tasks gets them: VEF_CAPTURE_FLUSH, …_MAX_SIZE, …_WHEN_FULL, …_TIMES, …_SITES, …_SKIP, …_ONLY and
 * …_REGIONS. */
static vef_code export_selection(const choices *chosen, vef_error *error) {
    char flush[64], most[32];
    vef_code code = check_selection(chosen, error);
    if (code != VEF_OK)
        return code;
    snprintf(flush, sizeof flush, "%.9f", chosen->flush_ns / 1e9);
    snprintf(most, sizeof most, "%" PRIu64, chosen->most_bytes);
    set_variable("VEF_CAPTURE_FLUSH", flush);
    set_variable("VEF_CAPTURE_MAX_SIZE", chosen->most_bytes > 0 ? most : NULL);
    set_variable("VEF_CAPTURE_WHEN_FULL",
                 chosen->most_bytes > 0 ? when_full[chosen->when_full] : NULL);
    set_variable("VEF_CAPTURE_TIMES", times[chosen->times]);
    set_variable("VEF_CAPTURE_SITES", chosen->sites ? "on" : NULL);
    set_variable("VEF_CAPTURE_SKIP", chosen->skip);
    set_variable("VEF_CAPTURE_ONLY", chosen->only);
    set_variable("VEF_CAPTURE_REGIONS", chosen->regions);
    return VEF_OK;
}

/* The length of a path without its extension. */
static int stem_of(const char *path) {
    size_t length = strlen(path);
    return (int)(length > 4 && strcmp(path + length - 4, ".vef") == 0 ? length - 4 : length);
}

/* Inserts `middle` before the extension of `output`, which is truncated if too long. */
static void insert(const char *output, const char *middle, char *path, size_t bytes) {
    int stem = stem_of(output);
    char ending[64];
    snprintf(ending, sizeof ending, "%s%s", middle, output + stem);
    char *before = vef_strndup(output, (size_t)stem);
    char *name = before ? vef_file_beside(before, ending) : NULL;
    if (name)
        snprintf(path, bytes, "%s", name);
    else
        snprintf(path, bytes, "%.*s%s", stem, output, ending);
    free(name);
    free(before);
}

/* The traces of further jobs, app.2.vef, and of spawned ones, app.spawn1.vef. */
static void name_output(const char *output, size_t number, size_t spawned, char *path,
                        size_t bytes) {
    char middle[32] = "";
    if (spawned > 0)
        snprintf(middle, sizeof middle, ".spawn%zu", spawned);
    else if (number > 1)
        snprintf(middle, sizeof middle, ".%zu", number);
    insert(output, middle, path, bytes);
}

/* The first unused name of that form: app-2.vef, app-3.vef, …; app.2-2.vef for the second job. */
static void make_free(char *path, size_t bytes) {
    char taken[PATH_BYTES + 32], middle[32];
    snprintf(taken, sizeof taken, "%s", path);
    for (size_t more = 2; access(path, F_OK) == 0; more++) {
        snprintf(middle, sizeof middle, "-%zu", more);
        insert(taken, middle, path, bytes);
    }
}

/* Prints commands that make the traces of a gathering's jobs as new files, beginning with one
 * job. */
static void print_gather_commands(const choices *chosen, const char *logs,
                                  const vef_gathering *gathering, size_t first) {
    static char path[PATH_BYTES + 32], wanted[PATH_BYTES], folder[PATH_BYTES], job[PATH_BYTES];
    size_t spawned = 0;
    vef_shell_word(logs, folder, sizeof folder);
    for (size_t i = 0; i == 0 || i < gathering->count; i++) {
        spawned += i > 0 && gathering->jobs[i].spawned;
        if (i < first)
            continue;
        name_output(chosen->output, i + 1, spawned, path, sizeof path);
        make_free(path, sizeof path);
        vef_shell_word(path, wanted, sizeof wanted);
        if (gathering->count > 1) {
            memcpy(job, " --job ", 8);
            vef_shell_word(gathering->jobs[i].name, job + 7, sizeof job - 7);
        }
        fprintf(stderr, "    vef gather%s %s -o %s\n", job, folder, wanted);
    }
}

/* Lists tasks that outlive the command, and a command that ends them. */
static void report_running(const vef_gathering *gathering) {
    char names[VEF_MESSAGE_BYTES], host[256] = "";
    bool any = false;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < gathering->count; i++)
        if (gathering->jobs[i].holder_count > 0)
            fprintf(stderr, "vef capture: the command has ended, but tasks still run: %s\n",
                    vef_job_holders(&gathering->jobs[i], names, sizeof names));
    for (size_t i = 0; i < gathering->count; i++)
        for (uint32_t h = 0; h < gathering->jobs[i].holder_count; h++) {
            const vef_log_holder *holder = &gathering->jobs[i].holders[h];
            if (holder->process == 0 || strcmp(holder->host, host) != 0)
                continue;
            fprintf(stderr, "%s %lld", any ? "" : "vef capture: to end them: kill",
                    (long long)holder->process);
            any = true;
        }
    if (any)
        fputc('\n', stderr);
}

/* Makes a trace of each job with logs; `*done` counts them. */
static vef_code make_traces(const choices *chosen, const vef_gathering *gathering, int status,
                            size_t *done, bool *cut_short, vef_error *error) {
    static char command[COMMAND_BYTES], path[PATH_BYTES + 32];
    if (!chosen->no_command)
        vef_shell_words(chosen->command, command, sizeof command);
    vef_mask_secrets(command);
    vef_merge_options merging = {.command = command,
                                 .exit_status = status,
                                 .keep_existing = !chosen->force,
                                 .stop = vef_interrupts_stop};
    vef_merge_summary summary;
    size_t spawned = 0;
    vef_code code = VEF_OK;
    for (*done = 0; *done < gathering->count && !code; *done += !code) {
        const vef_job *job = &gathering->jobs[*done];
        spawned += job->spawned && *done > 0;
        name_output(chosen->output, *done + 1, spawned, path, sizeof path);
        code = vef_merge_job(job, path, &merging, &summary, error);
        if (!code && summary.guessed)
            vef_command_warn("capture", VEF_GUESSED_PAIRS);
        if (!code)
            vef_capture_report_damage(&summary, "capture");
        if (!code)
            code = vef_capture_report(path, chosen->regions, cut_short, error);
    }
    return code;
}

/* Reports why there are no logs. Returns the exit status, given the command's. */
static int report_nothing(const choices *chosen, const char *logs, int status) {
    const bool refused = vef_capture_report_losses(logs, "capture");
    if (!refused && !vef_capture_logs_incomplete(logs))
        return vef_capture_nothing(chosen->command, chosen->library, logs, vef_launch_interrupted(),
                                   status);
    if (!refused)
        fputs("vef capture: no MPI task could write a log\n", stderr);
    return status ? status : VEF_EXIT_FAILURE;
}

/* Makes the traces when the tasks have ended. Returns the exit status, given the command's. */
static int finish(const choices *chosen, const char *logs, int status) {
    vef_error error;
    vef_gathering gathering = {0};
    vef_capture_wait how = VEF_CAPTURE_ENDED;
    bool cut_short = false;
    size_t done = 0;
    int failed = status != 0 ? status : VEF_EXIT_FAILURE;
    vef_code code = vef_capture_logs_wait(logs, chosen->wait_ns, &gathering, &how, &error);
    if (access(logs, F_OK) != 0) {
        fprintf(stderr,
                "vef capture: %s: the folder of the logs was removed or renamed while the command "
                "ran: no trace is written\n",
                logs);
        vef_gathering_free(&gathering);
        return failed;
    }
    if (!code && gathering.count == 0) {
        failed = report_nothing(chosen, logs, status);
        vef_logs_remove(logs);
        vef_gathering_free(&gathering);
        return failed;
    }
    bool lost = vef_capture_logs_incomplete(logs);
    if (lost)
        vef_capture_report_losses(logs, "capture");
    if (how == VEF_CAPTURE_RUNNING)
        report_running(&gathering);
    if (!code && how == VEF_CAPTURE_ENDED)
        code = make_traces(chosen, &gathering, status, &done, &cut_short, &error);
    int signal = vef_interrupts_seen();
    if (code || how != VEF_CAPTURE_ENDED) {
        bool interrupted = how == VEF_CAPTURE_INTERRUPTED || code == VEF_STOPPED;
        if (interrupted)
            fprintf(stderr, "vef capture: interrupted (%s)\n", strsignal(signal));
        else if (code)
            fprintf(stderr, "vef capture: %s\n", error.message);
        fprintf(stderr, "vef capture: the logs are kept; to merge them%s:\n",
                how == VEF_CAPTURE_RUNNING ? " when the tasks have ended" : "");
        print_gather_commands(chosen, logs, &gathering, done);
        vef_gathering_free(&gathering);
        return interrupted ? 128 + signal : failed;
    }
    vef_gathering_free(&gathering);
    if (chosen->keep_logs)
        fprintf(stderr, "vef capture: logs kept in %s\n", logs);
    else
        vef_logs_remove(logs);
    return status != 0 ? status : cut_short || lost ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

static int run(int argc, char **argv) {
    static char library[PATH_BYTES], logs[PATH_BYTES], directory[PATH_BYTES + 32];
    choices chosen = {.library = library};
    vef_error error;
    char clock[64], oversubscribe[64], level[64], job[64];
    char host[272] = "VEF_CAPTURE_HOST=";
    size_t prefix = strlen(host);
    sigset_t mask;
    int status = VEF_EXIT_OK;
    bool queues = false;
    int operand = vef_command_read(&vef_command_capture, argc, argv, &chosen, 1, INT_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    chosen.command = argv + operand;
    vef_interrupts_block(
        &mask); /* before the creation of the folder, so that it is always removed */
    if (vef_settings_check(environ, &error) != VEF_OK ||
        vef_launch_queues(chosen.command, &queues, &error) != VEF_OK ||
        export_selection(&chosen, &error) != VEF_OK ||
        vef_launch_library(library, sizeof library, &error) != VEF_OK ||
        vef_capture_logs_make(chosen.output, chosen.force, logs, sizeof logs, &error) != VEF_OK)
        return vef_command_error("capture", &error);
    snprintf(directory, sizeof directory, "VEF_CAPTURE_DIR=%s", logs);
    snprintf(clock, sizeof clock, "VEF_CAPTURE_CLOCK=%s", clocks[chosen.clock]);
    snprintf(oversubscribe, sizeof oversubscribe, "VEF_CAPTURE_OVERSUBSCRIBE=%s",
             switches[chosen.oversubscribe]);
    snprintf(level, sizeof level, "VEF_CAPTURE_LEVEL=%s", levels[chosen.level]);
    time_t now = time(NULL);
    strftime(job, sizeof job, "VEF_CAPTURE_JOB=%Y%m%dT%H%M%SZ", gmtime(&now));
    gethostname(host + prefix, sizeof host - prefix - 1);
    const char *variables[] = {directory, clock, oversubscribe, level, job, host, NULL};
    if (vef_launch(chosen.command, library, variables, &mask, &status, &error) != VEF_OK) {
        vef_command_error("capture", &error);
        vef_logs_remove(logs);
        return status;
    }
    if (queues && status == VEF_EXIT_OK) {
        fprintf(stderr,
                "vef capture: %s has queued a job, which may run later; when it has ended:\n",
                chosen.command[0]);
        print_gather_commands(&chosen, logs, &(vef_gathering){0}, 0);
        return status;
    }
    return finish(&chosen, logs, status);
}

const vef_command vef_command_capture = {
    .name = "capture",
    .summary = "Run an MPI program and record its MPI calls",
    .usage = "-o FILE [OPTIONS] [--] COMMAND…",
    .operands = "COMMAND",
    .options = options,
    .rules = rules,
    .stops_at_operand = true,
    .notes =
        "--clock auto uses the CPU clock where the tasks of a host times their threads exceed its "
        "cores,\n"
        "and the wall clock elsewhere. --oversubscribe auto lets idle tasks yield where a host "
        "runs more tasks than it has cores.\n\n"
        "A killed task loses nothing that it recorded; --flush limits the loss when a host fails. "
        "If this command is killed, the logs stay in FILE.logs-XXXXXX: merge them with\n"
        "`vef gather FILE.logs-XXXXXX -o FILE`. Further runs of mpiexec by the same command, and "
        "worlds that MPI_Comm_spawn starts, have their own traces: FILE.2, FILE.spawn1 (before "
        ".vef).\n\n"
        "Programs must be linked dynamically with MPICH, Open MPI or the standard MPI ABI. Their "
        "output is passed through.\n\n"
        "Exit status: that of the command (128 + n when signal n killed it); 1 when the command "
        "succeeded\n"
        "but no trace could be made, or a task's log is cut short or incomplete; 2 for usage "
        "errors.\n",
    .run = run,
};
