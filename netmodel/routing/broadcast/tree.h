/* Trees of groups of endpoints: by which links the packets of a group go up and down.
 *
 * On networks of which a rule of climbing (climbs.c) is known, routers climb from the routers of
 * the members, all by the same choice of links, until they have met at one router, the root: the
 * nearest router from which all members are below. The routers and links on the way are the tree.
 * Groups differ in the number that chooses the links up, and so do the roots of trees, if a network
 * has several at a level.
 *
 * Packets of a group are of three kinds. A copied packet of a member goes up to the root, and on
 * the way and there down to all others: each by its shortest path in the tree. A contribution goes
 * up; at the root it becomes a result, which goes down to all members, or to one. So links up are
 * taken before links down, level by level, as by the routing's own packets: no cycle.
 *
 * Example: 4-ary 2-tree, members at endpoints 0, 1 and 5. The tree has leaves 0 and 1 and, with
 * number 2, root 2 of the four. Contributions of 0 and 1 meet in leaf 0, that of 5 joins in root 2.
 * With members 0 and 1 leaf 0 is the root, and no link is taken. */
#ifndef VEF_NETMODEL_ROUTING_BROADCAST_TREE_H
#define VEF_NETMODEL_ROUTING_BROADCAST_TREE_H

#include "netmodel/routing/routing.h"

enum { VEF_TREE_NONE = UINT32_MAX };

/* How routers climb: a row of vef_climbs (climbs.c). */
typedef struct vef_climb {
    const char *name;
    const char *summary; /* one line: the networks */
    bool (*fits)(const vef_topology *topology);
    bool links; /* there are links between routers */
    /* The port that a router takes up, with all others of its level, by choice `number`, any
     * number; and whether a port leads up. */
    uint16_t (*up)(const vef_topology *topology, uint32_t router, uint32_t number);
    bool (*is_up)(const vef_topology *topology, uint32_t port);
} vef_climb;

extern const vef_climb vef_climb_star, vef_climb_fat_tree; /* climbs.c */
extern const vef_climb *const vef_climbs[];                /* terminated by NULL */

/* A router of a tree. */
typedef struct vef_tree_node {
    uint32_t router;
    uint32_t parent;                     /* a node; VEF_TREE_NONE: this is the root */
    uint16_t up_port, down_port;         /* to the parent, and from there to here */
    uint32_t first_child, child_count;   /* of vef_group_tree.children */
    uint32_t first_member, member_count; /* of vef_group_tree.at_nodes: endpoints at the router */
} vef_tree_node;

typedef struct vef_group_tree {
    vef_tree_node *nodes; /* level by level, in a level by router; the root is the last */
    uint32_t node_count, leaf_count;
    uint32_t *children; /* nodes */
    uint32_t *members;  /* endpoints, ascending */
    uint32_t *at_nodes; /* the same, by leaf */
    uint32_t member_count;
    vef_arena arena;
} vef_group_tree;

/* The tree of `count` endpoints (0: of all), which climb by choice `number`. */
vef_group_tree *vef_tree_make(const vef_climb *climb, const vef_topology *topology,
                              const uint32_t *endpoints, uint32_t count, uint32_t number);
void vef_tree_destroy(vef_group_tree *tree); /* NULL is fine */

/* The index of an endpoint among the members, and the node of a router with members;
 * VEF_TREE_NONE: it is none. */
uint32_t vef_tree_member(const vef_group_tree *tree, uint32_t endpoint);
uint32_t vef_tree_leaf(const vef_group_tree *tree, uint32_t router);

/* How many contributions a node combines: of its children and its members. */
static inline uint32_t vef_tree_contributions(const vef_tree_node *node) {
    return node->child_count + node->member_count;
}

#endif
