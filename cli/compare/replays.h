/* The same program on several networks: the report and the picture of `vef compare --trace`. */
#ifndef VEF_CLI_COMPARE_REPLAYS_H
#define VEF_CLI_COMPARE_REPLAYS_H

#include "cli/options.h"
#include "common/report/report.h"
#include "replay/replay.h"

enum { VEF_MOST_COMPARED_REPLAYS = 32 };

typedef struct vef_compared_replay {
    const char *network;
    uint64_t time_cycles;
    double time_ns, waiting, communicating; /* shares of the tasks' times */
    double average_hops, link_utilization_max;
    vef_stall stall;
} vef_compared_replay;

typedef struct vef_compared_replays {
    const char *trace;
    const char *map, *grid; /* NULL: identity; of the program */
    const vef_texts *overrides;
    vef_compared_replay rows[VEF_MOST_COMPARED_REPLAYS];
    uint32_t count;
} vef_compared_replays;

/* Replays the trace on the network and adds the row. */
vef_code vef_compared_replays_add(vef_compared_replays *compared, const char *network,
                                  vef_error *error);

/* Of a vef_compared_replays. */
extern const vef_report_parts vef_compared_replays_parts;

/* Draws a bar per network. */
vef_code vef_compared_replays_plot(const vef_compared_replays *compared, const char *path,
                                   vef_error *error);

#endif
