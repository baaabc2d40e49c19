/* Symmetries of a lattice network: orbits of routers, kinds of ports (topology.h). It looks for:
 *
 * - Where all dimensions wrap: translations take any router into any other, so there is one orbit;
 *   which ports are of one kind follows from linear maps that keep both the lattice and the
 *   generators, among them the point reflection. Those that take unit vectors to generators are
 *   tried all where they are few (up to four dimensions, and RTT, PDTT, diagonal and king tori
 *   turn out edge-symmetric as far as the papers say), else those that exchange or turn round two
 *   dimensions.
 * - Where some do not wrap and the generators are the unit vectors: translations along those that
 *   wrap; reflections of those that do not, and exchanges of those of equal size. So a square mesh
 *   has an eighth of its routers as orbits, and a hypercube one. By formula.
 * - In a mesh of two dimensions with other generators: those of the eight symmetries of the
 *   rectangle that keep the generators. By a table.
 * - Otherwise translations alone.
 *
 * Kinds are complete: two links that one of these symmetries maps onto each other have one kind, so
 * that the links of an orbit and a kind are mapped onto themselves. */
#include "netmodel/topology/lattice/lattice.h"

#include <string.h>

/* ---- generators as sets ---- */

static bool is_generator(const vef_lattice *lattice, uint32_t g, const int64_t *vector, int sign) {
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (vector[d] != sign * lattice->generator[g][d])
            return false;
    return true;
}

/* The number of generators equal to this vector or its negative, and the port of the first in that
 * direction: parallel links are interchangeable. */
static uint32_t count_generators(const vef_lattice *lattice, const int64_t *vector,
                                 uint32_t *port) {
    uint32_t count = 0;
    for (uint32_t g = lattice->generators; g-- > 0;)
        for (int sign = 1; sign >= -1; sign -= 2)
            if (is_generator(lattice, g, vector, sign)) {
                *port = 2 * g + (sign < 0);
                count++;
            }
    return count;
}

/* A linear map by its images of the unit vectors. */
typedef struct linear_map {
    int32_t image[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS];
} linear_map;

static void apply(const vef_lattice *lattice, const linear_map *map, const int32_t *vector,
                  int64_t *image) {
    for (uint32_t e = 0; e < lattice->dimensions; e++) {
        image[e] = 0;
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            image[e] += (int64_t)vector[d] * map->image[d][e];
    }
}

/* Whether the map permutes the generators (up to sign); ports[port]: the image of each port. */
static bool keeps_generators(const vef_lattice *lattice, const linear_map *map, uint32_t *ports) {
    uint32_t copies[VEF_MAX_GENERATORS], hits[VEF_MAX_GENERATORS] = {0};
    for (uint32_t g = 0; g < lattice->generators; g++) {
        int64_t vector[VEF_MAX_DIMENSIONS], image[VEF_MAX_DIMENSIONS];
        uint32_t port = 0;
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            vector[d] = lattice->generator[g][d];
        copies[g] = count_generators(lattice, vector, &port);
        apply(lattice, map, lattice->generator[g], image);
        if (count_generators(lattice, image, &port) != copies[g])
            return false;
        ports[2 * g] = port;
        ports[2 * g + 1] = port ^ 1;
        hits[port / 2]++;
    }
    for (uint32_t g = 0; g < lattice->generators; g++)
        if (hits[ports[2 * g] / 2] != copies[g])
            return false; /* two that differ would become one */
    return true;
}

/* ---- all dimensions wrap ---- */

/* Whether the map preserves the lattice, spanned by the vectors that lead once round a dimension.
 */
static bool keeps_lattice(const vef_lattice *lattice, const linear_map *map) {
    for (uint32_t turn = 0; turn < lattice->dimensions; turn++) {
        int32_t round[VEF_MAX_DIMENSIONS] = {0};
        int64_t image[VEF_MAX_DIMENSIONS];
        for (uint32_t e = 0; e < turn; e++)
            round[e] = -lattice->shifts[turn][e];
        round[turn] = lattice->sizes[turn];
        apply(lattice, map, round, image);
        for (uint32_t d = lattice->dimensions; d-- > 0;) {
            const int64_t turns = image[d] / lattice->sizes[d];
            if (image[d] % lattice->sizes[d] != 0)
                return false;
            for (uint32_t e = 0; e < d; e++)
                image[e] += turns * lattice->shifts[d][e];
        }
    }
    return true;
}

static uint16_t root_of(const uint16_t *parent, uint32_t port) {
    while (parent[port] != port)
        port = parent[port];
    return (uint16_t)port;
}

static void unite_ports(const vef_lattice *lattice, const linear_map *map, uint16_t *parent) {
    uint32_t ports[2 * VEF_MAX_GENERATORS];
    if (!keeps_generators(lattice, map, ports) || !keeps_lattice(lattice, map))
        return;
    for (uint32_t port = 0; port < 2 * lattice->generators; port++) {
        const uint16_t a = root_of(parent, port), b = root_of(parent, ports[port]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* Every map of unit vectors to directions of ports; `choices` of them. */
static void try_all_maps(const vef_lattice *lattice, uint32_t choices, uint16_t *parent) {
    for (uint32_t choice = 0; choice < choices; choice++) {
        linear_map map = {0};
        uint32_t rest = choice;
        for (uint32_t d = 0; d < lattice->dimensions; d++) {
            const uint32_t port = rest % (2 * lattice->generators);
            rest /= 2 * lattice->generators;
            for (uint32_t e = 0; e < lattice->dimensions; e++)
                map.image[d][e] =
                    port % 2 ? -lattice->generator[port / 2][e] : lattice->generator[port / 2][e];
        }
        unite_ports(lattice, &map, parent);
    }
}

/* Two dimensions exchanged, one of them turned round or not; and one turned round alone. */
static void try_exchanges(const vef_lattice *lattice, uint16_t *parent) {
    for (uint32_t i = 0; i < lattice->dimensions; i++)
        for (uint32_t j = i; j < lattice->dimensions; j++)
            for (int sign = 1; sign >= -1; sign -= 2) {
                linear_map map = {0};
                for (uint32_t d = 0; d < lattice->dimensions; d++)
                    map.image[d][d] = d != i && d != j;
                map.image[i][j] = 1;
                map.image[j][i] = sign;
                unite_ports(lattice, &map, parent);
            }
}

static void find_port_kinds(vef_lattice *lattice, vef_topology *topology) {
    enum { MOST_MAPS = 4096 };
    uint16_t *parent = vef_arena_alloc(&topology->arena, topology->ports, sizeof *parent);
    for (uint32_t port = 0; port < topology->ports; port++)
        parent[port] = (uint16_t)port;
    linear_map turned = {0};
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        turned.image[d][d] = -1;
    unite_ports(lattice, &turned, parent);
    uint64_t maps = 1;
    for (uint32_t d = 0; d < lattice->dimensions && maps <= MOST_MAPS; d++)
        maps *= topology->ports;
    if (maps <= MOST_MAPS)
        try_all_maps(lattice, (uint32_t)maps, parent);
    else
        try_exchanges(lattice, parent);
    for (uint32_t port = 0; port < topology->ports; port++)
        parent[port] = root_of(parent, port);
    lattice->port_kind = parent;
    topology->orbits = 1;
}

/* ---- unit vectors, some dimensions without wrap ---- */

static uint64_t choose(uint64_t n, uint64_t k) {
    uint64_t result = 1;
    for (uint64_t i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return result;
}

/* Distance of a coordinate from the nearer end. */
static uint32_t depth(const vef_lattice *lattice, uint32_t d, uint32_t coordinate) {
    const uint32_t last = (uint32_t)lattice->sizes[d] - 1;
    return coordinate < last - coordinate ? coordinate : last - coordinate;
}

/* The dimensions that may be exchanged with `leader`, the first of them. */
static uint32_t members_of(const vef_lattice *lattice, uint32_t leader, uint32_t *members) {
    uint32_t count = 0;
    for (uint32_t d = leader; d < lattice->dimensions; d++)
        if (!lattice->wraps[d] && lattice->exchange[d] == leader)
            members[count++] = d;
    return count;
}

static uint64_t orbits_of_class(const vef_lattice *lattice, uint32_t leader, uint32_t members) {
    const uint32_t depths = lattice->unit_generators ? ((uint32_t)lattice->sizes[leader] + 1) / 2
                                                     : (uint32_t)lattice->sizes[leader];
    return choose(depths + members - 1, members);
}

/* Numbers the multisets of depths in dimensions of equal size: sorted to a1 <= a2 <= …, number
 * sum of C(ai + i - 1, i). */
static uint64_t number_of_depths(uint32_t *depths, uint32_t count) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i; j > 0 && depths[j - 1] > depths[j]; j--) {
            const uint32_t swapped = depths[j];
            depths[j] = depths[j - 1];
            depths[j - 1] = swapped;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        number += choose(depths[i] + i, i + 1);
    return number;
}

static uint32_t orbit_by_formula(const vef_lattice *lattice, const uint32_t *coordinates) {
    uint64_t orbit = 0;
    for (uint32_t leader = 0; leader < lattice->dimensions; leader++) {
        uint32_t members[VEF_MAX_DIMENSIONS], depths[VEF_MAX_DIMENSIONS];
        if (lattice->wraps[leader] || lattice->exchange[leader] != leader)
            continue;
        const uint32_t count = members_of(lattice, leader, members);
        for (uint32_t i = 0; i < count; i++)
            depths[i] = lattice->unit_generators
                            ? depth(lattice, members[i], coordinates[members[i]])
                            : coordinates[members[i]];
        orbit = orbit * orbits_of_class(lattice, leader, count) + number_of_depths(depths, count);
    }
    return (uint32_t)orbit;
}

/* The image of a port under the reflections and exchanges that sort a router's depths; the first,
 * if equal depths or a central position leave several. */
static uint32_t kind_by_formula(const vef_lattice *lattice, const uint32_t *coordinates,
                                uint32_t port) {
    const uint32_t d = port / 2;
    if (!lattice->unit_generators || lattice->wraps[d])
        return port;
    const uint32_t last = (uint32_t)lattice->sizes[d] - 1, mine = depth(lattice, d, coordinates[d]);
    uint32_t members[VEF_MAX_DIMENSIONS], place = 0;
    const uint32_t count = members_of(lattice, lattice->exchange[d], members);
    for (uint32_t i = 0; i < count; i++)
        place += depth(lattice, members[i], coordinates[members[i]]) < mine;
    const uint32_t reflected = coordinates[d] != mine;
    const uint32_t sign = 2 * coordinates[d] == last ? 0 : (port % 2) ^ reflected;
    return 2 * members[place] + sign;
}

/* Dimensions with other generators than the unit vectors keep their places: equal sizes are not
 * sufficient. */
static void number_orbits(vef_lattice *lattice, vef_topology *topology) {
    uint64_t orbits = 1;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        lattice->exchange[d] = d;
        for (uint32_t e = d; lattice->unit_generators && e-- > 0;)
            if (!lattice->wraps[d] && !lattice->wraps[e] && lattice->sizes[d] == lattice->sizes[e])
                lattice->exchange[d] = e;
    }
    for (uint32_t leader = 0; leader < lattice->dimensions; leader++) {
        uint32_t members[VEF_MAX_DIMENSIONS];
        if (!lattice->wraps[leader] && lattice->exchange[leader] == leader)
            orbits *= orbits_of_class(lattice, leader, members_of(lattice, leader, members));
    }
    topology->orbits = (uint32_t)orbits;
}

/* ---- meshes of two dimensions with other generators ---- */

typedef struct rectangle_map {
    bool exchanged, turned[2]; /* the coordinates change places, after being reflected */
    uint32_t ports[2 * VEF_MAX_GENERATORS];
} rectangle_map;

static uint32_t find_rectangle_maps(const vef_lattice *lattice, rectangle_map maps[8]) {
    uint32_t count = 0;
    for (uint32_t which = 0; which < 8; which++) {
        rectangle_map *map = &maps[count];
        map->exchanged = which & 4;
        linear_map linear = {0};
        for (uint32_t d = 0; d < 2; d++) {
            map->turned[d] = which & (1u << d);
            linear.image[d][map->exchanged ? 1 - d : d] = map->turned[d] ? -1 : 1;
        }
        if (map->exchanged && lattice->sizes[0] != lattice->sizes[1])
            continue;
        count += keeps_generators(lattice, &linear, map->ports);
    }
    return count;
}

static uint32_t map_router(const vef_lattice *lattice, const rectangle_map *map, uint32_t router) {
    const uint32_t sizes[2] = {(uint32_t)lattice->sizes[0], (uint32_t)lattice->sizes[1]};
    uint32_t coordinates[2] = {router % sizes[0], router / sizes[0]};
    for (uint32_t d = 0; d < 2; d++)
        if (map->turned[d])
            coordinates[d] = sizes[d] - 1 - coordinates[d];
    return map->exchanged ? coordinates[1] + sizes[0] * coordinates[0]
                          : coordinates[0] + sizes[0] * coordinates[1];
}

static void tabulate_orbits(vef_lattice *lattice, vef_topology *topology) {
    const uint32_t ports = topology->ports;
    rectangle_map maps[8];
    const uint32_t count = find_rectangle_maps(lattice, maps);
    uint32_t *orbit = vef_arena_alloc(&topology->arena, topology->routers, sizeof *orbit);
    uint16_t *kind =
        vef_arena_alloc(&topology->arena, (size_t)topology->routers * ports, sizeof *kind);
    memset(kind, 0xff, (size_t)topology->routers * ports * sizeof *kind);
    for (uint32_t router = 0; router < topology->routers; router++) {
        uint32_t least = router; /* the representative of the orbit */
        for (uint32_t m = 0; m < count; m++) {
            const uint32_t image = map_router(lattice, &maps[m], router);
            least = image < least ? image : least;
        }
        orbit[router] = least == router ? topology->orbits++ : orbit[least];
        for (uint32_t m = 0; m < count; m++)
            for (uint32_t port = 0; port < ports && map_router(lattice, &maps[m], router) == least;
                 port++) {
                uint16_t *best = &kind[(size_t)router * ports + port];
                if (maps[m].ports[port] < *best)
                    *best = (uint16_t)maps[m].ports[port];
            }
    }
    lattice->orbit = orbit;
    lattice->port_kind = kind;
}

/* ---- translations ---- */

/* Wraps shift only coordinates of dimensions that wrap (check_shifts), so translations along these
 * are symmetries, and the other coordinates tell classes apart. */
static uint32_t count_translation_classes(const vef_lattice *lattice) {
    uint32_t classes = 1;
    bool any = false;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        any = any || lattice->wraps[d];
        classes *= lattice->wraps[d] ? 1 : (uint32_t)lattice->sizes[d];
    }
    return any ? classes : 0;
}

uint32_t vef_lattice_translation_class(const vef_topology *topology, uint32_t router) {
    const vef_lattice *lattice = topology->lattice;
    uint32_t class = 0, stride = 1;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        const uint32_t size = (uint32_t)lattice->sizes[d];
        if (!lattice->wraps[d]) {
            class += router % size * stride;
            stride *= size;
        }
        router /= size;
    }
    return class;
}

/* ---- reflections ---- */

/* Adds the reflection that turns round these dimensions, a bit each, if the generators allow it and
 * it is not a product of earlier ones. Turning round is linear but for a translation. */
static void try_reflection(vef_lattice *lattice, uint32_t turned, vef_topology *topology,
                           uint16_t *port_images) {
    uint32_t ports[2 * VEF_MAX_GENERATORS];
    linear_map map = {0};
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        map.image[d][d] = turned >> d & 1 ? -1 : 1;
    if (!keeps_generators(lattice, &map, ports))
        return;
    uint16_t *images = port_images + (size_t)topology->reflections * topology->ports;
    for (uint32_t port = 0; port < topology->ports; port++) {
        if (ports[ports[port]] != port) /* parallel links */
            return;
        images[port] = (uint16_t)ports[port];
    }
    lattice->turned[topology->reflections++] = turned;
}

/* Of dimensions that do not wrap: each of them with the unit vectors, else in two dimensions each
 * or both. Wraps shift only coordinates of dimensions that wrap, which keep theirs. */
static void find_reflections(vef_lattice *lattice, vef_topology *topology) {
    const uint32_t n = lattice->dimensions;
    uint16_t *images =
        vef_arena_alloc(&topology->arena, (size_t)n * topology->ports, sizeof *images);
    lattice->reflected_port = images;
    if (!lattice->unit_generators && (n != 2 || lattice->wraps[0] || lattice->wraps[1]))
        return;
    for (uint32_t d = 0; d < n; d++)
        if (!lattice->wraps[d])
            try_reflection(lattice, 1u << d, topology, images);
    if (topology->reflections == 0 && !lattice->unit_generators)
        try_reflection(lattice, 3, topology, images);
}

uint32_t vef_lattice_reflect(const vef_topology *topology, uint32_t which, uint32_t router) {
    const vef_lattice *lattice = topology->lattice;
    uint32_t stride = 1, image = router;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        const uint32_t size = (uint32_t)lattice->sizes[d], coordinate = router / stride % size;
        if (lattice->turned[which] >> d & 1)
            image += (size - 1 - coordinate) * stride - coordinate * stride;
        stride *= size;
    }
    return image;
}

uint32_t vef_lattice_reflect_port(const vef_topology *topology, uint32_t which, uint32_t port) {
    return topology->lattice->reflected_port[(size_t)which * topology->ports + port];
}

/* ---- for the families ---- */

void vef_lattice_find_symmetries(vef_lattice *lattice, vef_topology *topology) {
    topology->translation_classes = count_translation_classes(lattice);
    if (lattice->all_wrap) {
        find_port_kinds(lattice, topology);
        return;
    }
    find_reflections(lattice, topology);
    if (lattice->dimensions == 2 && !lattice->wraps[0] && !lattice->wraps[1] &&
        !lattice->unit_generators)
        tabulate_orbits(lattice, topology);
    else
        number_orbits(lattice, topology);
}

uint32_t vef_lattice_orbit(const vef_topology *topology, uint32_t router) {
    const vef_lattice *lattice = topology->lattice;
    if (lattice->all_wrap)
        return 0;
    if (lattice->orbit)
        return lattice->orbit[router];
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, coordinates);
    return orbit_by_formula(lattice, coordinates);
}

uint32_t vef_lattice_port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_lattice *lattice = topology->lattice;
    if (lattice->port_kind)
        return lattice
            ->port_kind[(lattice->all_wrap ? 0 : (size_t)router * topology->ports) + port];
    uint32_t coordinates[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, router, coordinates);
    return kind_by_formula(lattice, coordinates, port);
}
