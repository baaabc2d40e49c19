/* Networks and workloads drawn for comparing the core with the reference. */
#ifndef VEF_TESTS_NETMODEL_DRAWN_CASES_H
#define VEF_TESTS_NETMODEL_DRAWN_CASES_H

#include "tests/netmodel/agreement.h"

enum {
    MOST_RULES = 8, /* of links */
    DRAWN_NETWORKS = 13,
};

/* Case k of a series: network k of a list (modulo DRAWN_NETWORKS), settings and a workload drawn.
 */
network_case draw_case(uint64_t series, uint32_t k);
/* Of the topology as it is now. */
void count_endpoints(network_case *sample);
/* Adds rules, of MOST_RULES + 1 entries, for classes of links: the fastest take a cycle for a phit.
 * They are good until the next call. */
void draw_rules(network_case *sample);

/* Adds headers, and for half of the cases a payload of its own (mtu). */
void draw_headers(network_case *sample);

/* The same on shape k of reference_shapes, from stream `stream`: everything but the routing.
 * Arbiters come in turn; every seventh network has virtual output queues. */
network_case draw_lattice_case(uint64_t stream, uint32_t k);

#endif
