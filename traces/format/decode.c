/* Decoding the events of a piece. The bytes passed a checksum, but are not trusted: every read is
 * bounded, and allocations are bounded by the available bytes. See codec.h. */
#include "traces/fields.h"
#include "traces/format/repeat.h"

#define PUT(list, count) vef_store_put(decoder->store, decoder->list, count, sizeof *decoder->list)
#define PUT_LIST(list) PUT(list, decoder->list##_capacity)

void vef_decoder_free(vef_decoder *decoder) {
    const size_t contexts = decoder->context_mask ? decoder->context_mask + (size_t)1 : 0;
    PUT(contexts, contexts);
    PUT(peer, decoder->peer_room);
    PUT_LIST(known);
    PUT_LIST(second);
    PUT_LIST(more);
    PUT_LIST(completions);
    PUT_LIST(send_bytes);
    PUT_LIST(receive_bytes);
    PUT_LIST(peers);
    PUT_LIST(name);
    *decoder = (vef_decoder){.store = decoder->store};
}

/* ---- prediction ---- */

enum {
    LEAST_KNOWN = 8,     /* known payloads that their list first has room for */
    LEAST_CONTEXTS = 32, /* of a table */
};

/* The codes of an operation. */
typedef struct operation_codes {
    uint64_t request, ordinal; /* as in vef_known_operation */
    uint32_t place;            /* likewise */
    bool has_request, has_ordinal;
} operation_codes;

/* What the bytes of a payload say beside the event. */
typedef struct payload_codes {
    vef_known_form form;
    unsigned marks;
    operation_codes operations[VEF_KNOWN_LISTED];
    uint64_t request; /* request counter - the request that is started, or the first completed */
    bool starts;      /* a request */
} payload_codes;

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
    decoder->peer_count = decoder->context_count = 0;
    if (decoder->context_mask)
        memset(decoder->contexts, 0,
               (decoder->context_mask + (size_t)1) * sizeof *decoder->contexts);
    decoder->usual = false;
    forget_known(decoder);
    if (decoder->peer_room == VEF_PEER_ENTRIES)
        memset(decoder->peer, 0, VEF_PEER_ENTRIES * sizeof *decoder->peer);
}

/* A table of twice the length; false without memory. */
static bool grow_contexts(vef_decoder *decoder) {
    const vef_decoder old = *decoder;
    const uint32_t length = old.context_mask ? 2 * (old.context_mask + 1) : LEAST_CONTEXTS;
    vef_predicted *grown = vef_store_take(old.store, length, sizeof *grown);
    if (!grown)
        return false;
    decoder->contexts = grown;
    decoder->context_mask = length - 1;
    for (uint32_t i = 0; old.context_mask && i <= old.context_mask; i++)
        if (old.contexts[i].context != 0)
            *vef_context_place(decoder, old.contexts[i].context - 1u) = old.contexts[i];
    vef_store_put(old.store, old.contexts, length / 2, sizeof *grown);
    return true;
}

void vef_decoder_add_context(vef_decoder *decoder, uint32_t context, vef_predicted payload) {
    if (4 * decoder->context_count >= 3 * decoder->context_mask && !grow_contexts(decoder)) {
        decoder->out_of_memory = true;
        return;
    }
    decoder->context_count++;
    *vef_context_place(decoder, context) =
        (vef_predicted){payload.begin, (uint16_t)(context + 1), payload.known};
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
        vef_peer_entry *grown = vef_store_take(decoder->store, room, sizeof *grown);
        if (!grown) {
            decoder->out_of_memory = true;
            return NULL;
        }
        for (uint32_t i = 0; i < decoder->peer_count; i++)
            grown[table ? vef_peer_slot(decoder->peer[i].key) : i] = decoder->peer[i];
        PUT(peer, decoder->peer_room);
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
    decoder->ticks = !decoder->without_ticks && piece->column_bytes[VEF_COLUMN_TICKS] > 0;
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

static vef_code grow_list(vef_decoder *decoder, void *list, size_t *room, size_t needed,
                          size_t item_bytes, vef_error *error) {
    return vef_store_grow(decoder->store, list, room, needed, item_bytes)
               ? VEF_OK
               : vef_fail_memory(error, "the lists of an event", needed * item_bytes);
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
        codes->request = (uint64_t)vef_get_signed(from);                                           \
        codes->starts = true;                                                                      \
        to->member = decoder->coder.next_request - codes->request;                                 \
        vef_decoder_named(decoder, to->member);                                                    \
        from->bad = from->bad || !vef_is_number(to->member);                                       \
    }
#define GET_ARGUMENT(to, member, ...)                                                              \
    to->member = vef_get_signed(from);                                                             \
    if (vef_call_names_request(to->call)) {                                                        \
        to->member = (int64_t)(decoder->coder.next_request - (uint64_t)to->member);                \
        codes->form = VEF_KNOWN_NOT;                                                               \
    }
/* At least a byte each. */
#define GET_LENGTH(to, member, ...)                                                                \
    to->member = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
#define GET_LIST(to, member, count, get)                                                           \
    code = grow_list(decoder, &decoder->member, &decoder->member##_capacity, to->count,            \
                     sizeof *decoder->member, error);                                              \
    for (uint32_t i = 0; !code && i < to->count; i++)                                              \
        decoder->member[i] = get;                                                                  \
    to->member = to->count ? decoder->member : NULL;                                               \
    codes->form = to->count ? VEF_KNOWN_NOT : codes->form;
#define GET_COUNTS(to, member, count) GET_LIST(to, member, count, vef_get_limited(from, INT64_MAX))
#define GET_TASKS(to, member, count) GET_LIST(to, member, count, (int32_t)vef_get_signed(from))
#define GET_OPERATIONS(to, ...)                                                                    \
    code = get_operations(decoder, from, codes, kind == VEF_KIND_PROBE, error);
#define GET_COMPLETIONS(to, ...) code = get_completions(decoder, from, codes, error);
#define GET_NAME(to, ...) code = get_name(decoder, from, codes, error);

static uint64_t get_ordinal(vef_decoder *decoder, const vef_operation *operation,
                            operation_codes *codes, bool probe) {
    const uint64_t key = vef_peer_key(operation->peer, operation->flags & VEF_OP_SEND);
    vef_peer_entry *entry = find_peer(decoder, key);
    if (!entry && probe)
        return codes->ordinal;
    if (!entry)
        entry = add_peer(decoder, key);
    if (!entry)
        return 0;
    codes->place = (uint32_t)(entry - decoder->peer);
    return vef_next_ordinal(entry, key, codes->ordinal, probe);
}

static void get_operation(vef_decoder *decoder, vef_cursor *from, vef_operation *operation,
                          operation_codes *codes, bool probe) {
    uint64_t word = vef_get_limited(from, (uint64_t)UINT16_MAX << 4 | 15);
    unsigned request_code = word >> 2 & 3, ordinal_code = word & 3;
    operation->flags = (uint16_t)(word >> 4);
#define OPERATION(member, role, payload, ...) GET_##payload(operation, member)
#include "traces/fields.def"
    codes->has_request = request_code;
    codes->has_ordinal = ordinal_code;
    codes->request = request_code == 2 ? (uint64_t)vef_get_signed(from) : 0;
    codes->ordinal = ordinal_code == 2 ? (uint64_t)vef_get_signed(from) : 0;
    operation->request =
        request_code ? decoder->coder.next_request - codes->request : VEF_NO_REQUEST;
    if (request_code)
        vef_decoder_named(decoder, operation->request);
    operation->ordinal =
        ordinal_code ? get_ordinal(decoder, operation, codes, probe) : VEF_NO_ORDINAL;
    if (request_code == 3 || ordinal_code == 3 || !vef_is_number(operation->request) ||
        !vef_is_number(operation->ordinal))
        from->bad = true;
}

static vef_code get_operations(vef_decoder *decoder, vef_cursor *from, payload_codes *codes,
                               bool probe, vef_error *error) {
    uint32_t count = (uint32_t)vef_get_limited(
        from, (uint64_t)(from->end - from->next)); /* a byte each at least */
    const bool listed = count <= VEF_KNOWN_LISTED;
    if (!listed) {
        vef_code code = grow_list(decoder, &decoder->more, &decoder->more_capacity, count,
                                  sizeof *decoder->more, error);
        if (code)
            return code;
    }
    vef_operation *operations = listed ? decoder->operations : decoder->more;
    operation_codes ignored;
    for (uint32_t i = 0; i < count && !from->bad; i++)
        get_operation(decoder, from, &operations[i], listed ? &codes->operations[i] : &ignored,
                      probe);
    decoder->event.operation_count = count;
    decoder->event.operations = operations;
    if (probe || !listed)
        codes->form = VEF_KNOWN_NOT;
    else if (count > 0)
        codes->form = VEF_KNOWN_OPERATIONS;
    return VEF_OK;
}

static vef_code get_completions(vef_decoder *decoder, vef_cursor *from, payload_codes *codes,
                                vef_error *error) {
    uint32_t count = (uint32_t)vef_get_limited(from, VEF_LONGEST_LIST);
    codes->form = count ? VEF_KNOWN_NOT : VEF_KNOWN_FIELDS;
    for (uint32_t i = 0; i < count && !from->bad;) {
        uint64_t word = vef_get_limited(from, (uint64_t)VEF_LONGEST_LIST << 2 | 3);
        uint32_t length = (uint32_t)(word >> 2);
        bool cancelled = word & 2, has_source = word & 1;
        codes->request = (uint64_t)vef_get_signed(from);
        uint64_t first = decoder->coder.next_request - codes->request;
        if (length == 0 || length > count - i) {
            from->bad = true;
            break;
        }
        if (first > (uint64_t)INT64_MAX - length)
            from->bad = true;
        vef_code code = grow_list(decoder, &decoder->completions, &decoder->completions_capacity,
                                  (size_t)i + length, sizeof *decoder->completions, error);
        if (code)
            return code;
        vef_fill_run(decoder, first, length, cancelled, decoder->completions + i);
        for (uint32_t k = i; has_source && k < i + length; k++) {
            decoder->completions[k].source = (int32_t)vef_get_signed(from);
            decoder->completions[k].tag = (int32_t)vef_get_signed(from);
            decoder->completions[k].bytes = vef_get_limited(from, INT64_MAX);
        }
        if (length == count && !has_source && !cancelled)
            codes->form = VEF_KNOWN_RUN;
        i += length;
    }
    decoder->event.completion_count = count;
    decoder->event.completions = decoder->completions;
    return VEF_OK;
}

static vef_code get_name(vef_decoder *decoder, vef_cursor *from, payload_codes *codes,
                         vef_error *error) {
    size_t length = (size_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
    vef_code code =
        grow_list(decoder, &decoder->name, &decoder->name_capacity, length + 1, 1, error);
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
    decoder->event.name = decoder->name;
    codes->form = VEF_KNOWN_NOT;
    return VEF_OK;
}

/* The fields of a kind; see put_fields of encode.c. */
static inline __attribute__((always_inline)) vef_code
get_fields(vef_decoder *decoder, vef_cursor *from, payload_codes *codes, const vef_kind kind,
           bool persistent, vef_error *error) {
    vef_event *event = &decoder->event;
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

static vef_code get_payload(vef_decoder *decoder, vef_cursor *from, payload_codes *codes,
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
    codes->marks = flags & 3;
    if (decoder->sites)
        event->site = (uint32_t)vef_get_limited(from, UINT32_MAX);
    bool persistent = event->flags & VEF_CODED_PERSISTENT;
    if (event->flags & VEF_CODED_SERIES)
        codes->marks |= VEF_MARK_SERIES;
    event->flags &= (uint16_t) ~(VEF_CODED_PERSISTENT | VEF_CODED_SERIES);
    from->bad = from->bad || (persistent && !vef_call_has(event->call, VEF_FACT_PERSISTENT)) ||
                (codes->marks & VEF_MARK_SERIES && !(event->flags & VEF_EVENT_POLL));
    switch (vef_call_kind(event->call)) {
#define KIND(name)                                                                                 \
    case VEF_KIND_##name:                                                                          \
        return get_fields(decoder, from, codes, VEF_KIND_##name, persistent, error);
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
    const bool wanted = has_wanted_duration(event);
    if (marks || wanted)
        decoder->usual = false;
    if (decoder->without_durations && !wanted) {
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

bool vef_decoder_get_times(vef_decoder *decoder, unsigned marks) {
    vef_event *event = &decoder->event;
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

static vef_code no_room(const vef_decoder *decoder, vef_error *error) {
    return vef_fail_memory(error, "a stream of events",
                           2 * (decoder->context_mask + (size_t)1) * sizeof(vef_predicted));
}

/* The place for one more known payload; NULL without memory. */
static vef_decoded *next_place(vef_decoder *decoder) {
    if (decoder->known_next == VEF_MOST_KNOWN)
        decoder->known_next = 0;
    const size_t wanted = decoder->known_next ? decoder->known_next + 1u : LEAST_KNOWN;
    return vef_store_grow(decoder->store, &decoder->known, &decoder->known_capacity, wanted,
                          sizeof *decoder->known)
               ? &decoder->known[decoder->known_next]
               : NULL;
}

/* Notes an operation; false if its numbers are too great. */
static bool keep_operation(const vef_operation *operation, const operation_codes *codes,
                           vef_known_operation *known) {
    *known = (vef_known_operation){.bytes = operation->bytes,
                                   .peer = operation->peer,
                                   .tag = operation->tag,
                                   .comm = operation->comm,
                                   .request = (uint32_t)codes->request,
                                   .ordinal = (uint32_t)codes->ordinal,
                                   .flags = operation->flags,
                                   .place = (uint8_t)codes->place,
                                   .has_request = codes->has_request,
                                   .has_ordinal = codes->has_ordinal};
    return known->request == codes->request && known->ordinal == codes->ordinal;
}

static bool keep_operations(vef_decoder *decoder, const payload_codes *codes, vef_decoded *known) {
    const size_t number = (size_t)(known - decoder->known);
    known->two = decoder->event.operation_count > 1;
    if (known->two && !vef_store_grow(decoder->store, &decoder->second, &decoder->second_capacity,
                                      number + 1, sizeof *decoder->second))
        decoder->out_of_memory = true;
    return !decoder->out_of_memory &&
           keep_operation(&decoder->operations[0], &codes->operations[0], &known->operation) &&
           (!known->two || keep_operation(&decoder->operations[1], &codes->operations[1],
                                          &decoder->second[number]));
}

/* Notes what repetitions of the payload of the decoder's event need; false: there can be none. */
static bool keep(vef_decoder *decoder, const payload_codes *codes, vef_decoded *known) {
    const vef_event *event = &decoder->event;
    known->call = event->call;
    known->flags = event->flags;
    known->site = event->site;
    known->form = (uint8_t)codes->form;
    known->marks = (uint8_t)codes->marks;
    known->odd_times = codes->marks || has_wanted_duration(event);
    known->two = false;
    known->starts = codes->starts;
    if (codes->form == VEF_KNOWN_OPERATIONS)
        return keep_operations(decoder, codes, known);
    if (codes->request > UINT32_MAX)
        return false;
    if (codes->form == VEF_KNOWN_RUN) {
        known->run.count = event->completion_count;
        known->run.request = (uint32_t)codes->request;
    } else {
        known->fields.comm = event->comm;
        known->fields.new_comm = event->new_comm;
        known->fields.persistent = event->persistent;
        known->fields.request = (uint32_t)codes->request;
        known->fields.root = event->root;
        known->fields.bytes = event->bytes;
        known->fields.other = vef_call_kind(event->call) == VEF_KIND_COLLECTIVE
                                  ? event->elements
                                  : (uint64_t)event->argument;
    }
    return codes->form != VEF_KNOWN_NOT;
}

/* Decodes the payload that begins at an offset of the payload column. */
static vef_code decode_payload(vef_decoder *decoder, vef_cursor *from, unsigned *marks,
                               vef_error *error) {
    const uint8_t *payload = from->next;
    const uint32_t begin = (uint32_t)(payload - decoder->payload) + 1;
    const uint32_t peer_room = decoder->peer_room;
    payload_codes codes = {0};
    decoder->event = (vef_event){.thread = decoder->thread,
                                 .new_comm = VEF_NO_COMM,
                                 .comm = VEF_NO_COMM,
                                 .root = -1,
                                 .repeats = 1,
                                 .request = VEF_NO_REQUEST};
    decoder->usual = false;
    vef_code code = get_payload(decoder, from, &codes, error);
    *marks = codes.marks;
    if (!code && decoder->out_of_memory)
        code = no_room(decoder, error);
    if (code || from->bad)
        return code;
    vef_decoded *slot = next_place(decoder);
    if (!slot)
        return vef_fail_memory(error, "the last events of a stream",
                               2 * decoder->known_capacity * sizeof *slot);
    const size_t length = (size_t)(from->next - payload);
    const uint64_t hash = vef_payload_hash(payload, length);
    const uint16_t number = (uint16_t)(slot - decoder->known);
    uint8_t *by_hash = &decoder->by_hash[hash % VEF_KNOWN_HASHES];
    const vef_decoded *same = &decoder->known[*by_hash];
    slot->begin = 0;
    if (*by_hash < decoder->known_used && same->begin && same->hash == hash &&
        same->length == length &&
        memcmp(decoder->payload + same->begin - 1, payload, length) == 0) {
        learn(decoder, (vef_predicted){same->begin, 0, *by_hash}, hash);
        return VEF_OK;
    }
    learn(decoder, (vef_predicted){begin, 0, number}, hash);
    /* Its place is free for the next one unless it can be repeated; not if peers have moved. */
    if (length > UINT8_MAX || decoder->peer_room != peer_room || !keep(decoder, &codes, slot))
        return VEF_OK;
    slot->begin = begin;
    slot->hash = hash;
    slot->length = (uint8_t)length;
    *by_hash = (uint8_t)number;
    decoder->known_next = number + 1u;
    if (decoder->known_used < decoder->known_next)
        decoder->known_used = decoder->known_next;
    return VEF_OK;
}

vef_code vef_decode_fail(vef_error *error) {
    return vef_fail(error, VEF_CORRUPT, "a block whose events do not decode");
}

static vef_code finish(vef_decoder *decoder, bool bad, unsigned marks, const vef_event **event,
                       vef_error *error) {
    decoder->next = (vef_predicted){0};
    if (bad || !vef_decoder_get_times(decoder, marks))
        return vef_decode_fail(error);
    decoder->left--;
    decoder->next = vef_predict_next(decoder);
    *event = &decoder->event;
    return VEF_OK;
}

vef_code vef_decode_new(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD], from = *column;
    unsigned marks = 0;
    *event = NULL;
    if (decoder->left == 0)
        return VEF_OK;
    if (decoder->out_of_memory)
        return no_room(decoder, error);
    const bool predicted = from.next < from.end && *from.next < 2;
    if (predicted) {
        const vef_predicted payload = vef_prediction(decoder, *from.next == 0);
        if (payload.begin == 0)
            return finish(decoder, true, marks, event, error);
        from.next = decoder->payload + payload.begin - 1;
    }
    vef_code code = decode_payload(decoder, &from, &marks, error);
    if (code)
        return code;
    column->next = predicted ? column->next + 1 : from.next;
    return finish(decoder, from.bad, marks, event, error);
}

vef_code vef_decode(vef_decoder *decoder, const vef_event **event, vef_error *error) {
    if (!vef_decode_repeated(decoder, event))
        return vef_decode_new(decoder, event, error);
    return *event ? VEF_OK : vef_decode_fail(error);
}
