/* The figures of a point of `vef load`, as columns of its text, tables and documents. */
#ifndef VEF_CLI_LOAD_COLUMNS_H
#define VEF_CLI_LOAD_COLUMNS_H

#include "netmodel/load/load.h"

typedef struct vef_load_column {
    const char *key;    /* for programs; NULL: omitted */
    const char *label;  /* for people; NULL: omitted */
    const char *format; /* for people; of columns in physical units "ns" or "B/s", and `value` is in
                           cycles or phits per cycle */
    double (*value)(const vef_load_point *point); /* not finite: no value */
} vef_load_column;

extern const vef_load_column vef_load_columns[]; /* ended by a row without a value */

/* What the values of a column are multiplied with on a network. */
double vef_load_unit(const vef_load_column *column, const vef_netmodel *model);

/* Half widths of confidence intervals of latencies, of packets and of messages; not finite where
 * the latency is not defined. */
double vef_load_latency_half_width(const vef_load_point *point);
double vef_load_message_half_width(const vef_load_point *point);

#endif
