/* The cases between two groups; see between_case.h. */
#include "tests/replay/between_case.h"

#include "traces/event.h"

#include <assert.h>
#include <stdlib.h>

static bool has_pairs(uint16_t call) {
    return call == VEF_CALL_Alltoall || call == VEF_CALL_Alltoallv || call == VEF_CALL_Alltoallw;
}

static bool has_vector(uint16_t call) {
    return call == VEF_CALL_Gatherv || call == VEF_CALL_Scatterv || call == VEF_CALL_Allgatherv ||
           call == VEF_CALL_Reduce_scatter;
}

/* ---- what the calls are ---- */

/* Bytes (and elements of 8, or of all) of one part. */
static const uint64_t sizes[] = {0, 8, 104, 4096, 200000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint64_t mixed(uint32_t here, uint32_t variant) {
    return sizes[variant] && here % 3 != 1 ? sizes[variant] + 8 * (uint64_t)(here * 7 % 5) : 0;
}

/* The vectors of a call by rank of one group: its parts. Reduce_scatter: both groups cut the same
 * total, so the last takes what is left of 16 parts. */
static void fill(uint64_t *parts, uint16_t call, uint32_t size, uint32_t variant) {
    uint64_t left = 16 * sizes[variant];
    for (uint32_t r = 0; r < size; r++) {
        parts[r] = mixed(r, variant);
        if (call != VEF_CALL_Reduce_scatter)
            continue;
        if (parts[r] > left || r + 1 == size)
            parts[r] = left;
        left -= parts[r];
    }
}

static uint64_t sum(const uint64_t *parts, uint32_t count) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += parts[i];
    return total;
}

/* The part that each of a group gets or gives, where it is the same for all: of
 * Reduce_scatter_block such that both groups cut the same total. */
static uint64_t part_of(uint16_t call, uint32_t other_size, uint32_t variant) {
    return sizes[variant] * (call == VEF_CALL_Reduce_scatter_block ? other_size : 1);
}

/* The sizes of the two pieces, or of the pairs. */
static void measure(collective_case *one, uint16_t call, uint32_t first, uint32_t second,
                    uint32_t root, const uint64_t *parts, uint32_t variant) {
    uint32_t size[] = {first, second}, offset[] = {0, first}, both = first + second;
    bool root_gives =
        call == VEF_CALL_Bcast || call == VEF_CALL_Scatter || call == VEF_CALL_Scatterv;
    for (uint32_t s = 0; has_pairs(call) && s < both; s++)
        for (uint32_t d = 0; d < both; d++)
            one->matrix[s * both + d] = (s < first) == (d < first)  ? 0
                                        : call == VEF_CALL_Alltoall ? sizes[variant]
                                                                    : mixed(s * 5 + d * 3, variant);
    for (uint32_t g = 0; !has_pairs(call) && g < 2; g++) {
        bool gives = !collective_is_rooted(call) || ((root >= first) == (g == 1)) == root_gives;
        /* Whose parts the piece is cut into: reductions and scatters by those who get them. */
        uint32_t by =
            root_gives || call == VEF_CALL_Reduce_scatter || call == VEF_CALL_Reduce_scatter_block
                ? 1 - g
                : g;
        bool whole =
            call == VEF_CALL_Bcast || call == VEF_CALL_Reduce || call == VEF_CALL_Allreduce;
        one->matrix[g] = whole              ? sizes[variant]
                         : has_vector(call) ? sum(parts + offset[by], size[by])
                                            : part_of(call, size[1 - by], variant) * size[by];
        if (!gives)
            one->matrix[g] = 0;
    }
}

bool between_case_make(collective_case *result, uint16_t call, uint32_t first, uint32_t second,
                       uint32_t root, uint32_t variant) {
    uint32_t together = first + second, kinds = call == VEF_CALL_Barrier ? 1 : SIZES;
    if (vef_call_kind(call) == VEF_KIND_COMM)
        kinds = 1;
    bool commutative = variant < kinds;
    if (!commutative && collective_is_reduction(call))
        variant -= kinds;
    if (variant >= kinds)
        return false;
    *result = (collective_case){
        .size = together,
        .calls = calloc(together, sizeof *result->calls),
        .matrix = calloc((size_t)together * together + 2, sizeof *result->matrix),
        .transposed = calloc((size_t)together * together + 2, sizeof *result->transposed)};
    uint64_t *parts = result->transposed; /* of the first group, then of the second */
    assert(result->calls && result->matrix && result->transposed);
    if (has_vector(call)) {
        fill(parts, call, first, variant);
        fill(parts + first, call, second, variant);
    }
    measure(result, call, first, second, root, parts, variant);
    for (uint32_t d = 0; has_pairs(call) && d < together; d++)
        for (uint32_t s = 0; s < together; s++)
            result->transposed[d * together + s] = result->matrix[s * together + d];
    for (uint32_t r = 0; r < together; r++) {
        bool high = r >= first;
        uint32_t own = high ? first : 0, other = high ? 0 : first;
        vef_collective *current = &result->calls[r];
        *current = (vef_collective){.call = call,
                                    .rank = r - own,
                                    .size = high ? second : first,
                                    .remote_size = high ? first : second,
                                    .second_group = high,
                                    .root = -1,
                                    .commutative = commutative};
        if (collective_is_rooted(call))
            current->root = r == root                 ? VEF_ROOT_HERE
                            : (root >= first) == high ? VEF_ROOT_BESIDE
                                                      : (int32_t)(root - other);
        current->bytes = has_vector(call) ? parts[r] : part_of(call, current->remote_size, variant);
        if (call == VEF_CALL_Reduce_scatter)
            current->bytes = 16 * sizes[variant]; /* as in collective_case.c: of all parts */
        current->elements = current->bytes / 8;
        if (has_pairs(call) && call != VEF_CALL_Alltoall) {
            current->send_bytes = result->matrix + (size_t)r * together + other;
            current->receive_bytes = result->transposed + (size_t)r * together + other;
        }
        /* The root's vector, known to all here so that they can say where their part lies. */
        bool gets = r == root;
        if (call == VEF_CALL_Gatherv)
            current->receive_bytes = parts + (gets ? other : own);
        if (call == VEF_CALL_Scatterv)
            current->send_bytes = parts + (gets ? other : own);
        if (call == VEF_CALL_Allgatherv) {
            current->receive_bytes = parts + other;
            current->send_bytes = parts + own;
        }
        if (call == VEF_CALL_Reduce_scatter)
            current->receive_bytes = parts + own;
    }
    return true;
}

/* ---- the MPI standard ---- */

uint32_t between_pieces(const vef_collective *call) {
    uint32_t together = call->size + call->remote_size;
    if (call->call == VEF_CALL_Barrier || !collective_notes_blocks(call->call))
        return 0;
    return has_pairs(call->call) ? together * together : 2;
}

static rank_set only(uint32_t rank) {
    return (rank_set)1 << rank;
}

static rank_set ranks(uint32_t first, uint32_t count) {
    return (((rank_set)1 << count) - 1) << first;
}

static uint32_t self_of(const vef_collective *call) {
    return call->rank + (call->second_group ? call->remote_size : 0);
}

static uint32_t other_of(const vef_collective *call, uint32_t rank) {
    return rank + (call->second_group ? 0 : call->size);
}

/* Whose part of `count` the byte lies in, of a vector or all of one length; `count` past the end.
 */
static uint32_t part_at(const uint64_t *vector, uint64_t each, uint32_t count, uint64_t offset) {
    uint64_t end = 0;
    for (uint32_t part = 0; part < count; part++) {
        end += vector ? vector[part] : each;
        if (offset < end)
            return part;
    }
    return count;
}

/* Whose part of one's own group's it is, and of the other's. */
static uint32_t own_part(const vef_collective *call, const uint64_t *vector, uint64_t offset) {
    return part_at(vector, call->bytes, call->size, offset);
}

static rank_set other_part(const vef_collective *call, const uint64_t *vector, uint64_t offset) {
    uint32_t part = part_at(vector, call->bytes, call->remote_size, offset);
    return part < call->remote_size ? only(other_of(call, part)) : 0;
}

rank_set between_before(const vef_collective *call, uint32_t piece, uint64_t offset_bytes) {
    uint32_t self = self_of(call);
    bool mine = piece == (uint32_t)call->second_group;
    switch (call->call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return mine && call->root == VEF_ROOT_HERE ? only(self) : 0;
    case VEF_CALL_Reduce:
        return mine && call->root >= 0 ? only(self) : 0;
    case VEF_CALL_Allreduce:
    case VEF_CALL_Reduce_scatter:
    case VEF_CALL_Reduce_scatter_block:
        return mine ? only(self) : 0;
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
        mine = mine && call->root >= 0;
        return mine && own_part(call, call->receive_bytes, offset_bytes) == call->rank ? only(self)
                                                                                       : 0;
    case VEF_CALL_Allgather:
    case VEF_CALL_Allgatherv:
        return mine && own_part(call, call->send_bytes, offset_bytes) == call->rank ? only(self)
                                                                                    : 0;
    default: /* Alltoall, Alltoallv, Alltoallw */
        return piece / (call->size + call->remote_size) == self ? only(self) : 0;
    }
}

rank_set between_after(const vef_collective *call, uint32_t piece, uint64_t offset_bytes) {
    uint32_t self = self_of(call), both = call->size + call->remote_size;
    bool theirs = piece != (uint32_t)call->second_group;
    rank_set root = call->root >= 0 ? only(other_of(call, (uint32_t)call->root)) : 0;
    rank_set others = ranks(other_of(call, 0), call->remote_size);
    if (has_pairs(call->call))
        return piece % both == self ? only(piece / both) : 0;
    if (!theirs)
        return 0;
    switch (call->call) {
    case VEF_CALL_Bcast:
        return root;
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return own_part(call, call->send_bytes, offset_bytes) == call->rank ? root : 0;
    case VEF_CALL_Reduce:
        return call->root == VEF_ROOT_HERE ? others : 0;
    case VEF_CALL_Allreduce:
        return others;
    case VEF_CALL_Reduce_scatter:
    case VEF_CALL_Reduce_scatter_block:
        return own_part(call, call->receive_bytes, offset_bytes) == call->rank ? others : 0;
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
        return call->root == VEF_ROOT_HERE ? other_part(call, call->receive_bytes, offset_bytes)
                                           : 0;
    default: /* Allgather, Allgatherv */
        return other_part(call, call->receive_bytes, offset_bytes);
    }
}
