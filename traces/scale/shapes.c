/* Events without what differs from iteration to iteration: requests and ordinals as differences.
 * See vef_scaling_shape. */
#include "traces/scale/scale_state.h"

/* Added to differences, so that none equals VEF_NO_ORDINAL or VEF_NO_REQUEST: numbers
 * of traces are below 2^63, and no trace has 2^62 messages. */
#define BIAS (UINT64_C(1) << 62)

/* The conversion of one event; its numbers count from the beginning of it. */
typedef struct conversion {
    vef_scaling_numbers *numbers;
    uint64_t next_request; /* after the event */
    bool to_shape, counts;
} conversion;

void vef_scaling_numbers_clear(vef_scaling_numbers *numbers) {
    numbers->next_request = 0;
    vef_map64_clear(&numbers->sent);
    vef_map64_clear(&numbers->received);
}

void vef_scaling_numbers_free(vef_scaling_numbers *numbers) {
    vef_map64_free(&numbers->sent);
    vef_map64_free(&numbers->received);
    vef_event_room_free(&numbers->room);
}

/* Adds or subtracts the messages so far, and counts the message. */
static bool convert_ordinal(void *context, const vef_field_place *place, uint64_t *ordinal) {
    const conversion *self = context;
    const vef_operation *operation = place->operation;
    if (operation->peer < 0)
        return true;
    vef_map64 *map =
        operation->flags & VEF_OP_SEND ? &self->numbers->sent : &self->numbers->received;
    const uint64_t *found = vef_map64_get(map, (uint64_t)operation->peer);
    const uint64_t so_far = found ? *found : 0;
    *ordinal += self->to_shape ? BIAS - so_far : so_far - BIAS;
    if (self->counts)
        vef_map64_set(map, (uint64_t)operation->peer, so_far + 1);
    return true;
}

static bool convert_request(void *context, const vef_field_place *place, vef_use use,
                            uint64_t *request) {
    conversion *self = context;
    const uint64_t base = self->numbers->next_request, before = *request;
    *request += self->to_shape ? BIAS - base : base - BIAS;
    const uint64_t number = self->to_shape ? before : *request;
    if (use == VEF_USE_STARTS && (self->counts || !place->operation) &&
        number >= self->next_request)
        self->next_request = number + 1;
    return true;
}

static void convert(vef_scaling_numbers *numbers, const vef_event *from, vef_event *to,
                    bool to_shape) {
    conversion self = {numbers, numbers->next_request, to_shape,
                       vef_call_kind(from->call) == VEF_KIND_TRANSFER};
    const vef_rewriter rewriter = {.context = &self,
                                   .request = convert_request,
                                   .ordinal = convert_ordinal,
                                   .room = &numbers->room};
    vef_rewrite(&rewriter, from, to);
    numbers->next_request = self.next_request;
}

void vef_scaling_to_shape(vef_scaling_numbers *numbers, const vef_event *from, vef_event *to) {
    convert(numbers, from, to, true);
}

void vef_scaling_from_shape(vef_scaling_numbers *numbers, const vef_event *from, vef_event *to) {
    convert(numbers, from, to, false);
}
