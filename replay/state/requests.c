/* See requests.h. */
#include "replay/state/requests.h"
#include "common/memory.h"

enum { LEAST_CAPACITY = 8 };

static void grow(vef_open_requests *requests, vef_store *store) {
    vef_open_requests larger = *requests;
    larger.capacity = requests->capacity ? 2 * requests->capacity : LEAST_CAPACITY;
    if (larger.capacity == 0)
        vef_lost(SIZE_MAX);
    larger.table = vef_store_take(store, larger.capacity, sizeof *larger.table);
    for (uint32_t i = 0; i < requests->capacity; i++)
        if (requests->table[i].state != VEF_REQUEST_NONE)
            *vef_open_requests_place(&larger, requests->table[i].number) = requests->table[i];
    vef_store_put(store, requests->table, requests->capacity, sizeof *requests->table);
    *requests = larger;
}

vef_open_request *vef_open_requests_add(vef_open_requests *requests, vef_store *store,
                                        uint64_t number, vef_open_request_state state) {
    if (requests->count >= requests->capacity / 2)
        grow(requests, store);
    vef_open_request *request = vef_open_requests_place(requests, number);
    *request =
        (vef_open_request){.number = number, .parked = VEF_NOT_PARKED, .state = (uint8_t)state};
    requests->count++;
    return request;
}

void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request) {
    vef_open_request *table = requests->table;
    const uint32_t mask = requests->capacity - 1;
    uint32_t hole = (uint32_t)(request - table);
    for (uint32_t next = (hole + 1) & mask; table[next].state != VEF_REQUEST_NONE;
         next = (next + 1) & mask)
        /* An entry may move into the hole unless its home lies cyclically between the hole and the
         * entry. */
        if (((next - vef_open_requests_home(requests, table[next].number)) & mask) >=
            ((next - hole) & mask)) {
            table[hole] = table[next];
            hole = next;
        }
    table[hole].state = VEF_REQUEST_NONE;
    requests->count--;
}

void vef_open_requests_note_started(vef_open_requests *requests, uint64_t number) {
    uint64_t ignored;
    if (number < requests->started_below)
        return;
    if (number > requests->started_below) {
        vef_map64_set(&requests->started, number, 0);
        return;
    }
    do
        requests->started_below++;
    while (requests->started.count > 0 &&
           vef_map64_take(&requests->started, requests->started_below, &ignored));
}

bool vef_open_requests_has_started(const vef_open_requests *requests, uint64_t number) {
    return number < requests->started_below || vef_map64_get(&requests->started, number) != NULL;
}
