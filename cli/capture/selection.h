/* The options of `vef capture` that select what to record. */
#ifndef VEF_CLI_CAPTURE_SELECTION_H
#define VEF_CLI_CAPTURE_SELECTION_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_selection {
    double flush_ns;
    uint64_t most_bytes; /* of a task's log; 0: no limit */
    const char *when_full, *times;
    bool sites;                        /* record the call sites */
    const char *skip, *only, *regions; /* comma-separated lists, or NULL */
} vef_selection;

/* Checks the options, and sets the environment variables by which the library in the command's
 * tasks gets them: VEF_CAPTURE_FLUSH, …_MAX_SIZE, …_WHEN_FULL, …_TIMES, …_SITES, …_SKIP, …_ONLY and
 * …_REGIONS. */
vef_code vef_selection_export(const vef_selection *selection, vef_error *error);

#endif
