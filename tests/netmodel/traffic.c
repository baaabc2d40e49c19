/* Random messages for tests. See traffic.h. */
#include "tests/netmodel/traffic.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

static void inject_all(vef_netmodel *model, const traffic *given) {
    vef_rng rng = vef_rng_make(given->seed, VEF_RNG_TEST, 0);
    vef_error error = {0};
    uint64_t now = model->kind->now(model);
    for (uint32_t id = 0; id < given->messages; id++) {
        vef_net_message message = {
            .source = vef_rng_below(&rng, model->endpoints),
            .destination = vef_rng_below(&rng, model->endpoints),
            .bytes = vef_rng_below(&rng, (uint32_t)given->most_bytes + 1),
            .time_cycles = now,
            .id = id,
        };
        if (given->spread_cycles)
            message.time_cycles += vef_rng_below(&rng, (uint32_t)given->spread_cycles);
        if (model->kind->inject(model, &message, &error))
            fail_msg("%s", error.message);
    }
}

uint64_t *run_random(vef_netmodel *model, const traffic *given) {
    uint64_t *times = calloc(given->messages, sizeof *times);
    assert_non_null(times);
    inject_all(model, given);
    vef_error error = {0};
    uint64_t last = model->kind->now(model);
    for (uint32_t arrived = 0; arrived < given->messages;) {
        const vef_net_delivery *got;
        size_t count;
        uint64_t limit =
            given->step_cycles ? model->kind->now(model) + given->step_cycles : VEF_FOREVER;
        if (model->kind->advance(model, limit, &got, &count, &error))
            fail_msg("%s", error.message);
        if (count == 0 && !given->step_cycles)
            fail_msg("%u of %u messages arrived", arrived, given->messages);
        assert_true(model->kind->now(model) < last + 10000000); /* it goes on */
        for (size_t i = 0; i < count; i++) {
            assert_true(got[i].id < given->messages);
            assert_int_equal(times[got[i].id], 0); /* for the first time */
            assert_int_equal(got[i].time_cycles, model->kind->now(model));
            times[got[i].id] = got[i].time_cycles;
            last = got[i].time_cycles;
        }
        arrived += (uint32_t)count;
    }
    return times;
}

uint64_t send_alone(vef_netmodel *model, uint32_t source, uint32_t destination, uint64_t bytes) {
    vef_error error = {0};
    vef_net_message message = {
        .source = source,
        .destination = destination,
        .bytes = bytes,
        .time_cycles = model->kind->now(model),
        .id = 42,
    };
    const vef_net_delivery *got;
    size_t count;
    if (model->kind->inject(model, &message, &error) ||
        model->kind->advance(model, VEF_FOREVER, &got, &count, &error))
        fail_msg("%s", error.message);
    assert_int_equal(count, 1);
    assert_int_equal(got[0].id, 42);
    return vef_netmodel_cycles_at(model, got[0].time_cycles);
}
