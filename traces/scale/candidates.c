/* The grids to try: given, those of Cartesian communicators, or all of up to three dimensions; for
 * each the larger grid, and which of the growing dimensions are rings. */
#include "common/containers/grow.h"
#include "traces/scale/scale_state.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 4, FACTOR_DIMENSIONS = 3 }; /* of a dimension that grows; of grids not given */

/* The extents of a grid, without those of 1, which cannot grow. */
typedef struct extents {
    uint32_t count, extent[VEF_SCALING_DIMENSIONS];
    uint32_t rings;   /* bit d: dimension d is a ring, by the user or the communicator */
    bool fixed_rings; /* the user named the rings: no others are tried */
} extents;

typedef struct search {
    const vef_scaling_input *input;
    const vef_scaling_options *options;
    vef_scaling_grids *grids;
    extents to;          /* given by the user; count 0: chosen */
    bool cartesian;      /* the trace has a Cartesian communicator of all tasks */
    const char *why_not; /* why the last extents had no larger grid */
    vef_error *error;
} search;

static vef_code bad_grid(const char *option, const char *text, vef_error *error) {
    return vef_fail(error, VEF_INVALID, "%s %s: expected extents like 4x8, at most %d of them%s",
                    option, text, VEF_SCALING_DIMENSIONS,
                    strcmp(option, "--from") == 0 ? ", each with a p if it is a ring: 4x8p" : "");
}

/* "4x8p"; the product must be `tasks`. */
static vef_code read_grid(const char *option, const char *text, bool rings, uint32_t tasks,
                          extents *to, vef_error *error) {
    uint64_t product = 1;
    *to = (extents){.fixed_rings = true};
    for (const char *next = text;; next++) {
        char *end;
        if (*next < '0' || *next > '9')
            return bad_grid(option, text, error);
        const unsigned long extent = strtoul(next, &end, 10);
        if (extent < 1 || extent > VEF_TASK_LIMIT)
            return bad_grid(option, text, error);
        product *= extent;
        if (product > VEF_TASK_LIMIT)
            return bad_grid(option, text, error);
        if (extent > 1) {
            if (to->count == VEF_SCALING_DIMENSIONS)
                return bad_grid(option, text, error);
            if (*end == 'p' && rings)
                to->rings |= 1u << to->count;
            to->extent[to->count++] = (uint32_t)extent;
        }
        next = *end == 'p' && rings ? end + 1 : end;
        if (*next == '\0')
            break;
        if (*next != 'x')
            return bad_grid(option, text, error);
    }
    if (product != tasks)
        return vef_fail(error, VEF_INVALID, "%s %s: the grid has %llu tasks: expected %u", option,
                        text, (unsigned long long)product, tasks);
    return VEF_OK;
}

/* ---- the larger grid ---- */

typedef struct target {
    bool found;
    uint32_t to[VEF_SCALING_DIMENSIONS];
    double stretch, aspect;
} target;

/* Whether `to` is preferred to the best so far: dimensions grow alike; then the result is close to
 * a cube; then the longest dimension stays in the place that it has in the trace, and comes first
 * if all are equal, as in MPI_Dims_create. */
static void consider(const extents *from, const uint32_t *to, target *best) {
    double most = 0, least = 0, longest = 0, shortest = 0;
    for (uint32_t d = 0; d < from->count; d++) {
        const double growth = (double)to[d] / from->extent[d], extent = to[d];
        longest = d == 0 || extent > longest ? extent : longest;
        shortest = d == 0 || extent < shortest ? extent : shortest;
        if (from->extent[d] < SHORTEST)
            continue;
        most = growth > most ? growth : most;
        least = least <= 0 || growth < least ? growth : least;
    }
    const target mine = {.found = true, .stretch = most / least, .aspect = longest / shortest};
    bool better = !best->found || mine.stretch < best->stretch ||
                  (mine.stretch <= best->stretch && mine.aspect < best->aspect);
    if (!better && mine.stretch <= best->stretch && mine.aspect <= best->aspect) {
        const bool first_longest = from->extent[0] >= from->extent[from->count - 1];
        for (uint32_t d = 0; d < from->count; d++)
            if (to[d] != best->to[d]) {
                better = (to[d] > best->to[d]) == first_longest;
                break;
            }
    }
    if (better) {
        *best = mine;
        memcpy(best->to, to, from->count * sizeof *to);
    }
}

static void grow(const extents *from, uint32_t dimension, uint32_t factor, uint32_t *to,
                 target *best) {
    if (dimension == from->count) {
        if (factor == 1)
            consider(from, to, best);
        return;
    }
    for (uint32_t by = 1; by <= factor; by++)
        if (factor % by == 0 && (by == 1 || from->extent[dimension] >= SHORTEST)) {
            to[dimension] = from->extent[dimension] * by;
            grow(from, dimension + 1, factor / by, to, best);
        }
}

/* The larger grid; false with a reason. */
static bool find_target(search *state, const extents *from, uint32_t *to) {
    if (state->to.count > 0) {
        state->why_not = "the grid of the result has another number of dimensions";
        if (state->to.count != from->count)
            return false;
        state->why_not = "a dimension would shrink, or grow from less than 4 tasks";
        for (uint32_t d = 0; d < from->count; d++)
            if (state->to.extent[d] < from->extent[d] ||
                (state->to.extent[d] > from->extent[d] && from->extent[d] < SHORTEST))
                return false;
        memcpy(to, state->to.extent, from->count * sizeof *to);
        return true;
    }
    target best = {0};
    uint32_t scratch[VEF_SCALING_DIMENSIONS];
    grow(from, 0, state->options->tasks / state->input->tasks, scratch, &best);
    state->why_not = "no dimension has the 4 tasks from which one can grow";
    if (best.found)
        memcpy(to, best.to, from->count * sizeof *to);
    return best.found;
}

/* ---- the list ---- */

static void add(search *state, const vef_scaling_grid *grid) {
    vef_scaling_grids *grids = state->grids;
    for (size_t i = 0; i < grids->count; i++)
        if (memcmp(&grids->list[i], grid, sizeof *grid) == 0)
            return;
    *VEF_NEW_ITEM(grids->list, grids->count, grids->capacity) = *grid;
}

/* Adds a grid with each choice of rings: first that of the communicator. */
static void add_extents(search *state, const extents *from) {
    vef_scaling_grid grid;
    memset(&grid, 0, sizeof grid); /* compared as bytes */
    grid.dimensions = from->count;
    memcpy(grid.from, from->extent, sizeof grid.from);
    if (!find_target(state, from, grid.to))
        return;
    const uint32_t choices = from->fixed_rings ? 1 : 1u << from->count;
    for (uint32_t i = 0; i < choices; i++) {
        const uint32_t rings = from->rings ^ i;
        for (uint32_t d = 0; d < from->count; d++)
            grid.ring[d] = vef_scaling_grows(&grid, d) && (rings >> d & 1);
        add(state, &grid);
    }
}

static void add_cartesian(search *state) {
    const vef_trace_header *header = state->input->header;
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *comm = &header->communicators[i];
        extents from = {0};
        bool whole = comm->dimensions > 0 && comm->size == header->tasks;
        for (uint32_t rank = 0; whole && rank < comm->size; rank++)
            whole = comm->members[rank] == rank;
        for (uint32_t d = 0; whole && d < comm->dimensions; d++) {
            if (comm->extents[d] < 2)
                continue;
            if (from.count == VEF_SCALING_DIMENSIONS)
                whole = false;
            else {
                from.rings |= comm->periodic[d] ? 1u << from.count : 0;
                from.extent[from.count++] = comm->extents[d];
            }
        }
        if (whole && from.count > 0) {
            state->cartesian = true;
            add_extents(state, &from);
        }
    }
}

static void add_factors(search *state, extents *from, uint32_t rest, uint32_t dimensions) {
    if (dimensions == 1) {
        from->extent[from->count++] = rest;
        add_extents(state, from);
        from->extent[--from->count] = 0;
        return;
    }
    for (uint32_t factor = 2; factor <= rest / 2; factor++)
        if (rest % factor == 0) {
            from->extent[from->count++] = factor;
            add_factors(state, from, rest / factor, dimensions - 1);
            from->extent[--from->count] = 0;
        }
}

static vef_code check_tasks(const search *state) {
    const uint32_t from = state->input->tasks, to = state->options->tasks;
    if (to < from)
        return vef_fail(state->error, VEF_INVALID,
                        "--tasks %u: the trace has %u tasks: expected a multiple of %u", to, from,
                        from);
    if (to % from != 0 && !state->options->to)
        return vef_fail(state->error, VEF_INVALID,
                        "--tasks %u: not a multiple of the %u tasks of the trace: expected %llu, "
                        "or --grid",
                        to, from, (unsigned long long)(to / from + 1ull) * from);
    return VEF_OK;
}

vef_code vef_scaling_candidates(const vef_scaling_input *input, const vef_scaling_options *options,
                                vef_scaling_grids *grids, vef_error *error) {
    search state = {.input = input, .options = options, .grids = grids, .error = error};
    extents from = {0};
    vef_code code = check_tasks(&state);
    if (!code && options->to)
        code = read_grid("--grid", options->to, false, options->tasks, &state.to, error);
    if (!code && options->from) {
        code = read_grid("--from", options->from, true, input->tasks, &from, error);
        if (!code)
            add_extents(&state, &from);
    } else if (!code) {
        add_cartesian(&state);
        for (uint32_t d = 1; !state.cartesian && d <= FACTOR_DIMENSIONS; d++)
            add_factors(&state, &from, input->tasks, d);
    }
    if (code || grids->count > 0)
        return code;
    return vef_fail(error, VEF_INVALID, "%s: no grid of its %u tasks can grow to %u tasks: %s",
                    vef_trace_path(input->trace), input->tasks, options->tasks,
                    state.why_not ? state.why_not : "expected --from and --grid");
}
