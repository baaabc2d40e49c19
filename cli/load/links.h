/* How busy every link is under a load: the options of `vef load` about links, and their picture. */
#ifndef VEF_CLI_LOAD_LINKS_H
#define VEF_CLI_LOAD_LINKS_H

#include "cli/load/session.h"
#include "common/pictures/picture.h"

typedef struct vef_load_links {
    bool per_link;
    double sample_ns; /* negative: no samples */
    vef_plot plot;
} vef_load_links;

#define VEF_LOAD_LINK_OPTIONS(choices_, field_)                                                    \
    VEF_FLAG("per-link", choices_, field_.per_link,                                                \
             "Print how busy every link is at each load; with --csv this table alone"),            \
        VEF_OPTION(TIME, "sample", "TIME", choices_, field_.sample_ns,                             \
                   "How busy links are in each interval of so long, at one load; with --csv this " \
                   "table alone"),                                                                 \
        VEF_OPTION(STRING, "plot-links", "FILE", choices_, field_.plot.path,                       \
                   "Draw how busy each link is at one load, with --sample also over time (.svg, "  \
                   ".pdf or .png)")

/* Refuses what cannot be observed of the opened session, and prepares it to observe the rest. */
vef_code vef_load_links_begin(const vef_load_links *links, vef_load_session *session,
                              vef_error *error);
/* After the measurement: completes its report, and draws the picture, if there are results. */
vef_code vef_load_links_end(const vef_load_links *links, vef_load_session *session,
                            vef_error *error);

#endif
