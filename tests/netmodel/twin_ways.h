/* What the tests of routings on twin tori share: networks, ways by the papers' words, written again
 * here, and bursts in the network. */
#ifndef VEF_TESTS_NETMODEL_TWIN_WAYS_H
#define VEF_TESTS_NETMODEL_TWIN_WAYS_H

#include "netmodel/topology/twin/twin_torus.h"
#include "tests/netmodel/networks.h"

/* Of sizes that are even, odd and mixed, in the best configuration and others; ended by NULL. */
extern const char *const twin_networks[];
extern const vef_flow_control twin_flow_controls[2]; /* virtual channels, bubble */

typedef struct twin_node {
    uint32_t position[8];
} twin_node;
twin_node twin_node_of(const vef_twin_torus *twin, uint32_t router);

/* The port of dimension d that leads the shorter way, that of + when both are as long (*tie). */
uint32_t twin_direction(const vef_twin_torus *twin, uint32_t d, uint32_t from, uint32_t to,
                        bool *tie);
bool twin_has_port(const vef_twin_torus *twin, uint32_t router, uint32_t port);

/* 3DT deadlock paper, algorithm 1: the port to leave the card by, perhaps the inner one; UINT32_MAX
 * at the target. */
uint32_t twin_dort_port(const vef_twin_torus *twin, uint32_t router, uint32_t target);
uint32_t twin_torus_distance(const vef_twin_torus *twin, uint32_t from, uint32_t to);

vef_place twin_follow(const vef_topology *topology, vef_place place, vef_candidate taken);
vef_route twin_route(const vef_routing *routing, uint32_t from, uint32_t to);
/* The only candidate of a deterministic routing; false at the end. */
bool twin_only_offer(const vef_routing *routing, const vef_route *route, vef_place place,
                     vef_candidate *offered);

/* Fails when packets of the routing could wait in a circle, by a search of our own (escapes.h); the
 * proof of the program must agree. Returns the rings that bubble keeps moving. */
uint32_t twin_assert_free(const vef_routing *routing, const char *what);

/* ---- in the network ---- */

typedef struct twin_settings {
    bool bubble, transit_first;
    uint32_t seed;
} twin_settings;

/* Two endpoints to a card, queues as short as the flow control takes. */
vef_netmodel *twin_network(const char *topology, const char *routing, twin_settings given);
void twin_send(vef_netmodel *model, uint32_t source, uint32_t destination, uint8_t class);
uint64_t twin_run_out(vef_netmodel *model); /* how many were delivered */

/* Every endpoint sends to drawn others, in each of `classes` traffic classes: all arrive. */
void twin_check_burst(const char *topology, const char *routing, bool bubble, uint8_t classes);

#endif
