/* The .meta file of DUMPI: lines key=value, and the files of the tasks beside it. */
#include "common/limits.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "interchange/dumpi/dumpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { META_BYTES = 1 << 20 };

/* The value of a key, in place; NULL. */
static char *value_of(char *text, const char *key) {
    const size_t length = strlen(key);
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == '=')
            return line + length + 1;
    }
    return NULL;
}

/* The files that exist of those of `stem`, in the folder of the .meta file. */
static void find_files(const char *meta_path, const char *stem, vef_dumpi_run *run) {
    const char *slash = strrchr(meta_path, '/');
    const int folder = slash ? (int)(slash - meta_path + 1) : 0;
    run->found = 0;
    for (uint32_t task = 0; task < run->tasks; task++) {
        char *path = vef_printed("%.*s%s-%04" PRIu32 ".bin", folder, meta_path, stem, task);
        free(run->paths[task]);
        run->paths[task] = path;
        if (access(path, F_OK) == 0) {
            run->found++;
        } else if (task >= 1000 && run->found < task / 2) {
            return; /* `numprocs` is not to be trusted */
        } else {
            free(path);
            run->paths[task] = NULL;
        }
    }
}

static vef_code read_text(const char *meta_path, char *text, vef_dumpi_run *run, vef_error *error) {
    const char *count = value_of(text, "numprocs");
    char *prefix = value_of(text, "fileprefix");
    const char *started = value_of(text, "startime");
    const unsigned long long tasks = count ? strtoull(count, NULL, 10) : 0;
    if (!count || !prefix)
        return vef_fail(
            error, VEF_INVALID,
            "%s: not a .meta file of DUMPI: expected lines numprocs=N and fileprefix=NAME",
            meta_path);
    if (tasks == 0 || tasks > 10000000)
        return vef_fail(error, VEF_INVALID, "%s: numprocs=%llu: expected 1 to 10000000", meta_path,
                        tasks);
    if (vef_limit_check(VEF_LIMIT_TASKS, tasks, error) != VEF_OK)
        return vef_fail_within(error, "%s", meta_path);
    run->tasks = (uint32_t)tasks;
    run->started_ns = started ? strtoull(started, NULL, 10) * 1000000000 : 0;
    prefix[strcspn(prefix, "\r\n")] = '\0';
    if (strrchr(prefix, '/'))
        prefix = strrchr(prefix, '/') + 1;
    run->paths = vef_calloc(run->tasks, sizeof *run->paths);
    find_files(meta_path, prefix, run);
    if (run->found == 0) { /* renamed together */
        const char *slash = strrchr(meta_path, '/');
        char *stem = vef_strdup(slash ? slash + 1 : meta_path);
        if (strrchr(stem, '.'))
            *strrchr(stem, '.') = '\0';
        find_files(meta_path, stem, run);
        free(stem);
    }
    if (2ull * run->found < run->tasks)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: %" PRIu32 " of %" PRIu32
                        " files %s-NNNN.bin are beside it: expected at least half of them",
                        meta_path, run->found, run->tasks, prefix);
    return VEF_OK;
}

vef_code vef_dumpi_run_read(const char *meta_path, vef_dumpi_run *run, vef_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    *run = (vef_dumpi_run){0};
    vef_code code = vef_file_read(meta_path, META_BYTES, &text, &bytes, error);
    code = code ? code : read_text(meta_path, text, run, error);
    free(text);
    return code;
}

void vef_dumpi_run_release(vef_dumpi_run *run) {
    for (uint32_t task = 0; run->paths && task < run->tasks; task++)
        free(run->paths[task]);
    free(run->paths);
    *run = (vef_dumpi_run){0};
}
