/* Communicators as bytes. Members are runs of equal stride, since most groups are rows, columns or
 * all of a grid. See communicator.h. */
#include "traces/format/communicator.h"
#include "common/memory.h"

#include <stdlib.h>

static uint32_t list_count(const vef_communicator *communicator, vef_neighbour_lists lists) {
    if (!communicator->neighbours)
        return 0;
    return lists == VEF_LISTS_OF_ONE ? 1 : communicator->size;
}

size_t vef_communicator_bound(const vef_communicator *communicator, vef_neighbour_lists lists) {
    size_t bound = 64 + 16 * ((size_t)communicator->size + communicator->remote_size) +
                   6 * (size_t)communicator->dimensions;
    for (uint32_t i = 0; i < list_count(communicator, lists); i++)
        bound += 10 + 5 * ((size_t)communicator->neighbours[i].in_count +
                           communicator->neighbours[i].out_count);
    return bound;
}

static uint8_t *put_members(uint8_t *to, const uint32_t *members, uint32_t count) {
    to = vef_put_varint(to, count);
    for (uint32_t i = 0; i < count;) {
        int64_t stride = i + 1 < count ? (int64_t)members[i + 1] - members[i] : 1;
        uint32_t length = 1;
        while (i + length < count &&
               (int64_t)members[i + length] - members[i + length - 1] == stride)
            length++;
        to = vef_put_varint(to, members[i]);
        to = vef_put_varint(to, length);
        if (length > 1)
            to = vef_put_signed(to, stride);
        i += length;
    }
    return to;
}

/* As differences, the first one to the rank of the list: neighbours mostly have the same offsets
 * from every rank, and then equal bytes. */
static uint8_t *put_neighbours(uint8_t *to, uint32_t from, const uint32_t *ranks, uint32_t count) {
    to = vef_put_varint(to, count);
    for (uint32_t i = 0; i < count; i++) {
        to = vef_put_signed(to, (int64_t)ranks[i] - from);
        from = ranks[i];
    }
    return to;
}

uint8_t *vef_communicator_put(uint8_t *to, const vef_communicator *communicator,
                              vef_neighbour_lists lists) {
    to = vef_put_varint(to, communicator->parent == VEF_NO_COMM ? 0 : communicator->parent + 1ull);
    to = vef_put_varint(to, communicator->made_by);
    to = put_members(to, communicator->members, communicator->size);
    to = put_members(to, communicator->remote_members, communicator->remote_size);
    to = vef_put_varint(to, communicator->dimensions);
    for (uint32_t i = 0; i < communicator->dimensions; i++)
        to =
            vef_put_varint(to, (uint64_t)communicator->extents[i] << 1 | communicator->periodic[i]);
    to = vef_put_varint(to, communicator->neighbours != NULL);
    for (uint32_t i = 0; i < list_count(communicator, lists); i++) {
        const vef_neighbours *neighbours = &communicator->neighbours[i];
        to = put_neighbours(to, i, neighbours->in, neighbours->in_count);
        to = put_neighbours(to, i, neighbours->out, neighbours->out_count);
    }
    return to;
}

/* A group of consecutive members, the common case: a part of the world. */
static bool get_part_of_world(vef_cursor *from, uint32_t tasks, uint32_t count,
                              const uint32_t *world, const uint32_t **members) {
    vef_cursor ahead = *from;
    uint64_t first = vef_get_limited(&ahead, tasks - 1ull), length = vef_get_varint(&ahead);
    if (ahead.bad || !world || length != count || first + length > tasks ||
        (length > 1 && vef_get_signed(&ahead) != 1) || ahead.bad)
        return false;
    *members = world + first;
    *from = ahead;
    return true;
}

static vef_code get_members(vef_cursor *from, uint32_t tasks, const uint32_t *world,
                            vef_arena *arena, uint32_t *count, const uint32_t **members,
                            vef_error *error) {
    *count = (uint32_t)vef_get_limited(from, tasks);
    *members = NULL;
    if (*count == 0 || get_part_of_world(from, tasks, *count, world, members))
        return VEF_OK;
    uint32_t *list = vef_arena_alloc(arena, *count, sizeof *list);
    if (!list)
        return vef_fail_memory(error, "the members of a communicator", *count * sizeof *list);
    *members = list;
    for (uint32_t i = 0; i < *count && !from->bad;) {
        int64_t member = (int64_t)vef_get_limited(from, tasks - 1ull);
        uint64_t length = vef_get_limited(from, *count - i);
        int64_t stride = length > 1 ? vef_get_signed(from) : 0;
        if (length == 0 || stride < -(int64_t)tasks || stride > tasks)
            from->bad = true;
        for (uint64_t k = 0; k < length && !from->bad; k++, member += stride) {
            if (member < 0 || member >= tasks)
                from->bad = true;
            list[i++] = (uint32_t)member;
        }
    }
    return VEF_OK;
}

static vef_code get_grid(vef_cursor *from, vef_arena *arena, vef_communicator *communicator,
                         vef_error *error) {
    communicator->dimensions = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->next));
    if (communicator->dimensions == 0)
        return VEF_OK;
    uint32_t *extents = vef_arena_alloc(arena, communicator->dimensions, sizeof *extents);
    uint8_t *periodic = vef_arena_alloc(arena, communicator->dimensions, sizeof *periodic);
    if (!extents || !periodic)
        return vef_fail_memory(error, "the grid of a communicator",
                               communicator->dimensions * 5ull);
    for (uint32_t i = 0; i < communicator->dimensions; i++) {
        uint64_t word = vef_get_limited(from, (uint64_t)UINT32_MAX << 1 | 1);
        extents[i] = (uint32_t)(word >> 1);
        periodic[i] = word & 1;
    }
    communicator->extents = extents;
    communicator->periodic = periodic;
    return VEF_OK;
}

static vef_code get_neighbours(vef_cursor *from, uint32_t before, uint32_t size, vef_arena *arena,
                               uint32_t *count, const uint32_t **ranks, vef_error *error) {
    *count = (uint32_t)vef_get_limited(from, (uint64_t)(from->end - from->next)); /* a byte each */
    if (*count == 0)
        return VEF_OK;
    uint32_t *list = vef_arena_alloc(arena, *count, sizeof *list);
    if (!list)
        return vef_fail_memory(error, "the neighbours of a rank", *count * sizeof *list);
    *ranks = list;
    for (uint32_t i = 0; i < *count && !from->bad; i++) {
        uint64_t rank = before + (uint64_t)vef_get_signed(from);
        if (rank >= size)
            from->bad = true;
        list[i] = before = (uint32_t)rank;
    }
    return VEF_OK;
}

static vef_code get_graph(vef_cursor *from, vef_neighbour_lists lists, vef_arena *arena,
                          vef_communicator *communicator, vef_error *error) {
    if (vef_get_limited(from, 1) == 0)
        return VEF_OK;
    uint32_t count = lists == VEF_LISTS_OF_ONE ? 1 : communicator->size;
    if (count > (uint64_t)(from->end - from->next) / 2) { /* at least two bytes each */
        from->bad = true;
        return VEF_OK;
    }
    vef_neighbours *graph = vef_arena_alloc(arena, count, sizeof *graph);
    if (!graph)
        return vef_fail_memory(error, "the neighbours in a communicator", count * sizeof *graph);
    communicator->neighbours = graph;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < count && !code && !from->bad; i++) {
        uint32_t size = communicator->size;
        code = get_neighbours(from, i, size, arena, &graph[i].in_count, &graph[i].in, error);
        if (!code)
            code = get_neighbours(from, i, size, arena, &graph[i].out_count, &graph[i].out, error);
    }
    return code;
}

vef_code vef_communicator_get(vef_cursor *from, uint32_t number, uint32_t tasks,
                              vef_neighbour_lists lists, const uint32_t *world, vef_arena *arena,
                              vef_communicator *communicator, vef_error *error) {
    *communicator = (vef_communicator){0};
    communicator->parent = (uint32_t)vef_get_limited(from, number) - 1; /* 0: VEF_NO_COMM */
    communicator->made_by = (uint16_t)vef_get_limited(from, UINT16_MAX);
    vef_code code =
        get_members(from, tasks, world, arena, &communicator->size, &communicator->members, error);
    if (!code)
        code = get_members(from, tasks, world, arena, &communicator->remote_size,
                           &communicator->remote_members, error);
    if (!code)
        code = get_grid(from, arena, communicator, error);
    if (!code)
        code = get_graph(from, lists, arena, communicator, error);
    if (!code &&
        (from->bad || communicator->size == 0 || vef_call_name(communicator->made_by) == NULL))
        code = vef_fail(error, VEF_CORRUPT, "communicator %u does not decode", number);
    return code;
}

static int by_task(const void *a, const void *b, void *members) {
    uint32_t x = ((const uint32_t *)members)[*(const uint32_t *)a];
    uint32_t y = ((const uint32_t *)members)[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

vef_code vef_ranks_make(vef_ranks *ranks, const uint32_t *members, uint32_t size,
                        vef_error *error) {
    *ranks = (vef_ranks){.members = members, .size = size};
    bool ascends = true;
    for (uint32_t i = 1; i < size && ascends; i++)
        ascends = members[i - 1] < members[i];
    if (ascends)
        return VEF_OK;
    ranks->by_task = vef_malloc(size * sizeof *ranks->by_task);
    if (!ranks->by_task) {
        ranks->size = 0;
        return vef_fail_memory(error, "the members of a communicator", size * sizeof *members);
    }
    for (uint32_t i = 0; i < size; i++)
        ranks->by_task[i] = i;
    qsort_r(ranks->by_task, size, sizeof *ranks->by_task, by_task, (void *)(uintptr_t)members);
    return VEF_OK;
}

void vef_ranks_free(vef_ranks *ranks) {
    free(ranks->by_task);
    *ranks = (vef_ranks){0};
}

int32_t vef_ranks_find(const vef_ranks *ranks, uint32_t task) {
    if (task < ranks->size && ranks->members[task] == task) /* the world */
        return (int32_t)task;
    uint32_t low = 0, high = ranks->size;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t rank = ranks->by_task ? ranks->by_task[middle] : middle;
        if (ranks->members[rank] == task)
            return (int32_t)rank;
        if (ranks->members[rank] < task)
            low = middle + 1;
        else
            high = middle;
    }
    return VEF_NO_MEMBER;
}

uint32_t vef_neighbours_out(const vef_communicator *communicator, uint32_t rank) {
    return communicator->neighbours ? communicator->neighbours[rank].out_count
                                    : 2 * communicator->dimensions;
}

uint32_t vef_neighbours_in(const vef_communicator *communicator, uint32_t rank) {
    return communicator->neighbours ? communicator->neighbours[rank].in_count
                                    : 2 * communicator->dimensions;
}

/* Ranks of a grid count in row-major order: the last dimension varies fastest (MPI 4.0, section
 * 8.2).
 */
static uint32_t beside(const vef_communicator *grid, uint32_t rank, uint32_t k) {
    uint64_t stride = 1;
    for (uint32_t i = grid->dimensions; --i > k / 2;)
        stride *= grid->extents[i];
    uint64_t extent = grid->extents[k / 2];
    if (extent == 0 || stride == 0) /* not a grid that MPI creates */
        return UINT32_MAX;
    uint64_t coordinate = rank / stride % extent;
    bool above = k & 1, wraps = above ? coordinate + 1 == extent : coordinate == 0;
    if (wraps && !grid->periodic[k / 2])
        return UINT32_MAX;
    uint64_t next = above ? (wraps ? 0 : coordinate + 1) : (wraps ? extent - 1 : coordinate - 1);
    uint64_t found = rank - coordinate * stride + next * stride;
    return found < grid->size ? (uint32_t)found : UINT32_MAX;
}

uint32_t vef_neighbour_out(const vef_communicator *communicator, uint32_t rank, uint32_t k) {
    return communicator->neighbours ? communicator->neighbours[rank].out[k]
                                    : beside(communicator, rank, k);
}

uint32_t vef_neighbour_in(const vef_communicator *communicator, uint32_t rank, uint32_t k) {
    return communicator->neighbours ? communicator->neighbours[rank].in[k]
                                    : beside(communicator, rank, k);
}
