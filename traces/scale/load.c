/* Reading a trace into memory as shapes, which are events without what differs from iteration to
 * iteration, and refusing what no grid explains. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes ---- */

/* Added to differences, so that none equals VEF_NO_ORDINAL or VEF_NO_REQUEST: numbers
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

void vef_scaling_numbers_begin(vef_scaling_numbers *numbers, const vef_event *event) {
    numbers->base_request = numbers->next_request;
    numbers->counts = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
}

/* Adds or subtracts the messages so far, and counts the message. */
bool vef_scaling_convert_ordinal(void *context, const vef_field_place *place, uint64_t *ordinal) {
    vef_scaling_numbers *numbers = context;
    const vef_operation *operation = place->operation;
    if (operation->peer < 0)
        return true;
    vef_map64 *map = operation->flags & VEF_OP_SEND ? &numbers->sent : &numbers->received;
    const uint64_t *found = vef_map64_get(map, (uint64_t)operation->peer);
    const uint64_t so_far = found ? *found : 0;
    *ordinal += numbers->to_shape ? BIAS - so_far : so_far - BIAS;
    if (numbers->counts)
        vef_map64_set(map, (uint64_t)operation->peer, so_far + 1);
    return true;
}

bool vef_scaling_convert_request(void *context, const vef_field_place *place, vef_use use,
                                 uint64_t *request) {
    vef_scaling_numbers *numbers = context;
    const uint64_t base = numbers->base_request, before = *request;
    *request += numbers->to_shape ? BIAS - base : base - BIAS;
    const uint64_t number = numbers->to_shape ? before : *request;
    if (use == VEF_USE_STARTS && (numbers->counts || !place->operation) &&
        number >= numbers->next_request)
        numbers->next_request = number + 1;
    return true;
}

/* ---- reading ---- */

/* What is being read. */
typedef struct reading {
    vef_scaling_input *input;
    uint32_t task;
    uint64_t number; /* of the event */
    vef_scaling_numbers numbers;
    vef_event_room room;
} reading;

static vef_code refuse(const reading *read, const vef_event *event, const char *why,
                       vef_error *error) {
    return vef_fail(error, VEF_UNSUPPORTED, "%s: task %u, event %" PRIu64 " (MPI_%s): %s",
                    vef_trace_path(read->input->trace), read->task, read->number,
                    vef_call_name(event->call), why);
}

/* What depends on time, or lacks its other side. NULL: nothing. */
static const char *reason_against(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    if (kind == VEF_KIND_ONE_SIDED || kind == VEF_KIND_SYNC ||
        (kind == VEF_KIND_COMM && vef_call_has(event->call, VEF_FACT_WINDOW)))
        return "one-sided communication is not extrapolated: expected messages and collectives";
    if (event->flags & VEF_EVENT_POLL)
        return "the number of unsuccessful tests or probes depends on time: expected calls that "
               "wait";
    if (event->flags & VEF_EVENT_UNMATCHED)
        return "not all tasks of the communicator have this call in the trace: expected a whole "
               "run, or a slice between two collectives of all tasks";
    if (event->flags & VEF_EVENT_OPEN)
        return "the call had not returned when the task ended: expected a complete trace";
    if (vef_call_has(event->call, VEF_FACT_CANCELS))
        return "the effect of a cancellation depends on time";
    for (uint32_t k = 0; k < event->operation_count; k++) {
        const uint16_t flags = event->operations[k].flags;
        if (flags & VEF_OP_ANY_SOURCE)
            return "a receive from MPI_ANY_SOURCE has the sender that came first: expected a "
                   "named source";
        if (flags & (VEF_OP_UNMATCHED | VEF_OP_PROBED))
            return "the other side of the message is not in the trace: expected a whole run, or a "
                   "slice between two collectives of all tasks";
        if (flags & VEF_OP_CANCELLED)
            return "the effect of a cancellation depends on time";
    }
    for (uint32_t k = 0; k < event->completion_count; k++)
        if (event->completions[k].cancelled)
            return "the effect of a cancellation depends on time";
    if (kind == VEF_KIND_COLLECTIVE && event->root < VEF_NO_TASK)
        return "intercommunicators are not extrapolated";
    return NULL;
}

static vef_code check(const reading *read, const vef_event *event, vef_error *error) {
    const char *why = reason_against(event);
    if (!why && VEF_IN_JOINT >> vef_call_kind(event->call) & 1 &&
        read->input->header->communicators[event->comm].remote_size > 0)
        why = "intercommunicators are not extrapolated";
    return why ? refuse(read, event, why, error) : VEF_OK;
}

static void *copy(vef_arena *arena, const void *list, size_t count, size_t bytes) {
    return count == 0 ? NULL : memcpy(vef_arena_alloc(arena, count, bytes), list, count * bytes);
}

static uint32_t add_shape(vef_scaling_input *input, const vef_event *event) {
    vef_arena *arena = &input->arena;
    if (input->shape_count == UINT32_MAX)
        vef_lost(input->shape_count * sizeof *input->shapes);
    vef_event *to = VEF_NEW_ITEM(input->shapes, input->shape_count, input->shape_capacity);
    *to = *event;
    to->operations =
        copy(arena, event->operations, event->operation_count, sizeof *event->operations);
    to->completions =
        copy(arena, event->completions, event->completion_count, sizeof *event->completions);
    to->send_bytes = copy(arena, event->send_bytes, event->send_count, sizeof *event->send_bytes);
    to->receive_bytes =
        copy(arena, event->receive_bytes, event->receive_count, sizeof *event->receive_bytes);
    if (event->name)
        to->name = vef_arena_string(arena, event->name);
    return (uint32_t)input->shape_count - 1;
}

/* The number of the shape, a new one if there is none like it. */
static uint32_t find_shape(vef_scaling_input *input, const vef_event *event) {
    const vef_event_comparison whole = {0};
    uint32_t ignored;
    for (uint64_t key = vef_event_hash(event) >> 1;; key = (key + 1) & (UINT64_MAX >> 1)) {
        const uint64_t *found = vef_map64_get(&input->shape_of, key);
        if (!found) {
            const uint32_t number = add_shape(input, event);
            vef_map64_set(&input->shape_of, key, number);
            return number;
        }
        if (vef_event_compare(&input->shapes[*found], event, &whole, &ignored) == VEF_ROLES)
            return (uint32_t)*found;
    }
}

/* Whether the place of a task in a grid matters to an event. */
static bool is_spatial(const vef_scaling_input *input, const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    for (uint32_t k = 0; k < event->operation_count; k++)
        if (event->operations[k].peer != VEF_NO_TASK)
            return true;
    if (kind != VEF_KIND_COLLECTIVE && kind != VEF_KIND_COMM)
        return false;
    if (event->send_count > 0 || event->receive_count > 0)
        return true;
    const uint32_t comms[] = {event->comm, event->new_comm};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++)
        if (comms[i] < input->header->communicator_count) {
            const uint32_t size = input->header->communicators[comms[i]].size;
            if (size != 1 && size != input->tasks)
                return true;
        }
    return false;
}

static void add_event(reading *read, const vef_event *event) {
    vef_scaling_input *input = read->input;
    vef_scaling_task *task = &input->task[read->task];
    vef_scaling_event to = {.gap_ns = event->gap_ns, .outside_ns = event->outside_ns};
    const vef_rewriter rewriter = {.context = &read->numbers,
                                   .request = vef_scaling_convert_request,
                                   .ordinal = vef_scaling_convert_ordinal,
                                   .room = &read->room};
    vef_event plain;
    vef_scaling_numbers_begin(&read->numbers, event);
    vef_rewrite(&rewriter, event, &plain);
    plain.gap_ns = plain.outside_ns = plain.duration_ns = plain.entered = plain.left = 0;
    to.shape = find_shape(input, &plain);
    input->spatial = input->spatial || is_spatial(input, event);
    *VEF_NEW_ITEM(task->events, task->count, task->capacity) = to;
}

static vef_code read_task(reading *read, vef_error *error) {
    vef_stream *stream = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_stream_open(read->input->trace, read->task, 0, &stream, error);
    if (code)
        return code;
    vef_stream_skip_durations(stream);
    vef_scaling_numbers_clear(&read->numbers);
    read->number = 0;
    for (;;) {
        code = vef_stream_next(stream, &event, error);
        if (code || !event)
            break;
        code = check(read, event, error);
        if (code)
            break;
        add_event(read, event);
        read->number++;
    }
    vef_stream_close(stream);
    return code;
}

static vef_code check_header(const vef_scaling_input *input, vef_error *error) {
    const vef_trace_header *header = input->header;
    const char *path = vef_trace_path(input->trace);
    if (header->tasks < 2)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%s: the trace has one task: no rule follows from one task: expected 4 or "
                        "more",
                        path);
    if (header->events == 0)
        return vef_fail(error, VEF_UNSUPPORTED, "%s: the trace has no calls", path);
    for (uint32_t i = 0; i < header->tasks; i++) {
        const vef_trace_task *task = &header->task[i];
        if (task->threads > 1)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s: task %u has %u threads: expected one thread per task", path, i,
                            task->threads);
        if (task->end != VEF_LOG_FINALIZED || task->skipped > 0)
            return vef_fail(
                error, VEF_UNSUPPORTED, "%s: task %u %s: expected a complete trace", path, i,
                task->skipped > 0 ? "lacks its first calls" : "did not end with MPI_Finalize");
    }
    return VEF_OK;
}

vef_code vef_scaling_load(vef_scaling_input *input, vef_progress *progress, vef_error *error) {
    input->header = vef_trace_get_header(input->trace);
    input->tasks = input->header->tasks;
    vef_code code = check_header(input, error);
    if (code)
        return code;
    input->task = vef_calloc(input->tasks, sizeof *input->task);
    reading read = {.input = input, .numbers.to_shape = true};
    for (uint32_t task = 0; !code && task < input->tasks; task++) {
        read.task = task;
        code = read_task(&read, error);
        vef_progress_update(progress, task + 1, input->tasks);
    }
    vef_scaling_numbers_free(&read.numbers);
    vef_event_room_free(&read.room);
    return code;
}

void vef_scaling_input_free(vef_scaling_input *input) {
    for (uint32_t i = 0; input->task && i < input->tasks; i++)
        free(input->task[i].events);
    free(input->task);
    free(input->shapes);
    vef_map64_free(&input->shape_of);
    vef_arena_release(&input->arena);
}
