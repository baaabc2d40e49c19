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

static bool crosses(const flows *set, uint32_t flow, uint32_t resource) {
    for (uint32_t i = 0; i < set->length[flow]; i++)
        if (set->path[flow][i] == resource)
            return true;
    return false;
}

/* Progressive filling (Bertsekas and Gallager, section 6.5.2): the levels of all flows rise
 * together until a resource is full; its flows stay there. */
static void fill_progressively(flows *set) {
    bool fixed[MOST_FLOWS] = {false};
    for (;;) {
        double least = INFINITY;
        uint32_t full = 0;
        for (uint32_t r = 0; r < set->resources; r++) {
            double left = set->capacity[r], weight = 0;
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                if (!set->used[f] || !crosses(set, f, r))
                    continue;
                if (fixed[f])
                    left -= set->weight[f] * set->level[f];
                else
                    weight += set->weight[f];
            }
            if (weight > 0 && left / weight < least) {
                least = left / weight;
                full = r;
            }
        }
        if (least == INFINITY)
            return;
        for (uint32_t f = 0; f < MOST_FLOWS; f++)
            if (set->used[f] && !fixed[f] && crosses(set, f, full)) {
                fixed[f] = true;
                set->level[f] = least;
            }
    }
}

static void create(vef_shares *shares, const flows *set, double tolerance) {
    vef_shares_create(shares, set->resources, tolerance);
    for (uint32_t r = 0; r < set->resources; r++)
        shares->resources[r].capacity = set->capacity[r];
}

static void begin(vef_shares *shares, flows *set, uint32_t flow) {
    set->used[flow] = true;
    vef_shares_begin(shares, flow, set->weight[flow], set->path[flow], set->length[flow]);
}

static void add(flows *set, uint32_t flow, double weight, uint32_t first, uint32_t count) {
    set->weight[flow] = weight;
    set->length[flow] = count;
    for (uint32_t i = 0; i < count; i++)
        set->path[flow][i] = first + i;
}

/* One flow along n links, and one on each: each gets half. Then the link of the last is twice as
 * fast: its flow gets the rest, 3/2. Then all but the long one end: it gets everything. */
static void test_long_flow_among_short_ones(void **state) {
    (void)state;
    enum { LINKS = 5 };
    flows set = {.resources = LINKS};
    for (uint32_t i = 0; i < LINKS; i++)
        set.capacity[i] = i + 1 < LINKS ? 1 : 2;
    vef_shares shares;
    create(&shares, &set, 0);
    add(&set, LINKS, 1, 0, LINKS);
    begin(&shares, &set, LINKS);
    for (uint32_t i = 0; i < LINKS; i++) {
        add(&set, i, 1, i, 1);
        begin(&shares, &set, i);
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
    flows set = {.resources = 1, .capacity = {4}};
    vef_shares shares;
    create(&shares, &set, 0);
    const double weights[] = {1, 2, 5};
    for (uint32_t i = 0; i < 3; i++) {
        add(&set, i, weights[i], 0, 1);
        begin(&shares, &set, i);
    }
    const uint32_t *changed;
    vef_shares_solve(&shares, &changed);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(vef_shares_rate(&shares, i), weights[i] / 2, 1e-12);
    vef_shares_release(&shares);
}

static void draw_resources(flows *set, vef_rng *rng) {
    *set = (flows){.resources = 1 + vef_rng_below(rng, MOST_RESOURCES)};
    for (uint32_t r = 0; r < set->resources; r++)
        set->capacity[r] = ldexp(1 + vef_rng_below(rng, 3), -(int)vef_rng_below(rng, 4));
}

static void draw_flow(flows *set, uint32_t flow, vef_rng *rng) {
    const uint32_t most = set->resources < LONGEST ? set->resources : LONGEST;
    const uint32_t length = 1 + vef_rng_below(rng, most);
    set->weight[flow] = 1.0 / (1 + vef_rng_below(rng, 4));
    set->length[flow] = 0;
    while (set->length[flow] < length) {
        const uint32_t resource = vef_rng_below(rng, set->resources);
        if (!crosses(set, flow, resource))
            set->path[flow][set->length[flow]++] = resource;
    }
}

/* Begins an unused flow, or ends a used one. */
static void change(vef_shares *shares, flows *set, double *rate, vef_rng *rng) {
    const uint32_t flow = vef_rng_below(rng, MOST_FLOWS);
    if (set->used[flow]) {
        vef_shares_end(shares, flow);
        set->used[flow] = false;
        rate[flow] = 0;
    } else {
        draw_flow(set, flow, rng);
        begin(shares, set, flow);
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
        flows set;
        draw_resources(&set, &rng);
        double rate[MOST_FLOWS] = {0};
        vef_shares shares;
        create(&shares, &set, 0);
        for (uint32_t step = 0; step < 100; step++) {
            for (uint32_t i = vef_rng_below(&rng, 8) + 1; i > 0; i--)
                change(&shares, &set, rate, &rng);
            solve(&shares, rate);
            fill_progressively(&set);
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                const double expected = set.used[f] ? set.weight[f] * set.level[f] : 0;
                if (fabs(rate[f] - expected) > 1e-6 * expected)
                    fail_msg("round %u, step %u, flow %u: %.12g instead of %.12g", round, step, f,
                             rate[f], expected);
            }
        }
        vef_shares_release(&shares);
    }
}

static double use_of(const flows *set, const double *rate, uint32_t resource) {
    double used = 0;
    for (uint32_t f = 0; f < MOST_FLOWS; f++)
        if (set->used[f] && crosses(set, f, resource))
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
        flows set;
        draw_resources(&set, &rng);
        double rate[MOST_FLOWS] = {0};
        vef_shares shares;
        create(&shares, &set, tolerance);
        for (uint32_t step = 0; step < 100; step++) {
            change(&shares, &set, rate, &rng);
            solve(&shares, rate);
            for (uint32_t r = 0; r < set.resources; r++)
                assert_true(use_of(&set, rate, r) <= set.capacity[r] * (1 + tolerance + rounding));
            for (uint32_t f = 0; f < MOST_FLOWS; f++) {
                bool has_bottleneck = !set.used[f];
                for (uint32_t i = 0; i < set.length[f] && !has_bottleneck; i++) {
                    const uint32_t r = set.path[f][i];
                    double highest = 0;
                    for (uint32_t g = 0; g < MOST_FLOWS; g++)
                        if (set.used[g] && crosses(&set, g, r))
                            highest = fmax(highest, rate[g] / set.weight[g]);
                    has_bottleneck =
                        use_of(&set, rate, r) >= set.capacity[r] * (1 - tolerance - rounding) &&
                        rate[f] / set.weight[f] >= highest * (1 - rounding);
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
