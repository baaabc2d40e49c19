/* The traffic of a program for mappings that need it (vef_mapping_request.find_traffic). */
#ifndef VEF_CLI_MAP_TRAFFIC_H
#define VEF_CLI_MAP_TRAFFIC_H

#include "replay/traffic.h"

typedef struct vef_program_traffic {
    vef_trace *trace;
    const vef_replay_options *options; /* their algorithms of collectives */
} vef_program_traffic;

/* `context`: a vef_program_traffic. */
vef_code vef_program_traffic_find(void *context, vef_traffic_matrix *traffic, vef_error *error);

#endif
