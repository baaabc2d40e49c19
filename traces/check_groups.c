/* Collectives and communicators of a check: the first member that reaches the n-th collective of a
 * communicator says what it is, the others must agree. What vector variants send must be what they
 * receive; both sides are added up as hashes of (from, to, bytes), sends plus, receives minus, so
 * that each collective ends at 0 without its matrix being kept. See check_state.h. */
#include "common/rng.h"
#include "traces/check_state.h"

#include <inttypes.h>
#include <stdlib.h>

vef_code vef_check_groups_begin(vef_check_state *state, vef_error *error) {
    uint32_t count = state->header->communicator_count;
    state->comms = calloc(count, sizeof *state->comms);
    for (uint32_t i = 0; state->comms && i < count; i++)
        state->comms[i].at_task = UINT32_MAX;
    return state->comms ? VEF_OK : vef_fail_memory(error, "a check", count * sizeof *state->comms);
}

static int32_t rank_in(const uint32_t *members, uint32_t size, uint32_t task) {
    if (task < size && members[task] == task)
        return (int32_t)task;
    for (uint32_t i = 0; i < size; i++)
        if (members[i] == task)
            return (int32_t)i;
    return -1;
}

static uint64_t flow(uint32_t from, uint32_t to, uint64_t bytes) {
    return vef_rng_mix(vef_rng_mix((uint64_t)from << 32 | to) ^ bytes);
}

/* What this rank sends minus what it receives, where the counts of both sides are in the trace. */
static uint64_t balance(const vef_event *event, uint32_t rank, uint32_t size) {
    uint64_t sum = 0;
    switch (event->call) {
    case VEF_CALL_Alltoallv:
    case VEF_CALL_Alltoallw:
        for (uint32_t i = 0; i < event->send_count; i++)
            sum += flow(rank, i, event->send_bytes[i]);
        for (uint32_t i = 0; i < event->receive_count; i++)
            sum -= flow(i, rank, event->receive_bytes[i]);
        break;
    case VEF_CALL_Gatherv: /* each to the root, whose vector says what it expects */
        sum += flow(rank, (uint32_t)event->root, event->bytes);
        for (uint32_t i = 0; i < event->receive_count; i++)
            sum -= flow(i, (uint32_t)event->root, event->receive_bytes[i]);
        break;
    case VEF_CALL_Scatterv:
        sum -= flow((uint32_t)event->root, rank, event->bytes);
        for (uint32_t i = 0; i < event->send_count; i++)
            sum += flow((uint32_t)event->root, i, event->send_bytes[i]);
        break;
    case VEF_CALL_Allgatherv:
    case VEF_CALL_Reduce_scatter: /* each has a part, and all know all parts */
        sum += size * flow(rank, 0, event->bytes);
        for (uint32_t i = 0; i < event->receive_count; i++)
            sum -= flow(i, 0, event->receive_bytes[i]);
        break;
    default:
        break;
    }
    return sum;
}

static bool has_vectors(uint16_t call) {
    return call == VEF_CALL_Alltoallv || call == VEF_CALL_Alltoallw || call == VEF_CALL_Gatherv ||
           call == VEF_CALL_Scatterv || call == VEF_CALL_Allgatherv ||
           call == VEF_CALL_Reduce_scatter;
}

static vef_code append(vef_comm_seen *comm, const vef_collective_seen *seen, vef_error *error) {
    if (comm->count == comm->capacity) {
        size_t wanted = 2 * comm->capacity + 8;
        vef_collective_seen *grown = realloc(comm->list, wanted * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "a check", wanted * sizeof *grown);
        comm->list = grown;
        comm->capacity = wanted;
    }
    comm->list[comm->count++] = *seen;
    return VEF_OK;
}

static void disagree(vef_check_state *state, const vef_event *event, const char *what, size_t place,
                     const vef_collective_seen *first) {
    vef_check_fault(state, event,
                    "%s of collective %zu of communicator %u differs: task %u, event %u has "
                    "MPI_%s with root %d, %" PRIu64 " bytes, %" PRIu64
                    " elements; this has MPI_%s with root %d, %" PRIu64 " bytes, %" PRIu64
                    " elements",
                    what, place, event->comm, first->first_task, first->event,
                    vef_call_name(first->call), first->root, first->bytes, first->elements,
                    vef_call_name(event->call), event->root, event->bytes, event->elements);
}

/* One more collective on a communicator by the task under way. */
static vef_code collective(vef_check_state *state, const vef_event *event, vef_error *error) {
    vef_comm_seen *comm = &state->comms[event->comm];
    const vef_communicator *made = &state->header->communicators[event->comm];
    int32_t rank = rank_in(made->members, made->size, state->task);
    if (rank < 0 && rank_in(made->remote_members, made->remote_size, state->task) < 0) {
        vef_check_fault(state, event, "called on communicator %u, of which this task is no member",
                        event->comm);
        return VEF_OK;
    }
    if (comm->at_task != state->task) {
        comm->at_task = state->task;
        comm->at = 0;
    }
    bool group = vef_call_kind(event->call) == VEF_KIND_COLLECTIVE;
    uint64_t sum = group && rank >= 0 ? balance(event, (uint32_t)rank, made->size) : 0;
    size_t place = comm->at++;
    if (place == comm->count) {
        vef_collective_seen first = {.bytes = group ? event->bytes : 0,
                                     .elements = group ? event->elements : 0,
                                     .balance = sum,
                                     .first_task = state->task,
                                     .event = (uint32_t)state->event,
                                     .callers = 1,
                                     .root = group ? event->root : -1,
                                     .call = event->call};
        return append(comm, &first, error);
    }
    vef_collective_seen *first = &comm->list[place];
    first->callers++;
    first->balance += sum;
    if (first->call != event->call)
        disagree(state, event, "the operation", place, first);
    else if (group && first->root != event->root)
        disagree(state, event, "the root", place, first);
    else if (group && !has_vectors(event->call) && first->bytes != event->bytes)
        disagree(state, event, "the size", place, first);
    else if (group && first->elements != event->elements)
        disagree(state, event, "the number of elements", place, first);
    return VEF_OK;
}

static void creation(vef_check_state *state, const vef_event *event) {
    const vef_communicator *made = &state->header->communicators[event->new_comm];
    if (rank_in(made->members, made->size, state->task) < 0 &&
        rank_in(made->remote_members, made->remote_size, state->task) < 0)
        vef_check_fault(state, event, "makes communicator %u, of which this task is no member",
                        event->new_comm);
    else if (made->made_by != event->call ||
             (made->parent != event->comm && made->remote_size == 0))
        vef_check_fault(state, event,
                        "makes communicator %u from %u, which the header has made by MPI_%s from "
                        "%d",
                        event->new_comm, event->comm, vef_call_name(made->made_by),
                        made->parent == VEF_NO_COMM ? -1 : (int)made->parent);
    state->comms[event->new_comm].creators++;
}

vef_code vef_check_group(vef_check_state *state, const vef_event *event, vef_error *error) {
    if (vef_call_kind(event->call) == VEF_KIND_COMM && event->new_comm != VEF_NO_COMM)
        creation(state, event);
    /* These are called by some members only. */
    if (event->call == VEF_CALL_Comm_create_group || event->call == VEF_CALL_Intercomm_create)
        return VEF_OK;
    return collective(state, event, error);
}

static void end_of_comm(vef_check_state *state, uint32_t number) {
    const vef_comm_seen *comm = &state->comms[number];
    const vef_communicator *made = &state->header->communicators[number];
    uint32_t members = made->size + made->remote_size, cut = 0;
    for (uint32_t i = 0; i < made->size; i++)
        cut += vef_check_cut(state, made->members[i]);
    for (uint32_t i = 0; i < made->remote_size; i++)
        cut += vef_check_cut(state, made->remote_members[i]);
    for (size_t i = 0; i < comm->count; i++) {
        const vef_collective_seen *seen = &comm->list[i];
        if (seen->callers < members - cut) {
            vef_check_fault(state, NULL,
                            "task %u, event %u (MPI_%s): collective %zu of communicator %u is "
                            "called by %u of its %u members",
                            seen->first_task, seen->event, vef_call_name(seen->call), i, number,
                            seen->callers, members);
            break; /* those after it lack the same members */
        }
        if (seen->callers == members && seen->balance != 0)
            vef_check_fault(state, NULL,
                            "task %u, event %u (MPI_%s): in collective %zu of communicator %u what "
                            "the members send is not what they receive",
                            seen->first_task, seen->event, vef_call_name(seen->call), i, number);
    }
    /* Made while nothing was recorded, it has no creators at all. */
    if (comm->creators > 0 && comm->creators < members - cut)
        vef_check_fault(state, NULL, "communicator %u (MPI_%s) is made by %u of its %u members",
                        number, vef_call_name(made->made_by), comm->creators, members);
}

void vef_check_groups_end(vef_check_state *state) {
    for (uint32_t i = 0; i < state->header->communicator_count; i++)
        end_of_comm(state, i);
}
