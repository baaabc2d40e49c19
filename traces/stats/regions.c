/* Time in the program's regions. A thread's regions nest; an end closes the innermost region of its
 * name and what was begun inside it. See stats.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/format/codec.h"
#include "traces/stats/stats_state.h"

#include <string.h>

static const size_t NONE = SIZE_MAX;

static void grow_list(void *list_place, size_t count, size_t element_bytes) {
    void **list = list_place;
    *list = vef_realloc(*list, vef_product(count, element_bytes));
}

static void grow_regions(vef_stats_state *state) {
    const size_t wanted = 2 * state->region_capacity + 16;
    grow_list(&state->stats->regions, wanted, sizeof *state->stats->regions);
    grow_list(&state->region_task_ns, wanted, sizeof *state->region_task_ns);
    grow_list(&state->region_last_task, wanted, sizeof *state->region_last_task);
    grow_list(&state->region_next, wanted, sizeof *state->region_next);
    grow_list(&state->regions_entered, wanted, sizeof *state->regions_entered);
    state->region_capacity = wanted;
}

/* The region of a name, created if new. A program may use one name per task. */
static size_t find_region(vef_stats_state *state, const char *name) {
    vef_stats *stats = state->stats;
    uint64_t hash = vef_payload_hash((const uint8_t *)name, strlen(name)) >> 1;
    const uint64_t *first = vef_map64_get(&state->region_of, hash);
    size_t last = first ? (size_t)*first : NONE;
    for (size_t i = last; i != NONE; i = state->region_next[i])
        if (strcmp(stats->regions[i].name, name) == 0)
            return i;
    if (stats->region_count == state->region_capacity)
        grow_regions(state);
    vef_map64_set(&state->region_of, hash, stats->region_count);
    const size_t made = stats->region_count++;
    stats->regions[made] = (vef_region_stats){.name = vef_strdup(name)};
    state->region_task_ns[made] = 0;
    state->region_last_task[made] = 0;
    state->region_next[made] = last;
    return made;
}

static size_t innermost(const vef_thread_stats *thread, size_t region) {
    for (size_t i = thread->open_count; i-- > 0;)
        if (thread->open[i].region == region)
            return i;
    return NONE;
}

static void begin(vef_stats_state *state, vef_thread_stats *thread, size_t region) {
    vef_grow(&thread->open, &thread->open_capacity, thread->open_count + 1, sizeof *thread->open);
    bool inside = innermost(thread, region) != NONE;
    thread->open[thread->open_count++] = (vef_open_region){region, inside, thread->sums};
    state->stats->regions[region].entries++;
    if (state->region_last_task[region] != state->task + 1) {
        state->region_last_task[region] = state->task + 1;
        state->regions_entered[state->entered_count++] = region;
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
    vef_stats_add(state->stats, &state->region_task_ns[open->region],
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
        size_t entered = state->regions_entered[i];
        vef_region_stats *region = &state->stats->regions[entered];
        if (region->most_task_ns < state->region_task_ns[entered])
            region->most_task_ns = state->region_task_ns[entered];
        state->region_task_ns[entered] = 0;
    }
    state->entered_count = 0;
}
