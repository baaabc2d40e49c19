/* Writing the result, task by task. */
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t new_gap(const vef_scaling_fit *fit, uint64_t gap_ns) {
    const uint64_t part = fit->input->tasks, of = fit->options->tasks;
    if (!fit->options->strong)
        return gap_ns;
    return gap_ns / of * part + gap_ns % of * part / of;
}

static void note_pairs(const vef_scaling_fit *fit, const vef_scaling_maker *maker, size_t number,
                       const vef_event *made, vef_scaling_result *result) {
    const vef_event *event = vef_scaling_event_of(fit->input, maker->like, number);
    if (result->pairs_from == 0 && vef_scaling_is_pairwise(event->call) &&
        made->bytes != event->bytes) {
        result->pairs_from = event->bytes;
        result->pairs_to = made->bytes;
    }
}

static vef_code write_task(vef_scaling_maker *maker, vef_scaling_numbers *numbers,
                           vef_writer *writer, vef_scaling_result *result, vef_error *error) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_task *task = &fit->input->task[maker->like];
    vef_code code = VEF_OK;
    vef_scaling_numbers_clear(numbers);
    for (size_t number = 0; !code && number < task->count; number++) {
        vef_event made, event;
        vef_scaling_make(maker, number, &made);
        if (maker->task == 0)
            note_pairs(fit, maker, number, &made, result);
        vef_scaling_from_shape(numbers, &made, &event);
        event.gap_ns = new_gap(fit, task->events[number].gap_ns);
        event.outside_ns = task->events[number].outside_ns;
        event.entered = 2 * number;
        event.left = 2 * number + 1;
        code = vef_writer_event(writer, maker->task, &event, error);
    }
    result->events += task->count;
    return code ? code : vef_writer_end_task(writer, maker->task, VEF_LOG_FINALIZED, error);
}

static vef_code write_tasks(const vef_scaling_fit *fit, vef_writer *writer, vef_progress *progress,
                            vef_scaling_result *result, vef_error *error) {
    vef_scaling_maker maker = {0};
    vef_scaling_numbers numbers = {0};
    vef_code code = VEF_OK;
    vef_scaling_maker_init(&maker, fit);
    for (uint32_t task = 0; !code && task < fit->options->tasks; task++) {
        vef_scaling_maker_begin(&maker, task);
        code = write_task(&maker, &numbers, writer, result, error);
        vef_progress_update(progress, task + 1, fit->options->tasks);
    }
    vef_scaling_maker_free(&maker);
    vef_scaling_numbers_free(&numbers);
    return code;
}

vef_code vef_scaling_write(const vef_scaling_fit *fit, const char *path, vef_progress *progress,
                           vef_scaling_result *result, vef_error *error) {
    const vef_trace_header *from = fit->input->header;
    vef_arena arena = {0};
    vef_writer *writer = NULL;
    vef_scaling_grid_text(&fit->grid, false, result->from);
    vef_scaling_grid_text(&fit->grid, true, result->to);
    char *options =
        vef_printed("%s%sscale: from %u tasks to %u, grid %s to %s, %s scaling", from->options,
                    *from->options ? "; " : "", from->tasks, fit->options->tasks, result->from,
                    result->to, fit->options->strong ? "strong" : "weak");
    /* Durations of the result are not known. */
    const vef_trace_header header = {
        .tasks = fit->options->tasks,
        .application = from->application,
        .command = from->command,
        .library = from->library,
        .clock = from->clock,
        .options = options,
        .date = from->date,
        .times = "compute",
        .exit_status = from->exit_status,
        .communicators = vef_scaling_families_make(fit->input, &fit->grid, &fit->families, &arena),
        .communicator_count = (uint32_t)fit->families.new_count};
    vef_code code = vef_writer_open(path, &header, &writer, error);
    if (!code) {
        code = write_tasks(fit, writer, progress, result, error);
        if (code)
            vef_writer_discard(writer);
        else
            code = vef_writer_finish(writer, error);
    }
    free(options);
    vef_arena_release(&arena);
    return code;
}
