/* The columns of reports of loads. See columns.h. */
#include "cli/load/columns.h"

#include <math.h>
#include <stddef.h>

#define FIELD(name)                                                                                \
    static double name(const vef_load_point *point) {                                              \
        return point->figures.name;                                                                \
    }
FIELD(offered_load)
FIELD(goodput)
FIELD(goodput_bytes_per_s)
FIELD(link_utilization_mean)
FIELD(link_utilization_max)
FIELD(cycles)
FIELD(warm_up_cycles)
FIELD(packets)
FIELD(messages)
FIELD(packet_hops)
FIELD(held_share)
FIELD(memory_bytes)
#undef FIELD

/* Not defined without packets. */
#define OF_PACKETS(name, value)                                                                    \
    static double name(const vef_load_point *point) {                                              \
        return point->figures.packets > 0 ? point->figures.value : (double)INFINITY;               \
    }
OF_PACKETS(latency_mean, latency_cycles.mean)
OF_PACKETS(latency_median_cycles, latency_median_cycles)
OF_PACKETS(latency_p99_cycles, latency_p99_cycles)
OF_PACKETS(latency_p999_cycles, latency_p999_cycles)
OF_PACKETS(average_hops, average_hops)
#undef OF_PACKETS

/* Not defined where latency grows with the length of the run, as in saturation, or without
 * messages. */
#define ENDLESS(name, value)                                                                       \
    static double name(const vef_load_point *point) {                                              \
        return point->unbounded || point->figures.messages <= 0 ? (double)INFINITY                 \
                                                                : point->figures.value;            \
    }
ENDLESS(message_latency_mean, message_latency_cycles.mean)
ENDLESS(message_latency_median, message_latency_median_cycles)
ENDLESS(message_latency_p99, message_latency_p99_cycles)
ENDLESS(message_latency_p999, message_latency_p999_cycles)
#undef ENDLESS

static double rate(const vef_load_point *point) {
    return point->rate;
}
static double accepted_load(const vef_load_point *point) {
    return point->figures.accepted_load.mean;
}
static double accepted_load_half_width(const vef_load_point *point) {
    return vef_half_width(&point->figures.accepted_load);
}
double vef_load_latency_half_width(const vef_load_point *point) {
    return point->figures.packets > 0 ? vef_half_width(&point->figures.latency_cycles)
                                      : (double)INFINITY;
}
double vef_load_message_half_width(const vef_load_point *point) {
    return point->unbounded || point->figures.messages <= 0
               ? (double)INFINITY
               : vef_half_width(&point->figures.message_latency_cycles);
}
static double confidence_level(const vef_load_point *point) {
    (void)point;
    return VEF_CONFIDENCE;
}
static double fairness_min(const vef_load_point *point) {
    return point->fairness_min;
}
static double fairness_jain(const vef_load_point *point) {
    return point->fairness_jain;
}
static double hops_per_second(const vef_load_point *point) {
    return point->figures.all_packet_hops / point->figures.seconds;
}
static double million_hops_per_second(const vef_load_point *point) {
    return hops_per_second(point) / 1e6;
}

/* clang-format off */
const vef_load_column vef_load_columns_physical[] = {
    {NULL, "offered (GB/s)", "%.4g", offered_load, VEF_LOAD_GB_PER_S},
    {NULL, "accepted", "%.4g", accepted_load, VEF_LOAD_GB_PER_S},
    {NULL, "+-", "%.2g", accepted_load_half_width, VEF_LOAD_GB_PER_S},
    {NULL, "of capacity", "%.1f %%", accepted_load, VEF_LOAD_PERCENT},
    {NULL, "latency (ns)", "%.1f", latency_mean, VEF_LOAD_NS},
    {NULL, "+-", "%.1f", vef_load_latency_half_width, VEF_LOAD_NS},
    {NULL, "median", "%.0f", latency_median_cycles, VEF_LOAD_NS},
    {NULL, "99 %", "%.0f", latency_p99_cycles, VEF_LOAD_NS},
    {NULL, "99.9 %", "%.0f", latency_p999_cycles, VEF_LOAD_NS},
    {NULL, "message", "%.1f", message_latency_mean, VEF_LOAD_NS},
    {NULL, "+-", "%.1f", vef_load_message_half_width, VEF_LOAD_NS},
    {NULL, "99 %", "%.0f", message_latency_p99, VEF_LOAD_NS},
    {0},
};
const vef_load_column vef_load_columns[] = {
    {"rate", NULL, "%.6g", rate, VEF_LOAD_AS_IS},
    {"offered_load", "offered (phits/cycle)", "%.4f", offered_load, VEF_LOAD_AS_IS},
    {"accepted_load", "accepted", "%.4f", accepted_load, VEF_LOAD_AS_IS},
    {"accepted_load_half_width", "+-", "%.4f", accepted_load_half_width, VEF_LOAD_AS_IS},
    {"confidence_level", NULL, "%.2f", confidence_level, VEF_LOAD_AS_IS},
    {"latency_mean_cycles", "latency (cycles)", "%.1f", latency_mean, VEF_LOAD_AS_IS},
    {"latency_half_width_cycles", NULL, "%.1f", vef_load_latency_half_width, VEF_LOAD_AS_IS},
    {"latency_median_cycles", NULL, "%.0f", latency_median_cycles, VEF_LOAD_AS_IS},
    {"latency_p99_cycles", NULL, "%.0f", latency_p99_cycles, VEF_LOAD_AS_IS},
    {"latency_p999_cycles", NULL, "%.0f", latency_p999_cycles, VEF_LOAD_AS_IS},
    {"message_latency_mean_cycles", NULL, "%.1f", message_latency_mean, VEF_LOAD_AS_IS},
    {"message_latency_half_width_cycles", NULL, "%.1f", vef_load_message_half_width, VEF_LOAD_AS_IS},
    {"message_latency_median_cycles", NULL, "%.0f", message_latency_median, VEF_LOAD_AS_IS},
    {"message_latency_p99_cycles", NULL, "%.0f", message_latency_p99, VEF_LOAD_AS_IS},
    {"message_latency_p999_cycles", NULL, "%.0f", message_latency_p999, VEF_LOAD_AS_IS},
    {"average_hops", "hops", "%.3f", average_hops, VEF_LOAD_AS_IS},
    {"link_utilization_mean", "links", "%.3f", link_utilization_mean, VEF_LOAD_AS_IS},
    {"link_utilization_max", "busiest", "%.3f", link_utilization_max, VEF_LOAD_AS_IS},
    {"fairness_min_over_mean", "least", "%.2f", fairness_min, VEF_LOAD_AS_IS},
    {"fairness_jain", "Jain", "%.3f", fairness_jain, VEF_LOAD_AS_IS},
    {"sources_behind", NULL, "%.4f", held_share, VEF_LOAD_AS_IS},
    {"warm_up_cycles", NULL, "%.0f", warm_up_cycles, VEF_LOAD_AS_IS},
    {"cycles", "cycles", "%.0f", cycles, VEF_LOAD_AS_IS},
    {"packets", NULL, "%.0f", packets, VEF_LOAD_AS_IS},
    {"messages", NULL, "%.0f", messages, VEF_LOAD_AS_IS},
    {"packet_hops", NULL, "%.0f", packet_hops, VEF_LOAD_AS_IS},
    {"packet_hops_per_second", NULL, "%.0f", hops_per_second, VEF_LOAD_AS_IS},
    {NULL, "Mhops/s", "%.1f", million_hops_per_second, VEF_LOAD_AS_IS},
    {"memory_bytes", NULL, "%.0f", memory_bytes, VEF_LOAD_AS_IS},
    {"goodput", NULL, "%.4f", goodput, VEF_LOAD_AS_IS},
    {"goodput_bytes_per_s", NULL, "%.9g", goodput_bytes_per_s, VEF_LOAD_AS_IS},
    {"offered_bytes_per_s", NULL, NULL, offered_load, VEF_LOAD_BYTES_PER_S},
    {"accepted_bytes_per_s", NULL, NULL, accepted_load, VEF_LOAD_BYTES_PER_S},
    {"accepted_half_width_bytes_per_s", NULL, NULL, accepted_load_half_width, VEF_LOAD_BYTES_PER_S},
    {0},
};
/* clang-format on */

double vef_load_unit(vef_load_unit_kind unit, const vef_netmodel *model) {
    const double cycle_ns = model->timing.cycle_ns;
    const double units[] = {[VEF_LOAD_AS_IS] = 1,
                            [VEF_LOAD_NS] = cycle_ns,
                            [VEF_LOAD_BYTES_PER_S] = model->phit_bytes * 1e9 / cycle_ns,
                            [VEF_LOAD_GB_PER_S] = model->phit_bytes / cycle_ns,
                            [VEF_LOAD_PERCENT] = 100};
    return units[unit];
}
