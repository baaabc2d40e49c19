/* See groups.h. */
#include "traces/matching/groups.h"
#include "common/arena.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "common/rng.h"
#include "traces/format/communicator.h"

#include <stdlib.h>
#include <string.h>

/* A number, and the next one with equal parent and members. */
typedef struct made {
    uint32_t next;              /* VEF_NO_COMM: last of the row */
    uint32_t task, current;     /* first of a row: the task being counted, and its position */
    uint32_t other_row;         /* first of a row: the next row with an equal hash */
    uint32_t listed;            /* ranks whose neighbours are known */
    vef_neighbours *neighbours; /* per rank, for graphs, */
    vef_ranks ranks;            /* and its members' ranks */
} made;

struct vef_groups {
    uint32_t tasks;
    vef_arena arena;
    vef_communicator *list;
    made *made;
    uint32_t count, capacity;
    vef_map64 rows; /* hash of parent and members → first of the row */
};

static uint64_t hash_members(uint64_t state, const uint32_t *members, uint32_t count) {
    state = vef_rng_mix(state ^ count);
    for (uint32_t i = 0; i < count; i++)
        state = vef_rng_mix(state + members[i] + 1);
    return state;
}

static bool same_members(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count) {
    return a_count == b_count && (a_count == 0 || memcmp(a, b, a_count * sizeof *a) == 0);
}

static bool same(const vef_communicator *a, const vef_communicator *b) {
    return a->made_by == b->made_by &&
           (a->parent == b->parent || vef_communicator_has_two_parents(a)) &&
           same_members(a->members, a->size, b->members, b->size) &&
           same_members(a->remote_members, a->remote_size, b->remote_members, b->remote_size);
}

static const uint32_t *copy_list(vef_groups *groups, const uint32_t *list, uint32_t count) {
    uint32_t *copy = vef_arena_alloc(&groups->arena, count + 1ull, sizeof *copy);
    if (count)
        memcpy(copy, list, count * sizeof *copy);
    return copy;
}

/* Adds the neighbours of one task, the only ones that its communicator lists. */
static void add_neighbours(vef_groups *groups, uint32_t number, uint32_t task,
                           const vef_communicator *communicator) {
    if (!communicator->neighbours)
        return;
    vef_communicator *whole = &groups->list[number];
    made *one = &groups->made[number];
    if (!one->neighbours) {
        one->neighbours = vef_arena_alloc(&groups->arena, whole->size, sizeof *one->neighbours);
        if (vef_ranks_make(&one->ranks, whole->members, whole->size, NULL) != VEF_OK)
            vef_lost(whole->size * sizeof *whole->members);
    }
    whole->neighbours = one->neighbours;
    const vef_neighbours *listed = &communicator->neighbours[0];
    int32_t rank = vef_ranks_find(&one->ranks, task);
    if (rank == VEF_NO_MEMBER)
        return;
    const uint32_t *in = copy_list(groups, listed->in, listed->in_count);
    const uint32_t *out = copy_list(groups, listed->out, listed->out_count);
    one->neighbours[rank] = (vef_neighbours){listed->in_count, listed->out_count, in, out};
    one->listed++;
}

static uint32_t append(vef_groups *groups, const vef_communicator *communicator) {
    if (groups->count == groups->capacity) {
        uint32_t wanted = 2 * groups->capacity + 16;
        groups->list = vef_realloc(groups->list, wanted * sizeof *groups->list);
        groups->made = vef_realloc(groups->made, wanted * sizeof *groups->made);
        groups->capacity = wanted;
    }
    vef_communicator *fresh = &groups->list[groups->count];
    *fresh = *communicator;
    fresh->members = copy_list(groups, communicator->members, communicator->size);
    fresh->remote_members =
        copy_list(groups, communicator->remote_members, communicator->remote_size);
    fresh->extents = copy_list(groups, communicator->extents, communicator->dimensions);
    uint8_t *periodic = vef_arena_alloc(&groups->arena, communicator->dimensions + 1ull, 1);
    if (communicator->dimensions)
        memcpy(periodic, communicator->periodic, communicator->dimensions);
    fresh->periodic = periodic;
    fresh->neighbours = NULL; /* add_neighbours puts them together */
    groups->made[groups->count] = (made){
        .next = VEF_NO_COMM, .task = UINT32_MAX, .current = VEF_NO_COMM, .other_row = VEF_NO_COMM};
    return groups->count++;
}

/* The number of one communicator of a task, whose parent is already numbered for the run. */
static uint32_t number_of(vef_groups *groups, uint32_t task, const vef_communicator *communicator) {
    uint64_t hash =
        vef_communicator_has_two_parents(communicator) ? 0 : communicator->parent + 1ull;
    hash = vef_rng_mix(hash ^ (uint64_t)communicator->made_by << 40);
    hash = hash_members(hash, communicator->members, communicator->size);
    hash = hash_members(hash, communicator->remote_members, communicator->remote_size) >> 1;
    uint64_t *entry = vef_map64_get(&groups->rows, hash);
    uint32_t row = entry ? (uint32_t)*entry : VEF_NO_COMM, head = row;
    while (row != VEF_NO_COMM && !same(&groups->list[row], communicator))
        row = groups->made[row].other_row;
    if (row == VEF_NO_COMM) {
        const uint32_t number = append(groups, communicator);
        groups->made[number].other_row = head;
        groups->made[number].task = task;
        groups->made[number].current = number;
        vef_map64_set(&groups->rows, hash, number);
        return number;
    }
    uint32_t before = groups->made[row].task == task ? groups->made[row].current : VEF_NO_COMM;
    uint32_t next = before == VEF_NO_COMM ? row : groups->made[before].next;
    if (next == VEF_NO_COMM) {
        next = append(groups, communicator);
        groups->made[before].next = next;
    }
    groups->made[row].task = task;
    groups->made[row].current = next;
    return next;
}

vef_groups *vef_groups_new(uint32_t tasks) {
    vef_groups *groups = vef_calloc(1, sizeof *groups);
    uint32_t *members = vef_malloc(tasks * sizeof *members);
    for (uint32_t i = 0; i < tasks; i++)
        members[i] = i;
    groups->tasks = tasks;
    const vef_communicator world = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = tasks, .members = members};
    number_of(groups, UINT32_MAX, &world);
    free(members);
    return groups;
}

void vef_groups_free(vef_groups *groups) {
    if (!groups)
        return;
    vef_map64_free(&groups->rows);
    for (uint32_t i = 0; i < groups->count; i++)
        vef_ranks_free(&groups->made[i].ranks);
    vef_arena_release(&groups->arena);
    free(groups->list);
    free(groups->made);
    free(groups);
}

static bool is_self(const vef_communicator *communicator, uint32_t local) {
    return local == 1 && communicator->parent == VEF_NO_COMM && communicator->size == 1;
}

void vef_groups_use_self(vef_groups *groups, uint32_t task, uint32_t *number) {
    if (*number != VEF_NO_COMM)
        return;
    vef_communicator alone = {
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = 1, .members = &task};
    /* The world of a single task has the same members; self is the second in that row. */
    *number = number_of(groups, task, &alone);
    if (groups->tasks == 1 && *number == 0)
        *number = number_of(groups, task, &alone);
}

/* Both sides of an intercommunicator call the side with the lower first task the members. */
static void swap_sides(vef_communicator *communicator) {
    vef_communicator seen = *communicator;
    communicator->members = seen.remote_members;
    communicator->size = seen.remote_size;
    communicator->remote_members = seen.members;
    communicator->remote_size = seen.size;
}

vef_code vef_groups_add_task(vef_groups *groups, uint32_t task, const vef_communicator *list,
                             uint32_t count, uint32_t **numbers, vef_error *error) {
    *numbers = vef_malloc((count + 1ull) * sizeof **numbers);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < count && !code; i++) {
        vef_communicator communicator = list[i];
        (*numbers)[i] = VEF_NO_COMM;
        if (is_self(&communicator, i))
            continue;
        if (i == 0 && (communicator.size != groups->tasks || communicator.parent != VEF_NO_COMM)) {
            code = vef_fail(error, VEF_CORRUPT,
                            "the first communicator of task %u does not contain all %u tasks", task,
                            groups->tasks);
            break;
        }
        if (i == 0)
            communicator.made_by = VEF_PREDEFINED; /* whatever its program began with */
        if (communicator.remote_size && communicator.remote_members[0] < communicator.members[0])
            swap_sides(&communicator);
        if (communicator.parent != VEF_NO_COMM) {
            uint32_t parent = communicator.parent;
            if (is_self(&list[parent], parent))
                vef_groups_use_self(groups, task, &(*numbers)[parent]);
            communicator.parent = (*numbers)[parent];
        }
        (*numbers)[i] = number_of(groups, task, &communicator);
        add_neighbours(groups, (*numbers)[i], task, &communicator);
    }
    if (code) {
        free(*numbers);
        *numbers = NULL;
    }
    return code;
}

uint64_t vef_groups_without_neighbours(const vef_groups *groups) {
    uint64_t missing = 0;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->made[i].neighbours)
            missing += groups->list[i].size - groups->made[i].listed;
    return missing;
}

const vef_communicator *vef_groups_list(const vef_groups *groups, uint32_t *count) {
    *count = groups->count;
    return groups->list;
}
