/* Messages that MPI_Mprobe or MPI_Improbe took and MPI_Mrecv or MPI_Imrecv has not yet received. */
#ifndef VEF_CAPTURE_MESSAGES_H
#define VEF_CAPTURE_MESSAGES_H

#include "capture/recorder.h"

bool vef_messages_init(void);

/* Keeps what the probe found. False when memory runs out. */
bool vef_messages_keep(vef_frame *frame, MPI_Message message, const vef_operation *found);

/* Takes it back; false for a message that is not known. Before the call that receives it: after
 * that MPICH may have given its handle to another thread's message. */
bool vef_messages_take(vef_frame *frame, MPI_Message message, vef_operation *found);

#endif
