/* The algorithms of the routing table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_ROUTING_ALGORITHMS_H
#define VEF_NETMODEL_ROUTING_ALGORITHMS_H

#include "netmodel/routing/routing.h"

extern const vef_routing_algorithm vef_routing_adaptive;         /* lattice/adaptive.c */
extern const vef_routing_algorithm vef_routing_dor;              /* lattice/dimension_order.c */
extern const vef_routing_algorithm vef_routing_valiant;          /* lattice/valiant.c */
extern const vef_routing_algorithm vef_routing_ugal;             /* lattice/ugal.c */
extern const vef_routing_algorithm vef_routing_hop_by_hop_2s;    /* lattice/hop_by_hop.c */
extern const vef_routing_algorithm vef_routing_hop_by_hop;       /* lattice/hop_by_hop.c */
extern const vef_routing_algorithm vef_routing_knaive;           /* lattice/knaive.c */
extern const vef_routing_algorithm vef_routing_eknaive;          /* lattice/knaive.c */
extern const vef_routing_algorithm vef_routing_destro;           /* tree/destro.c */
extern const vef_routing_algorithm vef_routing_tree_adaptive;    /* tree/adaptive.c */
extern const vef_routing_algorithm vef_routing_dort;             /* twin/dort.c */
extern const vef_routing_algorithm vef_routing_dort_adaptive;    /* twin/dort_adaptive.c */
extern const vef_routing_algorithm vef_routing_ts_dor;           /* twin/ts_dor.c */
extern const vef_routing_algorithm vef_routing_ibt;              /* graph/ibt.c */
extern const vef_routing_algorithm vef_routing_minimal_adaptive; /* graph/minimal_adaptive.c */
extern const vef_routing_algorithm vef_routing_minimal;          /* graph/minimal.c */
extern const vef_routing_algorithm vef_routing_up_down;          /* graph/up_down.c */

#endif
