/* What `vef compare` compares: networks, each with every combination of the settings of --vary. */
#ifndef VEF_CLI_COMPARE_SUBJECTS_H
#define VEF_CLI_COMPARE_SUBJECTS_H

#include "cli/options.h"
#include "common/arena.h"
#include "common/config/config.h"
#include "common/report/result.h"
#include "study/verdict/ranking.h"

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

#endif
