/* The picture of how busy the links of a network are: each link (links.h) and, if links were
 * sampled, their utilisation over time. */
#ifndef VEF_CLI_PICTURES_BUSY_LINKS_H
#define VEF_CLI_PICTURES_BUSY_LINKS_H

#include "common/pictures/picture.h"
#include "netmodel/sampling.h"

typedef struct vef_busy_links {
    const vef_topology *topology;
    double cycle_ns;                 /* of the samples */
    const double *utilization;       /* [router * ports + port] */
    const vef_link_samples *samples; /* NULL: none */
    const char *title;               /* what was simulated; NULL: no title */
} vef_busy_links;

/* Refuses what vef_picture_check refuses, and networks without links, before the simulation. */
vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const char *path,
                              vef_error *error);
/* The interval of the option --sample in whole cycles, at least one. */
vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error);
vef_picture *vef_busy_links_draw(const vef_busy_links *links);

#endif
