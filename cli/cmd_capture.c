/* `vef capture`: runs a command with the capture library preloaded and leaves one trace. */
#include "cli/capture_selection.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "common/config.h"
#include "traces/merge.h"
#include "traces/stats.h"
#include "traces/trace.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, COMMAND_BYTES = 16384 };

typedef struct choices {
    const char *output, *clock, *oversubscribe;
    bool keep_logs, force;
    vef_selection selection;
    char **command; /* NULL-terminated */
} choices;

static const char *const clocks[] = {"auto", "wall", "cpu", NULL};
static const char *const switches[] = {"auto", "on", "off", NULL};
static const char *const times[] = {"all", "compute", NULL};
static const char *const when_full[] = {"stop", "ring", NULL};

static const vef_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, output),
     .value = "FILE",
     .help = "the trace to write; required"},
    {.name = "clock",
     .kind = VEF_OPTION_CHOICE,
     .offset = offsetof(choices, clock),
     .choices = clocks,
     .help = "what measures the computation between calls; default: auto"},
    {.name = "oversubscribe",
     .kind = VEF_OPTION_CHOICE,
     .offset = offsetof(choices, oversubscribe),
     .choices = switches,
     .help = "whether idle tasks give way to others; default: auto"},
    {.name = "times",
     .kind = VEF_OPTION_CHOICE,
     .offset = offsetof(choices, selection.times),
     .choices = times,
     .help = "compute: only computation, in steps of 100 ns; default: all"},
    {.name = "flush",
     .kind = VEF_OPTION_TIME,
     .offset = offsetof(choices, selection.flush_ns),
     .value = "TIME",
     .help = "how often a task writes its log, 0 s: after every call; default: 1 s"},
    {.name = "max-size",
     .kind = VEF_OPTION_BYTES,
     .offset = offsetof(choices, selection.most_bytes),
     .value = "SIZE",
     .help = "of each task's log; default: no limit"},
    {.name = "when-full",
     .kind = VEF_OPTION_CHOICE,
     .offset = offsetof(choices, selection.when_full),
     .choices = when_full,
     .help = "record no more, or drop what is oldest; default: stop"},
    {.name = "skip",
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, selection.skip),
     .value = "CALLS",
     .help = "leave out these calls: Iprobe,Test"},
    {.name = "only",
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, selection.only),
     .value = "CALLS",
     .help = "leave out all others (but Init, Finalize and their like, and regions)"},
    {.name = "regions",
     .kind = VEF_OPTION_TEXT,
     .offset = offsetof(choices, selection.regions),
     .value = "NAMES",
     .help = "record only inside these regions of the program (vef.h)"},
    {.name = "keep-logs",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(choices, keep_logs),
     .help = "keep the tasks' logs, FILE.logs-XXXXXX, after merging them"},
    {.name = "force",
     .kind = VEF_OPTION_FLAG,
     .offset = offsetof(choices, force),
     .help = "overwrite FILE"},
    {0},
};

static void help(FILE *out) {
    fputs(
        "auto takes the thread's CPU clock, and lets idle tasks give way, where a host runs more "
        "tasks\nthan it has cores; the wall clock, and no giving way, elsewhere.\n\n"
        "A task that is killed loses nothing of what it recorded; --flush says how much a host "
        "may\n"
        "lose that fails. If this command is killed with all others, the logs stay in\n"
        "FILE.logs-XXXXXX: `vef gather FILE.logs-XXXXXX -o FILE` makes the trace of them.\n"
        "Further runs of mpiexec by the same command, and what MPI_Comm_spawn starts, have traces\n"
        "of their own: FILE.2, FILE.spawn1 (before .vef).\n\n"
        "The program's output passes through, and so does the command's exit status (128 + n when\n"
        "signal n killed it). If that is 0 the status is 1 when no trace could be made or when a "
        "task's\n"
        "log is cut short or lacks something. Programs must be linked dynamically with MPICH.\n",
        out);
}

/* ---- the logs' directory ---- */

/* Makes a fresh directory beside the output; what is wrong with the output's place shows here,
 * before anything runs. `logs` becomes its absolute path. */
static vef_code make_log_directory(const choices *chosen, char *logs, vef_error *error) {
    struct stat there;
    char made[PATH_BYTES];
    if (stat(chosen->output, &there) == 0 && S_ISDIR(there.st_mode))
        return vef_fail(error, VEF_INVALID, "%s is a directory", chosen->output);
    vef_code code = vef_command_output(chosen->output, chosen->force, error);
    if (code)
        return code;
    if (snprintf(made, sizeof made, "%s.logs-XXXXXX", chosen->output) >= (int)sizeof made)
        return vef_fail(error, VEF_INVALID, "%s: too long a path", chosen->output);
    if (mkdtemp(made) == NULL) {
        char copy[PATH_BYTES];
        snprintf(copy, sizeof copy, "%s", chosen->output);
        return vef_fail_errno(error, "%s: cannot write there (in %s)", chosen->output,
                              dirname(copy));
    }
    if (realpath(made, logs) == NULL)
        return vef_fail_errno(error, "%s", made);
    return VEF_OK;
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), most = strlen(end);
    return length > most && strcmp(name + length - most, end) == 0;
}

static bool is_log(const char *name) {
    return strncmp(name, "task-", 5) == 0 && ends_with(name, ".vlog");
}

/* What else stands beside a log while its task runs. */
static bool is_beside(const char *name) {
    return strncmp(name, "task-", 5) == 0 &&
           (ends_with(name, ".live") || ends_with(name, ".vlog~"));
}

/* What a task leaves that could not record everything; it has told why. */
static bool is_loss(const char *name) {
    return strncmp(name, "lost-", 5) == 0;
}

static size_t count_files(const char *logs, bool (*is_one)(const char *name)) {
    size_t count = 0;
    DIR *directory = opendir(logs);
    if (directory == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += is_one(entry->d_name);
    closedir(directory);
    return count;
}

/* Only what the library makes is removed. */
static void remove_logs(const char *logs) {
    DIR *directory = opendir(logs);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_log(entry->d_name) || is_beside(entry->d_name) || is_loss(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(logs);
}

/* ---- the report ---- */

/* The command line as one would type it. */
static void join_command(char **command, char *text, size_t bytes) {
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; command[i] != NULL && at < bytes; i++) {
        bool plain = *command[i] != '\0' && strpbrk(command[i], " \t\n'\"\\$`&|;<>()*?#~") == NULL;
        int length = snprintf(text + at, bytes - at, "%s%s%s%s", i > 0 ? " " : "", plain ? "" : "'",
                              command[i], plain ? "" : "'");
        at += length > 0 ? (size_t)length : 0;
    }
}

/* Names the tasks for which the log ended like `end`; returns how many there are. */
static uint32_t tell_ends(const vef_trace_header *header, vef_log_end end, const char *what) {
    uint32_t count = 0, shown = 0;
    for (uint32_t t = 0; t < header->tasks; t++)
        count += header->task[t].end == end;
    if (count == 0)
        return 0;
    fprintf(stderr, "vef capture: %s:", what);
    for (uint32_t t = 0; t < header->tasks && shown < 8; t++)
        if (header->task[t].end == end)
            fprintf(stderr, "%s task %" PRIu32 " after %" PRIu64 " events", shown++ > 0 ? "," : "",
                    t, header->task[t].events);
    if (count > shown)
        fprintf(stderr, ", and %" PRIu32 " more", count - shown);
    fputc('\n', stderr);
    return count;
}

/* What rings have dropped to stay within --max-size. */
static void tell_dropped(const vef_trace_header *header) {
    uint64_t events = 0;
    uint32_t tasks = 0;
    for (uint32_t t = 0; t < header->tasks; t++) {
        events += header->task[t].skipped;
        tasks += header->task[t].skipped > 0;
    }
    if (tasks > 0)
        fprintf(stderr,
                "vef capture: dropped to stay within --max-size: the first %" PRIu64
                " events of %" PRIu32 " of %" PRIu32 " tasks\n",
                events, tasks, header->tasks);
}

/* Calls that the trace has as numbers alone: those of them that are bookkeeping, or the others. */
static void tell_counts(const vef_trace_header *header, bool bookkeeping, const char *what) {
    bool any = false;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (header->not_recorded[call] == 0 ||
            vef_call_is_bookkeeping((uint16_t)call) != bookkeeping)
            continue;
        fprintf(stderr, "%s MPI_%s %" PRIu64, any ? "," : what, vef_call_name((uint16_t)call),
                header->not_recorded[call]);
        any = true;
    }
    if (any)
        fputc('\n', stderr);
}

static void tell_not_recorded(const vef_trace_header *header) {
    tell_counts(header, false, "vef capture: communication that the trace does not hold (calls):");
    tell_counts(header, true, "vef capture: counted, with the time inside (calls):");
}

/* Names what --regions asked for and the trace has not: a misspelt name is a capture for nothing.
 */
static vef_code tell_absent_regions(vef_trace *trace, const char *regions, vef_error *error) {
    vef_stats stats;
    vef_code code = vef_stats_read(trace, 0, NULL, &stats, error);
    if (code)
        return code;
    for (const char *name = regions; *name != '\0';) {
        size_t length = strcspn(name, ","), i = 0;
        while (i < stats.region_count && (strlen(stats.regions[i].name) != length ||
                                          strncmp(stats.regions[i].name, name, length) != 0))
            i++;
        if (length > 0 && i == stats.region_count)
            fprintf(stderr, "vef capture: --regions: the trace has no region '%.*s'\n", (int)length,
                    name);
        name += length + (name[length] == ',');
    }
    vef_stats_free(&stats);
    return VEF_OK;
}

/* Tells about a finished trace; `*cut_short` is set where tasks are. `regions` are those of
 * --regions, or NULL. */
static vef_code tell(const char *path, const char *regions, bool *cut_short, vef_error *error) {
    vef_trace *trace;
    vef_code code = vef_trace_open(path, &trace, NULL, error);
    if (code != VEF_OK)
        return code;
    const vef_trace_header *header = vef_trace_get_header(trace);
    struct stat file = {0};
    stat(path, &file);
    fprintf(stderr,
            "vef capture: %s: %" PRIu32 " task%s, %" PRIu64 " events, %.2f bytes per event\n", path,
            header->tasks, header->tasks == 1 ? "" : "s", header->events,
            header->events > 0 ? (double)file.st_size / (double)header->events : 0.0);
    tell_not_recorded(header);
    tell_ends(header, VEF_LOG_ABORTED, "called MPI_Abort");
    tell_ends(header, VEF_LOG_EXITED, "ended without MPI_Finalize");
    tell_ends(header, VEF_LOG_FULL, "recorded up to --max-size");
    tell_dropped(header);
    *cut_short |= tell_ends(header, VEF_LOG_CUT, "cut short") > 0;
    if (regions != NULL)
        code = tell_absent_regions(trace, regions, error);
    vef_trace_close(trace);
    return code;
}

/* Tells why the library ended a program, when it did; what it left says so in one line. */
static bool tell_refusal(const char *logs) {
    char path[PATH_BYTES + 16], line[PATH_BYTES];
    snprintf(path, sizeof path, "%s/lost-000000", logs);
    FILE *mark = fopen(path, "r");
    bool refused = mark != NULL && fgets(line, sizeof line, mark) != NULL;
    if (refused)
        fprintf(stderr, "vef capture: %s", line);
    if (mark != NULL)
        fclose(mark);
    return refused;
}

/* The traces of the worlds beside the first, app.2.vef, and of those spawned, app.spawn1.vef. */
static void name_output(const char *output, size_t number, size_t spawned, char *path,
                        size_t bytes) {
    size_t length = strlen(output), stem = length;
    if (length > 4 && strcmp(output + length - 4, ".vef") == 0)
        stem -= 4;
    if (spawned > 0)
        snprintf(path, bytes, "%.*s.spawn%zu%s", (int)stem, output, spawned, output + stem);
    else if (number > 1)
        snprintf(path, bytes, "%.*s.%zu%s", (int)stem, output, number, output + stem);
    else
        snprintf(path, bytes, "%s", output);
}

/* Makes a trace of each job that left logs. */
static vef_code make_traces(const choices *chosen, const vef_gathering *gathering, int status,
                            bool *cut_short, vef_error *error) {
    char command[COMMAND_BYTES], path[PATH_BYTES + 32];
    join_command(chosen->command, command, sizeof command);
    vef_merge_options merging = {
        .command = command, .exit_status = status, .keep_existing = !chosen->force};
    size_t spawned = 0;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < gathering->count && !code; i++) {
        const vef_job *job = &gathering->jobs[i];
        spawned += job->spawned && i > 0;
        name_output(chosen->output, i + 1, spawned, path, sizeof path);
        code = vef_merge_job(job, path, &merging, NULL, error);
        if (!code)
            code = tell(path, chosen->selection.regions, cut_short, error);
    }
    return code;
}

/* Makes the traces of the logs. Returns the exit status, given the command's. */
static int finish(const choices *chosen, const char *logs, int status) {
    vef_error error;
    vef_gathering gathering = {0};
    bool cut_short = false;
    bool lost = count_files(logs, is_loss) > 0;
    bool refused = lost && tell_refusal(logs);
    if (count_files(logs, is_log) == 0) {
        fputs(refused ? ""
              : lost
                  ? "vef capture: no MPI task could write a log\n"
                  : "vef capture: no MPI task left a log: is it an MPI program, linked dynamically "
                    "with MPICH (ldd shows libmpich.so.12)?\n",
              stderr);
        remove_logs(logs);
        return status != 0 ? status : VEF_EXIT_FAILURE;
    }
    vef_code code = vef_gather(&logs, 1, &gathering, &error);
    if (!code)
        code = make_traces(chosen, &gathering, status, &cut_short, &error);
    vef_gathering_free(&gathering);
    if (code) {
        fprintf(stderr, "vef capture: %s\nvef capture: the logs are kept: vef gather %s -o %s\n",
                error.message, logs, chosen->output);
        return status != 0 ? status : VEF_EXIT_FAILURE;
    }
    if (chosen->keep_logs)
        fprintf(stderr, "vef capture: logs kept in %s\n", logs);
    else
        remove_logs(logs);
    return status != 0 ? status : cut_short || lost ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

static int run(int argc, char **argv) {
    choices chosen = {
        .clock = clocks[0],
        .oversubscribe = switches[0],
        .selection = {.flush_ns = 1e9, .when_full = when_full[0], .times = times[0]},
    };
    vef_error error;
    char library[PATH_BYTES], logs[PATH_BYTES];
    char directory[PATH_BYTES + 32], clock[64], oversubscribe[64], job[64];
    int status = VEF_EXIT_OK;
    int operand = vef_options_read(&vef_command_capture, argc, argv, &chosen, 1, INT_MAX);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (chosen.output == NULL || *chosen.output == '\0')
        return vef_command_usage(&vef_command_capture, "-o FILE says where the trace goes");
    chosen.command = argv + operand;
    if (vef_selection_export(&chosen.selection, &error) != VEF_OK ||
        vef_launch_library(library, sizeof library, &error) != VEF_OK ||
        make_log_directory(&chosen, logs, &error) != VEF_OK)
        return vef_command_error("capture", &error);
    snprintf(directory, sizeof directory, "VEF_CAPTURE_DIR=%s", logs);
    snprintf(clock, sizeof clock, "VEF_CAPTURE_CLOCK=%s", chosen.clock);
    snprintf(oversubscribe, sizeof oversubscribe, "VEF_CAPTURE_OVERSUBSCRIBE=%s",
             chosen.oversubscribe);
    time_t now = time(NULL);
    strftime(job, sizeof job, "VEF_CAPTURE_JOB=%Y%m%dT%H%M%SZ", gmtime(&now));
    const char *variables[] = {directory, clock, oversubscribe, job, NULL};
    if (vef_launch(chosen.command, library, variables, &status, &error) != VEF_OK) {
        vef_command_error("capture", &error);
        remove_logs(logs);
        return status;
    }
    signal(SIGXFSZ, SIG_IGN); /* a trace beyond ulimit -f is an error to tell, not a death */
    return finish(&chosen, logs, status);
}

const vef_command vef_command_capture = {
    .name = "capture",
    .summary = "Run an MPI program and record what it asks of MPI",
    .usage = "-o FILE [OPTIONS] [--] COMMAND…",
    .options = options,
    .stops_at_operand = true,
    .help = help,
    .run = run,
};
