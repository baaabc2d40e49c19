/* Extrapolating a trace of a regular program to more tasks.
 *
 * After ScalaExtrap (Wu and Mueller, "ScalaExtrap: Trace-Based Communication Extrapolation for SPMD
 * Programs", PPoPP 2011): the tasks form a grid, and what a task does depends only on its class,
 * that is, on whether it is at the low border, inside, or at the high border of each dimension.
 * ScalaExtrap solves linear equations over several traces of different sizes; this works from one
 * trace (a second one can be checked against), and therefore only with the rules below, each of
 * which is checked for every event of every task. A trace with an event that no rule explains is
 * refused.
 *
 * Grid. Row-major: the last dimension varies fastest, as in MPI_Cart_create. A dimension that keeps
 * its extent is `fixed`: each of its coordinates is a class, and a peer has a constant coordinate.
 * A dimension that grows has an extent of 4 or more and is one of line   classes first, inside,
 * last; a peer is 0 or 1 away ring   one class; a peer is a constant distance away, around the end,
 * of at most a quarter of the extent: a longer one could be meant the other way round, and
 * algorithms that double distances always have one that is longer Two neighbours in the larger grid
 * therefore have the classes of two neighbours in the trace, so that their sends and receives
 * match.
 *
 * Communicators are all tasks, one task, or the rows and planes of the grid: all tasks that agree
 * in some coordinates, in the order of ranks. Roots are the first or the last rank.
 *
 * Sizes. Weak scaling keeps them, except that an Alltoall keeps the bytes of a task over all ranks.
 * Strong scaling divides a message between neighbours like the face that they share (sizes.c).
 *
 * Gaps are those of the task at the same place modulo the grid of the trace (on a line: of the
 * inside modulo the inside), multiplied by the ratio of tasks with strong scaling.
 *
 * Memory grows with the input: 24 bytes per event, and each distinct event once. The output is
 * streamed. */
#ifndef VEF_TRACES_SCALE_SCALE_H
#define VEF_TRACES_SCALE_SCALE_H

#include "common/progress.h"
#include "traces/file/trace.h"

typedef struct vef_scaling_options {
    uint32_t tasks;      /* of the result */
    bool strong;         /* else weak */
    bool keep_pairs;     /* an Alltoall keeps its bytes per pair of ranks */
    uint64_t keep_bytes; /* sizes up to this one stay: control data */
    const char *from;    /* grid of the trace, "4x4p": p marks a ring; NULL: found */
    vef_trace *check;    /* a run with more tasks, which the rules must give exactly; NULL: none */
    const char *to;      /* grid of the result, "8x8"; NULL: chosen */
} vef_scaling_options;

enum { VEF_SCALING_GRID_TEXT = 96 };

typedef struct vef_scaling_result {
    uint64_t events;
    char from[VEF_SCALING_GRID_TEXT], to[VEF_SCALING_GRID_TEXT]; /* grids, as in the options */
    uint64_t pairs_from, pairs_to; /* bytes per pair of the first Alltoall that changed; 0: none */
} vef_scaling_result;

/* Writes the trace `path`. VEF_UNSUPPORTED: the trace has something that is never extrapolated, or
 * an event that does not fit, which the message names. */
vef_code vef_scaling_run(vef_trace *trace, const vef_scaling_options *options, const char *path,
                         vef_progress *progress, vef_scaling_result *result, vef_error *error);

#endif
