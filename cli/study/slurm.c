/* Job arrays of Slurm. See slurm.h. Each task of the array is `vef study --no-wait` in the same
 * folder: the locks of the folder divide the points, so tasks may start late, end early or be
 * requeued. */
#include "cli/study/slurm.h"

#include "cli/capture/shell_word.h"
#include "common/filter.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 16 + VEF_MOST_TEXTS, LINE_BYTES = 16384 };

static const char NEEDS[] =
    "--slurm needs sbatch (Debian: the package slurm-client); under another batch system, start "
    "vef study in several jobs with the same folder";

static void write_script(const vef_slurm_job *job, FILE *out) {
    static char study[] = "study", o[] = "-o", no_wait[] = "--no-wait";
    static char line[LINE_BYTES];
    char *const words[] = {(char *)(uintptr_t)job->program,
                           study,
                           (char *)(uintptr_t)job->study,
                           o,
                           (char *)(uintptr_t)job->folder,
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
    if (job->threads > 0)
        fprintf(out, " --threads %u", job->threads);
    if (job->jobs > 0)
        fprintf(out, " --jobs %u", job->jobs);
    fputc('\n', out);
}

vef_code vef_slurm_submit(const vef_slurm_job *job, FILE *out, vef_error *error) {
    static char sbatch[] = "sbatch", parsable[] = "--parsable", name[] = "--job-name=vef-study";
    char array[64];
    char *arguments[MOST_ARGUMENTS] = {sbatch, parsable, name, array};
    size_t count = 4;
    snprintf(array, sizeof array, "--array=0-%u", job->tasks - 1);
    char *output = vef_malloc(2 * strlen(job->folder) + 64);
    char *end = stpcpy(output, "--output=");
    for (const char *c = job->folder; *c; c++) {
        *end++ = *c;
        if (*c == '%') /* begins a pattern of Slurm; two are one */
            *end++ = '%';
    }
    strcpy(end, "/slurm-%A_%a.log");
    arguments[count++] = output;
    for (size_t i = 0; i < job->options->count; i++)
        arguments[count++] = (char *)(uintptr_t)job->options->text[i];
    arguments[count] = NULL;
    FILE *script = tmpfile(), *answer = tmpfile();
    vef_code code = script && answer ? VEF_OK : vef_fail_errno(error, "a temporary file");
    if (code == VEF_OK) {
        write_script(job, script);
        code = vef_filter_run(arguments, NEEDS, script, answer, error);
    }
    if (code == VEF_OK) {
        rewind(answer);
        for (int c; (c = getc(answer)) != EOF;)
            putc(c, out);
    }
    if (script)
        fclose(script);
    if (answer)
        fclose(answer);
    free(output);
    return code;
}
