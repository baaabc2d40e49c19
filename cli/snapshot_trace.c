/* Traces of running tasks: see snapshot_trace.h. */
#include "cli/snapshot_trace.h"
#include "cli/interrupt.h"
#include "common/system/file.h"
#include "traces/log/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static vef_code make_folder(const char *near, char *folder, size_t bytes, vef_error *error) {
    char *name = vef_file_beside(near, ".snapshot-XXXXXX");
    const bool fits = snprintf(folder, bytes, "%s", name) < (int)bytes;
    free(name);
    if (!fits)
        return vef_fail(error, VEF_INVALID, "%s: path too long", near);
    if (mkdtemp(folder) != NULL)
        return VEF_OK;
    vef_fail_errno(error, "creating %s", folder);
    *folder = '\0';
    return VEF_IO;
}

vef_code vef_snapshot_merge(vef_gathering *gathering, const vef_job *job, const char *near,
                            const char *output, const vef_merge_options *options,
                            vef_merge_summary *summary, vef_error *error) {
    char folder[VEF_SNAPSHOT_PATH_BYTES] = "";
    vef_code code = VEF_OK;
    if (job->holder_count > 0) {
        code = make_folder(near, folder, sizeof folder, error);
        if (!code)
            code = vef_job_snapshot(gathering, job, folder, vef_interrupts_stop, NULL, error);
    }
    if (!code)
        code = vef_merge_job(job, output, options, summary, error);
    if (*folder != '\0')
        vef_logs_remove(folder);
    return code;
}

vef_code vef_snapshot_trace_make(const char *place, vef_snapshot_trace *trace, vef_error *error) {
    char near[VEF_SNAPSHOT_PATH_BYTES];
    const char *directory = getenv("TMPDIR");
    vef_gathering gathering = {0};
    vef_merge_options merging = {.stop = vef_interrupts_stop};
    const vef_job *job = NULL;
    *trace = (vef_snapshot_trace){0};
    if (directory == NULL || *directory == '\0')
        directory = "/tmp";
    if (snprintf(near, sizeof near, "%s/vef", directory) >= (int)sizeof near)
        return vef_fail(error, VEF_INVALID, "TMPDIR=%s: path too long", directory);
    vef_interrupts_hold();
    vef_code code = vef_gather(&place, 1, &gathering, error);
    if (!code)
        code = vef_gathering_job(&gathering, NULL, &job, error);
    if (!code)
        code = make_folder(near, trace->folder, sizeof trace->folder, error);
    if (!code) {
        snprintf(trace->path, sizeof trace->path, "%s/trace.vef", trace->folder);
        code = vef_snapshot_merge(&gathering, job, near, trace->path, &merging, NULL, error);
    }
    vef_gathering_free(&gathering);
    return code;
}

void vef_snapshot_trace_free(vef_snapshot_trace *trace) {
    if (*trace->folder == '\0')
        return;
    unlink(trace->path);
    rmdir(trace->folder);
    *trace->folder = '\0';
}
