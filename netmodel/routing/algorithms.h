/* The algorithms of the routing table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_ROUTING_ALGORITHMS_H
#define VEF_NETMODEL_ROUTING_ALGORITHMS_H

#include "netmodel/routing/routing.h"

extern const vef_routing_algorithm vef_routing_adaptive;         /* adaptive.c */
extern const vef_routing_algorithm vef_routing_dor;              /* dimension_order.c */
extern const vef_routing_algorithm vef_routing_valiant;          /* valiant.c */
extern const vef_routing_algorithm vef_routing_ugal;             /* ugal.c */
extern const vef_routing_algorithm vef_routing_hop_by_hop_2s;    /* hop_by_hop.c */
extern const vef_routing_algorithm vef_routing_hop_by_hop;       /* hop_by_hop.c */
extern const vef_routing_algorithm vef_routing_knaive;           /* knaive.c */
extern const vef_routing_algorithm vef_routing_eknaive;          /* knaive.c */
extern const vef_routing_algorithm vef_routing_destro;           /* destro.c */
extern const vef_routing_algorithm vef_routing_tree_adaptive;    /* tree_adaptive.c */
extern const vef_routing_algorithm vef_routing_dort;             /* dort.c */
extern const vef_routing_algorithm vef_routing_dort_adaptive;    /* dort_adaptive.c */
extern const vef_routing_algorithm vef_routing_ts_dor;           /* ts_dor.c */
extern const vef_routing_algorithm vef_routing_ibt;              /* ibt.c */
extern const vef_routing_algorithm vef_routing_minimal_adaptive; /* minimal_adaptive.c */
extern const vef_routing_algorithm vef_routing_minimal;          /* minimal.c */
extern const vef_routing_algorithm vef_routing_up_down;          /* up_down.c */

#endif
