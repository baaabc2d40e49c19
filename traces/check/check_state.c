/* What all parts of a check use: reports, and ranks of tasks. See check_state.h. */
#include "traces/check/check_state.h"

#include "common/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void vef_check_fault(vef_check_state *state, const vef_event *event, const char *format, ...) {
    char sentence[VEF_MESSAGE_BYTES];
    if (state->faults++ >= state->options->limit || !state->options->report)
        return;
    int used = 0;
    if (event && state->thread > 0)
        used = snprintf(sentence, sizeof sentence,
                        "task %u, thread %u, event %" PRIu64 " (MPI_%s): ", state->task,
                        state->thread, state->event, vef_call_name(event->call));
    else if (event)
        used = snprintf(sentence, sizeof sentence,
                        "task %u, event %" PRIu64 " (MPI_%s): ", state->task, state->event,
                        vef_call_name(event->call));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence + used, sizeof sentence - (size_t)used, format, arguments);
    va_end(arguments);
    state->options->report(state->options->context, sentence);
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
