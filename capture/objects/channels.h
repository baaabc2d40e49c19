/* Channels of partitioned communication. Partitioned messages match in the order of the _init calls
 * of a task with one peer, tag and communicator (MPI 4.0, section 4.2.1): the n-th MPI_Psend_init
 * goes with the n-th MPI_Precv_init, however often each is started. */
#ifndef VEF_CAPTURE_OBJECTS_CHANNELS_H
#define VEF_CAPTURE_OBJECTS_CHANNELS_H

#include "capture/map.h"
#include "traces/event.h"

typedef struct vef_channels {
    vef_map peers;  /* communicator and peer → a number for both */
    vef_map counts; /* that number, direction and tag → how many _init calls */
} vef_channels;

/* The number, from 0, of this _init call among those with the operation's peer, tag, communicator
 * and direction; counts it. VEF_NO_ORDINAL when memory runs out. */
uint64_t vef_channels_next(vef_channels *channels, const vef_operation *operation);

#endif
