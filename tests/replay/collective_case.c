/* The cases; see collective_case.h. */
#include "tests/replay/collective_case.h"

#include "tests/replay/between_case.h"
#include "traces/event.h"

#include <assert.h>
#include <stdlib.h>

static bool is_vector(uint16_t call) {
    return call == VEF_CALL_Gatherv || call == VEF_CALL_Scatterv || call == VEF_CALL_Allgatherv ||
           call == VEF_CALL_Reduce_scatter;
}

static bool is_matrix(uint16_t call) {
    return call == VEF_CALL_Alltoallv || call == VEF_CALL_Alltoallw;
}

bool collective_is_rooted(uint16_t call) {
    return call == VEF_CALL_Bcast || call == VEF_CALL_Reduce || call == VEF_CALL_Gather ||
           call == VEF_CALL_Gatherv || call == VEF_CALL_Scatter || call == VEF_CALL_Scatterv;
}

bool collective_is_reduction(uint16_t call) {
    return call == VEF_CALL_Reduce || call == VEF_CALL_Allreduce || call == VEF_CALL_Scan ||
           call == VEF_CALL_Exscan || call == VEF_CALL_Reduce_scatter ||
           call == VEF_CALL_Reduce_scatter_block;
}

bool collective_synchronises(uint16_t call) {
    return call == VEF_CALL_Barrier || call == VEF_CALL_Win_fence ||
           (vef_call_kind(call) == VEF_KIND_COMM && call != VEF_CALL_Comm_free &&
            call != VEF_CALL_Comm_disconnect);
}

bool collective_notes_blocks(uint16_t call) {
    return vef_call_kind(call) == VEF_KIND_COLLECTIVE;
}

bool collective_is_on_neighbours(uint16_t call) {
    return call >= VEF_CALL_Neighbor_allgather && call <= VEF_CALL_Neighbor_alltoallw;
}

/* Block of rank r in a vector variant: all nothing, all alike, a mixture with zeros, one rank with
 * all (long enough for chunks), and long odd ones. Multiples of 8 bytes, so that each is an element
 * count of doubles. */
static uint64_t vector_bytes(uint32_t r, uint32_t size, uint32_t variant) {
    switch (variant) {
    case 0:
        return 0;
    case 1:
        return 24;
    case 2:
        return r % 3 == 1 ? 0 : 8 * ((uint64_t)r * 37 % 11);
    case 3:
        return r == size / 2 ? 80008 : 0;
    default:
        return r % 4 == 2 ? 0 : 8 * ((uint64_t)r * 7919 % 9001);
    }
}

static uint64_t matrix_bytes(uint32_t s, uint32_t d, uint32_t size, uint32_t variant) {
    return vector_bytes((s * 5 + d * 3) % size, size, variant) +
           (variant > 1 ? (s + 2 * d) % 2 : 0);
}

/* Bytes and elements of the others: nothing, less than the ranks, odd, and long. */
static const uint64_t regular[][2] = {{0, 0},       {1, 1},          {24, 3},          {1001, 1001},
                                      {4096, 1024}, {100000, 12500}, {1000004, 250001}};

static uint64_t *numbers(size_t count) {
    uint64_t *list = calloc(count ? count : 1, sizeof *list);
    assert(list);
    return list;
}

void collective_case_make_with(collective_case *result, uint16_t call, uint32_t size, uint32_t root,
                               uint64_t bytes, uint64_t elements, bool commutative) {
    *result = (collective_case){.size = size, .calls = calloc(size, sizeof *result->calls)};
    assert(result->calls);
    for (uint32_t r = 0; r < size; r++)
        result->calls[r] = (vef_collective){.call = call,
                                            .rank = r,
                                            .size = size,
                                            .root = collective_is_rooted(call) ? (int32_t)root : -1,
                                            .bytes = bytes,
                                            .elements = elements,
                                            .commutative = commutative};
}

static void make_vector(collective_case *one, uint16_t call, uint32_t root, uint32_t variant) {
    uint64_t total = 0;
    one->matrix = numbers(one->size);
    for (uint32_t r = 0; r < one->size; r++)
        total += one->matrix[r] = vector_bytes(r, one->size, variant);
    for (uint32_t r = 0; r < one->size; r++) {
        vef_collective *mine = &one->calls[r];
        bool everywhere = call == VEF_CALL_Allgatherv || call == VEF_CALL_Reduce_scatter;
        mine->bytes = one->matrix[r];
        mine->elements = call == VEF_CALL_Reduce_scatter ? total / 8 : 0;
        if (everywhere || (call == VEF_CALL_Gatherv && r == root))
            mine->receive_bytes = one->matrix;
        if (call == VEF_CALL_Scatterv && r == root)
            mine->send_bytes = one->matrix;
    }
}

static void make_matrix(collective_case *one, uint32_t variant) {
    uint32_t size = one->size;
    one->matrix = numbers((size_t)size * size);
    one->transposed = numbers((size_t)size * size);
    for (uint32_t s = 0; s < size; s++)
        for (uint32_t d = 0; d < size; d++)
            one->matrix[s * size + d] = one->transposed[d * size + s] =
                matrix_bytes(s, d, size, variant);
    for (uint32_t r = 0; r < size; r++) {
        one->calls[r].send_bytes = one->matrix + (size_t)r * size;
        one->calls[r].receive_bytes = one->transposed + (size_t)r * size;
    }
}

bool collective_case_make(collective_case *result, uint16_t call, uint32_t size, uint32_t root,
                          uint32_t variant) {
    bool vectors = is_vector(call) || is_matrix(call);
    uint32_t kinds = vectors ? 5 : (uint32_t)(sizeof regular / sizeof *regular);
    if (call == VEF_CALL_Barrier || !collective_notes_blocks(call))
        kinds = 1;
    bool commutative = variant < kinds;
    if (!commutative && collective_is_reduction(call))
        variant -= kinds;
    if (variant >= kinds)
        return false;
    uint64_t bytes = vectors ? 0 : regular[variant][0];
    uint64_t elements = collective_is_reduction(call) && !vectors ? regular[variant][1] : 0;
    collective_case_make_with(result, call, size, root, bytes, elements, commutative);
    if (is_vector(call))
        make_vector(result, call, root, variant);
    if (is_matrix(call))
        make_matrix(result, variant);
    return true;
}

void collective_case_free(collective_case *one) {
    free(one->calls);
    free(one->matrix);
    free(one->transposed);
    *one = (collective_case){0};
}

uint32_t collective_pieces(const vef_collective *call) {
    if (call->remote_size)
        return between_pieces(call);
    switch (call->call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Reduce:
    case VEF_CALL_Allreduce:
        return 1;
    case VEF_CALL_Scan:
    case VEF_CALL_Exscan:
        return 2;
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
    case VEF_CALL_Allgather:
    case VEF_CALL_Allgatherv:
    case VEF_CALL_Reduce_scatter:
    case VEF_CALL_Reduce_scatter_block:
        return call->size;
    case VEF_CALL_Alltoall:
    case VEF_CALL_Alltoallv:
    case VEF_CALL_Alltoallw:
    case VEF_CALL_Neighbor_allgather:
    case VEF_CALL_Neighbor_allgatherv:
    case VEF_CALL_Neighbor_alltoall:
    case VEF_CALL_Neighbor_alltoallv:
    case VEF_CALL_Neighbor_alltoallw:
        return call->size * call->size;
    default:
        return 0;
    }
}

uint64_t collective_piece_bytes(const collective_case *one, uint32_t piece) {
    return one->matrix ? one->matrix[piece] : one->calls[0].bytes;
}

static rank_set only(uint32_t rank) {
    return (rank_set)1 << rank;
}

/* Ranks 0 … count-1. */
static rank_set first(uint32_t count) {
    return count == RANK_SET_LIMIT ? ~(rank_set)0 : only(count) - 1;
}

rank_set collective_before(const vef_collective *call, uint32_t piece, uint64_t offset_bytes) {
    if (call->remote_size)
        return between_before(call, piece, offset_bytes);
    uint32_t rank = call->rank, root = (uint32_t)call->root;
    switch (call->call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return rank == root ? only(root) : 0;
    case VEF_CALL_Reduce:
    case VEF_CALL_Allreduce:
    case VEF_CALL_Scan:
    case VEF_CALL_Reduce_scatter:
    case VEF_CALL_Reduce_scatter_block:
        return only(rank);
    case VEF_CALL_Exscan:
        return piece == 0 ? only(rank) : 0;
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
    case VEF_CALL_Allgather:
    case VEF_CALL_Allgatherv:
        return piece == rank ? only(rank) : 0;
    default: /* Alltoall, Alltoallv, Alltoallw, and on neighbours */
        return piece / call->size == rank ? only(rank) : 0;
    }
}

rank_set collective_after(const vef_collective *call, uint32_t piece, uint64_t offset_bytes) {
    if (call->remote_size)
        return between_after(call, piece, offset_bytes);
    uint32_t rank = call->rank, root = (uint32_t)call->root;
    switch (call->call) {
    case VEF_CALL_Bcast:
        return only(root);
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return piece == rank ? only(root) : 0;
    case VEF_CALL_Reduce:
        return rank == root ? first(call->size) : 0;
    case VEF_CALL_Allreduce:
        return first(call->size);
    case VEF_CALL_Scan:
        return piece == 1 ? first(rank + 1) : 0;
    case VEF_CALL_Exscan:
        return piece == 1 ? first(rank) : 0;
    case VEF_CALL_Reduce_scatter:
    case VEF_CALL_Reduce_scatter_block:
        return piece == rank ? first(call->size) : 0;
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
        return rank == root ? only(piece) : 0;
    case VEF_CALL_Allgather:
    case VEF_CALL_Allgatherv:
        return only(piece);
    default:
        return piece % call->size == rank ? only(piece / call->size) : 0;
    }
}
