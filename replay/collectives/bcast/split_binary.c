/* Bcast: split binary tree (J. Pješivac-Grbović et al., "Performance analysis of MPI collective
 * operations", Cluster Computing 10(2), 2007; p ranks, n bytes, s segments of a half).
 *
 * Below the root of the balanced binary tree (trees.h) one half of the buffer goes down the left
 * subtree, the other the right one; then ranks of both exchange what they lack: about log2 p + s
 * rounds and 1.5 n bytes a rank. The left subtree has the odd places, the right one the even ones:
 * a place and the next are partners. With an even p the last place has none and gets the other half
 * from the root. */
#include "replay/collectives/algorithms.h"
#include "replay/collectives/trees.h"

/* One half of the buffer: parts [first, end). */
typedef struct half {
    uint32_t first, end;
} half;

/* The children of the root lead to one half each; other ranks pass on theirs. */
static void send_halves(vef_plan *plan, const vef_tree *tree, const vef_parts *parts,
                        const half halves[2]) {
    const uint32_t middle = halves[0].end;
    for (uint32_t part = 0; part < middle || middle + part < halves[1].end; part++) {
        const uint32_t now = vef_now(plan);
        if (part < middle)
            vef_add_parts(plan, VEF_STEP_SEND, (uint32_t)tree->children[0], parts, part, 1, now);
        if (middle + part < halves[1].end && tree->count > 1)
            vef_add_parts(plan, VEF_STEP_SEND, (uint32_t)tree->children[1], parts, middle + part, 1,
                          now);
    }
}

static void pass_on(vef_plan *plan, const vef_tree *tree, const vef_parts *parts, half kept) {
    vef_add_parts(plan, VEF_STEP_RECEIVE, tree->parent, parts, kept.first, 1, vef_now(plan));
    for (uint32_t part = kept.first; part < kept.end; part++) {
        const uint32_t now = vef_now(plan);
        if (part + 1 < kept.end)
            vef_add_parts(plan, VEF_STEP_RECEIVE, tree->parent, parts, part + 1, 1, now);
        for (uint32_t i = 0; i < tree->count; i++)
            vef_add_parts(plan, VEF_STEP_SEND, (uint32_t)tree->children[i], parts, part, 1, now);
    }
}

/* The whole second phase: partners exchange their halves, as one message. */
static void exchange_halves(vef_plan *plan, const vef_circle *circle, const vef_parts *parts,
                            const half halves[2]) {
    const uint32_t place = circle->place, last = circle->size - 1;
    const bool alone = circle->size % 2 == 0;
    const half *kept = &halves[place % 2 ? 0 : 1], *other = &halves[place % 2 ? 1 : 0];
    if (place == 0) {
        if (alone)
            vef_add_parts(plan, VEF_STEP_SEND, vef_circle_rank(circle, last), parts,
                          halves[1].first, halves[1].end - halves[1].first, vef_now(plan));
        return;
    }
    if (alone && place == last) {
        vef_add_parts(plan, VEF_STEP_RECEIVE, vef_circle_rank(circle, 0), parts, other->first,
                      other->end - other->first, vef_now(plan));
        return;
    }
    const uint32_t partner = vef_circle_rank(circle, place % 2 ? place + 1 : place - 1);
    vef_exchange(plan, parts, partner, kept->first, kept->end - kept->first, partner, other->first,
                 other->end - other->first);
}

void vef_bcast_split_binary(const vef_collective *call, vef_plan *plan) {
    const vef_circle circle = vef_circle_from(call, (uint32_t)call->root);
    const uint64_t segment = plan->tuning.segment_bytes, upper = call->bytes - call->bytes / 2;
    const vef_parts parts = vef_parts_segments(call, segment < upper ? segment : upper);
    const uint32_t middle = parts.count - parts.count / 2;
    const half halves[2] = {{0, middle}, {middle, parts.count}};
    if (parts.count < 2 || call->size < 3) { /* nothing to split, or nobody to share with */
        const vef_tree chain = vef_tree_chains(plan, &circle, 1);
        vef_pipeline_down(plan, &chain, &parts);
        return;
    }
    const vef_tree tree = vef_tree_balanced(plan, &circle, 2);
    if (tree.root)
        send_halves(plan, &tree, &parts, halves);
    else
        pass_on(plan, &tree, &parts, halves[circle.place % 2 ? 0 : 1]);
    exchange_halves(plan, &circle, &parts, halves);
}
