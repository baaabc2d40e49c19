/* Decoding the events of a piece. The bytes passed a checksum, but are not trusted: every read is
 * bounded, and allocations are bounded by the available bytes. See codec.h. */
#include "common/grow.h"
#include "traces/fields.h"
#include "traces/format/codec.h"

#include <stdlib.h>

void vef_decoder_free(vef_decoder *decoder) {
    free(decoder->contexts);
    free(decoder->learnt);
    free(decoder->peer);
    free(decoder->operations);
    free(decoder->completions);
    free(decoder->send_bytes);
    free(decoder->receive_bytes);
    free(decoder->peers);
    free(decoder->name);
    *decoder = (vef_decoder){0};
}

/* ---- prediction ---- */

static void begin_learning(vef_decoder *decoder, const vef_piece *piece) {
    decoder->coder.next_request = piece->first_request;
    decoder->coder.last_hash = decoder->coder.before_hash = 0;
    decoder->short_piece = piece->events <= VEF_SHORT_PIECE_EVENTS;
    decoder->out_of_memory = false;
    decoder->learnt_count = decoder->peer_count = 0;
    if (decoder->peer_room == VEF_PEER_ENTRIES)
        memset(decoder->peer, 0, VEF_PEER_ENTRIES * sizeof *decoder->peer);
    const size_t contexts = VEF_LONG_CONTEXTS + VEF_SHORT_CONTEXTS;
    if (decoder->short_piece) {
        if (piece->events <= decoder->learnt_capacity)
            return;
        free(decoder->learnt);
        decoder->learnt = malloc(piece->events * sizeof *decoder->learnt);
        decoder->learnt_capacity = decoder->learnt ? piece->events : 0;
        decoder->out_of_memory = !decoder->learnt;
    } else if (decoder->contexts) {
        memset(decoder->contexts, 0, contexts * sizeof *decoder->contexts);
    } else {
        decoder->contexts = calloc(contexts, sizeof *decoder->contexts);
        decoder->out_of_memory = !decoder->contexts;
    }
}

/* The prediction of the long or the short context; empty if none. */
static vef_payload_place predicted_place(const vef_decoder *decoder, bool is_long) {
    uint32_t index = is_long ? vef_long_index(decoder->coder.last_hash, decoder->coder.before_hash)
                             : vef_short_index(decoder->coder.last_hash);
    if (!decoder->short_piece)
        return decoder->contexts[is_long ? index : VEF_LONG_CONTEXTS + index];
    for (uint32_t i = decoder->learnt_count; i-- > 0;)
        if ((is_long ? decoder->learnt[i].long_index : decoder->learnt[i].short_index) == index)
            return decoder->learnt[i].place;
    return (vef_payload_place){0};
}

/* The same as vef_coder_learn. */
static void learn(vef_decoder *decoder, vef_payload_place place) {
    uint32_t at_long = vef_long_index(decoder->coder.last_hash, decoder->coder.before_hash);
    uint32_t at_short = vef_short_index(decoder->coder.last_hash);
    if (place.hash == 0) /* was not predicted */
        place.hash = vef_payload_hash(decoder->payload + place.offset, place.length);
    if (!decoder->short_piece) {
        decoder->contexts[at_long] = place;
        decoder->contexts[VEF_LONG_CONTEXTS + at_short] = place;
    } else if (decoder->learnt_count < decoder->learnt_capacity) { /* else: after a failure */
        decoder->learnt[decoder->learnt_count++] =
            (vef_learnt){place, (uint16_t)at_long, (uint16_t)at_short};
    }
    decoder->coder.before_hash = decoder->coder.last_hash;
    decoder->coder.last_hash = place.hash;
}

/* The entry of a key's slot of the table; NULL if none. */
static vef_peer_entry *find_peer(const vef_decoder *decoder, uint64_t key) {
    uint32_t slot = vef_peer_slot(key);
    if (decoder->peer_room == VEF_PEER_ENTRIES)
        return &decoder->peer[slot];
    for (uint32_t i = 0; i < decoder->peer_count; i++)
        if (vef_peer_slot(decoder->peer[i].key) == slot)
            return &decoder->peer[i];
    return NULL;
}

/* Adds an entry to the list, which becomes the table when it gets long. */
static vef_peer_entry *add_peer(vef_decoder *decoder, uint64_t key) {
    if (decoder->peer_count == decoder->peer_room) {
        bool table = decoder->peer_room == VEF_SHORT_PIECE_PEERS;
        uint32_t room = table ? VEF_PEER_ENTRIES : decoder->peer_room ? 2 * decoder->peer_room : 4;
        vef_peer_entry *grown = calloc(room, sizeof *grown);
        if (!grown) {
            decoder->out_of_memory = true;
            return NULL;
        }
        for (uint32_t i = 0; i < decoder->peer_count; i++)
            grown[table ? vef_peer_slot(decoder->peer[i].key) : i] = decoder->peer[i];
        free(decoder->peer);
        decoder->peer = grown;
        decoder->peer_room = room;
        if (table)
            return find_peer(decoder, key);
    }
    return &decoder->peer[decoder->peer_count++];
}

static uint64_t expected(const vef_decoder *decoder, int32_t peer, bool send) {
    uint64_t key = vef_peer_key(peer, send);
    const vef_peer_entry *entry = find_peer(decoder, key);
    return entry && entry->key == key ? entry->next : 0;
}

static void saw(vef_decoder *decoder, int32_t peer, bool send, uint64_t ordinal) {
    uint64_t key = vef_peer_key(peer, send);
    vef_peer_entry *entry = find_peer(decoder, key);
    if (!entry)
        entry = add_peer(decoder, key);
    if (entry)
        *entry = (vef_peer_entry){key, ordinal + 1};
}

/* The same as vef_coder_named. */
static void named(vef_decoder *decoder, uint64_t request) {
    if (request >= decoder->coder.next_request)
        decoder->coder.next_request = request + 1;
}

/* ---- events ---- */

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
    begin_learning(decoder, piece);
}

/* Numbers of requests and messages are counts: below 2^63, or UINT64_MAX for none. */
static bool is_number(uint64_t value) {
    return value <= INT64_MAX || value == UINT64_MAX;
}

/* The codings of fields.def. Codings that allocate may set `code`. */
#define GET_NOT(to, ...)
#define GET_CODED(to, ...)
#define GET_NUMBER(to, member, ...) to->member = vef_get_limited(from, INT64_MAX);
#define GET_INDEX(to, member, ...) to->member = (uint32_t)vef_get_limited(from, UINT32_MAX);
#define GET_SIGNED(to, member, ...) to->member = vef_get_signed(from);
#define GET_SIGNED32(to, member, ...) to->member = (int32_t)vef_get_signed(from);
#define GET_NEW_COMM(to, member, ...) /* 0: VEF_NO_COMM */                                         \
    to->member = (uint32_t)vef_get_limited(from, UINT32_MAX) - 1;
#define GET_PERSISTENT(to, member, ...)                                                            \
    if (persistent)                                                                                \
        to->member = (uint32_t)vef_get_limited(from, UINT32_MAX - 1);
#define GET_REQUEST(to, member, ...)                                                               \
    if (vef_event_starts_request(to)) {                                                            \
        to->member = decoder->coder.next_request - (uint64_t)vef_get_signed(from);                 \
        named(decoder, to->member);                                                                \
        from->bad = from->bad || !is_number(to->member);                                           \
    }
#define GET_ARGUMENT(to, member, ...)                                                              \
    to->member = vef_get_signed(from);                                                             \
    if (vef_call_names_request(to->call))                                                          \
        to->member = (int64_t)(decoder->coder.next_request - (uint64_t)to->member);
/* At least a byte each. */
#define GET_LENGTH(to, member, ...)                                                                \
    to->member = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->at));
#define GET_LIST(to, member, count, get)                                                           \
    code = vef_grow_for(&decoder->member, &decoder->member##_capacity, to->count,                  \
                        sizeof *decoder->member, "the lists of an event", error);                  \
    for (uint32_t i = 0; !code && i < to->count; i++)                                              \
        decoder->member[i] = get;                                                                  \
    to->member = to->count ? decoder->member : NULL;
#define GET_COUNTS(to, member, count) GET_LIST(to, member, count, vef_get_limited(from, INT64_MAX))
#define GET_TASKS(to, member, count) GET_LIST(to, member, count, (int32_t)vef_get_signed(from))
#define GET_OPERATIONS(to, ...) code = get_operations(decoder, from, kind == VEF_KIND_PROBE, error);
#define GET_COMPLETIONS(to, ...) code = get_completions(decoder, from, error);
#define GET_NAME(to, ...) code = get_name(decoder, from, error);

static void get_operation(vef_decoder *decoder, vef_cursor *from, vef_operation *operation,
                          bool probe) {
    uint64_t word = vef_get_limited(from, (uint64_t)UINT16_MAX << 4 | 15);
    unsigned request_code = word >> 2 & 3, ordinal_code = word & 3;
    operation->flags = (uint16_t)(word >> 4);
#define OPERATION(member, payload, ...) GET_##payload(operation, member)
#include "traces/fields.def"
    operation->request = request_code ? decoder->coder.next_request : VEF_NO_REQUEST;
    if (request_code == 2)
        operation->request -= (uint64_t)vef_get_signed(from);
    if (request_code)
        named(decoder, operation->request);
    operation->ordinal = VEF_NO_ORDINAL;
    bool send = operation->flags & VEF_OP_SEND;
    if (ordinal_code)
        operation->ordinal = expected(decoder, operation->peer, send);
    if (ordinal_code == 2)
        operation->ordinal += (uint64_t)vef_get_signed(from);
    if (ordinal_code && !probe)
        saw(decoder, operation->peer, send, operation->ordinal);
    if (request_code == 3 || ordinal_code == 3 || !is_number(operation->request) ||
        !is_number(operation->ordinal))
        from->bad = true;
}

static vef_code get_operations(vef_decoder *decoder, vef_cursor *from, bool probe,
                               vef_error *error) {
    vef_event *event = &decoder->event;
    uint32_t count = (uint32_t)vef_get_limited(
        from, (uint64_t)(from->end - from->at)); /* a byte each at least */
    vef_code code = vef_grow_for(&decoder->operations, &decoder->operations_capacity, count,
                                 sizeof *decoder->operations, "the lists of an event", error);
    if (code)
        return code;
    for (uint32_t i = 0; i < count && !from->bad; i++)
        get_operation(decoder, from, &decoder->operations[i], probe);
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
        bool cancelled = word & 2, has_source = word & 1;
        uint64_t first = decoder->coder.next_request - (uint64_t)vef_get_signed(from);
        if (length == 0 || length > count - i) {
            from->bad = true;
            break;
        }
        if (first > (uint64_t)INT64_MAX - length)
            from->bad = true;
        named(decoder, first + length - 1);
        vef_code code =
            vef_grow_for(&decoder->completions, &decoder->completions_capacity, (size_t)i + length,
                         sizeof *decoder->completions, "the lists of an event", error);
        if (code)
            return code;
        for (uint32_t k = 0; k < length; k++) {
            vef_completion *completion = &decoder->completions[i + k];
            *completion = (vef_completion){first + k, cancelled, VEF_NO_TASK, 0, 0};
            if (has_source) {
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

static vef_code get_name(vef_decoder *decoder, vef_cursor *from, vef_error *error) {
    size_t length = (size_t)vef_get_limited(from, (uint64_t)(from->end - from->at));
    vef_code code = vef_grow_for(&decoder->name, &decoder->name_capacity, length + 1, 1,
                                 "the lists of an event", error);
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

/* The fields of a kind; see put_fields of encode.c. */
static inline __attribute__((always_inline)) vef_code
get_fields(vef_decoder *decoder, vef_cursor *from, const vef_kind kind, bool persistent,
           vef_error *error) {
    vef_event *event = &decoder->event;
    vef_code code = VEF_OK;
#define LIST(kinds, member, count, payload, ...)                                                   \
    if ((kinds) >> kind & 1 && !code) {                                                            \
        GET_##payload(event, member, count)                                                        \
    }
#define FIELD(kinds, member, payload, ...) LIST(kinds, member, , payload)
#define LENGTH(kinds, member) LIST(kinds, member, , LENGTH)
#include "traces/fields.def"
    return code;
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
    bool persistent = event->flags & VEF_CODED_PERSISTENT;
    event->flags &= (uint16_t)~VEF_CODED_PERSISTENT;
    from->bad = from->bad || (persistent && !vef_call_has(event->call, VEF_FACT_PERSISTENT));
    switch (vef_call_kind(event->call)) {
#define KIND(name)                                                                                 \
    case VEF_KIND_##name:                                                                          \
        return get_fields(decoder, from, VEF_KIND_##name, persistent, error);
        VEF_HELD_KINDS(KIND)
#undef KIND
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

static vef_code no_room(vef_error *error) {
    return vef_fail_memory(error, "a stream of events",
                           (VEF_LONG_CONTEXTS + VEF_SHORT_CONTEXTS) * sizeof(vef_payload_place));
}

vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    *event = NULL;
    if (decoder->left == 0)
        return VEF_OK;
    if (decoder->out_of_memory)
        return no_room(error);
    vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD];
    vef_cursor from = *column;
    vef_payload_place place = {(uint32_t)(column->at - decoder->payload), 0, 0};
    bool predicted = column->at < column->end && *column->at < 2;
    if (predicted) {
        place = predicted_place(decoder, *column->at == 0);
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
    if (!code && decoder->out_of_memory)
        code = no_room(error);
    if (code)
        return code;
    column->at = predicted ? column->at + 1 : from.at;
    if (!predicted)
        place.length = (uint32_t)(from.at - decoder->payload) - place.offset;
    if (!from.bad)
        learn(decoder, place);
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
