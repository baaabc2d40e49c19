/* The states of packets to one router: their positions and the content of their routes. */
#ifndef VEF_NETMODEL_DEADLOCK_STATES_H
#define VEF_NETMODEL_DEADLOCK_STATES_H

#include "netmodel/deadlock/state_search.h"

/* Visits all packets to the endpoints of `router`. Where the routing has legs: on leg `leg`, 0 or
 * 1; the first legs to a router add to moves->arrivals, where second legs begin. Zero-initialised
 * except for the fields above the results. */
vef_code vef_states_search(vef_state_search *search, uint32_t leg, uint32_t router,
                           vef_error *error);
void vef_states_release(vef_state_search *search);

#endif
