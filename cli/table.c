/* The subcommands, in the order in which help lists them. */
#include "cli/command.h"

#include <stddef.h>

/* clang-format off */
const vef_command *const vef_commands[] = {
    &vef_command_capture,
    &vef_command_gather,
    &vef_command_info,
    &vef_command_slice,
    &vef_command_check,
    &vef_command_topology,
    &vef_command_verify,
    &vef_command_load,
    &vef_command_map,
    &vef_command_replay,
    &vef_command_list,
    &vef_command_dump,
    &vef_command_assemble,
    &vef_command_export,
    &vef_command_import,
    NULL,
};
/* clang-format on */
