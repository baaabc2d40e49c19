/* Byte counts of the vector collectives, per rank: room of each thread for the greatest
 * communicator. */
#ifndef VEF_CAPTURE_VECTORS_H
#define VEF_CAPTURE_VECTORS_H

#include "capture/recorder.h"

/* Room for `size` counts each way; called when a communicator is made, so that recording a
 * collective allocates nothing but in a thread that did not make it, for its first on one greater
 * than all before. False when memory runs out. */
bool vef_vectors_grow(vef_thread *thread, uint32_t size);
static inline bool vef_vectors_room(vef_thread *thread, uint32_t size) {
    return size <= thread->vector_room || vef_vectors_grow(thread, size);
}

#endif
