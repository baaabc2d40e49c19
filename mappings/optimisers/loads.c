/* The loads of links under a mapping. See loads.h. */
#include "mappings/optimisers/loads.h"

#include "common/grow.h"
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
static void find_paths(vef_link_loads *self, const vef_placement *at, uint32_t from, uint32_t to) {
    const vef_topology *topology = at->view->topology;
    const uint16_t *hops = at->hops + (size_t)to * at->routers; /* symmetric */
    uint32_t count = 1;
    self->queue[0] = from;
    self->flow[from] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t router = self->queue[i];
        const size_t first = (size_t)router * topology->ports;
        uint32_t nearer = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[first + port];
            nearer += next != VEF_NO_ROUTER && hops[next] < hops[router];
        }
        const double part = self->flow[router] / nearer;
        self->flow[router] = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[first + port];
            if (next == VEF_NO_ROUTER || hops[next] >= hops[router])
                continue;
            vef_grow(&self->shares, &self->room, self->count + 2, sizeof *self->shares);
            self->shares[self->count++] = (vef_link_share){router, port, (float)part};
            if (next == to)
                continue;
            if (self->flow[next] == 0)
                self->queue[count++] = next;
            self->flow[next] += part;
        }
    }
    self->shares[self->count++] = (vef_link_share){NO_LINK, 0, 0};
}

/* The paths of a pair, kept or made. Valid until the next call. */
static const vef_link_share *paths_of(vef_link_loads *self, const vef_placement *at, uint32_t from,
                                      uint32_t to) {
    uint32_t *begin = self->begin ? &self->begin[(size_t)from * at->routers + to] : NULL;
    if (begin && *begin)
        return self->shares + *begin - 1;
    const size_t first = self->count;
    find_paths(self, at, from, to);
    if (begin && self->count < MOST_SHARES)
        *begin = (uint32_t)first + 1;
    else
        self->count = first;
    return self->shares + first;
}

/* Adds a message from one router to another to the trial, or takes it off if negative. */
static void spread(vef_link_loads *self, const vef_placement *at, uint32_t from, uint32_t to,
                   double amount) {
    const uint32_t ports = at->view->topology->ports;
    const uint16_t *image = self->image ? self->image + (size_t)from * at->routers : NULL;
    if (from == to || amount == 0)
        return;
    const vef_link_share *share =
        image ? paths_of(self, at, 0, self->origin[(size_t)from * at->routers + to])
              : paths_of(self, at, from, to);
    for (; share->router != NO_LINK; share++) {
        const uint32_t router = image ? image[share->router] : share->router;
        const uint32_t link = router * ports + share->port;
        if (self->tried_by[link] != self->tries) {
            self->tried_by[link] = self->tries;
            self->touched[self->touched_count++] = link;
            self->delta[link] = 0;
        }
        self->delta[link] += amount * share->share;
    }
}

/* All messages of a task in both directions, but for those with `except`. */
static void spread_task(vef_link_loads *self, const vef_placement *at, uint32_t task,
                        uint32_t except, double sign) {
    if (task == VEF_NO_PLACE)
        return;
    const uint32_t here = at->router[at->place[task]];
    for (size_t i = at->first[task]; i < at->first[task + 1]; i++) {
        const vef_affinity *pair = &at->affinity[i];
        if (pair->partner == except)
            continue;
        const uint32_t there = at->router[at->place[pair->partner]];
        spread(self, at, here, there, sign * pair->sent / self->scale);
        spread(self, at, there, here, sign * (pair->bytes - pair->sent) / self->scale);
    }
}

static void begin_trial(vef_link_loads *self) {
    self->touched_count = 0;
    if (++self->tries == 0) { /* numbers start again */
        memset(self->tried_by, 0, self->ports * sizeof *self->tried_by);
        self->tries = 1;
    }
}

/* Translations preserve ports, so the one that maps router 0 to `from` follows from walks by the
 * same ports. */
static void find_translations(const vef_placement *at, vef_link_loads *made) {
    const vef_topology *topology = at->view->topology;
    const uint32_t routers = at->routers, ports = topology->ports;
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

void vef_link_loads_make(const vef_placement *at, vef_link_loads *made) {
    const vef_topology *topology = at->view->topology;
    size_t links = 0;
    *made = (vef_link_loads){.ports = (size_t)topology->routers * topology->ports};
    made->load = vef_calloc(made->ports + 1, sizeof *made->load);
    made->delta = vef_calloc(made->ports + 1, sizeof *made->delta);
    made->touched = vef_calloc(made->ports + 1, sizeof *made->touched);
    made->tried_by = vef_calloc(made->ports + 1, sizeof *made->tried_by);
    made->flow = vef_calloc(topology->routers, sizeof *made->flow);
    made->queue = vef_calloc(topology->routers, sizeof *made->queue);
    find_translations(at, made);
    const size_t pairs = (size_t)topology->routers * (made->image ? 1 : topology->routers);
    made->begin = pairs <= MOST_PAIRS ? vef_calloc(pairs, sizeof *made->begin) : NULL;
    for (size_t i = 0; i < made->ports; i++)
        links += topology->neighbour[i] != VEF_NO_ROUTER;
    made->scale = links ? vef_placement_cost(at) / (double)links : 0;
    if (made->scale <= 0)
        made->scale = 1;
    begin_trial(made);
    for (uint32_t t = 0; t < at->tasks; t++) {
        const uint32_t here = at->router[at->place[t]];
        for (size_t i = at->first[t]; i < at->first[t + 1]; i++)
            spread(made, at, here, at->router[at->place[at->affinity[i].partner]],
                   at->affinity[i].sent / made->scale);
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

double vef_link_loads_try(vef_link_loads *loads, vef_placement *at, uint32_t place,
                          uint32_t other) {
    const uint32_t a = at->task[place], b = at->task[other];
    double change = 0;
    begin_trial(loads);
    if (at->router[place] == at->router[other]) {
        vef_placement_exchange(at, place, other);
        return 0;
    }
    spread_task(loads, at, a, VEF_NO_PLACE, -1);
    spread_task(loads, at, b, a, -1);
    vef_placement_exchange(at, place, other);
    spread_task(loads, at, a, VEF_NO_PLACE, 1);
    spread_task(loads, at, b, a, 1);
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

void vef_link_loads_undo(vef_link_loads *loads, vef_placement *at, uint32_t place, uint32_t other) {
    loads->touched_count = 0;
    vef_placement_exchange(at, place, other);
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
