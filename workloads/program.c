/* The calls of a task as events: see program.h. */
#include "workloads/program.h"

#include "common/containers/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every task has a stream for each seed. Numbers of all streams are counted together, so that no
 * step repeats the numbers of another. */
void vef_program_begin_step(vef_program *program, const vef_compute *compute,
                            const vef_node *node) {
    program->node = node;
    const uint64_t drawn = program->rng.counter;
    program->rng = vef_rng_make(compute->seed, VEF_RNG_WORKLOAD, (uint64_t)program->task << 1);
    program->rng.counter = drawn;
    program->compute = compute;
    program->factor = vef_compute_task_factor(compute, program->task);
    program->iteration = 0;
}

void vef_program_release(vef_program *program) {
    vef_map64_free(&program->sent);
    vef_map64_free(&program->received);
    free(program->pending);
}

void vef_program_compute_ns(vef_program *program, double base_ns) {
    if (base_ns > 0)
        program->gap_ns +=
            base_ns * program->factor * vef_compute_draw(program->compute, &program->rng);
}

void vef_program_compute(vef_program *program) {
    vef_program_compute_ns(program, program->compute->time_ns);
}

/* The computation of all tasks fits into the counters of `vef info`: 64 bits of ns. */
static vef_code add_computation(vef_program *program) {
    const double most_ns = 0x1p63;
    program->computing_ns += program->gap_ns;
    if (program->computing_ns < most_ns)
        return VEF_OK;
    return vef_node_fail(program->node, program->error,
                         "more than 2^63 ns of computation of all tasks: expected shorter times or "
                         "fewer iterations");
}

static void put(vef_program *program, vef_event *event) {
    if (!program->code)
        program->code = add_computation(program);
    if (program->code)
        return;
    const double whole = floor(program->gap_ns + 0.5);
    event->gap_ns = (uint64_t)whole;
    program->gap_ns -= whole; /* so that sums of phases stay exact */
    event->repeats = 1;
    event->entered = 2 * program->events;
    event->left = event->entered + 1;
    program->events++;
    program->code = vef_writer_event(program->writer, program->task, event, program->error);
}

void vef_program_begin_task(vef_program *program, uint32_t task) {
    program->task = task;
    program->gap_ns = 0;
    program->rng.counter = 0;
    program->events = program->requests = 0;
    program->pending_count = 0;
    vef_map64_clear(&program->sent);
    vef_map64_clear(&program->received);
    vef_event event = {.call = VEF_CALL_Init};
    put(program, &event);
}

static void add_pending(vef_program *program, uint64_t request) {
    *VEF_NEW_ITEM(program->pending, program->pending_count, program->pending_room) =
        (vef_completion){.request = request, .source = VEF_NO_TASK};
}

/* The number of the next message. */
static uint64_t next_ordinal(vef_map64 *map, uint32_t peer) {
    uint64_t *count = vef_map64_get(map, peer);
    if (count)
        return (*count)++;
    vef_map64_set(map, peer, 1);
    return 0;
}

static uint64_t transfer(vef_program *program, uint16_t call, bool send, uint32_t peer,
                         uint64_t bytes, int32_t tag) {
    if (program->code)
        return VEF_NO_REQUEST;
    vef_operation operation = {.flags = send ? VEF_OP_SEND : 0,
                               .peer = (int32_t)peer,
                               .tag = tag,
                               .bytes = bytes,
                               .request = VEF_NO_REQUEST};
    if (send && (program->bytes += bytes) >> 63 > 0) {
        program->code = vef_node_fail(program->node, program->error,
                                      "more than 2^63 bytes in the messages of all tasks: expected "
                                      "shorter messages or fewer iterations");
        return VEF_NO_REQUEST;
    }
    operation.ordinal = next_ordinal(send ? &program->sent : &program->received, peer);
    if (vef_call_has(call, VEF_FACT_STARTS)) {
        operation.request = program->requests++;
        add_pending(program, operation.request);
    }
    vef_event event = {.call = call, .operation_count = 1, .operations = &operation};
    put(program, &event);
    return operation.request;
}

void vef_program_send(vef_program *program, uint32_t to, uint64_t bytes, int32_t tag) {
    transfer(program, VEF_CALL_Send, true, to, bytes, tag);
}

void vef_program_receive(vef_program *program, uint32_t from, uint64_t bytes, int32_t tag) {
    transfer(program, VEF_CALL_Recv, false, from, bytes, tag);
}

uint64_t vef_program_start_send(vef_program *program, uint32_t to, uint64_t bytes, int32_t tag) {
    return transfer(program, VEF_CALL_Isend, true, to, bytes, tag);
}

uint64_t vef_program_start_receive(vef_program *program, uint32_t from, uint64_t bytes,
                                   int32_t tag) {
    return transfer(program, VEF_CALL_Irecv, false, from, bytes, tag);
}

uint64_t vef_program_collective(vef_program *program, const vef_collective_call *call) {
    if (program->code)
        return VEF_NO_REQUEST;
    vef_event event = {.call = call->call,
                       .comm = call->comm,
                       .new_comm = VEF_NO_COMM,
                       .root = vef_call_has(call->call, VEF_FACT_ROOTED) ? call->root : -1,
                       .request = VEF_NO_REQUEST,
                       .bytes = call->bytes,
                       .elements = call->elements,
                       .send_bytes = call->send_bytes,
                       .receive_bytes = call->receive_bytes,
                       .send_count = call->send_count,
                       .receive_count = call->receive_count};
    if (vef_event_starts_request(&event)) {
        event.request = program->requests++;
        add_pending(program, event.request);
    }
    put(program, &event);
    return event.request;
}

uint64_t vef_program_call(vef_program *program, uint16_t call, uint32_t comm, uint64_t bytes,
                          uint64_t elements) {
    return vef_program_collective(
        program,
        &(vef_collective_call){.call = call, .comm = comm, .bytes = bytes, .elements = elements});
}

void vef_program_wait(vef_program *program, uint64_t request) {
    size_t place = program->pending_count;
    while (place-- > 0)
        if (program->pending[place].request == request) {
            vef_event event = {.call = VEF_CALL_Wait,
                               .completion_count = 1,
                               .completions = &program->pending[place]};
            put(program, &event);
            program->pending_count--;
            memmove(program->pending + place, program->pending + place + 1,
                    (program->pending_count - place) * sizeof *program->pending);
            return;
        }
}

void vef_program_wait_all(vef_program *program) {
    if (program->pending_count == 0)
        return;
    vef_event event = {.call = VEF_CALL_Waitall,
                       .completion_count = (uint32_t)program->pending_count,
                       .completions = program->pending};
    put(program, &event);
    program->pending_count = 0;
}

void vef_program_make(vef_program *program, uint16_t call, uint32_t comm) {
    vef_event event = {.call = call, .new_comm = comm, .root = -1, .request = VEF_NO_REQUEST};
    put(program, &event);
}

void vef_program_end_task(vef_program *program) {
    vef_event event = {.call = VEF_CALL_Finalize};
    put(program, &event);
}
