/* The table of kinds of points. See kinds.h. */
#include "study/kinds.h"

#include <stddef.h>

#define MACHINES_HELP "network or machine files, or networks"
#define LOAD_UNIT "phits/cycle/endpoint"
#define SEEDS_HELP "seeds of the network"
#define TRACES(...)                                                                                \
    { "traces", "trace", "", VEF_STUDY_TRACE, __VA_ARGS__, .help = "traces" }
#define MACHINES                                                                                   \
    { "networks", "network", "--net", VEF_STUDY_NETWORK, .required = true, .help = MACHINES_HELP }
#define SEEDS                                                                                      \
    { "seeds", "seed", "--set seed=", VEF_STUDY_SEED, .ranges = true, .help = SEEDS_HELP }
#define MAPPINGS                                                                                   \
    { "mappings", "mapping", "--map", VEF_STUDY_MAPPING, .help = "mappings, as of vef map" }
#define GRIDS                                                                                      \
    { "grids", "grid", "--grid", .help = "logical grids of the tasks: 16x8" }
#define PATTERNS(...)                                                                              \
    {                                                                                              \
        "patterns", "pattern", "--pattern", VEF_STUDY_WORKLOAD, .help = "traffic patterns",        \
                                                                __VA_ARGS__                        \
    }
#define PRECISIONS                                                                                 \
    {                                                                                              \
        "precisions", "precision", "--precision", VEF_STUDY_WORKLOAD,                              \
            .ranges = true, .help = "relative precisions"                                          \
    }

const char *const vef_study_network_figures[] = {[VEF_STUDY_PRICE] = "price_per_endpoint",
                                                 [VEF_STUDY_POWER] = "power_per_endpoint_w",
                                                 [VEF_STUDY_FACTOR] = "bandwidth_factor"};
#define NETWORK_FIGURES                                                                            \
    {.name = "price_per_endpoint"}, {.name = "power_per_endpoint_w", .unit = "W"}, {               \
        .name = "bandwidth_factor"                                                                 \
    }

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
            {"time_limits", "time_limit", "--time-limit", VEF_STUDY_WORKLOAD,
             .help = "maximum simulated times"},
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--json", NULL},
    .figures = (const vef_study_figure[]){{"time_ns", "ns"},
                                          {"time_cycles", "cycles"},
                                          {"events", NULL},
                                          {"messages", NULL},
                                          {"message_bytes", "B"},
                                          {"local_messages", NULL},
                                          {"packets", NULL},
                                          {"average_hops", "hops"},
                                          {"latency_mean_ns", "ns"},
                                          {"latency_p99_ns", "ns"},
                                          {"latency_mean_cycles", "cycles"},
                                          {"latency_p99_cycles", "cycles"},
                                          {"link_utilization_mean", "busy share"},
                                          {"link_utilization_max", "busy share"},
                                          {"busiest_link", NULL},
                                          NETWORK_FIGURES,
                                          {NULL, NULL}},
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
            {"time_limits", "time_limit", "--time-limit", VEF_STUDY_WORKLOAD,
             .help = "maximum simulated times"},
            {.key = NULL},
        },
    .arguments = (const char *const[]){"--json", NULL},
    .also = "batch",
    .figures = (const vef_study_figure[]){{"time_ns", "ns"},
                                          {"time_cycles", "cycles"},
                                          {"slowdown_mean", NULL},
                                          {"slowdown_max", NULL},
                                          {"wait_mean_ns", "ns"},
                                          {"wait_max_ns", "ns"},
                                          {"wait_mean_cycles", "cycles"},
                                          {"wait_max_cycles", "cycles"},
                                          {"utilization_mean", "busy share"},
                                          {"groups_mean", NULL},
                                          {"hops_mean", "hops"},
                                          {"events", NULL},
                                          {"messages", NULL},
                                          {"message_bytes", "B"},
                                          NETWORK_FIGURES,
                                          {NULL, NULL}},
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
    .arguments = (const char *const[]){"--seeds", "1", "--json", NULL},
    .within = "points",
    .figures = (const vef_study_figure[]){{"offered_load", LOAD_UNIT},
                                          {"accepted_load", LOAD_UNIT},
                                          {"accepted_load_half_width", LOAD_UNIT},
                                          {"accepted_bytes_per_s", "B/s/endpoint"},
                                          {"latency_mean_ns", "ns"},
                                          {"latency_half_width_ns", "ns"},
                                          {"latency_median_ns", "ns"},
                                          {"latency_p99_ns", "ns"},
                                          {"message_latency_mean_ns", "ns"},
                                          {"latency_mean_cycles", "cycles"},
                                          {"latency_half_width_cycles", "cycles"},
                                          {"latency_median_cycles", "cycles"},
                                          {"latency_p99_cycles", "cycles"},
                                          {"message_latency_mean_cycles", "cycles"},
                                          {"average_hops", "hops"},
                                          {"link_utilization_mean", "busy share"},
                                          {"link_utilization_max", "busy share"},
                                          {"fairness_min_over_mean", NULL},
                                          {"fairness_jain", NULL},
                                          {"cycles", "cycles"},
                                          {"packets", NULL},
                                          {"saturated", NULL},
                                          {"steady", NULL},
                                          {"model_load", LOAD_UNIT},
                                          {"model_hops", "hops"},
                                          {"model_load_deviation", NULL},
                                          {"model_hops_deviation", NULL},
                                          {"sources_behind", NULL},
                                          NETWORK_FIGURES,
                                          {NULL, NULL}},
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
    .arguments = (const char *const[]){"--json", NULL},
    .within = "mappings",
    .figures = (const vef_study_figure[]){{"hop_bytes", "B hops"},
                                          {"dilation_mean", "hops"},
                                          {"dilation_max", "hops"},
                                          {"link_load_max", "B"},
                                          {"link_load_mean", "B"},
                                          {"local_bytes", "B"},
                                          {"time_ns", "ns"},
                                          {"time_cycles", "cycles"},
                                          NETWORK_FIGURES,
                                          {NULL, NULL}},
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
    .arguments = (const char *const[]){"--json", NULL},
    .figures =
        (const vef_study_figure[]){{"routers", NULL},
                                   {"endpoints", NULL},
                                   {"links", NULL},
                                   {"degree_max", NULL},
                                   {"diameter", "hops"},
                                   {"average_distance", "hops"},
                                   {"link_utilization", NULL},
                                   {"effective_bisection", "links"},
                                   {.name = "price_per_endpoint"},
                                   {.name = "power_per_endpoint_w", .unit = "W"},
                                   {"throughput_bound", "phits/cycle/sender"},
                                   {"throughput_bound_upper", "phits/cycle/sender"},
                                   {"throughput_bound_even", "phits/cycle/sender"},
                                   {"throughput_bound_dimension_order", "phits/cycle/sender"},
                                   {"accepted_load_bound", LOAD_UNIT},
                                   {"accepted_load_bound_upper", LOAD_UNIT},
                                   {"transfer_ns", "ns"},
                                   {NULL, NULL}},
    .measure = "diameter",
    .greatest =
        " effective_bisection throughput_bound throughput_bound_upper throughput_bound_even "
        "throughput_bound_dimension_order accepted_load_bound accepted_load_bound_upper ",
    .reasons = (const vef_study_reason[]){{"average_distance", "average distance"}, {NULL, NULL}},
    .topology_alone = true,
};

const vef_study_kind *const vef_study_kinds[] = {&replay, &jobs, &load, &map, &topology, NULL};
