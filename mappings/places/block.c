/* Block: task t on node floor(t / cores), as `srun --distribution=block` and `mpiexec` place tasks.
 */
#include "mappings/families.h"
#include "mappings/places/launch.h"

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    return vef_mapping_deal(view, view->cores, NULL, endpoint, error);
}

const vef_mapping_family vef_mapping_block = {
    .name = "block",
    .aliases = "fill by-slot packed",
    .summary = "fills the host.cores of a node before the next node",
    .samples = VEF_LIST("block"),
    .assign = assign,
    .shares = true,
};
