/* Networks that a test draws link by link, without a family of the table. */
#ifndef VEF_TESTS_NETMODEL_DRAWN_H
#define VEF_TESTS_NETMODEL_DRAWN_H

#include "netmodel/analysis/graph/graph.h"

typedef struct drawn {
    vef_topology topology;
    uint32_t *endpoint_router;
} drawn;

/* Routers and ports without links; endpoints[r] endpoints hang on r. */
drawn draw(uint32_t routers, uint32_t ports, const uint32_t *endpoints);
/* Joins two routers by the first free port of each. */
void draw_link(drawn *made, uint32_t router, uint32_t other);
void wipe(drawn *made);

/* The graph of a topology; the test fails when that fails. */
vef_graph *graph_of(const vef_topology *topology);

#endif
