/* Room for the byte counts of vector collectives: see vectors.h. */
#include "capture/vectors.h"

#include <stdlib.h>

bool vef_vectors_grow(vef_thread *thread, uint32_t size) {
    uint64_t *send = realloc(thread->send_bytes, size * sizeof *send);
    if (send != NULL)
        thread->send_bytes = send;
    uint64_t *receive = realloc(thread->receive_bytes, size * sizeof *receive);
    if (receive != NULL)
        thread->receive_bytes = receive;
    if (send == NULL || receive == NULL)
        return false;
    thread->vector_room = size;
    return true;
}
