/* What of a program `vef capture` is to record: its options, and how the library is told. */
#ifndef VEF_CLI_CAPTURE_SELECTION_H
#define VEF_CLI_CAPTURE_SELECTION_H

#include "common/status.h"

#include <stdint.h>

typedef struct vef_selection {
    double flush_ns;
    uint64_t most_bytes; /* of a task's log; 0: no limit */
    const char *when_full, *times;
    const char *skip, *only, *regions; /* lists with commas, or NULL */
} vef_selection;

/* Checks what the options say, and sets the variables of the environment by which the library of
 * the command's tasks is told: VEF_CAPTURE_FLUSH, …_MAX_SIZE, …_WHEN_FULL, …_TIMES, …_SKIP, …_ONLY
 * and …_REGIONS. */
vef_code vef_selection_export(const vef_selection *selection, vef_error *error);

#endif
