/* Random choices of a routing: from a random stream while packets run, or enumerated, to obtain
 * every possible route of a packet (tests, the proof of deadlock freedom).
 *
 *   vef_draws draws = {0};
 *   do {
 *       begin(routing, &travel, &draws, &route);
 *       …
 *   } while (vef_draws_next(&draws)); */
#ifndef VEF_NETMODEL_ROUTING_DRAWS_H
#define VEF_NETMODEL_ROUTING_DRAWS_H

#include "common/rng.h"

#include <assert.h>
#include <stdbool.h>

enum { VEF_MAX_DRAWS = 64 }; /* that one packet may need at its source */

typedef struct vef_draws {
    vef_rng *rng; /* NULL: enumerated, beginning with 0 everywhere */
    uint32_t count, used;
    uint32_t digits[VEF_MAX_DRAWS], bounds[VEF_MAX_DRAWS];
} vef_draws;

static inline vef_draws vef_draws_from(vef_rng *rng) {
    vef_draws draws;
    draws.rng = rng; /* the rest is for enumeration only */
    return draws;
}

/* Uniform in [0, bound), bound > 0; nothing is drawn where bound is 1. */
static inline uint32_t vef_draw_below(vef_draws *draws, uint32_t bound) {
    if (bound == 1)
        return 0;
    if (draws->rng)
        return vef_rng_below(draws->rng, bound);
    if (draws->used == draws->count) {
        assert(draws->count < VEF_MAX_DRAWS);
        draws->digits[draws->count] = 0;
        draws->bounds[draws->count++] = bound;
    }
    assert(draws->bounds[draws->used] == bound);
    return draws->digits[draws->used++];
}

/* Advances to the next outcome of the enumeration; false after the last. */
static inline bool vef_draws_next(vef_draws *draws) {
    draws->used = 0;
    while (draws->count > 0) {
        if (++draws->digits[draws->count - 1] < draws->bounds[draws->count - 1])
            return true;
        draws->count--;
    }
    return false;
}

#endif
