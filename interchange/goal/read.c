/* Reading GOAL: a rank becomes a task, its branches threads (interchange/dag/). The file is read
 * twice: for the matching, then for the events. */
#include "interchange/format.h"
#include "interchange/goal/goal.h"

#include <inttypes.h>

static vef_code ranks(void *from, vef_dag_visit *visit, void *visitor, vef_error *error) {
    return vef_goal_parse(from, visit, visitor, error);
}

vef_code vef_goal_read(const char *path, const char *trace_path, vef_format_report *report,
                       vef_error *error) {
    *report = (vef_format_report){0};
    vef_dag_summary found;
    const vef_dag_source source = {
        .self = (void *)(uintptr_t)path, .application = path, .ranks = ranks, .marks = true};
    const vef_code code = vef_dag_write(&source, trace_path, &found, error);
    if (code)
        return code;
    if (found.unmatched_sends)
        vef_note(&report->notes, "%" PRIu64 " sends have no receive", found.unmatched_sends);
    if (found.unmatched_receives)
        vef_note(&report->notes, "%" PRIu64 " receives have no send and complete at once",
                 found.unmatched_receives);
    if (found.wildcards)
        vef_note(&report->notes,
                 "%" PRIu64
                 " receives from any rank or with any tag match the remaining messages, "
                 "in the order of the file",
                 found.wildcards);
    return VEF_OK;
}
