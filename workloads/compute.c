/* The section `compute`: see compute.h. */
#include "workloads/compute.h"

#include <math.h>

enum { CONSTANT, UNIFORM, NORMAL, LOGNORMAL, EXPONENTIAL, DISTRIBUTIONS };
const vef_param vef_compute_schema[] = {
    {VEF_KEY_AS("time", TIME, vef_compute, time_ns), .fallback = "0 ns", .maximum = 1e15,
     .help = "of a phase of computation, in the mean; compute: 10 us is short for it"},
    {VEF_KEY(REAL, vef_compute, flops), .fallback = "0", .maximum = 1e24,
     .help = "floating-point operations of a phase, instead of time"},
    {VEF_KEY(REAL, vef_compute, flops_per_s), .fallback = "0", .maximum = 1e24,
     .help = "operations per second of a task"},
    {VEF_KEY(REAL, vef_compute, bytes), .fallback = "0", .maximum = 1e24,
     .help = "bytes that a phase moves to and from memory; the longer time counts (roofline)"},
    {VEF_KEY(REAL, vef_compute, bytes_per_s), .fallback = "0", .maximum = 1e24,
     .help = "memory bandwidth of a task, bytes per second"},
    {VEF_KEY(CHOICE, vef_compute, distribution), .fallback = "constant",
     .choices = VEF_LIST([CONSTANT] = "constant", [UNIFORM] = "uniform", [NORMAL] = "normal",
                         [LOGNORMAL] = "lognormal", [EXPONENTIAL] = "exponential"),
     .help = "of the times of phases around their mean"},
    {VEF_KEY(REAL, vef_compute, spread), .fallback = "0.1", .maximum = 10,
     .help = "uniform: half width, at most 1; normal, lognormal: standard deviation; of the mean"},
    {VEF_KEY(REAL, vef_compute, imbalance), .fallback = "0", .maximum = 1,
     .help = "each task computes longer or shorter by a factor, uniform in 1 - x to 1 + x"},
    {VEF_KEY(UINT, vef_compute, seed), .fallback = "1", .help = "of the random factors"},
    {.key = NULL},
};

/* The streams of tasks: their phases, and their factors. */
enum { PHASES = 0, FACTORS = 1 };

static vef_code check_rate(const vef_node *node, const char *amount, double amount_value,
                           const char *rate, double rate_value, vef_error *error) {
    if (amount_value > 0 && !(rate_value > 0))
        return vef_node_fail(vef_node_get(node, amount), error,
                             "%s: missing key %s, by which it becomes a time", amount, rate);
    return VEF_OK;
}

/* Only one way of giving the time, which is the only one afterwards. */
static vef_code find_time(const vef_node *node, vef_compute *compute, vef_error *error) {
    vef_code code =
        check_rate(node, "flops", compute->flops, "flops_per_s", compute->flops_per_s, error);
    if (!code)
        code =
            check_rate(node, "bytes", compute->bytes, "bytes_per_s", compute->bytes_per_s, error);
    if (code || !(compute->flops > 0 || compute->bytes > 0))
        return code;
    if (compute->time_ns > 0)
        return vef_node_fail(vef_node_get(node, "time"), error,
                             "time: expected either time, or flops and bytes");
    const double flops_s = compute->flops > 0 ? compute->flops / compute->flops_per_s : 0;
    const double bytes_s = compute->bytes > 0 ? compute->bytes / compute->bytes_per_s : 0;
    compute->time_ns = 1e9 * fmax(flops_s, bytes_s);
    compute->flops = compute->bytes = 0;
    if (compute->time_ns > 1e15)
        return vef_node_fail(node, error,
                             "compute: %g s: out of range: expected at most 1000000 s per phase",
                             compute->time_ns / 1e9);
    return VEF_OK;
}

static vef_code refuse_times(const vef_node *node, const char *kind, const vef_compute *compute,
                             vef_error *error) {
    const char *key = compute->time_ns > 0 ? "time"
                      : compute->flops > 0 ? "flops"
                      : compute->bytes > 0 ? "bytes"
                                           : NULL;
    if (!key)
        return VEF_OK;
    return vef_node_fail(vef_node_get(node, key), error,
                         "%s: not supported with workload %s, which has times of its own: expected "
                         "flops_per_s, bytes_per_s, distribution, spread, imbalance or seed",
                         key, kind);
}

vef_code vef_compute_read(const vef_node *node, const char *kind, bool timed, vef_compute *compute,
                          vef_arena *arena, vef_error *error) {
    vef_node short_form;
    const char *key = "time";
    vef_node *item;
    if (node && node->kind == VEF_NODE_SCALAR && !vef_node_is_null(node)) {
        item = vef_arena_alloc(arena, 1, sizeof *item);
        *item = *node;
        short_form = *node;
        short_form.kind = VEF_NODE_MAPPING;
        short_form.count = 1;
        short_form.keys = &key;
        short_form.items = &item;
        node = &short_form;
    }
    vef_code code =
        vef_config_read(node, "compute", vef_compute_schema, NULL, compute, arena, error);
    if (!code && timed)
        code = refuse_times(node, kind, compute, error);
    if (!code)
        code = find_time(node, compute, error);
    if (!code && compute->distribution == UNIFORM && compute->spread > 1)
        code = vef_node_fail(vef_node_get(node, "spread"), error,
                             "spread: %g: out of range: expected at most 1 with distribution "
                             "uniform, so that no time is negative",
                             compute->spread);
    return code;
}

double vef_compute_task_factor(const vef_compute *compute, uint32_t task) {
    if (!(compute->imbalance > 0))
        return 1;
    vef_rng rng = vef_rng_make(compute->seed, VEF_RNG_WORKLOAD, (uint64_t)task << 1 | FACTORS);
    return 1 + compute->imbalance * (2 * vef_rng_unit(&rng) - 1);
}

/* Standard normal, by Box and Muller. */
static double draw_normal(vef_rng *rng) {
    const double radius = sqrt(-2 * log(1 - vef_rng_unit(rng)));
    return radius * cos(2 * 3.14159265358979323846 * vef_rng_unit(rng));
}

static double draw_constant(double spread, vef_rng *rng) {
    (void)spread;
    (void)rng;
    return 1;
}

static double draw_uniform(double spread, vef_rng *rng) {
    return 1 + spread * (2 * vef_rng_unit(rng) - 1);
}

static double draw_cut_normal(double spread, vef_rng *rng) {
    return fmax(0, 1 + spread * draw_normal(rng));
}

/* Of mean 1 and that standard deviation. */
static double draw_lognormal(double spread, vef_rng *rng) {
    const double variance = log1p(spread * spread);
    return exp(sqrt(variance) * draw_normal(rng) - variance / 2);
}

static double draw_exponential(double spread, vef_rng *rng) {
    (void)spread;
    return -log(1 - vef_rng_unit(rng));
}

double vef_compute_draw(const vef_compute *compute, vef_rng *rng) {
    static double (*const draws[DISTRIBUTIONS])(double spread, vef_rng *rng) = {
        [CONSTANT] = draw_constant,   [UNIFORM] = draw_uniform,         [NORMAL] = draw_cut_normal,
        [LOGNORMAL] = draw_lognormal, [EXPONENTIAL] = draw_exponential,
    };
    return draws[compute->distribution](compute->spread, rng);
}
