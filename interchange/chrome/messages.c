/* The messages of a timeline, and the arrows between their ends. See write.c. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/chrome/chrome.h"

#include <inttypes.h>
#include <stdlib.h>

static vef_chrome_messages *open_messages(vef_chrome *chrome, uint32_t from, uint32_t to) {
    uint64_t key = (uint64_t)from << 32 | to;
    const uint64_t *known = vef_map64_get(&chrome->pair_of, key);
    if (known)
        return &chrome->pairs[*known];
    vef_grow(&chrome->pairs, &chrome->pair_capacity, chrome->pair_count + 1, sizeof *chrome->pairs);
    vef_map64_set(&chrome->pair_of, key, chrome->pair_count);
    chrome->pairs[chrome->pair_count] = (vef_chrome_messages){0};
    return &chrome->pairs[chrome->pair_count++];
}

/* Compares the times of both ends, once the second is known. */
static void compare_times(vef_chrome *chrome, vef_chrome_messages *messages, uint64_t place,
                          bool enters, uint64_t time_ns) {
    if (!messages->first_ns)
        messages->first_ns = vef_calloc(messages->kept, sizeof *messages->first_ns);
    uint64_t *first_ns = &messages->first_ns[place]; /* plus 1 */
    if (*first_ns == 0) {
        *first_ns = time_ns + 1;
        return;
    }
    uint64_t left_ns = enters ? *first_ns - 1 : time_ns;
    uint64_t entered_ns = enters ? time_ns : *first_ns - 1;
    chrome->back += entered_ns < left_ns;
}

static void put_arrow(vef_chrome *chrome, const vef_chrome_end *end, uint64_t track,
                      uint64_t time_ns, uint64_t number) {
    char name[40];
    snprintf(name, sizeof name, "from task %" PRIu32, end->peer);
    vef_timeline_arrow_end(&chrome->timeline,
                           &(vef_timeline_arrow){.group = VEF_CHROME_TASKS,
                                                 .track = track,
                                                 .row = track,
                                                 .time_ns = time_ns,
                                                 .number = number,
                                                 .bytes = end->bytes,
                                                 .name = end->enters ? name : NULL});
}

void vef_chrome_message(vef_chrome *chrome, const vef_chrome_end *end, uint64_t track,
                        uint64_t time_ns) {
    uint32_t from = end->enters ? end->peer : chrome->task;
    uint32_t to = end->enters ? chrome->task : end->peer;
    vef_chrome_messages *messages = open_messages(chrome, from, to);
    if (!chrome->writing) {
        chrome->ends++;
        if (chrome->timeline.out)
            put_arrow(chrome, end, track, time_ns, chrome->header->messages);
        vef_runs_add(end->enters ? &messages->received : &messages->sent, end->ordinal);
        return;
    }
    uint64_t place;
    if (!vef_runs_has(&messages->sent, end->ordinal, &place))
        return;
    chrome->arrow_ends++;
    put_arrow(chrome, end, track, time_ns, messages->number + place);
    compare_times(chrome, messages, place, end->enters, time_ns);
}

void vef_chrome_forget_messages(vef_chrome *chrome) {
    for (size_t i = 0; i < chrome->pair_count; i++) {
        vef_runs_free(&chrome->pairs[i].sent);
        vef_runs_free(&chrome->pairs[i].received);
        free(chrome->pairs[i].first_ns);
    }
    chrome->pair_count = 0;
    vef_map64_clear(&chrome->pair_of);
}

void vef_chrome_number_messages(vef_chrome *chrome) {
    uint64_t next = 1;
    for (size_t i = 0; i < chrome->pair_count; i++) {
        vef_chrome_messages *messages = &chrome->pairs[i];
        vef_runs_settle(&messages->received);
        vef_runs_settle(&messages->sent);
        vef_runs_intersect(&messages->sent, &messages->received);
        vef_runs_settle(&messages->sent);
        const vef_runs *kept = &messages->sent;
        const vef_run *last = kept->count ? &kept->run[kept->count - 1] : NULL;
        messages->kept = last ? last->before + (last->end - last->first) : 0;
        messages->number = next;
        next += messages->kept;
    }
}
