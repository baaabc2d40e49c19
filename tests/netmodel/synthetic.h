/* Synthetic traffic for tests, built from text; the test fails when that fails. */
#ifndef VEF_TESTS_NETMODEL_SYNTHETIC_H
#define VEF_TESTS_NETMODEL_SYNTHETIC_H

#include "netmodel/traffic/traffic.h"

/* Of a pattern as after `--pattern`: its name, or {pattern: hot-region, share: 0.5}. */
vef_pattern *pattern_of(const char *yaml, const vef_topology *topology);
/* Fails unless the pattern is refused with `code` and a message that holds `words`. */
void pattern_refused(const char *yaml, const vef_topology *topology, vef_code code,
                     const char *words);

typedef struct synthetic {
    const vef_pattern *pattern;
    const char *process, *lengths; /* as text; NULL: the default, one phit */
    double rate;
    uint64_t seed;
    uint32_t traffic_classes; /* 0: 1 */
    const uint32_t *places;   /* or NULL */
} synthetic;

/* A stream, of phits of 4 bytes. What it was read from lives in `arena`. */
vef_traffic *stream_of(const synthetic *given, vef_arena *arena);
vef_code try_stream(const synthetic *given, vef_arena *arena, vef_traffic **traffic,
                    vef_error *error);

#endif
