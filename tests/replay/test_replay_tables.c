/* The tables of a replay against plain arrays that do the same slowly: requests, messages under
 * way, wake-ups, communicators. */
#include "common/containers/wakeups.h"
#include "common/rng.h"
#include "replay/comms.h"
#include "replay/state/match.h"
#include "replay/state/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { STEPS = 20000, NUMBERS = 64 };

/* Numbers that ascend while some old ones stay, as requests do: they collide in a small table. */
static void test_requests(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    vef_store *store = vef_store_create();
    vef_open_requests requests = {0};
    uint64_t live[NUMBERS], next = 0;
    uint32_t count = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count < 1 + vef_rng_below(&rng, NUMBERS - 1)) {
            next += vef_rng_below(&rng, 3) ? 1 : 1 + vef_rng_below(&rng, 40);
            live[count++] = next;
            assert_true(vef_open_requests_add(&requests, store, next, VEF_REQUEST_PENDING));
        } else {
            uint32_t out = vef_rng_below(&rng, count);
            vef_open_request *request = vef_open_requests_find(&requests, live[out]);
            assert_non_null(request);
            vef_open_requests_remove(&requests, request);
            assert_null(vef_open_requests_find(&requests, live[out]));
            live[out] = live[--count];
        }
        assert_int_equal(requests.count, count);
        for (uint32_t i = 0; i < count; i++) {
            vef_open_request *request = vef_open_requests_find(&requests, live[i]);
            assert_non_null(request);
            assert_int_equal(request->number, live[i]);
        }
        assert_null(vef_open_requests_find(&requests, next + 1));
    }
    assert_true(requests.capacity <= 2 * NUMBERS); /* whatever has passed through */
    vef_store_destroy(store);
}

static void test_matches(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, 0);
    vef_matches matches = {.store = vef_store_create()};
    struct {
        vef_transfer_key key;
        uint32_t record;
    } live[NUMBERS];
    uint32_t count = 0;
    uint64_t ordinal = 0;
    for (int step = 0; step < STEPS; step++) {
        if (count < 1 + vef_rng_below(&rng, NUMBERS - 1)) {
            vef_transfer_key key = {.ordinal = ordinal++ / 16,
                                    .sender = (uint32_t)ordinal & 1,
                                    .receiver = (uint32_t)ordinal >> 1 & 1,
                                    .comm = (uint32_t)ordinal >> 2 & 1,
                                    .nth = (uint32_t)ordinal >> 3 & 1};
            live[count].key = key;
            live[count].record = vef_matches_get(&matches, &key);
            assert_true(matches.records[live[count].record].flags == VEF_TRANSFER_USED);
            matches.records[live[count].record].bytes = ordinal;
            count++;
        } else {
            uint32_t out = vef_rng_below(&rng, count);
            vef_matches_free(&matches, live[out].record);
            live[out] = live[--count];
        }
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(vef_matches_get(&matches, &live[i].key), live[i].record);
        uint32_t used = 0;
        for (uint32_t i = 0; i < matches.count; i++)
            used += (matches.records[i].flags & VEF_TRANSFER_USED) != 0;
        assert_int_equal(used, count);
    }
    assert_true(matches.count <= NUMBERS); /* freed records are used again */
    vef_store_destroy(matches.store);
}

enum { SPREAD = 71 }; /* of the numbers, so that they need several words */

static void test_wakeups(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    vef_wakeups wakeups = {0};
    uint64_t due[NUMBERS], now = 0;
    bool queued[NUMBERS] = {false};
    for (int step = 0; step < STEPS; step++) {
        const uint32_t task = vef_rng_below(&rng, NUMBERS);
        if (!queued[task]) {
            /* Often equal, sometimes far ahead, sometimes in the past, which counts as now. */
            const uint64_t ahead = (uint64_t)vef_rng_below(&rng, 20) << 6 * vef_rng_below(&rng, 8);
            const uint64_t late = vef_rng_below(&rng, 10) == 0 && now > 0;
            due[task] = now + ahead;
            queued[task] = true;
            vef_wakeups_reserve(&wakeups, task * SPREAD + 1ull); /* as it grows */
            vef_wakeups_push(&wakeups, late && !ahead ? now - 1 : due[task], task * SPREAD);
            continue;
        }
        uint32_t first = NUMBERS;
        for (uint32_t i = 0; i < NUMBERS; i++)
            if (queued[i] && (first == NUMBERS || due[i] < due[first]))
                first = i;
        now = vef_wakeups_first(&wakeups);
        assert_int_equal(now, due[first]);
        vef_wakeup popped = vef_wakeups_pop(&wakeups);
        assert_int_equal(popped.who, first * SPREAD);
        assert_int_equal(popped.time, due[first]);
        queued[first] = false;
    }
    vef_wakeups_release(&wakeups);
}

/* Several of one time at once, in order, also if more of it are added between. */
static void test_taken_wakeups(void **state) {
    (void)state;
    vef_wakeups wakeups = {0};
    uint32_t who[3];
    vef_wakeups_reserve(&wakeups, 5000);
    static const uint32_t at_7[] = {4100, 3, 70, 64, 5};
    for (size_t i = 0; i < sizeof at_7 / sizeof *at_7; i++)
        vef_wakeups_push(&wakeups, 7, at_7[i]);
    vef_wakeups_push(&wakeups, 5000, 1);
    assert_int_equal(vef_wakeups_take(&wakeups, who, 3), 3);
    assert_true(who[0] == 3 && who[1] == 5 && who[2] == 64);
    vef_wakeups_push(&wakeups, 7, 2);
    assert_int_equal(vef_wakeups_take(&wakeups, who, 3), 3);
    assert_true(who[0] == 2 && who[1] == 70 && who[2] == 4100);
    assert_int_equal(vef_wakeups_first(&wakeups), 5000);
    assert_int_equal(vef_wakeups_take(&wakeups, who, 3), 1);
    assert_int_equal(who[0], 1);
    assert_int_equal(vef_wakeups_first(&wakeups), VEF_NO_WAKEUP);
    vef_wakeups_release(&wakeups);
}

/* Those of one time in cyclic order of number, those that are added meanwhile too. */
static void test_cyclic_wakeups(void **state) {
    (void)state;
    vef_wakeups wakeups = {0};
    vef_wakeups_reserve(&wakeups, 5000);
    wakeups.cyclic = true;
    vef_wakeups_push(&wakeups, 1, 70);
    vef_wakeups_push(&wakeups, 1, 4100);
    vef_wakeups_push(&wakeups, 2, 1);
    vef_wakeups_push(&wakeups, 1, 5);
    assert_int_equal(vef_wakeups_pop(&wakeups).who, 5);
    vef_wakeups_push(&wakeups, 1, 3);
    vef_wakeups_push(&wakeups, 0, 6);
    static const uint32_t expected[] = {6, 70, 4100, 3, 1};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(vef_wakeups_pop(&wakeups).who, expected[i]);
    assert_int_equal(vef_wakeups_first(&wakeups), VEF_NO_WAKEUP);
    vef_wakeups_release(&wakeups);
}

/* A grid of 3 x 2, the first dimension a ring: by hand, ranks being 0 1 / 2 3 / 4 5. A graph: as it
 * is given. */
static void test_neighbours(void **state) {
    (void)state;
    static const uint32_t members[] = {0, 1, 2, 3, 4, 5}, extents[] = {3, 2};
    static const uint8_t periodic[] = {1, 0};
    static const uint32_t none = UINT32_MAX;
    const uint32_t wanted[6][4] = {{4, 2, none, 1}, {5, 3, 0, none}, {0, 4, none, 3},
                                   {1, 5, 2, none}, {2, 0, none, 5}, {3, 1, 4, none}};
    const vef_neighbours graph[] = {{.out_count = 1, .out = members + 1},
                                    {.in_count = 1, .in = members}};
    const vef_communicator list[] = {
        {.size = 6, .members = members, .dimensions = 2, .extents = extents, .periodic = periodic},
        {.size = 2, .members = members, .neighbours = graph},
        {.size = 2, .members = members}};
    vef_replay_comms comms;
    const vef_neighbours *found;
    vef_replay_comms_init(&comms, list, 3);
    for (uint32_t again = 0; again < 2; again++)
        for (uint32_t rank = 0; rank < 6; rank++) {
            found = vef_comm_neighbours(&comms, vef_replay_comms_get(&comms, 0), rank);
            assert_int_equal(found->in_count, 4);
            assert_int_equal(found->out_count, 4);
            assert_memory_equal(found->in, wanted[rank], sizeof wanted[rank]);
            assert_memory_equal(found->out, wanted[rank], sizeof wanted[rank]);
        }
    found = vef_comm_neighbours(&comms, vef_replay_comms_get(&comms, 1), 1);
    assert_ptr_equal(found, &graph[1]);
    found = vef_comm_neighbours(&comms, vef_replay_comms_get(&comms, 2), 1);
    assert_null(found);
    vef_replay_comms_release(&comms);
}

static void test_communicators(void **state) {
    (void)state;
    static const uint32_t members[] = {7, 2, 9}, remote[] = {4, 0}, world[] = {0, 1, 2};
    const vef_communicator list[] = {
        {.size = 3, .members = world},
        {.size = 3, .members = members, .remote_size = 2, .remote_members = remote}};
    static const uint32_t both[] = {7, 2, 9, 4, 0};
    vef_replay_comms comms;
    vef_replay_comms_init(&comms, list, 2);
    vef_comm_state *plain = vef_replay_comms_get(&comms, 0),
                   *inter = vef_replay_comms_get(&comms, 1);
    for (uint32_t task = 0; task < 12; task++) {
        uint32_t rank = VEF_NO_RANK;
        for (uint32_t i = 0; i < 5; i++)
            if (both[i] == task)
                rank = i;
        assert_int_equal(vef_comm_rank(inter, task), rank);
        assert_int_equal(vef_comm_rank(plain, task), task < 3 ? task : VEF_NO_RANK);
    }
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(vef_comm_member(inter, i), both[i]);
    /* One member far ahead of the others: each still finds what it entered. */
    vef_open_collective seen;
    for (uint32_t round = 0; round < 100; round++)
        vef_comm_enter(plain, 0, 0, &(vef_open_collective){.call = 100 + round}, &seen);
    for (uint32_t rank = 1; rank < 3; rank++)
        for (uint32_t round = 0; round < 100; round++) {
            vef_comm_enter(plain, rank, 0, &(vef_open_collective){.call = 1}, &seen);
            assert_int_equal(seen.number, round);
            assert_int_equal(seen.call, 100 + round);
            assert_int_equal(seen.entered, rank + 1);
        }
    assert_int_equal(plain->calls.window_first, 100);
    vef_replay_comms_release(&comms);
}

/* Starts of persistent collectives: two members start three of them in opposite orders, again and
 * again; both find the same number for what is the same start, and no two starts share one. What is
 * kept does not grow with the number of persistent collectives. */
static void test_starts(void **state) {
    (void)state;
    static const uint32_t members[] = {0, 1};
    const vef_communicator list[] = {{.size = 2, .members = members}};
    vef_replay_comms comms;
    vef_replay_comms_init(&comms, list, 1);
    vef_comm_state *comm = vef_replay_comms_get(&comms, 0);
    vef_open_collective seen;
    uint64_t numbers[3], before = 0;
    for (uint32_t round = 0; round < 1000; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            const vef_open_collective as = {.call = 10 + i};
            vef_comm_enter(comm, 0, 3 * round + i + 1, &as, &seen);
            numbers[i] = seen.number;
            assert_true(numbers[i] & VEF_START_NUMBER);
            assert_true(round + i == 0 || numbers[i] > before);
            before = numbers[i];
            assert_true(vef_comm_has_entered(comm, 0, numbers[i]));
            assert_false(vef_comm_has_entered(comm, 1, numbers[i]));
        }
        for (uint32_t i = 3; i-- > 0;) {
            vef_comm_enter(comm, 1, 3 * round + i + 1, &(vef_open_collective){.call = 99}, &seen);
            assert_int_equal(seen.number, numbers[i]);
            assert_int_equal(seen.call, 10 + i);
            assert_true(vef_comm_has_entered(comm, 1, numbers[i]));
        }
    }
    assert_int_equal(comm->starts->count, 3);
    assert_int_equal(comm->calls.window_end, 0); /* they are not among the others */
    vef_replay_comms_release(&comms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),      cmocka_unit_test(test_matches),
        cmocka_unit_test(test_wakeups),       cmocka_unit_test(test_cyclic_wakeups),
        cmocka_unit_test(test_taken_wakeups), cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_communicators), cmocka_unit_test(test_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
