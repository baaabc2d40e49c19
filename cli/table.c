/* The rows of commands.def. */
#include "cli/command.h"

#include <stddef.h>

const vef_command *const vef_commands[] = {
#define COMMAND(name) &vef_command_##name,
#include "cli/commands.def"
#undef COMMAND
    NULL,
};
