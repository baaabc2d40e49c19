/* The grid on which a program arranged its tasks, for the subcommands that map tasks. */
#ifndef VEF_CLI_PROGRAM_GRID_H
#define VEF_CLI_PROGRAM_GRID_H

#include "mappings/mapping.h"
#include "traces/event.h"

/* The grid of the first Cartesian communicator with every task in order and as many dimensions as
 * the network, at least two; else none. MPI numbers ranks with the last dimension fastest, so that
 * is the width. */
vef_grid vef_program_grid(const vef_communicator *communicators, uint32_t count, uint32_t tasks,
                          uint32_t dimensions);

#endif
