/* The figures of a point of `vef load`, as columns of its text, tables and documents. */
#ifndef VEF_CLI_LOAD_COLUMNS_H
#define VEF_CLI_LOAD_COLUMNS_H

#include "netmodel/load/load.h"

typedef struct vef_load_column {
    const char *key;  /* for programs; NULL: omitted */
    const char *head; /* in text; NULL: omitted */
    const char *format;
    double (*value)(const vef_load_point *point); /* not finite: no value */
} vef_load_column;

extern const vef_load_column vef_load_columns[]; /* ended by a row without a value */

/* Loads in bytes per second, and latencies in ns: the key of such a column in these units, "" of
 * others; and the factor of its values. */
enum { VEF_LOAD_KEY_BYTES = 64 };
double vef_load_physical(const vef_load_column *column, const vef_netmodel *model, char *key);

/* Half widths of confidence intervals of latencies, of packets and of messages; not finite where
 * the latency is not defined. */
double vef_load_latency_half_width(const vef_load_point *point);
double vef_load_message_half_width(const vef_load_point *point);

#endif
