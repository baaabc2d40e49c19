/* Collectives of a Paraver trace, from the records of all their members. See joint.h. */
#include "interchange/paraver/joint.h"
#include "common/containers/grow.h"

#include "common/memory.h"

#include <stdlib.h>

void vef_paraver_joint_free(vef_paraver_joint *joint) {
    for (size_t i = 0; i < joint->count; i++) {
        free(joint->list[i].sums);
        free(joint->list[i].rest);
    }
    vef_map64_free(&joint->places);
    free(joint->list);
    free(joint->sends);
    free(joint->receives);
}

static bool has_vectors(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) || vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}

static bool is_joint(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ROOTED) || has_vectors(call);
}

static vef_paraver_noted *find(const vef_paraver_joint *joint, const vef_paraver_meeting *call) {
    const uint64_t *place =
        vef_map64_get(&joint->places, (uint64_t)call->comm << 32 | call->number);
    return place ? &joint->list[*place] : NULL;
}

/* Extrae compares the rank of the root of a Gather or Scatter with the task: the mark may be wrong
 * on communicators other than the world. */
static void note_root(vef_paraver_noted *noted, const vef_paraver_meeting *call) {
    const uint16_t blocking = vef_call_base(call->call);
    const bool gathers = blocking == VEF_CALL_Gather || blocking == VEF_CALL_Gatherv;
    const bool scatters = blocking == VEF_CALL_Scatter || blocking == VEF_CALL_Scatterv;
    const bool sized = (gathers && call->received > 0) || (scatters && call->sent > 0);
    if (sized || (call->root && !noted->sized)) {
        noted->root = call->rank;
        noted->sized = sized;
    }
}

void vef_paraver_joint_note(vef_paraver_joint *joint, const vef_paraver_meeting *call) {
    if (!is_joint(call->call))
        return;
    vef_paraver_noted *noted = find(joint, call);
    if (!noted) {
        vef_map64_set(&joint->places, (uint64_t)call->comm << 32 | call->number, joint->count);
        noted = VEF_NEW_ITEM(joint->list, joint->count, joint->room);
        *noted = (vef_paraver_noted){.root = -1};
    }
    note_root(noted, call);
    if (!has_vectors(call->call))
        return;
    if (!noted->sums)
        noted->sums = vef_calloc(call->size, sizeof *noted->sums);
    noted->sums[call->rank] = (vef_exchange_sums){call->sent, call->received};
}

/* ---- vectors ---- */

static bool is_exchange(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) && vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}

/* Turns the sums of all members into those without MPI_IN_PLACE: Extrae states the arguments. */
static void settle(vef_paraver_noted *noted, uint16_t call, uint32_t size) {
    if (noted->settled)
        return;
    noted->settled = true;
    if (is_exchange(call)) {
        noted->place = vef_exchange_pairs(noted->sums, size, true);
        noted->rest = vef_calloc(size, sizeof *noted->rest);
        noted->agrees = vef_exchange_settle(noted->sums, noted->rest, size);
        return;
    }
    if (vef_call_base(call) != VEF_CALL_Allgatherv)
        return;
    for (uint32_t i = 0; i < size; i++)
        noted->sums[i].sent *= size;
    noted->place = vef_exchange_parts(noted->sums, size, true);
    for (uint32_t i = 0; i < size; i++)
        noted->sums[i].sent /= size;
}

static bool fill_exchange(vef_paraver_joint *joint, const vef_paraver_noted *noted,
                          const vef_paraver_meeting *call, vef_event *event) {
    event->send_count = event->receive_count = call->size;
    if (noted->agrees)
        vef_exchange_fill(noted->sums, noted->rest, call->size, call->rank, joint->sends,
                          joint->receives);
    joint->shared_out += noted->agrees && call->size > 1;
    return noted->agrees;
}

/* Vector variants but Alltoallv and Alltoallw: the parts are what the members state. */
static bool fill_vector(vef_paraver_joint *joint, const vef_paraver_noted *noted,
                        const vef_paraver_meeting *call, vef_event *event) {
    const uint32_t size = call->size, rank = call->rank;
    const bool rooted = vef_call_has(call->call, VEF_FACT_ROOTED);
    const bool scatters = vef_call_has(call->call, VEF_FACT_SENDS_EACH);
    const bool received = scatters || vef_call_has(call->call, VEF_FACT_REDUCES);
    uint64_t *parts = scatters ? joint->sends : joint->receives;
    event->bytes = received ? call->received : call->sent;
    if (rooted && rank != noted->root)
        return true;
    for (uint32_t i = 0; i < size; i++)
        parts[i] = received ? noted->sums[i].received : noted->sums[i].sent;
    const bool known = (!rooted && vef_call_base(call->call) != VEF_CALL_Allgatherv) ||
                       vef_exchange_rest(parts, size, rank, scatters ? call->sent : call->received);
    if (rooted && parts[rank] != event->bytes)
        event->flags |= VEF_EVENT_IN_PLACE;
    joint->equal_parts += noted->place == VEF_EXCHANGE_IN_PLACE;
    event->bytes = parts[rank];
    *(scatters ? &event->send_count : &event->receive_count) = size;
    return known;
}

/* Those whose members agree on the bytes. */
static void fill_equal(const vef_paraver_meeting *call, vef_event *event) {
    const uint32_t size = call->size;
    const bool root = event->root == (int64_t)call->rank;
    const uint64_t larger = call->sent > call->received ? call->sent : call->received;
    uint64_t ignored = 0; /* in place: the other argument, which is then not the own part */
    switch (vef_call_base(call->call)) {
    case VEF_CALL_Gather:
        event->bytes = root ? call->received / size : call->sent;
        ignored = call->sent;
        break;
    case VEF_CALL_Scatter:
        event->bytes = root ? call->sent / size : call->received;
        ignored = call->received;
        break;
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
        event->bytes = call->received / size;
        ignored = call->sent;
        break;
    case VEF_CALL_Reduce_scatter_block:
        event->bytes = call->received;
        return;
    default: /* Barrier, Bcast, Reduce, Allreduce, Scan, Exscan */
        event->bytes = larger;
        return;
    }
    if (ignored != event->bytes)
        event->flags |= VEF_EVENT_IN_PLACE;
}

bool vef_paraver_joint_fill(vef_paraver_joint *joint, const vef_paraver_meeting *call,
                            vef_event *event) {
    vef_paraver_noted *noted = find(joint, call);
    bool known = true;
    event->root = -1;
    if (vef_call_has(call->call, VEF_FACT_NEIGHBOURS) || (!noted && is_joint(call->call)))
        return false;
    vef_grow(&joint->sends, &joint->sends_room, call->size, sizeof *joint->sends);
    vef_grow(&joint->receives, &joint->receives_room, call->size, sizeof *joint->receives);
    if (vef_call_has(call->call, VEF_FACT_ROOTED)) {
        known = noted->root >= 0;
        event->root = (int32_t)noted->root;
    }
    if (!has_vectors(call->call)) {
        fill_equal(call, event);
    } else if (!noted->sums) { /* of a call without vectors: the members' calls differ */
        known = false;
    } else {
        settle(noted, call->call, call->size);
        known &= is_exchange(call->call) ? fill_exchange(joint, noted, call, event)
                                         : fill_vector(joint, noted, call, event);
        if (noted->place == VEF_EXCHANGE_IN_PLACE)
            event->flags |= VEF_EVENT_IN_PLACE;
    }
    event->send_bytes = joint->sends;
    event->receive_bytes = joint->receives;
    if (vef_call_has(call->call, VEF_FACT_REDUCES))
        event->elements = vef_exchange_elements(
            event->receive_count ? vef_exchange_sum(joint->receives, call->size) : event->bytes);
    return known;
}
