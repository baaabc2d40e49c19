/* Checking a trace against a grid: event by event, the first task of each class against the rules,
 * every other task against the first one of its class. Events are compared in the order of their
 * number, so the misfit is the first in the run of all tasks. */
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fills in the reason; false. */
static bool misfit(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool misfit(char *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, VEF_SCALING_REASON, format, arguments);
    va_end(arguments);
    return false;
}

/* "+1,0": distances, or =3 for a coordinate of a fixed dimension. */
static const char *step_text(const vef_scaling_grid *grid, const vef_scaling_step *step,
                             char text[static VEF_SCALING_GRID_TEXT]) {
    size_t used = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        used += (size_t)snprintf(text + used, VEF_SCALING_GRID_TEXT - used,
                                 vef_scaling_grows(grid, d) ? "%s%+d" : "%s=%d", d ? "," : "",
                                 step->by[d]);
    return text;
}

/* ---- rules ---- */

static bool comm_fits(const vef_scaling_fit *fit, uint32_t comm, char *reason) {
    const uint32_t family = fit->families.family_of[comm];
    const vef_communicator *found = &fit->input->header->communicators[comm];
    if (found->neighbours)
        return misfit(reason,
                      "communicator %u has a graph topology: expected a Cartesian one, or none",
                      comm);
    if (family == VEF_NO_COMM)
        return misfit(reason,
                      "communicator %u (%u tasks from task %u) is not all tasks, one task, or a "
                      "row or plane of the grid in the order of tasks, made from such a one",
                      comm, found->size, found->size ? found->members[0] : 0);
    if (fit->families.list[family].filled < fit->families.list[family].anchors)
        return misfit(reason,
                      "communicator %u (%u tasks from task %u) has no counterpart in other rows "
                      "or planes of the grid: expected %u like it",
                      comm, found->size, found->members[0], fit->families.list[family].anchors);
    return true;
}

static bool operation_fits(const vef_scaling_fit *fit, uint32_t task,
                           const vef_operation *operation, char *reason) {
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t *place = vef_scaling_place_of(fit, task);
    vef_scaling_step step;
    uint32_t dimension = 0;
    uint64_t bytes;
    char text[VEF_SCALING_GRID_TEXT];
    if (!comm_fits(fit, operation->comm, reason))
        return false;
    if (operation->peer == VEF_NO_TASK)
        return true;
    if (!vef_scaling_step_of(grid, grid->from, place,
                             vef_scaling_place_of(fit, (uint32_t)operation->peer), &step,
                             &dimension))
        return misfit(reason,
                      "the step of %s to task %d is too long in dimension %u, which grows: "
                      "expected a neighbour, at most %u away",
                      step_text(grid, &step, text), operation->peer, dimension,
                      grid->ring[dimension] ? grid->from[dimension] / 4 : 1);
    if (!vef_scaling_message_bytes(fit, place, &step, operation->bytes, &bytes))
        return misfit(reason,
                      "its %" PRIu64
                      " bytes cannot be divided as the face between neighbours in "
                      "the larger grid: expected --keep '%" PRIu64
                      " B' if they do not depend on the "
                      "number of tasks, or another number of tasks",
                      operation->bytes, operation->bytes);
    return true;
}

static bool root_fits(const vef_scaling_fit *fit, const vef_event *event, char *reason) {
    const vef_scaling_family *family = &fit->families.list[fit->families.family_of[event->comm]];
    if (!vef_call_has(event->call, VEF_FACT_ROOTED) || family->size == family->new_size ||
        event->root == 0 || event->root == (int32_t)family->size - 1)
        return true;
    return misfit(reason, "its root is rank %d of %u: expected the first or the last rank",
                  event->root, family->size);
}

static bool collective_fits(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                            char *reason) {
    uint64_t bytes;
    if (!vef_scaling_collective_known(event->call))
        return misfit(reason, "no rule says how it depends on the number of tasks");
    if (!root_fits(fit, event, reason))
        return false;
    if (!vef_scaling_collective_bytes(fit, event, event->bytes, &bytes) ||
        (vef_scaling_shares_elements(event->call) &&
         !vef_scaling_collective_bytes(fit, event, event->elements, &bytes)))
        return misfit(reason,
                      "its %" PRIu64
                      " bytes cannot be divided among more tasks: expected %s"
                      "--keep '%" PRIu64
                      " B' if they do not depend on the number of tasks, or "
                      "another number of tasks",
                      event->bytes, vef_scaling_is_pairwise(event->call) ? "--alltoall pair, " : "",
                      event->bytes);
    return vef_scaling_vectors_fit(fit, task, event, reason);
}

static bool event_fits(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                       char *reason) {
    const vef_kind kind = vef_call_kind(event->call);
    for (uint32_t k = 0; k < event->operation_count; k++)
        if (!operation_fits(fit, task, &event->operations[k], reason))
            return false;
    if (kind != VEF_KIND_COLLECTIVE && kind != VEF_KIND_COMM)
        return true;
    if (!comm_fits(fit, event->comm, reason) ||
        (event->new_comm != VEF_NO_COMM && !comm_fits(fit, event->new_comm, reason)))
        return false;
    return kind == VEF_KIND_COMM || collective_fits(fit, task, event, reason);
}

/* ---- classes ---- */

/* Two tasks of one class, and why they do not do the same. */
typedef struct class_pair {
    const vef_scaling_fit *fit;
    uint32_t task, like;
    char *reason;
} class_pair;

static bool families_agree(void *context, uint32_t comm, uint32_t other) {
    const uint32_t *family = ((const class_pair *)context)->fit->families.family_of;
    return comm == VEF_NO_COMM || other == VEF_NO_COMM ? comm == other
                                                       : family[comm] == family[other];
}

static bool peers_agree(void *context, int32_t peer, int32_t other) {
    const class_pair *pair = context;
    const vef_scaling_fit *fit = pair->fit;
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t *place = vef_scaling_place_of(fit, pair->task),
                   *like_at = vef_scaling_place_of(fit, pair->like);
    vef_scaling_step step, expected;
    uint32_t dimension, fitting;
    char text[VEF_SCALING_GRID_TEXT], wanted[VEF_SCALING_GRID_TEXT];
    if (peer == VEF_NO_TASK && other == VEF_NO_TASK)
        return true;
    if (peer == VEF_NO_TASK || other == VEF_NO_TASK)
        return misfit(pair->reason,
                      "%s peer, and task %u, at the same place of the grid, has %s: expected the "
                      "same",
                      peer == VEF_NO_TASK ? "it has no" : "it has a", pair->like,
                      other == VEF_NO_TASK ? "none" : "one");
    vef_scaling_step_of(grid, grid->from, place, vef_scaling_place_of(fit, (uint32_t)peer), &step,
                        &dimension);
    vef_scaling_step_of(grid, grid->from, like_at, vef_scaling_place_of(fit, (uint32_t)other),
                        &expected, &dimension);
    if (memcmp(step.by, expected.by, grid->dimensions * sizeof *step.by) == 0)
        return true;
    if (!vef_scaling_step_to(grid, grid->from, place, &expected, &fitting))
        return misfit(pair->reason, "its peer, task %d, is a step of %s away, that of task %u %s",
                      peer, step_text(grid, &step, text), pair->like,
                      step_text(grid, &expected, wanted));
    return misfit(pair->reason,
                  "its peer, task %d, is a step of %s away; that of task %u, at the same place of "
                  "the grid, %s: expected task %u",
                  peer, step_text(grid, &step, text), pair->like,
                  step_text(grid, &expected, wanted), fitting);
}

/* The reason for a difference in a field; peers have theirs. */
static void explain(const class_pair *pair, vef_role role, const vef_event *a, const vef_event *b,
                    uint32_t operation) {
    const bool of_event = operation == UINT32_MAX;
    const vef_operation *x = of_event ? NULL : &a->operations[operation];
    const vef_operation *y = of_event ? NULL : &b->operations[operation];
    const uint32_t like = pair->like;
    if (role == VEF_ROLE_CALL)
        misfit(pair->reason, "task %u, at the same place of the grid, calls MPI_%s there", like,
               vef_call_name(b->call));
    else if (role == VEF_ROLE_BYTES || role == VEF_ROLE_ELEMENTS)
        misfit(pair->reason,
               "it has %" PRIu64 " bytes; that of task %u, at the same place of the grid, %" PRIu64
               ": expected equal sizes",
               of_event ? a->bytes : x->bytes, like, of_event ? b->bytes : y->bytes);
    else if (role == VEF_ROLE_COMM && of_event)
        misfit(pair->reason,
               "its communicator does not correspond to that of task %u, at the same place of the "
               "grid",
               like);
    else if (role == VEF_ROLE_COMM)
        misfit(pair->reason,
               "it is on communicator %u; that of task %u, at the same place of the grid, on %u, "
               "which does not correspond to it",
               x->comm, like, y->comm);
    else if (role == VEF_ROLE_RANK)
        misfit(pair->reason,
               "its root (%d) differs from task %u, at the same place of the grid (root %d)",
               a->root, like, b->root);
    else if (!of_event && x->tag != y->tag)
        misfit(pair->reason,
               "it has tag %d; that of task %u, at the same place of the grid, %d: expected equal "
               "tags",
               x->tag, like, y->tag);
    else if (role != VEF_ROLE_TASK)
        misfit(pair->reason,
               "its requests, flags or arguments, or the message that it takes, differ from those "
               "of task %u, at the same place of the grid",
               like);
}

/* Whether two tasks of one class do the same. */
static bool events_agree(const vef_scaling_fit *fit, uint32_t task, const vef_event *a,
                         uint32_t like, const vef_event *b, char *reason) {
    class_pair pair = {fit, task, like, reason};
    const vef_event_comparison how = {.context = &pair,
                                      .task = peers_agree,
                                      .comm = families_agree,
                                      .ignored = 1u << VEF_ROLE_PER_RANK};
    uint32_t operation;
    const vef_role role = vef_event_compare(a, b, &how, &operation);
    if (role != VEF_ROLES) {
        explain(&pair, role, a, b, operation);
        return false;
    }
    if (vef_call_kind(a->call) == VEF_KIND_COLLECTIVE &&
        !vef_scaling_vectors_agree(fit, task, a, like, b))
        return misfit(reason,
                      "its counts differ from those of task %u, at the same place of the grid: "
                      "expected equal counts for equal steps",
                      like);
    return true;
}

/* ---- all events ---- */

static bool check_event(const vef_scaling_fit *fit, uint32_t task, size_t number, char *reason) {
    const vef_scaling_input *input = fit->input;
    const vef_event *event = vef_scaling_event_of(input, task, number);
    const uint32_t like = fit->representative[task];
    if (like == task)
        return event_fits(fit, task, event, reason);
    if (number >= input->task[like].count)
        return misfit(reason,
                      "task %u, at the same place of the grid, ends after %zu events: expected "
                      "equal numbers of calls",
                      like, input->task[like].count);
    const vef_event *other = vef_scaling_event_of(input, like, number);
    if (!events_agree(fit, task, event, like, other, reason))
        return false;
    return !vef_call_has(event->call, VEF_FACT_ROOTED) ||
           event->send_count + event->receive_count == 0 ||
           vef_scaling_vectors_fit(fit, task, event, reason);
}

static void check_events(const vef_scaling_fit *fit, vef_scaling_misfit *found) {
    const vef_scaling_input *input = fit->input;
    bool more = true;
    for (size_t number = 0; more; number++) {
        more = false;
        for (uint32_t task = 0; task < input->tasks; task++) {
            const size_t count = input->task[task].count;
            const uint32_t like = fit->representative[task];
            if (number >= count) {
                if (number == count && count < input->task[like].count)
                    found->found = !misfit(found->reason,
                                           "it ends there, and task %u, at the same place of the "
                                           "grid, goes on: expected equal numbers of calls",
                                           like);
            } else {
                more = true;
                found->found = !check_event(fit, task, number, found->reason);
            }
            if (found->found) {
                found->event = number;
                found->task = task;
                return;
            }
        }
    }
}

static void find_classes(vef_scaling_fit *fit) {
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t tasks = fit->input->tasks;
    vef_map64 first = {0};
    for (uint32_t task = 0; task < tasks; task++) {
        uint32_t *place = fit->places + (size_t)task * grid->dimensions;
        uint64_t class = 0;
        vef_scaling_place(grid->dimensions, grid->from, task, place);
        for (uint32_t d = 0; d < grid->dimensions; d++)
            class = class * (grid->from[d] + 3ull) +
                    vef_scaling_class(grid, d, place[d], grid->from[d]);
        const uint64_t *found = vef_map64_get(&first, class);
        fit->classes += !found;
        fit->representative[task] = found ? (uint32_t)*found : task;
        if (!found)
            vef_map64_set(&first, class, task);
    }
    vef_map64_free(&first);
}

vef_code vef_scaling_fit_try(const vef_scaling_input *input, const vef_scaling_options *options,
                             const vef_scaling_grid *grid, vef_scaling_fit *fit,
                             vef_scaling_misfit *found, vef_error *error) {
    *fit = (vef_scaling_fit){.input = input, .options = options, .grid = *grid};
    *found = (vef_scaling_misfit){0};
    fit->places = vef_calloc((size_t)input->tasks * grid->dimensions, sizeof *fit->places);
    fit->representative = vef_calloc(input->tasks, sizeof *fit->representative);
    find_classes(fit);
    const vef_code code = vef_scaling_families_find(input, grid, &fit->families, error);
    if (!code)
        check_events(fit, found);
    return code;
}

void vef_scaling_fit_free(vef_scaling_fit *fit) {
    vef_scaling_families_free(&fit->families);
    free(fit->places);
    free(fit->representative);
    *fit = (vef_scaling_fit){0};
}
