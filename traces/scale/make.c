/* The events of the result: those of the task of the trace that represents each of its tasks, with
 * peers, communicators and sizes of the larger grid. */
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vef_scaling_maker_init(vef_scaling_maker *maker, const vef_scaling_fit *fit) {
    uint32_t operations = 1, completions = 1;
    const vef_scaling_input *input = fit->input;
    size_t counts = fit->options->tasks;
    for (size_t i = 0; i < input->shape_count; i++) {
        const vef_event *event = &input->shapes[i].event;
        if (event->operation_count > operations)
            operations = event->operation_count;
        if (event->completion_count > completions)
            completions = event->completion_count;
        if (event->send_count > counts)
            counts = event->send_count;
        if (event->receive_count > counts)
            counts = event->receive_count;
    }
    *maker = (vef_scaling_maker){.fit = fit};
    maker->operations = vef_calloc(operations, sizeof *maker->operations);
    maker->completions = vef_calloc(completions, sizeof *maker->completions);
    maker->sends = vef_calloc(counts, sizeof *maker->sends);
    maker->receives = vef_calloc(counts, sizeof *maker->receives);
}

void vef_scaling_maker_free(vef_scaling_maker *maker) {
    free(maker->operations);
    free(maker->completions);
    free(maker->sends);
    free(maker->receives);
}

void vef_scaling_maker_begin(vef_scaling_maker *maker, uint32_t task) {
    const vef_scaling_grid *grid = &maker->fit->grid;
    uint32_t from[VEF_SCALING_DIMENSIONS];
    maker->task = task;
    vef_scaling_place(grid->dimensions, grid->to, task, maker->at);
    vef_scaling_origin(grid, maker->at, from);
    maker->like = vef_scaling_task_at(grid->dimensions, grid->from, from);
}

/* The number in the result of the communicator that corresponds to one of the trace. */
static uint32_t new_comm(const vef_scaling_maker *maker, uint32_t comm) {
    const vef_scaling_fit *fit = maker->fit;
    if (comm == VEF_NO_COMM)
        return comm;
    const vef_scaling_family *family = &fit->families.list[fit->families.of[comm]];
    return family->number + vef_scaling_anchor(&fit->grid, fit->grid.to, family->spans, maker->at);
}

static void make_operation(const vef_scaling_maker *maker, vef_operation *operation) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t *at = vef_scaling_place_of(fit, maker->like);
    vef_scaling_step step;
    uint32_t dimension, peer = 0;
    operation->comm = new_comm(maker, operation->comm);
    if (operation->peer == VEF_NO_TASK)
        return;
    vef_scaling_step_of(grid, grid->from, at, vef_scaling_place_of(fit, (uint32_t)operation->peer),
                        &step, &dimension);
    vef_scaling_step_to(grid, grid->to, maker->at, &step, &peer);
    vef_scaling_message_bytes(fit, at, &step, operation->bytes, &operation->bytes);
    operation->peer = (int32_t)peer;
}

/* The lists of the event: of neighbours, as they are; of a rooted collective, those of the root of
 * the trace, at the root of the result alone. */
static void make_lists(vef_scaling_maker *maker, size_t number, vef_event *event) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_grid *grid = &fit->grid;
    const vef_scaling_family *family = &fit->families.list[fit->families.of[event->comm]];
    const vef_event *source = vef_scaling_event_of(fit->input, maker->like, number);
    uint32_t like = maker->like, root[VEF_SCALING_DIMENSIONS], size = family->new_size;
    if (vef_call_has(event->call, VEF_FACT_ROOTED)) {
        const int32_t new_root = event->root == 0 ? 0 : (int32_t)size - 1;
        const bool grown = family->size != size;
        vef_scaling_member(grid, grid->to, family->spans, maker->at,
                           (uint32_t)(grown ? new_root : event->root), root);
        const bool here = vef_scaling_task_at(grid->dimensions, grid->to, root) == maker->task;
        if (here) { /* then the root of the trace is of the class of `like`, or is it */
            vef_scaling_member(grid, grid->from, family->spans, vef_scaling_place_of(fit, like),
                               (uint32_t)event->root, root);
            like = vef_scaling_task_at(grid->dimensions, grid->from, root);
            source = vef_scaling_event_of(fit->input, like, number);
        }
        event->root = grown ? new_root : event->root;
        event->send_count = here ? source->send_count : 0;
        event->receive_count = here ? source->receive_count : 0;
    }
    const struct {
        uint32_t *count;
        const uint64_t *from;
        uint64_t *to;
    } lists[] = {{&event->send_count, source->send_bytes, maker->sends},
                 {&event->receive_count, source->receive_bytes, maker->receives}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (*lists[i].count == 0)
            continue;
        if (!vef_call_has(event->call, VEF_FACT_NEIGHBOURS)) {
            vef_scaling_vector_make(fit, maker->at, like, source, lists[i].from, lists[i].to);
            *lists[i].count = size;
            continue;
        }
        for (uint32_t k = 0; k < *lists[i].count; k++)
            vef_scaling_collective_bytes(fit, source, lists[i].from[k], &lists[i].to[k]);
    }
    event->send_bytes = event->send_count ? maker->sends : NULL;
    event->receive_bytes = event->receive_count ? maker->receives : NULL;
}

void vef_scaling_make(vef_scaling_maker *maker, size_t number, vef_event *to) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_event *event = vef_scaling_event_of(fit->input, maker->like, number);
    const vef_kind kind = vef_call_kind(event->call);
    *to = *event;
    for (uint32_t k = 0; k < event->operation_count; k++) {
        maker->operations[k] = event->operations[k];
        make_operation(maker, &maker->operations[k]);
    }
    for (uint32_t k = 0; k < event->completion_count; k++)
        maker->completions[k] = event->completions[k];
    to->operations = maker->operations;
    to->completions = maker->completions;
    if (kind == VEF_KIND_COLLECTIVE) {
        vef_scaling_collective_bytes(fit, event, event->bytes, &to->bytes);
        if (vef_scaling_shares_elements(event->call))
            vef_scaling_collective_bytes(fit, event, event->elements, &to->elements);
        make_lists(maker, number, to);
    }
    if (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM) {
        to->comm = new_comm(maker, event->comm);
        to->new_comm = kind == VEF_KIND_COMM ? new_comm(maker, event->new_comm) : event->new_comm;
    }
}

/* ---- comparing grids ---- */

/* A communicator of the result, by what does not depend on its number. */
static bool same_comm(const vef_scaling_maker *a, uint32_t comm, const vef_scaling_maker *b,
                      uint32_t other) {
    if (comm == VEF_NO_COMM || other == VEF_NO_COMM)
        return comm == other;
    uint32_t ends[2][2], member[VEF_SCALING_DIMENSIONS];
    const vef_scaling_maker *const of[] = {a, b};
    const uint32_t numbers[] = {comm, other};
    const vef_scaling_family *families[2];
    for (int i = 0; i < 2; i++) {
        const vef_scaling_fit *fit = of[i]->fit;
        const vef_scaling_grid *grid = &fit->grid;
        families[i] = &fit->families.list[fit->families.of[numbers[i]]];
        for (int end = 0; end < 2; end++) {
            vef_scaling_member(grid, grid->to, families[i]->spans, of[i]->at,
                               end ? families[i]->new_size - 1 : 0, member);
            ends[i][end] = vef_scaling_task_at(grid->dimensions, grid->to, member);
        }
    }
    return families[0]->new_size == families[1]->new_size && ends[0][0] == ends[1][0] &&
           ends[0][1] == ends[1][1];
}

/* Peers and sizes of the same event; with strong scaling sizes depend on the dimensions, of which
 * the grid that is tried first has the fewest. */
static bool same_event(const vef_event *a, const vef_event *b, bool sizes) {
    bool same = a->call == b->call && a->operation_count == b->operation_count &&
                a->root == b->root && a->send_count == b->send_count &&
                a->receive_count == b->receive_count && (!sizes || a->bytes == b->bytes);
    for (uint32_t k = 0; same && k < a->operation_count; k++)
        same = a->operations[k].peer == b->operations[k].peer &&
               (!sizes || a->operations[k].bytes == b->operations[k].bytes);
    for (uint32_t k = 0; same && sizes && k < a->send_count; k++)
        same = a->send_bytes[k] == b->send_bytes[k];
    for (uint32_t k = 0; same && sizes && k < a->receive_count; k++)
        same = a->receive_bytes[k] == b->receive_bytes[k];
    return same;
}

/* Compares the current task of both; the number of the first event that differs, or SIZE_MAX. */
static size_t first_difference(vef_scaling_maker *a, vef_scaling_maker *b) {
    const vef_scaling_input *input = a->fit->input;
    const bool sizes = !a->fit->options->strong;
    const size_t count = input->task[a->like].count, other = input->task[b->like].count;
    for (size_t number = 0; number < count && number < other; number++) {
        const vef_event *of_a = vef_scaling_event_of(input, a->like, number);
        const vef_event *of_b = vef_scaling_event_of(input, b->like, number);
        const vef_kind kind = vef_call_kind(of_a->call);
        vef_event made_a, made_b;
        vef_scaling_make(a, number, &made_a);
        vef_scaling_make(b, number, &made_b);
        if (!same_event(&made_a, &made_b, sizes))
            return number;
        for (uint32_t k = 0; k < of_a->operation_count; k++)
            if (!same_comm(a, of_a->operations[k].comm, b, of_b->operations[k].comm))
                return number;
        if ((kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM) &&
            (!same_comm(a, of_a->comm, b, of_b->comm) ||
             (kind == VEF_KIND_COMM && !same_comm(a, of_a->new_comm, b, of_b->new_comm))))
            return number;
    }
    return count == other ? SIZE_MAX : count < other ? count : other;
}

bool vef_scaling_same(const vef_scaling_fit *a, const vef_scaling_fit *b, char *difference) {
    vef_scaling_maker of_a, of_b;
    bool same = true;
    vef_scaling_maker_init(&of_a, a);
    vef_scaling_maker_init(&of_b, b);
    for (uint32_t task = 0; same && task < a->options->tasks; task++) {
        vef_scaling_maker_begin(&of_a, task);
        vef_scaling_maker_begin(&of_b, task);
        const size_t number = first_difference(&of_a, &of_b);
        same = number == SIZE_MAX;
        if (!same)
            snprintf(difference, VEF_SCALING_REASON, "task %u, event %zu of the result", task,
                     number);
    }
    vef_scaling_maker_free(&of_a);
    vef_scaling_maker_free(&of_b);
    return same;
}
