/* The events of the result: those of the task of the trace that represents each of its tasks, with
 * peers, communicators and sizes of the larger grid. */
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <stdio.h>
#include <stdlib.h>

void vef_scaling_maker_init(vef_scaling_maker *maker, const vef_scaling_fit *fit) {
    const vef_scaling_input *input = fit->input;
    size_t counts = fit->options->tasks;
    for (size_t i = 0; i < input->shape_count; i++) {
        const vef_event *event = &input->shapes[i];
        counts = event->send_count > counts ? event->send_count : counts;
        counts = event->receive_count > counts ? event->receive_count : counts;
    }
    *maker = (vef_scaling_maker){.fit = fit};
    maker->sends = vef_calloc(counts, sizeof *maker->sends);
    maker->receives = vef_calloc(counts, sizeof *maker->receives);
}

void vef_scaling_maker_free(vef_scaling_maker *maker) {
    vef_event_room_free(&maker->room);
    free(maker->sends);
    free(maker->receives);
}

void vef_scaling_maker_begin(vef_scaling_maker *maker, uint32_t task) {
    const vef_scaling_grid *grid = &maker->fit->grid;
    uint32_t from[VEF_SCALING_DIMENSIONS];
    maker->task = task;
    vef_scaling_place(grid->dimensions, grid->to, task, maker->place);
    vef_scaling_origin(grid, maker->place, from);
    maker->like = vef_scaling_task_at(grid->dimensions, grid->from, from);
}

/* The number in the result of the communicator that corresponds to one of the trace. */
static bool new_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    const vef_scaling_maker *maker = context;
    const vef_scaling_fit *fit = maker->fit;
    (void)place;
    if (*comm == VEF_NO_COMM)
        return true;
    const vef_scaling_family *family = &fit->families.list[fit->families.family_of[*comm]];
    *comm =
        family->number + vef_scaling_anchor(&fit->grid, fit->grid.to, family->spans, maker->place);
    return true;
}

/* The peer a step away, and the bytes of a message to it. */
static bool new_operation(void *context, const vef_field_place *place, vef_operation *operation) {
    const vef_scaling_maker *maker = context;
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t *from = vef_scaling_place_of(fit, maker->like);
    const int32_t former = place->operation->peer;
    vef_scaling_step step;
    uint32_t dimension, peer = 0;
    if (former == VEF_NO_TASK)
        return true;
    vef_scaling_step_of(grid, grid->from, from, vef_scaling_place_of(fit, (uint32_t)former), &step,
                        &dimension);
    vef_scaling_step_to(grid, grid->to, maker->place, &step, &peer);
    vef_scaling_message_bytes(fit, from, &step, operation->bytes, &operation->bytes);
    operation->peer = (int32_t)peer;
    return true;
}

static bool new_bytes(void *context, const vef_field_place *place, uint64_t *bytes) {
    const vef_scaling_maker *maker = context;
    if (!place->operation)
        vef_scaling_collective_bytes(maker->fit, place->event, *bytes, bytes);
    return true;
}

static bool new_elements(void *context, const vef_field_place *place, uint64_t *elements) {
    const vef_scaling_maker *maker = context;
    if (vef_scaling_shares_elements(place->event->call))
        vef_scaling_collective_bytes(maker->fit, place->event, *elements, elements);
    return true;
}

static bool new_ordinal(void *context, const vef_field_place *place, uint64_t *ordinal) {
    return vef_scaling_convert_ordinal(((vef_scaling_maker *)context)->numbers, place, ordinal);
}

static bool new_request(void *context, const vef_field_place *place, vef_use use,
                        uint64_t *request) {
    return vef_scaling_convert_request(((vef_scaling_maker *)context)->numbers, place, use,
                                       request);
}

/* The lists of the event: of neighbours, as they are; of a rooted collective, those of the root of
 * the trace, at the root of the result alone. */
static void make_lists(vef_scaling_maker *maker, size_t number, vef_event *event) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_grid *grid = &fit->grid;
    const vef_event *source = vef_scaling_event_of(fit->input, maker->like, number);
    const vef_scaling_family *family = &fit->families.list[fit->families.family_of[source->comm]];
    uint32_t like = maker->like, root[VEF_SCALING_DIMENSIONS], size = family->new_size;
    if (vef_call_has(event->call, VEF_FACT_ROOTED)) {
        const int32_t new_root = event->root == 0 ? 0 : (int32_t)size - 1;
        const bool grown = family->size != size;
        vef_scaling_member(grid, grid->to, family->spans, maker->place,
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
            vef_scaling_vector_make(fit, maker->place, like, source, lists[i].from, lists[i].to);
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
    const vef_event *from = vef_scaling_event_of(maker->fit->input, maker->like, number);
    const vef_rewriter rewriter = {.context = maker,
                                   .comm = maker->keeps_comms ? NULL : new_comm,
                                   .request = maker->numbers ? new_request : NULL,
                                   .ordinal = maker->numbers ? new_ordinal : NULL,
                                   .bytes = new_bytes,
                                   .elements = new_elements,
                                   .operation = new_operation,
                                   .room = &maker->room};
    if (maker->numbers)
        vef_scaling_numbers_begin(maker->numbers, from);
    vef_rewrite(&rewriter, from, to);
    if (vef_call_kind(to->call) == VEF_KIND_COLLECTIVE)
        make_lists(maker, number, to);
}

/* ---- comparing grids ---- */

/* The makers of the same task by two grids. */
typedef struct rivals {
    vef_scaling_maker maker[2];
} rivals;

/* A communicator of the result, by what does not depend on its number. */
static bool same_comm(void *context, uint32_t comm, uint32_t other) {
    const rivals *both = context;
    const uint32_t numbers[] = {comm, other};
    uint32_t sizes[2], ends[2][2], member[VEF_SCALING_DIMENSIONS];
    if (comm == VEF_NO_COMM || other == VEF_NO_COMM)
        return comm == other;
    for (int i = 0; i < 2; i++) {
        const vef_scaling_fit *fit = both->maker[i].fit;
        const vef_scaling_grid *grid = &fit->grid;
        const vef_scaling_family *family = &fit->families.list[fit->families.family_of[numbers[i]]];
        sizes[i] = family->new_size;
        for (int end = 0; end < 2; end++) {
            vef_scaling_member(grid, grid->to, family->spans, both->maker[i].place,
                               end ? family->new_size - 1 : 0, member);
            ends[i][end] = vef_scaling_task_at(grid->dimensions, grid->to, member);
        }
    }
    return sizes[0] == sizes[1] && ends[0][0] == ends[1][0] && ends[0][1] == ends[1][1];
}

/* Compares the current task of both; the number of the first event that differs, or SIZE_MAX. With
 * strong scaling sizes depend on the dimensions, of which the grid that is tried first has the
 * fewest. */
static size_t first_difference(rivals *both) {
    const vef_scaling_fit *fit = both->maker[0].fit;
    const size_t count = fit->input->task[both->maker[0].like].count;
    const size_t other = fit->input->task[both->maker[1].like].count;
    const unsigned sizes = 1u << VEF_ROLE_BYTES | 1u << VEF_ROLE_ELEMENTS | 1u << VEF_ROLE_PER_RANK;
    const vef_event_comparison how = {
        .context = both, .comm = same_comm, .ignored = fit->options->strong ? sizes : 0};
    for (size_t number = 0; number < count && number < other; number++) {
        vef_event made[2];
        uint32_t ignored;
        for (int i = 0; i < 2; i++)
            vef_scaling_make(&both->maker[i], number, &made[i]);
        if (vef_event_compare(&made[0], &made[1], &how, &ignored) != VEF_ROLES)
            return number;
    }
    return count == other ? SIZE_MAX : count < other ? count : other;
}

bool vef_scaling_same(const vef_scaling_fit *a, const vef_scaling_fit *b, char *difference) {
    const vef_scaling_fit *const fits[] = {a, b};
    rivals both;
    bool same = true;
    for (int i = 0; i < 2; i++) {
        vef_scaling_maker_init(&both.maker[i], fits[i]);
        both.maker[i].keeps_comms = true;
    }
    for (uint32_t task = 0; same && task < a->options->tasks; task++) {
        for (int i = 0; i < 2; i++)
            vef_scaling_maker_begin(&both.maker[i], task);
        const size_t number = first_difference(&both);
        same = number == SIZE_MAX;
        if (!same)
            snprintf(difference, VEF_SCALING_REASON, "task %u, event %zu of the result", task,
                     number);
    }
    for (int i = 0; i < 2; i++)
        vef_scaling_maker_free(&both.maker[i]);
    return same;
}

/* ---- writing, task by task ---- */

static uint64_t new_gap(const vef_scaling_fit *fit, uint64_t gap_ns) {
    const uint64_t part = fit->input->tasks, family_of = fit->options->tasks;
    if (!fit->options->strong)
        return gap_ns;
    return gap_ns / family_of * part + gap_ns % family_of * part / family_of;
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

static vef_code write_task(vef_scaling_maker *maker, vef_writer *writer, vef_scaling_result *result,
                           vef_error *error) {
    const vef_scaling_fit *fit = maker->fit;
    const vef_scaling_task *task = &fit->input->task[maker->like];
    vef_code code = VEF_OK;
    vef_scaling_numbers_clear(maker->numbers);
    for (size_t number = 0; !code && number < task->count; number++) {
        vef_event event;
        vef_scaling_make(maker, number, &event);
        if (maker->task == 0)
            note_pairs(fit, maker, number, &event, result);
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
    maker.numbers = &numbers;
    for (uint32_t task = 0; !code && task < fit->options->tasks; task++) {
        vef_scaling_maker_begin(&maker, task);
        code = write_task(&maker, writer, result, error);
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
        .communicator_count = (uint32_t)fit->families.new_count,
        .sites = from->sites,
        .site_count = from->site_count};
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
