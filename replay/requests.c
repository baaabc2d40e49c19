/* See requests.h. */
#include "replay/requests.h"

#include "common/grow.h"

#include <stdlib.h>

void vef_open_requests_release(vef_open_requests *requests) {
    free(requests->list);
    vef_map64_free(&requests->place_of);
    vef_map64_free(&requests->started);
    *requests = (vef_open_requests){0};
}

vef_open_request *vef_open_requests_add(vef_open_requests *requests, uint64_t number,
                                        vef_open_request_state state) {
    if (!vef_grow(&requests->list, &requests->capacity, requests->count + 1,
                  sizeof *requests->list))
        return NULL;
    if (!vef_map64_set(&requests->place_of, number, requests->count))
        return NULL;
    vef_open_request *request = &requests->list[requests->count++];
    *request =
        (vef_open_request){.number = number, .parked = VEF_NOT_PARKED, .state = (uint8_t)state};
    return request;
}

vef_open_request *vef_open_requests_find(const vef_open_requests *requests, uint64_t number) {
    const uint64_t *place = vef_map64_get(&requests->place_of, number);
    return place ? &requests->list[*place] : NULL;
}

void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request) {
    uint64_t place;
    vef_map64_take(&requests->place_of, request->number, &place);
    const vef_open_request *last = &requests->list[--requests->count];
    if (request != last) {
        *request = *last;
        *vef_map64_get(&requests->place_of, last->number) = place;
    }
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
