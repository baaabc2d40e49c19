/* Commands that queue a job and end before it runs. */
#ifndef VEF_CLI_CAPTURE_QUEUE_H
#define VEF_CLI_CAPTURE_QUEUE_H

#include "common/status.h"

#include <stdbool.h>

/* Whether the command is one: its job may run after it has ended. VEF_INVALID if that job would not
 * get the environment of the command. */
vef_code vef_capture_queues(char *const *command, bool *queues, vef_error *error);

#endif
