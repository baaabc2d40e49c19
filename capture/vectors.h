/* Byte counts of the vector collectives, per rank: each thread has room for the largest
 * communicator. */
#ifndef VEF_CAPTURE_VECTORS_H
#define VEF_CAPTURE_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_vectors {
    uint64_t *send_bytes, *receive_bytes; /* `room` counts each */
    uint32_t room;
} vef_vectors; /* zero-initialised has no room */

/* Room for `size` counts in each direction; called at the creation of a communicator, so that
 * recording a collective does not allocate, except in a thread that did not create it, for its
 * first collective on a larger communicator. False when memory runs out. */
bool vef_vectors_grow(vef_vectors *vectors, uint32_t size);
static inline bool vef_vectors_room(vef_vectors *vectors, uint32_t size) {
    return size <= vectors->room || vef_vectors_grow(vectors, size);
}
void vef_vectors_release(vef_vectors *vectors);

#endif
