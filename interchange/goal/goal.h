/* Reading GOAL: shared by parse.c (text to graphs) and read.c (graphs to a trace). */
#ifndef VEF_INTERCHANGE_GOAL_GOAL_H
#define VEF_INTERCHANGE_GOAL_GOAL_H

#include "common/status.h"
#include "interchange/dag/dag.h"

#include <stdint.h>

/* Reads a file and calls back with each rank, in ascending order. Failures name file and line. */
vef_code vef_goal_parse(const char *path, vef_dag_visit *visit, void *self, vef_error *error);

#endif
