/* Building synthetic traffic for tests. See synthetic.h. */
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

static vef_code try_pattern(const char *yaml, const vef_topology *topology, vef_pattern **pattern,
                            vef_error *error) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    char text[512];
    snprintf(text, sizeof text, "traffic: %s", yaml);
    vef_code code = vef_config_parse(text, "test", &arena, &root, error);
    if (code == VEF_OK)
        code = vef_pattern_create(vef_node_get(root, "traffic"), NULL, topology, pattern, error);
    vef_arena_release(&arena);
    return code;
}

vef_pattern *pattern_of(const char *yaml, const vef_topology *topology) {
    vef_pattern *pattern = NULL;
    vef_error error = {0};
    if (try_pattern(yaml, topology, &pattern, &error))
        fail_msg("%s: %s", yaml, error.message);
    return pattern;
}

void pattern_refused(const char *yaml, const vef_topology *topology, vef_code code,
                     const char *words) {
    vef_pattern *pattern = NULL;
    vef_error error = {0};
    const vef_code got = try_pattern(yaml, topology, &pattern, &error);
    if (got != code || pattern)
        fail_msg("%s: %d instead of %d: %s", yaml, got, code, error.message);
    if (!strstr(error.message, words))
        fail_msg("%s: '%s' does not hold '%s'", yaml, error.message, words);
}

vef_code try_stream(const synthetic *given, vef_arena *arena, vef_traffic **traffic,
                    vef_error *error) {
    vef_node *root = NULL;
    char text[256];
    snprintf(text, sizeof text, "process: %s", given->process ? given->process : "");
    vef_traffic_settings settings = {
        .pattern = given->pattern,
        .places = given->places,
        .rate = given->rate,
        .packets = {.phit_bytes = 4, .payload_bytes = UINT64_MAX},
        .traffic_classes = given->traffic_classes ? given->traffic_classes : 1,
        .seed = given->seed,
    };
    vef_code code = vef_config_parse(text, "test", arena, &root, error);
    if (code == VEF_OK)
        code = vef_process_read(vef_node_get(root, "process"), arena, &settings.process,
                                &settings.process_parameters, error);
    if (code == VEF_OK)
        code = vef_lengths_read(given->lengths ? given->lengths : "1", arena, &settings.lengths,
                                &settings.length_count, error);
    return code == VEF_OK ? vef_traffic_create(&settings, traffic, error) : code;
}

vef_traffic *stream_of(const synthetic *given, vef_arena *arena) {
    vef_traffic *traffic = NULL;
    vef_error error = {0};
    if (try_stream(given, arena, &traffic, &error))
        fail_msg("%s %s: %s", given->process, given->lengths, error.message);
    return traffic;
}
