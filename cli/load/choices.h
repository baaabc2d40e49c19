/* The options of `vef load` that describe the traffic and its measurement. Shared with `vef
 * compare`. */
#ifndef VEF_CLI_LOAD_CHOICES_H
#define VEF_CLI_LOAD_CHOICES_H

#include "cli/options.h"

typedef struct vef_load_choices {
    bool saturation;
    const char *pattern, *process, *lengths, *rate, *map, *grid;
    vef_texts overrides;
    vef_seed seed;
    int64_t seeds, most_cycles, threads, endpoints; /* negative: not given */
    double precision;
} vef_load_choices;

/* None given. */
vef_load_choices vef_load_choices_none(void);

/* The rows of the options, for a struct with such a field: the traffic, and its measurement. */
#define VEF_LOAD_TRAFFIC_OPTIONS(choices_, field_)                                                 \
    VEF_OPTION(TEXT, "pattern", "PATTERN", choices_, field_.pattern,                               \
               "Traffic pattern, see below (default: uniform)."),                                  \
        VEF_OPTION(                                                                                \
            TEXT, "map", "MAPPING", choices_, field_.map,                                          \
            "Mapping of the pattern's endpoints, as of vef map (default: each at its own)."),      \
        VEF_OPTION(TEXT, "grid", "GRID", choices_, field_.grid, "Logical grid for the mapping."),  \
        VEF_OPTION(TEXT, "rate", "LOADS", choices_, field_.rate,                                   \
                   "Offered load in phits per cycle and endpoint: 0.3, 0.05:1.0:0.05 or a list "   \
                   "with commas."),                                                                \
        VEF_FLAG("saturation", choices_, field_.saturation,                                        \
                 "Search for the greatest accepted load, up to --rate (default: 1)."),             \
        VEF_OPTION(TEXT, "process", "PROCESS", choices_, field_.process,                           \
                   "Injection process, see below (default: bernoulli)."),                          \
        VEF_OPTION(TEXT, "lengths", "LENGTHS", choices_, field_.lengths,                           \
                   "Message length in phits, or as a size: 16, 0.7:8,0.3:64, 4 KiB (default: one " \
                   "packet).")
#define VEF_LOAD_MEASURE_OPTIONS(choices_, field_)                                                 \
    VEF_OPTION(                                                                                    \
        COUNT, "seeds", "N", choices_, field_.seeds,                                               \
        "Runs of each point, with consecutive seeds (default: 3; 1 from 4096 endpoints on)."),     \
        VEF_OPTION(SEED, "seed", "N", choices_, field_.seed,                                       \
                   "First seed (default: that of the network file)."),                             \
        VEF_OPTION(                                                                                \
            FACTOR, "precision", "X", choices_, field_.precision,                                  \
            "Half width of the 95 % confidence interval, relative to the mean (default: 0.01)."),  \
        VEF_OPTION(COUNT, "max-cycles", "N", choices_, field_.most_cycles,                         \
                   "Maximum number of cycles of a run (default: 1000000)."),                       \
        VEF_OPTION(COUNT, "endpoints", "N", choices_, field_.endpoints,                            \
                   "Number of endpoints of a network without topology (default: 64).")

/* Of every load, but neither of the traffic nor of its measurement. */
#define VEF_LOAD_FURTHER_OPTIONS(choices_, field_)                                                 \
    VEF_OPTION(TEXTS, "set", "KEY=VALUE", choices_, field_.overrides,                              \
               "Override a key of the network file (router.queue_packets=8)."),                    \
        VEF_OPTION(COUNT, "threads", "N", choices_, field_.threads,                                \
                   "Maximum number of threads; results do not depend on it (default: one per "     \
                   "core).")

/* Writes the given options, but for --set and --threads, as map `options`. */
void vef_load_choices_put(const vef_load_choices *choices, vef_result *into);

/* Refuses (VEF_INVALID) choices that do not belong together. */
vef_code vef_load_choices_check(const vef_load_choices *choices, vef_error *error);

#endif
