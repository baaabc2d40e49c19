/* What `vef compare` compares: networks, each with every combination of the settings of --vary. */
#ifndef VEF_CLI_COMPARE_SUBJECTS_H
#define VEF_CLI_COMPARE_SUBJECTS_H

#include "cli/options.h"
#include "common/arena.h"
#include "common/config/config.h"
#include "common/report/result.h"
#include "study/ranking.h"

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

/* The verdict over all subjects, in whose order its cells begin. */
typedef struct vef_subjects_verdict {
    vef_verdict verdict;
    const char *columns[VEF_MOST_VARIED + 2];
    const char *labels[VEF_MOST_SUBJECTS][VEF_MOST_VARIED + 1];
} vef_subjects_verdict;
void vef_subjects_verdict_begin(const vef_subjects *subjects, vef_subjects_verdict *made);
/* Adds the value of a subject; one that is not above 0: it has none. `half_width`: relative. */
void vef_subjects_verdict_add(vef_subjects_verdict *made, uint32_t subject, double value,
                              double half_width);
/* Ranks the cells. False: no two of them differ; else those are the first and its rival. */
bool vef_subjects_verdict_rank(vef_subjects_verdict *made, uint32_t subjects[2]);
/* Adds it to a result, unless that is a table, and releases it. */
void vef_subjects_verdict_put(vef_subjects_verdict *made, vef_result *into);

/* Writes the list `configurations`: of each subject its network, the varied keys, and the resolved
 * configuration, which `put` adds; without `put` a context is the configuration, a vef_node. */
void vef_subjects_put_configurations(const vef_subjects *subjects, vef_result *into,
                                     void (*put)(const void *context, vef_node *config),
                                     const void *const *contexts);

#endif
