/* Running the command of `vef capture`: its environment, its signals, its end. */
#ifndef VEF_CLI_CAPTURE_LAUNCH_H
#define VEF_CLI_CAPTURE_LAUNCH_H

#include "common/status.h"

#include <signal.h>
#include <stddef.h>

/* Finds libvefcapture.so: $VEF_LIBRARY, beside the program, or ../lib/vef from there. `path` has
 * room for `bytes`. VEF_INVALID names the places looked at. */
vef_code vef_launch_library(char *path, size_t bytes, vef_error *error);

/* Runs argv (NULL-terminated) with `library` preloaded and the given variables set ("NAME=value",
 * NULL-terminated list), waits for it, and passes on to it the signals that end a program when
 * somebody sends them to this one. All signals must be blocked (vef_interrupts_block), and `mask`
 * is what they were before: the command gets it. Signals are held back afterwards (interrupt.h).
 * This process becomes the subreaper of what the command starts. `*status`: the command's exit
 * status, 128 + n where signal n killed it. Fails when it cannot be started; then `*status` is 127
 * (not found) or 126. */
vef_code vef_launch(char *const *argv, const char *library, const char *const *variables,
                    const sigset_t *mask, int *status, vef_error *error);

/* The signal that asked the command to end while it ran (SIGINT, SIGTERM, SIGHUP, SIGQUIT); 0:
 * none.
 */
int vef_launch_interrupted(void);

#endif
