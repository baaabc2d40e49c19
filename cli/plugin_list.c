/* What a plug-in adds. See plugin_list.h. */
#include "cli/plugin_list.h"

#include "common/plugin/library.h"
#include "common/plugin/parameters.h"

static vef_code write_part(const char *key, const char *name, const char *summary,
                           const vef_plugin_parameter *parameters, FILE *out, vef_error *error) {
    vef_arena arena = {0};
    const vef_param *schema = NULL;
    size_t bytes;
    const vef_code code = vef_plugin_schema(name, parameters, &arena, &schema, &bytes, error);
    if (code == VEF_OK) {
        fprintf(out, "%s: %s   %s\n", key, name, summary);
        vef_config_describe(out, 2, schema);
    }
    vef_arena_release(&arena);
    return code;
}

static vef_code write_parts(const vef_plugin *plugin, FILE *out, vef_error *error) {
    vef_code code = VEF_OK;
    for (size_t i = 0; code == VEF_OK && plugin->topologies && plugin->topologies[i]; i++) {
        const vef_plugin_topology *topology = plugin->topologies[i];
        code = write_part("topology: family", topology->name, topology->summary,
                          topology->parameters, out, error);
    }
    for (size_t i = 0; code == VEF_OK && plugin->routings && plugin->routings[i]; i++) {
        const vef_plugin_routing *routing = plugin->routings[i];
        code = write_part("routing: algorithm", routing->name, routing->summary,
                          routing->parameters, out, error);
    }
    for (size_t i = 0; code == VEF_OK && plugin->patterns && plugin->patterns[i]; i++) {
        const vef_plugin_pattern *pattern = plugin->patterns[i];
        code =
            write_part("pattern", pattern->name, pattern->summary, pattern->parameters, out, error);
    }
    for (size_t i = 0; plugin->mappings && plugin->mappings[i]; i++)
        fprintf(out, "mapping: %s[(number)]   %s\n", plugin->mappings[i]->name,
                plugin->mappings[i]->summary);
    return code;
}

vef_code vef_list_plugin(const char *path, FILE *out, vef_error *error) {
    void *library = NULL;
    const vef_plugin *plugin = NULL;
    vef_code code = vef_library_open(path, &library, &plugin, error);
    if (code != VEF_OK)
        return code;
    if (plugin->summary)
        fprintf(out, "%s\n\n", plugin->summary);
    code = write_parts(plugin, out, error);
    vef_library_close(library);
    return code;
}
