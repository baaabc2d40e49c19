/* Kinds of points of a study. A point is one run of a vef command that prints JSON; the row of a
 * kind defines the keys of a study file, the arguments that they become, and the figures that the
 * table of results has. */
#ifndef VEF_STUDY_KINDS_H
#define VEF_STUDY_KINDS_H

#include <stdbool.h>

/* What the values of an axis are to the verdict (verdict.h). */
typedef enum vef_study_part {
    VEF_STUDY_ALTERNATIVES, /* they are compared */
    VEF_STUDY_WORKLOADS,    /* each has a verdict of its own */
    VEF_STUDY_REPETITIONS,  /* points that differ in it alone are repetitions */
} vef_study_part;

/* What a key means to the plan, besides being an argument. Networks, mappings and plain keys are
 * alternatives; traces, listings and workloads are workloads. */
typedef enum vef_study_role {
    VEF_STUDY_PLAIN,
    VEF_STUDY_TRACE,    /* a file whose content counts, not its name */
    VEF_STUDY_LISTING,  /* a file that names others: its content and its folder count */
    VEF_STUDY_WORKLOAD, /* what else is run, or how it is measured */
    VEF_STUDY_NETWORK,  /* resolved before the run */
    VEF_STUDY_MAPPING,  /* checked before the run */
    VEF_STUDY_SEED,     /* repetitions */
} vef_study_role;

typedef struct vef_study_key {
    const char *key;    /* in a study file: "traces" */
    const char *column; /* in tables, and after '$': "trace" */
    /* "--map": the option before the value; "": an operand; "--set seed=": an option and the
     * beginning of its value; "--simulate": with `flag`, present if the value is true. */
    const char *option;
    vef_study_role role;
    bool required, ranges, flag; /* ranges: "1:5" means 1, 2, 3, 4, 5 */
    const char *help;            /* one line */
    const char *unit;            /* of its values, for axes of charts; NULL: none */
    const char *measure;         /* the kind's, if a point has this key; NULL: unchanged */
} vef_study_key;

/* A figure that runs give with an interval: half the width of that, and in which figure's unit. */
typedef struct vef_study_half_width {
    const char *figure, *half_width, *unit_of;
} vef_study_half_width;

/* A figure by which sentences say why one network is better than another, and its name there. */
typedef struct vef_study_reason {
    const char *figure, *name;
} vef_study_reason;

typedef struct vef_study_kind {
    const char *name;    /* of the kind */
    const char *command; /* of the command; NULL: `name` */
    const char *summary;
    const vef_study_key *keys;    /* ended by a row whose key is NULL, in the order of arguments */
    const char *const *arguments; /* further ones of every point, ended by NULL */
    const char *within;           /* the list of the document whose first map has the figures; NULL:
                                     the document */
    const char *also;             /* a further map of the document with figures; NULL: none */
    const char *const *figures;   /* that depend only on the configuration; ended by NULL */
    const char *measure;          /* the figure that summaries use by default */
    const char *greatest; /* figures of which the greatest is best, between blanks; NULL: none */
    const vef_study_half_width *half_widths; /* ended by a row of NULL; NULL: none */
    const vef_study_reason *reasons;         /* likewise */
    const char *sweep;   /* the column over which the kind measures curves; NULL: none.
                            Unless the study names a measure, curves are compared … */
    const char *peak;    /* … by the greatest value of this figure if one of them
                            saturates, else by `measure` at the end of the sweep */
    bool explains;       /* the command has --explain, for the critical path */
    bool topology_alone; /* of the network */
    bool machine;        /* sections `mpi` and `host` matter */
    bool threads;        /* it has the option --threads */
} vef_study_kind;

/* Figures of the network of a point, which no run measures but those of topologies. */
enum { VEF_STUDY_PRICE, VEF_STUDY_POWER, VEF_STUDY_FACTOR, VEF_STUDY_NETWORK_FIGURES };
extern const char *const vef_study_network_figures[VEF_STUDY_NETWORK_FIGURES];

/* The unit of a figure of any kind, for axes of charts; NULL: none. */
const char *vef_study_unit(const char *figure);

extern const vef_study_kind *const vef_study_kinds[]; /* ended by NULL; the first is the default */

#endif
