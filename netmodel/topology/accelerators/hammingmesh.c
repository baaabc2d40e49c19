/* HammingMesh: boards of accelerators that forward packets, in rows and columns joined by switches.
 *
 * Hoefler, Bonato, De Sensi, Di Girolamo, Li, Heddes, Belk, Goel, Castro, Scott: "HammingMesh: A
 * Network Topology for Large-Scale Deep Learning", SC 2022, section III. A board is a mesh of a x b
 * accelerators with four ports each; x x y boards form a grid. Each row of accelerators leaves a
 * board at both ends, and all ends of the row lead to one switch or, where its ports do not
 * suffice, to a tree of two levels; columns likewise. This is one of the paper's four planes
 * (family planes). Boards of 1 x 1 make a HyperX network of two dimensions whose lines are
 * switches.
 *
 * Closed forms, with one switch a line: a b x y accelerators and b y + a x switches; 2 (x b y + y a
 * x) links to switches and (a - 1) b + a (b - 1) on each board; 2 ceil(a / 2) + 2 ceil(b / 2) hops
 * at most, and two more for each dimension with trees. The cut between two halves of the columns of
 * boards has x b y links, with trees of full bandwidth too: 1 / (2a) of the 4 a b x y / 2 links of
 * the accelerators of a half.
 *
 * Distances are the sum of those along both lines. Accelerators are numbered board by board, on a
 * board row by row; then the switches of rows, those of columns.
 *
 * Symmetries. Boards of a leaf can be exchanged, and leaves, spines and parallel links; all boards
 * can be mirrored at once in either dimension. Those of a square are not claimed. */
#include "netmodel/topology/accelerators/hammingmesh.h"
#include "netmodel/topology/families.h"

enum { DIMENSIONS = VEF_HAMMINGMESH_DIMENSIONS, BOARD_LINKS = 0, SWITCH_LINKS, SPINE_LINKS };

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, vef_hammingmesh, board), .aliases = "a b board_size size", .minimum = 1,
     .maximum = 1 << 12, .help = "accelerators of a board along x and y (a, b)"},
    {VEF_KEY(INT_LIST, vef_hammingmesh, boards), .aliases = "x y grid sizes", .minimum = 2,
     .maximum = VEF_MAX_PORTS, .help = "boards along x and y (x, y)"},
    {VEF_KEY_AS("leaf_boards", COUNT, vef_hammingmesh, leaf_boards_given), .fallback = "auto",
     .word = "auto", .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "boards of a row or column on a leaf switch, if they are more; auto: all, on one "
             "switch without spines"},
    {VEF_KEY_AS("spines", COUNT, vef_hammingmesh, spines_given), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_PORTS, .help = "spine switches above the leaves of a row or column"},
    {VEF_KEY_AS("links", COUNT, vef_hammingmesh, links_given), .fallback = "auto", .word = "auto",
     .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "parallel links between a leaf and a spine; auto: as many up as to boards"},
    {.key = NULL},
};

/* ---- sizes ---- */

static vef_code measure_line(vef_hammingmesh *mesh, uint32_t d, vef_error *error) {
    const uint32_t boards = mesh->count[d], given = mesh->leaf_boards_given;
    mesh->leaf_boards[d] = given == 0 || given > boards ? boards : given;
    if (boards % mesh->leaf_boards[d] != 0)
        return vef_fail(error, VEF_INVALID,
                        "leaf_boards: %u of %u boards: expected a divisor of their number", given,
                        boards);
    mesh->leaves[d] = boards / mesh->leaf_boards[d];
    mesh->spines[d] = mesh->links[d] = 0;
    if (mesh->leaves[d] == 1)
        return VEF_OK;
    const uint32_t down = 2 * mesh->leaf_boards[d];
    mesh->spines[d] = mesh->spines_given;
    mesh->links[d] = mesh->links_given;
    if (mesh->links_given == 0 && down % mesh->spines[d] != 0)
        return vef_fail(error, VEF_INVALID,
                        "spines: %u for leaves with %u links to boards: expected a divisor, or "
                        "`links`",
                        mesh->spines[d], down);
    if (mesh->links_given == 0)
        mesh->links[d] = down / mesh->spines[d];
    return VEF_OK;
}

static uint32_t most_ports(const vef_hammingmesh *mesh) {
    uint64_t most = 2 * DIMENSIONS;
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        const uint64_t leaf =
            2 * (uint64_t)mesh->leaf_boards[d] + (uint64_t)mesh->spines[d] * mesh->links[d];
        const uint64_t spine = (uint64_t)mesh->leaves[d] * mesh->links[d];
        most = leaf > most ? leaf : most;
        most = spine > most ? spine : most;
    }
    return most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

static vef_code measure(vef_hammingmesh *mesh, vef_topology *topology, vef_error *error) {
    if (mesh->board.count != DIMENSIONS || mesh->boards.count != DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "%s: expected two numbers, along x and y",
                        mesh->board.count != DIMENSIONS ? "board" : "boards");
    uint64_t accelerators = 1;
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        mesh->size[d] = (uint32_t)mesh->board.values[d];
        mesh->count[d] = (uint32_t)mesh->boards.values[d];
        accelerators *= (uint64_t)mesh->size[d] * mesh->count[d];
        const vef_code code = measure_line(mesh, d, error);
        if (code != VEF_OK)
            return code;
    }
    uint64_t routers = accelerators;
    for (uint32_t d = 0; d < DIMENSIONS && routers <= VEF_MAX_ROUTERS; d++) {
        mesh->first[d] = (uint32_t)routers;
        routers += accelerators / mesh->size[d] / mesh->count[d] *
                   ((uint64_t)mesh->leaves[d] + mesh->spines[d]);
    }
    if (routers > VEF_MAX_ROUTERS)
        return vef_fail(error, VEF_INVALID,
                        "board, boards: more than %d accelerators and switches: expected smaller "
                        "numbers",
                        VEF_MAX_ROUTERS);
    mesh->first[DIMENSIONS] = topology->routers = (uint32_t)routers;
    topology->node_routers = (uint32_t)accelerators;
    topology->ports = most_ports(mesh);
    return VEF_OK;
}

/* ---- places ---- */

/* The coordinate of an accelerator in a dimension. */
static uint32_t coordinate_of(const vef_hammingmesh *mesh, uint32_t accelerator, uint32_t d) {
    const uint32_t board = accelerator / (mesh->size[0] * mesh->size[1]);
    const uint32_t inside = accelerator % (mesh->size[0] * mesh->size[1]);
    return d == 0 ? board % mesh->count[0] * mesh->size[0] + inside % mesh->size[0]
                  : board / mesh->count[0] * mesh->size[1] + inside / mesh->size[0];
}

static uint32_t accelerator_at(const vef_hammingmesh *mesh, uint32_t x, uint32_t y) {
    const uint32_t board = y / mesh->size[1] * mesh->count[0] + x / mesh->size[0];
    return (board * mesh->size[1] + y % mesh->size[1]) * mesh->size[0] + x % mesh->size[0];
}

bool vef_hammingmesh_place(const vef_hammingmesh *mesh, uint32_t router, uint32_t d,
                           vef_line_place *place) {
    if (router < mesh->first[0]) {
        *place = (vef_line_place){coordinate_of(mesh, router, 1 - d),
                                  coordinate_of(mesh, router, d), false};
        return true;
    }
    if (router < mesh->first[d] || router >= mesh->first[d + 1])
        return false;
    const uint32_t each = mesh->leaves[d] + mesh->spines[d], number = router - mesh->first[d];
    *place = (vef_line_place){number / each, number % each, true};
    return true;
}

static uint32_t switch_of(const vef_hammingmesh *mesh, uint32_t d, uint32_t line, uint32_t number) {
    return mesh->first[d] + line * (mesh->leaves[d] + mesh->spines[d]) + number;
}

/* ---- links ---- */

/* The links of the accelerator at a coordinate of a line towards the next one, or, at the ends of
 * its board, towards its leaf. */
static void join_accelerator(const vef_hammingmesh *mesh, vef_topology *topology, uint32_t d,
                             uint32_t line, uint32_t coordinate) {
    const uint32_t size = mesh->size[d], board = coordinate / size;
    const uint32_t here =
        d == 0 ? accelerator_at(mesh, coordinate, line) : accelerator_at(mesh, line, coordinate);
    const uint32_t leaf = switch_of(mesh, d, line, board / mesh->leaf_boards[d]);
    const uint32_t port = 2 * (board % mesh->leaf_boards[d]);
    if (coordinate % size == 0)
        vef_topology_join(topology, here, 2 * d + 1, leaf, port);
    if (coordinate % size == size - 1)
        vef_topology_join(topology, here, 2 * d, leaf, port + 1);
    else
        vef_topology_join(topology, here, 2 * d,
                          d == 0 ? accelerator_at(mesh, coordinate + 1, line)
                                 : accelerator_at(mesh, line, coordinate + 1),
                          2 * d + 1);
}

static void join_line(const vef_hammingmesh *mesh, vef_topology *topology, uint32_t d,
                      uint32_t line) {
    for (uint32_t coordinate = 0; coordinate < mesh->size[d] * mesh->count[d]; coordinate++)
        join_accelerator(mesh, topology, d, line, coordinate);
    for (uint32_t leaf = 0; leaf < mesh->leaves[d]; leaf++)
        for (uint32_t spine = 0; spine < mesh->spines[d]; spine++)
            for (uint32_t link = 0; link < mesh->links[d]; link++)
                vef_topology_join(topology, switch_of(mesh, d, line, leaf),
                                  vef_hammingmesh_up_port(mesh, d, spine, link),
                                  switch_of(mesh, d, line, mesh->leaves[d] + spine),
                                  leaf * mesh->links[d] + link);
}

static uint32_t lines(const vef_hammingmesh *mesh, uint32_t d) {
    return mesh->size[1 - d] * mesh->count[1 - d];
}

/* ---- distances ---- */

/* Hops from an accelerator to its leaf. */
static uint32_t out_of(const vef_hammingmesh *mesh, uint32_t d, uint32_t coordinate) {
    const uint32_t low = vef_hammingmesh_out(mesh, d, coordinate, 0);
    const uint32_t high = vef_hammingmesh_out(mesh, d, coordinate, 1);
    return low < high ? low : high;
}

/* From an accelerator to another: on its board, or out of it and in again. */
static uint32_t between(const vef_hammingmesh *mesh, uint32_t d, uint32_t from, uint32_t to) {
    uint32_t hops =
        vef_hammingmesh_leaf(mesh, d, from) == vef_hammingmesh_leaf(mesh, d, to) ? 0 : 2;
    hops += out_of(mesh, d, from) + out_of(mesh, d, to);
    const uint32_t inside = from < to ? to - from : from - to;
    return from / mesh->size[d] == to / mesh->size[d] && inside < hops ? inside : hops;
}

uint32_t vef_hammingmesh_along(const vef_hammingmesh *mesh, uint32_t d, vef_line_place from,
                               vef_line_place to) {
    if (from.is_switch && !to.is_switch)
        return vef_hammingmesh_along(mesh, d, to, from);
    if (!to.is_switch)
        return between(mesh, d, from.number, to.number);
    const bool spine = to.number >= mesh->leaves[d];
    if (from.is_switch) {
        if (from.number == to.number)
            return 0;
        return spine == (from.number >= mesh->leaves[d]) ? 2 : 1;
    }
    const uint32_t out = out_of(mesh, d, from.number);
    if (spine)
        return out + 1;
    return vef_hammingmesh_leaf(mesh, d, from.number) == to.number ? out : out + 2;
}

/* Between switches of different lines of a dimension, where the path must turn at an accelerator.
 */
static uint32_t over_accelerators(const vef_hammingmesh *mesh, uint32_t d, vef_line_place from,
                                  vef_line_place to) {
    if (from.number >= mesh->leaves[d] && to.number >= mesh->leaves[d])
        return 4;
    return vef_hammingmesh_along(mesh, d, from, to) + 2;
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_hammingmesh *mesh = topology->details;
    vef_line_place a[DIMENSIONS], b[DIMENSIONS];
    bool on[DIMENSIONS], target_on[DIMENSIONS];
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        on[d] = vef_hammingmesh_place(mesh, from, d, &a[d]);
        target_on[d] = vef_hammingmesh_place(mesh, to, d, &b[d]);
    }
    uint32_t hops = 0;
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        /* The line of a switch is where it lies in the other dimension. */
        if (!on[d])
            a[d] = (vef_line_place){0, a[1 - d].line, false};
        if (!target_on[d])
            b[d] = (vef_line_place){0, b[1 - d].line, false};
    }
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        hops += a[d].is_switch && b[d].is_switch && a[d].line != b[d].line
                    ? over_accelerators(mesh, d, a[d], b[d])
                    : vef_hammingmesh_along(mesh, d, a[d], b[d]);
    return hops;
}

/* The first orbit of the switches of a dimension; after the last dimension, the number of orbits. A
 * line is one up to mirroring, with an orbit for its leaves and one for its spines. */
static uint32_t first_orbit(const vef_hammingmesh *mesh, uint32_t dimension) {
    const uint32_t half[] = {(mesh->size[0] + 1) / 2, (mesh->size[1] + 1) / 2};
    uint32_t number = half[0] * half[1];
    for (uint32_t d = 0; d < dimension; d++)
        number += half[1 - d] * (mesh->spines[d] > 0 ? 2 : 1);
    return number;
}

/* ---- building ---- */

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_hammingmesh *mesh = vef_arena_alloc(&topology->arena, 1, sizeof *mesh);
    *mesh = *(const vef_hammingmesh *)given;
    topology->details = mesh;
    vef_code code = measure(mesh, topology, error);
    if (code == VEF_OK)
        code = vef_topology_make_ports(topology, error);
    if (code == VEF_OK)
        code = vef_topology_attach_first(topology, topology->node_routers, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        for (uint32_t line = 0; line < lines(mesh, d); line++)
            join_line(mesh, topology, d, line);
    topology->axes = (mesh->count[0] % 2 == 0) + (uint32_t)(mesh->count[1] % 2 == 0);
    topology->link_classes = mesh->spines[0] + mesh->spines[1] > 0 ? 3 : 2;
    topology->orbits = first_orbit(mesh, DIMENSIONS);
    topology->distance = distance;
    return VEF_OK;
}

/* ---- symmetries, cuts ---- */

/* A coordinate up to mirroring of boards. */
static uint32_t folded(const vef_hammingmesh *mesh, uint32_t d, uint32_t coordinate) {
    return out_of(mesh, d, coordinate) - 1;
}

static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    const vef_hammingmesh *mesh = topology->details;
    vef_line_place place;
    if (router < mesh->first[0])
        return folded(mesh, 0, coordinate_of(mesh, router, 0)) * ((mesh->size[1] + 1) / 2) +
               folded(mesh, 1, coordinate_of(mesh, router, 1));
    const uint32_t d = router >= mesh->first[1];
    vef_hammingmesh_place(mesh, router, d, &place);
    return first_orbit(mesh, d) + folded(mesh, 1 - d, place.line) * (mesh->spines[d] > 0 ? 2 : 1) +
           (place.number >= mesh->leaves[d]);
}

/* Of an accelerator: towards the nearer end of its board, or away from it, in either dimension. Of
 * a switch: to boards, or to other switches. */
static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_hammingmesh *mesh = topology->details;
    const uint32_t d = router < mesh->first[0] ? port / 2 : router >= mesh->first[1];
    vef_line_place place;
    vef_hammingmesh_place(mesh, router, d, &place);
    if (place.is_switch)
        return place.number < mesh->leaves[d] && port >= 2 * mesh->leaf_boards[d];
    return 2 * d + (vef_hammingmesh_out(mesh, d, place.number, 1 - port % 2) >
                    vef_hammingmesh_out(mesh, d, place.number, port % 2));
}

/* Axes are the dimensions with an even number of boards. */
static uint32_t dimension_of(const vef_hammingmesh *mesh, uint32_t axis) {
    return mesh->count[0] % 2 == 1 ? 1 : axis;
}

/* A line of switches is divided like its boards; of an odd number the one in the middle, and of one
 * leaf and one spine only one, is on the far side in every other line. */
static bool far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    const vef_hammingmesh *mesh = topology->details;
    const uint32_t d = dimension_of(mesh, axis);
    vef_line_place place;
    if (!vef_hammingmesh_place(mesh, router, d, &place)) { /* of a line across */
        vef_hammingmesh_place(mesh, router, 1 - d, &place);
        place = (vef_line_place){0, place.line, false};
    }
    if (!place.is_switch)
        return place.number / mesh->size[d] >= mesh->count[d] / 2;
    const uint32_t odd = place.line % 2;
    return place.number < mesh->leaves[d]
               ? place.number >= (mesh->leaves[d] + 1 - odd) / 2
               : place.number - mesh->leaves[d] >= (mesh->spines[d] + odd) / 2;
}

static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%c", "xy"[dimension_of(topology->details, axis)]);
}

/* ---- names ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    if (port < 2 * DIMENSIONS)
        snprintf(text, text_bytes, "%c%c", "xy"[port / 2], "+-"[port % 2]);
    else
        snprintf(text, text_bytes, "port %u", port);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_hammingmesh *mesh = topology->details;
    vef_line_place place;
    if (router < mesh->first[0]) {
        snprintf(text, text_bytes, "(%u, %u)", coordinate_of(mesh, router, 0),
                 coordinate_of(mesh, router, 1));
        return;
    }
    const uint32_t d = router >= mesh->first[1];
    vef_hammingmesh_place(mesh, router, d, &place);
    const bool spine = place.number >= mesh->leaves[d];
    snprintf(text, text_bytes, "%s %u, %s %u", d == 0 ? "row" : "column", place.line,
             spine ? "spine" : "switch", spine ? place.number - mesh->leaves[d] : place.number);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_hammingmesh *mesh = topology->details;
    const uint32_t other = vef_topology_next(topology, router, port);
    return BOARD_LINKS + (uint32_t)(router >= mesh->first[0]) + (uint32_t)(other >= mesh->first[0]);
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    static const char *const names[] = {
        [BOARD_LINKS] = "board", [SWITCH_LINKS] = "switch", [SPINE_LINKS] = "spine"};
    snprintf(text, text_bytes, "%s", names[class]);
}

static const char *const samples[] = {
    "{board: [2, 2], boards: [4, 4]}",
    "{board: [2, 2], boards: [2, 2]}",
    "{board: [4, 2], boards: [2, 3]}",
    "{board: [3, 1], boards: [3, 4]}",
    "{board: [2, 2], boards: [4, 2], leaf_boards: 2, spines: 2}",
    "{board: [1, 3], boards: [4, 4], leaf_boards: 1, links: 1}",
    NULL,
};

const vef_topology_family vef_topology_hammingmesh = {
    .name = "hammingmesh",
    .aliases = "hxmesh hx2mesh hx4mesh",
    .summary = "HammingMesh: boards of accelerators, rows and columns of boards joined by switches",
    VEF_PARAMETERS(schema, vef_hammingmesh),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .far_side = far_side,
    .axis_name = axis_name,
    .samples = samples,
    .larger = "{board: [2, 2], boards: [8, 8]}",
};
