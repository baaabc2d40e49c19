/* What `vef capture` and `vef gather` say on stderr of the traces that it made. */
#ifndef VEF_CLI_CAPTURE_REPORT_H
#define VEF_CLI_CAPTURE_REPORT_H

#include "common/status.h"
#include "traces/merge/merge.h"

#include <stdbool.h>

/* Reports on a finished trace; sets `*cut_short` where tasks are cut short. `regions` are those of
 * --regions, or NULL. */
vef_code vef_capture_report(const char *path, const char *regions, bool *cut_short,
                            vef_error *error);

/* Prints why tasks recorded nothing, or not everything: the lines that they left in `logs`. Returns
 * whether there are any. */
bool vef_capture_report_losses(const char *logs, const char *command);

/* Prints what damaged files of killed tasks lack. */
void vef_capture_report_damage(const vef_merge_summary *summary, const char *command);

#endif
