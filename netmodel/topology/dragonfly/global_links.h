/* Global links: how the groups of a dragonfly or a megafly are joined.
 *
 * A group has a x h global ports, h on each of its a routers: index i = r h + k is global port k of
 * router r. There are at most a h + 1 groups, so that each pair of them has a link. With fewer, a
 * pair has several parallel links: all numbers of links between two groups are floor or ceiling of
 * a h / (groups - 1). Four arrangements say which group the link of an index leads to, and where it
 * ends there (global_links.c). */
#ifndef VEF_NETMODEL_TOPOLOGY_DRAGONFLY_GLOBAL_LINKS_H
#define VEF_NETMODEL_TOPOLOGY_DRAGONFLY_GLOBAL_LINKS_H

#include "netmodel/topology/topology.h"

/* The choices of a family's key `arrangement`. */
typedef enum vef_arrangement {
    VEF_ARRANGEMENT_PALMTREE,
    VEF_ARRANGEMENT_ABSOLUTE,
    VEF_ARRANGEMENT_RELATIVE,
    VEF_ARRANGEMENT_CIRCULANT,
} vef_arrangement;
extern const char *const vef_arrangements[]; /* terminated by NULL */

/* Schema rows of a family: fields h, groups (0: not given) and arrangement of its parameters.
 * `owner` has global ports, `a` is the number of owners in a group. */
#define VEF_GLOBAL_LINKS_ROWS(type, owner, a)                                                      \
    {VEF_KEY(COUNT, type, h), .aliases = "global_ports global_links", .minimum = 1,                \
     .maximum = VEF_MAX_PORTS, .help = "global links of a " owner},                                \
        {VEF_KEY(COUNT, type, groups),                                                             \
         .aliases = "g number_of_groups",                                                          \
         .fallback = "auto",                                                                       \
         .word = "auto",                                                                           \
         .minimum = 2,                                                                             \
         .maximum = VEF_MAX_ROUTERS,                                                               \
         .help = "groups, at most " a                                                              \
                 " x h + 1, which is the default; with fewer, pairs of "                           \
                 "groups have parallel links"},                                                    \
    {                                                                                              \
        VEF_KEY(CHOICE, type, arrangement),                                                        \
            .aliases = "global_arrangement inter_group", .fallback = "palmtree",                   \
            .choices = vef_arrangements,                                                           \
            .help = "which groups the global ports lead to (docs/topology.md)"                     \
    }

typedef struct vef_global_links {
    uint32_t groups, routers, h; /* routers: of a group, with h global ports each */
    vef_arrangement arrangement;
} vef_global_links;

/* One end of a global link: in its group, and as a router of the network with its port. */
typedef struct vef_global_end {
    uint32_t group, index;
} vef_global_end;
typedef struct vef_global_port {
    uint32_t router, port;
} vef_global_port;

/* Completes links->groups (0: as many as possible), and refuses numbers of groups that the
 * arrangement cannot join. A group has `group_routers` routers in all; `a` is the family's name for
 * the number of those with global ports. */
vef_code vef_global_links_settle(vef_global_links *links, uint32_t group_routers, const char *a,
                                 vef_error *error);

/* The other end of a link. */
vef_global_end vef_global_links_other(const vef_global_links *links, vef_global_end end);

/* The links between two different groups: their number, and index `which` of them in group `from`,
 * in ascending order. */
uint32_t vef_global_links_between(const vef_global_links *links, uint32_t from, uint32_t to);
uint32_t vef_global_links_index(const vef_global_links *links, uint32_t from, uint32_t to,
                                uint32_t which);

/* Symmetries. Rotation: g -> g + 1 for all groups maps the link of an index onto that of the same
 * index. Mirror: group -> vef_global_links_mirrored maps the link of index i onto that of
 * vef_global_links_mirrored_index(i), and all indices of a router onto those of one router. */
bool vef_global_links_rotate(const vef_global_links *links);
bool vef_global_links_mirror(const vef_global_links *links);
uint32_t vef_global_links_mirrored_group(const vef_global_links *links, uint32_t group);
uint32_t vef_global_links_mirrored_index(const vef_global_links *links, uint32_t index);

#endif
