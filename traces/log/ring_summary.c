/* A summary of the events that a ring dropped: see ring_summary.h. */
#include "traces/log/ring_summary.h"

#include "common/containers/grow.h"

#include <stdlib.h>

enum { MESSAGES_BYTES = 6 * VEF_VARINT_BYTES, REQUEST_BYTES = 5 * VEF_VARINT_BYTES };

void vef_before_free(vef_before *before) {
    free(before->messages);
    vef_index_free(&before->by_envelope);
    free(before->requests);
    vef_map64_free(&before->places);
    vef_map64_free(&before->collectives);
    *before = (vef_before){0};
}

static bool same_envelope(const vef_before_messages *a, const vef_before_messages *b) {
    return a->comm == b->comm && a->channel == b->channel && a->peer == b->peer &&
           a->tag == b->tag && a->send == b->send;
}

static uint32_t hash_of(const vef_before_messages *key) {
    uint64_t hash =
        ((uint64_t)key->comm << 32 | (uint32_t)key->peer) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= ((uint64_t)key->channel << 33 | (uint64_t)(uint32_t)key->tag << 1 | key->send) +
            (hash >> 29);
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> 32);
}

vef_code vef_before_count(vef_before *before, vef_before_messages key, int64_t times,
                          vef_error *error) {
    vef_index *index = &before->by_envelope;
    if (!vef_index_reserve(index))
        return vef_fail_memory(error, "what a ring dropped", 16 * (index->capacity + 1));
    const uint32_t hash = hash_of(&key);
    vef_index_walk walk = vef_index_begin(index, hash);
    uint32_t number = vef_index_next(index, &walk);
    while (number != VEF_INDEX_NONE && !same_envelope(&before->messages[number], &key))
        number = vef_index_next(index, &walk);
    if (number == VEF_INDEX_NONE) {
        vef_code code =
            vef_grow_for(&before->messages, &before->message_capacity, before->message_count + 1,
                         sizeof *before->messages, "what a ring dropped", error);
        if (code)
            return code;
        key.count = 0;
        number = (uint32_t)before->message_count;
        before->messages[before->message_count++] = key;
        vef_index_add(index, hash, number);
    }
    before->messages[number].count += (uint64_t)times;
    return VEF_OK;
}

static vef_before_request *request_at(const vef_before *before, uint64_t request) {
    const uint64_t *place = vef_map64_get(&before->places, request);
    return place ? &before->requests[*place] : NULL;
}

/* A send-receive has one request for both. The receive is kept, since a send counts when it starts.
 */
vef_code vef_before_start(vef_before *before, vef_before_request request, vef_error *error) {
    vef_before_request *same = request_at(before, request.request);
    if (same) {
        if (same->send)
            *same = request;
        return VEF_OK;
    }
    vef_code code =
        vef_grow_for(&before->requests, &before->request_capacity, before->request_count + 1,
                     sizeof *before->requests, "what a ring dropped", error);
    if (!code && !vef_map64_set(&before->places, request.request, before->request_count))
        code = vef_fail_memory(error, "requests", 16 * before->places.capacity);
    if (!code)
        before->requests[before->request_count++] = request;
    return code;
}

/* The receive of a matched probe was counted at the probe. A send counts when it starts; a receive
 * counts when its message is known, which for a partitioned one is at its creation. */
static vef_code add_operation(vef_before *before, const vef_event *event,
                              const vef_operation *operation, vef_error *error) {
    bool send = operation->flags & VEF_OP_SEND,
         probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    bool partitioned = operation->flags & VEF_OP_PARTITIONED;
    bool summed = event->flags & VEF_EVENT_SUMMED;
    bool matched = vef_call_has(event->call, VEF_FACT_MATCHED);
    if (operation->peer == VEF_NO_TASK || (operation->flags & VEF_OP_CANCELLED) || probe != matched)
        return VEF_OK;
    vef_code code = VEF_OK;
    vef_before_messages key = {.comm = operation->comm,
                               .channel = partitioned ? (uint32_t)operation->ordinal + 1 : 0,
                               .peer = operation->peer,
                               .tag = operation->tag,
                               .send = send};
    bool waits = operation->request != VEF_NO_REQUEST && !partitioned;
    bool known = operation->peer != VEF_ANY_SOURCE && operation->tag != VEF_ANY_TAG;
    if (send || (!waits && known))
        code = vef_before_count(before, key, summed ? (int64_t)operation->ordinal : 1, error);
    if (!code && waits)
        code = vef_before_start(before,
                                (vef_before_request){operation->request, operation->comm,
                                                     operation->peer, operation->tag, send, false},
                                error);
    return code;
}

bool vef_before_end(vef_before *before, const vef_completion *completion, vef_before_request *ended,
                    vef_before_messages *key) {
    uint64_t place;
    if (!vef_map64_take(&before->places, completion->request, &place))
        return false;
    *ended = before->requests[place];
    before->requests[place] = before->requests[--before->request_count];
    if (place < before->request_count)
        *vef_map64_get(&before->places, before->requests[place].request) = place;
    const bool has_source = !ended->send && completion->source != VEF_NO_TASK;
    ended->cancelled = completion->cancelled || (!has_source && ended->cancelled);
    *key = (vef_before_messages){.comm = ended->comm,
                                 .peer = has_source ? completion->source : ended->peer,
                                 .tag = has_source ? completion->tag : ended->tag,
                                 .send = ended->send};
    return true;
}

bool vef_before_cancel(vef_before *before, const vef_event *event) {
    vef_before_request *request = vef_call_has(event->call, VEF_FACT_CANCELS)
                                      ? request_at(before, (uint64_t)event->argument)
                                      : NULL;
    if (request)
        request->cancelled = true;
    return request != NULL;
}

static vef_code complete(vef_before *before, const vef_completion *completion, vef_error *error) {
    vef_before_request request;
    vef_before_messages key;
    if (!vef_before_end(before, completion, &request, &key))
        return VEF_OK;
    if (request.send)
        return completion->cancelled ? vef_before_count(before, key, -1, error) : VEF_OK;
    if (request.cancelled || key.peer == VEF_ANY_SOURCE || key.tag == VEF_ANY_TAG)
        return VEF_OK;
    return vef_before_count(before, key, 1, error);
}

static bool has_many_messages(const vef_event *event) {
    return (event->flags & VEF_EVENT_MUTED) && vef_call_kind(event->call) == VEF_KIND_COLLECTIVE;
}

uint64_t vef_before_calls(const vef_event *event) {
    return has_many_messages(event) ? event->elements : 1;
}

uint32_t vef_before_sequence(const vef_event *event) {
    const bool starts = has_many_messages(event) && vef_event_is_making(event);
    return starts && event->persistent ? event->persistent
           : starts                    ? VEF_UNKNOWN_SEQUENCE
                                       : vef_event_sequence(event);
}

static vef_code add_group(vef_before *before, const vef_event *event, vef_error *error) {
    if (vef_call_kind(event->call) == VEF_KIND_COMM && event->new_comm != VEF_NO_COMM &&
        event->new_comm >= before->communicators)
        before->communicators = event->new_comm + 1;
    if (!vef_call_is_of_all(event->call) || event->comm == VEF_NO_COMM)
        return VEF_OK;
    const uint64_t key = vef_sequence_key(event->comm, vef_before_sequence(event));
    const uint64_t count = vef_before_calls(event);
    uint64_t *calls = vef_map64_get(&before->collectives, key);
    if (calls)
        *calls += count;
    else if (!vef_map64_set(&before->collectives, key, count))
        return vef_fail_memory(error, "communicators", 16 * before->collectives.capacity);
    return VEF_OK;
}

vef_code vef_before_event(vef_before *before, const vef_event *event, vef_error *error) {
    vef_code code = VEF_OK;
    before->events++;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        for (uint32_t i = 0; i < event->operation_count && !code; i++)
            code = add_operation(before, event, &event->operations[i], error);
        return code;
    case VEF_KIND_COMPLETE:
        if (vef_call_has(event->call, VEF_FACT_INSPECTS))
            return VEF_OK; /* leaves it active */
        for (uint32_t i = 0; i < event->completion_count && !code; i++)
            code = complete(before, &event->completions[i], error);
        return code;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
    case VEF_KIND_SYNC:
        return add_group(before, event, error);
    case VEF_KIND_LOCAL:
        vef_before_cancel(before, event);
        return VEF_OK;
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}

/* ---- as bytes ---- */

vef_code vef_before_put(const vef_before *before, uint8_t **bytes, size_t *size, vef_error *error) {
    size_t most = 5 * VEF_VARINT_BYTES + before->message_count * MESSAGES_BYTES +
                  before->request_count * REQUEST_BYTES +
                  before->collectives.count * 2 * VEF_VARINT_BYTES;
    uint8_t *to = *bytes = malloc(most);
    if (!to)
        return vef_fail_memory(error, "what a ring dropped", most);
    to = vef_put_varint(to, before->events);
    to = vef_put_varint(to, before->communicators);
    to = vef_put_varint(to, before->message_count);
    for (size_t i = 0; i < before->message_count; i++) {
        const vef_before_messages *entry = &before->messages[i];
        to = vef_put_varint(to, (uint64_t)entry->comm << 1 | entry->send);
        to = vef_put_varint(to, entry->channel);
        to = vef_put_signed(to, entry->peer);
        to = vef_put_signed(to, entry->tag);
        to = vef_put_varint(to, entry->count);
    }
    to = vef_put_varint(to, before->request_count);
    for (size_t i = 0; i < before->request_count; i++) {
        const vef_before_request *entry = &before->requests[i];
        to = vef_put_varint(to, entry->request);
        to = vef_put_varint(to, (uint64_t)entry->comm << 2 | (unsigned)entry->cancelled << 1 |
                                    entry->send);
        to = vef_put_signed(to, entry->peer);
        to = vef_put_signed(to, entry->tag);
    }
    to = vef_put_varint(to, before->collectives.count);
    for (size_t i = 0; i < before->collectives.capacity; i++) {
        if (before->collectives.keys[i] == UINT64_MAX)
            continue;
        to = vef_put_varint(to, before->collectives.keys[i]);
        to = vef_put_varint(to, before->collectives.values[i]);
    }
    *size = (size_t)(to - *bytes);
    return VEF_OK;
}

vef_code vef_before_get(vef_before *before, vef_cursor *from, vef_error *error) {
    vef_code code = VEF_OK;
    before->events = vef_get_varint(from);
    before->communicators = (uint32_t)vef_get_varint(from);
    for (uint64_t count = vef_get_varint(from); count > 0 && !from->bad && !code; count--) {
        uint64_t comm = vef_get_varint(from);
        vef_before_messages entry = {.comm = (uint32_t)(comm >> 1), .send = comm & 1};
        entry.channel = (uint32_t)vef_get_varint(from);
        entry.peer = (int32_t)vef_get_signed(from);
        entry.tag = (int32_t)vef_get_signed(from);
        uint64_t times = vef_get_varint(from);
        code = vef_before_count(before, entry, (int64_t)times, error);
    }
    for (uint64_t count = vef_get_varint(from); count > 0 && !from->bad && !code; count--) {
        vef_before_request entry = {.request = vef_get_varint(from)};
        uint64_t comm = vef_get_varint(from);
        entry.comm = (uint32_t)(comm >> 2);
        entry.cancelled = comm >> 1 & 1;
        entry.send = comm & 1;
        entry.peer = (int32_t)vef_get_signed(from);
        entry.tag = (int32_t)vef_get_signed(from);
        code = vef_before_start(before, entry, error);
    }
    for (uint64_t count = vef_get_varint(from); count > 0 && !from->bad && !code; count--) {
        uint64_t key = vef_get_varint(from), calls = vef_get_varint(from);
        if (!vef_map64_set(&before->collectives, key, calls))
            code = vef_fail_memory(error, "communicators", 16 * before->collectives.capacity);
    }
    if (!code && from->bad)
        code = vef_fail(error, VEF_CORRUPT, "what a ring dropped does not decode");
    return code;
}
