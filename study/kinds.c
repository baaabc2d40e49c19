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
    .figures = (const vef_study_figure[]){{.name = "time_ns", "ns"},
                                          {.name = "time_cycles", "cycles"},
                                          {.name = "events", NULL},
                                          {.name = "messages", NULL},
                                          {.name = "message_bytes", "B"},
                                          {.name = "local_messages", NULL},
                                          {.name = "packets", NULL},
                                          {.name = "average_hops", "hops"},
                                          {.name = "latency_mean_ns", "ns"},
                                          {.name = "latency_p99_ns", "ns"},
                                          {.name = "latency_mean_cycles", "cycles"},
                                          {.name = "latency_p99_cycles", "cycles"},
                                          {.name = "link_utilization_mean", "busy share"},
                                          {.name = "link_utilization_max", "busy share"},
                                          {.name = "busiest_link", NULL},
                                          NETWORK_FIGURES,
                                          {.name = NULL}},
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
    .figures =
        (const vef_study_figure[]){{.name = "time_ns", "ns"},
                                   {.name = "time_cycles", "cycles"},
                                   {.name = "slowdown_mean", NULL},
                                   {.name = "slowdown_max", NULL},
                                   {.name = "wait_mean_ns", "ns", .reason = "mean wait (ns)"},
                                   {.name = "wait_max_ns", "ns"},
                                   {.name = "wait_mean_cycles", "cycles"},
                                   {.name = "wait_max_cycles", "cycles"},
                                   {.name = "utilization_mean", "busy share", .greatest = true},
                                   {.name = "groups_mean", NULL, .reason = "groups of a job"},
                                   {.name = "hops_mean", "hops", .reason = "mean hops"},
                                   {.name = "events", NULL},
                                   {.name = "messages", NULL},
                                   {.name = "message_bytes", "B"},
                                   NETWORK_FIGURES,
                                   {.name = NULL}},
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
    .figures =
        (const vef_study_figure[]){
            {.name = "offered_load", LOAD_UNIT},
            {.name = "accepted_load",
             LOAD_UNIT,
             .greatest = true,
             .half_width = "accepted_load_half_width"},
            {.name = "accepted_load_half_width", LOAD_UNIT},
            {.name = "accepted_bytes_per_s",
             "B/s/endpoint",
             .greatest = true,
             .half_width = "accepted_load_half_width",
             .half_width_in = "accepted_load"},
            {.name = "latency_mean_ns", "ns", .half_width = "latency_half_width_ns"},
            {.name = "latency_half_width_ns", "ns"},
            {.name = "latency_median_ns", "ns"},
            {.name = "latency_p99_ns", "ns"},
            {.name = "message_latency_mean_ns", "ns"},
            {.name = "latency_mean_cycles", "cycles", .half_width = "latency_half_width_cycles"},
            {.name = "latency_half_width_cycles", "cycles"},
            {.name = "latency_median_cycles", "cycles"},
            {.name = "latency_p99_cycles", "cycles"},
            {.name = "message_latency_mean_cycles", "cycles"},
            {.name = "average_hops", "hops", .reason = "mean hops"},
            {.name = "link_utilization_mean", "busy share", .reason = "busy share of all links"},
            {.name = "link_utilization_max",
             "busy share",
             .reason = "busy share of the busiest link"},
            {.name = "fairness_min_over_mean", NULL, .greatest = true},
            {.name = "fairness_jain", NULL, .greatest = true},
            {.name = "cycles", "cycles"},
            {.name = "packets", NULL},
            {.name = "saturated", NULL},
            {.name = "steady", NULL},
            {.name = "model_load", LOAD_UNIT},
            {.name = "model_hops", "hops"},
            {.name = "model_load_deviation", NULL},
            {.name = "model_hops_deviation", NULL},
            {.name = "sources_behind", NULL},
            NETWORK_FIGURES,
            {.name = NULL}},
    .measure = "latency_mean_ns",
    .sweep = "rate",
    .peak = "accepted_bytes_per_s",
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
    .figures =
        (const vef_study_figure[]){
            {.name = "hop_bytes", "B hops"},
            {.name = "dilation_mean", "hops", .reason = "mean hops"},
            {.name = "dilation_max", "hops"},
            {.name = "link_load_max", "B", .reason = "bytes over the busiest link"},
            {.name = "link_load_mean", "B"},
            {.name = "local_bytes", "B"},
            {.name = "time_ns", "ns"},
            {.name = "time_cycles", "cycles"},
            NETWORK_FIGURES,
            {.name = NULL}},
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
        (const vef_study_figure[]){
            {.name = "routers", NULL},
            {.name = "endpoints", NULL},
            {.name = "links", NULL},
            {.name = "degree_max", NULL},
            {.name = "diameter", "hops"},
            {.name = "average_distance", "hops", .reason = "average distance"},
            {.name = "link_utilization", NULL},
            {.name = "effective_bisection", "links", .greatest = true},
            {.name = "price_per_endpoint"},
            {.name = "power_per_endpoint_w", .unit = "W"},
            {.name = "throughput_bound", "phits/cycle/sender", .greatest = true},
            {.name = "throughput_bound_upper", "phits/cycle/sender", .greatest = true},
            {.name = "throughput_bound_even", "phits/cycle/sender", .greatest = true},
            {.name = "throughput_bound_dimension_order", "phits/cycle/sender", .greatest = true},
            {.name = "accepted_load_bound", LOAD_UNIT, .greatest = true},
            {.name = "accepted_load_bound_upper", LOAD_UNIT, .greatest = true},
            {.name = "transfer_ns", "ns"},
            {.name = NULL}},
    .measure = "diameter",
    .topology_alone = true,
};

const vef_study_kind *const vef_study_kinds[] = {&replay, &jobs, &load, &map, &topology, NULL};
