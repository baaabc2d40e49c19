/* Time in the program's regions. A thread's regions nest; an end closes the innermost region of its
 * name and what was begun inside it. See stats.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/format/codec.h"
#include "traces/stats/stats_state.h"

#include <string.h>

static const size_t NONE = SIZE_MAX;

/* The region of a name, created if new. A program may use one name per task. */
static size_t find_region(vef_stats_state *state, const char *name) {
    vef_stats *stats = state->stats;
    uint64_t hash = vef_payload_hash((const uint8_t *)name, strlen(name)) >> 1;
    const uint64_t *first = vef_map64_get(&state->region_of, hash);
    size_t last = first ? (size_t)*first : NONE;
    for (size_t i = last; i != NONE; i = state->regions[i].next)
        if (strcmp(stats->regions[i].name, name) == 0)
            return i;
    const size_t made = stats->region_count++;
    vef_map64_set(&state->region_of, hash, made);
    vef_grow(&stats->regions, &state->stats_capacity, made + 1, sizeof *stats->regions);
    vef_grow(&state->regions, &state->region_capacity, made + 1, sizeof *state->regions);
    stats->regions[made] = (vef_region_stats){.name = vef_strdup(name)};
    state->regions[made] = (vef_region_state){.next = last};
    return made;
}

static size_t innermost(const vef_thread_stats *thread, size_t region) {
    for (size_t i = thread->open_count; i-- > 0;)
        if (thread->open[i].region == region)
            return i;
    return NONE;
}

static void begin(vef_stats_state *state, vef_thread_stats *thread, size_t region) {
    bool inside = innermost(thread, region) != NONE;
    *VEF_NEW_ITEM(thread->open, thread->open_count, thread->open_capacity) =
        (vef_open_region){region, inside, thread->sums};
    state->stats->regions[region].entries++;
    if (state->regions[region].last_task != state->task + 1) {
        state->regions[region].last_task = state->task + 1;
        *VEF_NEW_ITEM(state->entered, state->entered_count, state->entered_capacity) = region;
        state->stats->regions[region].tasks++;
    }
}

/* Closes the innermost open region. */
static void end_innermost(vef_stats_state *state, vef_thread_stats *thread) {
    const vef_open_region *open = &thread->open[--thread->open_count];
    vef_region_stats *region = &state->stats->regions[open->region];
    const vef_thread_sums *now = &thread->sums, *then = &open->begun;
    if (open->inside_itself)
        return;
    vef_stats_add(state->stats, &region->compute_ns, now->compute_ns - then->compute_ns);
    vef_stats_add(state->stats, &region->mpi_ns, now->mpi_ns - then->mpi_ns);
    vef_stats_add(state->stats, &region->outside_ns, now->outside_ns - then->outside_ns);
    region->messages += now->messages - then->messages;
    vef_stats_add(state->stats, &region->message_bytes, now->message_bytes - then->message_bytes);
    vef_stats_add(state->stats, &state->regions[open->region].task_ns,
                  vef_sums_ns(now) - vef_sums_ns(then));
}

void vef_stats_region(vef_stats_state *state, vef_thread_stats *thread, const vef_event *event) {
    const size_t region = find_region(state, event->name ? event->name : "");
    if (event->call == VEF_CALL_Region_begin) {
        begin(state, thread, region);
        return;
    }
    if (event->call == VEF_CALL_Mark) {
        state->stats->regions[region].marks++;
        return;
    }
    size_t place = innermost(thread, region);
    if (place == NONE) {
        state->stats->unpaired_regions++;
        return;
    }
    state->stats->unpaired_regions += thread->open_count - 1 - place;
    while (thread->open_count > place)
        end_innermost(state, thread);
}

void vef_stats_regions_end_task(vef_stats_state *state) {
    for (uint32_t i = 0; i < state->thread_count; i++) {
        state->stats->unpaired_regions += state->threads[i].open_count;
        while (state->threads[i].open_count > 0)
            end_innermost(state, &state->threads[i]);
    }
    for (size_t i = 0; i < state->entered_count; i++) {
        uint64_t *task_ns = &state->regions[state->entered[i]].task_ns;
        vef_region_stats *region = &state->stats->regions[state->entered[i]];
        if (region->most_task_ns < *task_ns)
            region->most_task_ns = *task_ns;
        *task_ns = 0;
    }
    state->entered_count = 0;
}
