/* The folder of `vef capture` in which the tasks leave their logs, and the end of the tasks. */
#ifndef VEF_CLI_CAPTURE_LOGS_H
#define VEF_CLI_CAPTURE_LOGS_H

#include "common/status.h"
#include "traces/log/gather.h"

#include <stdbool.h>
#include <stddef.h>

/* Creates a folder beside the output; `logs` gets its absolute path, of at most `bytes`. Fails if
 * the output cannot be created, before anything runs. */
vef_code vef_capture_logs_make(const char *output, bool force, char *logs, size_t bytes,
                               vef_error *error);

/* Whether a task could not record everything; it has reported why. */
bool vef_capture_logs_incomplete(const char *logs);

typedef enum vef_capture_wait {
    VEF_CAPTURE_ENDED,   /* no task writes a log any more, and none will: `gathering` is final */
    VEF_CAPTURE_RUNNING, /* timeout, and tasks still run */
    VEF_CAPTURE_INTERRUPTED, /* vef_interrupts_seen() */
} vef_capture_wait;

/* After the command has ended: waits up to `wait_ns` for the tasks, and gathers their logs,
 * possibly none. A task that begins later gets no log: the library finds a file `closed` in the
 * folder. */
vef_code vef_capture_logs_wait(const char *logs, double wait_ns, vef_gathering *gathering,
                               vef_capture_wait *how, vef_error *error);

#endif
