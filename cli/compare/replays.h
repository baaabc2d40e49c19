/* The same program on several networks: the report and the picture of `vef compare --trace`. */
#ifndef VEF_CLI_COMPARE_REPLAYS_H
#define VEF_CLI_COMPARE_REPLAYS_H

#include "cli/compare/subjects.h"
#include "cli/load/choices.h"
#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "replay/replay.h"

typedef struct vef_compared_replay {
    /* Means over the seeds. */
    double time_cycles;
    double time_ns, waiting, communicating; /* shares of the tasks' times */
    double average_hops, link_utilization_max;
    double *times_ns; /* of each seed, in the arena; not above 0 after a stall */
    vef_stall stall;  /* of the last run that stalled */
    bool explained;
    double causes_ns[VEF_CAUSES]; /* of the critical path of the first run, if explained */
    vef_net_hardware hardware;
    vef_arena arena;
    vef_node *configuration; /* resolved, in the arena */
} vef_compared_replay;

typedef struct vef_compared_replays {
    const char *trace;
    const vef_load_choices *choices; /* map, NULL: identity; grid, NULL: of the program */
    const vef_subjects *subjects;
    const uint64_t *seeds;                       /* of the networks, as many runs of each subject */
    size_t seed_count;                           /* 0: one run, with the seeds of the files */
    vef_compared_replay rows[VEF_MOST_SUBJECTS]; /* of each subject */
} vef_compared_replays;

/* Replays the trace on the network of the subject, with each seed, and fills in its row. */
vef_code vef_compared_replays_run(vef_compared_replays *compared, uint32_t subject,
                                  vef_error *error);
void vef_compared_replays_release(vef_compared_replays *compared);

/* Of a vef_compared_replays. */
vef_report_build vef_compared_replays_build;

/* What bars show: simulated times, or their differences from that of the first subject. */
enum { VEF_BARS_TIMES, VEF_BARS_DIFFERENCES };

/* Draws a bar per subject; `bars` negative: differences where all times are within 10 %. */
vef_picture *vef_compared_replays_draw(const vef_compared_replays *compared, int bars);

#endif
