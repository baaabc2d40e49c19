/* Byte counts of the vector collectives, per rank: room for the greatest communicator. */
#ifndef VEF_CAPTURE_VECTORS_H
#define VEF_CAPTURE_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

/* Room for `size` counts each way; called when a communicator is made, so that recording a
 * collective allocates nothing. False when memory runs out. */
bool vef_vectors_room(uint32_t size);

#endif
