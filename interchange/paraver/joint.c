/* Collectives of a Paraver trace, from the records of all their members. See joint.h. */
#include "interchange/paraver/joint.h"
#include "common/containers/grow.h"

#include "common/memory.h"
#include "interchange/exchange.h"

#include <stdlib.h>

/* A collective with a root or vectors. */
typedef struct meeting {
    int64_t root;            /* rank; -1: not known */
    bool sized;              /* by the counts that only a root has, rather than by a mark */
    vef_exchange_sums *sums; /* by rank; NULL without vectors */
    vef_exchange_sums *rest; /* of an Alltoallv that was filled in */
    vef_exchange_place place;
    bool settled, agrees;
} meeting;

struct vef_paraver_joint {
    const vef_paraver_header *header;
    vef_map64 calls;   /* communicator << 32 | task → number of its calls */
    vef_map64 *places; /* per communicator: number of a call → place in `meetings` */
    meeting *meetings;
    size_t count, room;
    uint64_t *sends, *receives; /* the vectors of the last event */
    size_t sends_room, receives_room;
    uint64_t shared_out, equal_parts;
};

vef_paraver_joint *vef_paraver_joint_open(const vef_paraver_header *header) {
    vef_paraver_joint *joint = vef_calloc(1, sizeof *joint);
    joint->header = header;
    joint->places = vef_calloc(header->comm_count + 1, sizeof *joint->places);
    return joint;
}

void vef_paraver_joint_close(vef_paraver_joint *joint) {
    if (!joint)
        return;
    for (size_t i = 0; i < joint->count; i++) {
        free(joint->meetings[i].sums);
        free(joint->meetings[i].rest);
    }
    for (size_t i = 0; i < joint->header->comm_count; i++)
        vef_map64_free(&joint->places[i]);
    vef_map64_free(&joint->calls);
    free(joint->places);
    free(joint->meetings);
    free(joint->sends);
    free(joint->receives);
    free(joint);
}

uint64_t vef_paraver_joint_shared_out(const vef_paraver_joint *joint) {
    return joint->shared_out;
}

uint64_t vef_paraver_joint_equal_parts(const vef_paraver_joint *joint) {
    return joint->equal_parts;
}

static bool has_vectors(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) || vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}

static bool is_joint(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ROOTED) || has_vectors(call);
}

static uint32_t rank_of(const vef_paraver_joint *joint, const vef_paraver_meeting *call) {
    const uint64_t *rank =
        vef_map64_get(&joint->header->rank_of, (uint64_t)call->comm << 32 | call->task);
    return rank ? (uint32_t)*rank : 0;
}

/* The meeting of the call, made if there is none. */
static meeting *open_meeting(vef_paraver_joint *joint, const vef_paraver_meeting *call,
                             uint64_t number) {
    const uint64_t *place = vef_map64_get(&joint->places[call->comm], number);
    if (place)
        return &joint->meetings[*place];
    vef_grow(&joint->meetings, &joint->room, joint->count + 1, sizeof *joint->meetings);
    vef_map64_set(&joint->places[call->comm], number, joint->count);
    joint->meetings[joint->count] = (meeting){.root = -1};
    return &joint->meetings[joint->count++];
}

/* Extrae compares the rank of the root of a Gather or Scatter with the task: the mark may be wrong
 * on communicators other than the world. */
static void note_root(meeting *noted, const vef_paraver_meeting *call, uint32_t rank) {
    const uint16_t blocking = vef_call_base(call->call);
    const bool gathers = blocking == VEF_CALL_Gather || blocking == VEF_CALL_Gatherv;
    const bool scatters = blocking == VEF_CALL_Scatter || blocking == VEF_CALL_Scatterv;
    const bool sized = (gathers && call->received > 0) || (scatters && call->sent > 0);
    if (sized || (call->root && !noted->sized)) {
        noted->root = rank;
        noted->sized = sized;
    }
}

void vef_paraver_joint_note(vef_paraver_joint *joint, const vef_paraver_meeting *call) {
    const uint64_t key = (uint64_t)call->comm << 32 | call->task;
    const uint64_t *calls = vef_map64_get(&joint->calls, key);
    const uint64_t number = calls ? *calls : 0;
    const uint32_t size = joint->header->comms[call->comm].size, rank = rank_of(joint, call);
    vef_map64_set(&joint->calls, key, number + 1);
    if (!is_joint(call->call))
        return;
    meeting *noted = open_meeting(joint, call, number);
    note_root(noted, call, rank);
    if (!has_vectors(call->call))
        return;
    if (!noted->sums)
        noted->sums = vef_calloc(size, sizeof *noted->sums);
    noted->sums[rank] = (vef_exchange_sums){call->sent, call->received};
}

/* ---- vectors ---- */

static bool is_exchange(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) && vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}

/* Turns the sums of all members into those without MPI_IN_PLACE: Extrae states the arguments. */
static void settle(meeting *noted, uint16_t call, uint32_t size) {
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

static void fill_exchange(vef_paraver_joint *joint, const meeting *noted, uint32_t rank,
                          uint32_t size, vef_event *event, bool *known) {
    *known = noted->agrees;
    if (*known)
        vef_exchange_fill(noted->sums, noted->rest, size, rank, joint->sends, joint->receives);
    event->bytes = 0;
    event->send_count = event->receive_count = size;
    joint->shared_out += *known && size > 1;
}

/* Vector variants but Alltoallv and Alltoallw: the parts are what the members state. */
static void fill_vector(vef_paraver_joint *joint, const meeting *noted,
                        const vef_paraver_meeting *call, uint32_t rank, uint32_t size,
                        vef_event *event, bool *known) {
    const bool rooted = vef_call_has(call->call, VEF_FACT_ROOTED);
    const bool scatters = vef_call_has(call->call, VEF_FACT_SENDS_EACH);
    const bool received = scatters || vef_call_has(call->call, VEF_FACT_REDUCES);
    uint64_t *parts = scatters ? joint->sends : joint->receives;
    event->bytes = received ? call->received : call->sent;
    if (rooted && (int64_t)rank != noted->root)
        return;
    for (uint32_t i = 0; i < size; i++)
        parts[i] = received ? noted->sums[i].received : noted->sums[i].sent;
    if (rooted || vef_call_base(call->call) == VEF_CALL_Allgatherv)
        *known = vef_exchange_rest(parts, size, rank, scatters ? call->sent : call->received);
    if (rooted && parts[rank] != event->bytes)
        event->flags |= VEF_EVENT_IN_PLACE;
    joint->equal_parts += noted->place == VEF_EXCHANGE_IN_PLACE;
    event->bytes = parts[rank];
    *(scatters ? &event->send_count : &event->receive_count) = size;
}

/* Those whose members agree on the bytes. */
static void fill_equal(const meeting *noted, const vef_paraver_meeting *call, uint32_t rank,
                       uint32_t size, vef_event *event) {
    const bool root = noted && (int64_t)rank == noted->root;
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

/* A trace has no numbers of elements: of the largest common size that divides the bytes. */
static uint64_t elements_of(uint64_t bytes) {
    return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

void vef_paraver_joint_fill(vef_paraver_joint *joint, const vef_paraver_meeting *call,
                            uint64_t number, vef_event *event, bool *known) {
    const uint32_t size = joint->header->comms[call->comm].size, rank = rank_of(joint, call);
    const uint64_t *place = vef_map64_get(&joint->places[call->comm], number);
    meeting *noted = place ? &joint->meetings[*place] : NULL;
    *known = !vef_call_has(call->call, VEF_FACT_NEIGHBOURS) && (noted || !is_joint(call->call));
    event->root = -1;
    if (!*known)
        return;
    vef_grow(&joint->sends, &joint->sends_room, size, sizeof *joint->sends);
    vef_grow(&joint->receives, &joint->receives_room, size, sizeof *joint->receives);
    if (vef_call_has(call->call, VEF_FACT_ROOTED)) {
        *known = noted->root >= 0;
        event->root = (int32_t)noted->root;
    }
    if (!has_vectors(call->call)) {
        fill_equal(noted, call, rank, size, event);
    } else if (!noted->sums) { /* of a call without vectors: the members' calls differ */
        *known = false;
    } else {
        settle(noted, call->call, size);
        if (is_exchange(call->call))
            fill_exchange(joint, noted, rank, size, event, known);
        else
            fill_vector(joint, noted, call, rank, size, event, known);
        if (noted->place == VEF_EXCHANGE_IN_PLACE)
            event->flags |= VEF_EVENT_IN_PLACE;
    }
    event->send_bytes = joint->sends;
    event->receive_bytes = joint->receives;
    if (vef_call_has(call->call, VEF_FACT_REDUCES))
        event->elements = elements_of(event->receive_count ? vef_exchange_sum(joint->receives, size)
                                                           : event->bytes);
}
