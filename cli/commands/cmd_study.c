/* `vef study`: many replays or loads, on all cores, hosts or jobs, and their tables. */
#include "cli/capture/shell_word.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/study/tables.h"
#include "cli/version.h"
#include "common/filter.h"
#include "common/memory.h"
#include "common/pictures/size.h"
#include "common/threads/pool.h"
#include "study/resolve.h"
#include "study/run.h"
#include "study/verdict/verdict.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct choices {
    const vef_report_format *format;
    const char *folder, *figure;
    bool plan, tables, rerun, no_wait;
    uint32_t jobs, threads, slurm; /* 0: not given */
    vef_texts sbatch;
} choices;

static const vef_option options[] = {
    VEF_GROUP("Common options"),
    VEF_LETTERED('o', "output", "DIR", choices, folder,
                 "Folder of the results, created if missing (required but for --plan)"),
    VEF_FLAG("plan", choices, plan, "Print the points, and how long they will take; run none"),
    VEF_FLAG("tables", choices, tables,
             "Write and print the tables of the finished points; run none"),
    VEF_OPTION(COUNT, "jobs", "N", choices, jobs, "Points at a time",
               .default_text = "one per core", .minimum = 1, .maximum = 1024),
    VEF_OPTION(COUNT, "threads", "N", choices, threads, "Threads of each point",
               .default_text = "1", .minimum = 1, .maximum = VEF_MOST_WORKERS),
    VEF_FLAG("no-wait", choices, no_wait,
             "End when other processes run all remaining points, instead of waiting for them"),
    VEF_FLAG("rerun", choices, rerun,
             "Run points again whose results are of another version of vef; keep the old ones"),
    VEF_FIGURE_OPTION(choices, figure),
    VEF_GROUP("Slurm"),
    VEF_OPTION(COUNT, "slurm", "N", choices, slurm,
               "Submit a job array of N tasks with sbatch instead of running here", .minimum = 1,
               .maximum = 100000),
    VEF_TEXTS("sbatch", "OPTION", choices, sbatch,
              "Option of sbatch with --slurm: --sbatch=--partition=short"),
    VEF_NETWORK_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--plan --tables --slurm", "--plan --tables --slurm"),
    VEF_NEEDS("--sbatch", "--slurm"),
    VEF_EXCLUDES("--figure", "--plan --slurm"),
    {0},
};

static void help(FILE *out) {
    fputs(
        "STUDY.yaml lists traces, networks, mappings, seeds, loads; a point is a combination of "
        "them. `run:` selects what a point is:\n",
        out);
    for (size_t k = 0; vef_study_kinds[k]; k++)
        fprintf(out, "  %-10s %s\n", vef_study_kinds[k]->name, vef_study_kinds[k]->summary);
    fputs(
        "\nDIR gets results.jsonl (one line per result), results.csv, summary.csv, verdict.csv and "
        "the charts. The output ends with the verdict: per application its networks and mappings, "
        "ranked, with the reason. The same command continues a study that was stopped or killed. "
        "Several at once, on several hosts or under mpiexec, share the points. docs/study.md "
        "explains the file.\n\nExit status: 0; 1 when points failed, stalled or cannot run, or the "
        "study was stopped; 2 for usage and input errors.\n",
        out);
}

/* Resources of a study, released together. */
typedef struct session {
    vef_study study;
    vef_study_store *store;
    double *seconds;
    char folder[PATH_MAX], path[PATH_MAX], program[PATH_MAX], host[256];
    uint32_t jobs;
    bool first; /* of an MPI job */
} session;

/* Makes the paths absolute and goes to the folder of the study, since the paths in it are relative
 * to that. */
static vef_code go_to_study(const choices *chosen, const char *path, session *held,
                            vef_error *error) {
    char copy[PATH_MAX], here[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", held->program, sizeof held->program - 1);
    if (bytes < 0)
        return vef_fail_errno(error, "/proc/self/exe");
    held->program[bytes] = '\0';
    if (gethostname(held->host, sizeof held->host - 1) != 0)
        held->host[0] = '\0';
    if (!realpath(path, held->path))
        return vef_fail_errno(error, "%s", path);
    if (!getcwd(here, sizeof here))
        return vef_fail_errno(error, "the working directory");
    const char *folder = chosen->folder ? chosen->folder : "";
    const int written = *folder == '/'
                            ? snprintf(held->folder, sizeof held->folder, "%s", folder)
                            : snprintf(held->folder, sizeof held->folder, "%s/%s", here, folder);
    if (written >= (int)sizeof held->folder)
        return vef_fail(error, VEF_INVALID, "%s: name too long", folder);
    snprintf(copy, sizeof copy, "%s", held->path);
    return chdir(dirname(copy)) == 0 ? VEF_OK : vef_fail_errno(error, "%s", copy);
}

static vef_code open_store(const choices *chosen, session *held, vef_error *error) {
    return vef_study_store_open(held->folder, &held->study, vef_version_of_results(), chosen->rerun,
                                &held->store, error);
}

/* Reports results that do not count because files have changed. */
static void report_changed(const session *held) {
    const vef_study *study = &held->study;
    const char *first = NULL;
    size_t count = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        const char *changed = study->points[p].first == p
                                  ? vef_study_store_changed(held->store, &study->points[p])
                                  : NULL;
        first = first ? first : changed;
        count += changed != NULL;
    }
    if (count)
        fprintf(stderr, "vef study: %s has changed: %zu result%s not used\n", first, count,
                count == 1 ? " is" : "s are");
}

static vef_code open_study(const choices *chosen, const char *path, session *held,
                           vef_error *error) {
    vef_progress progress;
    vef_code code = vef_study_read(path, &held->study, error);
    if (code == VEF_OK)
        code = go_to_study(chosen, path, held, error);
    /* Earlier results first: unchanged inputs are then not read again. */
    const bool exists = chosen->folder && access(held->folder, F_OK) == 0;
    if (code == VEF_OK && exists)
        code = open_store(chosen, held, error);
    if (code == VEF_OK) {
        vef_progress_begin(&progress, "resolving");
        code = vef_study_resolve(&held->study, vef_version_of_results(), &progress, error);
        vef_progress_end(&progress);
    }
    if (code == VEF_OK && chosen->folder && !exists && !chosen->plan)
        code = open_store(chosen, held, error);
    if (code == VEF_OK && held->store && held->first)
        report_changed(held);
    if (code == VEF_OK && held->study.warning && (!held->store || held->first))
        vef_command_warn("study", held->study.warning);
    return code;
}

static vef_code print_plan(const choices *chosen, session *held, vef_error *error) {
    held->seconds = vef_calloc(held->study.point_count, sizeof *held->seconds);
    vef_study_estimate(&held->study, held->store, held->seconds);
    const vef_study_report report = {&held->study, held->store, held->seconds, held->jobs};
    return vef_report_write(chosen->format, vef_study_plan_build, &report, stdout, error);
}

/* ---- Slurm ---- */

/* A job array: each task of it is `vef study --no-wait` in the same folder. The locks of the folder
 * divide the points, so tasks may start late, end early or be requeued. */

enum { MOST_ARGUMENTS = 16 + VEF_MOST_TEXTS, LINE_BYTES = 16384 };

static const char NEEDS[] =
    "--slurm needs sbatch (Debian: the package slurm-client); under another batch system, start "
    "vef study in several jobs with the same folder";

static void write_script(const choices *chosen, const session *held, FILE *out) {
    static char study[] = "study", o[] = "-o", no_wait[] = "--no-wait";
    static char line[LINE_BYTES];
    char *const words[] = {(char *)(uintptr_t)held->program,
                           study,
                           (char *)(uintptr_t)held->path,
                           o,
                           (char *)(uintptr_t)held->folder,
                           no_wait,
                           NULL};
    fputs("#!/bin/sh\n", out);
    static const char *const variables[] = {"VEF_PLUGINS", "VEF_LIMITS"}; /* what the user allows */
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        vef_shell_word(value ? value : "", line, sizeof line);
        if (value)
            fprintf(out, "export %s=%s\n", variables[i], line);
    }
    vef_shell_words(words, line, sizeof line);
    fprintf(out, "exec %s", line);
    if (chosen->threads > 0)
        fprintf(out, " --threads %u", chosen->threads);
    if (chosen->jobs > 0)
        fprintf(out, " --jobs %u", chosen->jobs);
    fputc('\n', out);
}

/* Submits the array with sbatch(1), whose output, the number of the job, is copied to stdout. */
static vef_code submit(const choices *chosen, const session *held, vef_error *error) {
    static char sbatch[] = "sbatch", parsable[] = "--parsable", name[] = "--job-name=vef-study";
    char array[64];
    char *arguments[MOST_ARGUMENTS] = {sbatch, parsable, name, array};
    size_t count = 4;
    snprintf(array, sizeof array, "--array=0-%u", chosen->slurm - 1);
    char *output = vef_malloc(2 * strlen(held->folder) + 64);
    char *end = stpcpy(output, "--output=");
    for (const char *c = held->folder; *c; c++) {
        *end++ = *c;
        if (*c == '%') /* begins a pattern of Slurm; two are one */
            *end++ = '%';
    }
    strcpy(end, "/slurm-%A_%a.log");
    arguments[count++] = output;
    for (size_t i = 0; i < chosen->sbatch.count; i++)
        arguments[count++] = (char *)(uintptr_t)chosen->sbatch.text[i];
    arguments[count] = NULL;
    FILE *script = tmpfile(), *answer = tmpfile();
    vef_code code = script && answer ? VEF_OK : vef_fail_errno(error, "a temporary file");
    if (code == VEF_OK) {
        write_script(chosen, held, script);
        code = vef_filter_run(arguments, NEEDS, script, answer, error);
    }
    if (code == VEF_OK) {
        rewind(answer);
        for (int c; (c = getc(answer)) != EOF;)
            putchar(c);
    }
    if (script)
        fclose(script);
    if (answer)
        fclose(answer);
    free(output);
    return code;
}

/* Runs the points; the tables are written even if that was stopped. */
static vef_code run_points(const choices *chosen, session *held, vef_error *error) {
    vef_progress progress;
    const vef_study_report report = {.study = &held->study, .store = held->store};
    size_t ran = 0;
    vef_error later = {0};
    vef_study_run_options run = {
        .program = held->program,
        .host = held->host,
        .jobs = held->jobs,
        .threads = chosen->threads ? chosen->threads : 1,
        .waits = held->first && !chosen->no_wait,
        .stop = vef_interrupts_stop,
        .progress = &progress,
    };
    if (held->first && !chosen->tables &&
        vef_report_write(NULL, vef_study_refused_build, &report, stderr, error) != VEF_OK)
        return error->code;
    vef_interrupts_hold();
    vef_progress_begin(&progress, "running");
    vef_code code =
        chosen->tables ? VEF_OK : vef_study_run(&held->study, held->store, &run, &ran, error);
    /* The last process, if they do not wait for each other, finds all results. */
    if (code == VEF_OK && !chosen->tables &&
        vef_study_count(&held->study, held->store).missing == 0) {
        vef_study_plan_explanations(&held->study, held->store);
        run.explanations = true;
        code = vef_study_run(&held->study, held->store, &run, &ran, error);
    }
    vef_progress_end(&progress);
    if (code == VEF_OK || code == VEF_STOPPED) {
        const vef_code written =
            vef_study_write_tables(&held->study, held->store, held->folder, chosen->figure, &later);
        if (code == VEF_OK && written != VEF_OK) {
            *error = later;
            code = written;
        }
    }
    return code;
}

static int report_results(const choices *chosen, session *held, vef_error *error) {
    const vef_study_report report = {.study = &held->study, .store = held->store};
    const vef_study_tally tally = vef_study_count(&held->study, held->store);
    if (held->first &&
        vef_report_write(chosen->format, vef_study_results_build, &report, stdout, error) != VEF_OK)
        return vef_command_error("study", error);
    return tally.failed + tally.stalled + tally.refused ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
}

static int finish(const choices *chosen, session *held, vef_code code, vef_error *error) {
    if (code == VEF_STOPPED) {
        const vef_study_tally tally = vef_study_count(&held->study, held->store);
        fprintf(stderr,
                "vef study: stopped: %zu of %zu points have results; the same command continues\n",
                tally.points - tally.missing, tally.points);
        return VEF_EXIT_FAILURE;
    }
    if (code != VEF_OK)
        return vef_command_error("study", error);
    if (chosen->plan)
        return vef_study_count(&held->study, held->store).refused ? VEF_EXIT_FAILURE : VEF_EXIT_OK;
    return chosen->slurm > 0 ? VEF_EXIT_OK : report_results(chosen, held, error);
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    const int operand = vef_command_read(&vef_command_study, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    if (!chosen.folder && !chosen.plan)
        return vef_command_usage(&vef_command_study, "missing option -o DIR");
    session *held = vef_calloc(1, sizeof *held);
    held->first = vef_study_rank() == 0;
    held->jobs = chosen.jobs > 0 ? chosen.jobs : vef_study_cores();
    vef_picture_size size;
    vef_code code = vef_picture_size_read(chosen.figure, &size, &error);
    if (code == VEF_OK)
        code = open_study(&chosen, argv[operand], held, &error);
    if (code == VEF_OK && chosen.plan)
        code = print_plan(&chosen, held, &error);
    else if (code == VEF_OK && chosen.slurm > 0)
        code = submit(&chosen, held, &error);
    else if (code == VEF_OK)
        code = run_points(&chosen, held, &error);
    const int status = finish(&chosen, held, code, &error);
    vef_study_store_close(held->store);
    vef_study_release(&held->study);
    free(held->seconds);
    free(held);
    return status;
}

const vef_command vef_command_study = {
    .name = "study",
    .summary = "Run many points, on all cores or nodes, into one table",
    .usage = "STUDY.yaml -o DIR [--plan] [--jobs N] [--slurm N] [OPTIONS]",
    .operands = "STUDY.yaml",
    .options = options,
    .rules = rules,
    .help = help,
    .run = run,
};
