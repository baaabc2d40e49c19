/* What a plug-in adds. See plugin_list.h. */
#include "cli/plugin_list.h"

#include "common/plugin/library.h"
#include "mappings/mapping.h"
#include "netmodel/routing/routing.h"
#include "netmodel/traffic/traffic.h"

static const vef_param *topology_schema(const void *row) {
    return ((const vef_topology_family *)row)->schema;
}
static const vef_param *routing_schema(const void *row) {
    return ((const vef_routing_algorithm *)row)->schema;
}
static const vef_param *pattern_schema(const void *row) {
    return ((const vef_pattern_kind *)row)->schema;
}

static const struct {
    const vef_plugin_point *point;
    const vef_param *(*schema)(const void *row); /* NULL: mappings, which have arguments */
} points[] = {
    {&vef_topology_point, topology_schema},
    {&vef_routing_point, routing_schema},
    {&vef_pattern_point, pattern_schema},
    {&vef_mapping_point, NULL},
};

static void write_row(size_t p, const vef_plugin_row *row, FILE *out) {
    const char *parameter = points[p].schema ? NULL : ((const vef_mapping_family *)row)->parameter;
    fprintf(out, "%s: %s", points[p].point->key, row->name);
    if (parameter)
        fprintf(out, ((const vef_mapping_family *)row)->needs ? "(%s)" : "[(%s)]", parameter);
    fprintf(out, "   %s\n", row->summary);
    if (points[p].schema)
        vef_config_describe(out, 2, points[p].schema(row));
}

vef_code vef_list_plugin(const char *path, FILE *out, vef_error *error) {
    void *library = NULL;
    const vef_plugin *plugin = NULL;
    vef_code code = vef_library_open(path, &library, &plugin, error);
    if (code != VEF_OK)
        return code;
    if (plugin->summary)
        fprintf(out, "%s\n\n", plugin->summary);
    for (size_t p = 0; code == VEF_OK && p < sizeof points / sizeof *points; p++) {
        const vef_plugin_row *const *rows = NULL;
        code = vef_library_rows(path, plugin, points[p].point, &rows, error);
        for (size_t i = 0; code == VEF_OK && rows && rows[i]; i++)
            write_row(p, rows[i], out);
    }
    vef_library_close(library);
    return code;
}
