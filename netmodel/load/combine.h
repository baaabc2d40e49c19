/* The figures of a point from those of its runs; for points.c. */
#ifndef VEF_NETMODEL_LOAD_COMBINE_H
#define VEF_NETMODEL_LOAD_COMBINE_H

#include "netmodel/load/load.h"

/* Fills in figures and fairness of a point whose runs are finished, without deadlock; `pattern` is
 * that of its traffic. */
void vef_load_combine(const vef_pattern *pattern, vef_load_point *point);

#endif
