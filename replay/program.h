/* What a mapping may ask of a traced program: its number of tasks, its grid and its traffic. */
#ifndef VEF_REPLAY_PROGRAM_H
#define VEF_REPLAY_PROGRAM_H

#include "mappings/mapping.h"
#include "replay/replay.h"

typedef struct vef_traced_program {
    vef_trace *trace;
    const vef_replay_options *machine; /* its nodes, and its algorithms of collectives */
} vef_traced_program;

/* A request without a mapping and without --grid. The program must outlive it: the traffic is found
 * when a mapping needs it (vef_replay_traffic). `topology`: of the network; NULL: it has none. */
vef_mapping_request vef_program_request(vef_traced_program *program, const vef_topology *topology);

/* The grid of the first Cartesian communicator with every task in order and as many dimensions as
 * the network, at least two; else none. MPI numbers ranks with the last dimension fastest, so that
 * is the width. */
vef_grid vef_program_grid(const vef_communicator *communicators, uint32_t count, uint32_t tasks,
                          uint32_t dimensions);

#endif
