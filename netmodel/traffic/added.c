/* Traffic patterns that plug-ins add. Some of their destinations are tried when the pattern is
 * made; later one that is no endpoint is taken modulo their number. See added.h. */
#include "netmodel/traffic/added.h"

#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/plugin/parameters.h"
#include "netmodel/topology/added.h"

#include <math.h>
#include <stdlib.h>

enum { TRIED_SOURCES = 1024, TRIED_DRAWS = 8 };

typedef struct added_kind {
    vef_pattern_kind kind; /* first: its address is that of the whole */
    const vef_plugin_pattern *plugin;
    const void *library; /* of the plug-in */
} added_kind;

typedef struct added_pattern {
    const vef_plugin_pattern *plugin;
    const void *data;
    vef_plugin_graph graph;
} added_pattern;

typedef struct message_draws {
    vef_plugin_draws draws; /* first: its address is that of the whole */
    vef_rng *rng;
} message_draws;

static uint32_t draw_below(vef_plugin_draws *draws, uint32_t bound) {
    return bound > 1 ? vef_rng_below(((message_draws *)draws)->rng, bound) : 0;
}

static uint32_t ask(const added_pattern *added, uint32_t source, vef_rng *rng) {
    message_draws random = {.draws = {.below = draw_below}, .rng = rng};
    return added->plugin->destination(added->data, source, &random.draws);
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const uint32_t to = ask(pattern->state, source, rng);
    return to < pattern->endpoints || to == VEF_PLUGIN_NONE ? to : to % pattern->endpoints;
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const added_pattern *added = pattern->state;
    added->plugin->shares(added->data, source, share);
}

/* Whether destinations are endpoints, and shares add up to 1, of some sources spread evenly. */
static vef_code try_sources(const vef_pattern *pattern, vef_error *error) {
    const added_pattern *added = pattern->state;
    const uint32_t step = pattern->endpoints / TRIED_SOURCES + 1;
    double *share = vef_malloc(pattern->endpoints * sizeof *share);
    vef_code code = VEF_OK;
    for (uint32_t source = 0; code == VEF_OK && source < pattern->endpoints; source += step) {
        vef_rng rng = vef_rng_make(0, VEF_RNG_TRAFFIC, source);
        bool sends = false;
        for (uint32_t i = 0; code == VEF_OK && i < TRIED_DRAWS; i++) {
            const uint32_t to = ask(added, source, &rng);
            sends = sends || to != VEF_PLUGIN_NONE;
            if (to >= pattern->endpoints && to != VEF_PLUGIN_NONE)
                code = vef_fail(error, VEF_INVALID,
                                "plug-in: endpoint %u sends to %u: expected one below %u", source,
                                to, pattern->endpoints);
        }
        double sum = 0;
        vef_pattern_shares(pattern, source, share);
        for (uint32_t e = 0; e < pattern->endpoints; e++)
            sum += share[e];
        if (code == VEF_OK && sends && !(fabs(sum - 1) < 1e-6))
            code = vef_fail(error, VEF_INVALID,
                            "plug-in: the shares of endpoint %u add up to %g: expected 1", source,
                            sum);
    }
    free(share);
    return code;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const added_kind *kind = (const added_kind *)pattern->kind;
    added_pattern *added = vef_arena_alloc(&pattern->arena, 1, sizeof *added);
    added->plugin = kind->plugin;
    pattern->state = added;
    vef_topology_graph(pattern->topology, kind->library, &pattern->arena, &added->graph);
    vef_plugin_making making = vef_plugin_make(&pattern->arena);
    void *data = NULL;
    if (kind->plugin->create(&making.context, &added->graph, pattern->parameters, &data) != 0)
        return vef_plugin_refused(&making, error);
    added->data = data;
    return try_sources(pattern, error);
}

static const char *const no_samples[] = {NULL};

vef_code vef_pattern_find_added(const vef_node *plugins, const char *name, vef_arena *arena,
                                void **library, const vef_pattern_kind **kind, vef_error *error) {
    const void *found = NULL;
    *kind = NULL;
    vef_code code =
        vef_library_find(plugins, VEF_PLUGIN_PART_PATTERN, name, library, &found, error);
    if (code != VEF_OK || !found)
        return code;
    const vef_plugin_pattern *plugin = found;
    added_kind *made = vef_arena_alloc(arena, 1, sizeof *made);
    made->plugin = plugin;
    made->library = *library;
    made->kind = (vef_pattern_kind){.name = plugin->name,
                                    .summary = plugin->summary,
                                    .create = create,
                                    .destination = destination,
                                    .shares = plugin->shares ? shares : NULL,
                                    .permutation = !plugin->shares,
                                    .samples = no_samples};
    code = vef_plugin_schema(plugin->name, plugin->parameters, arena, &made->kind.schema,
                             &made->kind.parameter_bytes, error);
    *kind = code == VEF_OK ? &made->kind : NULL;
    return code;
}
