/* The table of kinds of points. See kinds.h. */
#include "study/kinds.h"

#include <stddef.h>
#include <string.h>

#define LOAD_UNIT "phits/cycle/endpoint"

/* clang-format off */
#define TRACES(...) {"traces", "trace", "", VEF_STUDY_TRACE, __VA_ARGS__, .help = "traces"}
#define MACHINES                                                                                   \
    {"networks", "network", "--net", VEF_STUDY_NETWORK, .required = true,                          \
     .help = "network or machine files, or networks"}
#define SEEDS                                                                                      \
    {"seeds", "seed", "--set seed=", VEF_STUDY_SEED, .ranges = true, .help = "seeds of the network"}
#define MAPPINGS                                                                                   \
    {"mappings", "mapping", "--map", VEF_STUDY_MAPPING, .help = "mappings, as of vef map"}
#define GRIDS {"grids", "grid", "--grid", .help = "logical grids of the tasks: 16x8"}
#define PATTERNS(...)                                                                              \
    {"patterns", "pattern", "--pattern", VEF_STUDY_WORKLOAD, __VA_ARGS__,                          \
     .help = "traffic patterns"}
#define PRECISIONS                                                                                 \
    {"precisions", "precision", "--precision", VEF_STUDY_WORKLOAD, .ranges = true,                 \
     .help = "relative precisions"}
#define TIME_LIMITS                                                                                \
    {"time_limits", "time_limit", "--time-limit", VEF_STUDY_WORKLOAD,                              \
     .help = "maximum simulated times"}
/* clang-format on */

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NETWORK_FIGURES "price_per_endpoint", "power_per_endpoint_w", "bandwidth_factor"
const char *const vef_study_network_figures[] = {NETWORK_FIGURES};

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
            TIME_LIMITS,
            {.key = NULL},
        },
    .arguments = NAMES("--json"),
    .figures =
        NAMES("time_ns", "time_cycles", "events", "messages", "message_bytes", "local_messages",
              "packets", "average_hops", "latency_mean_ns", "latency_p99_ns", "latency_mean_cycles",
              "latency_p99_cycles", "link_utilization_mean", "link_utilization_max", "busiest_link",
              NETWORK_FIGURES),
    .measure = "time_ns",
    .explains = true,
    .machine = true,
    .threads = true,
};

static const vef_study_kind jobs = {
    .name = "jobs",
    .command = "replay",
    .summary = "replay the jobs of a file together on one network, or as a batch",
    .keys =
        (const vef_study_key[]){
            {"jobs", "jobs", "--jobs", VEF_STUDY_LISTING, .required = true,
             .help = "files of jobs"},
            MACHINES,
            {"policies", "policy", "--batch", .help = "policies of a batch: fcfs, easy"},
            {"places", "place", "--place", .help = "placements of jobs without the key place"},
            SEEDS,
            TIME_LIMITS,
            {.key = NULL},
        },
    .arguments = NAMES("--json"),
    .also = "batch",
    .figures =
        NAMES("time_ns", "time_cycles", "slowdown_mean", "slowdown_max", "wait_mean_ns",
              "wait_max_ns", "wait_mean_cycles", "wait_max_cycles", "utilization_mean",
              "groups_mean", "hops_mean", "events", "messages", "message_bytes", NETWORK_FIGURES),
    .measure = "time_ns",
    .greatest = " utilization_mean ",
    .reasons = (const vef_study_reason[]){{"wait_mean_ns", "mean wait (ns)"},
                                          {"hops_mean", "mean hops"},
                                          {"groups_mean", "groups of a job"},
                                          {NULL, NULL}},
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
            {"processes", "process", "--process", VEF_STUDY_WORKLOAD,
             .help = "injection processes"},
            {"lengths", "lengths", "--lengths", VEF_STUDY_WORKLOAD,
             .help = "message lengths in phits, or as sizes"},
            {"rates", "rate", "--rate", VEF_STUDY_WORKLOAD, .required = true, .ranges = true,
             .help = "offered loads in phits per cycle and endpoint", .unit = LOAD_UNIT},
            {"seeds", "seed", "--seed", VEF_STUDY_SEED, .ranges = true, .help = "seeds"},
            PRECISIONS,
            {"max_cycles", "max_cycles", "--max-cycles", VEF_STUDY_WORKLOAD, .ranges = true,
             .help = "maximum numbers of cycles of a run", .unit = "cycles"},
            {.key = NULL},
        },
    .arguments = NAMES("--seeds", "1", "--json"),
    .within = "points",
    .figures = NAMES(
        "offered_load", "accepted_load", "accepted_load_half_width", "accepted_bytes_per_s",
        "latency_mean_ns", "latency_half_width_ns", "latency_median_ns", "latency_p99_ns",
        "message_latency_mean_ns", "latency_mean_cycles", "latency_half_width_cycles",
        "latency_median_cycles", "latency_p99_cycles", "message_latency_mean_cycles",
        "average_hops", "link_utilization_mean", "link_utilization_max", "fairness_min_over_mean",
        "fairness_jain", "cycles", "packets", "saturated", "steady", "model_load", "model_hops",
        "model_load_deviation", "model_hops_deviation", "sources_behind", NETWORK_FIGURES),
    .measure = "latency_mean_ns",
    .sweep = "rate",
    .peak = "accepted_bytes_per_s",
    .greatest = " accepted_load accepted_bytes_per_s fairness_min_over_mean fairness_jain ",
    .half_widths =
        (const vef_study_half_width[]){
            {"accepted_load", "accepted_load_half_width", "accepted_load"},
            {"accepted_bytes_per_s", "accepted_load_half_width", "accepted_load"},
            {"latency_mean_ns", "latency_half_width_ns", "latency_mean_ns"},
            {"latency_mean_cycles", "latency_half_width_ns", "latency_mean_ns"},
            {NULL, NULL, NULL}},
    .reasons =
        (const vef_study_reason[]){{"average_hops", "mean hops"},
                                   {"link_utilization_mean", "busy share of all links"},
                                   {"link_utilization_max", "busy share of the busiest link"},
                                   {NULL, NULL}},
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
            {"simulate", "simulate", "--simulate", VEF_STUDY_WORKLOAD, .flag = true,
             .help = "replay it: true | false"},
            {.key = NULL},
        },
    .arguments = NAMES("--json"),
    .within = "mappings",
    .figures = NAMES("hop_bytes", "dilation_mean", "dilation_max", "link_load_max",
                     "link_load_mean", "local_bytes", "time_ns", "time_cycles", NETWORK_FIGURES),
    .measure = "hop_bytes",
    .reasons = (const vef_study_reason[]){{"dilation_mean", "mean hops"},
                                          {"link_load_max", "bytes over the busiest link"},
                                          {NULL, NULL}},
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
    .arguments = NAMES("--json"),
    .figures = NAMES("routers", "endpoints", "links", "degree_max", "diameter", "average_distance",
                     "link_utilization", "effective_bisection", "price_per_endpoint",
                     "power_per_endpoint_w", "throughput_bound", "throughput_bound_upper",
                     "throughput_bound_even", "throughput_bound_dimension_order",
                     "accepted_load_bound", "accepted_load_bound_upper", "transfer_ns"),
    .measure = "diameter",
    .greatest =
        " effective_bisection throughput_bound throughput_bound_upper throughput_bound_even "
        "throughput_bound_dimension_order accepted_load_bound accepted_load_bound_upper ",
    .reasons = (const vef_study_reason[]){{"average_distance", "average distance"}, {NULL, NULL}},
    .topology_alone = true,
};

const vef_study_kind *const vef_study_kinds[] = {&replay, &jobs, &load, &map, &topology, NULL};

/* A figure has the unit of the first of these ends of names that is its own. */
static const struct {
    const char *unit, *ends[6];
} units[] = {
    {"ns", {"_ns"}},
    {"cycles", {"cycles"}},
    {"B/s/endpoint", {"bytes_per_s"}},
    {"B hops", {"hop_bytes"}},
    {"B", {"_bytes", "link_load_max", "link_load_mean"}},
    {"W", {"_w"}},
    {"links", {"bisection"}},
    {"hops", {"_hops", "hops_mean", "dilation_mean", "dilation_max", "diameter", "distance"}},
    {"busy share", {"utilization_mean", "utilization_max"}},
    {LOAD_UNIT, {"_load", "load_half_width", "load_bound", "load_bound_upper"}},
    {"phits/cycle/sender", {"bound", "bound_upper", "bound_even", "bound_dimension_order"}},
};

const char *vef_study_unit(const char *figure) {
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        for (size_t e = 0; e < sizeof units[u].ends / sizeof *units[u].ends; e++) {
            const char *end = units[u].ends[e];
            if (end && strlen(figure) >= strlen(end) &&
                strcmp(figure + strlen(figure) - strlen(end), end) == 0)
                return units[u].unit;
        }
    return NULL;
}
