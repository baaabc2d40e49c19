/* The columns of reports of loads. See columns.h. */
#include "cli/load/columns.h"

#include <math.h>

double vef_load_figure(const vef_load_point *point, size_t offset, unsigned facts) {
    const void *field = (const char *)point + offset;
    if (facts & VEF_LOAD_CONFIDENCE)
        return VEF_CONFIDENCE;
    if ((facts & VEF_LOAD_OF_PACKETS && point->figures.packets <= 0) ||
        (facts & VEF_LOAD_OF_MESSAGES && (point->unbounded || point->figures.messages <= 0)))
        return (double)INFINITY;
    if (facts & VEF_LOAD_HALF_WIDTH)
        return vef_half_width(field);
    return *(const double *)field / (facts & VEF_LOAD_PER_SECOND ? point->figures.seconds : 1);
}

/* clang-format off */
#define AT(field) offsetof(vef_load_point, field)
const vef_load_column vef_load_columns_physical[] = {
    {NULL, "offered (GB/s)", "%.4g", VEF_LOAD_GB_PER_S, 0, AT(figures.offered_load)},
    {NULL, "accepted", "%.4g", VEF_LOAD_GB_PER_S, 0, AT(figures.accepted_load.mean)},
    {NULL, "+-", "%.2g", VEF_LOAD_GB_PER_S, VEF_LOAD_HALF_WIDTH, AT(figures.accepted_load)},
    {NULL, "of capacity", "%.1f %%", VEF_LOAD_PERCENT, 0, AT(figures.accepted_load.mean)},
    {NULL, "latency (ns)", "%.1f", VEF_LOAD_NS, VEF_LOAD_OF_PACKETS, AT(figures.latency_cycles.mean)},
    {NULL, "+-", "%.1f", VEF_LOAD_NS, VEF_LOAD_OF_PACKETS | VEF_LOAD_HALF_WIDTH, AT(figures.latency_cycles)},
    {NULL, "median", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_PACKETS, AT(figures.latency_median_cycles)},
    {NULL, "99 %", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_PACKETS, AT(figures.latency_p99_cycles)},
    {NULL, "99.9 %", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_PACKETS, AT(figures.latency_p999_cycles)},
    {NULL, "message", "%.1f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_cycles.mean)},
    {NULL, "+-", "%.1f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES | VEF_LOAD_HALF_WIDTH, AT(figures.message_latency_cycles)},
    {NULL, "99 %", "%.0f", VEF_LOAD_NS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_p99_cycles)},
    {0},
};
const vef_load_column vef_load_columns[] = {
    {"rate", NULL, "%.6g", VEF_LOAD_AS_IS, 0, AT(rate)},
    {"offered_load", "offered (phits/cycle)", "%.4f", VEF_LOAD_AS_IS, 0, AT(figures.offered_load)},
    {"accepted_load", "accepted", "%.4f", VEF_LOAD_AS_IS, 0, AT(figures.accepted_load.mean)},
    {"accepted_load_half_width", "+-", "%.4f", VEF_LOAD_AS_IS, VEF_LOAD_HALF_WIDTH, AT(figures.accepted_load)},
    {"confidence_level", NULL, "%.2f", VEF_LOAD_AS_IS, VEF_LOAD_CONFIDENCE, 0},
    {"latency_mean_cycles", "latency (cycles)", "%.1f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS, AT(figures.latency_cycles.mean)},
    {"latency_half_width_cycles", NULL, "%.1f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS | VEF_LOAD_HALF_WIDTH, AT(figures.latency_cycles)},
    {"latency_median_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS, AT(figures.latency_median_cycles)},
    {"latency_p99_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS, AT(figures.latency_p99_cycles)},
    {"latency_p999_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS, AT(figures.latency_p999_cycles)},
    {"message_latency_mean_cycles", NULL, "%.1f", VEF_LOAD_AS_IS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_cycles.mean)},
    {"message_latency_half_width_cycles", NULL, "%.1f", VEF_LOAD_AS_IS, VEF_LOAD_OF_MESSAGES | VEF_LOAD_HALF_WIDTH, AT(figures.message_latency_cycles)},
    {"message_latency_median_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_median_cycles)},
    {"message_latency_p99_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_p99_cycles)},
    {"message_latency_p999_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_OF_MESSAGES, AT(figures.message_latency_p999_cycles)},
    {"average_hops", "hops", "%.3f", VEF_LOAD_AS_IS, VEF_LOAD_OF_PACKETS, AT(figures.average_hops)},
    {"link_utilization_mean", "links", "%.3f", VEF_LOAD_AS_IS, 0, AT(figures.link_utilization_mean)},
    {"link_utilization_max", "busiest", "%.3f", VEF_LOAD_AS_IS, 0, AT(figures.link_utilization_max)},
    {"fairness_min_over_mean", "least", "%.2f", VEF_LOAD_AS_IS, 0, AT(fairness_min)},
    {"fairness_jain", "Jain", "%.3f", VEF_LOAD_AS_IS, 0, AT(fairness_jain)},
    {"sources_behind", NULL, "%.4f", VEF_LOAD_AS_IS, 0, AT(figures.held_share)},
    {"warm_up_cycles", NULL, "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.warm_up_cycles)},
    {"cycles", "cycles", "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.cycles)},
    {"packets", NULL, "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.packets)},
    {"messages", NULL, "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.messages)},
    {"packet_hops", NULL, "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.packet_hops)},
    {"packet_hops_per_second", NULL, "%.0f", VEF_LOAD_AS_IS, VEF_LOAD_PER_SECOND, AT(figures.all_packet_hops)},
    {NULL, "Mhops/s", "%.1f", VEF_LOAD_MILLIONS, VEF_LOAD_PER_SECOND, AT(figures.all_packet_hops)},
    {"memory_bytes", NULL, "%.0f", VEF_LOAD_AS_IS, 0, AT(figures.memory_bytes)},
    {"goodput", NULL, "%.4f", VEF_LOAD_AS_IS, 0, AT(figures.goodput)},
    {"goodput_bytes_per_s", NULL, "%.9g", VEF_LOAD_AS_IS, 0, AT(figures.goodput_bytes_per_s)},
    {"offered_bytes_per_s", NULL, NULL, VEF_LOAD_BYTES_PER_S, 0, AT(figures.offered_load)},
    {"accepted_bytes_per_s", NULL, NULL, VEF_LOAD_BYTES_PER_S, 0, AT(figures.accepted_load.mean)},
    {"accepted_half_width_bytes_per_s", NULL, NULL, VEF_LOAD_BYTES_PER_S, VEF_LOAD_HALF_WIDTH, AT(figures.accepted_load)},
    {0},
};
/* clang-format on */

double vef_load_unit(vef_load_unit_kind unit, const vef_netmodel *model) {
    const double cycle_ns = model->timing.cycle_ns;
    const double units[] = {[VEF_LOAD_AS_IS] = 1,
                            [VEF_LOAD_NS] = cycle_ns,
                            [VEF_LOAD_BYTES_PER_S] = model->phit_bytes * 1e9 / cycle_ns,
                            [VEF_LOAD_GB_PER_S] = model->phit_bytes / cycle_ns,
                            [VEF_LOAD_PERCENT] = 100,
                            [VEF_LOAD_MILLIONS] = 1e-6};
    return units[unit];
}
