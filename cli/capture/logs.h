/* The folder of `vef capture` in which the tasks leave their logs, and the end of the tasks. */
#ifndef VEF_CLI_CAPTURE_LOGS_H
#define VEF_CLI_CAPTURE_LOGS_H

#include "common/status.h"
#include "traces/log/gather.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes a fresh folder beside the output, `logs` gets its absolute path, of at most `bytes`. Fails
 * where the output cannot stand at its place, before anything runs. */
vef_code vef_capture_logs_make(const char *output, bool force, char *logs, size_t bytes,
                               vef_error *error);

/* Removes the folder, but nothing in it that the capture library did not make. */
void vef_capture_logs_remove(const char *logs);

/* Whether a task could not record everything; it has said why. */
bool vef_capture_logs_incomplete(const char *logs);

typedef enum vef_capture_wait {
    VEF_CAPTURE_ENDED,   /* no task writes a log any more, and none will: `gathering` is final */
    VEF_CAPTURE_RUNNING, /* the time is over, and tasks still run */
    VEF_CAPTURE_INTERRUPTED, /* vef_interrupts_seen() */
} vef_capture_wait;

/* After the command has ended: waits up to `wait_ns` until the tasks have too, and gathers their
 * logs, of which there may be none. A task that begins after the end gets no log: the library sees
 * a file `closed` in the folder. */
vef_code vef_capture_logs_wait(const char *logs, double wait_ns, vef_gathering *gathering,
                               vef_capture_wait *how, vef_error *error);

#endif
