/* What all parts of a check use: reports, and ranks of tasks. See check_state.h. */
#include "traces/check/check_state.h"

#include "common/containers/order.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void vef_check_fault(vef_check_state *state, const vef_event *event, const char *format, ...) {
    char sentence[VEF_MESSAGE_BYTES];
    if (state->faults++ >= state->options->limit || !state->options->report)
        return;
    int used = 0;
    char thread[32] = "";
    if (state->thread > 0)
        snprintf(thread, sizeof thread, " thread %u,", state->thread);
    if (event)
        used = snprintf(sentence, sizeof sentence,
                        "task %u,%s event %" PRIu64 " (MPI_%s): ", state->task, thread,
                        state->event, vef_call_name(event->call));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence + used, sizeof sentence - (size_t)used, format, arguments);
    va_end(arguments);
    state->options->report(state->options->context, sentence);
}

VEF_ORDER_NUMBERS(by_number, uint64_t)

uint64_t *vef_check_keys(const vef_map64 *map, const vef_map64 *more, size_t *count) {
    uint64_t *keys = vef_malloc((map->count + (more ? more->count : 0) + 1) * sizeof *keys);
    *count = 0;
    for (; map; map = more, more = NULL)
        for (size_t i = 0; i < map->capacity && map->count > 0; i++)
            if (map->keys[i] != UINT64_MAX)
                keys[(*count)++] = map->keys[i];
    qsort(keys, *count, sizeof *keys, by_number);
    return keys;
}

int32_t vef_check_rank(vef_check_state *state, uint32_t comm, unsigned group, uint32_t task) {
    const vef_communicator *made = &state->header->communicators[comm];
    const uint32_t *members = group ? made->remote_members : made->members;
    uint32_t size = group ? made->remote_size : made->size;
    vef_ranks *ranks = &state->comms[comm].ranks[group];
    if (ranks->size != size && vef_ranks_make(ranks, members, size, NULL) != VEF_OK)
        vef_lost(size * sizeof *members);
    return vef_ranks_find(ranks, task);
}
