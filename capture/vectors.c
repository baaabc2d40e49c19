/* Room for the byte counts of vector collectives: see vectors.h. */
#include "capture/vectors.h"

#include "capture/recorder.h"

#include <stdlib.h>

bool vef_vectors_room(uint32_t size) {
    if (size <= vef_capture.vector_room)
        return true;
    uint64_t *send = realloc(vef_capture.send_bytes, size * sizeof *send);
    if (send != NULL)
        vef_capture.send_bytes = send;
    uint64_t *receive = realloc(vef_capture.receive_bytes, size * sizeof *receive);
    if (receive != NULL)
        vef_capture.receive_bytes = receive;
    if (send == NULL || receive == NULL)
        return false;
    vef_capture.vector_room = size;
    return true;
}
