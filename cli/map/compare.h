/* Several mappings of one program on one network, with their costs, for `vef map`. */
#ifndef VEF_CLI_MAP_COMPARE_H
#define VEF_CLI_MAP_COMPARE_H

#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "mappings/cost.h"
#include "replay/replay.h"

enum { VEF_MOST_COMPARED = 64 };

typedef struct vef_compared {
    const char *name;               /* the mapping as written */
    vef_mapping *mapping;           /* NULL: it cannot be used */
    char reason[VEF_MESSAGE_BYTES]; /* why it cannot be used, or not be replayed */
    vef_mapping_cost cost;
    double seconds; /* time of finding it */
    bool replayed;
    double time_cycles; /* of the replay */
    double time_ns;
    vef_stall stall;
    uint32_t order; /* from 1: the best first; 0: it cannot be used */
} vef_compared;

typedef struct vef_comparison {
    vef_compared *mappings; /* room for VEF_MOST_COMPARED */
    uint32_t count, usable;
    bool simulated;
    bool messages; /* costs count messages, as `traffic` does for bytes */
    const char *trace, *pattern, *network_name; /* trace or pattern: NULL */
    const vef_node *root;                       /* of the network's file */
    const vef_netmodel *network;
    const vef_traffic_matrix *traffic;
    const vef_replay_options *machine;
    vef_progress *progress; /* may be NULL */
} vef_comparison;

/* Makes a mapping and measures its cost. One that cannot be used here is kept with the reason,
 * which `error` holds too; `optional`: it is left out of the table. Fails without memory and with
 * too many mappings. */
vef_code vef_comparison_add(vef_comparison *comparison, const vef_mapping_request *request,
                            bool optional, vef_error *error);
/* Replays the trace with each mapping, on a network of its own. A replay that fails is a reason of
 * its mapping, as above. */
vef_code vef_comparison_simulate(vef_comparison *comparison, vef_trace *trace, vef_error *error);
/* Orders the mappings: by simulated time, else by the load of the most loaded link, then by
 * hop-bytes. Returns the best; NULL if none can be used. */
const vef_compared *vef_comparison_order(vef_comparison *comparison);
void vef_comparison_free(vef_comparison *comparison);

/* Of a vef_comparison. */
vef_report_build vef_comparison_build;

/* picture.c: draws the first and the best mapping: the tasks at their routers, the traffic between
 * endpoints, and the loads of links. `best` is of the comparison, whose network has a topology. */
vef_code vef_comparison_picture(const vef_comparison *comparison, const vef_compared *best,
                                const vef_plot *plot, vef_error *error);

#endif
