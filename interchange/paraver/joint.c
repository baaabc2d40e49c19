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
    bool agrees;
} meeting;

struct vef_paraver_joint {
    const vef_paraver_header *header;
    vef_map64 calls;   /* communicator << 32 | task → number of its calls */
    vef_map64 *places; /* per communicator: number of a call → place in `meetings` */
    meeting *meetings;
    size_t count, room;
    uint64_t *sends, *receives; /* the vectors of the last event */
    size_t sends_room, receives_room;
    uint64_t shared_out;
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

static void fill_exchange(vef_paraver_joint *joint, meeting *noted, uint32_t rank, uint32_t size,
                          vef_event *event, bool *known) {
    if (!noted->rest) {
        noted->rest = vef_calloc(size, sizeof *noted->rest);
        noted->agrees = vef_exchange_settle(noted->sums, noted->rest, size);
    }
    *known = noted->agrees;
    if (*known)
        vef_exchange_fill(noted->sums, noted->rest, size, rank, joint->sends, joint->receives);
    event->bytes = 0;
    event->send_count = event->receive_count = size;
    joint->shared_out += *known && size > 1;
}

/* The parts of all ranks are what they send, or receive; that of `at_rank`, which MPI_IN_PLACE may
 * hide, is what the others leave of `total`. */
static bool fill_parts(uint64_t *to, const meeting *noted, bool sent, uint32_t size,
                       uint32_t at_rank, uint64_t total) {
    for (uint32_t i = 0; i < size; i++)
        to[i] = sent ? noted->sums[i].sent : noted->sums[i].received;
    const uint64_t others = vef_exchange_sum(to, size) - to[at_rank];
    to[at_rank] = total - others;
    return others <= total;
}

/* Vector variants but Alltoallv and Alltoallw. */
static void fill_vector(vef_paraver_joint *joint, const meeting *noted,
                        const vef_paraver_meeting *call, uint32_t rank, uint32_t size,
                        vef_event *event, bool *known) {
    const uint16_t blocking = vef_call_base(call->call);
    if (vef_call_has(call->call, VEF_FACT_ROOTED)) {
        const bool root = (int64_t)rank == noted->root, sends = blocking == VEF_CALL_Scatterv;
        event->bytes = sends ? call->received : call->sent;
        if (!root)
            return;
        *known = fill_parts(sends ? joint->sends : joint->receives, noted, !sends, size, rank,
                            sends ? call->sent : call->received);
        event->bytes = (sends ? joint->sends : joint->receives)[rank];
        *(sends ? &event->send_count : &event->receive_count) = size;
        return;
    }
    if (vef_call_has(call->call, VEF_FACT_REDUCES)) { /* Reduce_scatter */
        for (uint32_t i = 0; i < size; i++)
            joint->receives[i] = noted->sums[i].received;
    } else { /* Allgatherv: with MPI_IN_PLACE all parts are hidden */
        *known = fill_parts(joint->receives, noted, true, size, rank, call->received);
    }
    event->bytes = joint->receives[rank];
    event->receive_count = size;
}

/* Those whose members agree on the bytes. */
static void fill_equal(const meeting *noted, const vef_paraver_meeting *call, uint32_t rank,
                       uint32_t size, vef_event *event) {
    const bool root = noted && (int64_t)rank == noted->root;
    const uint64_t larger = call->sent > call->received ? call->sent : call->received;
    switch (vef_call_base(call->call)) {
    case VEF_CALL_Gather:
        event->bytes = root ? call->received / size : call->sent;
        break;
    case VEF_CALL_Scatter:
        event->bytes = root ? call->sent / size : call->received;
        break;
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
        event->bytes = call->received / size;
        break;
    case VEF_CALL_Reduce_scatter_block:
        event->bytes = call->received;
        break;
    default: /* Barrier, Bcast, Reduce, Allreduce, Scan, Exscan */
        event->bytes = larger;
        break;
    }
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
    } else if (vef_call_has(call->call, VEF_FACT_SENDS_EACH) &&
               vef_call_has(call->call, VEF_FACT_RECEIVES_EACH)) {
        fill_exchange(joint, noted, rank, size, event, known);
    } else {
        fill_vector(joint, noted, call, rank, size, event, known);
    }
    event->send_bytes = joint->sends;
    event->receive_bytes = joint->receives;
    if (vef_call_has(call->call, VEF_FACT_REDUCES))
        event->elements = elements_of(event->receive_count ? vef_exchange_sum(joint->receives, size)
                                                           : event->bytes);
}
