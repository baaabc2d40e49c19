/* The core against the phit-by-phit reference where packets have headers: drawn sizes of headers
 * and payloads, with links that differ, places of a few phits and broadcasts among the cases. */
#include "tests/netmodel/drawn_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 108 };

static network_case make_case(uint32_t k) {
    network_case made = draw_case(29, k);
    made.most_packets = 1 + k % 4;
    draw_headers(&made);
    if (k % 2 == 0)
        draw_rules(&made);
    else if (made.flow_control == VEF_FLOW_VIRTUAL_CHANNELS)
        made.config.unit_phits = 1 + k % 5;
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

static network_case make_broadcast_case(uint32_t k) {
    network_case made = draw_case(31, k);
    made.topology = k % 2 ? "{family: mesh, sizes: [4, 3]}" : "{family: torus, sizes: [3, 4]}";
    made.failures = NULL;
    made.routing = "{algorithm: adaptive}";
    made.flow_control = VEF_FLOW_BUBBLE;
    made.traffic_classes = 1;
    made.kind = OPEN_LOOP;
    made.config.queue_packets += 2;
    count_endpoints(&made);
    made.to_all = 4;
    made.messages = 60;
    draw_headers(&made);
    return made;
}

static void broadcasts_agree(void **state) {
    (void)state;
    agree(CASES / 4, make_broadcast_case);
}

/* ---- the comparison notices ---- */

static void longer_header(reference_config *config) {
    config->header_bytes += config->phit_bytes;
}
static void no_header(reference_config *config) {
    config->header_bytes = 0;
}
static void smaller_payload(reference_config *config) {
    config->mtu_bytes = (uint32_t)reference_payload(config) / 2 + 1;
}

static void wrong_rules_are_noticed(void **state) {
    (void)state;
    void (*const wrong[])(reference_config *) = {longer_header, no_header, smaller_payload};
    enum { TRIED = 16 };
    both sides;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            network_case sample = make_case(4 * k + 3);
            sample.config.mtu_bytes = 0; /* the payload of both is what their headers leave */
            sample.config.packet_phits += sample.config.header_bytes / sample.config.phit_bytes + 2;
            network_case told = sample;
            wrong[w](&told.config);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= TRIED / 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(broadcasts_agree),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
