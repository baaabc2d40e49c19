/* Ranks by node: see nodes.h. */
#include "replay/collectives/nodes.h"
#include "common/containers/order.h"
#include "common/memory.h"

#include <stdlib.h>

typedef struct named_rank {
    uint32_t name, rank;
} named_rank;

VEF_ORDER_BY(by_name, named_rank, name, rank)

/* of[r]: the node of rank r, by order of the lowest ranks. Returns the number of nodes. */
static uint32_t number_nodes(const named_rank *sorted, uint32_t size, uint32_t *node_of) {
    uint32_t count = 0;
    for (uint32_t i = 0, lowest = 0; i < size; i++) {
        if (i == 0 || sorted[i].name != sorted[i - 1].name)
            lowest = sorted[i].rank;
        node_of[sorted[i].rank] = lowest; /* for now */
    }
    for (uint32_t rank = 0; rank < size; rank++)
        node_of[rank] = node_of[rank] == rank ? count++ : node_of[node_of[rank]];
    return count;
}

static void group(vef_nodes *nodes, uint32_t size, const uint32_t *node_of, uint32_t *first,
                  uint32_t *ranks, uint32_t *place) {
    for (uint32_t rank = 0; rank < size; rank++)
        place[rank] = first[node_of[rank] + 1]++;
    for (uint32_t node = 0; node < nodes->count; node++)
        first[node + 1] += first[node];
    for (uint32_t rank = 0; rank < size; rank++)
        ranks[first[node_of[rank]] + place[rank]] = rank;
    nodes->node_of = node_of;
    nodes->first = first;
    nodes->ranks = ranks;
    nodes->place = place;
    nodes->consecutive = true;
    for (uint32_t rank = 0; rank < size; rank++)
        nodes->consecutive &= ranks[rank] == rank;
}

const vef_nodes *vef_nodes_make(const uint32_t *names, uint32_t size, vef_arena *arena) {
    named_rank *sorted = vef_malloc(size * sizeof *sorted);
    vef_nodes *nodes = vef_arena_alloc(arena, 1, sizeof *nodes);
    uint32_t *node_of = vef_arena_alloc(arena, size, sizeof *node_of);
    uint32_t *ranks = vef_arena_alloc(arena, size, sizeof *ranks);
    uint32_t *place = vef_arena_alloc(arena, size, sizeof *place);
    for (uint32_t rank = 0; rank < size; rank++)
        sorted[rank] = (named_rank){names[rank], rank};
    qsort(sorted, size, sizeof *sorted, by_name);
    nodes->count = number_nodes(sorted, size, node_of);
    free(sorted);
    uint32_t *first = vef_arena_alloc(arena, (size_t)nodes->count + 1, sizeof *first);
    for (uint32_t node = 0; node <= nodes->count; node++)
        first[node] = 0;
    group(nodes, size, node_of, first, ranks, place);
    return nodes;
}
