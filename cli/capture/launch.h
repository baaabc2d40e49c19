/* Running the command of `vef capture`: its environment, its signals, its end. */
#ifndef VEF_CLI_CAPTURE_LAUNCH_H
#define VEF_CLI_CAPTURE_LAUNCH_H

#include "common/status.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Finds libvefcapture.so: $VEF_LIBRARY, or installed with vef (installed.h). `path` has room for
 * `bytes`. VEF_INVALID names the searched places. */
vef_code vef_launch_library(char *path, size_t bytes, vef_error *error);

/* Whether the command queues a job, which may run after it has ended. VEF_INVALID if that job would
 * not get the environment of the command. */
vef_code vef_launch_queues(char *const *command, bool *queues, vef_error *error);

/* Runs argv (NULL-terminated) with `library` preloaded and the given variables set ("NAME=value",
 * NULL-terminated list), waits for it, and forwards terminating signals to it. All signals must be
 * blocked (vef_interrupts_block), with `mask` the previous mask, which the command gets. Signals
 * are held back afterwards (interrupt.h). This process becomes the subreaper of the command's
 * processes. `*status`: the command's exit status, 128 + n if signal n killed it. Fails if it
 * cannot be started; then `*status` is 127 (not found) or 126. */
vef_code vef_launch(char *const *argv, const char *library, const char *const *variables,
                    const sigset_t *mask, int *status, vef_error *error);

/* The signal that asked the command to end while it ran (SIGINT, SIGTERM, SIGHUP, SIGQUIT); 0:
 * none.
 */
int vef_launch_interrupted(void);

#endif
