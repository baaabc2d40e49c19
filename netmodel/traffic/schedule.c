/* The radix heap of endpoints. See schedule.h. */
#include "netmodel/traffic/schedule.h"

#include "netmodel/netmodel.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

void vef_schedule_create(vef_schedule *schedule, uint32_t endpoints, vef_arena *arena) {
    memset(schedule, 0, sizeof *schedule);
    const size_t heads = (size_t)VEF_SCHEDULE_DIGITS * VEF_SCHEDULE_BUCKETS;
    schedule->time = VEF_FOREVER;
    schedule->at = vef_arena_alloc(arena, endpoints, sizeof *schedule->at);
    schedule->next = vef_arena_alloc(arena, endpoints, sizeof *schedule->next);
    schedule->present = vef_arena_alloc(arena, endpoints, sizeof *schedule->present);
    schedule->head = vef_arena_alloc(arena, heads, sizeof *schedule->head);
    memset(schedule->head, 0xff, heads * sizeof *schedule->head);
    for (uint64_t words = endpoints; schedule->levels == 0 || words > 1; schedule->levels++) {
        assert(schedule->levels < VEF_SCHEDULE_DEPTH);
        words = (words + 63) / 64;
        schedule->bits[schedule->levels] = vef_arena_alloc(arena, words, sizeof(uint64_t));
    }
}

static void mark(vef_schedule *schedule, uint32_t endpoint) {
    for (uint32_t level = 0; level < schedule->levels; level++) {
        uint64_t *word = &schedule->bits[level][endpoint / 64];
        const uint64_t before = *word;
        *word = before | UINT64_C(1) << endpoint % 64;
        if (before)
            return; /* the higher levels have it already */
        endpoint /= 64;
    }
}

/* Moves the marked endpoints at and below a word to the end of `present`, in order. */
static void list_marked(vef_schedule *schedule, uint32_t level, uint32_t at) {
    uint64_t word = schedule->bits[level][at];
    schedule->bits[level][at] = 0;
    for (; word; word &= word - 1) {
        const uint32_t number = at * 64 + (uint32_t)__builtin_ctzll(word);
        if (level == 0)
            schedule->present[schedule->count++] = number;
        else
            list_marked(schedule, level - 1, number);
    }
}

/* Into the bucket of the highest digit in which `time` differs from the base, which precedes it. */
static void put_in_bucket(vef_schedule *schedule, uint32_t endpoint, uint64_t time) {
    const uint32_t highest = 63 - (uint32_t)__builtin_clzll(time ^ schedule->base);
    const uint32_t digit = highest / VEF_SCHEDULE_DIGIT_BITS;
    const uint32_t value =
        (uint32_t)(time >> digit * VEF_SCHEDULE_DIGIT_BITS) & (VEF_SCHEDULE_BUCKETS - 1);
    uint32_t *head = &schedule->head[digit * VEF_SCHEDULE_BUCKETS + value];
    if (digit > 0)
        schedule->at[endpoint] = time;
    schedule->next[endpoint] = *head;
    *head = endpoint;
    schedule->holds[digit][value / 64] |= UINT64_C(1) << value % 64;
    schedule->holds_words[digit] |= UINT64_C(1) << value / 64;
}

void vef_schedule_put(vef_schedule *schedule, uint32_t endpoint, uint64_t time) {
    if (time == VEF_FOREVER)
        return;
    if (time == schedule->base) {
        mark(schedule, endpoint);
        schedule->time = time;
    } else {
        put_in_bucket(schedule, endpoint, time);
    }
}

/* Removes the list of the first non-empty bucket; the base becomes the first possible time in it.
 * Returns its first endpoint, or NONE if all buckets are empty. */
static uint32_t take_bucket(vef_schedule *schedule, uint32_t *digit) {
    for (*digit = 0; *digit < VEF_SCHEDULE_DIGITS; ++*digit) {
        uint64_t *words = &schedule->holds_words[*digit];
        if (!*words)
            continue;
        const uint32_t word = (uint32_t)__builtin_ctzll(*words);
        uint64_t *bits = &schedule->holds[*digit][word];
        const uint32_t value = word * 64 + (uint32_t)__builtin_ctzll(*bits);
        *bits &= *bits - 1;
        if (!*bits)
            *words &= *words - 1;
        const uint32_t shift = *digit * VEF_SCHEDULE_DIGIT_BITS;
        const uint64_t kept = shift + VEF_SCHEDULE_DIGIT_BITS < 64
                                  ? schedule->base >> (shift + VEF_SCHEDULE_DIGIT_BITS)
                                  : 0;
        schedule->base = (kept << VEF_SCHEDULE_DIGIT_BITS | value) << shift;
        uint32_t *head = &schedule->head[*digit * VEF_SCHEDULE_BUCKETS + value];
        const uint32_t first = *head;
        *head = NONE;
        return first;
    }
    return NONE;
}

/* Advances to the earliest time of any endpoint, and marks all endpoints with that time; if some
 * are marked already, that is the present time. */
static void find_time(vef_schedule *schedule) {
    while (schedule->time == VEF_FOREVER) {
        uint32_t digit;
        uint32_t endpoint = take_bucket(schedule, &digit);
        if (endpoint == NONE)
            return;
        while (endpoint != NONE) {
            const uint32_t behind = schedule->next[endpoint];
            vef_schedule_put(schedule, endpoint, digit ? schedule->at[endpoint] : schedule->base);
            endpoint = behind;
        }
    }
}

void vef_schedule_begin(vef_schedule *schedule) {
    find_time(schedule);
    schedule->first = 0;
    schedule->count = 0;
    list_marked(schedule, schedule->levels - 1, 0);
}

void vef_schedule_move_first(vef_schedule *schedule, uint64_t time) {
    assert(schedule->first < schedule->count && time >= schedule->time);
    if (time == schedule->time)
        return; /* still the first */
    if (time != VEF_FOREVER)
        put_in_bucket(schedule, schedule->present[schedule->first], time);
    if (++schedule->first < schedule->count)
        return;
    schedule->time = VEF_FOREVER;
    vef_schedule_begin(schedule);
}
