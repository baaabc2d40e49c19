/* The figures of a point of `vef load`, as columns of its text, tables and documents. */
#ifndef VEF_CLI_LOAD_COLUMNS_H
#define VEF_CLI_LOAD_COLUMNS_H

#include "netmodel/load/load.h"

/* What a value in cycles, or in phits per cycle and endpoint, becomes. */
typedef enum vef_load_unit_kind {
    VEF_LOAD_AS_IS,
    VEF_LOAD_NS,
    VEF_LOAD_BYTES_PER_S,
    VEF_LOAD_GB_PER_S,
    VEF_LOAD_PERCENT, /* of an endpoint that receives a phit in each cycle */
    VEF_LOAD_MILLIONS
} vef_load_unit_kind;

/* What a figure is: else the number in its field. */
enum {
    VEF_LOAD_OF_PACKETS = 1,  /* not defined without packets */
    VEF_LOAD_OF_MESSAGES = 2, /* nor without messages, or where it grows with the length of the run,
                                 as in saturation */
    VEF_LOAD_HALF_WIDTH = 4,  /* of the confidence interval of the estimate in its field */
    VEF_LOAD_PER_SECOND = 8,  /* of wall-clock time */
    VEF_LOAD_CONFIDENCE = 16  /* the level of confidence intervals; no field */
};

typedef struct vef_load_column {
    const char *key;    /* for programs; NULL: omitted */
    const char *label;  /* for people; NULL: omitted */
    const char *format; /* for people */
    vef_load_unit_kind unit;
    unsigned facts;
    size_t offset; /* of the field in a vef_load_point, or a vef_load_group */
} vef_load_column;

/* Ended by a row without key and label: for people first, loads and latencies in physical units;
 * and those for everyone. */
extern const vef_load_column vef_load_columns_physical[], vef_load_columns[];

/* The figure of a field; not finite: not defined. */
double vef_load_figure(const vef_load_point *point, size_t offset, unsigned facts);

/* What the values of a unit are multiplied with on a network. */
double vef_load_unit(vef_load_unit_kind unit, const vef_netmodel *model);

#endif
