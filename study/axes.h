/* Axes: the keys of a study file that have several values. */
#ifndef VEF_STUDY_AXES_H
#define VEF_STUDY_AXES_H

#include "study/study.h"

typedef struct vef_study_value {
    const char *label;      /* the name given to it, else the text */
    const char *text;       /* before '$' is replaced */
    const char **overrides; /* networks with `set` */
    size_t override_count;
} vef_study_value;

typedef enum vef_study_axis_kind {
    VEF_STUDY_AXIS_KEY,      /* a row of the kind's keys */
    VEF_STUDY_AXIS_SETTING,  /* a key of the network's file */
    VEF_STUDY_AXIS_VARIABLE, /* only for '$' */
} vef_study_axis_kind;

typedef struct vef_study_axis {
    vef_study_axis_kind kind;
    const char *name;         /* of its column */
    const vef_study_key *key; /* AXIS_KEY */
    const vef_node *node;     /* for messages */
    vef_study_value *values;
    size_t count;
} vef_study_axis;

typedef struct vef_study_axes {
    vef_study_axis *list;
    size_t count, room;
} vef_study_axes; /* `list` from malloc */

/* Adds the axes of a mapping of a study file, the file itself or a block; one that is already there
 * is replaced. Other keys, of `others` (ended by NULL), are skipped. */
vef_code vef_study_axes_read(const vef_node *mapping, const vef_study_kind *kind,
                             const char *const *others, vef_study_axes *axes, vef_arena *arena,
                             vef_error *error);
void vef_study_axes_free(vef_study_axes *axes);

/* ---- plan.c: the points of a study, the product of the axes of each part ---- */

/* Adds the points of a part, written at `part`, to study->points, an array from malloc of `*room`
 * points. */
vef_code vef_study_plan_add(vef_study *study, const vef_study_axes *axes, const vef_node *part,
                            size_t *room, vef_error *error);

/* Adds the columns of a part's axes; before any of its points. */
void vef_study_plan_columns(vef_study *study, const vef_study_axes *axes);

#endif
