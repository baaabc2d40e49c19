/* Collectives and communicators of a check: the first member that reaches the n-th collective of a
 * communicator defines it, and the others must agree. This covers blocking collectives, starts of
 * non-blocking ones and creations of persistent ones, which never match across kinds (MPI 4.0,
 * sections 6.12 and 6.13). The starts of each persistent collective form a separate sequence
 * (vef_event_sequence). See check_state.h.
 */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/check/check_state.h"
#include "traces/format/communicator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void vef_check_groups_begin(vef_check_state *state) {
    uint32_t count = state->header->communicator_count;
    state->comms = vef_calloc(count ? count : 1, sizeof *state->comms);
    for (uint32_t i = 0; i < count; i++)
        state->comms[i].calls = (vef_sequence_seen){.at_task = UINT32_MAX, .comm = i};
}

void vef_check_groups_free(vef_check_state *state) {
    for (uint32_t i = 0; state->comms && i < state->header->communicator_count; i++) {
        free(state->comms[i].calls.list);
        vef_ranks_free(&state->comms[i].ranks[0]);
        vef_ranks_free(&state->comms[i].ranks[1]);
    }
    for (size_t i = 0; i < state->start_count; i++)
        free(state->starts[i].list);
    free(state->comms);
    free(state->starts);
    vef_map64_free(&state->start_of);
}

/* The sequence of an event, created if new. */
static vef_sequence_seen *find_sequence(vef_check_state *state, const vef_event *event) {
    uint32_t sequence = vef_event_sequence(event);
    if (sequence == 0)
        return &state->comms[event->comm].calls;
    uint64_t key = vef_sequence_key(event->comm, sequence);
    const uint64_t *place = vef_map64_get(&state->start_of, key);
    if (place)
        return &state->starts[*place];
    vef_map64_set(&state->start_of, key, state->start_count);
    vef_sequence_seen *start =
        VEF_NEW_ITEM(state->starts, state->start_count, state->start_capacity);
    *start = (vef_sequence_seen){.at_task = UINT32_MAX, .comm = event->comm, .sequence = sequence};
    return start;
}

/* "collective 3 of communicator 0", "start 3 of persistent collective 1 of communicator 0". */
enum { PLACE_NAME_BYTES = 96 };
static const char *name_place(const vef_sequence_seen *calls, size_t place,
                              char name[PLACE_NAME_BYTES]) {
    if (calls->sequence == 0)
        snprintf(name, PLACE_NAME_BYTES, "collective %zu of communicator %u", place, calls->comm);
    else if (calls->sequence == VEF_UNKNOWN_SEQUENCE)
        snprintf(name, PLACE_NAME_BYTES, "start %zu of a persistent collective of communicator %u",
                 place, calls->comm);
    else
        snprintf(name, PLACE_NAME_BYTES, "start %zu of persistent collective %u of communicator %u",
                 place, calls->sequence, calls->comm);
    return name;
}

/* Members whose bytes must be equal: all members, those of one group, or none. */
typedef enum size_rule { SIZE_OF_ALL, SIZE_OF_GROUP, SIZE_OWN } size_rule;

static size_rule rule_of(uint16_t call) {
    if (vef_call_has_counts(call) || vef_call_has(call, VEF_FACT_NEIGHBOURS))
        return SIZE_OWN;
    return vef_call_has(call, VEF_FACT_PER_GROUP) ? SIZE_OF_GROUP : SIZE_OF_ALL;
}

/* The caller: a group and a rank in it. */
typedef struct caller {
    const vef_communicator *comm;
    unsigned group; /* intercommunicators: 0 or 1; else 0 */
    uint32_t rank;
    bool member, between;
} caller;

static caller find_caller(vef_check_state *state, uint32_t number) {
    caller who = {.comm = &state->header->communicators[number]};
    int32_t rank = vef_check_rank(state, number, 0, state->task);
    who.between = who.comm->remote_size > 0;
    if (rank < 0 && who.between) {
        rank = vef_check_rank(state, number, 1, state->task);
        who.group = 1;
    }
    who.member = rank >= 0;
    who.rank = (uint32_t)rank;
    return who;
}

static void disagree(vef_check_state *state, const vef_event *event, const char *what,
                     const char *place, const vef_collective_seen *first, const caller *who) {
    vef_check_fault(state, event,
                    "%s of %s differs: task %u, event %u has "
                    "MPI_%s with root %d, %" PRIu64 " bytes, %" PRIu64
                    " elements; this has MPI_%s with root %d, %" PRIu64 " bytes, %" PRIu64
                    " elements",
                    what, place, first->first_task, first->event, vef_call_name(first->call),
                    first->root, first->bytes[who->group], first->elements,
                    vef_call_name(event->call), event->root, event->bytes, event->elements);
}

static void other_call(vef_check_state *state, const vef_event *event, const char *place,
                       const vef_collective_seen *first, const caller *who) {
    if (vef_call_kind(first->call) != VEF_KIND_COLLECTIVE ||
        vef_call_base(first->call) != vef_call_base(event->call))
        disagree(state, event, "the operation", place, first, who);
    else
        vef_check_fault(state, event,
                        "is %s, which task %u, event %u calls as MPI_%s: blocking, non-blocking "
                        "and persistent collectives never match",
                        place, first->first_task, first->event, vef_call_name(first->call));
}

/* The root as its group and rank there; -1 where this caller does not know it. */
static bool locate_root(const vef_event *event, const caller *who, unsigned *group, int32_t *rank) {
    *group = who->group;
    *rank = event->root;
    if (!who->between || !vef_call_has(event->call, VEF_FACT_ROOTED))
        return true;
    if (event->root == VEF_ROOT_HERE)
        *rank = (int32_t)who->rank;
    else if (event->root == VEF_ROOT_BESIDE)
        *rank = -1;
    else
        *group = !who->group;
    uint32_t size = *group ? who->comm->remote_size : who->comm->size;
    return *rank < (int32_t)size;
}

static void report_bad_root(vef_check_state *state, const vef_event *event) {
    vef_check_fault(state, event, "root %d is out of range of its group of communicator %u",
                    event->root, event->comm);
}

static void compare_root(vef_check_state *state, const vef_event *event, const char *place,
                         vef_collective_seen *first, const caller *who) {
    unsigned group;
    int32_t rank;
    if (!locate_root(event, who, &group, &rank)) {
        report_bad_root(state, event);
        return;
    }
    bool known = rank >= 0 && first->root >= 0;
    if (who->between && vef_call_has(event->call, VEF_FACT_ROOTED)) {
        if (group != first->root_group || (known && rank != first->root))
            disagree(state, event, "the root", place, first, who);
        else if (rank >= 0)
            first->root = rank;
        first->rooted |= event->root == VEF_ROOT_HERE;
    } else if (rank != first->root) {
        disagree(state, event, "the root", place, first, who);
    }
}

/* Whether the caller takes part in the transfer and states the bytes. */
static bool says_size(const vef_event *event, const caller *who) {
    bool beside = who->between && vef_call_has(event->call, VEF_FACT_ROOTED) &&
                  event->root == VEF_ROOT_BESIDE;
    return rule_of(event->call) != SIZE_OWN && !beside;
}

static void compare_size(vef_check_state *state, const vef_event *event, const char *place,
                         vef_collective_seen *first, const caller *who) {
    if (!says_size(event, who))
        return;
    unsigned first_group = who->group, last_group = who->group;
    if (rule_of(event->call) == SIZE_OF_ALL || !who->between) {
        first_group = 0;
        last_group = 1;
    }
    if ((first->sized >> who->group & 1) && first->bytes[who->group] != event->bytes)
        disagree(state, event, "the size", place, first, who);
    else if (first->sized && rule_of(event->call) == SIZE_OF_ALL &&
             first->elements != event->elements)
        disagree(state, event, "the number of elements", place, first, who);
    if (first->sized == 0)
        first->elements = event->elements;
    for (unsigned i = first_group; i <= last_group; i++) {
        if (!(first->sized >> i & 1))
            first->bytes[i] = event->bytes;
        first->sized |= (uint8_t)(1 << i);
    }
}

static void check_lengths(vef_check_state *state, const vef_event *event, const caller *who) {
    uint32_t outs = who->comm->size, ins = outs;
    if (who->between) {
        outs = ins = who->group ? who->comm->size : who->comm->remote_size;
        if (vef_call_has(event->call, VEF_FACT_REDUCES))
            outs = ins = who->group ? who->comm->remote_size : who->comm->size;
    }
    if (vef_call_has(event->call, VEF_FACT_NEIGHBOURS)) {
        outs = vef_neighbours_out(who->comm, who->rank);
        ins = vef_neighbours_in(who->comm, who->rank);
    }
    if (event->send_count && event->send_count != outs)
        vef_check_fault(state, event, "has %u counts of bytes sent: expected %u", event->send_count,
                        outs);
    if (event->receive_count && event->receive_count != ins)
        vef_check_fault(state, event, "has %u counts of bytes received: expected %u",
                        event->receive_count, ins);
}

/* The n-th call of a sequence, as defined by its first caller. */
static void first_call(vef_check_state *state, const vef_event *event, const caller *who,
                       vef_sequence_seen *calls, uint64_t balance) {
    vef_collective_seen *seen = VEF_NEW_ITEM(calls->list, calls->count, calls->capacity);
    *seen = (vef_collective_seen){.balance = balance,
                                  .first_task = state->task,
                                  .event = (uint32_t)state->event,
                                  .callers = 1,
                                  .root = -1,
                                  .call = event->call};
    if (vef_call_kind(event->call) != VEF_KIND_COLLECTIVE)
        return;
    unsigned group = 0;
    int32_t rank = -1;
    if (!locate_root(event, who, &group, &rank)) {
        report_bad_root(state, event);
        rank = -1;
    }
    seen->root = rank;
    seen->root_group = (uint8_t)group;
    seen->rooted = event->root == VEF_ROOT_HERE;
    compare_size(state, event, "", seen, who); /* notes it */
}

void vef_check_collective(vef_check_state *state, const vef_event *event) {
    caller who = find_caller(state, event->comm);
    bool moves = vef_call_kind(event->call) == VEF_KIND_COLLECTIVE;
    uint64_t balance = 0;
    if (!who.member) {
        vef_check_fault(state, event,
                        "called on communicator %u, of which this task is not a member",
                        event->comm);
        return;
    }
    if (moves && vef_call_has(event->call, VEF_FACT_NEIGHBOURS) && !who.comm->neighbours &&
        !who.comm->dimensions) {
        vef_check_fault(state, event, "communicator %u has no topology and so no neighbours",
                        event->comm);
        return;
    }
    if (moves)
        check_lengths(state, event, &who);
    if (event->flags & VEF_EVENT_UNMATCHED)
        return; /* other members lack it */
    if (moves && !vef_event_is_making(event))
        balance = vef_check_balance(state, event, who.group, who.rank);
    vef_sequence_seen *calls = find_sequence(state, event);
    state->comms[event->comm].on_neighbours |=
        moves && vef_call_has(event->call, VEF_FACT_NEIGHBOURS);
    if (calls->at_task != state->task) {
        calls->at_task = state->task;
        calls->next = 0;
    }
    size_t place = calls->next++;
    if (place == calls->count) {
        first_call(state, event, &who, calls, balance);
        return;
    }
    char name[PLACE_NAME_BYTES];
    vef_collective_seen *first = &calls->list[place];
    first->callers++;
    first->balance += balance;
    if (first->call != event->call) {
        other_call(state, event, name_place(calls, place, name), first, &who);
    } else if (moves) {
        uint64_t faults = state->faults;
        compare_root(state, event, name_place(calls, place, name), first, &who);
        if (faults == state->faults)
            compare_size(state, event, name, first, &who);
    }
}

static void creation(vef_check_state *state, const vef_event *event) {
    const vef_communicator *made = &state->header->communicators[event->new_comm];
    if (vef_check_rank(state, event->new_comm, 0, state->task) < 0 &&
        vef_check_rank(state, event->new_comm, 1, state->task) < 0)
        vef_check_fault(state, event, "creates communicator %u, of which this task is not a member",
                        event->new_comm);
    else if (made->made_by != event->call ||
             (made->parent != event->comm && made->parent != VEF_NO_COMM &&
              !vef_communicator_has_two_parents(made)))
        vef_check_fault(
            state, event,
            "creates communicator %u from %u, but in the header MPI_%s creates it from %d",
            event->new_comm, event->comm, vef_call_name(made->made_by),
            made->parent == VEF_NO_COMM ? -1 : (int)made->parent);
    state->comms[event->new_comm].creators++;
}

void vef_check_group(vef_check_state *state, const vef_event *event) {
    if (vef_call_kind(event->call) == VEF_KIND_COMM && event->new_comm != VEF_NO_COMM &&
        !(event->flags & VEF_EVENT_UNMATCHED))
        creation(state, event);
    /* These are called by some members only. */
    if (!vef_call_has(event->call, VEF_FACT_BY_MEMBERS))
        vef_check_collective(state, event);
}

/* In an intercommunicator each member of the other group names a rank, which must call with
 * MPI_ROOT; if all members of a group pass MPI_PROC_NULL there is no root. */
static bool who_is_root(const vef_collective_seen *seen, const vef_communicator *made) {
    return made->remote_size == 0 || !vef_call_has(seen->call, VEF_FACT_ROOTED) || seen->rooted;
}

/* Whether the edges of a graph must agree. The lists of MPI_Dist_graph_create_adjacent must; those
 * of MPI_Graph_create may be asymmetric and name a neighbour several times (MPI 4.0, section
 * 8.5.3), but neighbourhood collectives send along both directions of every edge. */
static bool needs_edges(const vef_check_state *state, uint32_t number) {
    const vef_communicator *made = &state->header->communicators[number];
    return made->neighbours &&
           (made->made_by != VEF_CALL_Graph_create || state->comms[number].on_neighbours);
}

static uint32_t count_cut(const vef_check_state *state, const vef_communicator *made) {
    uint32_t cut = 0;
    for (uint32_t i = 0; i < made->size; i++)
        cut += vef_check_cut(state, made->members[i]);
    for (uint32_t i = 0; i < made->remote_size; i++)
        cut += vef_check_cut(state, made->remote_members[i]);
    return cut;
}

static void end_of_sequence(vef_check_state *state, const vef_sequence_seen *calls) {
    const vef_communicator *made = &state->header->communicators[calls->comm];
    const uint32_t members = made->size + made->remote_size, cut = state->comms[calls->comm].cut;
    char name[PLACE_NAME_BYTES];
    for (size_t i = 0; i < calls->count; i++) {
        const vef_collective_seen *seen = &calls->list[i];
        if (seen->callers < members - cut) {
            vef_check_fault(state, NULL,
                            "task %u, event %u (MPI_%s): %s is called by %u of its %u members",
                            seen->first_task, seen->event, vef_call_name(seen->call),
                            name_place(calls, i, name), seen->callers, members);
            break; /* the same members lack the later ones */
        }
        if (!who_is_root(seen, made) && seen->callers == members)
            vef_check_fault(state, NULL,
                            "task %u, event %u (MPI_%s): %s has no root: no task calls it with "
                            "MPI_ROOT",
                            seen->first_task, seen->event, vef_call_name(seen->call),
                            name_place(calls, i, name));
        if (seen->callers == members && seen->balance != 0)
            vef_check_fault(state, NULL,
                            "task %u, event %u (MPI_%s): in %s the counts that the members send "
                            "and receive differ",
                            seen->first_task, seen->event, vef_call_name(seen->call),
                            name_place(calls, i, name));
    }
}

static void end_of_comm(vef_check_state *state, uint32_t number) {
    vef_comm_seen *comm = &state->comms[number];
    const vef_communicator *made = &state->header->communicators[number];
    const uint32_t members = made->size + made->remote_size;
    comm->cut = count_cut(state, made);
    end_of_sequence(state, &comm->calls);
    /* Without creators: it was created while recording was off. */
    if (comm->creators > 0 && comm->creators < members - comm->cut)
        vef_check_fault(state, NULL, "communicator %u (MPI_%s) is created by %u of its %u members",
                        number, vef_call_name(made->made_by), comm->creators, members);
    if (needs_edges(state, number) && vef_check_edges(state, made) != 0)
        vef_check_fault(state, NULL,
                        "communicator %u (MPI_%s): the neighbours that its ranks send to and "
                        "receive from differ",
                        number, vef_call_name(made->made_by));
}

void vef_check_groups_end(vef_check_state *state) {
    for (uint32_t i = 0; i < state->header->communicator_count; i++)
        end_of_comm(state, i);
    for (size_t i = 0; i < state->start_count; i++)
        end_of_sequence(state, &state->starts[i]);
}
