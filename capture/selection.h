/* What of the program is recorded: everything, but for what MPI_Pcontrol, regions, and the options
 * --regions, --skip and --only leave out. What is left out is written as muted (traces/event.h)
 * where matching needs it. */
#ifndef VEF_CAPTURE_SELECTION_H
#define VEF_CAPTURE_SELECTION_H

#include "capture/recorder.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads VEF_CAPTURE_SKIP, …_ONLY and …_REGIONS; before anything is recorded. What it decides on is
 * written to `text`, for the log's header. */
void vef_selection_begin(char *text, size_t bytes);

/* MPI_Pcontrol(0) and (1); returns whether recording is off after it. */
bool vef_selection_switch(vef_frame *frame, bool on);

#endif
