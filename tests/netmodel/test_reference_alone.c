/* The reference simulator by itself: what netmodel/MODEL.md says, on cases small enough to work out
 * by hand, and laws that hold for any workload. Only a reference that passes here is worth agreeing
 * with (test_reference.c). */
#include "tests/netmodel/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static reference_lattice line(int routers) {
    return reference_mesh(1, &routers);
}
static reference_lattice ring(int routers) {
    return reference_torus(1, &routers);
}

/* One endpoint per router, room in abundance, one cycle per hop. */
static reference_config plain(reference_lattice lattice) {
    return (reference_config){.lattice = lattice,
                              .endpoints_per_router = 1,
                              .queue_packets = 4,
                              .injection_queues = 1,
                              .injection_queue_packets = 8,
                              .ejection_ports = 1,
                              .arbiter = REFERENCE_ROUND_ROBIN,
                              .link_delay_cycles = 1,
                              .packet_phits = 16,
                              .phit_bytes = 4,
                              .seed = 1};
}

static reference *build(const reference_config *config, reference_own_routing *own) {
    own->lattice = &config->lattice;
    const reference_routing routing = reference_route_alone(own);
    return reference_new(config, &routing);
}

static uint64_t delivered(const reference *network, uint32_t message) {
    const reference_message *m = reference_get(network, message);
    assert_int_equal(m->delivered, m->packets);
    return m->delivered_cycles;
}

/* Runs until everything is delivered; false when nothing moves for long before that. */
static bool drain(reference *network) {
    uint32_t still = 0;
    while (reference_pending(network) > 0 && still < 100) {
        still = reference_cycle(network) > 0 ? 0 : still + 1;
        if (!reference_is_consistent(network))
            fail_msg("credits and places do not add up at time %llu",
                     (unsigned long long)reference_now(network));
    }
    return reference_pending(network) == 0;
}

/* ---- shapes ---- */

static void hops_from(const reference_lattice *lattice, uint32_t from, uint32_t *hops) {
    const uint32_t routers = reference_routers(lattice);
    memset(hops, 0xff, routers * sizeof *hops);
    hops[from] = 0;
    for (uint32_t reach = 0; reach < routers; reach++)
        for (uint32_t r = 0; r < routers; r++)
            for (uint32_t p = 0; hops[r] == reach && p < 2 * lattice->generators; p++) {
                const uint32_t next = reference_neighbour(lattice, r, p);
                if (next != VEF_NO_ROUTER && hops[next] > reach + 1)
                    hops[next] = reach + 1;
            }
}

static uint32_t length_of(const reference_lattice *lattice, const int *record) {
    uint32_t length = 0;
    for (uint32_t g = 0; g < lattice->generators; g++)
        length += (uint32_t)abs(record[g]);
    return length;
}

/* Records are as long as breadth-first search says; averages as in Camara et al., TPDS 2010. */
static void records_are_minimal(void **state) {
    (void)state;
    const reference_lattice shapes[] = {reference_rt(4), reference_rtt(4),
                                        reference_mesh(2, (const int[]){3, 4}),
                                        reference_torus(3, (const int[]){4, 3, 2}), ring(7)};
    const double averages[] = {3.0, 2.625};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t routers = reference_routers(&shapes[s]);
        uint32_t hops[64], sum = 0;
        for (uint32_t from = 0; from < routers; from++) {
            hops_from(&shapes[s], from, hops);
            for (uint32_t to = 0; to < routers; to++) {
                int records[REFERENCE_RECORDS][REFERENCE_GENERATORS];
                const uint32_t count = reference_records(&shapes[s], from, to, records);
                assert_true(count > 0);
                for (uint32_t k = 0; k < count; k++)
                    assert_int_equal(length_of(&shapes[s], records[k]), hops[to]);
                sum += hops[to];
            }
        }
        if (s < sizeof averages / sizeof *averages)
            assert_true(sum == (uint32_t)(averages[s] * routers * routers));
    }
}

/* ---- cases worked out by hand ---- */

static void zero_load_latency(void **state) {
    (void)state;
    const reference_lattice shapes[] = {reference_rtt(4), line(5),
                                        reference_torus(3, (const int[]){3, 4, 2})};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint32_t delay = 0; delay < 3; delay++)
            for (uint32_t phits = 1; phits <= 16; phits += 5) {
                reference_config config = plain(shapes[s]);
                config.router_delay_cycles = delay;
                reference_own_routing own = {.channels = 2, .adaptive = delay == 1};
                reference *network = build(&config, &own);
                uint32_t hops[64];
                hops_from(&shapes[s], 1, hops);
                for (uint32_t to = 0; to < reference_routers(&shapes[s]); to++) {
                    const uint64_t begun = reference_now(network);
                    const uint32_t id = reference_inject(network, 1, to, 4 * phits, begun);
                    assert_true(drain(network));
                    assert_int_equal(delivered(network, id) - 1 - begun,
                                     hops[to] * (delay + 1) + phits - 1);
                }
                reference_free(network);
            }
}

/* 100 bytes in packets of 8 phits of 4 bytes: 8 + 8 + 8 + 1 phits, back to back over one hop. */
static void message_is_cut_into_packets(void **state) {
    (void)state;
    reference_config config = plain(line(2));
    config.packet_phits = 8;
    reference_own_routing own = {.channels = 1};
    reference *network = build(&config, &own);
    const uint32_t message = reference_inject(network, 0, 1, 100, 0);
    const uint32_t empty = reference_inject(network, 1, 0, 0, 3);
    assert_true(drain(network));
    assert_int_equal(reference_get(network, message)->packets, 4);
    assert_int_equal(delivered(network, message), 26);
    assert_int_equal(delivered(network, empty), 5);
    assert_int_equal(reference_count(network).phits, 26);
    reference_free(network);
}

/* With one place at the other end the second packet waits for the credit: granted on at 1, the
 * first is gone at 5, its credit is back c later, one hop and 4 phits more. */
static void credit_delay_holds_up(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 4; c++) {
        reference_config config = plain(line(2));
        config.queue_packets = 1;
        config.credit_delay_cycles = c;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        const uint32_t first = reference_inject(network, 0, 1, 16, 0);
        const uint32_t second = reference_inject(network, 0, 1, 16, 0);
        assert_true(drain(network));
        assert_int_equal(delivered(network, first), 5);
        assert_int_equal(delivered(network, second), 10 + c);
        reference_free(network);
    }
}

/* Router 0 sends two packets of 4 phits through router 1, which itself sends one at time 1. All
 * want the link from 1 to 2, at cycles 1 (the first alone in transit, and 1's own) and 5. */
static void transit_goes_first(void **state) {
    (void)state;
    for (int transit = 0; transit <= 1; transit++) {
        reference_config config = plain(line(3));
        config.transit_first = transit;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        const uint32_t a = reference_inject(network, 0, 2, 16, 0);
        const uint32_t b = reference_inject(network, 0, 2, 16, 0);
        const uint32_t c = reference_inject(network, 1, 2, 16, 1);
        assert_true(drain(network));
        assert_int_equal(delivered(network, a), 6);
        assert_int_equal(delivered(network, b), transit ? 10 : 14);
        assert_int_equal(delivered(network, c), transit ? 14 : 10);
        reference_free(network);
    }
}

/* The same with buckets of five phits, to which a cycle adds one: packet a is whole at each hop when
 * its head is. Packet b follows a cycle later; everywhere two tokens are left then and one is new,
 * so its last phit is a cycle behind the others. */
static void buckets_let_pass_at_once(void **state) {
    (void)state;
    reference_config config = plain(line(3));
    config.transit_first = true;
    config.burst_phits = 5;
    reference_own_routing own = {.channels = 1};
    reference *network = build(&config, &own);
    const uint32_t a = reference_inject(network, 0, 2, 16, 0);
    const uint32_t b = reference_inject(network, 0, 2, 16, 0);
    const uint32_t c = reference_inject(network, 1, 2, 16, 20);
    assert_true(drain(network));
    assert_int_equal(delivered(network, a), 3);
    assert_int_equal(delivered(network, b), 5);
    assert_int_equal(delivered(network, c), 22);
    reference_free(network);
}

/* Behind a long packet on the link from 1 to 2 wait a packet in transit, whose queue has the lower
 * index, and one of router 1's own that entered a cycle before it. */
static void oldest_goes_by_entry(void **state) {
    (void)state;
    reference_config config = plain(line(3));
    config.arbiter = REFERENCE_OLDEST;
    reference_own_routing own = {.channels = 1};
    reference *network = build(&config, &own);
    const uint32_t long_one = reference_inject(network, 1, 2, 32, 0); /* link busy until 8 */
    const uint32_t old = reference_inject(network, 1, 2, 16, 1);
    const uint32_t young = reference_inject(network, 0, 2, 16, 2); /* in transit, lower index */
    assert_true(drain(network));
    assert_int_equal(delivered(network, long_one), 9);
    assert_int_equal(delivered(network, old), 13);
    assert_int_equal(delivered(network, young), 17);
    reference_free(network);
}

/* The same three packets. The transit packet comes to the front of its queue at 3. Router 1's own
 * comes there at 8, when the long one before it is gone, or in another queue at 1. */
static void fifo_goes_by_the_time_at_the_front(void **state) {
    (void)state;
    for (uint32_t queues = 1; queues <= 2; queues++) {
        reference_config config = plain(line(3));
        config.arbiter = REFERENCE_FIFO;
        config.injection_queues = queues;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        reference_inject(network, 1, 2, 32, 0);
        const uint32_t mine = reference_inject(network, 1, 2, 16, 1);
        const uint32_t transit = reference_inject(network, 0, 2, 16, 2);
        assert_true(drain(network));
        assert_int_equal(delivered(network, transit), queues == 1 ? 13 : 17);
        assert_int_equal(delivered(network, mine), queues == 1 ? 17 : 13);
        reference_free(network);
    }
}

/* Behind the long packet router 1 has two more in its injection queue; one in transit waits at it
 * from 1 on. At 8 the injection queue is longer. At 12 both have one packet: it is the turn of the
 * transit queue, whose index is the lowest, after the injection queue, whose index is the highest.
 */
static void longest_goes_by_packets_in_turn(void **state) {
    (void)state;
    reference_config config = plain(line(3));
    config.arbiter = REFERENCE_LONGEST_QUEUE;
    reference_own_routing own = {.channels = 1};
    reference *network = build(&config, &own);
    reference_inject(network, 1, 2, 32, 0);
    const uint32_t first = reference_inject(network, 1, 2, 16, 0);
    const uint32_t second = reference_inject(network, 1, 2, 16, 0);
    const uint32_t transit = reference_inject(network, 0, 2, 16, 0);
    assert_true(drain(network));
    assert_int_equal(delivered(network, first), 13);
    assert_int_equal(delivered(network, transit), 17);
    assert_int_equal(delivered(network, second), 21);
    reference_free(network);
}

/* Router 1 of three sends a long packet to 2, a short one to 2 and one to 0, from two queues. With
 * the most free places the third joins the first queue, behind the long packet, which is gone at
 * 16. With a queue for each port the second does so, and the third leaves at once. */
static void a_queue_for_each_port(void **state) {
    (void)state;
    for (int policy = 0; policy < REFERENCE_POLICIES; policy++) {
        reference_config config = plain(line(3));
        config.injection = (reference_injection_policy)policy;
        config.injection_queues = 2;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        const uint32_t first = reference_inject(network, 1, 2, 64, 0);
        const uint32_t second = reference_inject(network, 1, 2, 16, 0);
        const uint32_t third = reference_inject(network, 1, 0, 16, 0);
        assert_true(drain(network));
        assert_int_equal(delivered(network, first), 17);
        assert_int_equal(delivered(network, second), 21);
        assert_int_equal(delivered(network, third), policy == REFERENCE_MOST_FREE ? 21 : 5);
        reference_free(network);
    }
}

/* The corner of a mesh sends a long packet along x, and at 1 a short one with hops in x and y. In
 * the queue of x+ that waits until 16; in another it leaves at 1, by y. */
static void queues_of_ports_by_policy(void **state) {
    (void)state;
    static const struct {
        reference_injection_policy policy;
        uint64_t mostly_x, mostly_y; /* delivery, where most hops are along x or y */
    } rows[] = {
        {REFERENCE_MOST_FREE, 8, 8},
        {REFERENCE_DIMENSION_ORDER, 23, 23},
        {REFERENCE_DIMENSION_ORDER_FIRST, 23, 23},
        {REFERENCE_SHORTEST_PROFITABLE, 8, 8},
        {REFERENCE_LONGEST_PATH, 23, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int y = 0; y <= 1; y++) {
            reference_config config = plain(reference_mesh(2, (const int[]){3, 3}));
            config.injection = rows[i].policy;
            config.injection_queues = 4;
            reference_own_routing own = {.channels = 2, .adaptive = true};
            reference *network = build(&config, &own);
            reference_inject(network, 0, 1, 64, 0);
            const uint32_t to = y ? 1 + 2 * 3 : 2 + 1 * 3;
            const uint32_t message = reference_inject(network, 0, to, 16, 1);
            assert_true(drain(network));
            assert_int_equal(delivered(network, message), y ? rows[i].mostly_y : rows[i].mostly_x);
            reference_free(network);
        }
}

/* A queue for each port, of one place. The second packet waits for that of the first, which is free
 * at 16, or with dimension-order-first joins the other at 0. Both leave at 16: it is in the network
 * 4 cycles or 20. */
static void it_waits_or_takes_another_queue(void **state) {
    (void)state;
    for (int other = 0; other <= 1; other++) {
        reference_config config = plain(line(3));
        config.injection = other ? REFERENCE_DIMENSION_ORDER_FIRST : REFERENCE_DIMENSION_ORDER;
        config.injection_queues = 2;
        config.injection_queue_packets = 1;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        reference_inject(network, 1, 2, 64, 0);
        const uint32_t second = reference_inject(network, 1, 2, 16, 0);
        assert_true(drain(network));
        assert_int_equal(delivered(network, second), 21);
        assert_int_equal(reference_count(network).latency_cycles, 16 + (other ? 20 : 4));
        reference_free(network);
    }
}

static void ejection_ports_work_side_by_side(void **state) {
    (void)state;
    for (uint32_t ports = 1; ports <= 2; ports++) {
        reference_config config = plain(line(3));
        config.ejection_ports = ports;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        const uint32_t left = reference_inject(network, 0, 1, 16, 0);
        const uint32_t right = reference_inject(network, 2, 1, 16, 0);
        assert_true(drain(network));
        /* What comes from router 2 comes in by port 0 and is first. Both ask for the lowest free
         * port, so the other asks for the second port a cycle later. */
        assert_int_equal(delivered(network, right), 5);
        assert_int_equal(delivered(network, left), ports == 1 ? 9 : 6);
        reference_free(network);
    }
}

/* Over a link of a cycles for a phit and one of b: the head is through after a + b, each other phit
 * max(a, b) later, and the tail takes a cycle to be consumed. */
static void slow_links(void **state) {
    (void)state;
    for (uint32_t a = 1; a <= 4; a++)
        for (uint32_t b = 1; b <= 4; b++) {
            const reference_link links[] = {{a, 1, 0}, {1, 1, 0}, {b, 1, 0},
                                            {a, 1, 0}, {1, 1, 0}, {b, 1, 0}};
            reference_config config = plain(line(3));
            config.links = links;
            reference_own_routing own = {.channels = 1};
            reference *network = build(&config, &own);
            const uint32_t message = reference_inject(network, 0, 2, 20, 0);
            assert_true(drain(network));
            assert_int_equal(delivered(network, message), a + b + 4 * (a > b ? a : b) + 1);
            assert_int_equal(reference_busy_cycles(network, 0, 0), 5 * a);
            assert_int_equal(reference_busy_cycles(network, 1, 0), 5 * b);
            reference_free(network);
        }
}

/* One place of 4 phits, or four of one phit, at the other end. A packet of 4 phits is granted there
 * at 1 and gone at 5; its places are free at 2, 3, 4 and 5 and known to be c later. A packet of one
 * phit follows as soon as the link is free at 4 and there is a place for it, one hop, a cycle for
 * its phit, and the one before it out of the way at 5. */
static void places_come_free_one_by_one(void **state) {
    (void)state;
    for (uint32_t unit = 0; unit <= 1; unit++)
        for (uint32_t c = 0; c < 6; c++) {
            reference_config config = plain(line(2));
            config.queue_packets = 1;
            config.packet_phits = 4;
            config.unit_phits = unit;
            config.credit_delay_cycles = c;
            reference_own_routing own = {.channels = 1};
            reference *network = build(&config, &own);
            const uint32_t first = reference_inject(network, 0, 1, 16, 0);
            const uint32_t second = reference_inject(network, 0, 1, 4, 0);
            assert_true(drain(network));
            assert_int_equal(delivered(network, first), 5);
            const uint32_t place = unit ? 2 + c : 5 + c;
            assert_int_equal(delivered(network, second), (place > 4 ? place : 4) + 2);
            reference_free(network);
        }
}

/* Router 1 keeps its link to 2 busy until 8. A packet from 0 to 2 waits there from 1 on, and one to
 * router 1 itself comes in behind it at 5: it waits for the first to be gone at 12, or with a queue
 * of its own not at all. Where both share a read port, the first then waits for the second, at 9.
 */
static void virtual_output_queues_pass(void **state) {
    (void)state;
    static const struct {
        bool sorted;
        reference_arbiter arbiter;
        uint64_t through, to_here;
    } rows[] = {
        {false, REFERENCE_ROUND_ROBIN, 13, 16}, {true, REFERENCE_ROUND_ROBIN, 13, 9},
        {false, REFERENCE_ISLIP, 13, 16},       {true, REFERENCE_ISLIP, 14, 9},
        {true, REFERENCE_TWO_STAGE, 14, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reference_config config = plain(line(3));
        config.virtual_output_queues = rows[i].sorted;
        config.arbiter = rows[i].arbiter;
        config.iterations = 1;
        reference_own_routing own = {.channels = 1};
        reference *network = build(&config, &own);
        reference_inject(network, 1, 2, 32, 0);
        const uint32_t through = reference_inject(network, 0, 2, 16, 0);
        const uint32_t to_here = reference_inject(network, 0, 1, 16, 0);
        assert_true(drain(network));
        assert_int_equal(delivered(network, through), rows[i].through);
        assert_int_equal(delivered(network, to_here), rows[i].to_here);
        reference_free(network);
    }
}

/* ---- laws ---- */

static void nothing_is_lost(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 0);
    for (int adaptive = 0; adaptive <= 1; adaptive++) {
        reference_config config = plain(reference_rtt(3));
        config.endpoints_per_router = 2;
        config.injection_queues = 2;
        config.arbiter = REFERENCE_RANDOM;
        config.credit_delay_cycles = 2;
        config.queue_packets = 2;
        reference_own_routing own = {.channels = 2, .adaptive = adaptive};
        reference *network = build(&config, &own);
        uint64_t phits = 0, packets = 0;
        for (uint32_t k = 0; k < 600; k++) {
            const uint32_t bytes = vef_rng_below(&rng, 200);
            reference_inject(network, vef_rng_below(&rng, 36), vef_rng_below(&rng, 36), bytes,
                             vef_rng_below(&rng, 300));
            phits += bytes == 0 ? 1 : (bytes + 3) / 4;
            packets += bytes == 0 ? 1 : (bytes + 63) / 64;
        }
        assert_true(drain(network));
        assert_int_equal(reference_count(network).packets, packets);
        assert_int_equal(reference_count(network).phits, phits);
        assert_int_equal(reference_phits_inside(network), 0);
        for (uint32_t c = 0; c < 10; c++) /* the last credits come home */
            reference_cycle(network);
        assert_true(reference_is_consistent(network));
        reference_free(network);
    }
}

/* A ring flooded one way: with the bubble all arrive, without it the ring fills up and jams. */
static void bubble_keeps_rings_moving(void **state) {
    (void)state;
    for (int without = 0; without <= 1; without++)
        for (uint32_t places = 2; places <= 3; places++) {
            reference_config config = plain(ring(9));
            config.queue_packets = places;
            reference_own_routing own = {.channels = 1, .without_bubble = without};
            reference *network = build(&config, &own);
            for (uint32_t k = 0; k < 40; k++)
                for (uint32_t r = 0; r < 9; r++)
                    reference_inject(network, r, (r + 4) % 9, 64, 0);
            assert_int_equal(drain(network), !without);
            reference_free(network);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_minimal),
        cmocka_unit_test(zero_load_latency),
        cmocka_unit_test(message_is_cut_into_packets),
        cmocka_unit_test(credit_delay_holds_up),
        cmocka_unit_test(transit_goes_first),
        cmocka_unit_test(buckets_let_pass_at_once),
        cmocka_unit_test(oldest_goes_by_entry),
        cmocka_unit_test(fifo_goes_by_the_time_at_the_front),
        cmocka_unit_test(longest_goes_by_packets_in_turn),
        cmocka_unit_test(a_queue_for_each_port),
        cmocka_unit_test(queues_of_ports_by_policy),
        cmocka_unit_test(it_waits_or_takes_another_queue),
        cmocka_unit_test(ejection_ports_work_side_by_side),
        cmocka_unit_test(slow_links),
        cmocka_unit_test(places_come_free_one_by_one),
        cmocka_unit_test(virtual_output_queues_pass),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(bubble_keeps_rings_moving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
