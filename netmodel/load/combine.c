/* The figures of a point from those of its runs. See combine.h. */
#include "netmodel/load/combine.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* The double at `offset` of the figures: their mean, or their sum. */
static void put_together(vef_load_point *point, size_t offset, bool sum) {
    double *to = (double *)(void *)((char *)&point->figures + offset);
    *to = 0;
    for (uint32_t i = 0; i < point->run_count; i++)
        *to += *(const double *)(const void *)((const char *)&point->runs[i].figures + offset);
    if (!sum)
        *to /= point->run_count;
}

static void add_fairness(const vef_pattern *pattern, vef_load_point *point) {
    const vef_load_run *first = &point->runs[0];
    double sum = 0, squares = 0, least = INFINITY;
    uint64_t *phits = vef_calloc(first->endpoints, sizeof *phits);
    for (uint32_t i = 0; i < point->run_count; i++)
        for (uint32_t e = 0; e < first->endpoints; e++)
            phits[e] += point->runs[i].accepted_phits[e];
    for (uint32_t e = 0; e < first->endpoints; e++) {
        double x = (double)phits[e];
        if (!vef_pattern_sends(pattern, e))
            continue;
        sum += x;
        squares += x * x;
        least = x < least ? x : least;
    }
    free(phits);
    if (sum <= 0)
        return;
    point->fairness_min = least / (sum / first->senders);
    point->fairness_jain = sum * sum / (first->senders * squares);
}

/* Moves the utilisation of links from the runs, as their mean. */
static void add_links(vef_load_point *point) {
    double *mean = point->runs[0].utilization;
    for (uint32_t i = 1; mean && i < point->run_count; i++) {
        for (size_t l = 0; l < point->runs[i].links; l++)
            mean[l] += point->runs[i].utilization[l];
        free(point->runs[i].utilization);
        point->runs[i].utilization = NULL;
    }
    for (size_t l = 0; mean && l < point->runs[0].links; l++)
        mean[l] /= point->run_count;
    point->utilization = mean;
    point->runs[0].utilization = NULL;
}

void vef_load_combine(const vef_pattern *pattern, vef_load_point *point) {
#define MEAN(field) put_together(point, offsetof(vef_load_figures, field), false)
#define SUM(field) put_together(point, offsetof(vef_load_figures, field), true)
    MEAN(offered_load);
    MEAN(accepted_load.mean);
    MEAN(goodput);
    MEAN(goodput_bytes_per_s);
    MEAN(latency_cycles.mean);
    MEAN(message_latency_cycles.mean);
    MEAN(latency_median_cycles);
    MEAN(latency_p99_cycles);
    MEAN(latency_p999_cycles);
    MEAN(message_latency_median_cycles);
    MEAN(message_latency_p99_cycles);
    MEAN(message_latency_p999_cycles);
    MEAN(average_hops);
    MEAN(link_utilization_mean);
    MEAN(link_utilization_max);
    MEAN(held_share);
    MEAN(cycles);
    MEAN(warm_up_cycles);
    MEAN(memory_bytes);
    SUM(packets);
    SUM(messages);
    SUM(packet_hops);
    SUM(all_packet_hops);
    SUM(seconds);
    for (size_t c = 0; c < VEF_MAX_LINK_CLASSES; c++) {
        MEAN(class_utilization_mean[c]);
        MEAN(class_utilization_max[c]);
    }
    for (size_t g = 0; g < VEF_MOST_GROUPS; g++) {
        MEAN(groups[g].offered_phits);
        MEAN(groups[g].accepted_phits);
        SUM(groups[g].messages);
        MEAN(groups[g].latency_mean_cycles);
        MEAN(groups[g].latency_median_cycles);
        MEAN(groups[g].latency_p99_cycles);
        MEAN(groups[g].latency_p999_cycles);
    }
#undef MEAN
#undef SUM
    add_fairness(pattern, point);
    add_links(point);
}
