/* See match.h. */
#include "traces/matching/match.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/rng.h"

#include <stdlib.h>

enum {
    SIZE_MASK = (1 << VEF_MATCH_SIZE_BITS) - 1,
    SIZE_LONG = SIZE_MASK,
    SIZE_UNKNOWN = SIZE_MASK - 1
};

void vef_matcher_init(vef_matcher *matcher, uint32_t tasks) {
    *matcher = (vef_matcher){.tasks = tasks};
    matcher->next_ordinal = vef_calloc(tasks, sizeof *matcher->next_ordinal);
}

void vef_matcher_free(vef_matcher *matcher) {
    free(matcher->envelopes);
    vef_index_free(&matcher->by_key);
    free(matcher->sent);
    free(matcher->received);
    free(matcher->next_ordinal);
    free(matcher->order);
    free(matcher->taken);
    free(matcher->sent_ticks);
    free(matcher->received_ticks);
    vef_map64_free(&matcher->long_sent);
    vef_map64_free(&matcher->long_received);
    vef_map64_free(&matcher->sent_runs);
    vef_map64_free(&matcher->received_runs);
    *matcher = (vef_matcher){0};
}

static vef_code grow(void *list, size_t *capacity, size_t count, size_t size, vef_error *error) {
    if (count >= UINT32_MAX - 1)
        return vef_fail(error, VEF_UNSUPPORTED, "more than 4 294 967 293 messages in one trace");
    vef_grow(list, capacity, count + 1, size);
    return VEF_OK;
}

static uint32_t hash_of(const vef_envelope *key) {
    uint64_t mixed = vef_rng_mix((uint64_t)key->sender << 32 | key->receiver);
    mixed = vef_rng_mix(mixed ^ ((uint64_t)key->comm << 32 | (uint32_t)key->tag));
    if (key->channel)
        mixed = vef_rng_mix(mixed ^ key->channel);
    return (uint32_t)mixed;
}

static bool same(const vef_envelope *a, const vef_envelope *b) {
    return a->sender == b->sender && a->receiver == b->receiver && a->comm == b->comm &&
           a->tag == b->tag && a->channel == b->channel;
}

vef_code vef_matcher_envelope(vef_matcher *matcher, uint32_t sender, uint32_t receiver,
                              uint32_t comm, int32_t tag, uint32_t channel, uint32_t *envelope,
                              vef_error *error) {
    vef_index_reserve(&matcher->by_key);
    vef_envelope key = {.sender = sender,
                        .receiver = receiver,
                        .comm = comm,
                        .tag = tag,
                        .channel = channel,
                        .first = VEF_NO_INDEX,
                        .last = VEF_NO_INDEX,
                        .cursor = VEF_NO_INDEX,
                        .probe = VEF_NO_INDEX};
    const uint32_t hash = hash_of(&key);
    vef_index_walk walk = vef_index_begin(&matcher->by_key, hash);
    uint32_t number = vef_index_next(&matcher->by_key, &walk);
    while (number != VEF_INDEX_NONE && !same(&matcher->envelopes[number], &key))
        number = vef_index_next(&matcher->by_key, &walk);
    if (number == VEF_INDEX_NONE) {
        vef_code code = grow(&matcher->envelopes, &matcher->envelope_capacity,
                             matcher->envelope_count, sizeof *matcher->envelopes, error);
        if (code)
            return code;
        number = (uint32_t)matcher->envelope_count;
        matcher->envelopes[matcher->envelope_count++] = key;
        vef_index_add(&matcher->by_key, hash, number);
    }
    *envelope = number;
    return VEF_OK;
}

/* The bytes for the field `size`; greater numbers go to the map. */
static void keep_bytes(vef_map64 *longer, uint32_t index, uint64_t bytes, uint32_t *size) {
    uint32_t flags = *size & ~(uint32_t)SIZE_MASK;
    if (bytes == VEF_UNKNOWN_BYTES) {
        *size = flags | SIZE_UNKNOWN;
    } else if (bytes < SIZE_UNKNOWN) {
        *size = flags | (uint32_t)bytes;
    } else {
        *size = flags | SIZE_LONG;
        vef_map64_set(longer, index, bytes);
    }
}

static uint64_t kept_bytes(const vef_map64 *longer, uint32_t index, uint32_t size) {
    size &= SIZE_MASK;
    if (size == SIZE_UNKNOWN)
        return VEF_UNKNOWN_BYTES;
    if (size < SIZE_UNKNOWN)
        return size;
    const uint64_t *bytes = vef_map64_get(longer, index);
    return bytes ? *bytes : VEF_UNKNOWN_BYTES;
}

uint64_t vef_sent_bytes(const vef_matcher *matcher, uint32_t index) {
    return kept_bytes(&matcher->long_sent, index, matcher->sent[index].size);
}

uint64_t vef_received_bytes(const vef_matcher *matcher, uint32_t index) {
    return kept_bytes(&matcher->long_received, index, matcher->received[index].size);
}

vef_code vef_matcher_sent(vef_matcher *matcher, uint32_t envelope, uint64_t bytes, unsigned flags,
                          vef_error *error) {
    vef_code code = grow(&matcher->sent, &matcher->sent_capacity, matcher->sent_count,
                         sizeof *matcher->sent, error);
    if (code)
        return code;
    uint32_t index = (uint32_t)matcher->sent_count++;
    matcher->sent[index] = (vef_sent){envelope, flags << VEF_MATCH_SIZE_BITS, VEF_NO_INDEX};
    keep_bytes(&matcher->long_sent, index, bytes, &matcher->sent[index].size);
    return VEF_OK;
}

vef_code vef_matcher_received(vef_matcher *matcher, uint32_t envelope, uint64_t bytes,
                              unsigned flags, vef_error *error) {
    vef_code code = grow(&matcher->received, &matcher->received_capacity, matcher->received_count,
                         sizeof *matcher->received, error);
    if (code)
        return code;
    uint32_t index = (uint32_t)matcher->received_count++;
    matcher->received[index] = (vef_received){envelope, flags << VEF_MATCH_SIZE_BITS};
    keep_bytes(&matcher->long_received, index, bytes, &matcher->received[index].size);
    return VEF_OK;
}

static void set_run(vef_map64 *runs, size_t index, uint64_t count) {
    if (count != 1)
        vef_map64_set(runs, index, count);
}

void vef_matcher_sent_run(vef_matcher *matcher, uint64_t count) {
    set_run(&matcher->sent_runs, matcher->sent_count - 1, count);
}

void vef_matcher_received_run(vef_matcher *matcher, uint64_t count) {
    set_run(&matcher->received_runs, matcher->received_count - 1, count);
}

static uint64_t run_at(const vef_map64 *runs, uint32_t index) {
    const uint64_t *count = runs->count > 0 ? vef_map64_get(runs, index) : NULL;
    return count ? *count : 1;
}

void vef_matcher_set_received(vef_matcher *matcher, uint32_t index, uint32_t envelope,
                              uint64_t bytes) {
    matcher->received[index].envelope = envelope;
    keep_bytes(&matcher->long_received, index, bytes, &matcher->received[index].size);
}

vef_code vef_matcher_settle(vef_matcher *matcher, size_t first, vef_error *error) {
    for (size_t i = first; i < matcher->sent_count; i++)
        matcher->next_ordinal[matcher->envelopes[matcher->sent[i].link].receiver] = 0;
    for (size_t i = first; i < matcher->sent_count; i++) {
        vef_sent *sent = &matcher->sent[i];
        vef_envelope *envelope = &matcher->envelopes[sent->link];
        sent->link = VEF_NO_INDEX;
        const bool cancelled = vef_sent_flags(sent) & VEF_SENT_CANCELLED;
        if (envelope->after_cancelled && !cancelled)
            vef_sent_flag(sent, VEF_SENT_AFTER_CANCELLED);
        envelope->after_cancelled = cancelled;
        if (cancelled)
            continue;
        if (!(vef_sent_flags(sent) & (VEF_SENT_MUTED | VEF_SENT_SYNC)))
            sent->ordinal = matcher->next_ordinal[envelope->receiver]++;
        if (sent->ordinal == VEF_NO_INDEX - 1)
            return vef_fail(error, VEF_UNSUPPORTED, "too many messages from task %u to task %u",
                            envelope->sender, envelope->receiver);
        if (envelope->last == VEF_NO_INDEX)
            envelope->first = envelope->cursor = (uint32_t)i;
        else
            matcher->sent[envelope->last].link = (uint32_t)i;
        envelope->last = (uint32_t)i;
    }
    return VEF_OK;
}

/* The number of the receive that is i-th to receive its message. */
static uint32_t in_order(const vef_matcher *matcher, uint32_t i) {
    return matcher->order ? matcher->order[i] : i;
}

/* Drops the messages in excess of `received`; returns the number of receives in excess. */
static uint64_t drop_first_sent(vef_matcher *matcher, vef_envelope *envelope, uint64_t received) {
    uint64_t sent = 0;
    for (uint32_t i = envelope->first; i != VEF_NO_INDEX; i = matcher->sent[i].link)
        sent += run_at(&matcher->sent_runs, i);
    while (sent > received) {
        uint64_t run = run_at(&matcher->sent_runs, envelope->first);
        if (sent - received < run) {
            *vef_map64_get(&matcher->sent_runs, envelope->first) = run - (sent - received);
            sent = received;
        } else {
            envelope->first = matcher->sent[envelope->first].link;
            sent -= run;
        }
    }
    envelope->cursor = envelope->first;
    return received - sent;
}

/* Of a run of receives the first `lost` have no message; returns how many of the run do not either.
 */
static uint64_t lose(vef_matcher *matcher, uint32_t index, uint64_t lost) {
    uint64_t run = run_at(&matcher->received_runs, index);
    if (lost < run) {
        *vef_map64_get(&matcher->received_runs, index) = run - lost;
        return lost;
    }
    vef_received_flag(&matcher->received[index], VEF_RECEIVE_LOST, VEF_RECEIVE_PEEK);
    return run;
}

void vef_matcher_align(vef_matcher *matcher, const bool *skipped) {
    uint64_t *more = vef_calloc(matcher->envelope_count + 1, sizeof *more);
    for (size_t i = 0; i < matcher->received_count; i++) {
        const vef_received *received = &matcher->received[i];
        if (vef_takes_message(received) && !(vef_received_flags(received) & VEF_RECEIVE_PEEK))
            more[received->envelope] += run_at(&matcher->received_runs, (uint32_t)i);
    }
    for (size_t i = 0; i < matcher->envelope_count; i++) {
        vef_envelope *envelope = &matcher->envelopes[i];
        bool ends_alike = skipped[envelope->sender] || skipped[envelope->receiver];
        more[i] = ends_alike ? drop_first_sent(matcher, envelope, more[i]) : 0;
    }
    for (uint32_t i = 0; i < matcher->received_count; i++) {
        const uint32_t index = in_order(matcher, i);
        const vef_received *received = &matcher->received[index];
        if (!vef_takes_message(received) || more[received->envelope] == 0)
            continue;
        bool peek = vef_received_flags(received) & VEF_RECEIVE_PEEK;
        uint64_t lost = lose(matcher, index, more[received->envelope]);
        more[received->envelope] -= peek ? 0 : lost;
    }
    free(more);
}

/* Skips messages of an envelope, as far as there are any. */
static void pass(const vef_matcher *matcher, vef_envelope *envelope, uint64_t count) {
    while (count > 0 && envelope->cursor != VEF_NO_INDEX) {
        uint64_t left = run_at(&matcher->sent_runs, envelope->cursor) - envelope->taken;
        uint64_t step = count < left ? count : left;
        envelope->taken += step;
        count -= step;
        if (step < left)
            return;
        envelope->cursor = matcher->sent[envelope->cursor].link;
        envelope->taken = 0;
    }
}

/* Receives outside the trace receive their messages. */
static void take_run(const vef_matcher *matcher, vef_envelope *envelope, uint64_t count) {
    if (envelope->ahead > 0) {
        uint64_t ahead = (uint64_t)envelope->ahead, step = count < ahead ? count : ahead;
        envelope->ahead -= (int64_t)step;
        count -= step;
    }
    pass(matcher, envelope, count);
}

/* The message of the next receive. */
static uint32_t take(vef_matcher *matcher, uint32_t index) {
    const vef_received *received = &matcher->received[index];
    unsigned flags = vef_received_flags(received);
    if ((flags & VEF_RECEIVE_NONE) || received->envelope == VEF_NO_INDEX)
        return VEF_NO_INDEX;
    vef_envelope *envelope = &matcher->envelopes[received->envelope];
    if (envelope->ahead < 0) {
        pass(matcher, envelope, -(uint64_t)envelope->ahead);
        envelope->ahead = 0;
    }
    uint64_t run = run_at(&matcher->received_runs, index);
    if (run != 1) {
        take_run(matcher, envelope, run);
        return VEF_NO_INDEX;
    }
    if (envelope->ahead > 0) {
        envelope->ahead -= !(flags & VEF_RECEIVE_PEEK);
        return VEF_NO_INDEX;
    }
    uint32_t message = envelope->cursor;
    if (message == VEF_NO_INDEX)
        return message;
    if (!(flags & VEF_RECEIVE_PEEK))
        pass(matcher, envelope, 1);
    else if (vef_sent_flags(&matcher->sent[message]) & VEF_SENT_AFTER_CANCELLED)
        return VEF_NO_INDEX;
    return message;
}

uint32_t vef_matcher_take(vef_matcher *matcher, uint32_t index) {
    return matcher->taken ? matcher->taken[index] : take(matcher, index);
}

/* Receives outside the trace received the messages that a probe saw before. */
static void end_sight(vef_matcher *matcher, uint32_t number) {
    if (number == VEF_NO_INDEX || matcher->envelopes[number].probe == VEF_NO_INDEX)
        return;
    vef_received_flag(&matcher->received[matcher->envelopes[number].probe], VEF_RECEIVE_SEES_LAST,
                      0);
    matcher->envelopes[number].probe = VEF_NO_INDEX;
}

/* A receive receives the message at the envelope's cursor, or a probe sees it. */
static void note_sight(vef_matcher *matcher, uint32_t index, uint32_t message) {
    vef_received *received = &matcher->received[index];
    vef_envelope *envelope = &matcher->envelopes[received->envelope];
    const unsigned flags = vef_received_flags(received);
    if (flags & VEF_RECEIVE_SEES)
        vef_sent_flag(&matcher->sent[message], VEF_SENT_PROBED);
    if (flags & VEF_RECEIVE_PEEK) {
        if (flags & VEF_RECEIVE_SEES)
            envelope->probe = index;
        return;
    }
    if (!(flags & VEF_RECEIVE_ABSENT))
        vef_sent_flag(&matcher->sent[message], VEF_SENT_RECEIVED);
    else if (flags & VEF_RECEIVE_SEES) /* a matched probe whose receive is not in the trace */
        vef_received_flag(received, VEF_RECEIVE_SEES_LAST, 0);
    else if (envelope->probe != VEF_NO_INDEX)
        vef_received_flag(&matcher->received[envelope->probe], VEF_RECEIVE_SEES_LAST, 0);
    envelope->probe = VEF_NO_INDEX;
}

void vef_matcher_link(vef_matcher *matcher) {
    for (size_t i = 0; i < matcher->envelope_count; i++) {
        matcher->envelopes[i].ahead = matcher->envelopes[i].before;
        matcher->envelopes[i].taken = 0;
    }
    for (uint32_t i = 0; i < matcher->received_count; i++) {
        const uint32_t index = in_order(matcher, i);
        const uint32_t message = matcher->paired ? matcher->taken[index] : take(matcher, index);
        if (matcher->taken)
            matcher->taken[index] = message;
        if (message != VEF_NO_INDEX)
            note_sight(matcher, index, message);
        else if (run_at(&matcher->received_runs, index) != 1)
            end_sight(matcher, matcher->received[index].envelope);
    }
    for (size_t i = 0; i < matcher->envelope_count; i++) {
        const uint32_t probe = matcher->envelopes[i].probe;
        if (probe != VEF_NO_INDEX)
            vef_received_flag(&matcher->received[probe], VEF_RECEIVE_SEES_LAST, 0);
        matcher->envelopes[i].cursor = matcher->envelopes[i].first;
        matcher->envelopes[i].taken = 0;
        matcher->envelopes[i].ahead = matcher->envelopes[i].before;
    }
}
