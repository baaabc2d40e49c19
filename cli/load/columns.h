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
    VEF_LOAD_PERCENT /* of an endpoint that receives a phit in each cycle */
} vef_load_unit_kind;

typedef struct vef_load_column {
    const char *key;                              /* for programs; NULL: omitted */
    const char *label;                            /* for people; NULL: omitted */
    const char *format;                           /* for people */
    double (*value)(const vef_load_point *point); /* not finite: no value */
    vef_load_unit_kind unit;
} vef_load_column;

/* Ended by a row without a value: for people first, loads and latencies in physical units; and
 * those for everyone. */
extern const vef_load_column vef_load_columns_physical[], vef_load_columns[];

/* What the values of a unit are multiplied with on a network. */
double vef_load_unit(vef_load_unit_kind unit, const vef_netmodel *model);

/* Half widths of confidence intervals of latencies, of packets and of messages; not finite where
 * the latency is not defined. */
double vef_load_latency_half_width(const vef_load_point *point);
double vef_load_message_half_width(const vef_load_point *point);

#endif
