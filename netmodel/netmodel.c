/* Opening a network file and building the model that it names. See netmodel.h. */
#include "netmodel/netmodel.h"

#include <string.h>

vef_code vef_netmodel_create(const vef_node *root, vef_netmodel **model, vef_error *error) {
    *model = NULL;
    if (!root || root->kind != VEF_NODE_MAPPING)
        return vef_node_fail(root, error, "expected a network: a mapping with the key topology");
    const vef_node *name = vef_node_get(root, "model");
    if (name && name->kind != VEF_NODE_SCALAR)
        return vef_node_fail(name, error, "model: expected a name");
    const char *wanted = name ? name->scalar : vef_netmodel_kinds[0]->name;
    const char *names[16];
    size_t count = 0;
    for (; vef_netmodel_kinds[count] && count < 16; count++) {
        names[count] = vef_netmodel_kinds[count]->name;
        if (strcmp(names[count], wanted) == 0)
            return vef_netmodel_kinds[count]->create(root, model, error);
    }
    vef_fail_unknown(error, "network model", wanted, names, count);
    return vef_node_within(name, error);
}

vef_code vef_netmodel_open(const char *path, const char *const *overrides, size_t override_count,
                           vef_netmodel **model, vef_error *error) {
    *model = NULL;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_config_load(path, &arena, &root, error);
    if (code == VEF_OK && override_count > 0 && root->kind != VEF_NODE_MAPPING)
        code = vef_node_fail(root, error, "expected a network: a mapping with the key topology");
    for (size_t i = 0; i < override_count && code == VEF_OK; i++)
        code = vef_config_set(root, overrides[i], &arena, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, model, error);
    vef_arena_release(&arena);
    return code;
}

void vef_netmodel_destroy(vef_netmodel *model) {
    if (model)
        model->kind->destroy(model);
}

double vef_netmodel_cycle_ns(const vef_netmodel *model) {
    return (double)model->phit_bytes * 8e9 / (double)model->bandwidth_bits_per_s;
}
