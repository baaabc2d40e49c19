/* Common functions of routings on HyperX networks that weigh their hops: dal, dimwar and omniwar.
 *
 * A hop in a dimension in which the packet has still to move is minimal, or a deroute to any of the
 * other routers along that dimension. At each router a packet keeps the hop of least weight
 * (vef_routing_algorithm.weigh):
 *
 *   weight = q x H, for a deroute q x H + threshold
 *
 * H: the hops to the destination by this hop, which are d, the number of dimensions left, for a
 * minimal hop and d + 1 for a deroute. q: the places taken in the queues at the other end of the
 * link, those of the packet's class of channels or (`queues: port`) of all channels, and those that
 * packets of this router will take which wait for the link (view.h). Among hops of equal weight a
 * minimal one is taken, then that whose own queue has the fewest places taken, then one is drawn.
 * So in an idle network packets go minimally.
 *
 * That is the rule of McDonald et al. (dimwar.c), whose simulator SuperSim has it as the decision
 * scheme monolithic_weighted; `threshold` is its independent bias. A router there has output
 * queues, which its measure of congestion includes. The router of MODEL.md has none: waiting
 * packets stand for them. Without these, packets that choose at the same time would all take the
 * same link. */
#ifndef VEF_NETMODEL_ROUTING_HYPERX_WEIGHTED_H
#define VEF_NETMODEL_ROUTING_HYPERX_WEIGHTED_H

#include "netmodel/routing/hyperx/order.h"
#include "netmodel/routing/view.h"

/* The parameters, or their beginning. */
typedef struct vef_weighted_parameters {
    int64_t channels, threshold;
    int queues;
} vef_weighted_parameters;

/* clang-format off */
#define VEF_WEIGHTED_KEYS                                                                          \
    {VEF_KEY(INT, vef_weighted_parameters, channels), .fallback = "1", .minimum = 1,               \
     .maximum = VEF_MAX_CHANNELS, .help = "virtual channels of each class of channels"},           \
    {VEF_KEY(INT, vef_weighted_parameters, threshold), .fallback = "0", .minimum = 0,              \
     .maximum = 1 << 20,                                                                           \
     .help = "how much the weight of a minimal hop may exceed that of a deroute and still be "     \
             "preferred, in places x hops"},                                                       \
    VEF_QUEUES_ROW(vef_weighted_parameters)
/* clang-format on */
extern const vef_param vef_weighted_schema[]; /* these keys alone */

/* Words of a route after the destination: the number of dimensions left, and those of each routing.
 */
enum { VEF_WEIGHTED_LEFT_WORD = VEF_HYPERX_OWN_WORD, VEF_WEIGHTED_OWN_WORD };

/* Sets what create has to, for so many classes of channels; `own_words`: of the routing; a packet
 * is offered hops in one dimension, or in several. Refuses (VEF_UNSUPPORTED) too many channels. */
vef_code vef_weighted_create(vef_routing *routing, uint32_t classes, uint32_t own_words,
                             bool several, vef_error *error);

void vef_weighted_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                        vef_route *route);

/* Offers the hops in a dimension, without deroutes or with them, on channels of a class; preference
 * values are 0 for minimal hops and 1 for deroutes. Returns the number of candidates, 0 if the
 * packet has not to move in that dimension. */
uint32_t vef_weighted_offer(const vef_routing *routing, const vef_route *route, uint32_t router,
                            uint32_t dimension, bool deroutes, uint32_t class,
                            vef_candidate *offered);

uint64_t vef_weighted_weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                            vef_candidate candidate, const struct vef_view *view);

/* The packet leaves `router` by `port`; returns whether that is a deroute. */
bool vef_weighted_advance(const vef_routing *routing, vef_route *route, uint32_t router,
                          uint32_t port);

/* Of a routing's row. */
#define VEF_WEIGHTED_HOOKS                                                                         \
    .supports = vef_hyperx_supports, .begin = vef_weighted_begin, .weigh = vef_weighted_weigh,     \
    .input = vef_routing_any_input

#endif
