/* Selection of what to record: everything, except what MPI_Pcontrol, regions, and the options
 * --regions, --skip and --only exclude. Excluded calls are written as muted (traces/event.h) if
 * matching needs them. */
#ifndef VEF_CAPTURE_SELECTION_H
#define VEF_CAPTURE_SELECTION_H

#include "capture/recorder.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads VEF_CAPTURE_SKIP, …_ONLY and …_REGIONS; before anything is recorded. Describes the
 * selection in `text`, for the log's header. */
void vef_selection_begin(char *text, size_t bytes);

/* MPI_Pcontrol(0) and (1); returns whether recording is off after it. */
bool vef_selection_switch(vef_frame *frame, bool on);

#endif
