/* The binary form of GOAL: see binary.c. */
#ifndef VEF_INTERCHANGE_GOAL_GOAL_H
#define VEF_INTERCHANGE_GOAL_GOAL_H

#include "interchange/dag/dag.h"

#include <stdio.h>

/* Whether the file begins like one. It is read from its beginning, and rewound. */
bool vef_goal_is_binary(FILE *in);

/* See vef_dag_source.ranks. */
vef_code vef_goal_binary_ranks(const char *path, FILE *in, vef_dag_visit *visit, void *visitor,
                               vef_error *error);

#endif
