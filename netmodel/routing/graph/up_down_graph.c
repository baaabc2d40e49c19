/* Legal ways of up-down routing. See up_down_graph.h. */
#include "netmodel/routing/graph/up_down_graph.h"

#include "common/memory.h"
#include "common/threads/pool.h"

#include <stdlib.h>

/* Breadth-first order of the routers from `root`, with their levels; returns the greatest level.
 */
static uint32_t search(const vef_topology *topology, uint32_t root, uint32_t *queue,
                       uint32_t *level, uint32_t *reached) {
    memset(level, 0xff, topology->routers * sizeof *level);
    level[root] = 0;
    queue[0] = root;
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = vef_topology_next(topology, queue[i], port);
            if (next == VEF_NO_ROUTER || level[next] != UINT32_MAX)
                continue;
            level[next] = level[queue[i]] + 1;
            queue[count++] = next;
        }
    *reached = count;
    return level[queue[count - 1]];
}

/* A central router: the middle of a longest shortest path found by two searches, which is a centre
 * of a tree and near one elsewhere. In a vertex-transitive network it is the first. */
static uint32_t middle(const vef_topology *topology, uint32_t *queue, uint32_t *level) {
    if (topology->orbits == 1)
        return 0;
    uint32_t reached;
    search(topology, 0, queue, level, &reached);
    const uint32_t end = queue[reached - 1];
    const uint32_t far = search(topology, end, queue, level, &reached);
    uint32_t router = queue[reached - 1];
    while (level[router] > far / 2)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = vef_topology_next(topology, router, port);
            if (next != VEF_NO_ROUTER && level[next] + 1 == level[router]) {
                router = next;
                break;
            }
        }
    return router;
}

/* Hops of the legal paths to one target, searched backwards over pairs of a router and whether a
 * packet there may still go up. `queue` has room for twice the routers. */
static void search_back(const vef_up_down_graph *legal, uint32_t target, uint16_t *may_rise,
                        uint16_t *falling, uint32_t *queue) {
    const vef_topology *topology = legal->topology;
    memset(may_rise, 0xff, topology->routers * sizeof *may_rise);
    memset(falling, 0xff, topology->routers * sizeof *falling);
    may_rise[target] = falling[target] = 0;
    uint32_t count = 0;
    queue[count++] = 2 * target;
    queue[count++] = 2 * target + 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t router = queue[i] / 2;
        const bool fell = queue[i] % 2 != 0;
        const uint16_t further = (uint16_t)((fell ? falling : may_rise)[router] + 1);
        for (uint32_t port = 0; port < topology->ports && further < UINT16_MAX; port++) {
            const uint32_t before = vef_topology_next(topology, router, port);
            /* A step up leaves a packet that may rise as it is; one down ends its rise. */
            if (before == VEF_NO_ROUTER || vef_up_down_graph_is_up(legal, before, router) == fell)
                continue;
            if (may_rise[before] == UINT16_MAX) {
                may_rise[before] = further;
                queue[count++] = 2 * before;
            }
            if (fell && falling[before] == UINT16_MAX) {
                falling[before] = further;
                queue[count++] = 2 * before + 1;
            }
        }
    }
}

static vef_code choose_root(vef_up_down_graph *legal, int64_t root, uint32_t *queue,
                            vef_error *error) {
    const vef_topology *topology = legal->topology;
    const uint32_t routers = vef_topology_whole(topology)->routers;
    if (root >= (int64_t)routers)
        return vef_fail(error, VEF_INVALID, "root: router %lld is out of range: expected 0 to %u",
                        (long long)root, routers - 1);
    legal->root = root < 0 ? middle(topology, queue, legal->level)
                           : vef_topology_router_numbered(topology, (uint32_t)root);
    if (legal->root == VEF_NO_ROUTER)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "root: router %lld is down: expected another, or -1: one in the middle",
                        (long long)root);
    uint32_t reached;
    search(topology, legal->root, queue, legal->level, &reached);
    if (reached < topology->routers)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u of %u routers cannot be reached from router %u, the root",
                        topology->routers - reached, topology->routers,
                        vef_topology_router_number(topology, legal->root));
    return VEF_OK;
}

/* ---- the tables, by several threads ---- */

typedef struct finding {
    const vef_up_down_graph *legal;
    const vef_hops *hops;
    uint32_t *queue; /* [workers * 2 * routers] */
    uint32_t longest[VEF_MOST_WORKERS];
} finding;

static void find_ways_to(void *context, uint32_t worker, uint32_t target) {
    finding *search = context;
    const vef_hops *hops = search->hops;
    const size_t routers = search->legal->topology->routers;
    uint16_t *may_rise = search->legal->may_rise + target * routers;
    search_back(search->legal, hops->target[target], may_rise,
                search->legal->falling + target * routers, search->queue + worker * 2 * routers);
    for (uint32_t from = 0; from < hops->targets; from++)
        if (may_rise[hops->target[from]] > search->longest[worker])
            search->longest[worker] = may_rise[hops->target[from]];
}

static void find_ways(vef_up_down_graph *legal, const vef_hops *hops) {
    const size_t routers = legal->topology->routers;
    const uint32_t workers = vef_workers_for(hops->targets);
    finding search = {.legal = legal,
                      .hops = hops,
                      .queue = vef_malloc(2 * workers * routers * sizeof *search.queue)};
    vef_workers_run(workers, hops->targets, find_ways_to, &search);
    free(search.queue);
    for (uint32_t i = 0; i < workers; i++)
        if (search.longest[i] > legal->longest)
            legal->longest = search.longest[i];
}

vef_code vef_up_down_graph_create(const vef_topology *topology, const vef_hops *hops, int64_t root,
                                  uint32_t *level, vef_arena *arena, vef_up_down_graph *legal,
                                  vef_error *error) {
    const uint64_t entries = (uint64_t)hops->targets * topology->routers;
    const uint64_t bytes = entries * (sizeof *legal->may_rise + sizeof *legal->falling);
    if (bytes > VEF_MOST_HOPS_BYTES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the legal ways between %u routers and %u with endpoints need %.1f GiB: "
                        "out of range: expected at most %.0f",
                        topology->routers, hops->targets, (double)bytes / (1 << 30),
                        (double)VEF_MOST_HOPS_BYTES / (1 << 30));
    *legal = (vef_up_down_graph){.topology = topology, .root = VEF_NO_ROUTER, .level = level};
    legal->may_rise = vef_arena_alloc(arena, entries, sizeof *legal->may_rise);
    legal->falling = vef_arena_alloc(arena, entries, sizeof *legal->falling);
    vef_code code = VEF_OK;
    if (!level) {
        legal->level = vef_arena_alloc(arena, topology->routers, sizeof *legal->level);
        uint32_t *queue = vef_malloc(topology->routers * sizeof *queue);
        code = choose_root(legal, root, queue, error);
        free(queue);
    }
    if (code == VEF_OK)
        find_ways(legal, hops);
    return code;
}

uint32_t vef_up_down_graph_offer(const vef_up_down_graph *legal, uint32_t target, uint32_t router,
                                 bool fell, uint8_t first, uint32_t channels, uint8_t preference,
                                 vef_candidate *offered) {
    const vef_topology *topology = legal->topology;
    const size_t row = (size_t)target * topology->routers;
    const uint16_t *may_rise = legal->may_rise + row, *falling = legal->falling + row;
    const uint32_t here = fell ? falling[router] : may_rise[router];
    const uint32_t *neighbours = topology->neighbour + (size_t)router * topology->ports;
    uint32_t count = 0;
    for (uint32_t port = 0; port < topology->ports && here > 0; port++) {
        const uint32_t next = neighbours[port];
        if (next == VEF_NO_ROUTER)
            continue;
        const bool up = vef_up_down_graph_is_up(legal, router, next);
        if ((up && fell) || (up ? may_rise : falling)[next] + 1u != here)
            continue;
        const vef_candidate candidate = {
            .port = (uint16_t)port,
            .channel = (uint8_t)first,
            .preference = preference,
            .slots_needed = 1,
            .escape = true,
        };
        count += vef_offer_channels(candidate, channels, offered + count);
    }
    return count;
}

/* ---- adaptive channels over an escape ---- */

vef_code vef_over_up_down_create(vef_routing *routing, int64_t adaptive_channels, int64_t root,
                                 bool all_links, vef_error *error) {
    vef_over_up_down *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    const uint32_t adaptive = (uint32_t)adaptive_channels;
    routing->state = made;
    routing->channels = adaptive + 1;
    routing->least_queue_packets = 1;
    vef_code code = vef_shortest_paths_fill(routing, &made->paths, error);
    if (code != VEF_OK)
        return code;
    routing->most_candidates =
        made->paths.most_links + (all_links ? made->paths.most_links * adaptive
                                            : vef_shortest_paths_most(&made->paths, adaptive));
    code = vef_shortest_paths_check_candidates(routing, error);
    if (code != VEF_OK)
        return code;
    return vef_up_down_graph_create(routing->topology, &made->paths.hops, root, NULL,
                                    &routing->arena, &made->legal, error);
}

uint32_t vef_over_up_down_offer(const vef_routing *routing, const vef_route *route, uint32_t router,
                                vef_candidate *offered) {
    const vef_over_up_down *made = routing->state;
    const bool fell = route->words[VEF_SHORTEST_PATHS_WORD] == VEF_OVER_FALLING;
    return vef_up_down_graph_offer(&made->legal, vef_shortest_paths_target(route), router, fell,
                                   VEF_OVER_ESCAPE_CHANNEL, 1, 1, offered);
}

void vef_over_up_down_advance(const vef_routing *routing, vef_route *route, uint32_t router,
                              uint32_t port) {
    const vef_over_up_down *made = routing->state;
    route->words[VEF_SHORTEST_PATHS_WORD] =
        vef_up_down_graph_rises(&made->legal, router, port) ? VEF_OVER_RISING : VEF_OVER_FALLING;
}
