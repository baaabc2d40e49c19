/* Messages matched by MPI_Mprobe or MPI_Improbe and not yet received by MPI_Mrecv or MPI_Imrecv. */
#ifndef VEF_CAPTURE_OBJECTS_MESSAGES_H
#define VEF_CAPTURE_OBJECTS_MESSAGES_H

#include "capture/recorder.h"

bool vef_messages_init(void);

/* Stores the result of the probe. False when memory runs out. */
bool vef_messages_keep(vef_frame *frame, MPI_Message message, const vef_operation *found);

/* Removes it; false for an unknown message. Call before the receive: after it MPI may have reused
 * the handle for another thread's message. */
bool vef_messages_take(vef_frame *frame, MPI_Message message, vef_operation *found);

#endif
