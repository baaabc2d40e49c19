/* Open-loop measurement against what must hold of it: conservation (Little's law), sources as with
 * endless queues, accepted = offered below saturation, latencies without interference, results that
 * depend on the seed alone. */
#include "netmodel/load/run.h"
#include "netmodel/load/saturation.h"
#include "netmodel/load/sources.h"
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const vef_length_share sixteen[] = {{1, 16, 0}};
static const vef_length_share mixed[] = {{0.7, 1, 0}, {0.3, 40, 0}};

static vef_pattern *uniform_on(const vef_topology *topology) {
    vef_error error;
    vef_pattern *pattern = NULL;
    if (vef_pattern_create(NULL, NULL, topology, &pattern, &error))
        fail_msg("%s", error.message);
    return pattern;
}

/* What the process keeps is in `arena`. */
static vef_traffic_settings settings_of(const vef_pattern *pattern, const vef_length_share *lengths,
                                        size_t count, double rate, vef_arena *arena) {
    vef_error error;
    vef_traffic_settings settings = {.pattern = pattern,
                                     .lengths = lengths,
                                     .length_count = count,
                                     .rate = rate,
                                     .packets = {.phit_bytes = 4, .payload_bytes = UINT64_MAX},
                                     .traffic_classes = 1,
                                     .seed = 5};
    if (vef_process_read(NULL, arena, &settings.process, &settings.process_parameters, &error))
        fail_msg("%s", error.message);
    return settings;
}

static vef_traffic *traffic_of(const vef_pattern *pattern, const vef_length_share *lengths,
                               size_t count, double rate, vef_arena *arena) {
    vef_error error;
    vef_traffic *stream = NULL;
    const vef_traffic_settings settings = settings_of(pattern, lengths, count, rate, arena);
    if (vef_traffic_create(&settings, &stream, &error))
        fail_msg("%s", error.message);
    return stream;
}

/* ---- packets alone ---- */

enum { ROUTER_DELAY = 2, LINK_DELAY = 3, ALONE_PHITS = 5 };

/* One message at a time between all pairs of endpoints of a network of this family, or as many as
 * `MOST_PAIRS` lets: the latency of each is hops x (router + link delay) + phits - 1, its hops no
 * fewer than the distance. Returns whether a routing of the table carries messages over it. */
static bool check_alone(const vef_topology_family *family) {
    enum { MOST_PAIRS = 4096 };
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: {family: %s, %s, router: {delay_cycles: %d}, link: {delay_cycles: %d}, "
             "packet: {phits: %d}}",
             family->name, family->samples[0] + 1, ROUTER_DELAY, LINK_DELAY, ALONE_PHITS);
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_error error;
    if (vef_config_parse(yaml, "test", &arena, &root, &error))
        fail_msg("%s", error.message);
    vef_code code = vef_netmodel_create(root, &model, &error);
    vef_arena_release(&arena);
    if (code == VEF_UNSUPPORTED)
        return false;
    if (code != VEF_OK)
        fail_msg("%s", error.message);
    uint32_t *distance = calloc(model->topology->routers, sizeof *distance);
    uint32_t pairs = 0;
    for (uint32_t a = 0; a < model->endpoints && pairs < MOST_PAIRS; a++) {
        distances_from(model->topology, vef_topology_router_of(model->topology, a), distance);
        for (uint32_t b = 0; b < model->endpoints && pairs < MOST_PAIRS; b++, pairs++) {
            model->kind->begin_figures(model);
            send_alone(model, a, b, ALONE_PHITS * model->phit_bytes);
            vef_net_counts counts;
            model->kind->counts(model, &counts);
            assert_int_equal(counts.packets, 1);
            assert_true(counts.packet_hops >= distance[vef_topology_router_of(model->topology, b)]);
            assert_int_equal(counts.latency_cycles,
                             counts.packet_hops * (ROUTER_DELAY + LINK_DELAY) + ALONE_PHITS - 1);
        }
    }
    free(distance);
    vef_netmodel_destroy(model);
    return true;
}

static void test_latency_alone(void **state) {
    (void)state;
    uint32_t carried = 0;
    for (size_t i = 0; vef_topology_families[i]; i++)
        carried += check_alone(vef_topology_families[i]);
    assert_true(carried >= 10);
}

/* ---- sources ---- */

typedef struct outcome {
    vef_net_counts counts;
    uint64_t messages, message_latency;
} outcome;

/* All messages of the stream go into the network's own queues, however long. */
static outcome run_with_endless_queues(const char *yaml, const vef_length_share *lengths,
                                       size_t length_count, double rate, uint64_t until) {
    vef_netmodel *model = network_of(yaml);
    vef_pattern *pattern = uniform_on(model->topology);
    vef_arena arena = {0};
    vef_traffic *stream = traffic_of(pattern, lengths, length_count, rate, &arena);
    vef_error error;
    const vef_net_delivery *got;
    size_t count;
    while (vef_traffic_time(stream) < until) {
        vef_net_message message;
        vef_traffic_next(stream, &message);
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    while (model->kind->now(model) < until)
        assert_int_equal(model->kind->advance(model, until, &got, &count, &error), VEF_OK);
    outcome found;
    model->kind->counts(model, &found.counts);
    const vef_latency *latency =
        ((const vef_network *)model)->partitions.parts[0].delivered.message_latency;
    found.messages = latency->count;
    found.message_latency = latency->sum;
    vef_traffic_destroy(stream);
    vef_arena_release(&arena);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(model);
    return found;
}

/* Of a network in that many parts, each with a thread, as an agent of which the sources inject. */
static outcome run_with_sources(const char *yaml, uint32_t parts, const vef_length_share *lengths,
                                size_t length_count, double rate, uint64_t until, bool *behind) {
    vef_netmodel *model = network_of(yaml);
    divide_network(model, parts, parts > 1);
    vef_pattern *pattern = uniform_on(model->topology);
    vef_arena arena = {0};
    const vef_traffic_settings settings = settings_of(pattern, lengths, length_count, rate, &arena);
    vef_error error;
    vef_sources sources;
    assert_int_equal(vef_sources_create(&sources, model, &settings, &error), VEF_OK);
    assert_int_equal(sources.part_count, parts);
    assert_int_equal(sources.senders, model->endpoints);
    *behind = false;
    for (uint64_t now = 0; now < until; now += 100) {
        assert_int_equal(vef_sources_run(&sources, now + 100, &error), VEF_OK);
        for (uint32_t e = 0; e < model->endpoints; e++) {
            assert_true(model->kind->waiting(model, e) <= VEF_MOST_WAITING);
            *behind = *behind || model->kind->waiting(model, e) == VEF_MOST_WAITING;
        }
    }
    const vef_source_counts counted = vef_sources_count(&sources);
    outcome found = {.messages = counted.messages, .message_latency = counted.latency_cycles};
    model->kind->counts(model, &found.counts);
    assert_int_equal(found.messages, found.counts.messages);
    const vef_source_part *gathered = vef_sources_gather(&sources);
    assert_int_equal(gathered->latency->count, counted.messages);
    assert_int_equal(gathered->latency->sum, counted.latency_cycles);
    uint64_t phits = 0;
    for (uint32_t e = 0; e < model->endpoints; e++)
        phits += sources.accepted_phits[e];
    assert_true(phits <= found.counts.phits); /* of whole messages */
    vef_sources_release(&sources);
    vef_arena_release(&arena);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(model);
    return found;
}

/* Putting off what a source makes changes nothing: every packet and every message takes as long as
 * with queues that hold them all. */
static void test_sources_are_endless_queues(void **state) {
    (void)state;
    static const char *const networks[] = {
        "{topology: {family: torus, sizes: [4, 4]}, packet: {phits: 16}}",
        "{topology: {family: mesh, sizes: [3, 3]}, packet: {phits: 8}, endpoints_per_router: 2, "
        "router: {injection_queues: 2, injection_queue_packets: 1}}",
        "{topology: {family: mesh, sizes: [4, 3]}, packet: {phits: 8}, link: {delay_cycles: 80}}"};
    static const double rates[] = {0.2, 0.6, 1};
    for (size_t n = 0; n < 3; n++)
        for (size_t r = 0; r < 3; r++)
            for (size_t l = 0; l < 2; l++) {
                const vef_length_share *lengths = l ? mixed : sixteen;
                outcome endless =
                    run_with_endless_queues(networks[n], lengths, l + 1, rates[r], 6000);
                for (uint32_t parts = 1; parts <= 3; parts++) {
                    bool behind;
                    outcome bounded = run_with_sources(networks[n], parts, lengths, l + 1, rates[r],
                                                       6000, &behind);
                    assert_memory_equal(&endless.counts, &bounded.counts, sizeof endless.counts);
                    assert_int_equal(endless.messages, bounded.messages);
                    assert_int_equal(endless.message_latency, bounded.message_latency);
                    if (n == 1 && rates[r] >= 1)
                        assert_true(behind); /* or it would say nothing */
                }
            }
}

/* Little's law holds exactly from empty to empty: the sum over cycles of the packets inside is the
 * sum over packets of the cycles inside, each its latency and the cycle of its tail. */
static void test_law_of_little(void **state) {
    (void)state;
    vef_netmodel *model = network_of("topology: {family: rtt, a: 3}");
    const vef_network *network = (const vef_network *)model;
    vef_pattern *pattern = uniform_on(model->topology);
    vef_arena arena = {0};
    vef_traffic *stream = traffic_of(pattern, mixed, 2, 0.5, &arena);
    vef_error error;
    uint64_t inside = 0, sent = 0;
    for (uint64_t now = 0; now < 3000 || network->partitions.parts[0].packets_inside > 0; now++) {
        while (now < 3000 && vef_traffic_time(stream) <= now) {
            vef_net_message message;
            vef_traffic_next(stream, &message);
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
            sent++;
        }
        const vef_net_delivery *got;
        size_t count;
        do
            assert_int_equal(model->kind->advance(model, now + 1, &got, &count, &error), VEF_OK);
        while (model->kind->now(model) < now + 1);
        inside += (uint64_t)network->partitions.parts[0]
                      .packets_inside; /* at time now + 1, after what ended then */
        assert_true(now < 100000);
    }
    vef_net_counts counts;
    vef_net_statistics statistics;
    model->kind->counts(model, &counts);
    model->kind->statistics(model, &statistics);
    assert_int_equal(counts.messages, sent);
    /* entered in cycle e, delivered at d: inside at times e + 1 … d - 1, its latency d - 1 - e */
    assert_int_equal(inside, counts.latency_cycles);
    assert_near(statistics.latency_mean_cycles,
                (double)counts.latency_cycles / (double)counts.packets, 1e-9);
    assert_true(statistics.latency_median_cycles <= statistics.latency_p99_cycles);
    assert_true(statistics.latency_p99_cycles <= statistics.latency_p999_cycles);
    /* phits x links: what crossed them is what was delivered, each over its hops */
    uint64_t crossed = 0;
    for (uint32_t r = 0; r < model->topology->routers; r++)
        for (uint32_t p = 0; p < model->topology->ports; p++)
            crossed += model->kind->link_phits(model, r, p);
    assert_true(crossed >= counts.packet_hops);
    assert_near(statistics.link_utilization_mean,
                (double)crossed / model->topology->routers / model->topology->ports /
                    (double)model->kind->now(model),
                1e-9);
    vef_traffic_destroy(stream);
    vef_arena_release(&arena);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(model);
}

/* Figures that begin again count what comes after, also of a packet that is crossing then. */
static void test_figures_begin_again(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{topology: {family: mesh, sizes: [2]}, packet: {phits: 8}}");
    vef_error error;
    const vef_net_delivery *got;
    size_t count;
    vef_net_message message = {.source = 0, .destination = 1, .bytes = 32};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    assert_int_equal(model->kind->advance(model, 3, &got, &count, &error), VEF_OK);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 3); /* in cycles 0, 1, 2 */
    model->kind->begin_figures(model);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 0);
    assert_int_equal(model->kind->advance(model, 9, &got, &count, &error), VEF_OK);
    assert_int_equal(count, 1);
    assert_int_equal(model->kind->link_phits(model, 0, 0), 5);
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    assert_int_equal(statistics.since_cycles, 3);
    assert_int_equal(statistics.packets, 1);
    assert_near(statistics.latency_mean_cycles, 8, 0); /* all of it: 1 hop, 8 phits */
    assert_near(statistics.link_utilization_max, 5.0 / 6, 1e-12);
    vef_netmodel_destroy(model);
}

/* ---- points ---- */

typedef struct network_file {
    char path[64];
    vef_netmodel *model;
    vef_pattern *pattern;
    vef_arena arena;
    vef_load_settings settings;
} network_file;

static void open_file(network_file *file, const char *yaml) {
    *file = (network_file){0};
    vef_error error;
    snprintf(file->path, sizeof file->path, "%s/load-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    int number = mkstemp(file->path);
    assert_true(number >= 0);
    assert_int_equal(write(number, yaml, strlen(yaml)), strlen(yaml));
    close(number);
    file->model = network_of(yaml);
    file->pattern = uniform_on(file->model->topology);
    file->settings = (vef_load_settings){
        .network = file->path,
        .traffic = {.pattern = file->pattern, .lengths = sixteen, .length_count = 1},
        .precision = 0.02,
        .most_cycles = 200000,
        .seeds = 2,
        .first_seed = 1,
    };
    if (vef_process_read(NULL, &file->arena, &file->settings.traffic.process,
                         &file->settings.traffic.process_parameters, &error))
        fail_msg("%s", error.message);
}

static void close_file(network_file *file) {
    unlink(file->path);
    vef_pattern_destroy(file->pattern);
    vef_netmodel_destroy(file->model);
    vef_arena_release(&file->arena);
}

static void measure(const network_file *file, const double *rates, size_t count,
                    vef_load_point *points) {
    vef_error error;
    if (vef_load_check(&file->settings, file->model, rates, count, &error) ||
        vef_load_points(&file->settings, rates, count, NULL, points, &error))
        fail_msg("%s", error.message);
}

/* Below saturation what is offered is accepted (within twice the interval of 95 %: 1 in 10,000),
 * and a mean of packets inside = rate x latency follows from the law of Little. Latencies are at
 * least that of a packet alone. At the least load they are that within what a collision with the
 * few others adds: on a 4 x 4 torus at 0.5 % of a link's rate fewer than 1 packet in 20 meets
 * another, and waits at most its length for it. */
static void test_below_saturation(void **state) {
    (void)state;
    network_file file;
    open_file(&file, "{topology: {family: torus, sizes: [4, 4]}, packet: {phits: 16}}");
    static const double rates[] = {0.005, 0.1, 0.3};
    file.settings.most_cycles = 10000000;
    vef_load_point points[3];
    measure(&file, rates, 3, points);
    /* of a 4 x 4 torus, mean over the 15 others: 2 x (1 + 2 + 1) / 4 x 16 / 15 */
    double hops = 2.0 * 16 / 15;
    for (size_t i = 0; i < 3; i++) {
        const vef_load_figures *figures = &points[i].figures;
        assert_true(points[i].settled && points[i].precise && !points[i].saturated);
        assert_near(figures->accepted_load.mean, rates[i],
                    2 * vef_half_width(&figures->accepted_load));
        assert_true(vef_half_width(&figures->accepted_load) <= 0.02 * figures->accepted_load.mean);
        assert_near(figures->average_hops, hops, 0.03 * hops);
        double alone = figures->average_hops + 16 - 1;
        assert_true(figures->latency_cycles.mean >= alone - 1e-9);
        assert_true(figures->message_latency_cycles.mean >=
                    figures->latency_cycles.mean + 1 - 1e-9);
        assert_true(figures->latency_median_cycles >= 16);
        assert_true(points[i].fairness_jain > 0 && points[i].fairness_jain <= 1);
        assert_true(points[i].fairness_min > 0 && points[i].fairness_min <= 1);
        /* four links out of each router carry rate x hops between them */
        assert_near(figures->link_utilization_mean, figures->accepted_load.mean * hops / 4,
                    0.05 * figures->link_utilization_mean);
    }
    assert_true(points[0].figures.latency_cycles.mean <=
                points[0].figures.average_hops + 15 + 16.0 / 20);
    assert_true(points[0].figures.latency_cycles.mean < points[1].figures.latency_cycles.mean);
    assert_true(points[1].figures.latency_cycles.mean < points[2].figures.latency_cycles.mean);
    vef_load_points_release(points, 3);
    close_file(&file);
}

static bool same(const vef_load_point *a, const vef_load_point *b) {
    for (uint32_t i = 0; i < a->run_count; i++) {
        vef_load_figures x = a->runs[i].figures, y = b->runs[i].figures;
        x.seconds = y.seconds = 0;
        if (memcmp(&x, &y, sizeof x) != 0 ||
            memcmp(a->runs[i].accepted_phits, b->runs[i].accepted_phits,
                   a->runs[i].endpoints * sizeof(uint64_t)) != 0)
            return false;
    }
    return a->run_count == b->run_count;
}

static void test_results_depend_on_the_seed_alone(void **state) {
    (void)state;
    network_file file;
    open_file(&file, "{topology: {family: rtt, a: 3}, packet: {phits: 16}}");
    static const double rates[] = {0.2, 1};
    vef_load_point one[2], two[2], other[2];
    file.settings.threads = 1;
    measure(&file, rates, 2, one);
    file.settings.threads = 2;
    measure(&file, rates, 2, two);
    file.settings.first_seed = 8;
    measure(&file, rates, 2, other);
    for (size_t i = 0; i < 2; i++) {
        assert_true(same(&one[i], &two[i]));
        assert_false(same(&one[i], &other[i]));
    }
    assert_true(one[1].saturated); /* or all of that holds of idle networks alone */
    vef_load_points_release(one, 2);
    vef_load_points_release(two, 2);
    vef_load_points_release(other, 2);
    close_file(&file);
}

/* The last run takes place in the open network if it has that seed, with the same result. */
static void test_last_run_in_the_open_network(void **state) {
    (void)state;
    network_file file;
    open_file(&file, "{topology: {family: rtt, a: 3}, packet: {phits: 16}}");
    static const double rates[] = {0.2, 1};
    vef_load_point separate[2], other[2], together[2];
    const uint64_t seed = file.model->seed;
    file.settings.seeds = 1;
    file.settings.first_seed = seed;
    measure(&file, rates, 2, separate);
    file.settings.opened = file.model;
    file.settings.first_seed = seed + 1;
    measure(&file, rates, 2, other);
    assert_int_equal(file.model->kind->now(file.model), 0);
    file.settings.first_seed = seed;
    measure(&file, rates, 2, together);
    assert_int_equal(file.model->kind->now(file.model),
                     together[1].figures.cycles + together[1].figures.warm_up_cycles);
    for (size_t i = 0; i < 2; i++)
        assert_true(same(&separate[i], &together[i]));
    vef_load_points_release(separate, 2);
    vef_load_points_release(other, 2);
    vef_load_points_release(together, 2);
    close_file(&file);
}

/* Two routers with two endpoints each and one link each way: two of three messages cross it, and it
 * carries a phit a cycle, so that each endpoint gets at most 1 / (2 x 2/3) phits a cycle accepted.
 */
static void test_saturation(void **state) {
    (void)state;
    network_file file;
    vef_load_saturation *found = calloc(1, sizeof *found);
    vef_error error;
    assert_non_null(found);
    open_file(&file,
              "{topology: {family: mesh, sizes: [2]}, endpoints_per_router: 2, packet: {phits: "
              "16}, router: {transit_first: false}}");
    assert_int_equal(vef_load_find_saturation(&file.settings, 1, NULL, found, &error), VEF_OK);
    const vef_load_figures *full = &found->points[found->full].figures;
    const vef_load_figures *peak = &found->points[found->peak].figures;
    assert_near(full->offered_load, 1, 1e-12);
    assert_true(full->accepted_load.mean < 0.75 + vef_half_width(&full->accepted_load));
    assert_true(full->link_utilization_max <= 1);
    assert_true(peak->accepted_load.mean >= full->accepted_load.mean);
    assert_true(found->points[found->full].saturated);
    for (size_t i = 1; i < found->count; i++)
        assert_true(found->points[i - 1].rate < found->points[i].rate);
    vef_load_saturation_release(found);
    free(found);
    close_file(&file);
}

/* ---- deadlock ---- */

/* A ring of eight under full load, entered without care for its bubble: it fills, and the run ends
 * with the cycle of the ring. With the bubble it goes on. */
static void test_deadlock_ends_the_run(void **state) {
    (void)state;
    for (int careless = 0; careless < 2; careless++) {
        network_file file;
        open_file(&file,
                  "{topology: {family: torus, sizes: [8]}, routing: {algorithm: dor}, router: "
                  "{queue_packets: 2, transit_first: false}}");
        vef_routing *routing = ((vef_network *)file.model)->routing;
        vef_routing_algorithm algorithm = *routing->algorithm;
        algorithm.candidates = careless_candidates;
        if (careless)
            routing->algorithm = &algorithm;
        enum { INTERVALS = 4000 };
        vef_measure *measure = vef_measure_new(&(vef_measure_settings){
            .runs = 1, .interval_cycles = VEF_INTERVAL_CYCLES, .most_intervals = 2 * INTERVALS});
        vef_error error;
        vef_running *running = vef_running_open_on(&file.settings, 1, 1, file.model, &error);
        file.model = NULL;
        assert_non_null(running);
        assert_int_equal(vef_running_advance(running, INTERVALS, measure, 0, &error), VEF_OK);
        assert_int_equal(vef_running_is_dead(running), careless);
        vef_load_run run;
        assert_int_equal(vef_running_finish(running, measure, 0, &run, &error), VEF_OK);
        if (careless) {
            assert_true(run.deadlock_cycle > 0);
            assert_non_null(strstr(run.deadlock, "router 3: "));
        } else {
            assert_null(run.deadlock);
            assert_true(run.figures.packets > 1000);
        }
        vef_load_run_release(&run);
        vef_running_close(running);
        vef_measure_free(measure);
        close_file(&file);
    }
}

static void test_refusals(void **state) {
    (void)state;
    network_file file;
    vef_error error;
    open_file(&file, "{topology: {family: torus, sizes: [4, 4]}}");
    double rate = 1.01;
    assert_int_equal(vef_load_check(&file.settings, file.model, &rate, 1, &error), VEF_INVALID);
    rate = 0;
    assert_int_equal(vef_load_check(&file.settings, file.model, &rate, 1, &error), VEF_INVALID);
    rate = 0.5;
    assert_int_equal(vef_load_check(&file.settings, file.model, &rate, 1, &error), VEF_OK);
    file.settings.precision = 0;
    assert_int_equal(vef_load_check(&file.settings, file.model, &rate, 1, &error), VEF_INVALID);
    close_file(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency_alone),
        cmocka_unit_test(test_sources_are_endless_queues),
        cmocka_unit_test(test_law_of_little),
        cmocka_unit_test(test_figures_begin_again),
        cmocka_unit_test(test_below_saturation),
        cmocka_unit_test(test_results_depend_on_the_seed_alone),
        cmocka_unit_test(test_last_run_in_the_open_network),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_deadlock_ends_the_run),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
