/* Decoding the events of a piece. The bytes passed a checksum, but are still not trusted: every
 * read is bounded, and nothing is allocated that the bytes at hand cannot fill. See codec.h. */
#include "traces/codec.h"

#include <stdlib.h>

void vef_decoder_free(vef_decoder *decoder) {
    free(decoder->operations);
    free(decoder->completions);
    free(decoder->vectors);
    free(decoder->peers);
    free(decoder->name);
    decoder->operations = NULL;
    decoder->completions = NULL;
    decoder->vectors = NULL;
    decoder->peers = NULL;
    decoder->name = NULL;
    decoder->operation_capacity = decoder->completion_capacity = decoder->vector_capacity = 0;
    decoder->peer_capacity = decoder->name_capacity = 0;
    decoder->left = 0;
}

void vef_decoder_restart(vef_decoder *decoder, const vef_piece *piece,
                         const uint8_t *const column[VEF_COLUMNS], uint32_t gap_unit) {
    decoder->payload = column[VEF_COLUMN_PAYLOAD];
    for (size_t i = 0; i < VEF_COLUMNS; i++)
        decoder->column[i] = (vef_cursor){column[i], column[i] + piece->column_bytes[i], false};
    decoder->left = piece->events;
    decoder->thread = piece->thread;
    decoder->gap_unit = gap_unit;
    decoder->ticks = piece->column_bytes[VEF_COLUMN_TICKS] > 0;
    decoder->next_tick = piece->first_tick;
    vef_coder_restart(&decoder->coder, piece->first_request);
}

/* Room for `count` elements, keeping those that are there. */
static vef_code grow(void **list, size_t *capacity, size_t count, size_t size, vef_error *error) {
    if (count <= *capacity)
        return VEF_OK;
    size_t wanted = count + count / 2 + 4;
    void *grown = realloc(*list, wanted * size);
    if (!grown)
        return vef_fail_memory(error, "the lists of an event", wanted * size);
    *list = grown;
    *capacity = wanted;
    return VEF_OK;
}

/* Numbers of requests and messages are counts: below 2^63, or none at all (UINT64_MAX). */
static bool is_number(uint64_t value) {
    return value <= INT64_MAX || value == UINT64_MAX;
}

static void get_operation(vef_coder *coder, vef_cursor *from, vef_operation *operation,
                          bool probe) {
    uint64_t word = vef_get_limited(from, (uint64_t)UINT16_MAX << 4 | 15);
    unsigned request_code = word >> 2 & 3, ordinal_code = word & 3;
    operation->flags = (uint16_t)(word >> 4);
    operation->peer = (int32_t)vef_get_signed(from);
    operation->tag = (int32_t)vef_get_signed(from);
    operation->comm = (uint32_t)vef_get_limited(from, UINT32_MAX);
    operation->bytes = vef_get_limited(from, INT64_MAX);
    operation->request = request_code ? coder->next_request : VEF_NO_REQUEST;
    if (request_code == 2)
        operation->request -= (uint64_t)vef_get_signed(from);
    if (request_code)
        vef_coder_named(coder, operation->request);
    operation->ordinal = VEF_NO_ORDINAL;
    bool send = operation->flags & VEF_OP_SEND;
    if (ordinal_code)
        operation->ordinal = vef_coder_expected(coder, operation->peer, send);
    if (ordinal_code == 2)
        operation->ordinal += (uint64_t)vef_get_signed(from);
    if (ordinal_code && !probe)
        vef_coder_saw(coder, operation->peer, send, operation->ordinal);
    if (request_code == 3 || ordinal_code == 3 || !is_number(operation->request) ||
        !is_number(operation->ordinal))
        from->bad = true;
}

static vef_code get_operations(vef_decoder *decoder, vef_cursor *from, bool probe,
                               vef_error *error) {
    vef_event *event = &decoder->event;
    uint32_t count = (uint32_t)vef_get_limited(
        from, (uint64_t)(from->end - from->at)); /* a byte each at least */
    vef_code code = grow((void **)&decoder->operations, &decoder->operation_capacity, count,
                         sizeof *decoder->operations, error);
    if (code)
        return code;
    for (uint32_t i = 0; i < count && !from->bad; i++)
        get_operation(&decoder->coder, from, &decoder->operations[i], probe);
    event->operation_count = count;
    event->operations = decoder->operations;
    return VEF_OK;
}

static vef_code get_completions(vef_decoder *decoder, vef_cursor *from, vef_error *error) {
    vef_event *event = &decoder->event;
    uint32_t count = (uint32_t)vef_get_limited(from, VEF_LONGEST_LIST);
    for (uint32_t i = 0; i < count && !from->bad;) {
        uint64_t word = vef_get_limited(from, (uint64_t)VEF_LONGEST_LIST << 2 | 3);
        uint32_t length = (uint32_t)(word >> 2);
        bool cancelled = word & 2, told = word & 1;
        uint64_t first = decoder->coder.next_request - (uint64_t)vef_get_signed(from);
        if (length == 0 || length > count - i) {
            from->bad = true;
            break;
        }
        if (first > (uint64_t)INT64_MAX - length)
            from->bad = true;
        vef_coder_named(&decoder->coder, first + length - 1);
        vef_code code = grow((void **)&decoder->completions, &decoder->completion_capacity,
                             (size_t)i + length, sizeof *decoder->completions, error);
        if (code)
            return code;
        for (uint32_t k = 0; k < length; k++) {
            vef_completion *completion = &decoder->completions[i + k];
            *completion = (vef_completion){first + k, cancelled, VEF_NO_TASK, 0, 0};
            if (told) {
                completion->source = (int32_t)vef_get_signed(from);
                completion->tag = (int32_t)vef_get_signed(from);
                completion->bytes = vef_get_limited(from, INT64_MAX);
            }
        }
        i += length;
    }
    event->completion_count = count;
    event->completions = decoder->completions;
    return VEF_OK;
}

static vef_code get_group(vef_decoder *decoder, vef_cursor *from, bool creation, vef_error *error) {
    vef_event *event = &decoder->event;
    vef_coder *coder = &decoder->coder;
    event->comm = (uint32_t)vef_get_limited(from, UINT32_MAX);
    if (vef_event_starts_request(event)) {
        event->request = coder->next_request - (uint64_t)vef_get_signed(from);
        vef_coder_named(coder, event->request);
        from->bad = from->bad || !is_number(event->request);
    }
    if (creation) {
        event->new_comm = (uint32_t)vef_get_limited(from, UINT32_MAX) - 1; /* 0: VEF_NO_COMM */
        return VEF_OK;
    }
    event->root = (int32_t)vef_get_signed(from);
    event->bytes = vef_get_limited(from, INT64_MAX);
    event->elements = vef_get_limited(from, INT64_MAX);
    uint64_t left = (uint64_t)(from->end - from->at);
    event->send_count = (uint32_t)vef_get_limited(from, left);
    event->receive_count = (uint32_t)vef_get_limited(from, left);
    size_t count = (size_t)event->send_count + event->receive_count;
    vef_code code = grow((void **)&decoder->vectors, &decoder->vector_capacity, count,
                         sizeof *decoder->vectors, error);
    if (code)
        return code;
    for (size_t i = 0; i < count; i++)
        decoder->vectors[i] = vef_get_limited(from, INT64_MAX);
    event->send_bytes = event->send_count ? decoder->vectors : NULL;
    event->receive_bytes = event->receive_count ? decoder->vectors + event->send_count : NULL;
    return VEF_OK;
}

static vef_code get_sync(vef_decoder *decoder, vef_cursor *from, vef_error *error) {
    vef_event *event = &decoder->event;
    event->comm = (uint32_t)vef_get_limited(from, UINT32_MAX);
    event->argument = vef_get_signed(from);
    event->peer_count = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->at));
    vef_code code = grow((void **)&decoder->peers, &decoder->peer_capacity, event->peer_count,
                         sizeof *decoder->peers, error);
    if (code)
        return code;
    for (uint32_t i = 0; i < event->peer_count; i++)
        decoder->peers[i] = (int32_t)vef_get_signed(from);
    event->peers = decoder->peers;
    return VEF_OK;
}

static vef_code get_name(vef_decoder *decoder, vef_cursor *from, vef_error *error) {
    size_t length = (size_t)vef_get_limited(from, (uint64_t)(from->end - from->at));
    vef_code code = grow((void **)&decoder->name, &decoder->name_capacity, length + 1, 1, error);
    if (code)
        return code;
    if (length > (size_t)(from->end - from->at)) {
        from->bad = true;
        length = 0;
    }
    if (length && memchr(from->at, '\0', length))
        from->bad = true;
    memcpy(decoder->name, from->at, length);
    decoder->name[length] = '\0';
    from->at += length;
    decoder->event.name = decoder->name;
    return VEF_OK;
}

static vef_code get_payload(vef_decoder *decoder, vef_cursor *from, unsigned *marks,
                            vef_error *error) {
    vef_event *event = &decoder->event;
    uint64_t call = vef_get_limited(from, UINT16_MAX);
    event->call = (uint16_t)(call - 1);
    if (call < 2 || !vef_call_is_held(event->call)) {
        from->bad = true;
        return VEF_OK;
    }
    uint64_t flags = vef_get_limited(from, (uint64_t)UINT16_MAX << 2 | 3);
    event->flags = (uint16_t)(flags >> 2);
    *marks = flags & 3;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_LOCAL:
        event->argument = vef_get_signed(from);
        if (vef_call_names_request(event->call))
            event->argument = (int64_t)(decoder->coder.next_request - (uint64_t)event->argument);
        return VEF_OK;
    case VEF_KIND_TRANSFER:
    case VEF_KIND_ONE_SIDED:
        return get_operations(decoder, from, false, error);
    case VEF_KIND_PROBE:
        return get_operations(decoder, from, true, error);
    case VEF_KIND_COMPLETE:
        return get_completions(decoder, from, error);
    case VEF_KIND_COLLECTIVE:
        return get_group(decoder, from, false, error);
    case VEF_KIND_COMM:
        return get_group(decoder, from, true, error);
    case VEF_KIND_SYNC:
        return get_sync(decoder, from, error);
    case VEF_KIND_REGION:
        return get_name(decoder, from, error);
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}

static void get_times(vef_decoder *decoder, unsigned marks) {
    vef_event *event = &decoder->event;
    vef_cursor *gaps = &decoder->column[VEF_COLUMN_GAP];
    vef_cursor *durations = &decoder->column[VEF_COLUMN_DURATION];
    event->gap_ns = vef_get_varint(gaps) * decoder->gap_unit;
    if (marks & VEF_MARK_ODD_GAP)
        event->gap_ns += vef_get_varint(gaps);
    if (marks & VEF_MARK_OUTSIDE)
        event->outside_ns = vef_get_varint(gaps);
    event->duration_ns = vef_get_varint(durations);
    if (event->flags & VEF_EVENT_POLL)
        event->repeats = vef_get_varint(durations);
}

static void get_ticks(vef_decoder *decoder) {
    vef_event *event = &decoder->event;
    vef_cursor *ticks = &decoder->column[VEF_COLUMN_TICKS];
    event->entered = decoder->next_tick;
    event->left = event->entered + 1;
    if (decoder->ticks) {
        event->entered += (uint64_t)vef_get_signed(ticks);
        event->left = event->entered + 1 + (uint64_t)vef_get_signed(ticks);
    }
    if (event->entered > INT64_MAX || event->left > INT64_MAX) /* no counter gets so far */
        ticks->bad = true;
    decoder->next_tick = event->left + 1;
}

vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    *event = NULL;
    if (decoder->left == 0)
        return VEF_OK;
    vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD];
    vef_cursor from = *column;
    vef_payload_place place = {(uint32_t)(column->at - decoder->payload), 0, 0};
    bool predicted = column->at < column->end && *column->at < 2;
    if (predicted) {
        place =
            *column->at == 0 ? *vef_coder_long(&decoder->coder) : *vef_coder_short(&decoder->coder);
        from = (vef_cursor){decoder->payload + place.offset,
                            decoder->payload + place.offset + place.length, false};
    }
    decoder->event = (vef_event){.thread = decoder->thread,
                                 .new_comm = VEF_NO_COMM,
                                 .comm = VEF_NO_COMM,
                                 .root = -1,
                                 .repeats = 1,
                                 .request = VEF_NO_REQUEST};
    unsigned marks = 0;
    vef_code code = get_payload(decoder, &from, &marks, error);
    if (code)
        return code;
    column->at = predicted ? column->at + 1 : from.at;
    if (!predicted)
        place.length = (uint32_t)(from.at - decoder->payload) - place.offset;
    if (!from.bad)
        vef_coder_learn(&decoder->coder, decoder->payload, place);
    get_times(decoder, marks);
    get_ticks(decoder);
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        from.bad = from.bad || decoder->column[i].bad;
    if (from.bad)
        return vef_fail(error, VEF_CORRUPT, "a block whose events do not decode");
    decoder->left--;
    *event = &decoder->event;
    return VEF_OK;
}
