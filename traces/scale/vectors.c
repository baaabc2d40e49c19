/* The lists of counts of collectives.
 *
 * Where each rank has a part (Gatherv, Allgatherv), its count depends on the class of that rank.
 * Where each pair has one (Alltoallv), ranks a step of the grid away may have counts of their own,
 * by the step; all others have one count, the background. A communicator that does not grow has no
 * background: each rank is a step away. The lists of neighbourhood collectives are equal in a
 * class. */
#include "traces/scale/scale_state.h"

#include <inttypes.h>
#include <stdio.h>

static const vef_scaling_family *family_of(const vef_scaling_fit *fit, const vef_event *event) {
    return &fit->families.list[fit->families.family_of[event->comm]];
}

static uint32_t rank_at(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                        const uint32_t *place) {
    uint32_t rank = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (spans >> d & 1)
            rank = rank * extents[d] + place[d];
    return rank;
}

/* The first rank of the trace that has the class of the one at a place. */
static uint32_t first_of_class(const vef_scaling_grid *grid, uint32_t spans,
                               const uint32_t *place) {
    uint32_t first[VEF_SCALING_DIMENSIONS];
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const uint32_t class = vef_scaling_class(grid, d, place[d], grid->from[d]);
        first[d] = class == 2 && vef_scaling_grows(grid, d) ? grid->from[d] - 1 : class;
    }
    return rank_at(grid, grid->from, spans, first);
}

static bool by_rank_fits(const vef_scaling_fit *fit, const uint32_t *place, const vef_event *event,
                         const uint64_t *list, char *reason) {
    const vef_scaling_grid *grid = &fit->grid;
    const vef_scaling_family *family = family_of(fit, event);
    uint32_t member[VEF_SCALING_DIMENSIONS];
    uint64_t to;
    for (uint32_t rank = 0; rank < family->size; rank++) {
        vef_scaling_member(grid, grid->from, family->spans, place, rank, member);
        const uint32_t first = first_of_class(grid, family->spans, member);
        if (list[rank] != list[first]) {
            snprintf(reason, VEF_SCALING_REASON,
                     "rank %u has %" PRIu64
                     " bytes, and rank %u, at the same place of the grid, "
                     "%" PRIu64 ": expected equal counts",
                     rank, list[rank], first, list[first]);
            return false;
        }
        if (!vef_scaling_collective_bytes(fit, event, list[rank], &to)) {
            snprintf(reason, VEF_SCALING_REASON,
                     "the %" PRIu64
                     " bytes of rank %u cannot be divided: expected --keep or "
                     "another number of tasks",
                     list[rank], rank);
            return false;
        }
    }
    return true;
}

/* The count of the ranks that are no step away; false: there are none. */
static bool find_background(const vef_scaling_fit *fit, const uint32_t *place,
                            const vef_event *event, const uint64_t *list, uint64_t *value) {
    const vef_scaling_grid *grid = &fit->grid;
    const vef_scaling_family *family = family_of(fit, event);
    uint32_t member[VEF_SCALING_DIMENSIONS], dimension;
    vef_scaling_step step;
    for (uint32_t rank = 0; rank < family->size; rank++) {
        vef_scaling_member(grid, grid->from, family->spans, place, rank, member);
        if (!vef_scaling_step_of(grid, grid->from, place, member, &step, &dimension)) {
            *value = list[rank];
            return true;
        }
    }
    return false;
}

/* What a count of the trace becomes. */
static bool pair_bytes(const vef_scaling_fit *fit, const uint32_t *place, const vef_event *event,
                       const vef_scaling_step *step, uint64_t count, const uint64_t *background,
                       uint64_t *to) {
    return background && count != *background
               ? vef_scaling_message_bytes(fit, place, step, count, to)
               : vef_scaling_collective_bytes(fit, event, count, to);
}

static bool by_pair_fits(const vef_scaling_fit *fit, const uint32_t *place, const vef_event *event,
                         const uint64_t *list, char *reason) {
    const vef_scaling_grid *grid = &fit->grid;
    const vef_scaling_family *family = family_of(fit, event);
    uint32_t member[VEF_SCALING_DIMENSIONS], dimension;
    uint64_t background = 0, to;
    vef_scaling_step step;
    const bool has = find_background(fit, place, event, list, &background);
    for (uint32_t rank = 0; rank < family->size; rank++) {
        vef_scaling_member(grid, grid->from, family->spans, place, rank, member);
        const bool near = vef_scaling_step_of(grid, grid->from, place, member, &step, &dimension);
        if (!near && list[rank] != background) {
            snprintf(reason, VEF_SCALING_REASON,
                     "rank %u has %" PRIu64 " bytes, and another rank that is no neighbour %" PRIu64
                     ": expected equal counts",
                     rank, list[rank], background);
            return false;
        }
        if (!pair_bytes(fit, place, event, &step, list[rank], has ? &background : NULL, &to)) {
            snprintf(reason, VEF_SCALING_REASON,
                     "the %" PRIu64
                     " bytes for rank %u cannot be divided: expected --alltoall "
                     "pair, --keep or another number of tasks",
                     list[rank], rank);
            return false;
        }
    }
    return true;
}

static bool list_fits(const vef_scaling_fit *fit, const uint32_t *place, const vef_event *event,
                      const uint64_t *list, uint32_t count, char *reason) {
    if (count == 0)
        return true;
    if (vef_call_has(event->call, VEF_FACT_NEIGHBOURS)) {
        uint64_t to;
        for (uint32_t i = 0; i < count; i++)
            if (!vef_scaling_collective_bytes(fit, event, list[i], &to)) {
                snprintf(reason, VEF_SCALING_REASON,
                         "the %" PRIu64
                         " bytes of a neighbour do not scale: expected dimensions "
                         "that grow alike",
                         list[i]);
                return false;
            }
        return true;
    }
    if (count != family_of(fit, event)->size) {
        snprintf(reason, VEF_SCALING_REASON, "a list has %u counts: expected %u", count,
                 family_of(fit, event)->size);
        return false;
    }
    return vef_scaling_is_pairwise(event->call) ? by_pair_fits(fit, place, event, list, reason)
                                                : by_rank_fits(fit, place, event, list, reason);
}

bool vef_scaling_vectors_fit(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                             char *reason) {
    const uint32_t *place = vef_scaling_place_of(fit, task);
    return list_fits(fit, place, event, event->send_bytes, event->send_count, reason) &&
           list_fits(fit, place, event, event->receive_bytes, event->receive_count, reason);
}

/* Lists by pair: ranks a step away have the same counts in both. */
static bool pairs_agree(const vef_scaling_fit *fit, const uint32_t *place, const vef_event *event,
                        const uint64_t *list, const uint32_t *like_at, const vef_event *other,
                        const uint64_t *other_list) {
    const vef_scaling_grid *grid = &fit->grid;
    const uint32_t spans = family_of(fit, event)->spans;
    uint32_t member[VEF_SCALING_DIMENSIONS], dimension, task;
    uint64_t background = 0, other_background = 0;
    vef_scaling_step step;
    find_background(fit, place, event, list, &background);
    find_background(fit, like_at, other, other_list, &other_background);
    if (background != other_background)
        return false;
    for (uint32_t rank = 0; rank < event->send_count; rank++) {
        vef_scaling_member(grid, grid->from, spans, place, rank, member);
        if (!vef_scaling_step_of(grid, grid->from, place, member, &step, &dimension))
            continue;
        for (uint32_t d = 0; d < grid->dimensions; d++)
            if (!(spans >> d & 1) && !vef_scaling_grows(grid, d))
                step.by[d] = (int32_t)like_at[d];
        if (!vef_scaling_step_to(grid, grid->from, like_at, &step, &task))
            return false;
        vef_scaling_place(grid->dimensions, grid->from, task, member);
        if (list[rank] != other_list[rank_at(grid, grid->from, spans, member)])
            return false;
    }
    return true;
}

static bool lists_equal(const uint64_t *a, const uint64_t *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

bool vef_scaling_vectors_agree(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                               uint32_t like, const vef_event *other) {
    const uint32_t *place = vef_scaling_place_of(fit, task),
                   *like_at = vef_scaling_place_of(fit, like);
    if (vef_call_has(event->call, VEF_FACT_ROOTED))
        return true; /* of the root alone, which vef_scaling_vectors_fit checks */
    if (event->send_count != other->send_count || event->receive_count != other->receive_count)
        return false;
    if (!vef_scaling_is_pairwise(event->call))
        return lists_equal(event->send_bytes, other->send_bytes, event->send_count) &&
               lists_equal(event->receive_bytes, other->receive_bytes, event->receive_count);
    return event->send_count == 0 ||
           (event->send_count == event->receive_count &&
            pairs_agree(fit, place, event, event->send_bytes, like_at, other, other->send_bytes) &&
            pairs_agree(fit, place, event, event->receive_bytes, like_at, other,
                        other->receive_bytes));
}

void vef_scaling_vector_make(const vef_scaling_fit *fit, const uint32_t *place, uint32_t like,
                             const vef_event *event, const uint64_t *list, uint64_t *to) {
    const vef_scaling_grid *grid = &fit->grid;
    const vef_scaling_family *family = family_of(fit, event);
    const uint32_t *like_at = vef_scaling_place_of(fit, like);
    uint32_t member[VEF_SCALING_DIMENSIONS], from[VEF_SCALING_DIMENSIONS], dimension, task;
    uint64_t background = 0;
    vef_scaling_step step;
    const bool pairs = vef_scaling_is_pairwise(event->call);
    const bool has = pairs && find_background(fit, like_at, event, list, &background);
    for (uint32_t rank = 0; rank < family->new_size; rank++) {
        vef_scaling_member(grid, grid->to, family->spans, place, rank, member);
        if (!pairs) {
            vef_scaling_origin(grid, member, from);
            vef_scaling_collective_bytes(
                fit, event, list[rank_at(grid, grid->from, family->spans, from)], &to[rank]);
        } else if (vef_scaling_step_of(grid, grid->to, place, member, &step, &dimension) &&
                   vef_scaling_step_to(grid, grid->from, like_at, &step, &task)) {
            vef_scaling_place(grid->dimensions, grid->from, task, from);
            pair_bytes(fit, like_at, event, &step,
                       list[rank_at(grid, grid->from, family->spans, from)],
                       has ? &background : NULL, &to[rank]);
        } else {
            vef_scaling_collective_bytes(fit, event, background, &to[rank]);
        }
    }
}
