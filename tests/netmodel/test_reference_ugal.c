/* The core against the phit-by-phit reference with routing ugal, whose packets choose their routes
 * by the state of queues: the reference works the costs out from netmodel/MODEL.md. */
#include "tests/netmodel/drawn_cases.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { CASES = 154 };

static const struct {
    const char *yaml;
    uint32_t threshold;
    bool global, port;
} routings[] = {
    {"{algorithm: ugal}", 0, false, false},
    {"{algorithm: ugal, view: global, queues: port}", 0, true, true},
    {"{algorithm: ugal, threshold: 3, detours: 4}", 3, false, false},
    {"{algorithm: ugal, view: global, detours: 3, threshold: 1}", 1, true, false},
    {"{algorithm: ugal, channels: 2, detours: 7}", 0, false, false},
    {"{algorithm: ugal, queues: port}", 0, false, true},
    {"{algorithm: ugal, channels: 2, queues: port, threshold: 2}", 2, false, true},
};
enum { ROUTINGS = sizeof routings / sizeof *routings };

static void set_routing(network_case *sample, uint32_t which) {
    sample->routing = routings[which].yaml;
    sample->config.ugal_threshold = routings[which].threshold;
    sample->config.ugal_global = routings[which].global;
    sample->config.ugal_port = routings[which].port;
}

/* Case k: shapes, routings and arbiters in turn, the rest drawn. Every third has queues of default
 * lengths, every seventh virtual output queues. */
static network_case make_case(uint32_t k) {
    network_case made = draw_lattice_case(32, k);
    made.config.queue_packets = k % 3 == 0 ? 0 : made.config.queue_packets;
    made.config.arbiter = (reference_arbiter)(k / 2 % REFERENCE_ARBITERS);
    set_routing(&made, (k + k / reference_shape_count) % ROUTINGS);
    if (made.flow_control == VEF_FLOW_VIRTUAL_CHANNELS && k % 4 == 0)
        made.config.unit_phits = 1 + k / 4 % 3;
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

/* As case k, with links of several speeds and lengths. */
static network_case make_case_of_links(uint32_t k) {
    network_case made = make_case(k);
    made.by_table = true;
    draw_rules(&made);
    return made;
}

static void they_agree_where_links_differ(void **state) {
    (void)state;
    agree(CASES / 2, make_case_of_links);
}

/* ---- the comparison notices ---- */

static void another_threshold(reference_config *config) {
    config->ugal_threshold++;
}
static void another_view(reference_config *config) {
    config->ugal_global = !config->ugal_global;
}

static void other_queues(reference_config *config) {
    config->ugal_port = !config->ugal_port;
}

static void wrong_choices_are_noticed(void **state) {
    (void)state;
    void (*const wrong[])(reference_config *) = {another_threshold, another_view, other_queues};
    both sides;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < 10; k++) {
            network_case sample = make_case(2 + k * reference_shape_count); /* a torus */
            sample.load = 0.4;
            sample.messages = 400;
            network_case told = sample;
            wrong[w](&told.config);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("wrong choice %zu: noticed on %u of 10 networks\n", w, noticed);
        assert_true(noticed >= 7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_where_links_differ),
        cmocka_unit_test(wrong_choices_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
