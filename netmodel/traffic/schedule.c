/* The radix heap of endpoints. See schedule.h. */
#include "netmodel/traffic/schedule.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;
static const uint64_t FOREVER = UINT64_MAX;

vef_code vef_schedule_create(vef_schedule *schedule, uint32_t endpoints, vef_arena *arena,
                             vef_error *error) {
    memset(schedule, 0, sizeof *schedule);
    const size_t heads = (size_t)VEF_SCHEDULE_DIGITS * VEF_SCHEDULE_BUCKETS;
    schedule->time = FOREVER;
    schedule->at = vef_arena_alloc(arena, endpoints, sizeof *schedule->at);
    schedule->next = vef_arena_alloc(arena, endpoints, sizeof *schedule->next);
    schedule->head = vef_arena_alloc(arena, heads, sizeof *schedule->head);
    if (!schedule->at || !schedule->next || !schedule->head)
        return vef_fail_memory(error, "the times of endpoints", endpoints * 12ULL);
    memset(schedule->head, 0xff, heads * sizeof *schedule->head);
    for (uint64_t words = endpoints; schedule->levels == 0 || words > 1; schedule->levels++) {
        assert(schedule->levels < VEF_SCHEDULE_DEPTH);
        words = (words + 63) / 64;
        schedule->present[schedule->levels] = vef_arena_alloc(arena, words, sizeof(uint64_t));
        if (!schedule->present[schedule->levels])
            return vef_fail_memory(error, "the times of endpoints", words * 8);
    }
    return VEF_OK;
}

static void mark_present(vef_schedule *schedule, uint32_t endpoint) {
    for (uint32_t level = 0; level < schedule->levels; level++) {
        uint64_t *word = &schedule->present[level][endpoint / 64];
        const uint64_t before = *word;
        *word = before | UINT64_C(1) << endpoint % 64;
        if (before)
            return; /* the levels above know */
        endpoint /= 64;
    }
}

/* Whether any is left. */
static bool clear_present(vef_schedule *schedule, uint32_t endpoint) {
    for (uint32_t level = 0; level < schedule->levels; level++) {
        uint64_t *word = &schedule->present[level][endpoint / 64];
        *word &= ~(UINT64_C(1) << endpoint % 64);
        if (*word)
            return true;
        endpoint /= 64;
    }
    return false;
}

uint32_t vef_schedule_first(const vef_schedule *schedule) {
    uint32_t at = 0;
    for (uint32_t level = schedule->levels; level-- > 0;)
        at = at * 64 + (uint32_t)__builtin_ctzll(schedule->present[level][at]);
    return at;
}

/* Into the bucket where `time` differs from the base, which is before it. */
static void put_in_bucket(vef_schedule *schedule, uint32_t endpoint, uint64_t time) {
    const uint32_t highest = 63 - (uint32_t)__builtin_clzll(time ^ schedule->base);
    const uint32_t digit = highest / VEF_SCHEDULE_DIGIT_BITS;
    const uint32_t value =
        (uint32_t)(time >> digit * VEF_SCHEDULE_DIGIT_BITS) & (VEF_SCHEDULE_BUCKETS - 1);
    uint32_t *head = &schedule->head[digit * VEF_SCHEDULE_BUCKETS + value];
    schedule->at[endpoint] = time;
    schedule->next[endpoint] = *head;
    *head = endpoint;
    schedule->holds[digit][value / 64] |= UINT64_C(1) << value % 64;
    schedule->holds_words[digit] |= UINT64_C(1) << value / 64;
}

void vef_schedule_put(vef_schedule *schedule, uint32_t endpoint, uint64_t time) {
    if (time == FOREVER)
        return;
    if (time == schedule->base) {
        mark_present(schedule, endpoint);
        schedule->time = time;
    } else {
        put_in_bucket(schedule, endpoint, time);
    }
}

/* Takes the list out of the first bucket that holds any; the base becomes the first time that may
 * stand in it. Returns its first endpoint, or NONE when there is no such bucket. */
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

/* Finds the earliest time; none is present. */
void vef_schedule_begin(vef_schedule *schedule) {
    while (schedule->time == FOREVER) {
        uint32_t digit;
        uint32_t endpoint = take_bucket(schedule, &digit);
        if (endpoint == NONE)
            return;
        while (endpoint != NONE) {
            const uint32_t behind = schedule->next[endpoint];
            if (digit == 0) {
                mark_present(schedule, endpoint);
                schedule->time = schedule->base;
            } else {
                vef_schedule_put(schedule, endpoint, schedule->at[endpoint]);
            }
            endpoint = behind;
        }
    }
}

void vef_schedule_move_first(vef_schedule *schedule, uint32_t endpoint, uint64_t time) {
    assert(time >= schedule->time);
    if (time == schedule->time)
        return; /* still the first */
    if (time != FOREVER)
        put_in_bucket(schedule, endpoint, time);
    if (clear_present(schedule, endpoint))
        return;
    schedule->time = FOREVER;
    vef_schedule_begin(schedule);
}
