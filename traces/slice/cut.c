/* Cutting a slice: survey, then writing. See slice.h. */
#include "traces/slice/slice.h"

#include "common/memory.h"
#include "traces/slice/slice_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "a, b and c", truncated. */
static void write_names(const vef_slice_state *state, char *to, size_t size) {
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < state->name_count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s'%s'", i ? ", " : "", state->names[i]);
    if (state->name_count == VEF_SLICE_NAMES && used < size)
        snprintf(to + used, size - used, ", …");
}

static vef_code refuse(const vef_slice_state *state, vef_error *error) {
    const vef_slice_options *options = state->options;
    const char *path = vef_trace_path(state->trace);
    char names[512];
    write_names(state, names, sizeof names);
    if (options->region && state->most_entries == 0)
        return vef_fail(error, VEF_INVALID, "%s: the slice is empty: unknown region '%s'%s%s", path,
                        options->region, *names ? ": expected one of " : ": the trace has none",
                        names);
    if (options->region && state->most_entries < options->first_entry)
        return vef_fail(error, VEF_INVALID,
                        "%s: the slice is empty: region '%s' is entered %" PRIu64
                        " times at most by a task",
                        path, options->region, state->most_entries);
    if (options->between && state->most_calls == 0 && !*names &&
        vef_call_find(options->between) < 0)
        return vef_fail_unknown_call(error, options->between),
               vef_fail_within(error, "%s: --between", path);
    if (options->between && state->most_calls == 0)
        return vef_fail(error, VEF_INVALID,
                        "%s: --between: the slice is empty: no call of %s and no mark of that "
                        "name%s%s",
                        path, options->between, *names ? "; marks: " : "", names);
    if (options->between && state->most_calls < options->first_call)
        return vef_fail(error, VEF_INVALID,
                        "%s: the slice is empty: a task has at most %" PRIu64 " calls of %s", path,
                        state->most_calls, options->between);
    if (options->by_time && (double)state->longest_ns <= (double)options->from_ns)
        return vef_fail(error, VEF_INVALID,
                        "%s: the slice is empty: the tasks' recorded times reach from 0 to %.9f s",
                        path, (double)state->longest_ns * 1e-9);
    return vef_fail(error, VEF_INVALID,
                    "%s: the slice is empty: no call meets the conditions; the tasks have %" PRIu64
                    " events, from 0 to %.9f s",
                    path, state->header->events, (double)state->longest_ns * 1e-9);
}

static vef_code write_result(vef_slice_state *state, const char *path, vef_error *error) {
    const vef_slice_options *options = state->options;
    vef_trace_header header = *state->header;
    vef_writer *writer = NULL;
    char *text = NULL;
    if (options->note)
        header.options = text =
            vef_printed("%s%s%s", header.options, *header.options ? "; " : "", options->note);
    header.communicators = state->communicators; /* its call sites stay */
    header.communicator_count = state->communicator_count;
    vef_code code = vef_writer_open(path, &header, &writer, error);
    if (!code) {
        code = vef_slice_under_way(state, writer, error);
        if (!code)
            code = vef_slice_write(state, writer, error);
        if (!code)
            vef_slice_counts(state, writer);
        if (code)
            vef_writer_discard(writer);
        else
            code = vef_writer_finish(writer, error);
    }
    free(text);
    return code;
}

static void release(vef_slice_state *state) {
    for (size_t i = 0; i < state->pair_count; i++) {
        vef_runs_free(&state->pairs[i].sent);
        vef_runs_free(&state->pairs[i].received);
        vef_runs_free(&state->pairs[i].kept);
    }
    for (uint32_t i = 0; i < state->header->communicator_count; i++) {
        vef_map64_free(&state->comms[i].epochs);
        free(state->comms[i].new_rank);
    }
    vef_joint_free(&state->joint);
    for (size_t i = 0; i < state->epoch_count; i++) {
        vef_runs_free(&state->epochs[i].by_origin);
        vef_runs_free(&state->epochs[i].by_target);
    }
    for (uint32_t i = 0; i < state->header->tasks; i++) {
        vef_runs_free(&state->tasks[i].open);
        vef_runs_free(&state->tasks[i].unnamed);
        vef_runs_free(&state->tasks[i].left_out);
    }
    for (size_t i = 0; i < state->name_count; i++)
        free(state->names[i]);
    vef_map64 *const maps[] = {&state->pair_of, &state->locks, &state->requests, &state->unnamed,
                               &state->starts};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        vef_map64_free(maps[i]);
    free(state->pairs);
    free(state->comms);
    free(state->epochs);
    free(state->tasks);
    vef_arena_release(&state->arena);
}

vef_code vef_slice(vef_trace *trace, const vef_slice_options *options, const char *path,
                   vef_progress *progress, vef_slice_result *result, vef_error *error) {
    vef_slice_state state = {.trace = trace,
                             .header = vef_trace_get_header(trace),
                             .options = options,
                             .progress = progress,
                             .result = result};
    *result = (vef_slice_result){0};
    state.comms = vef_calloc(state.header->communicator_count + 1ull, sizeof *state.comms);
    state.tasks = vef_calloc(state.header->tasks, sizeof *state.tasks);
    vef_code code = vef_slice_survey(&state, error);
    if (!code && state.inside == 0)
        code = refuse(&state, error);
    if (!code) {
        vef_slice_make_communicators(&state);
        code = write_result(&state, path, error);
    }
    release(&state);
    return code;
}
