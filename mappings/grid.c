/* Logical grids of tasks: as typed, and the squarest. See grid.h. */
#include "mappings/grid.h"

#include <stdio.h>
#include <string.h>

vef_grid vef_grid_complete(vef_grid grid) {
    for (uint32_t d = 0; d < VEF_MAX_DIMENSIONS; d++)
        grid.size[d] += grid.size[d] == 0;
    return grid;
}

bool vef_grid_is_same(const vef_grid *a, const vef_grid *b) {
    return memcmp(a->size, b->size, sizeof a->size) == 0;
}

uint64_t vef_grid_places(const vef_grid *grid) {
    uint64_t places = 1;
    for (uint32_t d = 0; d < VEF_MAX_DIMENSIONS && places <= UINT32_MAX; d++)
        places *= grid->size[d];
    return places;
}

uint32_t vef_grid_dimensions(const vef_grid *grid) {
    uint32_t count = VEF_MAX_DIMENSIONS;
    while (count > 2 && grid->size[count - 1] <= 1)
        count--;
    return count;
}

char *vef_grid_write(const vef_grid *grid, char text[VEF_GRID_TEXT_BYTES]) {
    size_t used = 0;
    for (uint32_t d = 0; d < vef_grid_dimensions(grid); d++)
        used += (size_t)snprintf(text + used, VEF_GRID_TEXT_BYTES - used, "%s%u", d ? "x" : "",
                                 grid->size[d]);
    return text;
}

void vef_grid_locate(const vef_grid *grid, uint64_t point, uint32_t position[VEF_MAX_DIMENSIONS]) {
    for (uint32_t d = 0; d < VEF_MAX_DIMENSIONS; d++) {
        position[d] = (uint32_t)(point % grid->size[d]);
        point /= grid->size[d];
    }
}

void vef_grid_axis_name(uint32_t axis, char text[16]) {
    if (axis < 3)
        snprintf(text, 16, "%c", "xyz"[axis]);
    else
        snprintf(text, 16, "d%u", axis);
}

char *vef_grid_side_name(uint32_t axis, char text[VEF_GRID_SIDE_BYTES]) {
    static const char *const names[] = {"width", "height", "depth"};
    char name[16];
    vef_grid_axis_name(axis, name);
    if (axis < sizeof names / sizeof *names)
        snprintf(text, VEF_GRID_SIDE_BYTES, "%s", names[axis]);
    else
        snprintf(text, VEF_GRID_SIDE_BYTES, "side along %s", name);
    return text;
}

vef_grid vef_mapping_squarest(uint32_t tasks) {
    uint32_t height = 1;
    for (uint32_t h = 1; (uint64_t)h * h <= tasks; h++)
        if (tasks % h == 0)
            height = h;
    return vef_grid_complete((vef_grid){{tasks / height, height}});
}

vef_code vef_mapping_parse_grid(const char *text, vef_grid *grid, vef_error *error) {
    const char *next = text;
    vef_grid read = {{0}};
    for (uint32_t d = 0; d < VEF_MAX_DIMENSIONS; d++) {
        uint64_t side = 0;
        for (; *next >= '0' && *next <= '9' && side <= UINT32_MAX; next++)
            side = 10 * side + (uint64_t)(*next - '0');
        if (side == 0 || side > UINT32_MAX || (*next != '\0' && *next != 'x'))
            break;
        read.size[d] = (uint32_t)side;
        if (*next++ == '\0') {
            *grid = vef_grid_complete(read);
            return VEF_OK;
        }
    }
    return vef_fail(error, VEF_INVALID,
                    "grid '%s': expected the sides, x first, such as 16x8 or 8x4x4", text);
}
