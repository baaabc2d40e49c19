/* The picture of how busy the links of a network are: each link as a heat map of the network
 * (links.h) and, if links were sampled, their utilisation over time; drawn by gnuplot. */
#ifndef VEF_CLI_PICTURES_BUSY_LINKS_H
#define VEF_CLI_PICTURES_BUSY_LINKS_H

#include "netmodel/sampling.h"

typedef struct vef_busy_links {
    const vef_topology *topology;
    double cycle_ns;                 /* of the samples */
    const double *utilization;       /* [router * ports + port] */
    const vef_link_samples *samples; /* NULL: none */
    const char *title;               /* what was simulated; NULL: no title */
} vef_busy_links;

/* Refuses what vef_plot_check refuses, and networks without links, before the simulation. */
vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const char *path,
                              vef_error *error);
/* The interval of the option --sample in whole cycles, at least one. */
vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error);
vef_code vef_busy_links_draw(const vef_busy_links *picture, const char *path, vef_error *error);

/* The heat map alone as SVG, for a page; free it with free(). VEF_UNSUPPORTED without gnuplot. */
vef_code vef_busy_links_svg(const vef_busy_links *picture, char **svg, vef_error *error);

#endif
