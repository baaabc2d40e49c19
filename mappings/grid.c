/* Logical grids of tasks: as typed, as the program's Cartesian communicator says, the squarest. */
#include "mappings/mapping.h"

#include <stdio.h>

vef_grid vef_mapping_squarest(uint32_t tasks) {
    uint32_t height = 1;
    for (uint32_t h = 1; (uint64_t)h * h <= tasks; h++)
        if (tasks % h == 0)
            height = h;
    return (vef_grid){tasks / height, height};
}

/* Whether a communicator's ranks are the tasks in their order. */
static bool is_whole_world(const vef_communicator *communicator, uint32_t tasks) {
    if (communicator->size != tasks || communicator->remote_size != 0)
        return false;
    for (uint32_t rank = 0; rank < tasks; rank++)
        if (communicator->members[rank] != rank)
            return false;
    return true;
}

vef_grid vef_mapping_program_grid(const vef_communicator *communicators, uint32_t count,
                                  uint32_t tasks) {
    for (uint32_t k = 0; k < count; k++)
        if (communicators[k].dimensions == 2 && is_whole_world(&communicators[k], tasks))
            return (vef_grid){.width = communicators[k].extents[1],
                              .height = communicators[k].extents[0]};
    return (vef_grid){0, 0};
}

vef_code vef_mapping_parse_grid(const char *text, vef_grid *grid, vef_error *error) {
    const char *at = text;
    uint64_t sides[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (; *at >= '0' && *at <= '9' && sides[k] <= UINT32_MAX; at++)
            sides[k] = 10 * sides[k] + (uint64_t)(*at - '0');
        if (k == 0 && *at++ != 'x')
            break;
    }
    if (sides[0] == 0 || sides[1] == 0 || sides[0] > UINT32_MAX || sides[1] > UINT32_MAX ||
        *at != '\0')
        return vef_fail(error, VEF_INVALID, "grid '%s': width x height, as 16x8", text);
    *grid = (vef_grid){(uint32_t)sides[0], (uint32_t)sides[1]};
    return VEF_OK;
}
