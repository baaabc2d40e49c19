/* Mappings that plug-ins add: what they assign is checked. See added.h. */
#include "mappings/added.h"

#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/plugin/parameters.h"
#include "netmodel/topology/added.h"

#include <stdlib.h>

typedef struct added_family {
    vef_mapping_family family; /* first: its address is that of the whole */
    const vef_plugin_mapping *plugin;
    const void *library;
} added_family;

/* Tasks at endpoints that exist, no two at one. */
static vef_code check_endpoints(const vef_mapping_view *view, const uint32_t *endpoint,
                                vef_error *error) {
    uint32_t *task_of = vef_malloc(view->endpoints * sizeof *task_of);
    for (uint32_t e = 0; e < view->endpoints; e++)
        task_of[e] = UINT32_MAX;
    vef_code code = VEF_OK;
    for (uint32_t task = 0; code == VEF_OK && task < view->tasks; task++) {
        const uint32_t place = endpoint[task];
        if (place >= view->endpoints)
            code = vef_fail(error, VEF_INVALID,
                            "plug-in: task %u is at endpoint %u: expected one below %u", task,
                            place, view->endpoints);
        else if (task_of[place] != UINT32_MAX)
            code = vef_fail(error, VEF_INVALID, "plug-in: tasks %u and %u are both at endpoint %u",
                            task_of[place], task, place);
        else
            task_of[place] = task;
    }
    free(task_of);
    return code;
}

/* The traffic as a list in `arena`. */
static void list_traffic(const vef_traffic_matrix *matrix, vef_arena *arena,
                         const vef_plugin_traffic **list, size_t *count) {
    *count = matrix->first[matrix->tasks];
    vef_plugin_traffic *items = vef_arena_alloc(arena, *count ? *count : 1, sizeof *items);
    for (uint32_t from = 0; from < matrix->tasks; from++)
        for (size_t i = matrix->first[from]; i < matrix->first[from + 1]; i++)
            items[i] = (vef_plugin_traffic){from, matrix->flows[i].to, matrix->flows[i].bytes};
    *list = items;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    const added_family *added = (const added_family *)stage->family;
    if (!view->topology)
        return vef_fail(error, VEF_UNSUPPORTED, "mapping %s: it needs a network with routers",
                        stage->family->name);
    vef_arena arena = {0};
    vef_plugin_graph graph;
    const vef_plugin_traffic *traffic = NULL;
    size_t count = 0;
    vef_topology_graph(view->topology, added->library, &arena, &graph);
    if (added->plugin->needs_traffic)
        list_traffic(view->traffic, &arena, &traffic, &count);
    vef_plugin_making making = vef_plugin_make(&arena);
    for (uint32_t task = 0; task < view->tasks; task++)
        endpoint[task] = VEF_PLUGIN_NONE;
    const int refused = added->plugin->assign(&making.context, &graph, stage->number, view->tasks,
                                              traffic, count, endpoint);
    const vef_code code =
        refused != 0 ? vef_plugin_refused(&making, error) : check_endpoints(view, endpoint, error);
    vef_arena_release(&arena);
    return code;
}

static const char *const no_samples[] = {NULL};

vef_code vef_mapping_find_added(const vef_node *plugins, const char *name, vef_arena *arena,
                                void **library, const vef_mapping_family **family,
                                vef_error *error) {
    const void *found = NULL;
    *family = NULL;
    const vef_code code =
        vef_library_find(plugins, VEF_PLUGIN_PART_MAPPING, name, library, &found, error);
    if (code != VEF_OK || !found)
        return code;
    const vef_plugin_mapping *plugin = found;
    added_family *made = vef_arena_alloc(arena, 1, sizeof *made);
    made->plugin = plugin;
    made->library = *library;
    made->family = (vef_mapping_family){.name = plugin->name,
                                        .summary = plugin->summary,
                                        .takes = VEF_MAPPING_SEED,
                                        .parameter = "number",
                                        .samples = no_samples,
                                        .assign = assign,
                                        .needs_traffic = plugin->needs_traffic};
    *family = &made->family;
    return VEF_OK;
}
