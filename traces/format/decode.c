/* Decoding the events of a piece. The bytes passed a checksum, but are not trusted: every read is
 * bounded, and allocations are bounded by the available bytes. See codec.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/fields.h"
#include "traces/format/repeat.h"

#include <stdlib.h>

void vef_decoder_free(vef_decoder *decoder) {
    free(decoder->contexts);
    free(decoder->peer);
    free(decoder->known);
    free(decoder->operations);
    free(decoder->completions);
    free(decoder->send_bytes);
    free(decoder->receive_bytes);
    free(decoder->peers);
    free(decoder->name);
    *decoder = (vef_decoder){0};
}

/* ---- prediction ---- */

enum { KNOWN_STEP = 16 }; /* how many more known payloads the list gets room for */

/* Nothing known can be repeated any more. */
static void forget_known(vef_decoder *decoder) {
    for (uint32_t i = 0; i < decoder->known_used; i++)
        decoder->known[i].begin = 0;
    decoder->known_next = decoder->known_used = 0;
}

static void begin_learning(vef_decoder *decoder, const vef_piece *piece) {
    decoder->coder.next_request = piece->first_request;
    decoder->coder.last_hash = decoder->coder.before_hash = 0;
    decoder->out_of_memory = false;
    decoder->peer_count = decoder->group_count = 0;
    memset(decoder->group_of, 0, sizeof decoder->group_of);
    forget_known(decoder);
    if (decoder->peer_room == VEF_PEER_ENTRIES)
        memset(decoder->peer, 0, VEF_PEER_ENTRIES * sizeof *decoder->peer);
}

bool vef_decoder_add_group(vef_decoder *decoder, uint32_t number) {
    const size_t used = (size_t)decoder->group_count * VEF_CONTEXT_GROUP;
    if (!vef_grow(&decoder->contexts, &decoder->contexts_capacity, used + VEF_CONTEXT_GROUP,
                  sizeof *decoder->contexts)) {
        decoder->out_of_memory = true;
        return false;
    }
    memset(decoder->contexts + used, 0, VEF_CONTEXT_GROUP * sizeof *decoder->contexts);
    decoder->group_of[number] = (uint8_t)++decoder->group_count;
    return true;
}

/* The same as vef_coder_learn. */
static inline void learn(vef_decoder *decoder, vef_predicted payload, uint64_t hash) {
    vef_set_prediction(decoder, vef_long_context(decoder), payload);
    vef_set_prediction(decoder, vef_short_context(decoder), payload);
    vef_enter_context(decoder, hash);
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

/* Adds an empty entry for a key to the list, which becomes the table when it gets long. */
static vef_peer_entry *add_peer(vef_decoder *decoder, uint64_t key) {
    if (decoder->peer_count == decoder->peer_room) {
        bool table = decoder->peer_room == VEF_LISTED_PEERS;
        uint32_t room = table ? VEF_PEER_ENTRIES : decoder->peer_room ? 2 * decoder->peer_room : 4;
        vef_peer_entry *grown = vef_calloc(room, sizeof *grown);
        if (!grown) {
            decoder->out_of_memory = true;
            return NULL;
        }
        for (uint32_t i = 0; i < decoder->peer_count; i++)
            grown[table ? vef_peer_slot(decoder->peer[i].key) : i] = decoder->peer[i];
        free(decoder->peer);
        decoder->peer = grown;
        decoder->peer_room = room;
        if (table) {
            forget_known(decoder); /* their codes have places in the list */
            return find_peer(decoder, key);
        }
    }
    vef_peer_entry *added = &decoder->peer[decoder->peer_count++];
    *added = (vef_peer_entry){0};
    return added;
}

/* ---- events ---- */

void vef_decoder_restart(vef_decoder *decoder, const vef_piece *piece,
                         const uint8_t *const column[VEF_COLUMNS], uint32_t gap_unit) {
    decoder->payload = column[VEF_COLUMN_PAYLOAD];
    for (size_t i = 0; i < VEF_COLUMNS; i++)
        decoder->column[i] = (vef_cursor){column[i], column[i] + piece->column_bytes[i], false};
    decoder->left = piece->events;
    decoder->next = (vef_predicted){0};
    decoder->thread = piece->thread;
    decoder->gap_unit = gap_unit;
    decoder->ticks = piece->column_bytes[VEF_COLUMN_TICKS] > 0;
    decoder->next_tick = piece->first_tick;
    decoder->times = (vef_time_bits){0};
    decoder->only_split = false;
    decoder->unread_durations = 0;
    begin_learning(decoder, piece);
}

void vef_decoder_restart_split(vef_decoder *decoder, const vef_piece *piece,
                               const uint8_t *const column[VEF_COLUMNS], const vef_time_bits *times,
                               uint32_t gap_unit) {
    vef_decoder_restart(decoder, piece, column, gap_unit);
    decoder->times = *times;
    decoder->only_split = times->bits && !decoder->ticks;
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
        known->codes[0].request = (uint64_t)vef_get_signed(from);                                  \
        known->form = VEF_KNOWN_REQUEST;                                                           \
        to->member = decoder->coder.next_request - known->codes[0].request;                        \
        vef_decoder_named(decoder, to->member);                                                    \
        from->bad = from->bad || !vef_is_number(to->member);                                       \
    }
#define GET_ARGUMENT(to, member, ...)                                                              \
    to->member = vef_get_signed(from);                                                             \
    if (vef_call_names_request(to->call)) {                                                        \
        to->member = (int64_t)(decoder->coder.next_request - (uint64_t)to->member);                \
        known->form = VEF_KNOWN_NOT;                                                               \
    }
/* At least a byte each. */
#define GET_LENGTH(to, member, ...)                                                                \
    to->member = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
#define GET_LIST(to, member, count, get)                                                           \
    code = vef_grow_for(&decoder->member, &decoder->member##_capacity, to->count,                  \
                        sizeof *decoder->member, "the lists of an event", error);                  \
    for (uint32_t i = 0; !code && i < to->count; i++)                                              \
        decoder->member[i] = get;                                                                  \
    to->member = to->count ? decoder->member : NULL;                                               \
    known->form = to->count ? VEF_KNOWN_NOT : known->form;
#define GET_COUNTS(to, member, count) GET_LIST(to, member, count, vef_get_limited(from, INT64_MAX))
#define GET_TASKS(to, member, count) GET_LIST(to, member, count, (int32_t)vef_get_signed(from))
#define GET_OPERATIONS(to, ...)                                                                    \
    code = get_operations(decoder, from, known, kind == VEF_KIND_PROBE, error);
#define GET_COMPLETIONS(to, ...) code = get_completions(decoder, from, known, error);
#define GET_NAME(to, ...) code = get_name(decoder, from, known, error);

static uint64_t get_ordinal(vef_decoder *decoder, vef_known_codes *codes, bool probe) {
    vef_peer_entry *entry = find_peer(decoder, codes->key);
    if (!entry && probe)
        return codes->ordinal;
    if (!entry)
        entry = add_peer(decoder, codes->key);
    if (!entry)
        return 0;
    codes->peer = (uint32_t)(entry - decoder->peer);
    return vef_next_ordinal(entry, codes, probe);
}

static void get_operation(vef_decoder *decoder, vef_cursor *from, vef_operation *operation,
                          vef_known_codes *codes, bool probe) {
    uint64_t word = vef_get_limited(from, (uint64_t)UINT16_MAX << 4 | 15);
    unsigned request_code = word >> 2 & 3, ordinal_code = word & 3;
    operation->flags = (uint16_t)(word >> 4);
#define OPERATION(member, role, payload, ...) GET_##payload(operation, member)
#include "traces/fields.def"
    codes->has_request = request_code;
    codes->has_ordinal = ordinal_code;
    codes->key = vef_peer_key(operation->peer, operation->flags & VEF_OP_SEND);
    codes->request = request_code == 2 ? (uint64_t)vef_get_signed(from) : 0;
    codes->ordinal = ordinal_code == 2 ? (uint64_t)vef_get_signed(from) : 0;
    operation->request =
        request_code ? decoder->coder.next_request - codes->request : VEF_NO_REQUEST;
    if (request_code)
        vef_decoder_named(decoder, operation->request);
    operation->ordinal = ordinal_code ? get_ordinal(decoder, codes, probe) : VEF_NO_ORDINAL;
    if (request_code == 3 || ordinal_code == 3 || !vef_is_number(operation->request) ||
        !vef_is_number(operation->ordinal))
        from->bad = true;
}

static vef_code get_operations(vef_decoder *decoder, vef_cursor *from, vef_decoded *known,
                               bool probe, vef_error *error) {
    uint32_t count = (uint32_t)vef_get_limited(
        from, (uint64_t)(from->end - from->next)); /* a byte each at least */
    const bool listed = count <= VEF_KNOWN_LISTED;
    if (!listed) {
        vef_code code = vef_grow_for(&decoder->operations, &decoder->operations_capacity, count,
                                     sizeof *decoder->operations, "the lists of an event", error);
        if (code)
            return code;
    }
    vef_operation *operations = listed ? known->operations : decoder->operations;
    vef_known_codes ignored;
    for (uint32_t i = 0; i < count && !from->bad; i++)
        get_operation(decoder, from, &operations[i], listed ? &known->codes[i] : &ignored, probe);
    known->event.operation_count = count;
    known->event.operations = operations;
    known->form = listed && !probe ? VEF_KNOWN_OPERATIONS : VEF_KNOWN_NOT;
    return VEF_OK;
}

static vef_code get_completions(vef_decoder *decoder, vef_cursor *from, vef_decoded *known,
                                vef_error *error) {
    uint32_t count = (uint32_t)vef_get_limited(from, VEF_LONGEST_LIST);
    known->form = count ? VEF_KNOWN_NOT : VEF_KNOWN_PLAIN;
    for (uint32_t i = 0; i < count && !from->bad;) {
        uint64_t word = vef_get_limited(from, (uint64_t)VEF_LONGEST_LIST << 2 | 3);
        uint32_t length = (uint32_t)(word >> 2);
        bool cancelled = word & 2, has_source = word & 1;
        known->codes[0].request = (uint64_t)vef_get_signed(from);
        uint64_t first = decoder->coder.next_request - known->codes[0].request;
        if (length == 0 || length > count - i) {
            from->bad = true;
            break;
        }
        if (first > (uint64_t)INT64_MAX - length)
            from->bad = true;
        vef_code code =
            vef_grow_for(&decoder->completions, &decoder->completions_capacity, (size_t)i + length,
                         sizeof *decoder->completions, "the lists of an event", error);
        if (code)
            return code;
        vef_fill_run(decoder, first, length, cancelled, decoder->completions + i);
        for (uint32_t k = i; has_source && k < i + length; k++) {
            decoder->completions[k].source = (int32_t)vef_get_signed(from);
            decoder->completions[k].tag = (int32_t)vef_get_signed(from);
            decoder->completions[k].bytes = vef_get_limited(from, INT64_MAX);
        }
        if (length == count && !has_source && !cancelled)
            known->form = VEF_KNOWN_RUN;
        i += length;
    }
    known->event.completion_count = count;
    known->event.completions = decoder->completions;
    return VEF_OK;
}

static vef_code get_name(vef_decoder *decoder, vef_cursor *from, vef_decoded *known,
                         vef_error *error) {
    size_t length = (size_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
    vef_code code = vef_grow_for(&decoder->name, &decoder->name_capacity, length + 1, 1,
                                 "the lists of an event", error);
    if (code)
        return code;
    if (length > (size_t)(from->end - from->next)) {
        from->bad = true;
        length = 0;
    }
    if (length && memchr(from->next, '\0', length))
        from->bad = true;
    memcpy(decoder->name, from->next, length);
    decoder->name[length] = '\0';
    from->next += length;
    known->event.name = decoder->name;
    known->form = VEF_KNOWN_NOT;
    return VEF_OK;
}

/* The fields of a kind; see put_fields of encode.c. */
static inline __attribute__((always_inline)) vef_code
get_fields(vef_decoder *decoder, vef_cursor *from, vef_decoded *known, const vef_kind kind,
           bool persistent, vef_error *error) {
    vef_event *event = &known->event;
    vef_code code = VEF_OK;
#define LIST(kinds, member, count, role, payload, ...)                                             \
    if ((kinds) >> kind & 1 && !code) {                                                            \
        GET_##payload(event, member, count)                                                        \
    }
#define FIELD(kinds, member, role, payload, ...) LIST(kinds, member, , role, payload)
#define LENGTH(kinds, member) LIST(kinds, member, , PLAIN, LENGTH)
#include "traces/fields.def"
    return code;
}

static vef_code get_payload(vef_decoder *decoder, vef_cursor *from, vef_decoded *known,
                            vef_error *error) {
    vef_event *event = &known->event;
    uint64_t call = vef_get_limited(from, UINT16_MAX);
    event->call = (uint16_t)(call - 1);
    if (call < 2 || !vef_call_is_held(event->call)) {
        from->bad = true;
        return VEF_OK;
    }
    uint64_t flags = vef_get_limited(from, (uint64_t)UINT16_MAX << 2 | 3);
    event->flags = (uint16_t)(flags >> 2);
    known->marks = flags & 3;
    if (decoder->sites)
        event->site = (uint32_t)vef_get_limited(from, UINT32_MAX);
    bool persistent = event->flags & VEF_CODED_PERSISTENT;
    if (event->flags & VEF_CODED_SERIES)
        known->marks |= VEF_MARK_SERIES;
    event->flags &= (uint16_t) ~(VEF_CODED_PERSISTENT | VEF_CODED_SERIES);
    from->bad = from->bad || (persistent && !vef_call_has(event->call, VEF_FACT_PERSISTENT)) ||
                (known->marks & VEF_MARK_SERIES && !(event->flags & VEF_EVENT_POLL));
    switch (vef_call_kind(event->call)) {
#define KIND(name)                                                                                 \
    case VEF_KIND_##name:                                                                          \
        return get_fields(decoder, from, known, VEF_KIND_##name, persistent, error);
        VEF_HELD_KINDS(KIND)
#undef KIND
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}

/* The next number of a column of times; `bit`: the position of its bits if times are split. */
static inline uint64_t get_time(vef_decoder *decoder, vef_cursor *from, uint64_t *bit) {
    if (!decoder->times.bits)
        return vef_get_varint(from);
    if (from->next < from->end)
        return vef_split_get(decoder->times.bits, bit, *from->next++);
    from->bad = true;
    return 0;
}

/* Whether a replay needs its duration: a poll, or a flush of a window. */
static bool has_wanted_duration(const vef_event *event) {
    return event->flags & VEF_EVENT_POLL || (vef_call_kind(event->call) == VEF_KIND_SYNC &&
                                             vef_call_sync(event->call) == VEF_SYNC_FLUSH);
}

/* The duration of an event; and of a poll the number of its calls and the computation in its
 * series. */
static void get_duration(vef_decoder *decoder, vef_event *event, unsigned marks) {
    vef_cursor *durations = &decoder->column[VEF_COLUMN_DURATION];
    uint64_t *bit = &decoder->times.duration;
    const bool poll = event->flags & VEF_EVENT_POLL;
    if (decoder->without_durations && !has_wanted_duration(event)) {
        decoder->unread_durations++;
        return;
    }
    for (; decoder->unread_durations > 0; decoder->unread_durations--)
        get_time(decoder, durations, bit);
    event->duration_ns = get_time(decoder, durations, bit);
    if (decoder->without_polls)
        event->duration_ns = 0;
    if (poll)
        event->repeats = get_time(decoder, durations, bit);
    if (marks & VEF_MARK_SERIES)
        event->series_ns = get_time(decoder, durations, bit);
}

bool vef_decoder_get_times(vef_decoder *decoder, vef_event *event, unsigned marks) {
    vef_cursor *gaps = &decoder->column[VEF_COLUMN_GAP];
    vef_cursor *durations = &decoder->column[VEF_COLUMN_DURATION];
    vef_cursor *ticks = &decoder->column[VEF_COLUMN_TICKS];
    vef_time_bits *times = &decoder->times;
    event->gap_ns = get_time(decoder, gaps, &times->gap) * decoder->gap_unit;
    if (marks & VEF_MARK_ODD_GAP)
        event->gap_ns += get_time(decoder, gaps, &times->gap);
    if (marks & VEF_MARK_OUTSIDE)
        event->outside_ns = get_time(decoder, gaps, &times->gap);
    get_duration(decoder, event, marks);
    event->entered = decoder->next_tick;
    event->left = event->entered + 1;
    if (decoder->ticks) {
        event->entered += (uint64_t)vef_get_signed(ticks);
        event->left = event->entered + 1 + (uint64_t)vef_get_signed(ticks);
    }
    decoder->next_tick = event->left + 1;
    /* no counter gets to 2^63 */
    return !((event->entered | event->left) >> 63) && !gaps->bad && !durations->bad && !ticks->bad;
}

static vef_code no_room(vef_error *error) {
    return vef_fail_memory(error, "a stream of events",
                           (VEF_LONG_CONTEXTS + VEF_SHORT_CONTEXTS) * sizeof(vef_predicted));
}

/* The place for one more known payload; NULL without memory. There is one decoder per task, so the
 * list grows only by little. */
static vef_decoded *next_place(vef_decoder *decoder) {
    if (decoder->known_next == VEF_MOST_KNOWN)
        decoder->known_next = 0;
    if (decoder->known_next == decoder->known_capacity) {
        const size_t capacity = decoder->known_capacity + KNOWN_STEP;
        vef_decoded *grown = vef_realloc(decoder->known, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        decoder->known = grown;
        decoder->known_capacity = capacity;
    }
    return &decoder->known[decoder->known_next];
}

/* Decodes the payload that begins at an offset of the payload column. `*known`: its place. */
static vef_code decode_payload(vef_decoder *decoder, vef_cursor *from, vef_decoded **known,
                               vef_error *error) {
    const uint32_t begin = (uint32_t)(from->next - decoder->payload) + 1;
    vef_decoded *slot = *known = next_place(decoder);
    if (!slot)
        return vef_fail_memory(error, "the last events of a stream",
                               (decoder->known_capacity + KNOWN_STEP) * sizeof *slot);
    const uint32_t peer_room = decoder->peer_room;
    slot->begin = 0;
    slot->form = VEF_KNOWN_PLAIN;
    slot->event = (vef_event){.thread = decoder->thread,
                              .new_comm = VEF_NO_COMM,
                              .comm = VEF_NO_COMM,
                              .root = -1,
                              .repeats = 1,
                              .request = VEF_NO_REQUEST};
    vef_code code = get_payload(decoder, from, slot, error);
    if (!code && decoder->out_of_memory)
        code = no_room(error);
    if (code || from->bad)
        return code;
    const uint8_t *payload = decoder->payload + begin - 1;
    slot->odd_times = slot->marks || has_wanted_duration(&slot->event);
    slot->length = (uint32_t)(from->next - payload);
    slot->hash = vef_payload_hash(payload, slot->length);
    const uint32_t number = (uint32_t)(slot - decoder->known);
    uint8_t *by_hash = &decoder->by_hash[slot->hash % VEF_KNOWN_HASHES];
    const vef_decoded *same = &decoder->known[*by_hash];
    if (*by_hash < decoder->known_used && same->begin && same->hash == slot->hash &&
        same->length == slot->length &&
        memcmp(decoder->payload + same->begin - 1, payload, slot->length) == 0) {
        learn(decoder, (vef_predicted){same->begin, *by_hash}, slot->hash);
        return VEF_OK;
    }
    learn(decoder, (vef_predicted){begin, number}, slot->hash);
    /* Its place is free for the next one unless it can be repeated; not if peers have moved. */
    if (slot->form == VEF_KNOWN_NOT || decoder->peer_room != peer_room)
        return VEF_OK;
    slot->begin = begin;
    *by_hash = (uint8_t)number;
    decoder->known_next = number + 1;
    if (decoder->known_used < decoder->known_next)
        decoder->known_used = decoder->known_next;
    return VEF_OK;
}

vef_code vef_decode_fail(vef_error *error) {
    return vef_fail(error, VEF_CORRUPT, "a block whose events do not decode");
}

static vef_code finish(vef_decoder *decoder, vef_decoded *known, bool bad, const vef_event **event,
                       vef_error *error) {
    decoder->next = (vef_predicted){0};
    if (bad || !vef_decoder_get_times(decoder, &known->event, known->marks))
        return vef_decode_fail(error);
    decoder->left--;
    decoder->next = vef_predict_next(decoder);
    *event = &known->event;
    return VEF_OK;
}

vef_code vef_decode_new(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD], from = *column;
    vef_decoded *known = NULL;
    *event = NULL;
    if (decoder->left == 0)
        return VEF_OK;
    if (decoder->out_of_memory)
        return no_room(error);
    const bool predicted = from.next < from.end && *from.next < 2;
    if (predicted) {
        const vef_predicted payload = vef_prediction(decoder, *from.next == 0);
        if (payload.begin == 0)
            return finish(decoder, NULL, true, event, error);
        from.next = decoder->payload + payload.begin - 1;
    }
    vef_code code = decode_payload(decoder, &from, &known, error);
    if (code)
        return code;
    column->next = predicted ? column->next + 1 : from.next;
    return finish(decoder, known, from.bad, event, error);
}

vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    if (!vef_decode_repeated(decoder, event))
        return vef_decode_new(decoder, event, error);
    return *event ? VEF_OK : vef_decode_fail(error);
}
