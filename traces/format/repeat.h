/* The fast path of decoding: an event whose payload a context predicts, and which is known
 * (codec.h). Inline, since a replay spends much of its time here. */
#ifndef VEF_TRACES_FORMAT_REPEAT_H
#define VEF_TRACES_FORMAT_REPEAT_H

#include "traces/format/codec.h"

/* ---- decode.c ---- */

/* Room for a group of contexts; without memory sets `out_of_memory`, and false. */
bool vef_decoder_add_group(vef_decoder *decoder, uint32_t number);
/* The times of an event. False if its columns of times and ticks are at fault. */
bool vef_decoder_get_times(vef_decoder *decoder, vef_event *event, unsigned marks);
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

/* The prediction of the long or the short context; empty if none. */
static inline vef_predicted vef_prediction(const vef_decoder *decoder, bool is_long) {
    const uint32_t index = is_long ? vef_long_context(decoder) : vef_short_context(decoder);
    const size_t group = decoder->group_of[index / VEF_CONTEXT_GROUP];
    return group ? decoder->contexts[(group - 1) * VEF_CONTEXT_GROUP + index % VEF_CONTEXT_GROUP]
                 : (vef_predicted){0};
}

static inline vef_predicted vef_predict_next(const vef_decoder *decoder) {
    const vef_cursor *column = &decoder->column[VEF_COLUMN_PAYLOAD];
    return decoder->left > 0 && column->next < column->end && *column->next < 2
               ? vef_prediction(decoder, *column->next == 0)
               : (vef_predicted){0};
}

static inline void vef_set_prediction(vef_decoder *decoder, uint32_t index, vef_predicted payload) {
    const uint32_t number = index / VEF_CONTEXT_GROUP;
    if (!decoder->group_of[number] && !vef_decoder_add_group(decoder, number))
        return;
    const size_t group = decoder->group_of[number];
    decoder->contexts[(group - 1) * VEF_CONTEXT_GROUP + index % VEF_CONTEXT_GROUP] = payload;
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

/* The ordinal of the next message with the peer of these codes: sets the entry of the table, except
 * for a probe. */
static inline uint64_t vef_next_ordinal(vef_peer_entry *entry, const vef_known_codes *codes,
                                        bool probe) {
    const uint64_t ordinal = (entry->key == codes->key ? entry->next : 0) + codes->ordinal;
    if (!probe)
        *entry = (vef_peer_entry){codes->key, ordinal + 1};
    return ordinal;
}

static inline void vef_fill_run(vef_decoder *decoder, uint64_t first, uint32_t length,
                                bool cancelled, vef_completion *completions) {
    vef_decoder_named(decoder, first + length - 1);
    for (uint32_t k = 0; k < length; k++)
        completions[k] = (vef_completion){first + k, cancelled, VEF_NO_TASK, 0, 0};
}

/* ---- events ---- */

/* The requests and ordinals of a known payload; false if they are out of range. */
static inline bool vef_renumber(vef_decoder *decoder, vef_decoded *known) {
    vef_event *event = &known->event;
    const vef_known_codes *codes = known->codes;
    bool good = true;
    if (known->form == VEF_KNOWN_OPERATIONS) {
        event->operations = known->operations; /* they may have moved */
        for (uint32_t i = 0; i < event->operation_count; i++, codes++) {
            vef_operation *operation = &known->operations[i];
            if (codes->has_request) {
                operation->request = decoder->coder.next_request - codes->request;
                vef_decoder_named(decoder, operation->request);
                good = good && vef_is_number(operation->request);
            }
            if (codes->has_ordinal) {
                operation->ordinal = vef_next_ordinal(&decoder->peer[codes->peer], codes, false);
                good = good && vef_is_number(operation->ordinal);
            }
        }
    } else if (known->form == VEF_KNOWN_RUN) {
        const uint64_t first = decoder->coder.next_request - codes->request;
        event->completions = decoder->completions;
        good = first <= (uint64_t)INT64_MAX - event->completion_count;
        vef_fill_run(decoder, first, event->completion_count, false, decoder->completions);
    } else if (known->form == VEF_KNOWN_REQUEST) {
        event->request = decoder->coder.next_request - codes->request;
        vef_decoder_named(decoder, event->request);
        good = vef_is_number(event->request);
    }
    return good;
}

/* The same as vef_decoder_get_times, with less work in the most frequent case. */
static inline bool vef_decoder_get_frequent_times(vef_decoder *decoder, vef_decoded *known) {
    vef_cursor *gaps = &decoder->column[VEF_COLUMN_GAP];
    vef_cursor *durations = &decoder->column[VEF_COLUMN_DURATION];
    vef_time_bits *times = &decoder->times;
    vef_event *event = &known->event;
    if (!decoder->only_split || known->odd_times || gaps->next >= gaps->end)
        return vef_decoder_get_times(decoder, event, known->marks);
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
    vef_decoded *known = &decoder->known[payload.known];
    if (known->begin != payload.begin)
        return false;
    const bool by_long = *decoder->column[VEF_COLUMN_PAYLOAD].next++ == 0;
    *event = NULL;
    decoder->next = (vef_predicted){0};
    if (!vef_renumber(decoder, known) || !vef_decoder_get_frequent_times(decoder, known))
        return true;
    /* Only the other one of the two contexts learns: see vef_coder_learn. */
    vef_set_prediction(decoder, by_long ? vef_short_context(decoder) : vef_long_context(decoder),
                       payload);
    vef_enter_context(decoder, known->hash);
    decoder->left--;
    decoder->next = vef_predict_next(decoder);
    *event = &known->event;
    return true;
}

#endif
