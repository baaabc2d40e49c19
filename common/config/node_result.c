/* A configuration as a part of a document: see node_result.h. */
#include "common/config/node_result.h"
#include "common/report/result.h"

#include <string.h>

static vef_value value_of(const vef_node *node) {
    const char *text = node->scalar;
    if (node->quoted)
        return vef_value_text(text);
    if (vef_node_is_null(node))
        return VEF_NO_VALUE;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return vef_value_bool(*text == 't');
    return vef_value_read(text);
}

void vef_node_put(vef_result *into, const char *key, const vef_node *node) {
    const bool mapping = node->kind == VEF_NODE_MAPPING;
    if (node->kind == VEF_NODE_SCALAR) {
        vef_put_value(into, key, value_of(node));
        return;
    }
    vef_result *members = mapping ? vef_put_group(into, key) : vef_put_list(into, key);
    vef_result_set_cycle_ns(members, 0); /* a configuration is as in its file */
    for (size_t i = 0; i < node->count; i++)
        vef_node_put(members, mapping ? node->keys[i] : NULL, node->items[i]);
}

void vef_config_put_result(vef_result *into, const char *key,
                           void (*put)(const void *context, vef_node *config),
                           const void *context) {
    vef_arena arena = {0};
    vef_node *config = vef_config_new(&arena);
    put(context, config);
    vef_node_put(into, key, config);
    vef_arena_release(&arena);
}
