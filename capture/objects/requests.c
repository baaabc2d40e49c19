/* The live requests of a task: see requests.h. */
#include "capture/objects/requests.h"

#include <stdlib.h>
#include <string.h>

static const unsigned first_log2_nodes = 10;

static uint64_t address_key(MPI_Request handle, const MPI_Request *address) {
    return (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) ^ VEF_KEY(handle);
}

static bool grow(vef_requests *requests) {
    uint32_t capacity =
        requests->capacity == 0 ? UINT32_C(1) << first_log2_nodes : 2 * requests->capacity;
    vef_request *nodes = realloc(requests->nodes, capacity * sizeof *nodes);
    if (nodes == NULL)
        return false;
    for (uint32_t i = requests->capacity; i < capacity; i++) {
        nodes[i].next = i + 1 < capacity ? i + 1 : VEF_MAP_NONE;
        nodes[i].collective = NULL;
    }
    requests->free = requests->capacity;
    requests->nodes = nodes;
    requests->capacity = capacity;
    return true;
}

bool vef_requests_init(vef_requests *requests) {
    *requests = (vef_requests){.free = VEF_MAP_NONE};
    return grow(requests) && vef_map_init(&requests->oldest, first_log2_nodes + 1) &&
           vef_map_init(&requests->address, first_log2_nodes + 1);
}

/* Enters a node in the table by address. A request started earlier into the same variable has been
 * copied since: it remains in its queue only. */
static void index_address(vef_requests *requests, uint32_t index) {
    vef_request *node = &requests->nodes[index];
    uint64_t key = address_key(node->handle, node->address);
    uint32_t former = vef_map_get(&requests->address, key);
    if (former != VEF_MAP_NONE)
        requests->nodes[former].indexed = false;
    node->indexed = vef_map_put(&requests->address, key, index);
    if (!node->indexed && former != VEF_MAP_NONE)
        vef_map_remove(&requests->address, key);
}

/* Appends to the queue of its handle. The queue's first node stores the last in `previous`. The
 * nodes of a queue with several are in the table by address. */
static bool enqueue(vef_requests *requests, uint32_t index) {
    vef_request *node = &requests->nodes[index];
    node->next = VEF_MAP_NONE;
    uint32_t first = vef_map_get(&requests->oldest, VEF_KEY(node->handle));
    if (first == VEF_MAP_NONE) {
        node->previous = index;
        return vef_map_put(&requests->oldest, VEF_KEY(node->handle), index);
    }
    uint32_t last = requests->nodes[first].previous;
    node->previous = last;
    requests->nodes[last].next = index;
    requests->nodes[first].previous = index;
    if (last == first)
        index_address(requests, first);
    index_address(requests, index);
    return true;
}

vef_request *vef_requests_add(vef_requests *requests, MPI_Request handle,
                              const MPI_Request *address, bool receive, bool persistent) {
    if (requests->free == VEF_MAP_NONE && !grow(requests))
        return NULL;
    uint32_t index = requests->free;
    vef_request *node = &requests->nodes[index];
    uint32_t free_after = node->next;
    node->handle = handle;
    node->receive = receive;
    node->persistent = persistent;
    node->active = !persistent;
    node->cancelled = false;
    node->indexed = false;
    node->claimed = false;
    node->since = requests->now;
    node->address = address;
    node->collective = NULL;
    node->unrecorded_starts = 0;
    node->call = 0;
    node->operation = (vef_operation){.comm = VEF_NO_COMM, .peer = VEF_NO_TASK};
    node->number = persistent ? VEF_NO_REQUEST : requests->started;
    if (!enqueue(requests, index)) {
        node->next = free_after;
        return NULL;
    }
    requests->free = free_after;
    requests->started += !persistent;
    return node;
}

static bool has_several(const vef_requests *requests, uint32_t first) {
    return requests->nodes[first].next != VEF_MAP_NONE;
}

vef_request *vef_requests_find(const vef_requests *requests, MPI_Request handle,
                               const MPI_Request *address) {
    uint32_t first = vef_map_get(&requests->oldest, VEF_KEY(handle)), found = VEF_MAP_NONE;
    if (first == VEF_MAP_NONE)
        return NULL;
    if (has_several(requests, first))
        found = vef_map_get(&requests->address, address_key(handle, address));
    if (found == VEF_MAP_NONE || requests->nodes[found].claimed)
        for (found = first; found != VEF_MAP_NONE && requests->nodes[found].claimed;)
            found = requests->nodes[found].next;
    /* A claimed one if there is no other: cancelled by one thread while another waits for it. */
    return &requests->nodes[found != VEF_MAP_NONE ? found : first];
}

/* Whether a call that was entered at `entered` may complete it. */
static bool may_claim(const vef_requests *requests, uint32_t index, uint64_t entered) {
    return !requests->nodes[index].claimed && requests->nodes[index].since <= entered;
}

uint32_t vef_requests_claim(vef_requests *requests, MPI_Request handle, const MPI_Request *address,
                            uint64_t entered) {
    uint32_t first = vef_map_get(&requests->oldest, VEF_KEY(handle)), found = first;
    if (first == VEF_MAP_NONE)
        return VEF_MAP_NONE;
    if (has_several(requests, first)) {
        found = vef_map_get(&requests->address, address_key(handle, address));
        if (found == VEF_MAP_NONE || !may_claim(requests, found, entered)) {
            found = requests->nodes[first].previous;
            while (found != first && !may_claim(requests, found, entered))
                found = requests->nodes[found].previous;
        }
    }
    if (requests->nodes[found].claimed)
        return VEF_MAP_NONE;
    requests->nodes[found].claimed = true;
    return found;
}

bool vef_request_keep(vef_request *request, const vef_event *collective) {
    size_t send = collective->send_count * sizeof(uint64_t);
    size_t receive = collective->receive_count * sizeof(uint64_t);
    vef_event *kept = malloc(sizeof *kept + send + receive);
    if (kept == NULL)
        return false;
    *kept = *collective;
    uint64_t *lists = (uint64_t *)(kept + 1);
    if (send > 0)
        kept->send_bytes = memcpy(lists, collective->send_bytes, send);
    if (receive > 0)
        kept->receive_bytes =
            memcpy(lists + collective->send_count, collective->receive_bytes, receive);
    request->collective = kept;
    return true;
}

void vef_requests_remove(vef_requests *requests, vef_request *request) {
    uint32_t index = (uint32_t)(request - requests->nodes);
    uint64_t handle = VEF_KEY(request->handle);
    uint32_t first = vef_map_get(&requests->oldest, handle);
    if (request->indexed)
        vef_map_remove(&requests->address, address_key(request->handle, request->address));
    if (index == first) {
        if (request->next == VEF_MAP_NONE) {
            vef_map_remove(&requests->oldest, handle);
        } else {
            requests->nodes[request->next].previous = request->previous;
            vef_map_put(&requests->oldest, handle, request->next);
        }
    } else {
        requests->nodes[request->previous].next = request->next;
        uint32_t after = request->next == VEF_MAP_NONE ? first : request->next;
        requests->nodes[after].previous = request->previous;
    }
    free(request->collective);
    request->collective = NULL;
    request->next = requests->free;
    requests->free = index;
}

uint64_t vef_channels_next(vef_channels *channels, const vef_operation *operation) {
    if ((channels->peers.slots == NULL && !vef_map_init(&channels->peers, 4)) ||
        (channels->counts.slots == NULL && !vef_map_init(&channels->counts, 4)))
        return VEF_NO_ORDINAL;
    uint64_t key = (uint64_t)operation->comm << 32 | (uint32_t)operation->peer;
    uint32_t pair = vef_map_get(&channels->peers, key);
    if (pair == VEF_MAP_NONE) {
        pair = channels->peers.used;
        if (!vef_map_put(&channels->peers, key, pair))
            return VEF_NO_ORDINAL;
    }
    key = ((uint64_t)pair << 1 | ((operation->flags & VEF_OP_SEND) != 0)) << 32 |
          (uint32_t)operation->tag;
    uint32_t count = vef_map_get(&channels->counts, key);
    if (count == VEF_MAP_NONE)
        count = 0;
    return vef_map_put(&channels->counts, key, count + 1) ? count : VEF_NO_ORDINAL;
}
