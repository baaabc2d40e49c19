/* A configuration as a part of a document: see write_doc.h. */
#include "common/config/write_doc.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static void write_scalar(vef_doc *doc, const char *key, const vef_node *node) {
    const char *text = node->scalar;
    if (node->quoted)
        vef_doc_string(doc, key, text);
    else if (vef_node_is_null(node))
        vef_doc_null(doc, key);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        vef_doc_bool(doc, key, *text == 't');
    else if (vef_doc_is_number(text))
        vef_doc_number(doc, key, text);
    else
        vef_doc_string(doc, key, text);
}

void vef_node_write_doc(vef_doc *doc, const char *key, const vef_node *node) {
    if (node->kind == VEF_NODE_SCALAR) {
        write_scalar(doc, key, node);
        return;
    }
    const bool mapping = node->kind == VEF_NODE_MAPPING;
    if (mapping)
        vef_doc_open_map(doc, key);
    else
        vef_doc_open_list(doc, key);
    for (size_t i = 0; i < node->count; i++)
        vef_node_write_doc(doc, mapping ? node->keys[i] : NULL, node->items[i]);
    vef_doc_close(doc);
}

vef_code vef_yaml_write_doc(vef_doc *doc, const char *key,
                            void (*write)(const void *context, FILE *out), const void *context,
                            vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    char *yaml = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&yaml, &bytes);
    write(context, out);
    fclose(out);
    const vef_code code = vef_config_parse(yaml, key, &arena, &root, error);
    if (code == VEF_OK)
        vef_node_write_doc(doc, key, root);
    vef_arena_release(&arena);
    free(yaml);
    return code;
}
