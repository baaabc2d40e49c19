/* The windows of a task: from MPICH's handles to the numbers of its log, where they stand among the
 * communicators, and the epochs under way, whose ends do not name the tasks that they are about. */
#ifndef VEF_CAPTURE_WINDOWS_H
#define VEF_CAPTURE_WINDOWS_H

#include "capture/recorder.h"

/* Tasks as ranks in the window. */
typedef struct vef_epoch {
    int32_t *tasks; /* room for all of the window */
    uint32_t count;
} vef_epoch;

typedef struct vef_window {
    uint32_t number; /* in the log */
    uint32_t size;
    MPI_Group group;
    vef_epoch access;   /* MPI_Win_start to MPI_Win_complete: the targets */
    vef_epoch exposure; /* MPI_Win_post to MPI_Win_wait: the origins */
    int *ranks;         /* 0, 1, … size-1 */
} vef_window;

/* A window just made on `comm`, in the log under `number`. NULL when memory runs out. */
vef_window *vef_windows_add(vef_frame *frame, MPI_Win handle, uint32_t number, uint32_t size);

/* The window of a handle, NULL for one that the log does not hold. Lasts until it is freed. */
vef_window *vef_find_window(vef_frame *frame, MPI_Win handle);

/* Forgets a handle about to be freed; the window itself goes with vef_window_free, or is found
 * again after vef_windows_restore, where MPI did not free it. */
vef_window *vef_windows_forget(vef_frame *frame, MPI_Win handle);
void vef_windows_restore(vef_frame *frame, MPI_Win handle, vef_window *window);
void vef_window_free(vef_window *window);

/* Notes the tasks of an epoch that begins; false when some are not of the window. */
bool vef_epoch_begin(const vef_window *window, vef_epoch *epoch, MPI_Group group);

#endif
