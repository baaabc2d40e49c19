/* Extrapolating to the tasks of another run, and comparing with it: what one trace cannot show,
 * such as a loop whose length depends on the number of tasks, differs there. */
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The extents of the first Cartesian communicator of all tasks: "4x8"; false: there is none. */
static bool find_grid(const vef_trace_header *header, char *text) {
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *comm = &header->communicators[i];
        size_t used = 0;
        if (comm->size != header->tasks || comm->dimensions == 0 ||
            comm->dimensions > VEF_SCALING_DIMENSIONS)
            continue;
        for (uint32_t d = 0; d < comm->dimensions; d++)
            used += (size_t)snprintf(text + used, VEF_SCALING_GRID_TEXT - used, "%s%u",
                                     d ? "x" : "", comm->extents[d]);
        return true;
    }
    return false;
}

/* A communicator of the result and one of the other trace: their sizes, and the tasks of all ranks.
 */
static bool same_comm(const vef_scaling_maker *maker, uint32_t comm, const vef_scaling_input *other,
                      uint32_t number) {
    const vef_scaling_fit *fit = maker->fit;
    if (comm == VEF_NO_COMM || number == VEF_NO_COMM)
        return comm == number;
    const vef_scaling_family *family = &fit->families.list[fit->families.of[comm]];
    const vef_communicator *real = &other->header->communicators[number];
    uint32_t member[VEF_SCALING_DIMENSIONS];
    bool same = real->size == family->new_size && real->remote_size == 0;
    for (uint32_t rank = 0; same && rank < real->size; rank++) {
        vef_scaling_member(&fit->grid, fit->grid.to, family->spans, maker->at, rank, member);
        same =
            vef_scaling_task_at(fit->grid.dimensions, fit->grid.to, member) == real->members[rank];
    }
    return same;
}

static bool same_lists(const uint64_t *a, uint32_t count, const uint64_t *b, uint32_t other) {
    return count == other && (count == 0 || memcmp(a, b, count * sizeof *a) == 0);
}

static bool same_operation(const vef_operation *a, const vef_operation *b) {
    return a->peer == b->peer && a->flags == b->flags && a->tag == b->tag && a->bytes == b->bytes &&
           a->ordinal == b->ordinal && a->request == b->request;
}

/* `made` is the event `number` of the result's current task. */
static bool same_event(const vef_scaling_maker *maker, size_t number, const vef_event *made,
                       const vef_scaling_input *other, const vef_event *real) {
    const vef_event *from = vef_scaling_event_of(maker->fit->input, maker->like, number);
    const vef_kind kind = vef_call_kind(made->call);
    bool same = made->call == real->call && made->flags == real->flags &&
                made->operation_count == real->operation_count &&
                made->completion_count == real->completion_count &&
                made->argument == real->argument && !made->name == !real->name &&
                (!made->name || strcmp(made->name, real->name) == 0);
    for (uint32_t k = 0; same && k < made->operation_count; k++)
        same = same_operation(&made->operations[k], &real->operations[k]) &&
               same_comm(maker, from->operations[k].comm, other, real->operations[k].comm);
    for (uint32_t k = 0; same && k < made->completion_count; k++)
        same = made->completions[k].request == real->completions[k].request;
    if (!same || (kind != VEF_KIND_COLLECTIVE && kind != VEF_KIND_COMM))
        return same;
    if (kind == VEF_KIND_COMM && !same_comm(maker, from->new_comm, other, real->new_comm))
        return false;
    return made->root == real->root && made->bytes == real->bytes &&
           made->elements == real->elements && made->persistent == real->persistent &&
           (!vef_event_starts_request(made) || made->request == real->request) &&
           same_comm(maker, from->comm, other, real->comm) &&
           same_lists(made->send_bytes, made->send_count, real->send_bytes, real->send_count) &&
           same_lists(made->receive_bytes, made->receive_count, real->receive_bytes,
                      real->receive_count);
}

static vef_code compare_task(vef_scaling_maker *maker, const vef_scaling_input *other,
                             vef_error *error) {
    const vef_scaling_input *input = maker->fit->input;
    const size_t made = input->task[maker->like].count, real = other->task[maker->task].count;
    char calls[2][VEF_SCALING_CALL_TEXT];
    for (size_t number = 0; number < made || number < real; number++) {
        vef_event event;
        const vef_event *found = NULL;
        snprintf(calls[0], sizeof calls[0], "the end");
        snprintf(calls[1], sizeof calls[1], "the end");
        if (number < made) {
            vef_scaling_make(maker, number, &event);
            vef_scaling_describe(&event, calls[0]);
        }
        if (number < real) {
            found = vef_scaling_event_of(other, maker->task, number);
            vef_scaling_describe(found, calls[1]);
        }
        if (number >= made || number >= real || !same_event(maker, number, &event, other, found))
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s: task %u, event %zu is %s; extrapolated from %s it would be %s: "
                            "the program does not follow the rules from %u to %u tasks",
                            vef_trace_path(other->trace), maker->task, number, calls[1],
                            vef_trace_path(input->trace), calls[0], input->tasks, other->tasks);
    }
    return VEF_OK;
}

static vef_code compare(const vef_scaling_input *input, const vef_scaling_options *options,
                        const vef_scaling_input *other, vef_error *error) {
    vef_scaling_options wanted = *options;
    vef_scaling_fit fit = {0};
    char grid[VEF_SCALING_GRID_TEXT];
    wanted.to = other->tasks == options->tasks ? options->to : NULL;
    if (!wanted.to && find_grid(other->header, grid))
        wanted.to = grid;
    wanted.tasks = other->tasks;
    vef_code code = vef_scaling_find(input, &wanted, &fit, error);
    if (!code) {
        vef_scaling_maker maker;
        vef_scaling_maker_init(&maker, &fit);
        for (uint32_t task = 0; !code && task < other->tasks; task++) {
            vef_scaling_maker_begin(&maker, task);
            code = compare_task(&maker, other, error);
        }
        vef_scaling_maker_free(&maker);
    }
    vef_scaling_fit_free(&fit);
    return code;
}

vef_code vef_scaling_verify(const vef_scaling_input *input, const vef_scaling_options *options,
                            vef_progress *progress, vef_error *error) {
    vef_scaling_input other = {.trace = options->check};
    const uint32_t tasks = vef_trace_get_header(options->check)->tasks;
    if (tasks <= input->tasks)
        return vef_fail(error, VEF_INVALID,
                        "%s: the trace to check against has %u tasks: expected more than the %u of "
                        "%s",
                        vef_trace_path(options->check), tasks, input->tasks,
                        vef_trace_path(input->trace));
    vef_code code = vef_scaling_load(&other, progress, error);
    if (!code)
        code = compare(input, options, &other, error);
    vef_scaling_input_free(&other);
    return code;
}
