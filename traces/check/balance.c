/* Checks that the members of a collective receive what the members send: adds up hashes of (from,
 * to, which, bytes), sends plus, receives minus, so that each collective ends at 0 without storing
 * its matrix. Calls that give only the sent bytes (Alltoall, Neighbor_allgather, …) cannot be
 * compared. See check_state.h. */
#include "common/rng.h"
#include "traces/check/check_state.h"
#include "traces/format/communicator.h"

static uint64_t flow(uint32_t from, uint32_t to, uint64_t which, uint64_t bytes) {
    return vef_rng_mix(vef_rng_mix(vef_rng_mix((uint64_t)from << 32 | to) + which) ^ bytes);
}

/* The two groups from the caller's point of view, by world task. */
typedef struct sides {
    const uint32_t *local, *other; /* the same within one group */
    uint32_t local_size, other_size;
    uint32_t task;
} sides;

static uint64_t all_to_all(const vef_event *event, const sides *groups) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < event->send_count && i < groups->other_size; i++)
        sum += flow(groups->task, groups->other[i], 0, event->send_bytes[i]);
    for (uint32_t i = 0; i < event->receive_count && i < groups->other_size; i++)
        sum -= flow(groups->other[i], groups->task, 0, event->receive_bytes[i]);
    return sum;
}

/* Gatherv and Scatterv: `count` and `bytes` are the root's vector; `sign` is 1 where the other
 * members send.
 */
static uint64_t rooted(const vef_event *event, const sides *groups, const uint64_t *bytes,
                       uint32_t count, uint64_t sign) {
    uint64_t sum = 0;
    bool part = event->root >= 0; /* this task owns one of the parts */
    if (part && (uint32_t)event->root < groups->other_size)
        sum += sign * flow(groups->task, groups->other[event->root], 0, event->bytes);
    for (uint32_t i = 0; i < count && i < groups->other_size; i++)
        sum -= sign * flow(groups->other[i], groups->task, 0, bytes[i]);
    return sum;
}

/* Each of `parts` owns one part, and each of `copies` knows all parts. */
static uint64_t known_to_all(const vef_event *event, const uint32_t *parts, uint32_t size,
                             uint32_t task, uint32_t copies) {
    if (event->receive_count == 0)
        return 0;
    uint64_t sum = copies * flow(task, 0, 0, event->bytes);
    for (uint32_t i = 0; i < event->receive_count && i < size; i++)
        sum -= flow(parts[i], 0, 0, event->receive_bytes[i]);
    return sum;
}

/* Along edges of a topology. Edges between the same two ranks are in the order of the lists; in a
 * grid only the dimension counts, since MPICH and the standard differ in the order of the two edges
 * around a dimension of size two (MPI 4.0, section 8.6). */
typedef struct edge_list {
    const vef_communicator *comm;
    uint32_t rank, count;
    bool out;
    bool known;            /* leave out edges to ranks whose own lists may be missing */
    const uint64_t *bytes; /* NULL: `same` for each */
    uint64_t same;
} edge_list;

static uint64_t edges(vef_check_state *state, const edge_list *list) {
    uint64_t sum = 0;
    const vef_communicator *comm = list->comm;
    const uint32_t rank = list->rank;
    const bool out = list->out;
    vef_map64_clear(&state->scratch);
    for (uint32_t k = 0; k < list->count; k++) {
        uint32_t other = out ? vef_neighbour_out(comm, rank, k) : vef_neighbour_in(comm, rank, k);
        uint64_t which = k / 2, size = list->bytes ? list->bytes[k] : list->same;
        if (other == UINT32_MAX)
            continue;
        if (list->known && other < comm->size && vef_check_record_cut(state, comm->members[other]))
            continue;
        if (comm->neighbours) {
            const uint64_t *before = vef_map64_get(&state->scratch, other);
            which = before ? *before + 1 : 0;
            vef_map64_set(&state->scratch, other, which);
        }
        sum += out ? flow(rank, other, which, size) : (uint64_t)0 - flow(other, rank, which, size);
    }
    return sum;
}

static uint64_t on_neighbours(vef_check_state *state, const vef_event *event, uint32_t rank) {
    const vef_communicator *comm = &state->header->communicators[event->comm];
    uint32_t outs = vef_neighbours_out(comm, rank), ins = vef_neighbours_in(comm, rank);
    bool gathers = !vef_call_has(event->call, VEF_FACT_SENDS_EACH);
    if (!vef_call_has(event->call, VEF_FACT_RECEIVES_EACH))
        return 0;
    if ((!gathers && event->send_count != outs) || event->receive_count != ins)
        return 0; /* reported as a separate fault */
    const edge_list sent = {.comm = comm,
                            .rank = rank,
                            .count = outs,
                            .out = true,
                            .bytes = gathers ? NULL : event->send_bytes,
                            .same = event->bytes};
    const edge_list received = {
        .comm = comm, .rank = rank, .count = ins, .bytes = event->receive_bytes};
    return edges(state, &sent) + edges(state, &received);
}

uint64_t vef_check_balance(vef_check_state *state, const vef_event *event, unsigned group,
                           uint32_t rank) {
    const vef_communicator *comm = &state->header->communicators[event->comm];
    sides groups = {comm->members, comm->members, comm->size, comm->size, state->task};
    if (comm->remote_size > 0) {
        groups.other = group ? comm->members : comm->remote_members;
        groups.other_size = group ? comm->size : comm->remote_size;
        groups.local = group ? comm->remote_members : comm->members;
        groups.local_size = group ? comm->remote_size : comm->size;
    }
    const bool sends = vef_call_has(event->call, VEF_FACT_SENDS_EACH);
    const bool receives = vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    if (vef_call_has(event->call, VEF_FACT_NEIGHBOURS))
        return on_neighbours(state, event, rank);
    if (sends && receives)
        return all_to_all(event, &groups);
    if (vef_call_has(event->call, VEF_FACT_ROOTED) && receives) /* at the root alone */
        return rooted(event, &groups, event->receive_bytes, event->receive_count, 1);
    if (sends)
        return rooted(event, &groups, event->send_bytes, event->send_count, UINT64_MAX);
    if (receives && vef_call_has(event->call, VEF_FACT_REDUCES)) /* its own group's parts */
        return known_to_all(event, groups.local, groups.local_size, state->task, groups.local_size);
    if (receives) /* from all of the other group */
        return known_to_all(event, groups.other, groups.other_size, state->task, groups.other_size);
    return 0;
}

uint64_t vef_check_edges(vef_check_state *state, const vef_communicator *graph) {
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < graph->size; rank++) {
        const vef_neighbours *local = &graph->neighbours[rank];
        edge_list list = {.comm = graph, .rank = rank, .known = true};
        if (vef_check_record_cut(state, graph->members[rank]))
            continue; /* its record may end before the creation of the graph */
        list.count = local->in_count;
        sum += edges(state, &list);
        list.count = local->out_count;
        list.out = true;
        sum += edges(state, &list);
    }
    return sum;
}
