/* Collectives and communicators of a slice. See slice_state.h. */
#include "common/grow.h"
#include "common/memory.h"
#include "traces/slice/slice_state.h"

bool vef_slice_is_collective(const vef_event *event) {
    uint32_t comm;
    return !(event->flags & VEF_EVENT_UNMATCHED) && vef_joint_comm(event, &comm);
}

bool vef_slice_lacks_members(const vef_event *event) {
    uint32_t comm;
    return (event->flags & VEF_EVENT_UNMATCHED) && vef_joint_comm(event, &comm);
}

vef_slice_calls *vef_slice_next_collective(vef_slice_state *state, const vef_event *event,
                                           uint64_t *number) {
    uint64_t key = vef_sequence_key(event->comm, vef_event_sequence(event));
    const uint64_t *place = vef_map64_get(&state->calls_of, key);
    size_t which = state->call_count;
    if (place) {
        which = *place;
    } else {
        vef_grow(&state->calls, &state->call_capacity, which + 1, sizeof *state->calls);
        vef_map64_set(&state->calls_of, key, which);
        state->calls[state->call_count++] = (vef_slice_calls){.comm = event->comm};
    }
    vef_slice_calls *calls = &state->calls[which];
    if (calls->at_task != state->task + 1) {
        calls->at_task = state->task + 1;
        calls->next = 0;
    }
    *number = calls->next++;
    return calls;
}

void vef_slice_see_collective(vef_slice_state *state, const vef_event *event, bool inside) {
    if (vef_call_has(event->call, VEF_FACT_BY_MEMBERS)) {
        if (inside && event->new_comm < state->header->communicator_count)
            state->comms[event->new_comm].makers++;
        return;
    }
    if (event->comm >= state->header->communicator_count)
        return;
    uint64_t number;
    vef_slice_calls *calls = vef_slice_next_collective(state, event, &number);
    if (!inside)
        return;
    if (calls->mine.count == 0)
        vef_slice_list_add(&state->calls_inside, (uint64_t)(calls - state->calls));
    vef_runs_add(&calls->mine, number);
}

void vef_slice_end_task_collectives(vef_slice_state *state) {
    for (size_t i = 0; i < state->calls_inside.count; i++) {
        vef_slice_calls *calls = &state->calls[state->calls_inside.number[i]];
        vef_runs_settle(&calls->mine);
        if (calls->have++ == 0) {
            calls->kept = calls->mine;
            calls->mine = (vef_runs){0};
        } else {
            vef_runs_intersect(&calls->kept, &calls->mine);
            calls->mine.count = 0;
        }
    }
    state->calls_inside.count = 0;
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
        comm->members = count_chosen(state, from->members, from->size) +
                        count_chosen(state, from->remote_members, from->remote_size);
        comm->shrinks = comm->members < from->size + from->remote_size;
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
    for (size_t i = 0; i < state->call_count; i++)
        if (state->calls[i].have < state->comms[state->calls[i].comm].members)
            state->calls[i].kept.count = 0;
}

/* ---- events ---- */

bool vef_slice_keeps_collective(vef_slice_state *state, const vef_event *event) {
    if (vef_call_has(event->call, VEF_FACT_BY_MEMBERS)) {
        if (event->new_comm >= state->header->communicator_count)
            return false;
        const vef_slice_comm *made = &state->comms[event->new_comm];
        return made->number != VEF_NO_COMM && made->makers == made->members &&
               (event->comm == VEF_NO_COMM || state->comms[event->comm].number != VEF_NO_COMM);
    }
    if (event->comm >= state->header->communicator_count)
        return false;
    uint64_t number;
    const vef_slice_calls *calls = vef_slice_next_collective(state, event, &number);
    const vef_slice_comm *comm = &state->comms[event->comm];
    const vef_communicator *from = &state->header->communicators[event->comm];
    if (comm->number == VEF_NO_COMM || !vef_runs_has(&calls->kept, number, NULL))
        return false;
    if (!comm->shrinks || vef_call_kind(event->call) != VEF_KIND_COLLECTIVE)
        return true;
    if (from->remote_size > 0 || vef_call_has(event->call, VEF_FACT_NEIGHBOURS))
        return false;
    return event->root < 0 || ((uint32_t)event->root < from->size &&
                               vef_slice_chosen(state, (int32_t)from->members[event->root]));
}
