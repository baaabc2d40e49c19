/* Measures the generation of synthetic traffic: nanoseconds per message, in the fastest of some
 * rounds, by number of endpoints, pattern, process and load. */
#include "netmodel/traffic/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void stop(const char *why) {
    fprintf(stderr, "traffic: %s\n", why);
    exit(2);
}

/* Messages of 16 phits at `rate` phits per cycle and endpoint. */
static void measure(const char *network, const char *pattern, const char *process, double rate) {
    enum { ROUNDS = 8, MESSAGES = 300000 };
    char text[512];
    snprintf(text, sizeof text, "{network: %s, pattern: %s, process: %s}", network, pattern,
             process);
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error error;
    vef_topology *topology = NULL;
    vef_pattern *made = NULL;
    vef_traffic *traffic = NULL;
    vef_traffic_settings settings = {.rate = rate,
                                     .packets = {.phit_bytes = 4, .payload_bytes = UINT64_MAX},
                                     .traffic_classes = 1,
                                     .seed = 1};
    if (vef_config_parse(text, "bench", &arena, &root, &error) ||
        vef_topology_create(vef_node_get(root, "network"), 1, &topology, &error) ||
        vef_pattern_create(vef_node_get(root, "pattern"), NULL, topology, &made, &error) ||
        vef_process_read(vef_node_get(root, "process"), &arena, &settings.process,
                         &settings.process_parameters, &error) ||
        vef_lengths_read("16", &arena, &settings.lengths, &settings.length_count, &error))
        stop(error.message);
    settings.pattern = made;
    if (vef_traffic_create(&settings, &traffic, &error))
        stop(error.message);
    vef_net_message message;
    uint64_t sum = 0;
    double ns = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const double started = seconds();
        for (uint32_t i = 0; i < MESSAGES; i++) {
            vef_traffic_next(traffic, &message);
            sum += message.destination;
        }
        const double taken = (seconds() - started) / MESSAGES * 1e9;
        ns = round == 0 || taken < ns ? taken : ns;
    }
    printf("%9u %-16s %-10s %8g %8.1f %s\n", topology->endpoints, pattern, process, rate, ns,
           sum ? "" : "nothing sent");
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(made);
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

int main(void) {
    static const char *const networks[] = {"{family: torus, sizes: [16, 16]}",
                                           "{family: torus, sizes: [64, 32, 32]}"};
    printf("%9s %-16s %-10s %8s %8s\n", "endpoints", "pattern", "process", "load", "ns");
    for (size_t i = 0; i < 2; i++) {
        static const char *const patterns[] = {"hot-region", "bit-reversal", "local", "zipf"};
        static const char *const processes[] = {"poisson", "bursts"};
        static const double rates[] = {1, 0.25, 0.01, 0.0001};
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
            measure(networks[i], "uniform", "bernoulli", rates[k]);
        for (size_t k = 0; k < sizeof processes / sizeof *processes; k++)
            measure(networks[i], "uniform", processes[k], 0.25);
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++)
            measure(networks[i], patterns[k], "bernoulli", 0.25);
    }
    return 0;
}
