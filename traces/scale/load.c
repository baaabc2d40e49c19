/* Reading a trace into memory as shapes, and refusing what no grid explains. */
#include "common/grow.h"
#include "common/hash.h"
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is being read. */
typedef struct reading {
    vef_scaling_input *input;
    uint32_t task;
    uint64_t number; /* of the event */
    vef_scaling_numbers numbers;
    vef_operation *operations;
    vef_completion *completions;
    size_t operation_capacity, completion_capacity;
    uint64_t *words;
    size_t word_count, word_capacity;
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

/* Also what a damaged trace could have. */
static vef_code check(const reading *read, const vef_event *event, vef_error *error) {
    const vef_trace_header *header = read->input->header;
    const char *why = reason_against(event);
    if (why)
        return refuse(read, event, why, error);
    bool known = event->comm < header->communicator_count &&
                 (event->new_comm < header->communicator_count || event->new_comm == VEF_NO_COMM);
    if (vef_call_kind(event->call) == VEF_KIND_COLLECTIVE ||
        vef_call_kind(event->call) == VEF_KIND_COMM) {
        if (!known)
            return refuse(read, event, "unknown communicator", error);
        if (header->communicators[event->comm].remote_size > 0)
            return refuse(read, event, "intercommunicators are not extrapolated", error);
    }
    for (uint32_t k = 0; k < event->operation_count; k++)
        if (event->operations[k].comm >= header->communicator_count ||
            event->operations[k].peer >= (int64_t)header->tasks ||
            event->operations[k].peer < VEF_NO_TASK)
            return refuse(read, event, "unknown communicator or peer", error);
    return VEF_OK;
}

static void put(reading *read, uint64_t word) {
    vef_grow(&read->words, &read->word_capacity, read->word_count + 1, sizeof *read->words);
    read->words[read->word_count++] = word;
}

static void put_list(reading *read, const uint64_t *list, uint32_t count) {
    put(read, count);
    for (uint32_t k = 0; k < count; k++)
        put(read, list[k]);
}

static void put_name(reading *read, const char *name) {
    if (!name) {
        put(read, 0);
        return;
    }
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, name, strlen(name));
    put(read, hash.low);
    put(read, hash.high);
}

/* All fields of a shape as words. */
static void spell(reading *read, const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    read->word_count = 0;
    put(read, (uint64_t)event->call << 16 | event->flags);
    put(read, event->operation_count);
    put(read, event->completion_count);
    for (uint32_t k = 0; k < event->operation_count; k++) {
        const vef_operation *operation = &event->operations[k];
        put(read, (uint64_t)operation->flags << 32 | (uint32_t)operation->peer);
        put(read, (uint64_t)operation->comm << 32 | (uint32_t)operation->tag);
        put(read, operation->bytes);
        put(read, operation->ordinal);
        put(read, operation->request);
    }
    for (uint32_t k = 0; k < event->completion_count; k++)
        put(read, event->completions[k].request);
    if (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM) {
        put(read, (uint64_t)event->comm << 32 | event->new_comm);
        put(read, (uint64_t)event->persistent << 32 | (uint32_t)event->root);
        put(read, vef_event_starts_request(event) ? event->request : 0);
        put(read, event->bytes);
        put(read, event->elements);
        put_list(read, event->send_bytes, event->send_count);
        put_list(read, event->receive_bytes, event->receive_count);
    }
    put(read, (uint64_t)event->argument);
    put_name(read, event->name);
}

static void *copy(vef_arena *arena, const void *list, size_t count, size_t bytes) {
    return count == 0 ? NULL : memcpy(vef_arena_alloc(arena, count, bytes), list, count * bytes);
}

static uint32_t add_shape(reading *read, const vef_event *event) {
    vef_scaling_input *input = read->input;
    vef_arena *arena = &input->arena;
    if (input->shape_count == UINT32_MAX)
        vef_lost(input->shape_count * sizeof *input->shapes);
    vef_grow(&input->shapes, &input->shape_capacity, input->shape_count + 1, sizeof *input->shapes);
    vef_scaling_shape *shape = &input->shapes[input->shape_count];
    *shape = (vef_scaling_shape){.event = *event, .word_count = read->word_count};
    shape->words = copy(arena, read->words, read->word_count, sizeof *read->words);
    vef_event *to = &shape->event;
    to->operations =
        copy(arena, event->operations, event->operation_count, sizeof *event->operations);
    to->completions =
        copy(arena, event->completions, event->completion_count, sizeof *event->completions);
    to->send_bytes = copy(arena, event->send_bytes, event->send_count, sizeof *event->send_bytes);
    to->receive_bytes =
        copy(arena, event->receive_bytes, event->receive_count, sizeof *event->receive_bytes);
    if (event->name)
        to->name = vef_arena_string(arena, event->name);
    return (uint32_t)input->shape_count++;
}

/* The number of the shape, a new one if there is none like it. */
static uint32_t find_shape(reading *read, const vef_event *event) {
    vef_scaling_input *input = read->input;
    spell(read, event);
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, read->words, read->word_count * sizeof *read->words);
    for (uint64_t key = hash.low & (UINT64_MAX >> 1);; key = (key + 1) & (UINT64_MAX >> 1)) {
        const uint64_t *found = vef_map64_get(&input->shape_of, key);
        if (!found) {
            const uint32_t number = add_shape(read, event);
            vef_map64_set(&input->shape_of, key, number);
            return number;
        }
        const vef_scaling_shape *shape = &input->shapes[*found];
        if (shape->word_count == read->word_count &&
            memcmp(shape->words, read->words, read->word_count * sizeof *read->words) == 0)
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
    const uint32_t of[] = {event->comm, event->new_comm};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i] < input->header->communicator_count) {
            const uint32_t size = input->header->communicators[of[i]].size;
            if (size != 1 && size != input->tasks)
                return true;
        }
    return false;
}

static void add_event(reading *read, const vef_event *event) {
    vef_scaling_input *input = read->input;
    vef_scaling_task *task = &input->task[read->task];
    vef_scaling_event to = {.gap_ns = event->gap_ns, .outside_ns = event->outside_ns};
    vef_event plain = *event;
    plain.gap_ns = plain.outside_ns = plain.duration_ns = plain.entered = plain.left = 0;
    vef_grow(&read->operations, &read->operation_capacity, event->operation_count,
             sizeof *read->operations);
    vef_grow(&read->completions, &read->completion_capacity, event->completion_count,
             sizeof *read->completions);
    vef_grow(&task->events, &task->capacity, task->count + 1, sizeof *task->events);
    if (event->operation_count > 0)
        memcpy(read->operations, event->operations,
               event->operation_count * sizeof *read->operations);
    if (event->completion_count > 0)
        memcpy(read->completions, event->completions,
               event->completion_count * sizeof *read->completions);
    vef_scaling_to_shape(&read->numbers, &plain, read->operations, read->completions);
    to.shape = find_shape(read, &plain);
    input->spatial = input->spatial || is_spatial(input, event);
    task->events[task->count++] = to;
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
    reading read = {.input = input};
    for (uint32_t task = 0; !code && task < input->tasks; task++) {
        read.task = task;
        code = read_task(&read, error);
        vef_progress_update(progress, task + 1, input->tasks);
    }
    vef_scaling_numbers_free(&read.numbers);
    free(read.operations);
    free(read.completions);
    free(read.words);
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
