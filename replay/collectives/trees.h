/* Trees over the ranks of a communicator, and pipelines along them: a buffer in segments, several
 * of which are under way at different heights of the tree. */
#ifndef VEF_REPLAY_COLLECTIVES_TREES_H
#define VEF_REPLAY_COLLECTIVES_TREES_H

#include "replay/collectives/patterns.h"

/* The neighbours of one rank in a tree. The children are in the plan's scratch, in the order in
 * which data are sent to them. */
typedef struct vef_tree {
    bool root;
    uint32_t parent; /* unless it is the root */
    uint32_t count;  /* of the children */
    const uint64_t *children;
} vef_tree;

/* Every place is a child of the root. */
vef_tree vef_tree_flat(vef_plan *plan, const vef_circle *circle);
/* `degree` chains of consecutive places, the first ones by one longer, or one for each other place
 * where there are fewer. */
vef_tree vef_tree_chains(vef_plan *plan, const vef_circle *circle, uint32_t degree);
/* Balanced, of `degree` >= 1 branches: on level l, whose places begin at (degree^l - 1) / (degree -
 * 1), the children of v are v + degree^l, v + 2 degree^l, … */
vef_tree vef_tree_balanced(vef_plan *plan, const vef_circle *circle, uint32_t degree);
/* k-nomial, k = `degree` or 2, whichever is more: the parent of v has its lowest digit other than 0
 * (to the base k) replaced by 0; the farthest child first. Of degree 2 MPICH's binomial tree. */
vef_tree vef_tree_k_nomial(vef_plan *plan, const vef_circle *circle, uint32_t degree);
/* Binomial, mirrored: the parent of v lacks its highest bit; the nearest child first. */
vef_tree vef_tree_mirrored(vef_plan *plan, const vef_circle *circle);
/* Binary, in the order of ranks: the root is rank p-1; below each rank its upper neighbours in the
 * order of ranks are the first child's, then the second child's. Keeps the order of operands. */
vef_tree vef_tree_in_order(vef_plan *plan, const vef_collective *call);

/* Every part of the buffer from the root to all. A rank sends a part to all its children at once,
 * while it receives the next. */
void vef_pipeline_down(vef_plan *plan, const vef_tree *tree, const vef_parts *parts);
/* Every part from all to the root, combined on the way in the order of the children. A rank sends a
 * part while it receives and combines the next. */
void vef_pipeline_up(vef_plan *plan, const vef_tree *tree, const vef_parts *parts);

#endif
