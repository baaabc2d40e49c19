/* How busy links are over time: the shares of an interval in which phits crossed them, for each
 * interval of a run.
 *
 * A sampler replaces functions of a model: it advances the model to the end of each
 * interval at most, and reads the links there. Results are those of a run without it, since an
 * advance to a limit without deliveries changes nothing. */
#ifndef VEF_NETMODEL_SAMPLING_H
#define VEF_NETMODEL_SAMPLING_H

#include "common/report/table.h"
#include "netmodel/netmodel.h"

/* An interval: from the end of the one before (0 of the first). Shares of busy cycles, over
 * directed links. */
typedef struct vef_link_sample {
    uint64_t end_cycles;
    double mean, most;
    uint32_t busiest_router, busiest_port; /* of the link with the most */
    const double *by_class;                /* mean of each link class of the topology */
} vef_link_sample;

typedef struct vef_sampler vef_sampler;

enum { VEF_MOST_SAMPLES = 1 << 20 };

/* Samples a model of time 0 every `interval_cycles`, at least 1, until the sampler is destroyed,
 * before the model. Fails (VEF_UNSUPPORTED) if the model has no links. An advance fails
 * (VEF_INVALID) after VEF_MOST_SAMPLES. */
vef_code vef_sampler_create(vef_netmodel *model, uint64_t interval_cycles, vef_sampler **sampler,
                            vef_error *error);
/* Ends the last interval now. */
vef_code vef_sampler_end(vef_sampler *sampler, vef_error *error);
void vef_sampler_destroy(vef_sampler *sampler); /* NULL is fine */

size_t vef_sampler_count(const vef_sampler *sampler);
vef_link_sample vef_sampler_get(const vef_sampler *sampler, size_t i);

/* A row for each interval: end_cycles, end_ns, utilization_mean, utilization_max, busiest_router,
 * busiest_port, and, if there are several classes of links, utilization_NAME of each. */
vef_table *vef_sampler_table(const vef_sampler *sampler);

#endif
