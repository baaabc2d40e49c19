/* Uses both interfaces of libvef: a network, and a replay of app.vef. Status 0: it printed its
 * results; 3: a call failed for want of memory, and the handle was closed; 4: it failed otherwise.
 */
#include <stdio.h>
#include <vef/network.h>
#include <vef/replay.h>

enum { MESSAGES = 200, ENDPOINTS = 16 };

static int status_of(int code, const vef_failure *failure) {
    if (code != 0)
        printf("%s\n", failure->text);
    return code == 0 ? 0 : code == VEF_FAILURE_MEMORY ? 3 : 4;
}

static int use_network(void) {
    const vef_fabric_options options = {.size = sizeof options,
                                        .network = "{topology: {family: torus, sizes: [4, 4]}}",
                                        .threads = 2};
    vef_failure failure = {0};
    vef_fabric *fabric = NULL;
    size_t arrived = 0, count = 1;
    int code = vef_fabric_open(&options, &fabric, &failure);
    for (uint32_t i = 0; i < MESSAGES && code == 0; i++) {
        const vef_fabric_message message = {.source = i % ENDPOINTS,
                                            .destination = (7 * i + 1) % ENDPOINTS,
                                            .bytes = 4096,
                                            .time_cycles = 3 * i,
                                            .id = i};
        code = vef_fabric_inject(fabric, &message, &failure);
    }
    while (code == 0 && count > 0 && arrived < MESSAGES) {
        const vef_fabric_delivery *deliveries;
        code = vef_fabric_advance(fabric, UINT64_MAX - 1, &deliveries, &count, &failure);
        arrived += count;
    }
    vef_fabric_close(fabric);
    if (code == 0)
        printf("%zu messages arrived\n", arrived);
    return status_of(code, &failure);
}

static int use_replay(void) {
    const vef_feed_options options = {
        .size = sizeof options, .trace = "app.vef", .endpoints = ENDPOINTS, .cycle_ps = 1000};
    vef_feed_result result = {.size = sizeof result};
    vef_failure failure = {0};
    vef_feed *feed = NULL;
    int code = vef_feed_open(&options, &feed, &failure);
    for (int ended = 0; code == 0 && !ended;) {
        vef_feed_message message;
        code = vef_feed_run(feed, vef_feed_next(feed), &ended, &failure);
        while (code == 0 && vef_feed_take(feed, &message))
            code = vef_feed_deliver(feed, message.id, message.time_cycles + 10, &failure);
    }
    if (code == 0)
        code = vef_feed_finish(feed, &result, &failure);
    vef_feed_close(feed);
    if (code == 0)
        printf("%llu ps\n", (unsigned long long)result.time_ps);
    return status_of(code, &failure);
}

int main(void) {
    const int status = use_network();
    return status != 0 ? status : use_replay();
}
