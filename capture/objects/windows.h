/* The windows of a task: from MPI's handles to the numbers of its log, which include them among
 * the communicators, and their open epochs, whose closing calls do not name the tasks. */
#ifndef VEF_CAPTURE_OBJECTS_WINDOWS_H
#define VEF_CAPTURE_OBJECTS_WINDOWS_H

#include "capture/recorder.h"

/* Tasks as ranks in the window. */
typedef struct vef_epoch {
    int32_t *tasks; /* room for all tasks of the window */
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

/* A window just created on `comm`, in the log under `number`. NULL when memory runs out. */
vef_window *vef_windows_add(vef_frame *frame, MPI_Win handle, uint32_t number, uint32_t size);

/* The window of a handle, NULL if the log does not have it. Valid until it is freed. */
vef_window *vef_find_window(vef_frame *frame, MPI_Win handle);

/* Removes a handle about to be freed; vef_window_free then removes the window, or
 * vef_windows_restore restores it, if MPI did not free it. */
vef_window *vef_windows_forget(vef_frame *frame, MPI_Win handle);
void vef_windows_restore(vef_frame *frame, MPI_Win handle, vef_window *window);
void vef_window_free(vef_window *window);

/* Records the tasks of an epoch that begins; false if some are not in the window. */
bool vef_epoch_begin(const vef_window *window, vef_epoch *epoch, MPI_Group group);

#endif
