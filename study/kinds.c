/* The table of kinds of points. See kinds.h. */
#include "study/kinds.h"

#include <stddef.h>

#define MACHINES_HELP "network or machine files, or networks"
#define SEEDS_HELP "seeds of the network"
#define TRACES(...)                                                                                \
    { "traces", "trace", "", VEF_STUDY_TRACE, __VA_ARGS__, .help = "traces" }
#define MACHINES                                                                                   \
    { "networks", "network", "--net", VEF_STUDY_NETWORK, .required = true, .help = MACHINES_HELP }
#define SEEDS                                                                                      \
    { "seeds", "seed", "--set seed=", VEF_STUDY_SEED, .ranges = true, .help = SEEDS_HELP }
#define MAPPINGS                                                                                   \
    { "mappings", "mapping", "--map", .help = "mappings, as of vef map" }
#define GRIDS                                                                                      \
    { "grids", "grid", "--grid", .help = "logical grids of the tasks: 16x8" }
#define PATTERNS(...)                                                                              \
    { "patterns", "pattern", "--pattern", .help = "traffic patterns", __VA_ARGS__ }
#define PRECISIONS                                                                                 \
    { "precisions", "precision", "--precision", .ranges = true, .help = "relative precisions" }

static const vef_study_kind replay = {
    .name = "replay",
    .summary = "replay a trace on a network",
    .keys =
        (const vef_study_key[]){
            TRACES(.required = true),
            MACHINES,
            MAPPINGS,
            GRIDS,
            SEEDS,
            {"time_limits", "time_limit", "--time-limit", .help = "maximum simulated times"},
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--json", NULL},
    .figures =
        (const char *const[]){"time_cycles", "time_ns", "events", "messages", "message_bytes",
                              "local_messages", "packets", "average_hops", "latency_mean_cycles",
                              "latency_p99_cycles", "link_utilization_mean", "link_utilization_max",
                              "busiest_link", NULL},
    .measure = "time_ns",
    .machine = true,
    .threads = true,
};

static const vef_study_kind load = {
    .name = "load",
    .summary = "measure a network under synthetic traffic at one load",
    .keys =
        (const vef_study_key[]){
            {"networks", "network", "", VEF_STUDY_NETWORK, .required = true,
             .help = "network files, or networks"},
            PATTERNS(.measure = NULL),
            MAPPINGS,
            GRIDS,
            {"processes", "process", "--process", .help = "injection processes"},
            {"lengths", "lengths", "--lengths", .help = "message lengths in phits, or as sizes"},
            {"rates", "rate", "--rate", .required = true, .ranges = true,
             .help = "offered loads in phits per cycle and endpoint"},
            {"seeds", "seed", "--seed", VEF_STUDY_SEED, .ranges = true, .help = "seeds"},
            PRECISIONS,
            {"max_cycles", "max_cycles", "--max-cycles", .ranges = true,
             .help = "maximum numbers of cycles of a run"},
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--seeds", "1", "--json", NULL},
    .within = "points",
    .figures = (const char *const[]){"offered_load", "accepted_load", "accepted_load_half_width",
                                     "latency_mean_cycles", "latency_half_width_cycles",
                                     "latency_median_cycles", "latency_p99_cycles",
                                     "message_latency_mean_cycles", "average_hops",
                                     "link_utilization_mean", "link_utilization_max",
                                     "fairness_min_over_mean", "fairness_jain", "cycles", "packets",
                                     "saturated", "steady", NULL},
    .measure = "latency_mean_cycles",
    .threads = true,
};

static const vef_study_kind map = {
    .name = "map",
    .summary = "the costs of a mapping, and with simulate its replay",
    .keys =
        (const vef_study_key[]){
            TRACES(.required = false),
            PATTERNS(.measure = NULL),
            MACHINES,
            MAPPINGS,
            GRIDS,
            SEEDS,
            {"simulate", "simulate", "--simulate", .flag = true, .help = "replay it: true | false"},
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--json", NULL},
    .within = "mappings",
    .figures =
        (const char *const[]){"hop_bytes", "dilation_mean", "dilation_max", "link_load_max",
                              "link_load_mean", "local_bytes", "time_cycles", "time_ns", NULL},
    .measure = "hop_bytes",
    .machine = true,
};

static const vef_study_kind topology = {
    .name = "topology",
    .summary = "the figures of a network, or the throughput bounds of a traffic on it",
    .keys =
        (const vef_study_key[]){
            {"networks", "network", "", VEF_STUDY_NETWORK, .required = true,
             .help = "network files, or topologies"},
            PATTERNS(.measure = "throughput_bound"),
            {"traces", "trace", "--trace", VEF_STUDY_TRACE, .help = "traces, instead of patterns",
             .measure = "throughput_bound"},
            MAPPINGS,
            PRECISIONS,
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--json", NULL},
    .figures =
        (const char *const[]){"routers", "endpoints", "links", "degree_max", "diameter",
                              "average_distance", "link_utilization", "effective_bisection",
                              "throughput_bound", "throughput_bound_upper", "throughput_bound_even",
                              "throughput_bound_dimension_order", "accepted_load_bound",
                              "accepted_load_bound_upper", "transfer_ns", NULL},
    .measure = "diameter",
    .topology_alone = true,
};

const vef_study_kind *const vef_study_kinds[] = {&replay, &load, &map, &topology, NULL};
