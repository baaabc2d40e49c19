/* Trees and pipelines: see trees.h.
 *
 * k-nomial trees and pipelined chains: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn,
 * "Collective communication: theory, practice, and experience", Concurrency and Computation 19(13),
 * 2007. The other shapes and the schedule of segments are those of Open MPI (coll_base_topo.c; J.
 * Pješivac-Grbović et al., "Performance analysis of MPI collective operations", Cluster Computing
 * 10(2), 2007): with s segments and depth d a pipeline takes d + s - 1 rounds. */
#include "replay/collectives/trees.h"

/* Collects children, given as places. */
typedef struct growing {
    const vef_circle *circle;
    vef_tree tree;
    uint64_t *children;
} growing;

static growing begin(vef_plan *plan, const vef_circle *circle, size_t most) {
    growing now = {.circle = circle, .children = vef_plan_scratch(plan, most)};
    now.tree.root = circle->place == 0;
    now.tree.children = now.children;
    return now;
}

static void add_child(growing *now, uint64_t place) {
    if (place < now->circle->size)
        now->children[now->tree.count++] = vef_circle_rank(now->circle, (uint32_t)place);
}

static void set_parent(growing *now, uint32_t place) {
    now->tree.parent = vef_circle_rank(now->circle, place);
}

vef_tree vef_tree_flat(vef_plan *plan, const vef_circle *circle) {
    growing now = begin(plan, circle, circle->size);
    set_parent(&now, 0);
    for (uint32_t place = 1; circle->place == 0 && place < circle->size; place++)
        add_child(&now, place);
    return now.tree;
}

vef_tree vef_tree_chains(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    const uint32_t others = circle->size - 1;
    const uint32_t chains = degree < others ? degree : others, place = circle->place;
    growing now = begin(plan, circle, (size_t)chains + 1);
    if (chains == 0)
        return now.tree;
    const uint32_t least = others / chains, longer = others % chains;
    /* Chain c takes the places first(c) … first(c + 1) - 1. */
    for (uint32_t c = 0, first = 1; c < chains; c++) {
        const uint32_t next = first + least + (c < longer ? 1 : 0);
        if (place == 0)
            add_child(&now, first);
        if (place >= first && place < next) {
            set_parent(&now, place == first ? 0 : place - 1);
            if (place + 1 < next)
                add_child(&now, place + 1);
        }
        first = next;
    }
    return now.tree;
}

vef_tree vef_tree_balanced(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    growing now = begin(plan, circle, degree);
    uint64_t first = 0, width = 1; /* of the level of this place, and of the one above */
    uint64_t above = 1;
    while (circle->place >= first + width) {
        first += width;
        above = width;
        width *= degree;
    }
    if (circle->place > 0)
        set_parent(&now, (uint32_t)(first - above + (circle->place - first) % above));
    for (uint32_t i = 1; i <= degree; i++)
        add_child(&now, circle->place + i * width);
    return now.tree;
}

vef_tree vef_tree_k_nomial(vef_plan *plan, const vef_circle *circle, uint32_t degree) {
    enum { MOST_DIGITS = 32 };
    const uint64_t k = degree > 2 ? degree : 2;
    growing now = begin(plan, circle, k * MOST_DIGITS);
    uint64_t span = 1; /* the weight of the lowest digit of this place other than 0 */
    while (span < circle->size && circle->place % (span * k) == 0)
        span *= k;
    if (circle->place > 0)
        set_parent(&now, (uint32_t)(circle->place - circle->place % (span * k)));
    for (uint64_t weight = span / k; weight > 0; weight /= k)
        for (uint64_t digit = 1; digit < k; digit++)
            add_child(&now, circle->place + digit * weight);
    return now.tree;
}

vef_tree vef_tree_mirrored(vef_plan *plan, const vef_circle *circle) {
    enum { MOST_BITS = 32 };
    growing now = begin(plan, circle, MOST_BITS);
    uint64_t bit = 1;
    while (bit <= circle->place)
        bit *= 2;
    if (circle->place > 0)
        set_parent(&now, circle->place - (uint32_t)(bit / 2));
    for (; bit < circle->size; bit *= 2)
        add_child(&now, circle->place + bit);
    return now.tree;
}

vef_tree vef_tree_in_order(vef_plan *plan, const vef_collective *call) {
    const vef_circle ranks = {call->size, call->rank, 0};
    growing now = begin(plan, &ranks, 2);
    uint32_t first = 0, size = call->size; /* the subtree that has this rank */
    now.tree.root = call->rank == size - 1;
    while (call->rank != first + size - 1) {
        const uint32_t top = first + size - 1, lower = size / 2;
        now.tree.parent = top;
        if (call->rank < first + lower) {
            size = lower;
        } else {
            first += lower;
            size -= lower + 1;
        }
    }
    if (size > 1) {
        const uint32_t lower = size / 2;
        if (size - lower > 1)
            add_child(&now, first + size - 2);
        add_child(&now, first + lower - 1);
    }
    return now.tree;
}

void vef_pipeline_down(vef_plan *plan, const vef_tree *tree, const vef_parts *parts) {
    if (!tree->root)
        vef_add_parts(plan, VEF_STEP_RECEIVE, tree->parent, parts, 0, 1, vef_now(plan));
    for (uint32_t part = 0; part < parts->count; part++) {
        const uint32_t now = vef_now(plan);
        if (!tree->root && part + 1 < parts->count)
            vef_add_parts(plan, VEF_STEP_RECEIVE, tree->parent, parts, part + 1, 1, now);
        for (uint32_t i = 0; i < tree->count; i++)
            vef_add_parts(plan, VEF_STEP_SEND, (uint32_t)tree->children[i], parts, part, 1, now);
    }
}

void vef_pipeline_up(vef_plan *plan, const vef_tree *tree, const vef_parts *parts) {
    for (uint32_t part = 0; part < parts->count; part++) {
        const uint32_t now = vef_now(plan);
        for (uint32_t i = 0; i < tree->count; i++)
            vef_add_parts(plan, VEF_STEP_RECEIVE, (uint32_t)tree->children[i], parts, part, 1, now);
        if (!tree->root && part > 0 && tree->count > 0)
            vef_add_parts(plan, VEF_STEP_SEND, tree->parent, parts, part - 1, 1, now);
        for (uint32_t i = 0; i < tree->count; i++)
            vef_add_parts(plan, VEF_STEP_REDUCE, (uint32_t)tree->children[i], parts, part, 1,
                          now + i + 1);
        if (!tree->root && (tree->count == 0 || part + 1 == parts->count))
            vef_add_parts(plan, VEF_STEP_SEND, tree->parent, parts, part, 1, vef_now(plan));
    }
}
