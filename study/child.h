/* One run of a point: the program itself with the point's arguments, in a process of its own, so
 * that a point that crashes or lacks memory is one failed point. */
#ifndef VEF_STUDY_CHILD_H
#define VEF_STUDY_CHILD_H

#include "study/store.h"

#include <sys/types.h>

typedef struct vef_study_text {
    char *text; /* NUL-terminated, from malloc */
    size_t bytes, room;
    int file; /* the pipe it comes from, while `open` */
    bool open;
} vef_study_text;

typedef struct vef_study_child {
    pid_t process; /* 0: not running */
    vef_study_text output, errors;
    int inputs; /* the record of files that it read (common/system/input.h), while it runs; else 0
                 */
    double began_s;
} vef_study_child; /* zero-initialised is not running */

/* Starts `program` with the arguments, and `threads` threads unless that is 0. It is killed when
 * the caller ends, however that happens. */
vef_code vef_study_child_start(vef_study_child *child, const char *program,
                               const vef_study_point *point, uint32_t threads, vef_error *error);

/* Reads what it has printed, without waiting. True once it has ended: the outcome is filled in
 * except its inputs, with texts valid until the child is released, and `*signal` is what ended it,
 * 0: it ended by itself. */
bool vef_study_child_read(vef_study_child *child, vef_study_outcome *outcome, int *signal);

/* Ends it, if it is running, and frees its texts. */
void vef_study_child_release(vef_study_child *child);

#endif
