/* Failures at random. See failures.h.
 *
 * Routers, then links, are drawn in a random order of all of the network (Fisher and Yates, as
 * Durstenfeld: Algorithm 235, 1964); those that are down already are passed over. So every set of
 * that size is equally likely, the number is exact, and with one seed a greater share includes a
 * smaller one. */
#include "netmodel/topology/failures/failures.h"

#include "common/memory.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum { ROUTERS, LINKS, KINDS }; /* separate streams */

/* What is drawn: the numbers of `count` routers, or the first ports of `count` links. */
typedef struct pool {
    uint32_t *items, count;
} pool;

static pool all_routers(const vef_topology *whole) {
    pool made = {vef_malloc(whole->routers * sizeof *made.items), whole->routers};
    for (uint32_t r = 0; r < whole->routers; r++)
        made.items[r] = r;
    return made;
}

static pool all_links(const vef_topology *whole) {
    const size_t ports = (size_t)whole->routers * whole->ports;
    pool made = {vef_malloc((ports / 2 + 1) * sizeof *made.items), 0};
    for (size_t p = 0; p < ports; p++)
        if (whole->neighbour[p] != VEF_NO_ROUTER && p < vef_other_port(whole, p))
            made.items[made.count++] = (uint32_t)p;
    return made;
}

static bool is_up(const vef_down *down, int kind, uint32_t item) {
    return kind == ROUTERS ? !down->router[item] : vef_port_is_up(down, item);
}

static void take_down(vef_down *down, int kind, uint32_t item) {
    if (kind == ROUTERS)
        down->router[item] = 1;
    else
        down->port[item] = down->port[vef_other_port(down->whole, item)] = 1;
}

static vef_code draw(const pool *from, int kind, uint32_t wanted, vef_rng rng, vef_down *down,
                     vef_error *error) {
    uint32_t *items = from->items, taken = 0;
    for (uint32_t i = 0; i < from->count && taken < wanted; i++) {
        const uint32_t other = i + vef_rng_below(&rng, from->count - i), drawn = items[other];
        items[other] = items[i];
        items[i] = drawn;
        if (!is_up(down, kind, drawn))
            continue;
        take_down(down, kind, drawn);
        taken++;
    }
    static const char *const what[] = {[ROUTERS] = "router", [LINKS] = "link"};
    if (taken < wanted)
        return vef_fail(error, VEF_INVALID,
                        "%u random %ss: out of range: expected at most %u, the %ss that are not "
                        "down already",
                        wanted, what[kind], taken, what[kind]);
    return VEF_OK;
}

vef_code vef_failures_draw(const vef_failure_settings *settings, uint64_t attempt, vef_down *down,
                           vef_error *error) {
    const double shares[KINDS] = {settings->router_share, settings->link_share};
    const uint32_t counts[KINDS] = {settings->router_count, settings->link_count};
    vef_code code = VEF_OK;
    for (int kind = 0; kind < KINDS && code == VEF_OK; kind++) {
        if (shares[kind] == 0 && counts[kind] == 0)
            continue;
        pool from = kind == ROUTERS ? all_routers(down->whole) : all_links(down->whole);
        const uint32_t wanted =
            counts[kind] ? counts[kind] : (uint32_t)llround(shares[kind] * from.count);
        const vef_rng rng =
            vef_rng_make(settings->seed, VEF_RNG_FAILURES, attempt * KINDS + (uint64_t)kind);
        code = draw(&from, kind, wanted, rng, down, error);
        free(from.items);
    }
    return code;
}
