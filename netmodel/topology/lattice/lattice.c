/* Building a lattice network: checks, neighbours, names, differences. See lattice.h. */
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

static const char *const axis_letters = "xyz";

vef_code vef_lattice_take_sizes(vef_lattice *lattice, const vef_int_list *sizes, vef_error *error) {
    if (sizes->count < 1 || sizes->count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "sizes: %zu dimensions: out of range: expected 1 to %d",
                        sizes->count, VEF_MAX_DIMENSIONS);
    lattice->dimensions = (uint32_t)sizes->count;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        lattice->sizes[d] = (int32_t)sizes->values[d];
    return VEF_OK;
}

vef_code vef_lattice_take_two_sizes(vef_lattice *lattice, const vef_int_list *sizes,
                                    vef_error *error) {
    if (sizes->count != 2)
        return vef_fail(error, VEF_INVALID,
                        "sizes: a list of %zu: expected two dimensions, such as [8, 8]",
                        sizes->count);
    return vef_lattice_take_sizes(lattice, sizes, error);
}

void vef_lattice_unit_generators(vef_lattice *lattice) {
    lattice->generators = lattice->dimensions;
    memset(lattice->generator, 0, sizeof lattice->generator);
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        lattice->generator[d][d] = 1;
}

/* ---- checks ---- */

static vef_code check_sizes(const vef_lattice *lattice, vef_error *error) {
    if (lattice->dimensions < 1 || lattice->dimensions > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "sizes: %u dimensions: out of range: expected 1 to %d",
                        lattice->dimensions, VEF_MAX_DIMENSIONS);
    int64_t routers = 1;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        if (lattice->sizes[d] < 2)
            return vef_fail(
                error, VEF_INVALID,
                "sizes: dimension %u has size %d: expected at least 2 (omit dimensions of size 1)",
                d, lattice->sizes[d]);
        routers *= lattice->sizes[d];
        if (routers > VEF_MAX_LATTICE_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "sizes: more than %d routers: expected fewer or smaller sizes",
                            VEF_MAX_LATTICE_ROUTERS);
    }
    return VEF_OK;
}

/* Reduces the shifts of dimension d, given reduced shifts of earlier dimensions, to [0, size of the
 * shifted dimension). A full turn removed from dimension e adds e's shifts of earlier dimensions:
 * the network stays Z^n modulo the same lattice. The number of turns at most doubles from dimension
 * to dimension, beginning with the largest shift, so 64 bits suffice. */
static void bring_shifts_into_range(vef_lattice *lattice, uint32_t d) {
    int64_t shift[VEF_MAX_DIMENSIONS];
    for (uint32_t e = 0; e < d; e++)
        shift[e] = lattice->shifts[d][e];
    for (uint32_t e = d; e-- > 0;) {
        const int64_t size = lattice->sizes[e];
        const int64_t turns = shift[e] / size - (shift[e] % size < 0);
        shift[e] -= turns * size;
        for (uint32_t f = 0; f < e; f++)
            shift[f] += turns * lattice->shifts[e][f];
        lattice->shifts[d][e] = (int32_t)shift[e];
    }
}

/* Checks and reduces the shifts. */
static vef_code check_shifts(vef_lattice *lattice, vef_error *error) {
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        for (uint32_t e = 0; e < lattice->dimensions; e++) {
            int32_t shift = lattice->shifts[d][e];
            if (shift == 0)
                continue;
            if (e >= d)
                return vef_fail(error, VEF_INVALID,
                                "shifts: the wrap of dimension %u shifts dimension %u by %d: "
                                "expected shifts of earlier dimensions only",
                                d, e, shift);
            if (!lattice->wraps[d] || !lattice->wraps[e])
                return vef_fail(error, VEF_INVALID,
                                "shifts: dimension %u shifts dimension %u by %d, but dimension %u "
                                "does not wrap: expected shifts between dimensions that wrap",
                                d, e, shift, lattice->wraps[d] ? e : d);
        }
        bring_shifts_into_range(lattice, d);
    }
    return VEF_OK;
}

static vef_code check_generators(const vef_lattice *lattice, vef_error *error) {
    if (lattice->generators < 1 || lattice->generators > VEF_MAX_GENERATORS)
        return vef_fail(error, VEF_INVALID, "generators: %u are out of range: expected 1 to %d",
                        lattice->generators, VEF_MAX_GENERATORS);
    for (uint32_t g = 0; g < lattice->generators; g++) {
        int32_t vector[VEF_MAX_DIMENSIONS] = {0};
        bool back_home = true;
        for (uint32_t d = 0; d < lattice->dimensions; d++) {
            vector[d] = lattice->generator[g][d];
            if (vector[d] <= -lattice->sizes[d] || vector[d] >= lattice->sizes[d])
                return vef_fail(error, VEF_INVALID,
                                "generators: number %u goes %d along dimension %u, whose size is "
                                "%d: expected less than the size",
                                g, vector[d], d, lattice->sizes[d]);
        }
        if (vef_lattice_reduce(lattice, vector))
            for (uint32_t d = 0; d < lattice->dimensions; d++)
                back_home = back_home && vector[d] == 0;
        else
            back_home = false;
        if (back_home)
            return vef_fail(error, VEF_INVALID,
                            "generators: number %u leads from every router to itself: expected one "
                            "to another router",
                            g);
    }
    return VEF_OK;
}

/* ---- the graph ---- */

static void coordinates_of(const vef_lattice *lattice, uint32_t router, int32_t *coordinates) {
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        uint32_t size = (uint32_t)lattice->sizes[d];
        coordinates[d] = (int32_t)(router % size);
        router /= size;
    }
}

static uint32_t number_of(const vef_lattice *lattice, const int32_t *coordinates) {
    uint32_t number = 0;
    for (uint32_t d = lattice->dimensions; d-- > 0;)
        number = number * (uint32_t)lattice->sizes[d] + (uint32_t)coordinates[d];
    return number;
}

static vef_code build_ports(const vef_lattice *lattice, vef_topology *topology, vef_error *error) {
    topology->ports = lattice->generators * 2;
    vef_code code = vef_topology_make_ports(topology, error);
    for (uint32_t router = 0; router < topology->routers && code == VEF_OK; router++) {
        int32_t here[VEF_MAX_DIMENSIONS], there[VEF_MAX_DIMENSIONS];
        coordinates_of(lattice, router, here);
        for (uint32_t g = 0; g < lattice->generators; g++) {
            for (uint32_t d = 0; d < lattice->dimensions; d++)
                there[d] = here[d] + lattice->generator[g][d];
            if (vef_lattice_reduce(lattice, there))
                vef_topology_join(topology, router, 2 * g, number_of(lattice, there), 2 * g + 1);
        }
    }
    return code;
}

/* Counts the routers reachable from router 0. */
static vef_code check_connected(const vef_topology *topology, vef_error *error) {
    vef_arena arena = {0};
    uint32_t *queue = vef_arena_alloc(&arena, topology->routers, sizeof *queue);
    bool *reached = vef_arena_alloc(&arena, topology->routers, sizeof *reached);
    uint32_t count = 1;
    reached[0] = true;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t next = vef_topology_next(topology, queue[i], port);
            if (next != VEF_NO_ROUTER && !reached[next]) {
                reached[next] = true;
                queue[count++] = next;
            }
        }
    vef_arena_release(&arena);
    if (count < topology->routers)
        return vef_fail(error, VEF_INVALID,
                        "generators: they connect only %u of the %u routers: expected more "
                        "generators (the unit vectors always connect)",
                        count, topology->routers);
    return VEF_OK;
}

static bool has_unit_generators(const vef_lattice *lattice) {
    if (lattice->generators != lattice->dimensions)
        return false;
    for (uint32_t g = 0; g < lattice->generators; g++)
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            if (lattice->generator[g][d] != (g == d))
                return false;
    return true;
}

vef_code vef_lattice_build(const vef_lattice *given, vef_topology *topology, vef_error *error) {
    vef_lattice *lattice = vef_arena_alloc(&topology->arena, 1, sizeof *lattice);
    *lattice = *given;
    vef_code code = check_sizes(lattice, error);
    if (code == VEF_OK)
        code = check_shifts(lattice, error);
    if (code == VEF_OK)
        code = check_generators(lattice, error);
    if (code != VEF_OK)
        return code;
    topology->routers = 1;
    topology->dimensions = lattice->dimensions;
    lattice->unit_generators = has_unit_generators(lattice);
    lattice->all_wrap = true;
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        topology->sizes[d] = (uint32_t)lattice->sizes[d];
        topology->routers *= (uint32_t)lattice->sizes[d];
        lattice->all_wrap = lattice->all_wrap && lattice->wraps[d];
    }
    if (lattice->unit_generators)
        code = vef_lattice_check_records(lattice, error);
    if (code == VEF_OK)
        code = build_ports(lattice, topology, error);
    if (code == VEF_OK)
        code = check_connected(topology, error);
    if (code == VEF_OK && (lattice->all_wrap || lattice->unit_generators))
        code = vef_lattice_tabulate(lattice, &topology->arena, error);
    else if (code == VEF_OK && vef_lattice_is_planar(lattice))
        code = vef_lattice_planar_rows(lattice, &topology->arena, error);
    if (code == VEF_OK)
        vef_lattice_find_rtt(lattice, &topology->arena);
    lattice->any_order = lattice->first && !(lattice->planar && lattice->generators == 4);
    if (code == VEF_OK)
        vef_lattice_find_symmetries(lattice, topology);
    topology->link_classes = lattice->generators;
    if (lattice->first)
        topology->distance = vef_lattice_distance;
    topology->lattice = lattice;
    return code;
}

/* ---- differences ---- */

/* By the table: dimensions that do not wrap directly, the others reduced and looked up. */
static void minimal_by_table(const vef_lattice *lattice, int32_t *difference,
                             vef_minimal *minimal) {
    memset(minimal->straight, 0, sizeof minimal->straight);
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (!lattice->wraps[d]) {
            minimal->straight[d] = (int16_t)difference[d];
            difference[d] = 0;
        }
    vef_lattice_reduce(lattice, difference);
    uint32_t number = 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        number += lattice->stride[d] * (uint32_t)difference[d];
    minimal->count = lattice->first[number + 1] - lattice->first[number];
    minimal->records = lattice->records + (size_t)lattice->first[number] * lattice->generators;
}

void vef_lattice_minimal(const vef_lattice *lattice, uint32_t source, uint32_t destination,
                         vef_minimal *minimal) {
    int32_t to[VEF_MAX_DIMENSIONS]; /* from the source */
    for (uint32_t d = 0; d < lattice->dimensions; d++) {
        const uint32_t size = (uint32_t)lattice->sizes[d];
        to[d] = (int32_t)(destination % size) - (int32_t)(source % size);
        destination /= size;
        source /= size;
    }
    if (lattice->rtt != 0)
        vef_lattice_rtt_minimal(lattice, to, minimal);
    else if (lattice->planar)
        vef_lattice_planar_minimal(lattice, to, minimal);
    else
        minimal_by_table(lattice, to, minimal);
}

uint32_t vef_lattice_distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_lattice *lattice = topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, from, to, &minimal);
    uint32_t length = 0;
    for (uint32_t g = 0; g < lattice->generators; g++)
        length += (uint32_t)abs(minimal.straight[g] + minimal.records[g]);
    return length;
}

/* ---- names and classes ---- */

/* "x", "d4", "(1,1)". */
static void name_generator(const vef_lattice *lattice, uint32_t g, char *text, size_t text_bytes) {
    const int32_t *generator = lattice->generator[g];
    uint32_t axis = 0, entries = 0;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (generator[d] != 0) {
            axis = d;
            entries++;
        }
    if (entries == 1 && generator[axis] == 1) {
        if (lattice->dimensions <= 3)
            snprintf(text, text_bytes, "%c", axis_letters[axis]);
        else
            snprintf(text, text_bytes, "d%u", axis);
        return;
    }
    snprintf(text, text_bytes, "(%d", generator[0]);
    for (uint32_t d = 1; d < lattice->dimensions; d++)
        vef_append(text, text_bytes, ",%d", generator[d]);
    vef_append(text, text_bytes, ")");
}

void vef_lattice_port_name(const vef_topology *topology, uint32_t port, char *text,
                           size_t text_bytes) {
    char name[VEF_PORT_NAME_BYTES];
    name_generator(topology->lattice, port / 2, name, sizeof name);
    const char *sign = port % 2 == 0 ? "+" : "-";
    bool axis = name[0] != '('; /* "x+", but "+(1,1)" */
    snprintf(text, text_bytes, "%s%s", axis ? name : sign, axis ? sign : name);
}

uint32_t vef_lattice_link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology, (void)router;
    return port / 2;
}

void vef_lattice_link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                                 size_t text_bytes) {
    name_generator(topology->lattice, link_class, text, text_bytes);
}
