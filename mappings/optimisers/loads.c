/* The loads of links under a mapping. See loads.h. */
#include "mappings/optimisers/loads.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PAIRS = 1 << 24,  /* of routers, for which paths are kept */
    MOST_SHARES = 1 << 23, /* 96 MiB */
    NO_LINK = UINT32_MAX
};

static inline double fourth(double x) {
    return x * x * x * x;
}

/* Appends the shares of a message between two routers. */
static void find_paths(vef_link_loads *loads, const vef_placement *placement, uint32_t from,
                       uint32_t to) {
    const vef_topology *topology = placement->view->topology;
    const uint16_t *hops = placement->hops + (size_t)to * placement->routers; /* symmetric */
    uint32_t count = 1;
    loads->queue[0] = from;
    loads->flow[from] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t router = loads->queue[i];
        const size_t first = (size_t)router * topology->ports;
        uint32_t nearer = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[first + port];
            nearer += next != VEF_NO_ROUTER && hops[next] < hops[router];
        }
        const double part = loads->flow[router] / nearer;
        loads->flow[router] = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[first + port];
            if (next == VEF_NO_ROUTER || hops[next] >= hops[router])
                continue;
            vef_grow(&loads->shares, &loads->room, loads->count + 2, sizeof *loads->shares);
            loads->shares[loads->count++] = (vef_link_share){router, port, (float)part};
            if (next == to)
                continue;
            if (loads->flow[next] == 0)
                loads->queue[count++] = next;
            loads->flow[next] += part;
        }
    }
    loads->shares[loads->count++] = (vef_link_share){NO_LINK, 0, 0};
}

/* The paths of a pair, kept or made. Valid until the next call. */
static const vef_link_share *paths_of(vef_link_loads *loads, const vef_placement *placement,
                                      uint32_t from, uint32_t to) {
    uint32_t *begin = loads->begin ? &loads->begin[(size_t)from * placement->routers + to] : NULL;
    if (begin && *begin)
        return loads->shares + *begin - 1;
    const size_t first = loads->count;
    find_paths(loads, placement, from, to);
    if (begin && loads->count < MOST_SHARES)
        *begin = (uint32_t)first + 1;
    else
        loads->count = first;
    return loads->shares + first;
}

/* Adds a message from one router to another to the trial, or takes it off if negative. */
static void spread(vef_link_loads *loads, const vef_placement *placement, uint32_t from,
                   uint32_t to, double amount) {
    const uint32_t ports = placement->view->topology->ports;
    const uint16_t *image = loads->image ? loads->image + (size_t)from * placement->routers : NULL;
    if (from == to || amount == 0)
        return;
    const vef_link_share *share =
        image ? paths_of(loads, placement, 0, loads->origin[(size_t)from * placement->routers + to])
              : paths_of(loads, placement, from, to);
    for (; share->router != NO_LINK; share++) {
        const uint32_t router = image ? image[share->router] : share->router;
        const uint32_t link = router * ports + share->port;
        if (loads->tried_by[link] != loads->tries) {
            loads->tried_by[link] = loads->tries;
            loads->touched[loads->touched_count++] = link;
            loads->delta[link] = 0;
        }
        loads->delta[link] += amount * share->share;
    }
}

/* All messages of a task in both directions, but for those with `except`. */
static void spread_task(vef_link_loads *loads, const vef_placement *placement, uint32_t task,
                        uint32_t except, double sign) {
    if (task == VEF_NO_PLACE)
        return;
    const uint32_t here = placement->router[placement->place[task]];
    for (size_t i = placement->first[task]; i < placement->first[task + 1]; i++) {
        const vef_affinity *pair = &placement->affinity[i];
        if (pair->partner == except)
            continue;
        const uint32_t there = placement->router[placement->place[pair->partner]];
        spread(loads, placement, here, there, sign * pair->sent / loads->scale);
        spread(loads, placement, there, here, sign * (pair->bytes - pair->sent) / loads->scale);
    }
}

static void begin_trial(vef_link_loads *loads) {
    loads->touched_count = 0;
    if (++loads->tries == 0) { /* numbers start again */
        memset(loads->tried_by, 0, loads->ports * sizeof *loads->tried_by);
        loads->tries = 1;
    }
}

/* Translations preserve ports, so the one that maps router 0 to `from` follows from walks by the
 * same ports. */
static void find_translations(const vef_placement *placement, vef_link_loads *made) {
    const vef_topology *topology = placement->view->topology;
    const uint32_t routers = placement->routers, ports = topology->ports;
    const size_t pairs = (size_t)routers * routers;
    if (topology->translation_classes != 1 || pairs > MOST_PAIRS || routers > UINT16_MAX)
        return;
    made->image = vef_calloc(pairs, sizeof *made->image);
    made->origin = vef_calloc(pairs, sizeof *made->origin);
    bool *known = vef_calloc(routers, sizeof *known);
    for (uint32_t from = 0; from < routers; from++) {
        uint16_t *image = made->image + (size_t)from * routers;
        uint32_t count = 1;
        memset(known, 0, routers * sizeof *known);
        made->queue[0] = 0;
        known[0] = true;
        image[0] = (uint16_t)from;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t router = made->queue[i];
            made->origin[(size_t)from * routers + image[router]] = (uint16_t)router;
            for (uint32_t port = 0; port < ports; port++) {
                const uint32_t next = topology->neighbour[(size_t)router * ports + port];
                if (next == VEF_NO_ROUTER || known[next])
                    continue;
                known[next] = true;
                image[next] = (uint16_t)topology->neighbour[(size_t)image[router] * ports + port];
                made->queue[count++] = next;
            }
        }
    }
    free(known);
}

void vef_link_loads_make(const vef_placement *placement, vef_link_loads *made) {
    const vef_topology *topology = placement->view->topology;
    size_t links = 0;
    *made = (vef_link_loads){.ports = (size_t)topology->routers * topology->ports};
    made->load = vef_calloc(made->ports + 1, sizeof *made->load);
    made->delta = vef_calloc(made->ports + 1, sizeof *made->delta);
    made->touched = vef_calloc(made->ports + 1, sizeof *made->touched);
    made->tried_by = vef_calloc(made->ports + 1, sizeof *made->tried_by);
    made->flow = vef_calloc(topology->routers, sizeof *made->flow);
    made->queue = vef_calloc(topology->routers, sizeof *made->queue);
    find_translations(placement, made);
    const size_t pairs = (size_t)topology->routers * (made->image ? 1 : topology->routers);
    made->begin = pairs <= MOST_PAIRS ? vef_calloc(pairs, sizeof *made->begin) : NULL;
    for (size_t i = 0; i < made->ports; i++)
        links += topology->neighbour[i] != VEF_NO_ROUTER;
    made->scale = links ? vef_placement_cost(placement) / (double)links : 0;
    if (made->scale <= 0)
        made->scale = 1;
    begin_trial(made);
    for (uint32_t t = 0; t < placement->tasks; t++) {
        const uint32_t here = placement->router[placement->place[t]];
        for (size_t i = placement->first[t]; i < placement->first[t + 1]; i++)
            spread(made, placement, here,
                   placement->router[placement->place[placement->affinity[i].partner]],
                   placement->affinity[i].sent / made->scale);
    }
    vef_link_loads_keep(made);
}

void vef_link_loads_free(vef_link_loads *loads) {
    free(loads->load);
    free(loads->delta);
    free(loads->touched);
    free(loads->tried_by);
    free(loads->flow);
    free(loads->queue);
    free(loads->begin);
    free(loads->image);
    free(loads->origin);
    free(loads->shares);
    *loads = (vef_link_loads){0};
}

double vef_link_loads_try(vef_link_loads *loads, vef_placement *placement, uint32_t place,
                          uint32_t other) {
    const uint32_t a = placement->task[place], b = placement->task[other];
    double change = 0;
    begin_trial(loads);
    if (placement->router[place] == placement->router[other]) {
        vef_placement_exchange(placement, place, other);
        return 0;
    }
    spread_task(loads, placement, a, VEF_NO_PLACE, -1);
    spread_task(loads, placement, b, a, -1);
    vef_placement_exchange(placement, place, other);
    spread_task(loads, placement, a, VEF_NO_PLACE, 1);
    spread_task(loads, placement, b, a, 1);
    for (uint32_t i = 0; i < loads->touched_count; i++) {
        const double load = loads->load[loads->touched[i]];
        change += fourth(load + loads->delta[loads->touched[i]]) - fourth(load);
    }
    return change;
}

void vef_link_loads_keep(vef_link_loads *loads) {
    for (uint32_t i = 0; i < loads->touched_count; i++)
        loads->load[loads->touched[i]] += loads->delta[loads->touched[i]];
}

void vef_link_loads_undo(vef_link_loads *loads, vef_placement *placement, uint32_t place,
                         uint32_t other) {
    loads->touched_count = 0;
    vef_placement_exchange(placement, place, other);
}

bool vef_link_loads_are_below(vef_link_loads *loads, double *most) {
    if (loads->load[loads->busiest] >= *most) /* mostly, and quickly */
        return false;
    for (size_t i = 0; i < loads->ports; i++)
        if (loads->load[i] > loads->load[loads->busiest])
            loads->busiest = i;
    if (loads->load[loads->busiest] >= *most)
        return false;
    *most = loads->load[loads->busiest];
    return true;
}
