/* The options of `vef load` that describe the traffic and its measurement. Shared with `vef
 * compare`. */
#ifndef VEF_CLI_LOAD_CHOICES_H
#define VEF_CLI_LOAD_CHOICES_H

#include "cli/options.h"

typedef struct vef_load_choices {
    bool saturation;
    const char *pattern, *process, *lengths, *rate, *map, *grid;
    vef_texts overrides;
    const char *seeds;
    uint64_t seed;
    bool seed_given, net;
    uint32_t threads, endpoints; /* 0: not given */
    int64_t most_cycles;         /* negative: not given */
    double precision;
} vef_load_choices;

/* The rows of the options, for a struct with such a field: the traffic, and its measurement. */
#define VEF_LOAD_TRAFFIC_OPTIONS(choices_, field_)                                                 \
    VEF_OPTION(STRING, "pattern", "PATTERN", choices_, field_.pattern,                             \
               "Traffic pattern, see below", .default_text = "uniform"),                           \
        VEF_OPTION(STRING, "map", "MAPPING", choices_, field_.map,                                 \
                   "Mapping of the pattern's endpoints, as of vef map",                            \
                   .default_text = "each at its own"),                                             \
        VEF_OPTION(STRING, "grid", "GRID", choices_, field_.grid, "Logical grid for the mapping"), \
        VEF_OPTION(STRING, "rate", "LOADS", choices_, field_.rate,                                 \
                   "Offered load in phits per cycle and endpoint: 0.3, 0.05:1.0:0.05 or a list "   \
                   "with commas"),                                                                 \
        VEF_FLAG("saturation", choices_, field_.saturation,                                        \
                 "Search for the greatest accepted load, up to --rate (default: 1)"),              \
        VEF_OPTION(STRING, "process", "PROCESS", choices_, field_.process,                         \
                   "Injection process, see below", .default_text = "bernoulli"),                   \
        VEF_OPTION(STRING, "lengths", "LENGTHS", choices_, field_.lengths,                         \
                   "Message length in phits, or as a size: 16, 0.7:8,0.3:64, 4 KiB",               \
                   .default_text = "one packet")
#define VEF_LOAD_MEASURE_OPTIONS(choices_, field_)                                                 \
    VEF_OPTION(STRING, "seeds", "SEEDS", choices_, field_.seeds,                                   \
               "Seeds of the runs of each point: 5 (1 to 5), 1:5 or 3,7,9",                        \
               .default_text = "3 from the seed of the file; 1 from 4096 endpoints on"),           \
        {.param = VEF_OPTION_PARAM(UINT, "seed", choices_, field_.seed,                            \
                                   "First seed, where --seeds is a number or not given",           \
                                   .default_text = "1, or that of the network file"),              \
         .value = "N",                                                                             \
         .given = offsetof(choices_, field_.seed_given)},                                          \
        VEF_OPTION(REAL, "precision", "X", choices_, field_.precision,                             \
                   "Half width of the 95 % confidence interval, relative to the mean",             \
                   .fallback = "0.01", .maximum = INFINITY),                                       \
        VEF_OPTION(INT, "max-cycles", "N", choices_, field_.most_cycles,                           \
                   "Maximum number of cycles of a run", .default_text = "1000000",                 \
                   .maximum = INFINITY),                                                           \
        VEF_OPTION(COUNT, "endpoints", "N", choices_, field_.endpoints,                            \
                   "Number of endpoints of a network without topology", .default_text = "64",      \
                   .minimum = 1, .maximum = UINT32_MAX)

/* Of every load, but neither of the traffic nor of its measurement. */
#define VEF_LOAD_FURTHER_OPTIONS(choices_, field_)                                                 \
    VEF_NET_OPTION(choices_, field_.net),                                                          \
        VEF_SET_OPTION(choices_, field_.overrides, "network file (router.queue_packets=8)"),       \
        VEF_OPTION(COUNT, "threads", "N", choices_, field_.threads,                                \
                   "Maximum number of threads; results do not depend on it",                       \
                   .default_text = "one per core", .minimum = 1, .maximum = UINT32_MAX)

/* Writes the given options, but for --set and --threads, as map `options`. */
void vef_load_choices_put(const vef_load_choices *choices, vef_result *into);

/* The seeds of --seeds, which is given; room for VEF_MOST_NUMBERS. */
vef_code vef_load_choices_seeds(const vef_load_choices *choices, uint64_t *seeds, size_t *count,
                                vef_error *error);

/* Refuses (VEF_INVALID) choices that do not belong together. */
vef_code vef_load_choices_check(const vef_load_choices *choices, vef_error *error);

#endif
