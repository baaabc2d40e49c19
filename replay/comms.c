/* Communicators during a replay. */
#include "replay/comms.h"

#include "replay/collectives/plan.h"

#include <stdlib.h>

bool vef_comms_init(vef_comms *comms, const vef_communicator *communicators, uint32_t count) {
    *comms =
        (vef_comms){.states = calloc(count ? count : 1, sizeof *comms->states), .count = count};
    if (!comms->states)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        comms->states[i].communicator = &communicators[i];
        comms->states[i].size = communicators[i].size + communicators[i].remote_size;
    }
    return true;
}

void vef_comms_release(vef_comms *comms) {
    for (uint32_t i = 0; i < comms->count; i++)
        free(comms->states[i].window);
    free(comms->states);
    vef_arena_release(&comms->arena);
    *comms = (vef_comms){0};
}

uint32_t vef_comm_member(const vef_comm_state *comm, uint32_t rank) {
    const vef_communicator *communicator = comm->communicator;
    return rank < communicator->size ? communicator->members[rank]
                                     : communicator->remote_members[rank - communicator->size];
}

typedef struct task_rank {
    uint32_t task, rank;
} task_rank;

static int by_task(const void *a, const void *b) {
    const task_rank *x = a, *y = b;
    return (x->task > y->task) - (x->task < y->task);
}

static bool sort_members(vef_comms *comms, vef_comm_state *comm) {
    task_rank *pairs = malloc(comm->size * sizeof *pairs);
    uint32_t *tasks = vef_arena_alloc(&comms->arena, comm->size, sizeof *tasks);
    uint32_t *ranks = vef_arena_alloc(&comms->arena, comm->size, sizeof *ranks);
    if (pairs && tasks && ranks) {
        for (uint32_t rank = 0; rank < comm->size; rank++)
            pairs[rank] = (task_rank){vef_comm_member(comm, rank), rank};
        qsort(pairs, comm->size, sizeof *pairs, by_task);
        for (uint32_t i = 0; i < comm->size; i++) {
            tasks[i] = pairs[i].task;
            ranks[i] = pairs[i].rank;
        }
        comm->sorted_tasks = tasks;
        comm->sorted_ranks = ranks;
    }
    free(pairs);
    return comm->sorted_ranks != NULL;
}

static bool prepare(vef_comms *comms, vef_comm_state *comm) {
    comm->entered = vef_arena_alloc(&comms->arena, comm->size, sizeof *comm->entered);
    if (!comm->entered)
        return false;
    bool in_order = true;
    for (uint32_t rank = 0; rank < comm->size && in_order; rank++)
        in_order = vef_comm_member(comm, rank) == rank;
    if (!in_order && !sort_members(comms, comm))
        return false;
    comm->prepared = true;
    return true;
}

vef_comm_state *vef_comms_get(vef_comms *comms, uint32_t comm) {
    vef_comm_state *state = &comms->states[comm];
    return state->prepared || prepare(comms, state) ? state : NULL;
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

bool vef_comm_neighbours(vef_comms *comms, vef_comm_state *comm, uint32_t rank,
                         const vef_neighbours **neighbours) {
    const vef_communicator *communicator = comm->communicator;
    *neighbours = communicator->neighbours ? &communicator->neighbours[rank] : NULL;
    if (communicator->neighbours || communicator->dimensions == 0)
        return true;
    if (!comm->grid_neighbours)
        comm->grid_neighbours =
            vef_arena_alloc(&comms->arena, comm->size, sizeof *comm->grid_neighbours);
    if (!comm->grid_neighbours)
        return false;
    vef_neighbours *of_rank = &comm->grid_neighbours[rank];
    if (!of_rank->in) {
        uint32_t *ranks =
            vef_arena_alloc(&comms->arena, 2 * communicator->dimensions, sizeof *ranks);
        if (!ranks)
            return false;
        vef_grid_neighbours(communicator, rank, ranks);
        *of_rank = (vef_neighbours){.in_count = 2 * communicator->dimensions,
                                    .out_count = 2 * communicator->dimensions,
                                    .in = ranks,
                                    .out = ranks};
    }
    *neighbours = of_rank;
    return true;
}

static bool grow_window(vef_comm_state *comm) {
    size_t capacity = comm->window_capacity ? 2 * comm->window_capacity : 2;
    vef_gathering *window = calloc(capacity, sizeof *window);
    if (!window)
        return false;
    for (uint64_t i = comm->window_first; i < comm->window_end; i++)
        window[i & (capacity - 1)] = comm->window[i & (comm->window_capacity - 1)];
    free(comm->window);
    comm->window = window;
    comm->window_capacity = capacity;
    return true;
}

bool vef_comm_enter(vef_comm_state *comm, uint32_t rank, const vef_gathering *as, uint64_t *number,
                    vef_gathering *gathering) {
    *number = comm->entered[rank];
    if (*number == comm->window_end) {
        if (comm->window_end - comm->window_first == comm->window_capacity && !grow_window(comm))
            return false;
        comm->window[comm->window_end++ & (comm->window_capacity - 1)] = *as;
    }
    comm->entered[rank]++;
    vef_gathering *at = &comm->window[*number & (comm->window_capacity - 1)];
    at->entered++;
    *gathering = *at;
    while (comm->window_first < comm->window_end &&
           comm->window[comm->window_first & (comm->window_capacity - 1)].entered == comm->size)
        comm->window_first++;
    return true;
}
