/* The routing algorithms. To add one: a file that fills in a vef_routing_algorithm, its declaration
 * in algorithms.h, and a row here; help, error messages and the generic tests follow. The default
 * is the first row that supports the topology and the flow control. */
#include "netmodel/routing/algorithms.h"

/* clang-format off */
const vef_routing_algorithm *const vef_routings[] = {
    &vef_routing_adaptive,
    &vef_routing_dor,
    &vef_routing_hop_by_hop_2s,
    &vef_routing_hop_by_hop,
    &vef_routing_knaive,
    &vef_routing_eknaive,
    &vef_routing_valiant,
    &vef_routing_ugal,
    &vef_routing_tree_adaptive,
    &vef_routing_destro,
    &vef_routing_dort,
    &vef_routing_dort_adaptive,
    &vef_routing_ts_dor,
    &vef_routing_ibt,
    &vef_routing_minimal_adaptive,
    &vef_routing_minimal,
    &vef_routing_up_down,
    NULL,
};
/* clang-format on */
