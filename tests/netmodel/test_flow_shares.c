/* Max-min fair shares (netmodel/flow/shares.h): textbook cases, and random flows that begin and
 * end, against progressive filling from the beginning; and the heap of ends against a search. */
#include "common/rng.h"
#include "netmodel/flow/finishes.h"
#include "netmodel/flow/shares.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { MOST_RESOURCES = 40, MOST_FLOWS = 60, LONGEST = 8 };

/* The flows of a case, as the slow computation sees them. */
typedef struct flows {
    uint32_t resources;
    double capacity[MOST_RESOURCES];
    bool used[MOST_FLOWS];
    double weight[MOST_FLOWS];
    uint32_t path[MOST_FLOWS][LONGEST], length[MOST_FLOWS];
    double level[MOST_FLOWS]; /* the result */
} flows;

static bool crosses(const flows *all, uint32_t flow, uint32_t resource) {
    for (uint32_t i = 0; i < all->length[flow]; i++)
        if (all->path[flow][i] == resource)
            return true;
    return false;
}

/* Progressive filling (Bertsekas and Gallager, section 6.5.2): the levels of all flows rise
 * together until a resource is full; its flows stay there. */
static void fill_progressively(flows *all) {
    bool fixed[MOST_FLOWS] = {false};
    for (;;) {
        double least = INFINITY;
        uint32_t full = 0;
        for (uint32_t r = 0; r < all->resources; r++) {
            double left = all->capacity[r], weight = 0;
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                if (!all->used[f] || !crosses(all, f, r))
                    continue;
                if (fixed[f])
                    left -= all->weight[f] * all->level[f];
                else
                    weight += all->weight[f];
            }
            if (weight > 0 && left / weight < least) {
                least = left / weight;
                full = r;
            }
        }
        if (least == INFINITY)
            return;
        for (uint32_t f = 0; f < MOST_FLOWS; f++)
            if (all->used[f] && !fixed[f] && crosses(all, f, full)) {
                fixed[f] = true;
                all->level[f] = least;
            }
    }
}

static void create(vef_shares *shares, const flows *all, double tolerance) {
    vef_shares_create(shares, all->resources, tolerance);
    for (uint32_t r = 0; r < all->resources; r++)
        shares->resources[r].capacity = all->capacity[r];
}

static void begin(vef_shares *shares, flows *all, uint32_t flow) {
    all->used[flow] = true;
    vef_shares_begin(shares, flow, all->weight[flow], all->path[flow], all->length[flow]);
}

static void add(flows *all, uint32_t flow, double weight, uint32_t first, uint32_t count) {
    all->weight[flow] = weight;
    all->length[flow] = count;
    for (uint32_t i = 0; i < count; i++)
        all->path[flow][i] = first + i;
}

/* One flow along n links, and one on each: each gets half. Then the link of the last is twice as
 * fast: its flow gets the rest, 3/2. Then all but the long one end: it gets everything. */
static void test_long_flow_among_short_ones(void **state) {
    (void)state;
    enum { LINKS = 5 };
    flows all = {.resources = LINKS};
    for (uint32_t i = 0; i < LINKS; i++)
        all.capacity[i] = i + 1 < LINKS ? 1 : 2;
    vef_shares shares;
    create(&shares, &all, 0);
    add(&all, LINKS, 1, 0, LINKS);
    begin(&shares, &all, LINKS);
    for (uint32_t i = 0; i < LINKS; i++) {
        add(&all, i, 1, i, 1);
        begin(&shares, &all, i);
    }
    const uint32_t *changed;
    assert_int_equal(vef_shares_solve(&shares, &changed), LINKS + 1);
    assert_near(vef_shares_rate(&shares, LINKS), 0.5, 1e-12);
    for (uint32_t i = 0; i < LINKS; i++)
        assert_near(vef_shares_rate(&shares, i), i + 1 < LINKS ? 0.5 : 1.5, 1e-12);
    for (uint32_t i = 0; i < LINKS; i++)
        vef_shares_end(&shares, i);
    assert_int_equal(vef_shares_solve(&shares, &changed), 1);
    assert_int_equal(changed[0], LINKS);
    assert_near(vef_shares_rate(&shares, LINKS), 1, 1e-12);
    assert_int_equal(vef_shares_solve(&shares, &changed), 0);
    vef_shares_release(&shares);
}

/* Weights 1, 2 and 5 on one resource: their shares of it. */
static void test_weights(void **state) {
    (void)state;
    flows all = {.resources = 1, .capacity = {4}};
    vef_shares shares;
    create(&shares, &all, 0);
    const double weights[] = {1, 2, 5};
    for (uint32_t i = 0; i < 3; i++) {
        add(&all, i, weights[i], 0, 1);
        begin(&shares, &all, i);
    }
    const uint32_t *changed;
    vef_shares_solve(&shares, &changed);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(vef_shares_rate(&shares, i), weights[i] / 2, 1e-12);
    vef_shares_release(&shares);
}

static void draw_resources(flows *all, vef_rng *rng) {
    *all = (flows){.resources = 1 + vef_rng_below(rng, MOST_RESOURCES)};
    for (uint32_t r = 0; r < all->resources; r++)
        all->capacity[r] = ldexp(1 + vef_rng_below(rng, 3), -(int)vef_rng_below(rng, 4));
}

static void draw_flow(flows *all, uint32_t flow, vef_rng *rng) {
    const uint32_t most = all->resources < LONGEST ? all->resources : LONGEST;
    const uint32_t length = 1 + vef_rng_below(rng, most);
    all->weight[flow] = 1.0 / (1 + vef_rng_below(rng, 4));
    all->length[flow] = 0;
    while (all->length[flow] < length) {
        const uint32_t resource = vef_rng_below(rng, all->resources);
        if (!crosses(all, flow, resource))
            all->path[flow][all->length[flow]++] = resource;
    }
}

/* Begins an unused flow, or ends a used one. */
static void change(vef_shares *shares, flows *all, double *rate, vef_rng *rng) {
    const uint32_t flow = vef_rng_below(rng, MOST_FLOWS);
    if (all->used[flow]) {
        vef_shares_end(shares, flow);
        all->used[flow] = false;
        rate[flow] = 0;
    } else {
        draw_flow(all, flow, rng);
        begin(shares, all, flow);
    }
}

/* `rate` follows only the reported changes. */
static void solve(vef_shares *shares, double *rate) {
    const uint32_t *changed;
    const size_t count = vef_shares_solve(shares, &changed);
    for (size_t i = 0; i < count; i++)
        rate[changed[i]] = vef_shares_rate(shares, changed[i]);
}

static void test_random_flows(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, round);
        flows all;
        draw_resources(&all, &rng);
        double rate[MOST_FLOWS] = {0};
        vef_shares shares;
        create(&shares, &all, 0);
        for (uint32_t step = 0; step < 100; step++) {
            for (uint32_t i = vef_rng_below(&rng, 8) + 1; i > 0; i--)
                change(&shares, &all, rate, &rng);
            solve(&shares, rate);
            fill_progressively(&all);
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                const double expected = all.used[f] ? all.weight[f] * all.level[f] : 0;
                if (fabs(rate[f] - expected) > 1e-6 * expected)
                    fail_msg("round %u, step %u, flow %u: %.12g instead of %.12g", round, step, f,
                             rate[f], expected);
            }
        }
        vef_shares_release(&shares);
    }
}

static double use_of(const flows *all, const double *rate, uint32_t resource) {
    double used = 0;
    for (uint32_t f = 0; f < MOST_FLOWS; f++)
        if (all->used[f] && crosses(all, f, resource))
            used += rate[f];
    return used;
}

/* The bounds of a tolerance t: no resource is used above 1 + t of its capacity, and every flow has
 * one on its path that is used by at least 1 - t and where no other has a higher level. */
static void test_tolerance(void **state) {
    (void)state;
    const double tolerance = 0.05, rounding = 1e-6;
    for (uint32_t round = 0; round < 30; round++) {
        vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, round);
        flows all;
        draw_resources(&all, &rng);
        double rate[MOST_FLOWS] = {0};
        vef_shares shares;
        create(&shares, &all, tolerance);
        for (uint32_t step = 0; step < 100; step++) {
            change(&shares, &all, rate, &rng);
            solve(&shares, rate);
            for (uint32_t r = 0; r < all.resources; r++)
                assert_true(use_of(&all, rate, r) <= all.capacity[r] * (1 + tolerance + rounding));
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                bool has_bottleneck = !all.used[f];
                for (uint32_t i = 0; i < all.length[f] && !has_bottleneck; i++) {
                    const uint32_t r = all.path[f][i];
                    double highest = 0;
                    for (uint32_t g = 0; g < MOST_FLOWS; g++)
                        if (all.used[g] && crosses(&all, g, r))
                            highest = fmax(highest, rate[g] / all.weight[g]);
                    has_bottleneck =
                        use_of(&all, rate, r) >= all.capacity[r] * (1 - tolerance - rounding) &&
                        rate[f] / all.weight[f] >= highest * (1 - rounding);
                }
                assert_true(has_bottleneck);
            }
        }
        vef_shares_release(&shares);
    }
}

static void test_finishes(void **state) {
    (void)state;
    enum { FLOWS = 50 };
    uint64_t time[FLOWS];
    vef_finishes finishes = {0};
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    memset(time, 0xff, sizeof time);
    assert_true(vef_finishes_time(&finishes) == UINT64_MAX);
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t first = 0;
        for (uint32_t f = 1; f < FLOWS; f++)
            if (time[f] < time[first])
                first = f;
        assert_true(vef_finishes_time(&finishes) == time[first]);
        if (time[first] != UINT64_MAX && vef_rng_below(&rng, 4) == 0) {
            assert_int_equal(vef_finishes_take(&finishes), first);
            time[first] = UINT64_MAX;
        } else {
            const uint32_t flow = vef_rng_below(&rng, FLOWS);
            time[flow] = vef_rng_below(&rng, 100);
            vef_finishes_set(&finishes, flow, time[flow]);
        }
    }
    vef_finishes_release(&finishes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_flow_among_short_ones),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_random_flows),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_finishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
