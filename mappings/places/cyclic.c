/* Cyclic: task t on node t mod nodes, as `srun --distribution=cyclic` places tasks. */
#include "mappings/families.h"
#include "mappings/places/launch.h"

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    return vef_mapping_deal(view, 1, NULL, endpoint, error);
}

const vef_mapping_family vef_mapping_cyclic = {
    .name = "cyclic",
    .aliases = "round-robin by-node scatter",
    .summary = "deals tasks to the nodes in turn, host.cores to each",
    .samples = VEF_LIST("cyclic"),
    .assign = assign,
    .shares = true,
};
