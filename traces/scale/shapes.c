/* Events without what differs from iteration to iteration: requests and ordinals as differences.
 * See vef_scaling_shape. */
#include "traces/scale/scale_state.h"

/* Added to differences of operations, so that none equals VEF_NO_ORDINAL or VEF_NO_REQUEST: numbers
 * of traces are below 2^63, and no trace has 2^62 messages. */
#define BIAS (UINT64_C(1) << 62)

void vef_scaling_numbers_clear(vef_scaling_numbers *numbers) {
    numbers->next_request = 0;
    vef_map64_clear(&numbers->sent);
    vef_map64_clear(&numbers->received);
}

void vef_scaling_numbers_free(vef_scaling_numbers *numbers) {
    vef_map64_free(&numbers->sent);
    vef_map64_free(&numbers->received);
}

/* Converts an ordinal by adding `sign` times the messages so far, and counts the message. */
static void convert_ordinal(vef_scaling_numbers *numbers, vef_operation *operation, bool counts,
                            bool to_shape) {
    if (operation->ordinal == VEF_NO_ORDINAL || operation->peer < 0)
        return;
    vef_map64 *map = operation->flags & VEF_OP_SEND ? &numbers->sent : &numbers->received;
    const uint64_t *found = vef_map64_get(map, (uint64_t)operation->peer);
    const uint64_t so_far = found ? *found : 0;
    operation->ordinal += to_shape ? BIAS - so_far : so_far - BIAS;
    if (counts)
        vef_map64_set(map, (uint64_t)operation->peer, so_far + 1);
}

static void convert(vef_scaling_numbers *numbers, vef_event *event, vef_operation *operations,
                    vef_completion *completions, bool to_shape) {
    const uint64_t base = numbers->next_request;
    const uint64_t change = to_shape ? 0 - base : base;
    const bool counts = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
    uint64_t next = base;
    for (uint32_t k = 0; k < event->operation_count; k++) {
        vef_operation *operation = &operations[k];
        convert_ordinal(numbers, operation, counts, to_shape);
        if (operation->request == VEF_NO_REQUEST)
            continue;
        const uint64_t before = operation->request;
        operation->request += to_shape ? change + BIAS : change - BIAS;
        const uint64_t number = to_shape ? before : operation->request;
        if (counts && number >= next)
            next = number + 1;
    }
    for (uint32_t k = 0; k < event->completion_count; k++)
        completions[k].request += change;
    if (vef_event_starts_request(event)) {
        const uint64_t number = to_shape ? event->request : event->request + change;
        if (number >= next)
            next = number + 1;
        event->request += change;
    }
    if (vef_call_names_request(event->call))
        event->argument = (int64_t)((uint64_t)event->argument + change);
    event->operations = operations;
    event->completions = completions;
    numbers->next_request = next;
}

void vef_scaling_to_shape(vef_scaling_numbers *numbers, vef_event *event, vef_operation *operations,
                          vef_completion *completions) {
    convert(numbers, event, operations, completions, true);
}

void vef_scaling_from_shape(vef_scaling_numbers *numbers, vef_event *event,
                            vef_operation *operations, vef_completion *completions) {
    convert(numbers, event, operations, completions, false);
}
