/* Dimension order on HammingMesh networks: along the row, then along the column, minimally.
 *
 * Hoefler et al., "HammingMesh: A Network Topology for Large-Scale Deep Learning", SC 2022, section
 * III. In a line a packet stays on its board, or leaves it by the nearer end, crosses the switch or
 * the tree, and enters the board of its destination by the end that is nearer to it. Where ways are
 * equally long, and between the spines of a tree, it may take any.
 *
 * Bound: minimal. Channels: two classes, of one or more channels each; the second for the way down
 * from the switches of a line. Freedom from deadlock: in a line packets go outwards on a board and
 * up in the first class, then down and inwards in the second, each without cycles, since no packet
 * turns back on a board; the links of columns come after those of rows.
 *
 * Example: on boards of 4 x 4, from x = 1 to x = 6: x-, x- to the switch of the row, then down to x
 * = 7 (or 4), and inwards. */
#include "netmodel/topology/accelerators/hammingmesh.h"
#include "netmodel/routing/algorithms.h"
#include "netmodel/topology/families.h"

enum { TARGET_WORD, WORDS = 2, CLASSES = 2 };

typedef struct parameters {
    int64_t class_channels;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, class_channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / CLASSES, .aliases = "channels",
     .help = "virtual channels per link of each class: before and after the switches of a row or "
             "column"},
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)flow_control, (void)given;
    if (vef_topology_is(topology, &vef_topology_hammingmesh))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "expected topology %s, not %s",
                    vef_topology_hammingmesh.name, topology->family->name);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const vef_hammingmesh *mesh = routing->topology->details;
    const uint32_t each = (uint32_t)((const parameters *)routing->parameters)->class_channels;
    uint32_t most = 2; /* both ends of a board */
    for (uint32_t d = 0; d < VEF_HAMMINGMESH_DIMENSIONS; d++)
        if (mesh->spines[d] * mesh->links[d] > most)
            most = mesh->spines[d] * mesh->links[d];
    routing->channels = CLASSES * each;
    routing->most_candidates = most * each;
    routing->route_words = WORDS;
    routing->least_queue_packets = 1;
    return vef_routing_check_candidates(each, most, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)routing, (void)draws;
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, TARGET_WORD, travel->to);
}

/* The class of the queue in which a packet is, among those of the line that it came along. */
static uint32_t class_of(const vef_routing *routing, vef_place place, uint32_t dimension) {
    return place.in_port / 2 == dimension && place.in_channel >= routing->channels / CLASSES;
}

static uint32_t offer(const vef_routing *routing, uint32_t port, uint32_t class,
                      vef_candidate *offered) {
    const uint32_t each = routing->channels / CLASSES;
    return vef_offer_escapes(port, class * each, each, offered);
}

/* From an accelerator: inwards once it was at a switch, else by all ways of the least hops. */
static uint32_t offer_from_board(const vef_routing *routing, uint32_t d, uint32_t from, uint32_t to,
                                 uint32_t class, vef_candidate *offered) {
    const vef_hammingmesh *mesh = routing->topology->details;
    const vef_line_place target = {0, to, false};
    const vef_line_place leaf = {0, vef_hammingmesh_leaf(mesh, d, from), true};
    const uint32_t hops = vef_hammingmesh_along(mesh, d, (vef_line_place){0, from, false}, target);
    const uint32_t from_leaf = vef_hammingmesh_along(mesh, d, leaf, target);
    const uint32_t inside = from < to ? to - from : from - to;
    const bool stays = from / mesh->size[d] == to / mesh->size[d] && inside == hops;
    uint32_t count = 0;
    for (uint32_t side = 0; side < 2; side++) { /* towards the lower end, the upper end */
        const bool leads_there = (to > from) == (side == 1);
        const uint32_t out = vef_hammingmesh_out(mesh, d, from, side);
        if (class == 1 ? leads_there : (stays && leads_there) || out + from_leaf == hops)
            count += offer(routing, 2 * d + 1 - side, class, offered + count);
    }
    return count;
}

/* Down from a leaf to the ends of the board that are nearest to the destination. */
static uint32_t offer_ends(const vef_routing *routing, uint32_t d, uint32_t to,
                           vef_candidate *offered) {
    const vef_hammingmesh *mesh = routing->topology->details;
    const uint32_t low = vef_hammingmesh_out(mesh, d, to, 0);
    const uint32_t high = vef_hammingmesh_out(mesh, d, to, 1);
    const uint32_t port = 2 * (to / mesh->size[d] % mesh->leaf_boards[d]);
    uint32_t count = 0;
    if (low <= high)
        count += offer(routing, port, 1, offered);
    if (high <= low)
        count += offer(routing, port + 1, 1, offered + count);
    return count;
}

static uint32_t offer_from_switch(const vef_routing *routing, uint32_t d, uint32_t number,
                                  uint32_t to, vef_candidate *offered) {
    const vef_hammingmesh *mesh = routing->topology->details;
    const uint32_t leaf = vef_hammingmesh_leaf(mesh, d, to);
    uint32_t count = 0;
    if (number == leaf)
        return offer_ends(routing, d, to, offered);
    if (number >= mesh->leaves[d]) {
        for (uint32_t link = 0; link < mesh->links[d]; link++)
            count += offer(routing, leaf * mesh->links[d] + link, 1, offered + count);
        return count;
    }
    for (uint32_t link = 0; link < mesh->spines[d] * mesh->links[d]; link++)
        count += offer(routing, vef_hammingmesh_up_port(mesh, d, 0, link), 0, offered + count);
    return count;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_hammingmesh *mesh = routing->topology->details;
    const uint32_t target = vef_route_uint32(route, TARGET_WORD);
    for (uint32_t d = 0; d < VEF_HAMMINGMESH_DIMENSIONS; d++) {
        vef_line_place here, there;
        if (!vef_hammingmesh_place(mesh, place.router, d, &here))
            continue;
        vef_hammingmesh_place(mesh, target, d, &there);
        if (here.is_switch)
            return offer_from_switch(routing, d, here.number, there.number, offered);
        if (here.number != there.number)
            return offer_from_board(routing, d, here.number, there.number,
                                    class_of(routing, place, d), offered);
    }
    return 0;
}

const vef_routing_algorithm vef_routing_dor_hammingmesh = {
    .name = "dor",
    .aliases = "dimension-order xy rows-first",
    .summary = "dimension order on HammingMesh: rows, then columns, by all shortest ways of a line",
    VEF_PARAMETERS(schema, parameters),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .advance = vef_routing_keep_route,
};
