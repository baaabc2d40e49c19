/* What `vef capture` says on stderr of the traces that it made. */
#ifndef VEF_CLI_CAPTURE_REPORT_H
#define VEF_CLI_CAPTURE_REPORT_H

#include "common/status.h"

#include <stdbool.h>

/* Reports on a finished trace; sets `*cut_short` where tasks are cut short. `regions` are those of
 * --regions, or NULL. */
vef_code vef_capture_report(const char *path, const char *regions, bool *cut_short,
                            vef_error *error);

/* Reports why the library ended a program, and whether it did: it left one line in `logs`. */
bool vef_capture_report_refusal(const char *logs);

#endif
