/* The input of the optimisers. See problem.h. */
#include "mappings/optimisers/problem.h"

#include "common/memory.h"
#include "common/threads/pool.h"
#include "mappings/optimisers/hops.h"
#include "mappings/places/launch.h"

#include <stdlib.h>
#include <string.h>

/* ---- affinities ---- */

/* Both rows of a task, merged by partner. */
static size_t merge(const vef_traffic_matrix *sent, const vef_traffic_matrix *received,
                    uint32_t task, vef_affinity *into) {
    size_t s = sent->first[task], r = received->first[task], count = 0;
    const size_t sent_end = sent->first[task + 1], received_end = received->first[task + 1];
    while (s < sent_end || r < received_end) {
        const uint32_t to = s < sent_end ? sent->flows[s].to : UINT32_MAX;
        const uint32_t from = r < received_end ? received->flows[r].to : UINT32_MAX;
        const uint32_t partner = to < from ? to : from;
        const double there = to == partner ? (double)sent->flows[s++].bytes : 0;
        const double back = from == partner ? (double)received->flows[r++].bytes : 0;
        if (partner != task && there + back > 0)
            into[count++] = (vef_affinity){partner, there + back, there};
    }
    return count;
}

static void find_affinities(const vef_mapping_view *view, vef_placement *made) {
    vef_traffic_matrix received = {0};
    vef_traffic_matrix_transpose(view->traffic, &received);
    made->first = vef_calloc(view->tasks + (size_t)1, sizeof *made->first);
    made->affinity = vef_calloc(2 * view->traffic->first[view->tasks] + 1, sizeof *made->affinity);
    made->volume = vef_calloc(view->tasks + (size_t)1, sizeof *made->volume);
    for (uint32_t t = 0; t < view->tasks; t++) {
        vef_affinity *row = made->affinity + made->first[t];
        const size_t count = merge(view->traffic, &received, t, row);
        for (size_t i = 0; i < count; i++)
            made->volume[t] += row[i].bytes;
        made->first[t + 1] = made->first[t] + count;
    }
    vef_traffic_matrix_free(&received);
}

/* ---- places ---- */

/* The places by router. */
static vef_code find_places(const vef_mapping_view *view, vef_placement *made, vef_error *error) {
    const bool plain = view->cores == 1 && view->nics == 1;
    uint64_t places;
    const vef_code code = vef_mapping_check_places(view, &places, error);
    if (code != VEF_OK)
        return code;
    if (places > UINT32_MAX / 2)
        return vef_fail(error, VEF_UNSUPPORTED, "%llu places: expected fewer for an optimiser",
                        (unsigned long long)places);
    made->places = (uint32_t)places;
    made->endpoint = vef_calloc(places, sizeof *made->endpoint);
    made->router = vef_calloc(places, sizeof *made->router);
    made->first_place = vef_calloc(made->routers + (size_t)1, sizeof *made->first_place);
    uint32_t *listed = vef_calloc(places, sizeof *listed);
    for (uint32_t p = 0; p < places; p++) {
        listed[p] = plain ? p : vef_mapping_core(view, p / view->cores, p % view->cores);
        made->first_place[vef_topology_router_of(view->topology, listed[p]) + 1]++;
    }
    for (uint32_t r = 0; r < made->routers; r++)
        made->first_place[r + 1] += made->first_place[r];
    for (uint32_t p = 0; p < places; p++) { /* moves each beginning to its end, */
        const uint32_t router = vef_topology_router_of(view->topology, listed[p]);
        const uint32_t place = made->first_place[router]++;
        made->endpoint[place] = listed[p];
        made->router[place] = router;
    }
    for (uint32_t r = made->routers; r > 0; r--) /* which is the next beginning */
        made->first_place[r] = made->first_place[r - 1];
    made->first_place[0] = 0;
    free(listed);
    return VEF_OK;
}

/* ---- hops ---- */

typedef struct searching {
    vef_placement *made;
    uint32_t *room; /* per worker: hops and a queue */
} searching;

enum { SOURCES_A_PIECE = 64 };

static void search(void *context, uint32_t worker, uint32_t piece) {
    const searching *shared = context;
    const vef_placement *made = shared->made;
    uint32_t *hops = shared->room + (size_t)worker * 2 * made->routers;
    const uint32_t first = piece * SOURCES_A_PIECE, last = first + SOURCES_A_PIECE;
    for (uint32_t r = first; r < last && r < made->routers; r++) {
        if (made->first_place[r] == made->first_place[r + 1])
            continue;
        vef_mapping_hops_from(made->view->topology, r, hops, hops + made->routers);
        uint16_t *row = made->hops + (size_t)r * made->routers;
        for (uint32_t other = 0; other < made->routers; other++)
            row[other] = hops[other] > UINT16_MAX ? UINT16_MAX : (uint16_t)hops[other];
    }
}

static vef_code find_hops(vef_placement *made, vef_error *error) {
    if (made->routers > VEF_MOST_HOP_ROUTERS)
        return vef_fail(error, VEF_UNSUPPORTED, "%u routers: expected at most %d for an optimiser",
                        made->routers, VEF_MOST_HOP_ROUTERS);
    const uint32_t pieces = (made->routers + SOURCES_A_PIECE - 1) / SOURCES_A_PIECE;
    const uint32_t workers = vef_workers_for(pieces);
    searching shared = {made, vef_calloc((size_t)workers * 2 * made->routers, sizeof *shared.room)};
    made->hops = vef_malloc((size_t)made->routers * made->routers * sizeof *made->hops);
    vef_workers_run(workers, pieces, search, &shared);
    free(shared.room);
    return VEF_OK;
}

/* ---- the state ---- */

static vef_code put_tasks(vef_placement *made, const uint32_t *endpoint, vef_error *error) {
    const vef_topology *topology = made->view->topology;
    made->place = vef_malloc(made->tasks * sizeof *made->place);
    made->task = vef_malloc(made->places * sizeof *made->task);
    vef_placement_clear(made);
    for (uint32_t t = 0; endpoint && t < made->tasks; t++) {
        const uint32_t router = vef_topology_router_of(topology, endpoint[t]);
        uint32_t p = made->first_place[router];
        const uint32_t end = made->first_place[router + 1];
        while (p < end && (made->endpoint[p] != endpoint[t] || made->task[p] != VEF_NO_PLACE))
            p++;
        if (p == end)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "endpoint %u has more tasks than places: expected at most one on each "
                            "core (host.cores=%u)",
                            endpoint[t], made->view->cores);
        vef_placement_put(made, t, p);
    }
    return VEF_OK;
}

vef_code vef_placement_make(const vef_mapping_view *view, const uint32_t *endpoint,
                            vef_placement *made, vef_error *error) {
    *made = (vef_placement){.view = view, .tasks = view->tasks, .routers = view->topology->routers};
    vef_code code = find_places(view, made, error);
    if (code != VEF_OK)
        return code;
    find_affinities(view, made);
    code = find_hops(made, error);
    return code == VEF_OK ? put_tasks(made, endpoint, error) : code;
}

void vef_placement_free(vef_placement *placement) {
    free(placement->first);
    free(placement->affinity);
    free(placement->volume);
    free(placement->endpoint);
    free(placement->router);
    free(placement->first_place);
    free(placement->hops);
    free(placement->place);
    free(placement->task);
    *placement = (vef_placement){0};
}

void vef_placement_clear(vef_placement *placement) {
    memset(placement->place, 0xff, placement->tasks * sizeof *placement->place); /* VEF_NO_PLACE */
    memset(placement->task, 0xff, placement->places * sizeof *placement->task);
}

void vef_placement_put(vef_placement *placement, uint32_t task, uint32_t place) {
    placement->place[task] = place;
    placement->task[place] = task;
}

void vef_placement_exchange(vef_placement *placement, uint32_t place, uint32_t other) {
    const uint32_t a = placement->task[place], b = placement->task[other];
    placement->task[place] = b;
    placement->task[other] = a;
    if (a != VEF_NO_PLACE)
        placement->place[a] = other;
    if (b != VEF_NO_PLACE)
        placement->place[b] = place;
}

/* What a task's messages cost more at `to` than at `from`; those with the task at `to` do not
 * change, since it moves the other way. */
static double move_cost(const vef_placement *placement, uint32_t task, uint32_t from, uint32_t to) {
    if (task == VEF_NO_PLACE)
        return 0;
    const uint16_t *old = placement->hops + (size_t)placement->router[from] * placement->routers;
    const uint16_t *new = placement->hops + (size_t)placement->router[to] * placement->routers;
    double cost = 0;
    for (size_t i = placement->first[task]; i < placement->first[task + 1]; i++) {
        const uint32_t place = placement->place[placement->affinity[i].partner];
        if (place != to)
            cost += placement->affinity[i].bytes * (double)((int)new[placement->router[place]] -
                                                            (int)old[placement->router[place]]);
    }
    return cost;
}

double vef_placement_gain(const vef_placement *placement, uint32_t place, uint32_t other) {
    return move_cost(placement, placement->task[place], place, other) +
           move_cost(placement, placement->task[other], other, place);
}

double vef_placement_cost(const vef_placement *placement) {
    double cost = 0;
    for (uint32_t t = 0; t < placement->tasks; t++)
        for (size_t i = placement->first[t]; i < placement->first[t + 1]; i++)
            cost += placement->affinity[i].bytes *
                    vef_placement_hops(placement, placement->place[t],
                                       placement->place[placement->affinity[i].partner]);
    return cost / 2; /* both tasks have it */
}

void vef_placement_read(const vef_placement *placement, uint32_t *endpoint) {
    for (uint32_t t = 0; t < placement->tasks; t++)
        endpoint[t] = placement->endpoint[placement->place[t]];
}
