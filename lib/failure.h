/* Errors of the rooms as failures of the library's users. */
#ifndef VEF_LIB_FAILURE_H
#define VEF_LIB_FAILURE_H

#include "common/status.h"
#include <vef/base.h>

/* Returns the code, and fills in `failure`, which may be NULL. */
int vef_failure_from(vef_code code, const vef_error *error, vef_failure *failure);

/* A call that allocates: `work` sets `code` and `error`. The struct of a call begins with this. */
typedef struct vef_entry {
    void (*work)(void *call);
    vef_code code;
    vef_error error;
} vef_entry;

/* Does the call. Without memory it is left where it is, and fails; `*broken`, a flag of its handle,
 * is then set, and all later calls fail likewise. */
int vef_entry_do(vef_entry *call, bool *broken, vef_failure *failure);

/* A failure of a call itself. */
int vef_failure_set(vef_failure *failure, vef_failure_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
