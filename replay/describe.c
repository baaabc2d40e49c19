/* Describes an event for the algorithms of collectives: see describe.h. */
#include "replay/describe.h"

uint32_t vef_describe_comm(const vef_event *event) {
    /* Only the members of the new communicator make these calls. */
    const bool of_group = vef_call_has(event->call, VEF_FACT_BY_MEMBERS) &&
                          !vef_call_has(event->call, VEF_FACT_TWO_PARENTS);
    return of_group ? event->new_comm : event->comm;
}

/* Whether `count` is a valid length of a vector of counts. */
static bool fits(const vef_collective *call, uint32_t count, uint32_t neighbours) {
    return count == 0 || count == call->size || (call->remote_size && count == call->remote_size) ||
           (call->neighbours && count == neighbours);
}

static vef_code check(const vef_event *event, const vef_collective *call, uint32_t comm,
                      vef_error *error) {
    const uint32_t ranks = call->remote_size ? call->remote_size : call->size;
    if (event->root < (call->remote_size ? VEF_ROOT_HERE : -1) ||
        (event->root >= 0 && (uint32_t)event->root >= ranks))
        return vef_fail(error, VEF_CORRUPT, "root %d is out of range: communicator %u has %u ranks",
                        event->root, comm, ranks);
    if (!fits(call, event->send_count, call->neighbours ? call->neighbours->out_count : 0) ||
        !fits(call, event->receive_count, call->neighbours ? call->neighbours->in_count : 0))
        return vef_fail(
            error, VEF_CORRUPT,
            "its counts do not match the members of communicator %u (%u) or its neighbours", comm,
            ranks);
    return VEF_OK;
}

/* What the call makes among its ranks. */
static void describe_made(vef_replay_comms *comms, uint32_t comm, uint32_t task,
                          const vef_event *event, vef_collective *call) {
    if (vef_call_kind(call->call) != VEF_KIND_COMM || event->new_comm >= comms->count ||
        comms->states[event->new_comm].communicator->remote_size)
        return;
    vef_comm_state *made = vef_replay_comms_get(comms, event->new_comm);
    call->made_rank = vef_comm_rank(made, task);
    if (call->made_rank == VEF_NO_RANK)
        return;
    if (event->new_comm != comm)
        call->made_ranks = vef_comm_parent_ranks(comms, made, &comms->states[comm]);
    call->made_size = made->size;
    for (uint32_t rank = 0; call->made_ranks && rank < made->size; rank++)
        if (call->made_ranks[rank] == VEF_NO_RANK) /* not made of the caller's ranks alone */
            call->made_size = 0;
}

vef_code vef_describe(vef_replay_comms *comms, uint32_t comm, uint32_t task, const vef_event *event,
                      vef_described *described, vef_error *error) {
    if (comm >= comms->count)
        return vef_fail(error, VEF_CORRUPT, "communicator %u is out of range: the trace has %u",
                        comm, comms->count);
    vef_comm_state *state = described->state = vef_replay_comms_get(comms, comm);
    const vef_communicator *communicator = state->communicator;
    const uint32_t rank = described->member = vef_comm_rank(state, task);
    if (rank == VEF_NO_RANK)
        return vef_fail(error, VEF_CORRUPT, "its task is not a member of communicator %u", comm);
    const bool second = rank >= communicator->size;
    vef_collective *call = &described->call;
    *call = (vef_collective){.call = vef_call_base(event->call),
                             .rank = second ? rank - communicator->size : rank,
                             .size = second ? communicator->remote_size : communicator->size,
                             .remote_size = second ? communicator->size : communicator->remote_size,
                             .second_group = second,
                             .root = event->root,
                             .bytes = event->bytes,
                             .elements = event->elements,
                             .commutative = !(event->flags & VEF_EVENT_NONCOMMUTATIVE),
                             .in_place = event->flags & VEF_EVENT_IN_PLACE,
                             .nonblocking = event->call != vef_call_base(event->call),
                             .send_bytes = event->send_count ? event->send_bytes : NULL,
                             .receive_bytes = event->receive_count ? event->receive_bytes : NULL,
                             .grid = communicator->dimensions && !communicator->neighbours};
    if (!second)
        call->neighbours = vef_comm_neighbours(comms, state, rank);
    if (!call->remote_size)
        describe_made(comms, comm, task, event, call);
    return check(event, call, comm, error);
}

vef_tuned vef_describe_algorithm(vef_described *described, bool *barrier) {
    vef_collective *call = &described->call;
    const bool local =
        vef_call_has(call->call, VEF_FACT_FREES) && !vef_call_has(call->call, VEF_FACT_WINDOW);
    const vef_tuned choice = vef_algorithm_choose(call);
    *barrier = !choice.algorithm && call->remote_size && !local;
    if (!*barrier)
        return choice;
    *call = (vef_collective){.call = VEF_CALL_Barrier,
                             .choices = call->choices,
                             .rank = described->member,
                             .size = described->state->size,
                             .root = -1};
    return vef_algorithm_choose(call);
}
