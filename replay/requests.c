/* The requests of one task that are not over: linear probing, deletion by shifting back. */
#include "replay/requests.h"

#include <stdlib.h>

void vef_open_requests_release(vef_open_requests *requests) {
    free(requests->places);
    vef_map64_free(&requests->started);
    *requests = (vef_open_requests){0};
}

static vef_open_request *put(vef_open_requests *requests, vef_open_request request) {
    uint32_t mask = requests->capacity - 1, place = (uint32_t)request.number & mask;
    while (requests->places[place].state != VEF_REQUEST_FREE)
        place = (place + 1) & mask;
    requests->places[place] = request;
    return &requests->places[place];
}

static bool grow(vef_open_requests *requests) {
    vef_open_requests grown = {.capacity = requests->capacity ? 2 * requests->capacity : 16,
                               .used = requests->used};
    grown.places = calloc(grown.capacity, sizeof *grown.places);
    if (!grown.places)
        return false;
    for (uint32_t i = 0; i < requests->capacity; i++)
        if (requests->places[i].state != VEF_REQUEST_FREE)
            put(&grown, requests->places[i]);
    free(requests->places);
    requests->places = grown.places;
    requests->capacity = grown.capacity;
    return true;
}

vef_open_request *vef_open_requests_add(vef_open_requests *requests, uint64_t number,
                                        vef_open_request_state state) {
    if (2 * (requests->used + 1) > requests->capacity && !grow(requests))
        return NULL;
    requests->used++;
    return put(requests, (vef_open_request){
                             .number = number, .parked = VEF_NOT_PARKED, .state = (uint8_t)state});
}

vef_open_request *vef_open_requests_find(const vef_open_requests *requests, uint64_t number) {
    if (!requests->used)
        return NULL;
    uint32_t mask = requests->capacity - 1, place = (uint32_t)number & mask;
    for (; requests->places[place].state != VEF_REQUEST_FREE; place = (place + 1) & mask)
        if (requests->places[place].number == number)
            return &requests->places[place];
    return NULL;
}

void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request) {
    uint32_t mask = requests->capacity - 1, hole = (uint32_t)(request - requests->places);
    for (uint32_t next = (hole + 1) & mask; requests->places[next].state != VEF_REQUEST_FREE;
         next = (next + 1) & mask) {
        uint32_t home = (uint32_t)requests->places[next].number & mask;
        /* It may move into the hole unless its home lies after the hole, on the way to it. */
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            requests->places[hole] = requests->places[next];
            hole = next;
        }
    }
    requests->places[hole].state = VEF_REQUEST_FREE;
    requests->used--;
}

bool vef_open_requests_note_started(vef_open_requests *requests, uint64_t number) {
    uint64_t ignored;
    if (number < requests->started_below)
        return true;
    if (number > requests->started_below)
        return vef_map64_set(&requests->started, number, 0);
    do
        requests->started_below++;
    while (requests->started.count > 0 &&
           vef_map64_take(&requests->started, requests->started_below, &ignored));
    return true;
}

bool vef_open_requests_has_started(const vef_open_requests *requests, uint64_t number) {
    return number < requests->started_below || vef_map64_get(&requests->started, number) != NULL;
}
