/* How busy links are over time: the shares of an interval in which phits crossed them, for each
 * interval of a run.
 *
 * A sampler is a model that decorates another one: it advances that to the end of each interval at
 * most, and reads the links there. Results are those of a run without it, since an
 * advance to a limit without deliveries changes nothing. Figures of the model may begin again
 * within an interval (begin_figures). */
#ifndef VEF_NETMODEL_SAMPLING_H
#define VEF_NETMODEL_SAMPLING_H

#include "common/report/result.h"
#include "netmodel/netmodel.h"

/* An interval: from the end of the one before (0 of the first). Shares of busy cycles, over
 * directed links. */
typedef struct vef_link_sample {
    uint64_t end_cycles;
    double mean, most;
    uint32_t busiest_router, busiest_port; /* of the link with the most */
    const double *by_class;                /* mean of each link class of the topology */
} vef_link_sample;

/* Samples, which outlive their sampler. */
typedef struct vef_link_samples {
    vef_link_sample *list; /* by_class is set by vef_link_samples_get */
    double *by_class;      /* [sample * classes + class] */
    uint32_t classes;
    size_t count, room, class_room;
    uint64_t *busy; /* cycles, [sample * links + router * ports + port]; NULL: not kept */
    size_t links, busy_room;
} vef_link_samples; /* zero-initialised is empty */

vef_link_sample vef_link_samples_get(const vef_link_samples *samples, size_t i);
void vef_link_samples_release(vef_link_samples *samples);

/* A row for each interval: end_cycles, utilization_mean, utilization_max, busiest_router,
 * busiest_port, and, if there are several classes of links, utilization_NAME of each. `model`: the
 * sampled network, or another one of the same configuration. Documents also have `sample_links`, if
 * links were kept: for each interval the thousandths of each link, in the order of `per_link`
 * (common/report/packed.h). */
void vef_link_samples_put(const vef_link_samples *samples, const vef_netmodel *model,
                          unsigned readers, vef_result *into);

typedef struct vef_sampler vef_sampler;

enum { VEF_MOST_LINK_SAMPLES = 1 << 20 };

/* Samples a model of time 0 every `interval_cycles`, at least 1, while vef_sampler_model is used in
 * its place. Fails (VEF_UNSUPPORTED) if the model has no links. An advance fails (VEF_INVALID)
 * after VEF_MOST_LINK_SAMPLES. */
vef_code vef_sampler_create(vef_netmodel *model, uint64_t interval_cycles, vef_sampler **sampler,
                            vef_error *error);
/* Also keeps each link of each interval, while that takes less than 64 MB. `most` not 0, and even:
 * when there are so many intervals, two become one, and those after them are twice as long. */
void vef_sampler_keep_links(vef_sampler *sampler, size_t most);
/* The sampled model. */
vef_netmodel *vef_sampler_model(vef_sampler *sampler);
/* Ends the last interval now. */
vef_code vef_sampler_end(vef_sampler *sampler, vef_error *error);
void vef_sampler_destroy(vef_sampler *sampler); /* NULL is fine */

const vef_link_samples *vef_sampler_samples(const vef_sampler *sampler); /* NULL of NULL */
/* Moves the samples out of the sampler. */
vef_link_samples vef_sampler_take(vef_sampler *sampler);

#endif
