/* Loads from one source whose path counts may exceed a double. See path_loads.h. */
#include "netmodel/analysis/loads/path_loads.h"

#include <math.h>
#include <string.h>

/* Path counts are paths x (2^256)^scale, since they exceed a double on large grids: C(2046, 1023)
 * paths connect the corners of a mesh of 1024 x 1024. */
#define SCALE 0x1p256

typedef struct count {
    double paths;
    int32_t scale;
} count;

struct vef_path_single {
    const vef_path_graph *graph;
    uint32_t *distance; /* the following are [routers] */
    uint32_t *queue;
    count *counts;
    double *per_path; /* traffic to and through a router, over its number of paths (over
                         count.paths; the scale is separate) */
};

vef_path_single *vef_path_single_make(const vef_path_graph *graph, vef_arena *arena) {
    vef_path_single *state = vef_arena_alloc(arena, 1, sizeof *state);
    state->graph = graph;
    state->distance = vef_arena_alloc(arena, graph->routers, sizeof *state->distance);
    state->queue = vef_arena_alloc(arena, graph->routers, sizeof *state->queue);
    state->counts = vef_arena_alloc(arena, graph->routers, sizeof *state->counts);
    state->per_path = vef_arena_alloc(arena, graph->routers, sizeof *state->per_path);
    return state;
}

static void add_paths(count *to, count from) {
    if (to->scale == from.scale) {
        to->paths += from.paths;
        if (to->paths >= SCALE) {
            to->paths *= 1 / SCALE;
            to->scale++;
        }
    } else if (from.scale > to->scale) {
        to->paths = from.paths + (from.scale == to->scale + 1 ? to->paths / SCALE : 0);
        to->scale = from.scale;
    } else if (from.scale == to->scale - 1) {
        to->paths += from.paths / SCALE;
    }
}

/* Counts the minimal paths from `source`; returns the number of routers reached. */
static uint32_t search(vef_path_single *state, uint32_t source) {
    const vef_path_graph *graph = state->graph;
    memset(state->distance, 0xff, graph->routers * sizeof *state->distance);
    state->distance[source] = 0;
    state->counts[source] = (count){.paths = 1};
    state->queue[0] = source;
    uint32_t reached = 1;
    for (uint32_t i = 0; i < reached; i++) {
        const uint32_t router = state->queue[i];
        const uint32_t farther = state->distance[router] + 1;
        const count paths = state->counts[router];
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (state->distance[next] == UINT32_MAX) {
                state->distance[next] = farther;
                state->queue[reached++] = next;
                state->counts[next] = paths;
            } else if (state->distance[next] == farther) {
                add_paths(&state->counts[next], paths);
            }
        }
    }
    return reached;
}

void vef_path_single_add(vef_path_single *state, const vef_path_source *source, double *load) {
    const vef_path_graph *graph = state->graph;
    for (uint32_t i = search(state, source->router); i-- > 0;) {
        const uint32_t router = state->queue[i];
        const uint32_t farther = state->distance[router] + 1;
        const count paths = state->counts[router];
        double traffic = farther > source->least_hops ? graph->endpoints[router] : 0;
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (state->distance[next] != farther)
                continue;
            double part = paths.paths * state->per_path[next];
            if (state->counts[next].scale != paths.scale) /* never less: it includes these paths */
                part = ldexp(part, 256 * (paths.scale - state->counts[next].scale));
            load[arc] += source->weight * part;
            traffic += part;
        }
        state->per_path[router] = traffic / paths.paths;
    }
}
