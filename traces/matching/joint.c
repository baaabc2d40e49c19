/* Joint calls of several tasks. See joint.h. */
#include "traces/matching/joint.h"

#include "common/containers/grow.h"
#include "traces/log/ring_summary.h"

#include <stdlib.h>

/* Calls of only the members of a new communicator have a separate row. */
static const uint32_t makers = VEF_UNKNOWN_SEQUENCE - 1;

void vef_joint_free(vef_joint *joint) {
    for (uint32_t i = 0; i < joint->row_count; i++)
        vef_runs_free(&joint->rows[i].lacking);
    free(joint->rows);
    vef_map64_free(&joint->row_of);
    vef_map64_free(&joint->counts);
    *joint = (vef_joint){0};
}

bool vef_joint_comm(const vef_event *event, uint32_t *local) {
    const bool by_members = vef_call_has(event->call, VEF_FACT_BY_MEMBERS);
    *local = by_members                        ? event->new_comm
             : vef_call_is_of_all(event->call) ? event->comm
                                               : VEF_NO_COMM;
    return *local != VEF_NO_COMM;
}

static uint64_t row_key(const vef_event *event, uint32_t comm) {
    return vef_sequence_key(
        comm, vef_call_has(event->call, VEF_FACT_BY_MEMBERS) ? makers : vef_before_sequence(event));
}

static uint64_t count_key(uint32_t row, uint32_t task) {
    return (uint64_t)row << 32 | task;
}

/* The row of a key, created if new. */
static vef_joint_row *get_row(vef_joint *joint, uint64_t key, uint32_t comm) {
    const uint64_t *found = vef_map64_get(&joint->row_of, key);
    if (found)
        return &joint->rows[*found];
    vef_map64_set(&joint->row_of, key, joint->row_count);
    vef_joint_row *row = VEF_NEW_ITEM(joint->rows, joint->row_count, joint->row_capacity);
    *row = (vef_joint_row){.comm = comm};
    return row;
}

/* Counts a call, or those that the event represents; returns the number of the first. */
static uint64_t count_up(vef_joint *joint, const vef_joint_row *row, uint32_t task,
                         const vef_event *event) {
    const uint64_t calls = vef_before_calls(event);
    const uint64_t key = count_key((uint32_t)(row - joint->rows), task);
    uint64_t *count = vef_map64_get(&joint->counts, key);
    if (!count) {
        vef_map64_set(&joint->counts, key, calls);
        return 0;
    }
    *count += calls;
    return *count - calls;
}

void vef_joint_see(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm,
                   bool recorded) {
    vef_joint_row *row = get_row(joint, row_key(event, comm), comm);
    const uint64_t number = count_up(joint, row, task, event);
    const uint64_t end = number + vef_before_calls(event);
    if (!recorded)
        vef_runs_add_run(&row->lacking, number, end < number ? UINT64_MAX : end);
}

void vef_joint_before(vef_joint *joint, uint32_t task, uint32_t comm, uint32_t sequence,
                      uint64_t before) {
    vef_joint_row *row = get_row(joint, vef_sequence_key(comm, sequence), comm);
    row->dropped = row->dropped > before ? row->dropped : before;
    vef_map64_set(&joint->counts, count_key((uint32_t)(row - joint->rows), task), before);
}

static uint64_t made_by(const vef_joint *joint, uint32_t row, uint32_t task) {
    const uint64_t *count = vef_map64_get(&joint->counts, count_key(row, task));
    return count ? *count : 0;
}

void vef_joint_settle(vef_joint *joint, const vef_communicator *communicators, const bool *chosen) {
    for (uint32_t i = 0; i < joint->row_count; i++) {
        const vef_communicator *comm = &communicators[joint->rows[i].comm];
        uint64_t least = UINT64_MAX;
        for (uint32_t k = 0; k < comm->size + comm->remote_size; k++) {
            const uint32_t member =
                k < comm->size ? comm->members[k] : comm->remote_members[k - comm->size];
            const uint64_t count =
                !chosen || chosen[member] ? made_by(joint, i, member) : UINT64_MAX;
            least = count < least ? count : least;
        }
        joint->rows[i].complete = least;
        vef_runs_settle(&joint->rows[i].lacking);
    }
    vef_map64_clear(&joint->counts);
}

vef_joint_made vef_joint_next(vef_joint *joint, uint32_t task, const vef_event *event,
                              uint32_t comm) {
    const uint64_t *found = vef_map64_get(&joint->row_of, row_key(event, comm));
    if (!found)
        return VEF_JOINT_WHOLE;
    const vef_joint_row *row = &joint->rows[*found];
    const uint64_t number = count_up(joint, row, task, event);
    return number < row->dropped ? VEF_JOINT_DROPPED
           : number >= row->complete || vef_runs_has(&row->lacking, number, NULL)
               ? VEF_JOINT_LACKING
               : VEF_JOINT_WHOLE;
}

/* ---- locks ---- */

uint64_t vef_lock_key(const vef_event *event) {
    return (uint64_t)event->comm << 32 |
           (event->peer_count > 0 ? (uint32_t)event->peers[0] : VEF_LOCK_ALL);
}

void vef_locks_see(vef_map64 *held, const vef_event *event, uint64_t number, bool recorded,
                   vef_runs *unpaired) {
    const vef_sync sync = vef_call_sync(event->call);
    uint64_t lock = 0;
    if (sync == VEF_SYNC_LOCK) {
        vef_map64_set(held, vef_lock_key(event), 2 * number + recorded);
    } else if (sync == VEF_SYNC_UNLOCK) {
        vef_map64_take(held, vef_lock_key(event), &lock);
        if (recorded != (lock & 1))
            vef_runs_add(unpaired, recorded ? number : lock / 2);
    }
}

void vef_locks_end(vef_map64 *held, vef_runs *unpaired) {
    for (size_t i = 0; i < held->capacity; i++)
        if (held->keys[i] != UINT64_MAX && (held->values[i] & 1))
            vef_runs_add(unpaired, held->values[i] / 2);
    vef_runs_settle(unpaired);
    vef_map64_clear(held);
}
