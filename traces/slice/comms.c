/* Collectives and communicators of a slice. See slice_state.h. */
#include "common/memory.h"
#include "traces/slice/slice_state.h"

bool vef_slice_is_collective(const vef_event *event) {
    uint32_t comm;
    return !(event->flags & VEF_EVENT_UNMATCHED) && vef_joint_comm(event, &comm);
}

void vef_slice_see_collective(vef_slice_state *state, const vef_event *event, bool inside) {
    uint32_t comm;
    if (!(event->flags & VEF_EVENT_UNMATCHED) && vef_joint_comm(event, &comm))
        vef_joint_see(&state->joint, state->task, event, comm, inside);
}

/* ---- the communicators of the result ---- */

static uint32_t count_chosen(const vef_slice_state *state, const uint32_t *members, uint32_t size) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < size; i++)
        count += vef_slice_chosen(state, (int32_t)members[i]);
    return count;
}

static const uint32_t *choose(vef_slice_state *state, const uint32_t *members, uint32_t size,
                              uint32_t chosen) {
    uint32_t *list = vef_arena_alloc(&state->arena, chosen + 1ull, sizeof *list);
    for (uint32_t i = 0, count = 0; i < size; i++)
        if (vef_slice_chosen(state, (int32_t)members[i]))
            list[count++] = members[i];
    return list;
}

/* The replacement of a communicator that shrinks: its selected members, without its topology. */
static void shrink_communicator(vef_slice_state *state, uint32_t old) {
    const vef_communicator *from = &state->header->communicators[old];
    vef_slice_comm *comm = &state->comms[old];
    vef_communicator *to = &state->communicators[state->communicator_count];
    uint32_t size = count_chosen(state, from->members, from->size);
    uint32_t remote_size = count_chosen(state, from->remote_members, from->remote_size);
    if (size == 0 || (from->remote_size > 0 && remote_size == 0))
        return; /* a single group is not an intercommunicator */
    *to = (vef_communicator){
        .parent = from->parent == VEF_NO_COMM ? VEF_NO_COMM : state->comms[from->parent].number,
        .made_by = from->made_by,
        .size = size,
        .members = choose(state, from->members, from->size, size),
        .remote_size = remote_size};
    if (remote_size > 0)
        to->remote_members = choose(state, from->remote_members, from->remote_size, remote_size);
    comm->new_rank = vef_calloc(from->size + 1ull, sizeof *comm->new_rank);
    for (uint32_t i = 0; i < from->size; i++)
        comm->new_rank[i + 1] =
            comm->new_rank[i] + vef_slice_chosen(state, (int32_t)from->members[i]);
    if (old == 0) {
        to->parent = 0;
        to->made_by = VEF_CALL_Comm_create;
    }
    comm->number = state->communicator_count++;
}

/* The first of the result is the unchanged world; if not all tasks are selected, the second
 * replaces it in collectives. */
void vef_slice_make_communicators(vef_slice_state *state) {
    const vef_trace_header *header = state->header;
    uint32_t count = header->communicator_count;
    state->communicators =
        vef_arena_alloc(&state->arena, count + 2ull, sizeof *state->communicators);
    for (uint32_t i = 0; i < count; i++) {
        const vef_communicator *from = &header->communicators[i];
        vef_slice_comm *comm = &state->comms[i];
        comm->shrinks =
            count_chosen(state, from->members, from->size) < from->size ||
            count_chosen(state, from->remote_members, from->remote_size) < from->remote_size;
        comm->number = VEF_NO_COMM;
        if (i == 0 && comm->shrinks)
            state->communicators[state->communicator_count++] = *from;
        if (comm->shrinks) {
            shrink_communicator(state, i);
            continue;
        }
        comm->number = state->communicator_count;
        vef_communicator *to = &state->communicators[state->communicator_count++];
        *to = *from;
        if (from->parent != VEF_NO_COMM)
            to->parent = state->comms[from->parent].number;
    }
    vef_joint_settle(&state->joint, header->communicators, state->options->chosen);
}

/* ---- events ---- */

bool vef_slice_keeps_collective(vef_slice_state *state, const vef_event *event) {
    const vef_trace_header *header = state->header;
    uint32_t number;
    if (!vef_joint_comm(event, &number) ||
        vef_joint_next(&state->joint, state->task, event, number) != VEF_JOINT_WHOLE)
        return false;
    const vef_slice_comm *comm = &state->comms[number];
    const vef_communicator *from = &header->communicators[number];
    if (comm->number == VEF_NO_COMM)
        return false;
    if (vef_call_has(event->call, VEF_FACT_BY_MEMBERS))
        return state->comms[event->comm].number != VEF_NO_COMM;
    if (!comm->shrinks || vef_call_kind(event->call) != VEF_KIND_COLLECTIVE)
        return true;
    if (from->remote_size > 0 || vef_call_has(event->call, VEF_FACT_NEIGHBOURS))
        return false;
    return event->root < 0 || ((uint32_t)event->root < from->size &&
                               vef_slice_chosen(state, (int32_t)from->members[event->root]));
}
