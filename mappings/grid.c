/* Logical grids of tasks: as typed, and the squarest. */
#include "mappings/mapping.h"

#include <stdio.h>

vef_grid vef_mapping_squarest(uint32_t tasks) {
    uint32_t height = 1;
    for (uint32_t h = 1; (uint64_t)h * h <= tasks; h++)
        if (tasks % h == 0)
            height = h;
    return (vef_grid){tasks / height, height};
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
        return vef_fail(error, VEF_INVALID, "grid '%s': expected WIDTHxHEIGHT, such as 16x8", text);
    *grid = (vef_grid){(uint32_t)sides[0], (uint32_t)sides[1]};
    return VEF_OK;
}
