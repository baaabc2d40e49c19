/* Workloads: traces of programs that nobody has to run, written from a few parameters.
 *
 * A workload is a YAML file: a kind with its parameters, or steps of several kinds (read.c). Each
 * kind is a row of kinds.def and a file in kinds/ (kind.h). The trace is an ordinary one, so
 * that all other tools work on it. docs/generate.md defines the parameters and their formulas. */
#ifndef VEF_WORKLOADS_WORKLOAD_H
#define VEF_WORKLOADS_WORKLOAD_H

#include "common/config/config.h"
#include "common/progress.h"
#include "common/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct vef_workload vef_workload;

/* Reads the file `source`, or, if it begins with '{', that text, and applies `overrides`, each
 * "KEY=VALUE". `*root` (in `arena`) is its tree. VEF_INVALID with file, line and column: unknown
 * keys, wrong values, numbers that do not fit together. */
vef_code vef_workload_read(const char *source, const char *const *overrides, size_t override_count,
                           vef_arena *arena, vef_node **root, vef_error *error);

/* Prepares a workload; `root` must outlive it. */
vef_code vef_workload_create(const vef_node *root, vef_workload **workload, vef_error *error);
void vef_workload_destroy(vef_workload *workload); /* NULL is fine */

/* Writes the trace `path`. The memory does not grow with iterations. `progress` may be NULL. */
vef_code vef_workload_write(const vef_workload *workload, const char *path, vef_progress *progress,
                            vef_error *error);

/* Writes the kinds, one line each; and all keys of a workload file. */
void vef_workload_list(FILE *out);
void vef_workload_describe(FILE *out);

#endif
