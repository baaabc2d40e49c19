/* Searching: builds and measures every network of a request, keeps only its figures, then ranks
 * all. See search.h. */
#include "common/containers/grow.h"
#include "netmodel/analysis/search/search.h"

#include "netmodel/analysis/graph/distances.h"
#include "netmodel/analysis/graph/graph.h"
#include "netmodel/analysis/search/request.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    vef_search_request request;
    vef_ranking *ranking;
    uint64_t total; /* number of enumerated values */
    size_t room;    /* in `network` */
    vef_candidate_network *network;
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
} search;

/* ---- one network ---- */

static uint32_t greatest_degree(const vef_graph *graph) {
    uint32_t greatest = 0;
    for (uint32_t router = 0; router < graph->routers; router++) {
        const uint32_t degree = graph->first[router + 1] - graph->first[router];
        greatest = degree > greatest ? degree : greatest;
    }
    return greatest;
}

static vef_code measure_graph(const vef_search_space *space, const vef_topology *topology,
                              vef_candidate_network *network, vef_error *error) {
    vef_graph *graph = NULL;
    vef_distances distances;
    vef_code code = vef_graph_create(topology, &graph, error);
    if (code != VEF_OK)
        return code;
    code = vef_distances_measure(graph, &distances, error);
    if (code == VEF_OK) {
        network->average = distances.average;
        network->deviation = distances.deviation;
        network->diameter = distances.diameter;
        network->degree = greatest_degree(graph);
        vef_distances_release(&distances);
    }
    if (code == VEF_OK && space->link_kinds)
        network->link_kinds = vef_count_link_kinds(graph);
    vef_graph_destroy(graph);
    return code;
}

/* The request's keys, its family and the current value of the searched key, as a topology section
 * that messages name by that value. */
static vef_code describe(const vef_search_request *request, const char *value, vef_arena *arena,
                         vef_node *node, vef_error *error) {
    const size_t count = request->keys->count + 2;
    const char *leaves = request->space->leaves;
    const size_t bytes = strlen(leaves) + strlen(value) + 2;
    char *origin = vef_arena_alloc(arena, bytes, 1);
    *node = (vef_node){.kind = VEF_NODE_MAPPING, .origin = origin, .count = count};
    node->keys = vef_arena_alloc(arena, count, sizeof *node->keys);
    node->items = vef_arena_alloc(arena, count, sizeof *node->items);
    vef_node *family = vef_arena_alloc(arena, 1, sizeof *family);
    snprintf(origin, bytes, "%s %s", leaves, value);
    for (size_t i = 0; i < request->keys->count; i++) {
        node->keys[i] = request->keys->keys[i];
        node->items[i] = request->keys->items[i];
    }
    *family =
        (vef_node){.kind = VEF_NODE_SCALAR, .origin = origin, .scalar = request->family->name};
    node->keys[count - 2] = "family";
    node->items[count - 2] = family;
    node->keys[count - 1] = leaves;
    return vef_config_parse(value, origin, arena, &node->items[count - 1], error);
}

static vef_code measure(const search *state, const char *value, vef_candidate_network *network,
                        vef_error *error) {
    const vef_search_space *space = state->request.space;
    vef_arena arena = {0};
    vef_node node;
    vef_topology *topology = NULL;
    vef_code code = describe(&state->request, value, &arena, &node, error);
    if (code == VEF_OK)
        code = vef_topology_create(&node, 0, &topology, error);
    if (code == VEF_OK) {
        code = measure_graph(space, topology, network, error);
        if (code == VEF_OK && space->inner_use) {
            vef_inner_use use;
            code = space->inner_use(topology, &use, error);
            network->inner_crossing = use.crossing;
            network->inner_paths = use.paths;
        }
        if (code != VEF_OK)
            vef_node_within(&node, error);
    }
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
    return code;
}

/* ---- all networks ---- */

static vef_code count_one(void *context, const char *value, vef_error *error) {
    search *state = context;
    (void)value;
    if (state->total == VEF_MOST_ENUMERATED)
        return vef_search_fail_too_many(state->request.space, error);
    state->total++;
    return VEF_OK;
}

/* Keeps the reason of the first refusal. */
static void refuse(vef_ranking *ranking, const vef_error *error) {
    ranking->refused++;
    if (!ranking->refusal)
        ranking->refusal = vef_arena_string(&ranking->arena, error->message);
}

static vef_code measure_one(void *context, const char *value, vef_error *error) {
    search *state = context;
    vef_ranking *ranking = state->ranking;
    vef_candidate_network network = {.value = NULL};
    vef_error refusal = {0};
    const vef_code code = measure(state, value, &network, &refusal);
    if (code == VEF_INVALID || code == VEF_UNSUPPORTED)
        refuse(ranking, &refusal);
    else if (code != VEF_OK)
        return vef_fail(error, code, "%s", refusal.message);
    else {
        network.value = vef_arena_string(&ranking->arena, value);
        *VEF_NEW_ITEM(state->network, ranking->count, state->room) = network;
    }
    ranking->enumerated++;
    if (state->progress)
        state->progress(state->progress_context, ranking->enumerated, state->total);
    return VEF_OK;
}

/* ---- ranking ---- */

static int compare_by(const vef_candidate_network *a, const vef_candidate_network *b,
                      vef_rank_by by) {
    switch (by) {
    case VEF_BY_AVERAGE:
        return (a->average > b->average) - (a->average < b->average);
    case VEF_BY_DIAMETER:
        return (a->diameter > b->diameter) - (a->diameter < b->diameter);
    case VEF_BY_INNER_USE:
        return (a->inner_crossing > b->inner_crossing) - (a->inner_crossing < b->inner_crossing);
    case VEF_RANKS_BY:
        break;
    }
    return 0;
}

static int compare(const vef_candidate_network *a, const vef_candidate_network *b,
                   vef_rank_by first) {
    int order = compare_by(a, b, first);
    for (vef_rank_by by = 0; order == 0 && by < VEF_RANKS_BY; by++)
        order = compare_by(a, b, by);
    return order ? order : (a->link_kinds > b->link_kinds) - (a->link_kinds < b->link_kinds);
}

bool vef_ranking_equal(const vef_candidate_network *a, const vef_candidate_network *b) {
    return compare(a, b, VEF_BY_AVERAGE) == 0;
}

/* Stable merge sort, so that equals stay in the order of enumeration: from `from` into `to`, both
 * with room for the `count` networks. */
static void sort(vef_candidate_network *to, vef_candidate_network *from, size_t count,
                 vef_rank_by by) {
    if (count < 2)
        return;
    const size_t half = count / 2;
    sort(from, to, half, by);
    sort(from + half, to + half, count - half, by);
    for (size_t i = 0, j = half, k = 0; k < count; k++)
        if (i < half && (j == count || compare(&from[i], &from[j], by) <= 0))
            to[k] = from[i++];
        else
            to[k] = from[j++];
}

static vef_code rank(search *state, vef_error *error) {
    vef_ranking *ranking = state->ranking;
    if (ranking->count == 0)
        return vef_fail(error, VEF_INVALID, "none of the %zu networks can be built: the first: %s",
                        ranking->enumerated, ranking->refusal ? ranking->refusal : "none");
    const size_t bytes = ranking->count * sizeof *ranking->networks;
    ranking->networks = vef_arena_alloc(&ranking->arena, ranking->count, sizeof *ranking->networks);
    memcpy(ranking->networks, state->network, bytes);
    sort(ranking->networks, state->network, ranking->count, ranking->by);
    return VEF_OK;
}

static vef_code choose_figure(const vef_rank_by *by, const vef_search_space *space,
                              vef_ranking *ranking, vef_error *error) {
    ranking->space = space;
    ranking->by = by ? *by : space->usual;
    if (ranking->by == VEF_BY_INNER_USE && !space->inner_use)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%s networks have no inner links to rank by: expected average or diameter",
                        space->family);
    return VEF_OK;
}

vef_code vef_search(const char *text, const vef_rank_by *by,
                    void (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                    vef_ranking *ranking, vef_error *error) {
    *ranking = (vef_ranking){0};
    search state = {.ranking = ranking, .progress = progress, .progress_context = context};
    vef_code code = vef_search_request_read(text, &state.request, error);
    if (code != VEF_OK)
        return code;
    const vef_search_space *space = state.request.space;
    code = choose_figure(by, space, ranking, error);
    if (code == VEF_OK)
        code = space->enumerate(&state.request, count_one, &state, error);
    if (code == VEF_OK)
        code = space->enumerate(&state.request, measure_one, &state, error);
    if (code == VEF_OK)
        code = rank(&state, error);
    if (code == VEF_OK)
        ranking->fixed = vef_arena_string(&ranking->arena, state.request.fixed);
    vef_search_request_release(&state.request);
    free(state.network);
    if (code != VEF_OK)
        vef_ranking_release(ranking);
    return code;
}

void vef_ranking_release(vef_ranking *ranking) {
    vef_arena_release(&ranking->arena);
    *ranking = (vef_ranking){0};
}
