/* Finding the grid that all events of a trace fit. See scale.h for the rules. */
#include "common/memory.h"
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct search {
    const vef_scaling_input *input;
    const vef_scaling_options *options;
    const vef_scaling_grids *grids;
} search;

void vef_scaling_describe(const vef_event *event, char *text) {
    const vef_kind kind = vef_call_kind(event->call);
    const size_t size = VEF_SCALING_CALL_TEXT;
    const char *name = vef_call_name(event->call); /* never NULL in an event of a trace */
    int used = snprintf(text, size, "MPI_%s", name ? name : "?");
    for (uint32_t k = 0; k < event->operation_count && k < 2 && used > 0; k++) {
        const vef_operation *operation = &event->operations[k];
        const char *way = operation->flags & VEF_OP_SEND ? "to" : "from";
        if ((size_t)used >= size || operation->peer == VEF_NO_TASK)
            continue;
        used += snprintf(text + used, size - (size_t)used, "%s %s task %d, %" PRIu64 " bytes",
                         k ? "," : "", way, operation->peer, operation->bytes);
    }
    if (used > 0 && (size_t)used < size && kind == VEF_KIND_COLLECTIVE)
        snprintf(text + used, size - (size_t)used, " of communicator %u, %" PRIu64 " bytes",
                 event->comm, event->bytes);
}

static vef_code refuse(const vef_scaling_input *input, const vef_scaling_grid *grid, size_t tried,
                       const vef_scaling_misfit *found, vef_error *error) {
    char from[VEF_SCALING_GRID_TEXT], to[VEF_SCALING_GRID_TEXT],
        call[VEF_SCALING_CALL_TEXT] = "end", others[96] = "";
    vef_scaling_grid_text(grid, false, from);
    vef_scaling_grid_text(grid, true, to);
    if (found->event < input->task[found->task].count)
        vef_scaling_describe(vef_scaling_event_of(input, found->task, found->event), call);
    if (tried > 1)
        snprintf(others, sizeof others, "; of %zu grids, this one explains the most events", tried);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%s: task %u, event %zu (%s) does not fit the grid %s that grows to %s: %s%s",
                    vef_trace_path(input->trace), found->task, found->event, call, from, to,
                    found->reason, others);
}

/* A further grid that fits must give the same result. */
static vef_code check_rival(const vef_scaling_fit *fit, const vef_scaling_fit *rival,
                            vef_error *error) {
    char difference[VEF_SCALING_REASON], from[4][VEF_SCALING_GRID_TEXT];
    if (vef_scaling_same(fit, rival, difference))
        return VEF_OK;
    for (int i = 0; i < 4; i++)
        vef_scaling_grid_text(&(i / 2 ? rival : fit)->grid, i % 2, from[i]);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%s: its events fit the grid %s that grows to %s and the grid %s that grows to "
                    "%s, which differ from %s on: expected --from %s or --from %s",
                    vef_trace_path(fit->input->trace), from[0], from[1], from[2], from[3],
                    difference, from[0], from[2]);
}

/* Tries all grids. `*best`: the first of those that fit with the fewest classes; `classes`: per
 * grid that fits their number, else 0. Where place does not matter the first that fits will do. */
static vef_code try_all(const search *tries, uint32_t *classes, size_t *best, bool *fits,
                        vef_error *error) {
    const vef_scaling_grids *grids = tries->grids;
    vef_scaling_misfit farthest = {0};
    size_t farthest_grid = 0;
    vef_code code = VEF_OK;
    *fits = false;
    for (size_t i = 0; !code && i < grids->count && !(*fits && !tries->input->spatial); i++) {
        vef_scaling_fit tried = {0};
        vef_scaling_misfit found;
        code = vef_scaling_fit_try(tries->input, tries->options, &grids->list[i], &tried, &found,
                                   error);
        if (!code && !found.found) {
            classes[i] = tried.classes;
            if (!*fits || classes[i] < classes[*best])
                *best = i;
            *fits = true;
        } else if (!code && (!farthest.found || found.event > farthest.event ||
                             (found.event == farthest.event && found.task > farthest.task))) {
            farthest = found;
            farthest_grid = i;
        }
        vef_scaling_fit_free(&tried);
    }
    return code || *fits
               ? code
               : refuse(tries->input, &grids->list[farthest_grid], grids->count, &farthest, error);
}

/* The fit to write. A grid with fewer classes is preferred: each of its rules holds for more tasks.
 * Others with as few must give the same result. */
static vef_code find_fit(const search *tries, vef_scaling_fit *fit, vef_error *error) {
    const vef_scaling_grids *grids = tries->grids;
    vef_scaling_misfit none;
    bool fits;
    size_t best = 0;
    uint32_t *classes = vef_calloc(grids->count, sizeof *classes);
    vef_code code = try_all(tries, classes, &best, &fits, error);
    if (!code)
        code = vef_scaling_fit_try(tries->input, tries->options, &grids->list[best], fit, &none,
                                   error);
    for (size_t i = best + 1; !code && i < grids->count; i++) {
        vef_scaling_fit rival = {0};
        if (classes[i] != classes[best])
            continue;
        code = vef_scaling_fit_try(tries->input, tries->options, &grids->list[i], &rival, &none,
                                   error);
        if (!code)
            code = check_rival(fit, &rival, error);
        vef_scaling_fit_free(&rival);
    }
    free(classes);
    return code;
}

vef_code vef_scaling_find(const vef_scaling_input *input, const vef_scaling_options *options,
                          vef_scaling_fit *fit, vef_error *error) {
    vef_scaling_grids grids = {0};
    vef_code code = vef_scaling_candidates(input, options, &grids, error);
    if (!code)
        code = find_fit(&(search){input, options, &grids}, fit, error);
    free(grids.list);
    return code;
}
