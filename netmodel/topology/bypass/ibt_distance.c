/* Distances in interlaced bypass tori with one bypass length l in up to three bypass dimensions.
 *
 * Zhang, Powell, Deng: "Interlacing Bypass Rings to Torus Networks for More Efficient Networks",
 * section 3. A path makes b_d bypass hops and r_d torus hops (net, with signs) along bypass
 * dimension d, where b_d l + r_d is the difference of the coordinates modulo the size N_d. Its
 * length is |b| + |r| plus a penalty for detours to a router with a bypass of each dimension that
 * it uses. Bypass hops preserve S (the sum of the coordinates) modulo L and thus the bypass
 * dimension, and a torus hop changes S by one, so the penalty depends on the start of the path, on
 * which b_d are not 0, and on the torus hops. Plain dimensions add their torus distance.
 *
 * The printed formula uses one b and r: t is the shortest way round the torus, b is t / l rounded
 * to the nearest, r the rest. Three corrections are made here:
 *
 *   - The printed t is 0 for the difference N / 2: with N = 8, l = 4 two routers 4 apart have
 *     distance 0. It must be N / 2, in either direction. (A t / l half way between two whole
 *     numbers is rounded towards 0.)
 *   - The shortest way round is not always the best for bypasses. With N = 14, l = 4 a router 6
 *     away is at distance 2 (two bypasses back), and the formula gives 3. With the first
 *     correction, it is valid if in each bypass dimension l <= N / 2 and l divides N or, with L =
 *     2, N is 2 q l + 2 (q >= 1), and for no other size up to 34 (L = 2) and 18 (L = 3), which a
 *     test checks.
 *   - It is for l >= 4 with L = 2 and l >= 6 with L = 3 (printed as l = L (k + 1), k >= 1). With l
 *     = L bypass hops are not always better than the torus hops they replace: with L = 2, l = 2,
 *     from (0, 0) to (0, 2), a bypass of a dimension that (0, 0) does not have, takes 2 torus hops,
 *     and the formula gives 1 + 2.
 *
 * So the distance is the minimum of |b| + |r| + penalty over every b modulo N / gcd(N, l), where
 * r is the shorter way round for the rest. This is correct for every l: other choices of b and r
 * for the same end only add hops. The choices in one dimension affect the penalty in eight ways,
 * so each dimension contributes the minimum of each (over at most N / gcd(N, l) + 1 terms), and
 * these are then combined. */
#include "netmodel/topology/bypass/ibt_distance.h"

#include <assert.h>

/* Torus hops along one dimension, as far as they affect the penalty. */
typedef enum steps { STEPS_NONE, STEP_UP, STEP_DOWN, STEPS_MANY, STEP_KINDS } steps;

/* The fewest hops along one dimension of each kind; UINT32_MAX: none. */
typedef struct ways {
    uint32_t hops[2][STEP_KINDS]; /* [whether bypasses are used] */
} ways;

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void find_ways(ways *found, uint32_t difference, uint32_t size, uint32_t length) {
    for (int used = 0; used < 2; used++)
        for (int kind = 0; kind < STEP_KINDS; kind++)
            found->hops[used][kind] = UINT32_MAX;
    const int64_t most = size / common_divisor(size, length) / 2;
    for (int64_t bypasses = -most; bypasses <= most; bypasses++) {
        int64_t rest = ((int64_t)difference - bypasses * length) % size;
        if (rest < 0)
            rest += size;
        bool down = 2 * rest > size;
        uint32_t torus_hops = (uint32_t)(down ? size - rest : rest);
        uint32_t hops = (uint32_t)(bypasses < 0 ? -bypasses : bypasses) + torus_hops;
        steps kind = torus_hops > 1    ? STEPS_MANY
                     : torus_hops == 0 ? STEPS_NONE
                     : down            ? STEP_DOWN
                                       : STEP_UP;
        uint32_t *least = &found->hops[bypasses != 0][kind];
        if (hops < *least)
            *least = hops;
    }
}

/* What the choices in all dimensions come to. */
typedef struct choice {
    uint32_t hops;
    uint32_t used; /* bit d: bypasses along dimension d */
    uint32_t up, down;
    bool many; /* two torus hops or more along one dimension */
} choice;

/* The hops that a path with these torus hops must add, in pairs forward and back, to reach a
 * bypass of each used dimension. `start`: the bypass dimension at its start. */
static uint32_t penalty(const choice *chosen, uint32_t bypass_dimensions, uint32_t start) {
    uint32_t missing = chosen->used & ~(1u << start);
    if (missing == 0 || chosen->many)
        return 0;
    if (bypass_dimensions == 2)
        return chosen->up + chosen->down > 0 ? 0 : 2;
    const uint32_t above = 1u << (start + 1) % 3, below = 1u << (start + 2) % 3;
    if (chosen->up > 1 || chosen->down > 1)
        return 0; /* S takes three values one after the other */
    if (chosen->up == 1 && chosen->down == 1)
        return missing == (above | below) ? 2 : 0; /* whichever first */
    if (chosen->up == 1)
        return missing == above ? 0 : 2;
    if (chosen->down == 1)
        return missing == below ? 0 : 2;
    return missing == (above | below) ? 4 : 2;
}

static uint32_t combine(const ways *by_dimension, uint32_t dimension, uint32_t bypass_dimensions,
                        uint32_t start, choice so_far, uint32_t best) {
    if (dimension == bypass_dimensions) {
        uint32_t hops = so_far.hops + penalty(&so_far, bypass_dimensions, start);
        return hops < best ? hops : best;
    }
    for (uint32_t used = 0; used < 2; used++)
        for (uint32_t kind = 0; kind < STEP_KINDS; kind++) {
            uint32_t hops = by_dimension[dimension].hops[used][kind];
            if (hops == UINT32_MAX || so_far.hops + hops >= best)
                continue;
            choice next = {
                .hops = so_far.hops + hops,
                .used = so_far.used | used << dimension,
                .up = so_far.up + (kind == STEP_UP),
                .down = so_far.down + (kind == STEP_DOWN),
                .many = so_far.many || kind == STEPS_MANY,
            };
            best = combine(by_dimension, dimension + 1, bypass_dimensions, start, next, best);
        }
    return best;
}

uint32_t vef_ibt_distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_ibt *ibt = topology->parameters;
    const uint32_t bypass_dimensions = (uint32_t)ibt->bypass_dimensions;
    assert(bypass_dimensions <= VEF_IBT_DISTANCE_DIMENSIONS);
    uint32_t here[VEF_MAX_DIMENSIONS], there[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, from, here);
    vef_topology_coordinates(topology, to, there);
    ways by_dimension[VEF_IBT_DISTANCE_DIMENSIONS];
    uint32_t plain_hops = 0, sum = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        const uint32_t size = topology->sizes[d];
        const uint32_t difference = (there[d] + size - here[d]) % size;
        if (d < bypass_dimensions) {
            find_ways(&by_dimension[d], difference, size, (uint32_t)ibt->lengths.values[0]);
            sum += here[d];
        } else {
            plain_hops += difference < size - difference ? difference : size - difference;
        }
    }
    return plain_hops + combine(by_dimension, 0, bypass_dimensions, sum % bypass_dimensions,
                                (choice){0}, UINT32_MAX);
}
