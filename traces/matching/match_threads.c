/* See match_threads.h. */
#include "traces/matching/match_threads.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/memory.h"

#include <stdlib.h>

/* When a call was entered and returned. Receives: the first return from a call that reported it
 * complete, UINT64_MAX if none. */
struct vef_call_ticks {
    uint64_t entered, left, completed;
};

typedef struct vef_call_ticks vef_call_ticks;

/* A message, or a receive or probe, in its envelope. */
typedef struct call {
    uint64_t entered, left, deadline, bytes;
    uint32_t envelope, number;
    uint32_t next; /* in the order of entry, among those without a partner; VEF_NO_INDEX */
} call;

/* Calls of one envelope on one side, and the candidates for the next match: the first ones of the
 * list. */
typedef struct side {
    call *calls;
    uint32_t first;
    uint32_t *next;
    size_t next_count;
} side;

/* ---- notes ---- */

static void note(vef_call_ticks **list, size_t *noted, size_t *capacity, size_t count,
                 const vef_call_ticks *ticks) {
    vef_grow(list, capacity, count, sizeof **list);
    for (; *noted < count; ++*noted)
        (*list)[*noted] = ticks ? *ticks : (vef_call_ticks){*noted, *noted, *noted};
}

static void note_both(vef_matcher *matcher, const vef_call_ticks *ticks) {
    note(&matcher->sent_ticks, &matcher->sent_noted, &matcher->sent_tick_capacity,
         matcher->sent_count, ticks);
    note(&matcher->received_ticks, &matcher->received_noted, &matcher->received_tick_capacity,
         matcher->received_count, ticks);
}

void vef_matcher_note_call(vef_matcher *matcher, uint64_t entered, uint64_t left, bool completes) {
    matcher->threads = true;
    note_both(matcher, &(vef_call_ticks){entered, left, completes ? left : UINT64_MAX});
}

void vef_matcher_note_rest(vef_matcher *matcher) {
    note_both(matcher, NULL);
}

void vef_matcher_note_completed(vef_matcher *matcher, uint32_t received, uint64_t left) {
    if (received < matcher->received_noted && left < matcher->received_ticks[received].completed)
        matcher->received_ticks[received].completed = left;
}

/* ---- the order of receives ---- */

/* By envelope, then by entry. */
VEF_ORDER_BY(by_entry, call, envelope, entered, number)

/* By envelope, then by deadline. Ties by entry, which is right for two that do not overlap. */
static int by_deadline(const void *left, const void *right) {
    const call *a = left, *b = right;
    if (a->envelope == b->envelope && a->deadline != b->deadline)
        return a->deadline < b->deadline ? -1 : 1;
    return by_entry(left, right);
}

/* The index of the first call in [from, end) that was entered after the tick. */
static size_t first_after(const call *calls, size_t from, size_t end, uint64_t tick) {
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (calls[middle].entered > tick)
            end = middle;
        else
            from = middle + 1;
    }
    return from;
}

/* Lowers the deadlines of receives, by entry, to those of later receives. `least`: room for the
 * least deadline from each index on. */
static void lower_deadlines(call *calls, size_t count, uint64_t *least) {
    for (size_t i = count; i-- > 0;) {
        const size_t after = first_after(calls, i + 1, count, calls[i].left);
        if (after < count && least[after] < calls[i].deadline)
            calls[i].deadline = least[after];
        least[i] = calls[i].deadline;
        if (i + 1 < count && least[i + 1] < least[i])
            least[i] = least[i + 1];
    }
}

/* The end of the calls of one envelope that begin at an index. */
static size_t end_of_envelope(const call *calls, size_t begin, size_t count) {
    size_t end = begin + 1;
    while (end < count && calls[end].envelope == calls[begin].envelope)
        end++;
    return end;
}

static void collect_receives(const vef_matcher *matcher, call *receives) {
    for (uint32_t i = 0; i < matcher->received_count; i++) {
        const vef_call_ticks *ticks = &matcher->received_ticks[i];
        receives[i] = (call){.entered = ticks->entered,
                             .left = ticks->left,
                             .deadline = ticks->completed,
                             .bytes = vef_received_bytes(matcher, i),
                             .envelope = matcher->received[i].envelope,
                             .number = i};
    }
}

/* ---- pairs ---- */

static void link_up(side *queue, size_t count) {
    queue->first = count ? 0 : VEF_NO_INDEX;
    for (size_t i = 0; i < count; i++)
        queue->calls[i].next = i + 1 < count ? (uint32_t)i + 1 : VEF_NO_INDEX;
}

/* Calls without a partner that no other such call precedes. With one thread there is at most one.
 */
static void find_next(side *queue) {
    uint64_t least_left = UINT64_MAX;
    queue->next_count = 0;
    for (uint32_t i = queue->first; i != VEF_NO_INDEX && queue->calls[i].entered <= least_left;
         i = queue->calls[i].next) {
        queue->next[queue->next_count++] = i;
        if (queue->calls[i].left < least_left)
            least_left = queue->calls[i].left;
    }
}

static void take_out(side *queue, size_t place) {
    const uint32_t after = queue->calls[queue->next[place]].next;
    if (place > 0)
        queue->calls[queue->next[place - 1]].next = after;
    else
        queue->first = after;
}

/* The first receive to be complete, of those with the given number of bytes; NULL if none. */
static const uint32_t *first_complete(const side *receives, uint64_t bytes) {
    const uint32_t *first = NULL;
    for (size_t i = 0; i < receives->next_count; i++) {
        const call *receive = &receives->calls[receives->next[i]];
        const bool agrees = bytes == VEF_UNKNOWN_BYTES || receive->bytes == VEF_UNKNOWN_BYTES ||
                            receive->bytes == bytes;
        if (agrees && (!first || receive->deadline < receives->calls[*first].deadline))
            first = &receives->next[i];
    }
    return first;
}

/* The next message and receive to match, as indices among the candidates. Returns whether they have
 * the same length. */
static bool choose(const side *messages, const side *receives, size_t *message, size_t *receive) {
    const uint32_t *found = NULL;
    *message = 0;
    for (size_t i = 0; i < messages->next_count && !found; i++) {
        found = first_complete(receives, messages->calls[messages->next[i]].bytes);
        if (found)
            *message = i;
    }
    const bool agree = found != NULL;
    if (!found)
        found = first_complete(receives, VEF_UNKNOWN_BYTES);
    *receive = (size_t)(found - receives->next);
    return agree;
}

/* Of the candidate messages, none of which matches a candidate receive: the one that a lost receive
 * received. The first that matches no receive at all, if any. */
static size_t lost_message(const side *messages, const side *receives) {
    for (size_t i = 0; i < messages->next_count; i++) {
        const uint64_t bytes = messages->calls[messages->next[i]].bytes;
        uint32_t candidate = receives->first;
        while (candidate != VEF_NO_INDEX && receives->calls[candidate].bytes != bytes)
            candidate = receives->calls[candidate].next;
        if (candidate == VEF_NO_INDEX)
            return i;
    }
    return 0;
}

/* The messages of an envelope, by entry. */
static size_t collect_messages(const vef_matcher *matcher, uint32_t envelope, call *messages) {
    size_t count = 0;
    for (uint32_t i = matcher->envelopes[envelope].first; i != VEF_NO_INDEX;
         i = matcher->sent[i].link)
        messages[count++] = (call){.entered = matcher->sent_ticks[i].entered,
                                   .left = matcher->sent_ticks[i].left,
                                   .bytes = vef_sent_bytes(matcher, i),
                                   .number = i};
    return count;
}

/* Pairs the receives of an envelope, and stores them in the order of pairing in `order`. `lost`:
 * how many receives of the task may be missing, over all envelopes. */
static void pair_envelope(vef_matcher *matcher, side *messages, side *receives, uint32_t *order,
                          uint32_t *lost) {
    while (receives->first != VEF_NO_INDEX) {
        uint32_t taken = VEF_NO_INDEX;
        size_t message = 0, receive;
        find_next(messages);
        find_next(receives);
        if (!choose(messages, receives, &message, &receive) && *lost > 0 &&
            messages->next_count > 0) {
            take_out(messages, lost_message(messages, receives));
            --*lost;
            continue;
        }
        const uint32_t number = receives->calls[receives->next[receive]].number;
        const bool peek = vef_received_flags(&matcher->received[number]) & VEF_RECEIVE_PEEK;
        if (messages->next_count > 0) {
            taken = messages->calls[messages->next[message]].number;
            if (!peek)
                take_out(messages, message);
            else if (vef_sent_flags(&matcher->sent[taken]) & VEF_SENT_AFTER_CANCELLED)
                taken = VEF_NO_INDEX;
        }
        take_out(receives, receive);
        matcher->taken[number] = taken;
        *order++ = number;
    }
}

static bool all_are_known(const vef_matcher *matcher) {
    if (matcher->sent_runs.count > 0 || matcher->received_runs.count > 0)
        return false;
    for (size_t i = 0; i < matcher->envelope_count; i++)
        if (matcher->envelopes[i].before != 0)
            return false;
    return true;
}

/* Pairs receives, sorted by envelope and entry, with their deadlines. Allocates `order` and
 * `taken`. */
static void pair_all(vef_matcher *matcher, call *receives, uint32_t *lost) {
    const size_t sent = matcher->sent_count + 1, received = matcher->received_count;
    side from = {.calls = vef_malloc(sent * sizeof(call)),
                 .next = vef_malloc(sent * sizeof(uint32_t))};
    side to = {.next = vef_malloc(received * sizeof(uint32_t))};
    for (size_t begin = 0, end; begin < received; begin = end) {
        size_t taking = 0, others = 0;
        end = end_of_envelope(receives, begin, received);
        to.calls = &receives[begin];
        for (size_t i = begin; i < end; i++) {
            const uint32_t number = receives[i].number;
            matcher->taken[number] = VEF_NO_INDEX;
            if (vef_takes_message(&matcher->received[number]))
                to.calls[taking++] = receives[i];
            else
                matcher->order[end - ++others] = number;
        }
        if (taking == 0)
            continue;
        link_up(&to, taking);
        link_up(&from, collect_messages(matcher, to.calls->envelope, from.calls));
        pair_envelope(matcher, &from, &to, &matcher->order[begin],
                      &lost[matcher->envelopes[to.calls->envelope].receiver]);
    }
    free(from.calls);
    free(from.next);
    free(to.next);
}

void vef_matcher_order(vef_matcher *matcher) {
    const size_t count = matcher->received_count;
    if (!matcher->threads || count == 0)
        return;
    vef_matcher_note_rest(matcher);
    call *receives = vef_malloc(count * sizeof *receives);
    uint64_t *least = vef_malloc(count * sizeof *least);
    matcher->order = vef_malloc(count * sizeof *matcher->order);
    matcher->taken = vef_malloc(count * sizeof *matcher->taken);
    collect_receives(matcher, receives);
    qsort(receives, count, sizeof *receives, by_entry);
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = end_of_envelope(receives, begin, count);
        lower_deadlines(&receives[begin], end - begin, least);
    }
    qsort(receives, count, sizeof *receives, by_deadline);
    for (size_t i = 0; i < count; i++) {
        matcher->order[i] = receives[i].number;
        matcher->received_ticks[receives[i].number].completed = receives[i].deadline;
    }
    free(receives);
    free(least);
}

void vef_matcher_pair(vef_matcher *matcher, uint32_t *lost) {
    const size_t count = matcher->received_count;
    if (!matcher->order || !all_are_known(matcher))
        return;
    call *receives = vef_malloc(count * sizeof *receives);
    collect_receives(matcher, receives);
    qsort(receives, count, sizeof *receives, by_entry);
    pair_all(matcher, receives, lost);
    matcher->paired = true;
    free(receives);
}
