/* Views (netmodel/routing/view.h) made up by hand. */
#ifndef VEF_TESTS_NETMODEL_VIEWS_H
#define VEF_TESTS_NETMODEL_VIEWS_H

#include "netmodel/routing/view.h"

#include <stddef.h>

/* By router and port, places taken in each channel, and places of packets that wait for the port.
 */
typedef struct made_up {
    uint32_t ports;
    uint32_t *taken, *waiting;
} made_up;

static inline vef_occupancy made_up_look(const vef_view *view, uint32_t router, uint32_t port,
                                         uint32_t channel) {
    const made_up *state = view->network;
    assert(channel < view->channels);
    return (vef_occupancy){state->taken[(size_t)router * state->ports + port], 8};
}

static inline uint32_t made_up_waiting(const vef_view *view, uint32_t router, uint32_t port) {
    const made_up *state = view->network;
    return state->waiting[(size_t)router * state->ports + port];
}

static inline vef_view view_made_up(const made_up *state, uint32_t router, uint32_t channels,
                                    bool everywhere) {
    return (vef_view){state, router, channels, everywhere, made_up_look, made_up_waiting};
}

#endif
