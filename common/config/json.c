/* A configuration as JSON: see json.h. */
#include "common/config/json.h"

#include <string.h>

static void write_scalar(vef_json *json, const char *key, const vef_node *node) {
    const char *text = node->scalar;
    if (node->quoted)
        vef_json_string(json, key, text);
    else if (vef_node_is_null(node))
        vef_json_null(json, key);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        vef_json_bool(json, key, *text == 't');
    else if (vef_json_is_number(text))
        vef_json_number(json, key, text);
    else
        vef_json_string(json, key, text);
}

void vef_json_node(vef_json *json, const char *key, const vef_node *node) {
    if (node->kind == VEF_NODE_SCALAR) {
        write_scalar(json, key, node);
        return;
    }
    const bool mapping = node->kind == VEF_NODE_MAPPING;
    if (mapping)
        vef_json_open_object(json, key);
    else
        vef_json_open_array(json, key);
    for (size_t i = 0; i < node->count; i++)
        vef_json_node(json, mapping ? node->keys[i] : NULL, node->items[i]);
    vef_json_close(json);
}

vef_code vef_json_yaml(vef_json *json, const char *key, const char *yaml, vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_config_parse(yaml, key, &arena, &root, error);
    if (code == VEF_OK)
        vef_json_node(json, key, root);
    vef_arena_release(&arena);
    return code;
}
