/* Common functions of routings on generalized fat trees (xgft.h): up to a nearest common ancestor
 * of source and destination, then down the only way there is.
 *
 * The routings differ in the links by which packets go up, and, where links are parallel, down.
 * Bound: minimal. Freedom from deadlock: links up, level by level, then links down, level by level,
 * are without cycles; one virtual channel per link suffices.
 *
 * With failures a packet goes up to the nearest switch from which a way down to the destination is
 * left, which may be above the nearest common ancestor. Where some switch offers n of its links,
 * the number that chooses is taken modulo n, as OpenSM's fat-tree routing spreads destinations over
 * the links that are left; so of s parents of which k are down each of the others carries 1 / (s -
 * k). Links still go up, then down. A pair whose ways would all go up again is refused. */
#ifndef VEF_NETMODEL_ROUTING_TREE_NCA_H
#define VEF_NETMODEL_ROUTING_TREE_NCA_H

#include "netmodel/routing/routing.h"
#include "netmodel/topology/tree/xgft.h"

typedef struct vef_nca_parameters {
    int64_t channels;
} vef_nca_parameters;

extern const vef_param vef_nca_schema[];

/* Of the key `channels` in a schema. */
#define VEF_NCA_CHANNELS                                                                           \
    .fallback = "1", .minimum = 1, .maximum = VEF_MAX_CHANNELS, .help = "virtual channels per link"

/* NULL for a topology that is not a generalized fat tree. A k-ary n-tree of plain switches is one.
 * With failures, that of the whole network. */
const vef_xgft *vef_xgft_of(const vef_topology *topology);

vef_code vef_nca_supports(const vef_topology *topology, vef_flow_control flow_control,
                          const void *parameters, vef_error *error);

/* Words of a route: the destination's terminal, and the number that chooses links (of nca-adaptive:
 * the signature). */
enum { VEF_NCA_TERMINAL_WORD, VEF_NCA_KEY_WORD = 2, VEF_NCA_WORDS = 4 };

/* As vef_routing_algorithm.create, for routings that offer a packet at most `ports` ports. */
vef_code vef_nca_create(vef_routing *routing, uint32_t ports, vef_error *error);

/* The maximum number of links between a switch and one child, or of its links up. */
uint32_t vef_nca_most_ports(const vef_xgft *tree);

/* The route of a packet whose links are chosen by `key`. */
void vef_nca_set(const vef_routing *routing, const vef_travel *travel, uint32_t key,
                 vef_route *route);

/* The candidates of a packet that leaves a switch of level l upwards by the link of number
 * link_of(l, key, links) of its `links`, and from level l + 1 downwards by the parallel link of
 * that number. */
typedef uint32_t (*vef_nca_link_of)(const vef_xgft *tree, uint32_t level, uint32_t key,
                                    uint32_t links);
uint32_t vef_nca_keyed_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_nca_link_of link_of, vef_candidate *offered);

/* The same by floor(key / (w_1 … w_l)) modulo the links, the rule of D-mod-K and S-mod-K. */
uint32_t vef_nca_modulo_candidates(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_candidate *offered);

/* With failures (routing->state is not NULL): the candidates by `link_of`, or of all links that
 * lead on (NULL); and a number that draws one link at each level that a packet leaves upwards, with
 * the digits of nca-random. */
uint32_t vef_nca_candidates_around(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_nca_link_of link_of,
                                   vef_candidate *offered);
uint32_t vef_nca_draw_around(const vef_routing *routing, const vef_travel *travel,
                             vef_draws *draws);

/* The position of a packet relative to its terminal. */
typedef struct vef_nca_place {
    const vef_xgft *tree;
    uint32_t level, position, terminal, key;
    bool below; /* the terminal is below this switch */
} vef_nca_place;
vef_nca_place vef_nca_at(const vef_routing *routing, const vef_route *route, vef_place place);

/* Offers all channels of a port. Returns the number of candidates. */
uint32_t vef_nca_offer(const vef_routing *routing, uint32_t port, vef_candidate *offered);

/* Of a routing's row, with its schema, the type of its parameters, which begin with
 * vef_nca_parameters, and how hops change its routes. */
#define VEF_NCA_HOOKS(schema_, type, advance_)                                                     \
    .around_failures = true, .climbs = true, .schema = schema_, .parameter_bytes = sizeof(type),   \
    .input = vef_routing_any_input, .advance = advance_

#endif
