/* Collectives of a Paraver trace, from the records of all their members. See joint.h. */
#include "interchange/paraver/joint.h"
#include "common/grow.h"

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
    vef_paraver_joint *self = vef_calloc(1, sizeof *self);
    self->header = header;
    self->places = vef_calloc(header->comm_count + 1, sizeof *self->places);
    return self;
}

void vef_paraver_joint_close(vef_paraver_joint *self) {
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++) {
        free(self->meetings[i].sums);
        free(self->meetings[i].rest);
    }
    for (size_t i = 0; i < self->header->comm_count; i++)
        vef_map64_free(&self->places[i]);
    vef_map64_free(&self->calls);
    free(self->places);
    free(self->meetings);
    free(self->sends);
    free(self->receives);
    free(self);
}

uint64_t vef_paraver_joint_shared_out(const vef_paraver_joint *self) {
    return self->shared_out;
}

static bool has_vectors(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) || vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}

static bool is_joint(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ROOTED) || has_vectors(call);
}

static uint32_t rank_of(const vef_paraver_joint *self, const vef_paraver_meeting *call) {
    const uint64_t *rank =
        vef_map64_get(&self->header->rank_of, (uint64_t)call->comm << 32 | call->task);
    return rank ? (uint32_t)*rank : 0;
}

/* The meeting of the call, made if there is none. */
static meeting *open_meeting(vef_paraver_joint *self, const vef_paraver_meeting *call,
                             uint64_t number) {
    const uint64_t *place = vef_map64_get(&self->places[call->comm], number);
    if (place)
        return &self->meetings[*place];
    vef_grow(&self->meetings, &self->room, self->count + 1, sizeof *self->meetings);
    vef_map64_set(&self->places[call->comm], number, self->count);
    self->meetings[self->count] = (meeting){.root = -1};
    return &self->meetings[self->count++];
}

/* Extrae compares the rank of the root of a Gather or Scatter with the task: the mark may be wrong
 * on communicators other than the world. */
static void note_root(meeting *at, const vef_paraver_meeting *call, uint32_t rank) {
    const uint16_t blocking = vef_call_base(call->call);
    const bool gathers = blocking == VEF_CALL_Gather || blocking == VEF_CALL_Gatherv;
    const bool scatters = blocking == VEF_CALL_Scatter || blocking == VEF_CALL_Scatterv;
    const bool sized = (gathers && call->received > 0) || (scatters && call->sent > 0);
    if (sized || (call->root && !at->sized)) {
        at->root = rank;
        at->sized = sized;
    }
}

void vef_paraver_joint_note(vef_paraver_joint *self, const vef_paraver_meeting *call) {
    const uint64_t key = (uint64_t)call->comm << 32 | call->task;
    const uint64_t *calls = vef_map64_get(&self->calls, key);
    const uint64_t number = calls ? *calls : 0;
    const uint32_t size = self->header->comms[call->comm].size, rank = rank_of(self, call);
    vef_map64_set(&self->calls, key, number + 1);
    if (!is_joint(call->call))
        return;
    meeting *at = open_meeting(self, call, number);
    note_root(at, call, rank);
    if (!has_vectors(call->call))
        return;
    if (!at->sums)
        at->sums = vef_calloc(size, sizeof *at->sums);
    at->sums[rank] = (vef_exchange_sums){call->sent, call->received};
}

/* ---- vectors ---- */

static void fill_exchange(vef_paraver_joint *self, meeting *at, uint32_t rank, uint32_t size,
                          vef_event *event, bool *known) {
    if (!at->rest) {
        at->rest = vef_calloc(size, sizeof *at->rest);
        at->agrees = vef_exchange_settle(at->sums, at->rest, size);
    }
    *known = at->agrees;
    if (*known)
        vef_exchange_fill(at->sums, at->rest, size, rank, self->sends, self->receives);
    event->bytes = 0;
    event->send_count = event->receive_count = size;
    self->shared_out += *known && size > 1;
}

/* The parts of all ranks are what they send, or receive; that of `at_rank`, which MPI_IN_PLACE may
 * hide, is what the others leave of `total`. */
static bool fill_parts(uint64_t *to, const meeting *at, bool sent, uint32_t size, uint32_t at_rank,
                       uint64_t total) {
    for (uint32_t i = 0; i < size; i++)
        to[i] = sent ? at->sums[i].sent : at->sums[i].received;
    const uint64_t others = vef_exchange_sum(to, size) - to[at_rank];
    to[at_rank] = total - others;
    return others <= total;
}

/* Vector variants but Alltoallv and Alltoallw. */
static void fill_vector(vef_paraver_joint *self, const meeting *at, const vef_paraver_meeting *call,
                        uint32_t rank, uint32_t size, vef_event *event, bool *known) {
    const uint16_t blocking = vef_call_base(call->call);
    if (vef_call_has(call->call, VEF_FACT_ROOTED)) {
        const bool root = (int64_t)rank == at->root, sends = blocking == VEF_CALL_Scatterv;
        event->bytes = sends ? call->received : call->sent;
        if (!root)
            return;
        *known = fill_parts(sends ? self->sends : self->receives, at, !sends, size, rank,
                            sends ? call->sent : call->received);
        event->bytes = (sends ? self->sends : self->receives)[rank];
        *(sends ? &event->send_count : &event->receive_count) = size;
        return;
    }
    if (vef_call_has(call->call, VEF_FACT_REDUCES)) { /* Reduce_scatter */
        for (uint32_t i = 0; i < size; i++)
            self->receives[i] = at->sums[i].received;
    } else { /* Allgatherv: with MPI_IN_PLACE all parts are hidden */
        *known = fill_parts(self->receives, at, true, size, rank, call->received);
    }
    event->bytes = self->receives[rank];
    event->receive_count = size;
}

/* Those whose members agree on the bytes. */
static void fill_equal(const meeting *at, const vef_paraver_meeting *call, uint32_t rank,
                       uint32_t size, vef_event *event) {
    const bool root = at && (int64_t)rank == at->root;
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

void vef_paraver_joint_fill(vef_paraver_joint *self, const vef_paraver_meeting *call,
                            uint64_t number, vef_event *event, bool *known) {
    const uint32_t size = self->header->comms[call->comm].size, rank = rank_of(self, call);
    const uint64_t *place = vef_map64_get(&self->places[call->comm], number);
    meeting *at = place ? &self->meetings[*place] : NULL;
    *known = !vef_call_has(call->call, VEF_FACT_NEIGHBOURS) && (at || !is_joint(call->call));
    event->root = -1;
    if (!*known)
        return;
    vef_grow(&self->sends, &self->sends_room, size, sizeof *self->sends);
    vef_grow(&self->receives, &self->receives_room, size, sizeof *self->receives);
    if (vef_call_has(call->call, VEF_FACT_ROOTED)) {
        *known = at->root >= 0;
        event->root = (int32_t)at->root;
    }
    if (!has_vectors(call->call)) {
        fill_equal(at, call, rank, size, event);
    } else if (!at->sums) { /* of a call without vectors: the members' calls differ */
        *known = false;
    } else if (vef_call_has(call->call, VEF_FACT_SENDS_EACH) &&
               vef_call_has(call->call, VEF_FACT_RECEIVES_EACH)) {
        fill_exchange(self, at, rank, size, event, known);
    } else {
        fill_vector(self, at, call, rank, size, event, known);
    }
    event->send_bytes = self->sends;
    event->receive_bytes = self->receives;
    if (vef_call_has(call->call, VEF_FACT_REDUCES))
        event->elements = elements_of(event->receive_count ? vef_exchange_sum(self->receives, size)
                                                           : event->bytes);
}
