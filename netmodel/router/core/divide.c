/* Which part of a network has which router.
 *
 * Topologies number routers by position. So routers with endpoints are divided by number, as many
 * endpoints to each part: a part of a lattice is a slab, one of a dragonfly some groups. Where
 * links differ, a boundary moves to where it cuts none of the least delay, such as those within a
 * group, if that is near: then windows are longer (split.c).
 *
 * Routers without endpoints follow in layers, by their distance from endpoints. Each joins a part
 * of its neighbours in the layers before, the one with the fewest routers of its layer: a switch of
 * a subtree its only one, while roots are dealt out evenly. */
#include "common/memory.h"
#include "netmodel/router/core/network.h"

#include <stdlib.h>

enum { MOST_SHIFT = 16 }; /* a boundary moves by at most a part in so many */
#define UNDECIDED UINT8_MAX
static_assert(UNDECIDED >= VEF_MOST_PARTS, "a part has another number");

typedef struct division {
    const vef_network *network;
    uint32_t parts;
    uint8_t *part_of;
    uint32_t *listed; /* routers with endpoints, by number */
    uint32_t *place;  /* [router]: in `listed`; VEF_NONE: it has no endpoints */
    uint32_t *before; /* [place]: endpoints of the routers before, and of all */
    uint32_t count;   /* of `listed` */
    int32_t *cut;     /* [place]: links of the least lookahead that a boundary before it cuts; NULL:
                         all links have that */
} division;

static uint32_t neighbour_of(const division *d, uint32_t router, uint32_t port) {
    return d->network->topology->neighbour[(size_t)router * d->network->shape.ports + port];
}

static void list_routers(division *d) {
    const vef_network *network = d->network;
    for (uint32_t router = 0; router < network->topology->routers; router++) {
        const uint32_t *here =
            network->queues.endpoint_at + (size_t)router * network->shape.per_router;
        uint32_t endpoints = 0;
        while (endpoints < network->shape.per_router && here[endpoints] != VEF_NONE)
            endpoints++;
        d->place[router] = endpoints > 0 ? d->count : VEF_NONE;
        if (endpoints == 0)
            continue;
        d->before[d->count + 1] = d->before[d->count] + endpoints;
        d->listed[d->count++] = router;
    }
}

static uint32_t delay_of(const division *d, uint32_t router, uint32_t port) {
    return d->network->links.plan.rules[(size_t)router * d->network->shape.ports + port].hop_cycles;
}

/* A boundary among a router and its neighbours by links of the least delay, as far as they have
 * endpoints, cuts such a link, or one of a router that joins one of the parts. */
static void add_cut(division *d, uint32_t router, uint32_t least_cycles) {
    uint32_t first = d->place[router], last = first == VEF_NONE ? 0 : first;
    for (uint32_t port = 0; port < d->network->shape.ports; port++) {
        const uint32_t next = neighbour_of(d, router, port);
        if (next == VEF_NO_ROUTER || d->place[next] == VEF_NONE ||
            delay_of(d, router, port) > least_cycles)
            continue;
        first = d->place[next] < first ? d->place[next] : first;
        last = d->place[next] > last ? d->place[next] : last;
    }
    if (first == VEF_NONE)
        return;
    d->cut[first + 1]++;
    d->cut[last + 1]--;
}

static void find_cuts(division *d) {
    const uint32_t routers = d->network->topology->routers;
    uint32_t least_cycles = UINT32_MAX;
    for (uint32_t router = 0; router < routers; router++)
        for (uint32_t port = 0; port < d->network->shape.ports; port++)
            if (neighbour_of(d, router, port) != VEF_NO_ROUTER &&
                delay_of(d, router, port) < least_cycles)
                least_cycles = delay_of(d, router, port);
    d->cut = vef_calloc((size_t)d->count + 2, sizeof *d->cut);
    for (uint32_t router = 0; router < routers; router++)
        add_cut(d, router, least_cycles);
    for (uint32_t place = 1; place <= d->count; place++)
        d->cut[place] += d->cut[place - 1];
}

/* The place where a part begins that should at `even`. */
static uint32_t boundary_near(const division *d, uint32_t even) {
    const uint32_t most = d->cut ? d->count / d->parts / MOST_SHIFT : 0;
    for (uint32_t shift = 0; shift <= most; shift++) {
        if (d->cut && even + shift < d->count && d->cut[even + shift] == 0)
            return even + shift;
        if (d->cut && even > shift && d->cut[even - shift] == 0)
            return even - shift;
    }
    return even;
}

static void divide_listed(division *d) {
    const uint64_t endpoints = d->before[d->count];
    uint32_t place = 0, even = 0;
    for (uint32_t part = 0; part < d->parts; part++) {
        while (even < d->count && d->before[even] * (uint64_t)d->parts < endpoints * (part + 1))
            even++;
        const uint32_t end = part + 1 < d->parts ? boundary_near(d, even) : d->count;
        for (; place < end; place++)
            d->part_of[d->listed[place]] = (uint8_t)part;
    }
}

/* Of the parts of a router's neighbours, or without any of all, that with the least load;
 * UNDECIDED: there are none. */
static uint8_t least_loaded(const division *d, uint32_t router, bool of_all, const uint32_t *load) {
    uint8_t best = UNDECIDED;
    const uint32_t count = of_all ? d->parts : d->network->shape.ports;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t next = of_all ? 0 : neighbour_of(d, router, i);
        uint8_t part = of_all ? (uint8_t)i : UNDECIDED;
        if (!of_all && next != VEF_NO_ROUTER)
            part = d->part_of[next];
        if (part != UNDECIDED && (best == UNDECIDED || load[part] < load[best]))
            best = part;
    }
    return best;
}

/* Divides the routers that are next to those divided so far, or if there are none all others;
 * `layer` and `parts` have room for them. */
static void divide_layer(division *d, uint32_t *layer, uint8_t *parts) {
    uint32_t load[VEF_MOST_PARTS] = {0}, count = 0;
    for (uint32_t pass = 0; pass < 2 && count == 0; pass++)
        for (uint32_t router = 0; router < d->network->topology->routers; router++) {
            if (d->part_of[router] != UNDECIDED)
                continue;
            const uint8_t part = least_loaded(d, router, pass > 0, load);
            if (part == UNDECIDED)
                continue;
            load[part]++;
            layer[count] = router;
            parts[count++] = part;
        }
    for (uint32_t i = 0; i < count; i++)
        d->part_of[layer[i]] = parts[i];
}

void vef_network_divide(const vef_network *network, uint32_t parts, uint8_t *part_of) {
    const uint32_t routers = network->topology->routers;
    division d = {.network = network, .parts = parts, .part_of = part_of};
    d.listed = vef_calloc(routers, sizeof *d.listed);
    d.place = vef_calloc(routers, sizeof *d.place);
    d.before = vef_calloc((size_t)routers + 1, sizeof *d.before);
    list_routers(&d);
    if (network->links.plan.rules)
        find_cuts(&d);
    memset(part_of, UNDECIDED, routers);
    divide_listed(&d);
    uint8_t *near = vef_calloc(routers, 1);
    while (memchr(part_of, UNDECIDED, routers))
        divide_layer(&d, d.listed, near);
    free(near);
    free(d.listed);
    free(d.place);
    free(d.before);
    free(d.cut);
}
