/* Matched but not yet received messages: see messages.h. MPI gives every such message a unique
 * handle while it exists. */
#include "capture/objects/messages.h"

#include <stdlib.h>

typedef struct vef_messages {
    vef_map places; /* handle → index */
    vef_operation *list;
    uint32_t *free_places;
    uint32_t free_count, capacity;
} vef_messages;

bool vef_messages_init(void) {
    vef_messages *messages = calloc(1, sizeof *messages);
    if (messages == NULL || !vef_map_init(&messages->places, 6)) {
        free(messages);
        return false;
    }
    vef_capture.tables.messages = messages;
    return true;
}

static bool grow(vef_messages *messages) {
    uint32_t capacity = messages->capacity == 0 ? 32 : 2 * messages->capacity;
    vef_operation *list = realloc(messages->list, capacity * sizeof *list);
    if (list != NULL)
        messages->list = list;
    uint32_t *places = realloc(messages->free_places, capacity * sizeof *places);
    if (places != NULL)
        messages->free_places = places;
    if (list == NULL || places == NULL)
        return false;
    for (uint32_t i = messages->capacity; i < capacity; i++)
        places[messages->free_count++] = i;
    messages->capacity = capacity;
    return true;
}

bool vef_messages_keep(vef_frame *frame, MPI_Message message, const vef_operation *found) {
    vef_messages *messages = vef_hold(frame)->messages;
    if (messages->free_count == 0 && !grow(messages))
        return false;
    uint32_t place = messages->free_places[messages->free_count - 1];
    if (!vef_map_put(&messages->places, VEF_KEY(message), place))
        return false;
    messages->free_count--;
    messages->list[place] = *found;
    return true;
}

bool vef_messages_take(vef_frame *frame, MPI_Message message, vef_operation *found) {
    vef_messages *messages = vef_hold(frame)->messages;
    uint32_t place = vef_map_get(&messages->places, VEF_KEY(message));
    if (place == VEF_MAP_NONE)
        return false;
    *found = messages->list[place];
    vef_map_remove(&messages->places, VEF_KEY(message));
    messages->free_places[messages->free_count++] = place;
    return true;
}
