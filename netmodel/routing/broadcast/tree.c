/* Trees of groups of endpoints. See tree.h. */
#include "netmodel/routing/broadcast/tree.h"

#include "common/containers/order.h"
#include "common/memory.h"

#include <stdlib.h>

VEF_ORDER_NUMBERS(ascending, uint32_t)

static uint32_t sort_out_twins(uint32_t *numbers, uint32_t count) {
    qsort(numbers, count, sizeof *numbers, ascending);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    return kept;
}

/* The node of a router among the nodes of a level. */
static uint32_t find_node(const vef_group_tree *tree, uint32_t first, uint32_t end,
                          uint32_t router) {
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (tree->nodes[middle].router == router)
            return middle;
        if (tree->nodes[middle].router < router)
            first = middle + 1;
        else
            end = middle;
    }
    return VEF_TREE_NONE;
}

uint32_t vef_tree_leaf(const vef_group_tree *tree, uint32_t router) {
    return find_node(tree, 0, tree->leaf_count, router);
}

uint32_t vef_tree_member(const vef_group_tree *tree, uint32_t endpoint) {
    const uint32_t *found =
        bsearch(&endpoint, tree->members, tree->member_count, sizeof *tree->members, ascending);
    return found ? (uint32_t)(found - tree->members) : VEF_TREE_NONE;
}

/* Adds the nodes of a level, of the routers that `numbers` lists. Returns how many. */
static uint32_t add_level(vef_group_tree *tree, uint32_t *numbers, uint32_t count) {
    count = sort_out_twins(numbers, count);
    for (uint32_t i = 0; i < count; i++) {
        vef_arena_grow(&tree->arena, &tree->nodes, tree->node_count, sizeof *tree->nodes);
        tree->nodes[tree->node_count++] =
            (vef_tree_node){.router = numbers[i], .parent = VEF_TREE_NONE};
    }
    return count;
}

/* Links the nodes from `first` to `end` with those of the level above, which it adds. */
static void climb_level(vef_group_tree *tree, const vef_climb *climb, const vef_topology *topology,
                        uint32_t number, uint32_t first, uint32_t end, uint32_t *numbers) {
    for (uint32_t i = first; i < end; i++) {
        vef_tree_node *node = &tree->nodes[i];
        node->up_port = climb->up(topology, node->router, number);
        numbers[i - first] = vef_topology_next(topology, node->router, node->up_port);
    }
    add_level(tree, numbers, end - first);
    for (uint32_t i = first; i < end; i++) {
        vef_tree_node *node = &tree->nodes[i];
        const size_t link = (size_t)node->router * topology->ports + node->up_port;
        node->parent = find_node(tree, end, tree->node_count, topology->neighbour[link]);
        node->down_port = topology->reverse_port[link];
        tree->nodes[node->parent].child_count++;
    }
}

/* The children of each node, and the members at each leaf. */
static void list_below(vef_group_tree *tree, const vef_topology *topology) {
    uint32_t children = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        tree->nodes[i].first_child = children;
        children += tree->nodes[i].child_count;
        tree->nodes[i].child_count = 0;
    }
    for (uint32_t i = 0; i + 1 < tree->node_count; i++) {
        vef_tree_node *parent = &tree->nodes[tree->nodes[i].parent];
        tree->children[parent->first_child + parent->child_count++] = i;
    }
    uint32_t *leaf_of = vef_malloc(tree->member_count * sizeof *leaf_of);
    for (uint32_t i = 0; i < tree->member_count; i++) {
        leaf_of[i] = vef_tree_leaf(tree, vef_topology_router_of(topology, tree->members[i]));
        tree->nodes[leaf_of[i]].member_count++;
    }
    for (uint32_t i = 0, members = 0; i < tree->leaf_count; i++) {
        tree->nodes[i].first_member = members;
        members += tree->nodes[i].member_count;
        tree->nodes[i].member_count = 0;
    }
    for (uint32_t i = 0; i < tree->member_count; i++) {
        vef_tree_node *leaf = &tree->nodes[leaf_of[i]];
        tree->at_nodes[leaf->first_member + leaf->member_count++] = tree->members[i];
    }
    free(leaf_of);
}

vef_group_tree *vef_tree_make(const vef_climb *climb, const vef_topology *topology,
                              const uint32_t *endpoints, uint32_t count, uint32_t number) {
    vef_group_tree *tree = vef_calloc(1, sizeof *tree);
    const uint32_t given = count > 0 ? count : topology->endpoints;
    tree->members = vef_arena_alloc(&tree->arena, given, sizeof *tree->members);
    for (uint32_t i = 0; i < given; i++)
        tree->members[i] = count > 0 ? endpoints[i] : i;
    tree->member_count = sort_out_twins(tree->members, given);
    uint32_t *numbers = vef_malloc(tree->member_count * sizeof *numbers);
    for (uint32_t i = 0; i < tree->member_count; i++)
        numbers[i] = vef_topology_router_of(topology, tree->members[i]);
    tree->leaf_count = add_level(tree, numbers, tree->member_count);
    for (uint32_t first = 0, end = tree->leaf_count; end - first > 1;
         first = end, end = tree->node_count)
        climb_level(tree, climb, topology, number, first, end, numbers);
    free(numbers);
    tree->children = vef_arena_alloc(&tree->arena, tree->node_count, sizeof *tree->children);
    tree->at_nodes = vef_arena_alloc(&tree->arena, tree->member_count, sizeof *tree->at_nodes);
    list_below(tree, topology);
    return tree;
}

void vef_tree_destroy(vef_group_tree *tree) {
    if (!tree)
        return;
    vef_arena_release(&tree->arena);
    free(tree);
}
