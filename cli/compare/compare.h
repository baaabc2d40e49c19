/* What `vef compare` compares, and its reports: a file each. */
#ifndef VEF_CLI_COMPARE_COMPARE_H
#define VEF_CLI_COMPARE_COMPARE_H

#include "cli/load/choices.h"
#include "cli/load/session.h"
#include "cli/options.h"
#include "common/arena.h"
#include "common/config/config.h"
#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "common/report/result.h"
#include "replay/replay.h"
#include "study/verdict/ranking.h"

/* ---- subjects.c: networks, each with every combination of the settings of --vary ---- */

enum { VEF_MOST_SUBJECTS = 32, VEF_MOST_VARIED = 8 };

typedef struct vef_subject {
    const char *path;                   /* of the network's file, or its text */
    const char *network;                /* for tables: as short as distinguishes it from others */
    const char *value[VEF_MOST_VARIED]; /* of each varied key */
    const char *label;                  /* what distinguishes it, in one text */
    const char *facet, *series;         /* the same in parts, for pictures; NULL: none */
    vef_texts overrides;                /* those of all subjects, then its own */
} vef_subject;

typedef struct vef_subjects {
    vef_arena arena;
    const char *key[VEF_MOST_VARIED];
    uint32_t key_count;
    vef_subject *list;
    uint32_t count;
} vef_subjects; /* zero-initialised is empty */

/* `vary`: texts "KEY=VALUE,VALUE", whose values are YAML: a comma inside brackets or quotes is part
 * of a value. `overrides`: of all subjects. VEF_INVALID for other texts, and for more than
 * VEF_MOST_SUBJECTS subjects. */
vef_code vef_subjects_make(vef_subjects *subjects, char **paths, uint32_t count,
                           const vef_texts *vary, const vef_texts *overrides, vef_error *error);
void vef_subjects_free(vef_subjects *subjects);

/* A table whose first columns name a subject: its network, and the varied keys. */
vef_result *vef_subjects_table(const vef_subjects *subjects, vef_result *into, const char *name,
                               unsigned readers, const vef_column *columns);
void vef_subjects_name(const vef_subjects *subjects, uint32_t subject, vef_result *table);

/* The value of a subject, and half its interval, relative to it; one that is not above 0: none.
 * With several runs, their values instead, in the order of the seeds. */
typedef struct vef_subject_value {
    double value, half_width;
    const double *runs;
    size_t run_count;
} vef_subject_value;

/* Adds the verdict over all subjects to a result, unless that is a table. `verdict`: what it is by.
 * `why`: why the first of two subjects beats the second, from malloc; NULL: unknown. */
void vef_subjects_put_verdict(const vef_subjects *subjects, vef_verdict verdict,
                              const vef_subject_value *values,
                              char *(*why)(const void *context, size_t first, size_t second),
                              const void *context, vef_result *into);

/* Writes the list `configurations`: of each subject its network, the varied keys, and the resolved
 * configuration, which `put` adds; without `put` a context is the configuration, a vef_node. */
void vef_subjects_put_configurations(const vef_subjects *subjects, vef_result *into,
                                     void (*put)(const void *context, vef_node *config),
                                     const void *const *contexts);

/* ---- loads.c: the same load on several networks ---- */

typedef struct vef_compared_loads {
    const vef_subjects *subjects;
    vef_load_session *session[VEF_MOST_SUBJECTS]; /* of each: measured; owned by the caller */
} vef_compared_loads;

/* Of a vef_compared_loads. */
vef_report_build vef_compared_loads_build;

/* Draws latency and accepted load against offered load, a curve for each network. */
vef_picture *vef_compared_loads_draw(const vef_compared_loads *compared);

/* ---- replays.c: the same program on several networks, --trace ---- */

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
