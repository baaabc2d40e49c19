/* The fast path of decoding: an event whose payload a context predicts, and which is known
 * (codec.h). Inline, since a replay spends much of its time here. */
#ifndef VEF_TRACES_FORMAT_REPEAT_H
#define VEF_TRACES_FORMAT_REPEAT_H

#include "traces/format/codec.h"

/* ---- decode.c ---- */

/* The prediction of a context that has none yet; without memory sets `out_of_memory`. */
void vef_decoder_add_context(vef_decoder *decoder, uint32_t context, vef_predicted payload);
/* The times of an event. False if its columns of times and ticks are at fault. */
bool vef_decoder_get_times(vef_decoder *decoder, unsigned marks);
/* The next event if vef_decode_repeated has none: NULL after the last. */
vef_code vef_decode_new(vef_decoder *decoder, const vef_event **event, vef_error *error);
/* Reports that events do not decode. */
vef_code vef_decode_fail(vef_error *error);

/* ---- prediction ---- */

static inline uint32_t vef_long_context(const vef_decoder *decoder) {
    return vef_long_index(decoder->coder.last_hash, decoder->coder.before_hash);
}

static inline uint32_t vef_short_context(const vef_decoder *decoder) {
    return VEF_LONG_CONTEXTS + vef_short_index(decoder->coder.last_hash);
}

/* The place of a context in the table, or the free place for it; there must be a table. Numbers of
 * contexts are bits of a hash. */
static inline vef_predicted *vef_context_place(const vef_decoder *decoder, uint32_t context) {
    uint32_t place = context & decoder->context_mask, found;
    while ((found = decoder->contexts[place].context) != context + 1 && found != 0)
        place = (place + 1) & decoder->context_mask;
    return &decoder->contexts[place];
}

/* The prediction of the long or the short context; empty if none. */
static inline vef_predicted vef_prediction(const vef_decoder *decoder, bool is_long) {
    const uint32_t context = is_long ? vef_long_context(decoder) : vef_short_context(decoder);
    return decoder->context_mask ? *vef_context_place(decoder, context) : (vef_predicted){0};
}

static inline vef_predicted vef_predict_next(const vef_decoder *decoder) {
    const vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD];
    return decoder->left > 0 && column->next < column->end && *column->next < 2
               ? vef_prediction(decoder, *column->next == 0)
               : (vef_predicted){0};
}

static inline void vef_set_prediction(vef_decoder *decoder, uint32_t context,
                                      vef_predicted payload) {
    vef_predicted *place = decoder->context_mask ? vef_context_place(decoder, context) : NULL;
    if (place && place->context != 0)
        *place = (vef_predicted){payload.begin, place->context, payload.known};
    else
        vef_decoder_add_context(decoder, context, payload);
}

static inline void vef_enter_context(vef_decoder *decoder, uint64_t hash) {
    decoder->coder.before_hash = decoder->coder.last_hash;
    decoder->coder.last_hash = hash;
}

/* ---- numbers ---- */

/* The same as vef_coder_named. */
static inline void vef_decoder_named(vef_decoder *decoder, uint64_t request) {
    if (request >= decoder->coder.next_request)
        decoder->coder.next_request = request + 1;
}

/* Numbers of requests and messages are counts: below 2^63, or UINT64_MAX for none. */
static inline bool vef_is_number(uint64_t value) {
    return value <= INT64_MAX || value == UINT64_MAX;
}

/* The ordinal of the next message with the peer of a key: `code` more than is expected. Sets the
 * entry of the table, except for a probe. */
static inline uint64_t vef_next_ordinal(vef_peer_entry *entry, uint64_t key, uint64_t code,
                                        bool probe) {
    const uint64_t ordinal = (entry->key == key ? entry->next : 0) + code;
    if (!probe)
        *entry = (vef_peer_entry){key, ordinal + 1};
    return ordinal;
}

static inline void vef_fill_run(vef_decoder *decoder, uint64_t first, uint32_t length,
                                bool cancelled, vef_completion *completions) {
    vef_decoder_named(decoder, first + length - 1);
    for (uint32_t k = 0; k < length; k++)
        completions[k] = (vef_completion){first + k, cancelled, VEF_NO_TASK, 0, 0};
}

/* ---- events ---- */

/* All fields of the event but its lists and times, of a known payload of the form FIELDS, or else
 * with their usual values. */
static inline void vef_show_fields(vef_decoder *decoder, const vef_decoded *known) {
    const bool has = known->form == VEF_KNOWN_FIELDS;
    const bool counts = vef_call_kind(known->call) == VEF_KIND_COLLECTIVE;
    decoder->event = (vef_event){
        .call = known->call,
        .flags = known->flags,
        .thread = decoder->thread,
        .site = known->site,
        .repeats = 1,
        .comm = has ? known->fields.comm : VEF_NO_COMM,
        .new_comm = has ? known->fields.new_comm : VEF_NO_COMM,
        .root = has ? known->fields.root : -1,
        .request = VEF_NO_REQUEST,
        .persistent = has ? known->fields.persistent : 0,
        .bytes = has ? known->fields.bytes : 0,
        .elements = has && counts ? known->fields.other : 0,
        .argument = has && !counts ? (int64_t)known->fields.other : 0,
    };
    decoder->usual = !has;
}

static inline bool vef_show_operation(vef_decoder *decoder, const vef_known_operation *known,
                                      vef_operation *operation) {
    *operation = (vef_operation){.flags = known->flags,
                                 .peer = known->peer,
                                 .tag = known->tag,
                                 .comm = known->comm,
                                 .bytes = known->bytes,
                                 .ordinal = VEF_NO_ORDINAL,
                                 .request = VEF_NO_REQUEST};
    if (known->has_request) {
        operation->request = decoder->coder.next_request - known->request;
        vef_decoder_named(decoder, operation->request);
    }
    if (known->has_ordinal)
        operation->ordinal = vef_next_ordinal(&decoder->peer[known->place],
                                              vef_peer_key(known->peer, known->flags & VEF_OP_SEND),
                                              known->ordinal, false);
    return vef_is_number(operation->request) && vef_is_number(operation->ordinal);
}

/* Makes the event of a known payload, but for its times; false if its numbers are out of range. */
static inline bool vef_show(vef_decoder *decoder, const vef_decoded *known) {
    vef_event *event = &decoder->event;
    bool good = true;
    if (known->form == VEF_KNOWN_FIELDS || !decoder->usual) {
        vef_show_fields(decoder, known);
    } else {
        event->call = known->call;
        event->flags = known->flags;
        event->site = known->site;
        event->operation_count = event->completion_count = 0;
    }
    if (known->form == VEF_KNOWN_OPERATIONS) {
        event->operation_count = 1u + known->two;
        event->operations = decoder->operations;
        good = vef_show_operation(decoder, &known->operation, &decoder->operations[0]);
        if (known->two)
            good = vef_show_operation(decoder, &decoder->second[known - decoder->known],
                                      &decoder->operations[1]) &&
                   good;
    } else if (known->form == VEF_KNOWN_RUN) {
        const uint64_t first = decoder->coder.next_request - known->run.request;
        event->completion_count = known->run.count;
        event->completions = decoder->completions;
        good = first <= (uint64_t)INT64_MAX - known->run.count;
        vef_fill_run(decoder, first, known->run.count, false, decoder->completions);
    } else if (known->starts) {
        event->request = decoder->coder.next_request - known->fields.request;
        vef_decoder_named(decoder, event->request);
        good = vef_is_number(event->request);
    }
    return good;
}

/* The same as vef_decoder_get_times, with less work in the most frequent case. */
static inline bool vef_decoder_get_frequent_times(vef_decoder *decoder, const vef_decoded *known) {
    vef_cursor *gaps = &decoder->column[VEF_COLUMN_GAP];
    vef_cursor *durations = &decoder->column[VEF_COLUMN_DURATION];
    vef_time_bits *times = &decoder->times;
    vef_event *event = &decoder->event;
    if (!decoder->only_split || known->odd_times || gaps->next >= gaps->end)
        return vef_decoder_get_times(decoder, known->marks);
    event->gap_ns = vef_split_get(times->bits, &times->gap, *gaps->next++) * decoder->gap_unit;
    if (decoder->without_durations)
        decoder->unread_durations++;
    else if (durations->next < durations->end)
        event->duration_ns = vef_split_get(times->bits, &times->duration, *durations->next++);
    else
        return false;
    event->entered = decoder->next_tick;
    event->left = event->entered + 1;
    decoder->next_tick = event->left + 1;
    return !(event->left >> 63);
}

/* Whether the next event has a known payload. It is `*event`, NULL if it does not decode. */
static inline bool vef_decode_repeated(vef_decoder *decoder, const vef_event **event) {
    const vef_predicted payload = decoder->next;
    if (!payload.begin)
        return false;
    const vef_decoded *known = &decoder->known[payload.known];
    if (known->begin != payload.begin)
        return false;
    const bool by_long = *decoder->column[VEF_COLUMN_PAYLOAD].next++ == 0;
    *event = NULL;
    decoder->next = (vef_predicted){0};
    if (!vef_show(decoder, known) || !vef_decoder_get_frequent_times(decoder, known))
        return true;
    /* Only the other one of the two contexts learns: see vef_coder_learn. */
    vef_set_prediction(decoder, by_long ? vef_short_context(decoder) : vef_long_context(decoder),
                       payload);
    vef_enter_context(decoder, known->hash);
    decoder->left--;
    decoder->next = vef_predict_next(decoder);
    *event = &decoder->event;
    return true;
}

#endif
