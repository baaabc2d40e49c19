/* The grid on which a program arranged its tasks. See program_grid.h. */
#include "cli/program_grid.h"

/* Whether a communicator's ranks are the tasks in order. */
static bool is_whole_world(const vef_communicator *communicator, uint32_t tasks) {
    if (communicator->size != tasks || communicator->remote_size != 0)
        return false;
    for (uint32_t rank = 0; rank < tasks; rank++)
        if (communicator->members[rank] != rank)
            return false;
    return true;
}

vef_grid vef_program_grid(const vef_communicator *communicators, uint32_t count, uint32_t tasks,
                          uint32_t dimensions) {
    const uint32_t wanted = dimensions < 2 ? 2 : dimensions;
    for (uint32_t k = 0; k < count; k++)
        if (communicators[k].dimensions == wanted && wanted <= VEF_MAX_DIMENSIONS &&
            is_whole_world(&communicators[k], tasks)) {
            vef_grid grid = {{0}};
            for (uint32_t d = 0; d < wanted; d++)
                grid.size[d] = communicators[k].extents[wanted - 1 - d];
            return grid;
        }
    return (vef_grid){{0}};
}
