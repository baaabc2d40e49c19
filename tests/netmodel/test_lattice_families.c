/* The families of lattice networks against the distances that their papers print and against closed
 * forms. */
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* From router 0, which is as good as any where all dimensions wrap, else over all pairs. */
static double average_of(const vef_topology *topology, uint32_t *diameter) {
    if (!topology->lattice->all_wrap)
        return average_distance(topology, diameter);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    uint64_t sum = 0;
    *diameter = 0;
    distances_from(topology, 0, distance);
    for (uint32_t r = 0; r < topology->routers; r++) {
        sum += distance[r];
        *diameter = distance[r] > *diameter ? distance[r] : *diameter;
    }
    free(distance);
    return (double)sum / topology->routers;
}

/* Camara et al., TPDS 2010, sections 2 and 4 (RT to PDTT); Stafford et al. (diagonal and king). */
static void test_distances_of_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t diameter;
        double average;
    } rows[] = {
        {"rt", "{a: 4}", 6, 3.0},
        {"rtt", "{a: 4}", 4, 2.625},
        {"rt", "{a: 16}", 24, 12.0},
        {"rtt", "{a: 16}", 16, 10.65625},
        {"pt", "{a: 8}", 16, 8.0},
        {"ptt", "{a: 8}", 12, 7.3125},
        {"pdtt", "{a: 8}", 12, 6.96875},
        {"torus", "{sizes: [16, 16]}", 16, 8.0},
        {"king-torus", "{sizes: [16, 16]}", 8, 5.34375},
        /* the same as lattices by hand */
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], []]}", 12, 7.3125},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], [8]]}", 12, 6.96875},
        {"lattice", "{sizes: [16, 16], generators: [[1,0], [0,1], [1,1], [-1,1]]}", 8, 5.34375},
        /* Zhang, Powell, Deng, Table 2: printed with four decimals, here exact */
        {"torus", "{sizes: [16, 16, 16, 8]}", 28, 14.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        uint32_t diameter;
        double average = average_of(topology, &diameter);
        assert_int_equal(diameter, rows[i].diameter);
        assert_near(average, rows[i].average, 1e-12);
        vef_topology_destroy(topology);
    }
}

/* Camara et al., section 2: 1, then 4d routers at distance 0 < d < a, then 2a - 1 at distance a. */
static void test_distribution_and_average_of_rtt(void **state) {
    (void)state;
    for (uint32_t a = 2; a <= 20; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %u}", a);
        vef_topology *topology = topology_of("rtt", parameters, 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        uint32_t at_distance[64] = {0};
        uint64_t sum = 0;
        distances_from(topology, 0, distance);
        for (uint32_t r = 0; r < topology->routers; r++) {
            assert_true(distance[r] <= a);
            at_distance[distance[r]]++;
            sum += distance[r];
        }
        assert_int_equal(at_distance[0], 1);
        for (uint32_t d = 1; d < a; d++)
            assert_int_equal(at_distance[d], 4 * d);
        assert_int_equal(at_distance[a], 2 * a - 1);
        /* average a (4 a^2 - 1) / (6 a^2), times the 2 a^2 routers */
        assert_int_equal(sum * 3, a * (4 * a * a - 1));
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* Routers at each distance from `source`. */
static void distribution_from(const vef_topology *topology, uint32_t source, uint32_t *count,
                              uint32_t room) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    distances_from(topology, source, distance);
    memset(count, 0, room * sizeof *count);
    for (uint32_t r = 0; r < topology->routers; r++) {
        assert_true(distance[r] < room);
        count[distance[r]]++;
    }
    free(distance);
}

/* Stafford et al., section 2: with an odd side s there are 8d routers at distance d, up to
 * floor(s/2); the two kinds of diagonal networks are isomorphic. */
static void test_king_and_diagonal_tori(void **state) {
    (void)state;
    for (uint32_t s = 3; s <= 17; s += 2) {
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{sizes: [%u, %u]}", s, s);
        vef_topology *topology = topology_of("king-torus", parameters, 1);
        uint32_t count[64];
        distribution_from(topology, 0, count, 64);
        assert_int_equal(count[0], 1);
        for (uint32_t d = 1; d < 64; d++)
            assert_int_equal(count[d], d <= s / 2 ? 8 * d : 0);
        vef_topology_destroy(topology);
    }
    for (uint32_t s = 2; s <= 9; s++)
        for (uint32_t other = 2; other <= 9; other++) {
            char parameters[64];
            uint32_t count[2][64];
            for (int west = 0; west < 2; west++) {
                snprintf(parameters, sizeof parameters, "{sizes: [%u, %u], diagonal: %s}", s, other,
                         west ? "north-west" : "north-east");
                vef_topology *topology = topology_of("diagonal-torus", parameters, 1);
                distribution_from(topology, 0, count[west], 64);
                vef_topology_destroy(topology);
            }
            assert_memory_equal(count[0], count[1], sizeof count[0]);
        }
}

/* Stafford et al., section 2: the average distance of DT(16), printed with four decimals. The paper
 * gives s as the diameter of DT(s), which is an upper bound. Straight on, round one way, round the
 * other or round both ways, a router x east and y north is max(x, y), s - x + y, s + x - y or
 * max(s - x, s - y) hops away; the greatest of the least of these is floor(2s / 3). */
static void test_diagonal_tori(void **state) {
    (void)state;
    vef_topology *topology = topology_of("diagonal-torus", "{sizes: [16, 16]}", 1);
    uint32_t diameter;
    assert_near(average_distance(topology, &diameter), 6.2109, 0.00005);
    assert_int_equal(diameter, 10);
    vef_topology_destroy(topology);
    for (int s = 3; s <= 20; s++) {
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{sizes: [%d, %d]}", s, s);
        topology = topology_of("diagonal-torus", parameters, 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        distances_from(topology, 0, distance);
        int greatest = 0;
        for (int y = 0; y < s; y++)
            for (int x = 0; x < s; x++) {
                const int ways[] = {x > y ? x : y, s - x + y, s + x - y, s - (x < y ? x : y)};
                int least = ways[0];
                for (int i = 1; i < 4; i++)
                    least = ways[i] < least ? ways[i] : least;
                assert_int_equal(distance[y * s + x], least);
                greatest = least > greatest ? least : greatest;
            }
        assert_int_equal(greatest, 2 * s / 3);
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* max(|dx|, |dy|) on a king mesh; on a diagonal mesh that too where dx and dy go the way of the
 * diagonal, else |dx| + |dy| (Stafford et al., sections 1 and 3.2). */
static void test_distances_of_meshes_with_diagonals(void **state) {
    (void)state;
    static const char *const parameters[] = {"{sizes: [7, 4]}", "{sizes: [2, 6]}"};
    static const char *const families[] = {"king-mesh", "diagonal-mesh"};
    for (size_t i = 0; i < 4; i++) {
        vef_topology *topology = topology_of(families[i / 2], parameters[i % 2], 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        for (uint32_t a = 0; a < topology->routers; a++) {
            distances_from(topology, a, distance);
            for (uint32_t b = 0; b < topology->routers; b++) {
                uint32_t from[2], to[2];
                vef_topology_coordinates(topology, a, from);
                vef_topology_coordinates(topology, b, to);
                int x = (int)to[0] - (int)from[0], y = (int)to[1] - (int)from[1];
                int longer = abs(x) > abs(y) ? abs(x) : abs(y);
                bool helps = i / 2 == 0 || (x > 0) == (y > 0);
                assert_int_equal(distance[b], helps ? longer : abs(x) + abs(y));
            }
        }
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* C(n, d) routers at distance d, n links each, one to a dimension. */
static void test_hypercubes(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 15; n += n < 10 ? 1 : 5) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{dimensions: %u}", n);
        vef_topology *topology = topology_of("hypercube", parameters, 1);
        assert_int_equal(topology->routers, 1u << n);
        assert_int_equal(topology->orbits, 1);
        uint32_t count[32];
        distribution_from(topology, topology->routers - 1, count, 32);
        uint64_t ways = 1; /* C(n, d) */
        for (uint32_t d = 0; d <= n; d++) {
            assert_int_equal(count[d], ways);
            ways = ways * (n - d) / (d + 1);
        }
        for (uint32_t r = 0; r < topology->routers; r++) {
            uint32_t links = 0;
            for (uint32_t port = 0; port < topology->ports; port++) {
                uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
                links += next != VEF_NO_ROUTER;
                if (next != VEF_NO_ROUTER)
                    assert_int_equal(r ^ next, 1u << port / 2);
            }
            assert_int_equal(links, n);
        }
        vef_topology_destroy(topology);
    }
}

/* With a size of 2 both diagonals of a king torus lead the same way: eight links stay, in parallel,
 * to five neighbours on 2 x s and to three on 2 x 2. */
static void test_king_torus_with_a_size_of_two(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t neighbours;
    } rows[] = {{"{sizes: [2, 2]}", 3}, {"{sizes: [2, 5]}", 5}, {"{sizes: [6, 2]}", 5}};
    for (size_t i = 0; i < 3; i++) {
        vef_topology *topology = topology_of("king-torus", rows[i].parameters, 1);
        uint32_t count[8];
        distribution_from(topology, 0, count, 8);
        assert_int_equal(topology->ports, 8);
        assert_int_equal(count[1], rows[i].neighbours);
        for (uint32_t port = 0; port < 8; port++)
            assert_int_not_equal(topology->neighbour[port], VEF_NO_ROUTER);
        vef_topology_destroy(topology);
    }
}

/* ---- which routers are linked, as the papers define it ---- */

static bool is_step(int32_t from, int32_t to) {
    return abs(to - from) == 1;
}

static bool on_ring(int32_t from, int32_t to, int32_t size) {
    return is_step(from, to) || abs(to - from) == size - 1;
}

/* Camara et al., definition 5: a mesh; (x, 0) and (x +- a, a - 1); (0, y) and (2a - 1, y). */
static bool in_rtt(int32_t a, int32_t x, int32_t y, int32_t to_x, int32_t to_y) {
    const bool column = abs(to_y - y) == a - 1 && abs(to_x - x) == a;
    return (y == to_y && on_ring(x, to_x, 2 * a)) || (x == to_x && is_step(y, to_y)) || column;
}

typedef bool (*linked)(int32_t size, const int32_t *from, const int32_t *to);

static bool in_rt_of(int32_t a, const int32_t *from, const int32_t *to) {
    return from[1] == to[1] ? on_ring(from[0], to[0], 2 * a)
                            : from[0] == to[0] && on_ring(from[1], to[1], a);
}

static bool in_rtt_of(int32_t a, const int32_t *from, const int32_t *to) {
    return in_rtt(a, from[0], from[1], to[0], to[1]);
}

static bool in_pt_of(int32_t a, const int32_t *from, const int32_t *to) {
    return from[2] == to[2] ? in_rt_of(a, from, to)
                            : from[0] == to[0] && from[1] == to[1] && on_ring(from[2], to[2], a);
}

/* Definition 8: the product of an RTT and a ring along z. */
static bool in_ptt_of(int32_t a, const int32_t *from, const int32_t *to) {
    return from[2] == to[2] ? in_rtt_of(a, from, to)
                            : from[0] == to[0] && from[1] == to[1] && on_ring(from[2], to[2], a);
}

/* Definition 10 and section 3.4: RTTs in the XY planes and in the XZ planes. */
static bool in_pdtt_of(int32_t a, const int32_t *from, const int32_t *to) {
    return (from[2] == to[2] && in_rtt(a, from[0], from[1], to[0], to[1])) ||
           (from[1] == to[1] && in_rtt(a, from[0], from[2], to[0], to[2]));
}

/* Stafford et al., definitions 1 and 2: (x, y) +- (1, 0), +- (0, 1), the diagonals +- (1, 1) and
 * +- (-1, 1), modulo (s, s) in tori. */
static bool by_planar_steps(int32_t s, bool wraps, bool north_east, bool north_west,
                            const int32_t *from, const int32_t *to) {
    int32_t x = to[0] - from[0], y = to[1] - from[1];
    if (wraps && abs(x) == s - 1)
        x = x > 0 ? -1 : 1;
    if (wraps && abs(y) == s - 1)
        y = y > 0 ? -1 : 1;
    return abs(x) + abs(y) == 1 ||
           (abs(x) == 1 && abs(y) == 1 && (x == y ? north_east : north_west));
}

static bool in_dm_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, false, true, false, from, to);
}

static bool in_west_dm_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, false, false, true, from, to);
}

static bool in_dt_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, true, true, false, from, to);
}

static bool in_west_dt_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, true, false, true, from, to);
}

static bool in_km_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, false, true, true, from, to);
}

static bool in_kt_of(int32_t s, const int32_t *from, const int32_t *to) {
    return by_planar_steps(s, true, true, true, from, to);
}

/* One link between routers that the definition links and none between others, for sizes that have
 * no links in parallel. */
static void test_links_are_those_of_the_definitions(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters; /* %d: the size */
        linked linked;
    } rows[] = {
        {"rt", "{a: %d}", in_rt_of},
        {"rtt", "{a: %d}", in_rtt_of},
        {"pt", "{a: %d}", in_pt_of},
        {"ptt", "{a: %d}", in_ptt_of},
        {"pdtt", "{a: %d}", in_pdtt_of},
        {"diagonal-mesh", "{sizes: [%d, %d]}", in_dm_of},
        {"diagonal-mesh", "{sizes: [%d, %d], diagonal: north-west}", in_west_dm_of},
        {"diagonal-torus", "{sizes: [%d, %d]}", in_dt_of},
        {"diagonal-torus", "{sizes: [%d, %d], diagonal: north-west}", in_west_dt_of},
        {"king-mesh", "{sizes: [%d, %d]}", in_km_of},
        {"king-torus", "{sizes: [%d, %d]}", in_kt_of},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int32_t size = 3; size <= 5; size++) {
            char parameters[80];
            snprintf(parameters, sizeof parameters, rows[i].parameters, size, size);
            vef_topology *topology = topology_of(rows[i].family, parameters, 1);
            for (uint32_t r = 0; r < topology->routers; r++)
                for (uint32_t other = 0; other < topology->routers; other++) {
                    int32_t from[VEF_MAX_DIMENSIONS], to[VEF_MAX_DIMENSIONS];
                    vef_topology_coordinates(topology, r, (uint32_t *)from);
                    vef_topology_coordinates(topology, other, (uint32_t *)to);
                    uint32_t links = 0;
                    for (uint32_t port = 0; port < topology->ports; port++)
                        links += topology->neighbour[r * topology->ports + port] == other;
                    assert_int_equal(links, r != other && rows[i].linked(size, from, to));
                }
            vef_topology_destroy(topology);
        }
}

/* A network as its shifts describe it: crossing the end of z (upwards) subtracts its size and adds
 * zx to x and zy to y; of y, adds yx to x. So places are equal that differ by (sx, 0, 0), by
 * (yx, -sy, 0), by (zx, zy, -sz), or by sums of these. */
typedef struct twisted_box {
    int64_t size[3], yx, zx, zy;
} twisted_box;

static bool same_place(const twisted_box *box, int64_t x, int64_t y, int64_t z) {
    if (z % box->size[2] != 0)
        return false;
    const int64_t times_z = z / box->size[2];
    x += times_z * box->zx;
    y += times_z * box->zy;
    if (y % box->size[1] != 0)
        return false;
    return (x + y / box->size[1] * box->yx) % box->size[0] == 0;
}

/* Every link leads where the shifts say, whatever their signs and sizes. A wrap that shifts an
 * earlier dimension by more than its size, or backwards, goes round that dimension too, and so
 * shifts the ones before it. */
static void test_shifts_beyond_the_sizes(void **state) {
    (void)state;
    static const twisted_box rows[] = {
        {{8, 4, 4}, 4, 0, -1},  {{8, 4, 4}, 4, 0, 3},
        {{8, 4, 4}, 4, 0, 4},   {{5, 3, 2}, 1, -7, 8},
        {{5, 3, 2}, -6, 2, -9}, {{7, 2, 3}, 3, 100, -101},
        {{2, 2, 2}, 1, 1, -1},  {{3, 4, 5}, 16777216, -16777216, 16777216},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const twisted_box *box = &rows[i];
        char parameters[160];
        snprintf(parameters, sizeof parameters,
                 "{sizes: [%lld, %lld, %lld], shifts: [[], [%lld], [%lld, %lld]]}",
                 (long long)box->size[0], (long long)box->size[1], (long long)box->size[2],
                 (long long)box->yx, (long long)box->zx, (long long)box->zy);
        vef_topology *topology = topology_of("lattice", parameters, 1);
        for (uint32_t r = 0; r < topology->routers; r++)
            for (uint32_t port = 0; port < 6; port++) {
                uint32_t here[VEF_MAX_DIMENSIONS], there[VEF_MAX_DIMENSIONS];
                int64_t by[3];
                vef_topology_coordinates(topology, r, here);
                vef_topology_coordinates(topology, topology->neighbour[r * 6 + port], there);
                for (uint32_t d = 0; d < 3; d++)
                    by[d] = (int64_t)there[d] - (int64_t)here[d];
                by[port / 2] -= port % 2 == 0 ? 1 : -1;
                assert_true(same_place(box, by[0], by[1], by[2]));
            }
        vef_topology_destroy(topology);
    }
}

/* In many dimensions of size 2, turns add up from dimension to dimension. */
static void test_long_shifts_in_many_dimensions(void **state) {
    (void)state;
    /* The numbers outgrow 64 bits, and are asked for a bit or, a dimension on, for one more each.
     */
    enum { DIMENSIONS = 9, LONG = 16777215, ENOUGH = 1 << 20 };
    char parameters[512] = "{sizes: [2", *cursor = parameters + strlen(parameters);
    for (int d = 1; d < DIMENSIONS; d++)
        cursor += sprintf(cursor, ", 2");
    cursor += sprintf(cursor, "], shifts: [[]");
    for (int d = 1; d < DIMENSIONS; d++)
        for (int e = 0; e < d; e++)
            cursor += sprintf(cursor, "%s%d%s", e == 0 ? ", [" : ", ", LONG, e == d - 1 ? "]" : "");
    sprintf(cursor, "]}");
    vef_topology *topology = topology_of("lattice", parameters, 1);
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t d = 0; d < DIMENSIONS; d++) {
            int64_t by[DIMENSIONS];
            const uint32_t there = topology->neighbour[r * 2 * DIMENSIONS + 2 * d];
            for (uint32_t e = 0; e < DIMENSIONS; e++)
                by[e] = (int64_t)(there >> e & 1) - (int64_t)(r >> e & 1) - (e == d);
            for (uint32_t e = DIMENSIONS; e-- > 0;) {
                assert_true(by[e] % 2 == 0);
                for (uint32_t f = 0; f < e; f++)
                    by[f] = (by[f] + by[e] / 2 * LONG) % ENOUGH;
            }
        }
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_of_the_papers),
        cmocka_unit_test(test_distribution_and_average_of_rtt),
        cmocka_unit_test(test_king_and_diagonal_tori),
        cmocka_unit_test(test_diagonal_tori),
        cmocka_unit_test(test_distances_of_meshes_with_diagonals),
        cmocka_unit_test(test_hypercubes),
        cmocka_unit_test(test_king_torus_with_a_size_of_two),
        cmocka_unit_test(test_links_are_those_of_the_definitions),
        cmocka_unit_test(test_shifts_beyond_the_sizes),
        cmocka_unit_test(test_long_shifts_in_many_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
