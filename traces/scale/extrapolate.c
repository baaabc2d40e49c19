/* Extrapolating a trace: read, find the grid that all events fit, compare with another run, write.
 * See scale.h.
 *
 * What one trace cannot show, such as a loop whose length depends on the number of tasks, differs
 * in the other run. */
#include "traces/scale/scale.h"

#include "traces/scale/scale_state.h"

#include <stdio.h>

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

/* The extrapolation to a task of the other trace. */
typedef struct pair {
    vef_scaling_maker maker;
    const vef_scaling_input *other;
} pair;

/* A communicator that the maker keeps and one of the other trace: their sizes, and the tasks of all
 * ranks. */
static bool same_comm(void *context, uint32_t comm, uint32_t number) {
    const pair *both = context;
    const vef_scaling_fit *fit = both->maker.fit;
    if (comm == VEF_NO_COMM || number == VEF_NO_COMM)
        return comm == number;
    const vef_scaling_family *family = &fit->families.list[fit->families.family_of[comm]];
    const vef_communicator *real = &both->other->header->communicators[number];
    uint32_t member[VEF_SCALING_DIMENSIONS];
    bool same = real->size == family->new_size && real->remote_size == 0;
    for (uint32_t rank = 0; same && rank < real->size; rank++) {
        vef_scaling_member(&fit->grid, fit->grid.to, family->spans, both->maker.place, rank,
                           member);
        same =
            vef_scaling_task_at(fit->grid.dimensions, fit->grid.to, member) == real->members[rank];
    }
    return same;
}

static vef_code compare_task(pair *both, vef_error *error) {
    const vef_scaling_maker *maker = &both->maker;
    const vef_scaling_input *input = maker->fit->input, *other = both->other;
    const size_t made = input->task[maker->like].count, real = other->task[maker->task].count;
    const vef_event_comparison how = {.context = both, .comm = same_comm};
    char calls[2][VEF_SCALING_CALL_TEXT] = {"the end", "the end"};
    for (size_t number = 0; number < made || number < real; number++) {
        const vef_event *found =
            number < real ? vef_scaling_event_of(other, maker->task, number) : NULL;
        vef_event event;
        uint32_t ignored;
        both->maker.keeps_comms = true;
        if (number < made)
            vef_scaling_make(&both->maker, number, &event);
        if (number < made && found && vef_event_compare(&event, found, &how, &ignored) == VEF_ROLES)
            continue;
        both->maker.keeps_comms = false;
        if (number < made) {
            vef_scaling_make(&both->maker, number, &event);
            vef_scaling_describe(&event, calls[0]);
        }
        if (found)
            vef_scaling_describe(found, calls[1]);
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%s: task %u, event %zu is %s; extrapolated from %s it would be %s: the "
                        "program does not follow the rules from %u to %u tasks",
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
        pair both = {.other = other};
        vef_scaling_maker_init(&both.maker, &fit);
        for (uint32_t task = 0; !code && task < other->tasks; task++) {
            vef_scaling_maker_begin(&both.maker, task);
            code = compare_task(&both, error);
        }
        vef_scaling_maker_free(&both.maker);
    }
    vef_scaling_fit_free(&fit);
    return code;
}

static vef_code verify(const vef_scaling_input *input, const vef_scaling_options *options,
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

/* ---- the whole ---- */

vef_code vef_scaling_run(vef_trace *trace, const vef_scaling_options *options, const char *path,
                         vef_progress *progress, vef_scaling_result *result, vef_error *error) {
    vef_scaling_input input = {.trace = trace};
    vef_scaling_fit fit = {0};
    *result = (vef_scaling_result){0};
    vef_code code = vef_scaling_load(&input, progress, error);
    if (!code)
        code = vef_scaling_find(&input, options, &fit, error);
    if (!code && options->check)
        code = verify(&input, options, progress, error);
    if (!code)
        code = vef_scaling_write(&fit, path, progress, result, error);
    vef_scaling_fit_free(&fit);
    vef_scaling_input_free(&input);
    return code;
}
