/* Communicators as families of rows and planes of the grid. */
#include "common/containers/grow.h"
#include "traces/scale/scale_state.h"

#include <stdlib.h>

uint32_t vef_scaling_anchor(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                            const uint32_t *place) {
    uint32_t anchor = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (!(spans >> d & 1))
            anchor = anchor * extents[d] + place[d];
    return anchor;
}

void vef_scaling_member(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                        const uint32_t *place, uint32_t rank, uint32_t *member_at) {
    for (uint32_t d = grid->dimensions; d-- > 0;)
        if (spans >> d & 1) {
            member_at[d] = rank % extents[d];
            rank /= extents[d];
        } else {
            member_at[d] = place[d];
        }
}

/* The product of the extents of the dimensions in `spans`, or of the others. */
static uint32_t volume(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans) {
    uint32_t product = 1;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (spans >> d & 1)
            product *= extents[d];
    return product;
}

static uint32_t others(const vef_scaling_grid *grid, uint32_t spans) {
    return ~spans & ((1u << grid->dimensions) - 1);
}

/* The place of a task at a place with the anchor, 0 in the dimensions of `spans`. */
static void place_of_anchor(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                            uint32_t anchor, uint32_t *place) {
    const uint32_t zero[VEF_SCALING_DIMENSIONS] = {0};
    vef_scaling_member(grid, extents, others(grid, spans), zero, anchor, place);
}

/* The dimensions that the members differ in; false: they are no row or plane. */
static bool find_spans(const vef_scaling_grid *grid, const vef_communicator *comm, uint32_t *spans,
                       uint32_t *anchor) {
    uint32_t first[VEF_SCALING_DIMENSIONS], place[VEF_SCALING_DIMENSIONS];
    if (comm->size == 0)
        return false;
    vef_scaling_place(grid->dimensions, grid->from, comm->members[0], first);
    vef_scaling_place(grid->dimensions, grid->from, comm->members[comm->size - 1], place);
    *spans = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (first[d] != place[d])
            *spans |= 1u << d;
    if (comm->size != volume(grid, grid->from, *spans))
        return false;
    for (uint32_t rank = 0; rank < comm->size; rank++) {
        vef_scaling_member(grid, grid->from, *spans, first, rank, place);
        if (comm->members[rank] != vef_scaling_task_at(grid->dimensions, grid->from, place))
            return false;
    }
    *anchor = vef_scaling_anchor(grid, grid->from, *spans, first);
    return true;
}

/* The extents of a Cartesian communicator in the larger grid: each is 1 or that of the next
 * dimension that its members span, or it has one that is all of them. `to` may be NULL. */
static bool scale_extents(const vef_scaling_grid *grid, const vef_communicator *comm,
                          uint32_t spans, uint32_t *to) {
    uint32_t d = 0, longer = 0;
    for (uint32_t i = 0; i < comm->dimensions; i++)
        longer += comm->extents[i] > 1;
    for (uint32_t i = 0; i < comm->dimensions; i++) {
        uint32_t extent = 1;
        while (d < grid->dimensions && !(spans >> d & 1))
            d++;
        if (comm->extents[i] > 1 && longer == 1 && comm->extents[i] == comm->size) {
            extent = volume(grid, grid->to, spans);
            d = grid->dimensions;
        } else if (comm->extents[i] > 1) {
            if (d == grid->dimensions || comm->extents[i] != grid->from[d])
                return false;
            extent = grid->to[d++];
        }
        if (to)
            to[i] = extent;
    }
    while (d < grid->dimensions && !(spans >> d & 1))
        d++;
    return d == grid->dimensions;
}

static bool is_like(const vef_communicator *a, const vef_communicator *b) {
    if (a->made_by != b->made_by || a->dimensions != b->dimensions)
        return false;
    for (uint32_t d = 0; d < a->dimensions; d++)
        if (a->extents[d] != b->extents[d] || a->periodic[d] != b->periodic[d])
            return false;
    return true;
}

static void add_family(const vef_scaling_grid *grid, vef_scaling_families *families,
                       uint32_t sample, uint32_t spans, uint32_t parent) {
    size_t capacity = families->capacity;
    const uint32_t anchors = volume(grid, grid->from, others(grid, spans));
    vef_grow(&families->list, &capacity, families->count + 1ull, sizeof *families->list);
    families->capacity = (uint32_t)capacity;
    vef_scaling_family *family = &families->list[families->count];
    *family = (vef_scaling_family){.spans = spans,
                                   .parent = parent,
                                   .sample = sample,
                                   .anchors = anchors,
                                   .size = volume(grid, grid->from, spans),
                                   .new_size = volume(grid, grid->to, spans),
                                   .new_anchors = volume(grid, grid->to, others(grid, spans))};
    family->comm_at = vef_arena_alloc(&families->arena, anchors, sizeof *family->comm_at);
    for (uint32_t i = 0; i < anchors; i++)
        family->comm_at[i] = VEF_NO_COMM;
    families->count++;
}

/* The family of communicator `number`: the first one like it that has none yet at its anchor. */
static void place_comm(const vef_scaling_input *input, const vef_scaling_grid *grid,
                       vef_scaling_families *families, uint32_t number) {
    const vef_communicator *list = input->header->communicators, *comm = &list[number];
    uint32_t spans, anchor, parent = VEF_NO_COMM;
    families->family_of[number] = VEF_NO_COMM;
    if (comm->remote_size > 0 || comm->neighbours || !find_spans(grid, comm, &spans, &anchor) ||
        !scale_extents(grid, comm, comm->dimensions ? spans : 0, NULL))
        return;
    if (comm->parent != VEF_NO_COMM) {
        parent = families->family_of[comm->parent];
        if (parent == VEF_NO_COMM || (families->list[parent].spans & spans) != spans)
            return;
    }
    uint32_t f = 0;
    for (; f < families->count; f++) {
        const vef_scaling_family *family = &families->list[f];
        if (family->filled < family->anchors && family->spans == spans &&
            family->parent == parent && family->comm_at[anchor] == VEF_NO_COMM &&
            is_like(comm, &list[family->sample]))
            break;
    }
    if (f == families->count)
        add_family(grid, families, number, spans, parent);
    families->list[f].comm_at[anchor] = number;
    families->list[f].filled++;
    families->family_of[number] = f;
}

vef_code vef_scaling_families_find(const vef_scaling_input *input, const vef_scaling_grid *grid,
                                   vef_scaling_families *families, vef_error *error) {
    const uint32_t count = input->header->communicator_count;
    families->family_of =
        vef_arena_alloc(&families->arena, count + 1ull, sizeof *families->family_of);
    for (uint32_t i = 0; i < count; i++)
        place_comm(input, grid, families, i);
    for (uint32_t f = 0; f < families->count; f++) {
        vef_scaling_family *family = &families->list[f];
        const uint32_t parent = family->parent;
        family->number = (uint32_t)families->new_count;
        if (parent != VEF_NO_COMM && families->list[parent].filled < families->list[parent].anchors)
            family->filled = 0;
        if (family->filled == family->anchors)
            families->new_count += family->new_anchors;
    }
    if (families->new_count >= VEF_NO_COMM)
        return vef_fail(error, VEF_UNSUPPORTED, "%s: the result would have too many communicators",
                        vef_trace_path(input->trace));
    return VEF_OK;
}

void vef_scaling_families_free(vef_scaling_families *families) {
    free(families->list);
    vef_arena_release(&families->arena);
}

/* The members of the communicators of all anchors, one after another. */
static uint32_t *list_members(const vef_scaling_grid *grid, const vef_scaling_family *family,
                              vef_arena *arena) {
    uint32_t place[VEF_SCALING_DIMENSIONS] = {0}, member[VEF_SCALING_DIMENSIONS];
    uint32_t *members =
        vef_arena_alloc(arena, family->new_anchors, family->new_size * sizeof *members);
    uint32_t *to = members;
    for (uint32_t anchor = 0; anchor < family->new_anchors; anchor++) {
        place_of_anchor(grid, grid->to, family->spans, anchor, place);
        for (uint32_t rank = 0; rank < family->new_size; rank++) {
            vef_scaling_member(grid, grid->to, family->spans, place, rank, member);
            *to++ = vef_scaling_task_at(grid->dimensions, grid->to, member);
        }
    }
    return members;
}

/* The communicators of one family, whose members are in `members`. */
static void make_family(const vef_scaling_input *input, const vef_scaling_grid *grid,
                        const vef_scaling_families *families, const vef_scaling_family *family,
                        const uint32_t *members, vef_arena *arena, vef_communicator *made) {
    const vef_communicator *sample = &input->header->communicators[family->sample];
    uint32_t *extents = NULL, place[VEF_SCALING_DIMENSIONS] = {0};
    if (sample->dimensions > 0) {
        extents = vef_arena_alloc(arena, sample->dimensions, sizeof *extents);
        scale_extents(grid, sample, family->spans, extents);
    }
    for (uint32_t anchor = 0; anchor < family->new_anchors; anchor++) {
        vef_communicator *to = &made[family->number + anchor];
        *to = *sample;
        to->size = family->new_size;
        to->members = members + (size_t)anchor * family->new_size;
        to->extents = extents;
        if (family->parent != VEF_NO_COMM) {
            const vef_scaling_family *parent = &families->list[family->parent];
            place_of_anchor(grid, grid->to, family->spans, anchor, place);
            to->parent = parent->number + vef_scaling_anchor(grid, grid->to, parent->spans, place);
        }
    }
}

vef_communicator *vef_scaling_families_make(const vef_scaling_input *input,
                                            const vef_scaling_grid *grid,
                                            const vef_scaling_families *families,
                                            vef_arena *arena) {
    const size_t different = (size_t)1 << VEF_SCALING_DIMENSIONS;
    const uint32_t *members[(size_t)1 << VEF_SCALING_DIMENSIONS] = {NULL};
    vef_communicator *made = vef_arena_alloc(arena, families->new_count + 1, sizeof *made);
    for (uint32_t f = 0; f < families->count; f++) {
        const vef_scaling_family *family = &families->list[f];
        if (family->filled < family->anchors)
            continue;
        if (!members[family->spans % different])
            members[family->spans] = list_members(grid, family, arena);
        make_family(input, grid, families, family, members[family->spans], arena, made);
    }
    return made;
}
