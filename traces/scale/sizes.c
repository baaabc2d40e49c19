/* How the sizes of messages follow the number of tasks.
 *
 * Weak scaling: each task keeps its part of the problem, so messages keep their size. Of
 * collectives that send a separate part to each rank, the sum over all ranks stays: an Alltoall
 * among twice the ranks has half the bytes per pair.
 *
 * Strong scaling: the problem keeps its size, and a dimension that grows by s gives each task 1/s
 * of its length. What neighbours in dimension d exchange is the face between them, the product of
 * the lengths in all other dimensions. With a growth s_e of each dimension e a message along d
 * therefore has 1 / (product of s_e, e not d) of its bytes; one along several dimensions likewise
 * leaves out all of them. If all dimensions grow by s, this is the surface-to-volume law: of P
 * tasks in D dimensions each has a face of the order of (n / P)^((D - 1) / D) (Foster, "Designing
 * and Building Parallel Programs", 1995, section 2.4). A collective of parts has parts in
 * proportion to the tasks; one of a whole vector (broadcasts, reductions) keeps it. */
#include "traces/scale/scale_state.h"

enum { LEAST_BYTES = 8 }; /* a size that is divided does not fall below this, a word */

typedef enum way {
    WHOLE = 1, /* all tasks have the whole vector: unchanged */
    SHARE,     /* each rank has its part */
    PAIR,      /* a part for each pair of ranks */
    NEIGHBOUR, /* a part for each neighbour of a Cartesian communicator */
} way;

static const struct {
    uint16_t call;
    uint8_t way;
    bool elements; /* its `elements` belong to a part */
} ways[] = {
    {VEF_CALL_Barrier, WHOLE, false},
    {VEF_CALL_Bcast, WHOLE, false},
    {VEF_CALL_Reduce, WHOLE, false},
    {VEF_CALL_Allreduce, WHOLE, false},
    {VEF_CALL_Scan, WHOLE, false},
    {VEF_CALL_Exscan, WHOLE, false},
    {VEF_CALL_Gather, SHARE, false},
    {VEF_CALL_Gatherv, SHARE, false},
    {VEF_CALL_Scatter, SHARE, false},
    {VEF_CALL_Scatterv, SHARE, false},
    {VEF_CALL_Allgather, SHARE, false},
    {VEF_CALL_Allgatherv, SHARE, false},
    {VEF_CALL_Reduce_scatter_block, SHARE, true},
    {VEF_CALL_Alltoall, PAIR, false},
    {VEF_CALL_Alltoallv, PAIR, false},
    {VEF_CALL_Alltoallw, PAIR, false},
    {VEF_CALL_Neighbor_allgather, NEIGHBOUR, false},
    {VEF_CALL_Neighbor_allgatherv, NEIGHBOUR, false},
    {VEF_CALL_Neighbor_alltoall, NEIGHBOUR, false},
    {VEF_CALL_Neighbor_alltoallv, NEIGHBOUR, false},
    {VEF_CALL_Neighbor_alltoallw, NEIGHBOUR, false},
};

static size_t row_of(uint16_t call) {
    const uint16_t base = vef_call_base(call);
    size_t i = 0;
    while (i < sizeof ways / sizeof *ways && ways[i].call != base)
        i++;
    return i;
}

bool vef_scaling_collective_known(uint16_t call) {
    return row_of(call) < sizeof ways / sizeof *ways;
}

bool vef_scaling_is_pairwise(uint16_t call) {
    return vef_scaling_collective_known(call) && ways[row_of(call)].way == PAIR;
}

bool vef_scaling_shares_elements(uint16_t call) {
    return vef_scaling_collective_known(call) && ways[row_of(call)].elements;
}

/* bytes * part / of, which must be whole. */
static bool share(const vef_scaling_fit *fit, uint64_t bytes, uint64_t part, uint64_t whole,
                  uint64_t *to) {
    uint64_t a = part, b = whole;
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    part /= a;
    whole /= a;
    *to = bytes;
    if (part == whole || bytes <= fit->options->keep_bytes)
        return true;
    *to = bytes / whole * part;
    return bytes % whole == 0 && (*to >= bytes || *to >= LEAST_BYTES);
}

/* The part of a face that remains of one along the dimensions in `along`. */
static void face(const vef_scaling_grid *grid, uint32_t along, uint64_t *part, uint64_t *whole) {
    *part = *whole = 1;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (!(along >> d & 1)) {
            *part *= grid->from[d];
            *whole *= grid->to[d];
        }
}

bool vef_scaling_message_bytes(const vef_scaling_fit *fit, const uint32_t *place,
                               const vef_scaling_step *step, uint64_t bytes, uint64_t *to) {
    const vef_scaling_grid *grid = &fit->grid;
    uint32_t along = 0;
    uint64_t part, whole;
    *to = bytes;
    if (!fit->options->strong)
        return true;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (step->by[d] != (vef_scaling_grows(grid, d) ? 0 : (int32_t)place[d]))
            along |= 1u << d;
    face(grid, along, &part, &whole);
    return share(fit, bytes, part, whole, to);
}

/* The neighbours of all dimensions get the same bytes, so their faces must shrink alike. */
static bool neighbour_bytes(const vef_scaling_fit *fit, uint64_t bytes, uint64_t *to) {
    uint64_t part = 1, whole = 1, more, than;
    for (uint32_t d = 0; d < fit->grid.dimensions; d++) {
        face(&fit->grid, 1u << d, &more, &than);
        if (d > 0 && part * than != more * whole)
            return false;
        part = more;
        whole = than;
    }
    return share(fit, bytes, part, whole, to);
}

bool vef_scaling_collective_bytes(const vef_scaling_fit *fit, const vef_event *event,
                                  uint64_t bytes, uint64_t *to) {
    const vef_scaling_options *options = fit->options;
    const vef_scaling_family *family = &fit->families.list[fit->families.family_of[event->comm]];
    const uint8_t how = ways[row_of(event->call)].way;
    uint64_t part = options->strong ? fit->input->tasks : 1;
    uint64_t whole = options->strong ? options->tasks : 1;
    *to = bytes;
    if (how == WHOLE || (how == PAIR && options->keep_pairs))
        return true;
    if (how == NEIGHBOUR)
        return !options->strong || neighbour_bytes(fit, bytes, to);
    if (how == PAIR) {
        part *= family->size;
        whole *= family->new_size;
    }
    return share(fit, bytes, part, whole, to);
}
