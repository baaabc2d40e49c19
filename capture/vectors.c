/* Room for the byte counts of vector collectives: see vectors.h. */
#include "capture/vectors.h"

#include <stdlib.h>

bool vef_vectors_grow(vef_vectors *vectors, uint32_t size) {
    uint64_t *send = realloc(vectors->send_bytes, size * sizeof *send);
    if (send != NULL)
        vectors->send_bytes = send;
    uint64_t *receive = realloc(vectors->receive_bytes, size * sizeof *receive);
    if (receive != NULL)
        vectors->receive_bytes = receive;
    if (send == NULL || receive == NULL)
        return false;
    vectors->room = size;
    return true;
}

void vef_vectors_release(vef_vectors *vectors) {
    free(vectors->send_bytes);
    free(vectors->receive_bytes);
    *vectors = (vef_vectors){0};
}
