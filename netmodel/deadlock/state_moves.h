/* The queues of states, and what a search adds to the moves (moves.h) once it knows all states. */
#ifndef VEF_NETMODEL_DEADLOCK_STATE_MOVES_H
#define VEF_NETMODEL_DEADLOCK_STATE_MOVES_H

#include "netmodel/deadlock/state_search.h"

/* The number of an input queue, or of an output and its channel; injection comes last. */
static inline uint32_t vef_state_queue_of(const vef_routing *routing, uint16_t port,
                                          uint8_t channel) {
    return port == VEF_INJECTED ? routing->topology->ports * routing->channels
                                : port * routing->channels + channel;
}

/* The place of an input queue. */
static inline vef_place vef_state_place_of(const vef_state_search *search, uint32_t router,
                                           uint32_t queue) {
    return (vef_place){router, search->places[queue].in_port, search->places[queue].in_channel};
}

/* Fills in the search's `places`, `links` and `higher`, once. */
void vef_states_list_queues(vef_state_search *search);

/* Notes where first legs end, and those that began before the last hop. */
void vef_states_note_arrivals(vef_state_search *search);

/* Gives the queues of every state its moves. False: packets in the queue `*stuck` have no
 * escape. */
bool vef_states_record(const vef_state_search *search, vef_place *stuck);

#endif
