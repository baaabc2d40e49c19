/* A study: its points, read from a file, and what is known about each. docs/study.md defines the
 * file.
 *
 *   vef_study_read      the file: axes, their product, the arguments of each point
 *   vef_study_resolve   the key of each point: a hash of its resolved configuration (resolve.h)
 *   store.h, run.h      results, and running the points without one
 *   table.h, summary.h  the table, and means relative to a base
 *   verdict.h           per application the alternatives, ranked, and why */
#ifndef VEF_STUDY_STUDY_H
#define VEF_STUDY_STUDY_H

#include "common/arena.h"
#include "common/config/config.h"
#include "common/pictures/picture.h"
#include "study/inputs.h"
#include "study/kinds.h"

enum { VEF_STUDY_KEY_BYTES = 33 };

/* A column of the table: an axis of some block. */
typedef struct vef_study_column {
    const char *name;
    vef_study_part part;
    const vef_node *node; /* of the first axis, for messages */
} vef_study_column;

typedef struct vef_study_point {
    const char **label;     /* per column, as written in the file; NULL: not in its block */
    const char **arguments; /* of vef, from the command on; ended by NULL */
    size_t argument_count;
    const char *trace, *listing, *network, *mapping; /* among the arguments; NULL: none */
    const char **overrides;                          /* "KEY=VALUE", likewise; but for the seed */
    size_t override_count;
    char key[VEF_STUDY_KEY_BYTES]; /* once resolved: 32 hexadecimal digits */
    const char *refused;           /* why it cannot run; NULL: it can */
    double guess_s;                /* from the size of its inputs */
    size_t first;                  /* the first point with this key; mostly itself */
    size_t base;                   /* that summaries compare it with; SIZE_MAX: none */
    double of_network[VEF_STUDY_NETWORK_FIGURES]; /* once resolved; NaN: none */
    size_t seed; /* a number that points of the same repetition share */
} vef_study_point;

/* A condition on labels: "network: rt, mapping: identity". */
typedef struct vef_study_match {
    size_t count;
    size_t *column;
    const char **label;
} vef_study_match;

typedef struct vef_study_summary {
    const char *measure;      /* a figure */
    bool measure_given;       /* by the study, not the default */
    vef_study_match base;     /* count 0: no summary relative to a base */
    size_t *peak, peak_count; /* columns over which the greatest value counts */
    size_t *by, by_count;     /* columns that are kept apart; others are averaged */
} vef_study_summary;

/* What all networks have in common, by the label of the network that says how much (hold.c). */
typedef struct vef_study_hold {
    const char *cost, *endpoints; /* NULL: not held */
    int per;                      /* of cost: a vef_study_per */
} vef_study_hold;
typedef enum vef_study_per { VEF_STUDY_PER_ENDPOINT, VEF_STUDY_PER_NETWORK } vef_study_per;

/* The key `verdict`; the parts of its axes are those of the columns. */
typedef struct vef_study_verdict {
    bool explain; /* with further runs of the first and the second of each application */
} vef_study_verdict;

/* Points: one for each series. */
typedef enum vef_study_chart_kind {
    VEF_STUDY_BARS,
    VEF_STUDY_CURVES,
    VEF_STUDY_POINTS
} vef_study_chart_kind;

/* Values; ratios, or differences where bars of ratios would be alike; ratios; differences. */
typedef enum vef_study_relation {
    VEF_STUDY_VALUES,
    VEF_STUDY_RELATIVE,
    VEF_STUDY_RATIOS,
    VEF_STUDY_PERCENT
} vef_study_relation;

typedef struct vef_study_chart {
    const char *name;             /* of its files, without extension */
    int kind;                     /* a vef_study_chart_kind */
    const char *x, *y;            /* columns or figures */
    const char *title;            /* may be NULL */
    size_t *series, series_count; /* columns */
    size_t *facets, facet_count;  /* likewise; automatic if `facets` is NULL */
    int relative;                 /* a vef_study_relation to the base of the summary */
    vef_picture_size size;
} vef_study_chart;

typedef struct vef_study {
    vef_arena arena;
    const char *path, *text; /* of the file */
    const vef_study_kind *kind;
    vef_study_column *columns;
    size_t column_count;
    vef_study_point *points;
    size_t point_count;
    vef_study_summary summary;
    vef_study_hold hold;
    vef_study_verdict verdict;
    vef_study_point *explanations; /* further points (verdict.h), in the arena */
    size_t explanation_count;
    vef_study_chart *charts;
    size_t chart_count;
    vef_study_inputs inputs; /* what is known of files that points read */
} vef_study;                 /* zero-initialised is empty */

/* Reads a study; paths in it are relative to the working directory, which the caller makes that of
 * the file. VEF_INVALID: file:line:column and what would be accepted. */
vef_code vef_study_read(const char *path, vef_study *study, vef_error *error);
void vef_study_release(vef_study *study);

/* The number of a column; SIZE_MAX: none of that name. */
size_t vef_study_find_column(const vef_study *study, const char *name);

/* Whether the point has these labels. */
bool vef_study_matches(const vef_study_point *point, const vef_study_match *match);

#endif
