/* The machine of `vef replay` and what is observed of its links, for single replays and for jobs.
 */
#ifndef VEF_CLI_REPLAY_OBSERVED_H
#define VEF_CLI_REPLAY_OBSERVED_H

#include "cli/options.h"
#include "common/pictures/picture.h"
#include "netmodel/sampling.h"
#include "replay/replay.h"

typedef struct vef_observed_choices {
    const vef_report_format *format;
    const char *network;
    vef_plot plot;
    vef_texts overrides;
    double time_limit_ns; /* negative: none */
    double sample_ns;     /* negative: no samples */
    uint32_t threads;     /* 0: not given */
    bool per_link, explain;
    bool page;                 /* whatever a page shows of links is observed, if there are links */
    vef_replay_options replay; /* from the file and its overrides */
} vef_observed_choices;

typedef struct vef_observed {
    vef_arena arena; /* the tree of the file, and overrides */
    vef_node *root;
    vef_netmodel *network;
    vef_sampler *sampler;
    double *utilization; /* of every link; NULL: not asked for */
} vef_observed;          /* zero-initialised is none */

/* Opens the network, on one thread, and in `choices->replay` the rest of the machine; warns of its
 * keys. */
vef_code vef_observed_open(vef_observed_choices *choices, vef_observed *held, vef_error *error);
/* Makes the network anew, on one thread, for a replay that is repeated; before it is observed. */
vef_code vef_observed_renew(vef_observed *held, vef_error *error);
/* Refuses what cannot be observed of the network, and begins to observe the rest. */
vef_code vef_observed_begin(const vef_observed_choices *choices, vef_observed *held,
                            vef_error *error);
/* The network to replay on. */
vef_netmodel *vef_observed_network(const vef_observed *held);
/* After the replay: ends the samples, finds the utilization, and draws it under a title. */
vef_code vef_observed_end(const vef_observed_choices *choices, vef_observed *held,
                          const char *title, vef_error *error);
void vef_observed_release(vef_observed *held);

uint32_t vef_observed_threads(const vef_observed_choices *choices); /* at least 1 */

#endif
