/* A measurement of `vef load`: the network and the traffic, and the results. Shared with `vef
 * compare`. */
#ifndef VEF_CLI_LOAD_SESSION_H
#define VEF_CLI_LOAD_SESSION_H

#include "cli/load/choices.h"
#include "cli/load/report.h"
#include "common/numbers.h"
#include "common/progress.h"
#include "mappings/mapping.h"

/* Resources of a measurement, released together. */
typedef struct vef_load_session {
    const vef_load_choices *choices;
    const vef_node *root; /* of the network file; in the arena */
    vef_netmodel *model;
    vef_topology *row; /* replaces the topology of a network without one */
    vef_pattern *pattern;
    vef_mapping *mapping; /* of the pattern's endpoints; NULL: each is that of the network */
    vef_arena arena;
    vef_load_settings settings;
    uint64_t seeds[VEF_MOST_NUMBERS];
    double rates[VEF_MOST_NUMBERS];
    size_t rate_count;
    vef_load_point *points;
    vef_load_saturation *saturation;
    vef_load_report report; /* once it is measured */
} vef_load_session;         /* large; zero-initialised is empty */

/* Prepares the measurement of the network of that file; it refers to the choices. */
vef_code vef_load_session_open(const vef_load_choices *choices, const char *path,
                               vef_load_session *session, vef_error *error);
/* Measures; `what` is shown as progress, NULL: the kind of measurement. */
vef_code vef_load_session_measure(vef_load_session *session, bool saturation, const char *what,
                                  vef_error *error);
void vef_load_session_release(vef_load_session *session);

/* The first run that deadlocked, and its point; NULL: none. */
const vef_load_run *vef_load_session_deadlock(const vef_load_session *session,
                                              const vef_load_point **point);

#endif
