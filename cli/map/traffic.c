/* The traffic of a program. See traffic.h. */
#include "cli/map/traffic.h"

vef_code vef_program_traffic_find(void *context, vef_traffic_matrix *traffic, vef_error *error) {
    const vef_program_traffic *program = context;
    return vef_replay_traffic(program->trace, program->options, traffic, error);
}
