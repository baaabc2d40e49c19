/* Communicators during a replay. */
#include "replay/comms.h"

#include "common/containers/order.h"
#include "common/memory.h"
#include "replay/collectives/nodes.h"
#include "replay/collectives/plan.h"

#include <stdlib.h>

void vef_replay_comms_init(vef_replay_comms *comms, const vef_communicator *communicators,
                           uint32_t count) {
    *comms = (vef_replay_comms){.states = vef_calloc(count ? count : 1, sizeof *comms->states),
                                .count = count};
    for (uint32_t i = 0; i < count; i++) {
        comms->states[i].communicator = &communicators[i];
        comms->states[i].arena = &comms->arena;
        comms->states[i].size = communicators[i].size + communicators[i].remote_size;
    }
}

void vef_replay_comms_release(vef_replay_comms *comms) {
    for (uint32_t i = 0; i < comms->count; i++)
        if (comms->states[i].starts)
            vef_map64_free(&comms->states[i].starts->place_of);
    free(comms->states);
    vef_arena_release(&comms->arena);
    *comms = (vef_replay_comms){0};
}

typedef struct task_rank {
    uint32_t task, rank;
} task_rank;

VEF_ORDER_BY(by_task, task_rank, task)

static void sort_members(vef_replay_comms *comms, vef_comm_state *comm) {
    task_rank *pairs = vef_malloc(comm->size * sizeof *pairs);
    uint32_t *tasks = vef_arena_alloc(&comms->arena, comm->size, sizeof *tasks);
    uint32_t *ranks = vef_arena_alloc(&comms->arena, comm->size, sizeof *ranks);
    for (uint32_t rank = 0; rank < comm->size; rank++)
        pairs[rank] = (task_rank){vef_comm_member(comm, rank), rank};
    qsort(pairs, comm->size, sizeof *pairs, by_task);
    for (uint32_t i = 0; i < comm->size; i++) {
        tasks[i] = pairs[i].task;
        ranks[i] = pairs[i].rank;
    }
    comm->sorted_tasks = tasks;
    comm->sorted_ranks = ranks;
    free(pairs);
}

static void prepare(vef_replay_comms *comms, vef_comm_state *comm) {
    comm->calls.entered = vef_arena_alloc(&comms->arena, comm->size, sizeof *comm->calls.entered);
    bool in_order = true;
    comm->present = 0;
    for (uint32_t rank = 0; rank < comm->size; rank++) {
        const uint32_t task = vef_comm_member(comm, rank);
        in_order &= task == rank;
        comm->present += !comms->part_of || comms->part_of[task] == comms->part;
    }
    if (!in_order)
        sort_members(comms, comm);
    comm->prepared = true;
}

vef_comm_state *vef_replay_comms_get(vef_replay_comms *comms, uint32_t comm) {
    vef_comm_state *state = &comms->states[comm];
    if (!state->prepared)
        prepare(comms, state);
    return state;
}

uint32_t vef_comm_rank(const vef_comm_state *comm, uint32_t task) {
    if (!comm->sorted_tasks)
        return task < comm->size ? task : VEF_NO_RANK;
    uint32_t low = 0, high = comm->size;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (comm->sorted_tasks[middle] < task)
            low = middle + 1;
        else
            high = middle;
    }
    return low < comm->size && comm->sorted_tasks[low] == task ? comm->sorted_ranks[low]
                                                               : VEF_NO_RANK;
}

const vef_nodes *vef_comm_nodes(vef_replay_comms *comms, vef_comm_state *comm,
                                const uint32_t *mapping) {
    if (comm->nodes)
        return comm->nodes;
    uint32_t *names = vef_malloc(comm->size * sizeof *names);
    for (uint32_t rank = 0; rank < comm->size; rank++)
        names[rank] = mapping[vef_comm_member(comm, rank)];
    comm->nodes = vef_nodes_make(names, comm->size, &comms->arena);
    free(names);
    return comm->nodes;
}

const uint32_t *vef_comm_parent_ranks(vef_replay_comms *comms, vef_comm_state *comm,
                                      const vef_comm_state *parent) {
    if (comm->parent_ranks)
        return comm->parent_ranks;
    uint32_t *ranks = vef_arena_alloc(&comms->arena, comm->size, sizeof *ranks);
    for (uint32_t rank = 0; rank < comm->size; rank++)
        ranks[rank] = vef_comm_rank(parent, vef_comm_member(comm, rank));
    return comm->parent_ranks = ranks;
}

const vef_neighbours *vef_comm_neighbours(vef_replay_comms *comms, vef_comm_state *comm,
                                          uint32_t rank) {
    const vef_communicator *communicator = comm->communicator;
    if (communicator->neighbours)
        return &communicator->neighbours[rank];
    if (communicator->dimensions == 0)
        return NULL;
    if (!comm->grid_neighbours)
        comm->grid_neighbours =
            vef_arena_alloc(&comms->arena, comm->size, sizeof *comm->grid_neighbours);
    vef_neighbours *of_rank = &comm->grid_neighbours[rank];
    if (!of_rank->in) {
        uint32_t *ranks =
            vef_arena_alloc(&comms->arena, 2 * communicator->dimensions, sizeof *ranks);
        vef_grid_neighbours(communicator, rank, ranks);
        *of_rank = (vef_neighbours){.in_count = 2 * communicator->dimensions,
                                    .out_count = 2 * communicator->dimensions,
                                    .in = ranks,
                                    .out = ranks};
    }
    return of_rank;
}

static void grow_window(vef_arena *arena, vef_calls *calls) {
    size_t capacity = calls->window_capacity ? 2 * calls->window_capacity : 2;
    vef_open_collective *window = vef_arena_alloc(arena, capacity, sizeof *window);
    for (uint64_t i = calls->window_first; i < calls->window_end; i++)
        window[i & (capacity - 1)] = calls->window[i & (calls->window_capacity - 1)];
    calls->window = window;
    calls->window_capacity = capacity;
}

/* An entry for one more sequence of starts: unused, or of a sequence that no member is in. */
static uint32_t free_place(const vef_comm_state *comm) {
    vef_starts *starts = comm->starts;
    if (starts->free_count > 0)
        return starts->free[--starts->free_count];
    vef_arena_grow(comm->arena, &starts->list, starts->count, sizeof *starts->list);
    vef_arena_grow(comm->arena, &starts->free, starts->count, sizeof *starts->free);
    vef_calls *calls = &starts->list[starts->count];
    *calls =
        (vef_calls){.entered = vef_arena_alloc(comm->arena, comm->size, sizeof *calls->entered)};
    return starts->count++;
}

static vef_calls *find_starts(vef_comm_state *comm, uint32_t sequence) {
    if (!comm->starts)
        comm->starts = vef_arena_alloc(comm->arena, 1, sizeof *comm->starts);
    const uint64_t *found = vef_map64_get(&comm->starts->place_of, sequence);
    const uint32_t place = found ? (uint32_t)*found : free_place(comm);
    if (!found)
        vef_map64_set(&comm->starts->place_of, sequence, place);
    return &comm->starts->list[place];
}

/* Every member has entered as many as every other: the sequence can restart from there, and its
 * entry can be reused meanwhile. So memory is bounded by what is in progress, however many
 * persistent collectives a program creates. */
static void set_free(vef_comm_state *comm, uint32_t sequence, vef_calls *calls) {
    uint64_t place;
    if (!vef_map64_take(&comm->starts->place_of, sequence, &place))
        return;
    for (uint32_t rank = 0; rank < comm->size; rank++)
        calls->entered[rank] = 0;
    calls->window_first = calls->window_end = 0;
    comm->starts->free[comm->starts->free_count++] = (uint32_t)place;
}

/* The roots of an intercommunicator differ. */
static void note_entered(vef_comm_state *comm, const vef_open_collective *entered) {
    const uint32_t root = comm->communicator->remote_size ? 0 : (uint32_t)entered->root;
    uint64_t hash = (comm->entered_hash ^ entered->call) * UINT64_C(0x9e3779b97f4a7c15);
    hash = ((hash ^ hash >> 32) + root) * UINT64_C(0xd6e8feb86659fd93);
    comm->entered_hash = hash ^ hash >> 32;
}

void vef_comm_enter(vef_comm_state *comm, uint32_t rank, uint32_t sequence,
                    const vef_open_collective *as, vef_open_collective *gathering) {
    vef_calls *calls = sequence ? find_starts(comm, sequence) : &comm->calls;
    uint64_t place = calls->entered[rank];
    if (place == calls->window_end) {
        if (calls->window_end - calls->window_first == calls->window_capacity)
            grow_window(comm->arena, calls);
        vef_open_collective *made =
            &calls->window[calls->window_end++ & (calls->window_capacity - 1)];
        *made = *as;
        made->entered = 0;
        made->number = sequence ? VEF_START_NUMBER | comm->starts->numbers++ : place;
    }
    calls->entered[rank]++;
    vef_open_collective *open = &calls->window[place & (calls->window_capacity - 1)];
    open->entered++;
    *gathering = *open;
    for (; calls->window_first < calls->window_end; calls->window_first++) {
        const vef_open_collective *first =
            &calls->window[calls->window_first & (calls->window_capacity - 1)];
        if (first->entered < comm->present)
            break;
        if (!sequence)
            note_entered(comm, first);
    }
    if (sequence && calls->window_first == calls->window_end)
        set_free(comm, sequence, calls);
}

/* The least of the values of all parts, and of their complements, which is the complement of the
 * greatest: they are complements of each other if and only if all values are equal. */
void vef_comms_bound(const vef_replay_comms *comms, uint64_t *bounds) {
    for (uint32_t i = 0; i < comms->count; i++, bounds += VEF_COMM_BOUNDS) {
        const vef_comm_state *comm = &comms->states[i];
        const uint64_t first = comm->calls.window_first, hash = comm->entered_hash;
        const uint64_t values[VEF_COMM_BOUNDS] = {first, ~first, hash, ~hash};
        for (uint32_t k = 0; k < VEF_COMM_BOUNDS && comm->prepared && comm->present; k++)
            bounds[k] = values[k] < bounds[k] ? values[k] : bounds[k];
    }
}

/* Where both are UINT64_MAX no part has members. */
bool vef_comms_agree(const uint64_t *bounds, uint32_t communicators) {
    bool agree = true;
    for (uint64_t i = 0; i < (uint64_t)communicators * VEF_COMM_BOUNDS; i += 2)
        agree &= bounds[i] == ~bounds[i + 1] || (bounds[i] & bounds[i + 1]) == UINT64_MAX;
    return agree;
}

bool vef_comm_has_entered(const vef_comm_state *comm, uint32_t rank, uint64_t number) {
    if (!(number & VEF_START_NUMBER))
        return comm->calls.entered[rank] > number;
    for (uint32_t i = 0; i < comm->starts->count; i++) {
        const vef_calls *calls = &comm->starts->list[i];
        for (uint64_t k = calls->window_first; k < calls->window_end; k++)
            if (calls->window[k & (calls->window_capacity - 1)].number == number)
                return calls->entered[rank] > k;
    }
    return true; /* every member has */
}
