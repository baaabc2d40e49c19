/* Encoding events into the columns of a piece. See codec.h and FORMAT.md. */
#include "common/memory.h"
#include "traces/fields.h"
#include "traces/format/codec.h"

#include <assert.h>
#include <stdlib.h>

enum {
    EVENT_BYTES = 128, /* an event without its lists, at most */
    OPERATION_BYTES = 64,
    COMPLETION_BYTES = 48,
};

void vef_coder_restart(vef_coder *coder, uint64_t next_request) {
    const bool sites = coder->sites;
    memset(coder, 0, sizeof *coder);
    coder->next_request = next_request;
    coder->sites = sites;
}

/* The ordinal expected next with this peer. */
static uint64_t expected_ordinal(const vef_coder *coder, int32_t peer, bool send) {
    uint64_t key = vef_peer_key(peer, send);
    uint32_t slot = vef_peer_slot(key);
    return coder->peer[slot].key == key ? coder->peer[slot].next : 0;
}

static void saw_ordinal(vef_coder *coder, int32_t peer, bool send, uint64_t ordinal) {
    uint64_t key = vef_peer_key(peer, send);
    uint32_t slot = vef_peer_slot(key);
    coder->peer[slot].key = key;
    coder->peer[slot].next = ordinal + 1;
}

vef_code vef_encoder_init(vef_encoder *encoder, vef_error *error) {
    memset(encoder, 0, sizeof *encoder);
    encoder->gap_unit = 1;
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        encoder->column[i] = vef_malloc(VEF_COLUMN_CAPACITY);
        if (!encoder->column[i]) {
            vef_encoder_free(encoder);
            return vef_fail_memory(error, "a block of events", VEF_COLUMN_CAPACITY);
        }
        encoder->capacity[i] = VEF_COLUMN_CAPACITY;
    }
    return VEF_OK;
}

void vef_encoder_free(vef_encoder *encoder) {
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        if (encoder->column[i] != encoder->borrowed[i])
            free(encoder->column[i]);
        encoder->column[i] = NULL;
    }
}

void vef_encoder_borrow(vef_encoder *encoder, uint8_t *const columns[VEF_COLUMNS]) {
    assert(encoder->events == 0);
    vef_encoder_free(encoder);
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        encoder->column[i] = encoder->borrowed[i] = columns[i];
        encoder->capacity[i] = VEF_COLUMN_CAPACITY;
    }
}

vef_piece vef_encoder_piece(const vef_encoder *encoder, uint32_t task, uint32_t thread) {
    vef_piece piece = {.task = task,
                       .thread = thread,
                       .first_event = encoder->first_event,
                       .first_request = encoder->first_request,
                       .requests = encoder->coder.next_request - encoder->first_request,
                       .first_tick = encoder->first_tick,
                       .events = encoder->events};
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        piece.column_bytes[i] = (uint32_t)encoder->used[i];
    return piece;
}

void vef_encoder_restart(vef_encoder *encoder) {
    encoder->first_event += encoder->events;
    encoder->events = 0;
    encoder->first_request = encoder->coder.next_request;
    memset(encoder->used, 0, sizeof encoder->used);
    vef_coder_restart(&encoder->coder, encoder->coder.next_request);
    uint8_t *borrowed = encoder->borrowed[VEF_COLUMN_PAYLOAD];
    if (borrowed && encoder->column[VEF_COLUMN_PAYLOAD] != borrowed) {
        free(encoder->column[VEF_COLUMN_PAYLOAD]);
        encoder->column[VEF_COLUMN_PAYLOAD] = borrowed;
        encoder->capacity[VEF_COLUMN_PAYLOAD] = VEF_COLUMN_CAPACITY;
    }
}

void vef_encoder_renew(vef_encoder *encoder) {
    vef_encoder_restart(encoder);
    vef_coder_restart(&encoder->coder, 0);
    encoder->first_event = encoder->first_request = encoder->next_tick = 0;
}

static vef_code reserve(vef_encoder *encoder, const vef_event *event, vef_error *error) {
    size_t need =
        EVENT_BYTES + (size_t)event->operation_count * OPERATION_BYTES +
        (size_t)event->completion_count * COMPLETION_BYTES +
        ((size_t)event->send_count + event->receive_count + event->peer_count) * VEF_VARINT_BYTES +
        (event->name ? strlen(event->name) : 0);
    size_t wanted = encoder->used[VEF_COLUMN_PAYLOAD] + need;
    if (wanted <= encoder->capacity[VEF_COLUMN_PAYLOAD])
        return VEF_OK;
    if (wanted > UINT32_MAX / 2 || event->completion_count > VEF_LONGEST_LIST)
        return vef_fail(error, VEF_UNSUPPORTED, "an event with more lists than a block can hold");
    uint8_t *former = encoder->column[VEF_COLUMN_PAYLOAD];
    bool borrowed = former == encoder->borrowed[VEF_COLUMN_PAYLOAD];
    uint8_t *grown = vef_realloc(borrowed ? NULL : former, wanted);
    if (!grown)
        return vef_fail_memory(error, "a long event", wanted);
    if (borrowed)
        memcpy(grown, former, encoder->used[VEF_COLUMN_PAYLOAD]);
    encoder->column[VEF_COLUMN_PAYLOAD] = grown;
    encoder->capacity[VEF_COLUMN_PAYLOAD] = wanted;
    return VEF_OK;
}

/* The codings of fields.def: each advances `to`. */
#define PUT_NOT(from, ...)
#define PUT_CODED(from, ...)
#define PUT_NUMBER(from, member, ...) to = vef_put_varint(to, from->member);
#define PUT_INDEX PUT_NUMBER
#define PUT_SIGNED(from, member, ...) to = vef_put_signed(to, from->member);
#define PUT_SIGNED32 PUT_SIGNED
#define PUT_NEW_COMM(from, member, ...)                                                            \
    to = vef_put_varint(to, from->member == VEF_NO_COMM ? 0 : from->member + 1ull);
#define PUT_PERSISTENT(from, member, ...)                                                          \
    if (from->member)                                                                              \
        to = vef_put_varint(to, from->member);
#define PUT_REQUEST(from, member, ...)                                                             \
    if (vef_event_starts_request(from)) {                                                          \
        to = vef_put_signed(to, (int64_t)(coder->next_request - from->member));                    \
        vef_coder_named(coder, from->member);                                                      \
    }
#define PUT_ARGUMENT(from, member, ...)                                                            \
    to = vef_put_signed(to, vef_call_names_request(from->call)                                     \
                                ? (int64_t)(coder->next_request - (uint64_t)from->member)          \
                                : from->member);
#define PUT_COUNTS(from, member, count)                                                            \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        to = vef_put_varint(to, from->member[i]);
#define PUT_TASKS(from, member, count)                                                             \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        to = vef_put_signed(to, from->member[i]);
#define PUT_OPERATIONS(from, member, count)                                                        \
    to = vef_put_varint(to, from->count);                                                          \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        to = put_operation(coder, to, &from->member[i], kind == VEF_KIND_PROBE);
#define PUT_COMPLETIONS(from, ...) to = put_completions(coder, to, from);
#define PUT_NAME(from, member, ...) to = put_name(to, from->member);

static uint8_t *put_operation(vef_coder *coder, uint8_t *to, const vef_operation *operation,
                              bool probe) {
    bool send = operation->flags & VEF_OP_SEND;
    unsigned request_code = 0, ordinal_code = 0;
    uint64_t expected = 0;
    if (operation->request != VEF_NO_REQUEST)
        request_code = operation->request == coder->next_request ? 1 : 2;
    if (operation->ordinal != VEF_NO_ORDINAL) {
        expected = expected_ordinal(coder, operation->peer, send);
        ordinal_code = operation->ordinal == expected ? 1 : 2;
    }
    to = vef_put_varint(to, (uint64_t)operation->flags << 4 | request_code << 2 | ordinal_code);
#define OPERATION(member, role, payload, ...) PUT_##payload(operation, member)
#include "traces/fields.def"
    if (request_code == 2)
        to = vef_put_signed(to, (int64_t)(coder->next_request - operation->request));
    if (request_code)
        vef_coder_named(coder, operation->request);
    if (ordinal_code == 2)
        to = vef_put_signed(to, (int64_t)(operation->ordinal - expected));
    if (ordinal_code && !probe)
        saw_ordinal(coder, operation->peer, send, operation->ordinal);
    return to;
}

/* Consecutive requests are one run; the fields of a log are written only where present.
 */
static uint8_t *put_completions(vef_coder *coder, uint8_t *to, const vef_event *event) {
    to = vef_put_varint(to, event->completion_count);
    for (uint32_t i = 0; i < event->completion_count;) {
        const vef_completion *first = &event->completions[i];
        bool has_source = first->source != VEF_NO_TASK;
        uint32_t length = 1;
        while (i + length < event->completion_count) {
            const vef_completion *next = &first[length];
            if (next->request != first->request + length || next->cancelled != first->cancelled ||
                (next->source != VEF_NO_TASK) != has_source)
                break;
            length++;
        }
        to = vef_put_varint(to,
                            (uint64_t)length << 2 | (unsigned)first->cancelled << 1 | has_source);
        to = vef_put_signed(to, (int64_t)(coder->next_request - first->request));
        vef_coder_named(coder, first->request + length - 1);
        for (uint32_t k = 0; has_source && k < length; k++) {
            to = vef_put_signed(to, first[k].source);
            to = vef_put_signed(to, first[k].tag);
            to = vef_put_varint(to, first[k].bytes);
        }
        i += length;
    }
    return to;
}

static uint8_t *put_name(uint8_t *to, const char *name) {
    size_t length = name ? strlen(name) : 0;
    to = vef_put_varint(to, length);
    if (length)
        memcpy(to, name, length);
    return to + length;
}

/* The fields of a kind, which is a compile-time constant at every call, so that rows are not
 * searched at run time. */
static inline __attribute__((always_inline)) uint8_t *
put_fields(vef_coder *coder, uint8_t *to, const vef_event *event, const vef_kind kind) {
#define LIST(kinds, member, count, role, payload, ...)                                             \
    if ((kinds) >> kind & 1) {                                                                     \
        PUT_##payload(event, member, count)                                                        \
    }
#define FIELD(kinds, member, role, payload, ...) LIST(kinds, member, , role, payload)
#define LENGTH(kinds, member) LIST(kinds, member, , PLAIN, NUMBER)
#include "traces/fields.def"
    return to;
}

/* The most frequent event of a log, one operation, where all values but the bytes fit in one byte:
 * equals put_payload at a third of the instructions. NULL: not of this kind. */
static inline __attribute__((always_inline)) uint8_t *
put_short(vef_coder *coder, uint8_t *to, const vef_event *event, unsigned marks, const bool sites) {
    const vef_operation *operation = event->operations;
    if (event->operation_count != 1 || operation->ordinal != VEF_NO_ORDINAL)
        return NULL;
    bool starts = operation->request != VEF_NO_REQUEST;
    if (starts && operation->request != coder->next_request)
        return NULL;
    uint64_t call = event->call + 1u, flags = (uint64_t)event->flags << 2 | marks;
    uint64_t coded = (uint64_t)operation->flags << 4 | (uint64_t)starts << 2;
    uint64_t peer = vef_zigzag(operation->peer), tag = vef_zigzag(operation->tag);
    if ((call | flags | coded | peer | tag | operation->comm | (sites ? event->site : 0)) >= 0x80)
        return NULL;
    coder->next_request += starts;
    if (sites) {
        vef_put_u64(to, call | flags << 8 | (uint64_t)event->site << 16 | UINT64_C(1) << 24 |
                            coded << 32 | peer << 40 | tag << 48 | (uint64_t)operation->comm << 56);
        return vef_put_varint(to + 8, operation->bytes);
    }
    vef_put_u64(to, call | flags << 8 | UINT64_C(1) << 16 | coded << 24 | peer << 32 | tag << 40 |
                        (uint64_t)operation->comm << 48);
    return vef_put_varint(to + 7, operation->bytes);
}

static uint8_t *put_payload(vef_coder *coder, uint8_t *to, const vef_event *event, unsigned marks) {
    uint64_t flags = event->flags | (event->persistent ? VEF_CODED_PERSISTENT : 0u) |
                     (marks & VEF_MARK_SERIES ? VEF_CODED_SERIES : 0u);
    to = vef_put_varint(to, event->call + 1u);
    to = vef_put_varint(to, flags << 2 | (marks & 3));
    if (coder->sites)
        to = vef_put_varint(to, event->site);
    switch (vef_call_kind(event->call)) {
#define KIND(name)                                                                                 \
    case VEF_KIND_##name:                                                                          \
        return put_fields(coder, to, event, VEF_KIND_##name);
        VEF_HELD_KINDS(KIND)
#undef KIND
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return to;
}

/* Most pieces have no gaps in their ticks and leave this column empty; at the first gap, earlier
 * events are filled in. */
static void put_ticks(vef_encoder *encoder, const vef_event *event) {
    if (encoder->events == 0)
        encoder->first_tick = encoder->next_tick = event->entered;
    size_t *used = &encoder->used[VEF_COLUMN_TICKS];
    uint8_t *column = encoder->column[VEF_COLUMN_TICKS];
    if (*used > 0 || event->entered != encoder->next_tick || event->left != event->entered + 1) {
        if (*used == 0) {
            *used = 2 * (size_t)encoder->events;
            memset(column, 0, *used);
        }
        uint8_t *to = column + *used;
        to = vef_put_signed(to, (int64_t)(event->entered - encoder->next_tick));
        to = vef_put_signed(to, (int64_t)(event->left - event->entered - 1));
        *used = (size_t)(to - column);
    }
    encoder->next_tick = event->left + 1;
}

static void put_times(vef_encoder *encoder, const vef_event *event, unsigned marks) {
    uint8_t *gap = encoder->column[VEF_COLUMN_GAP] + encoder->used[VEF_COLUMN_GAP], *after;
    after = vef_put_varint(gap, encoder->gap_unit == 1 ? event->gap_ns
                                                       : event->gap_ns / encoder->gap_unit);
    if (marks & VEF_MARK_ODD_GAP)
        after = vef_put_varint(after, event->gap_ns % encoder->gap_unit);
    if (marks & VEF_MARK_OUTSIDE)
        after = vef_put_varint(after, event->outside_ns);
    encoder->used[VEF_COLUMN_GAP] += (size_t)(after - gap);
    uint8_t *duration = encoder->column[VEF_COLUMN_DURATION] + encoder->used[VEF_COLUMN_DURATION];
    after = vef_put_varint(duration, event->duration_ns);
    if (event->flags & VEF_EVENT_POLL)
        after = vef_put_varint(after, event->repeats);
    if (marks & VEF_MARK_SERIES)
        after = vef_put_varint(after, event->series_ns);
    encoder->used[VEF_COLUMN_DURATION] += (size_t)(after - duration);
}

/* Whether two payloads of equal length are equal, eight bytes at a time: reads up to seven bytes
 * beyond them, for which `reserve` provides room. */
static bool same(const uint8_t *one, const uint8_t *other, size_t length) {
    for (; length >= 8; one += 8, other += 8, length -= 8)
        if (vef_get_u64(one) != vef_get_u64(other))
            return false;
    return length == 0 || (vef_get_u64(one) ^ vef_get_u64(other)) << (64 - 8 * length) == 0;
}

vef_code vef_encode(vef_encoder *encoder, const vef_event *event, vef_error *error) {
    assert(vef_call_is_held(event->call));
    vef_code code = reserve(encoder, event, error);
    if (code)
        return code;
    vef_coder *coder = &encoder->coder;
    uint8_t *column = encoder->column[VEF_COLUMN_PAYLOAD];
    uint32_t offset = (uint32_t)encoder->used[VEF_COLUMN_PAYLOAD];
    unsigned marks = event->outside_ns != 0 ? VEF_MARK_OUTSIDE : 0;
    if (encoder->gap_unit != 1 && event->gap_ns % encoder->gap_unit != 0)
        marks |= VEF_MARK_ODD_GAP;
    if (event->flags & VEF_EVENT_POLL && event->series_ns > 0)
        marks |= VEF_MARK_SERIES;
    uint8_t *end = coder->sites ? put_short(coder, column + offset, event, marks, true)
                                : put_short(coder, column + offset, event, marks, false);
    if (!end)
        end = put_payload(coder, column + offset, event, marks);
    vef_payload_place place = {offset, (uint32_t)(end - (column + offset)), 0};
    const vef_payload_place *guess[2] = {vef_coder_long(coder), vef_coder_short(coder)};
    encoder->used[VEF_COLUMN_PAYLOAD] = offset + place.length;
    for (unsigned i = 0; i < 2; i++) {
        if (guess[i]->length == place.length &&
            same(column + guess[i]->offset, column + offset, place.length)) {
            place = *guess[i];
            column[offset] = (uint8_t)i;
            encoder->used[VEF_COLUMN_PAYLOAD] = offset + 1;
            break;
        }
    }
    vef_coder_learn(coder, column, place);
    put_times(encoder, event, marks);
    put_ticks(encoder, event);
    encoder->events++;
    return VEF_OK;
}
