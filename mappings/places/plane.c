/* Plane: blocks of a given number of tasks to the nodes in turn, as `srun --distribution=plane=N`
 * places tasks. */
#include "mappings/families.h"
#include "mappings/places/launch.h"

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    return vef_mapping_deal(view, (uint32_t)stage->number, NULL, endpoint, error);
}

const vef_mapping_family vef_mapping_plane = {
    .name = "plane",
    .summary = "deals blocks of that many tasks to the nodes in turn",
    .needs = VEF_MAPPING_COUNT,
    .parameter = "tasks",
    .samples = VEF_LIST("plane(1)", "plane(4)"),
    .assign = assign,
    .shares = true,
};
