/* Joint calls of several tasks. See joint.h. */
#include "traces/matching/joint.h"

#include "common/grow.h"
#include "traces/log/ring_summary.h"

#include <stdlib.h>

/* Calls of only the members of a new communicator have a separate row. */
static const uint32_t makers = VEF_UNKNOWN_SEQUENCE - 1;

void vef_joint_free(vef_joint *joint) {
    for (uint32_t i = 0; i < joint->row_count; i++)
        free(joint->rows[i].lacks);
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
    vef_grow(&joint->rows, &joint->row_capacity, joint->row_count + 1, sizeof *joint->rows);
    vef_map64_set(&joint->row_of, key, joint->row_count);
    joint->rows[joint->row_count] = (vef_joint_row){.comm = comm};
    return &joint->rows[joint->row_count++];
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

static int by_first(const void *a, const void *b) {
    const vef_joint_calls *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static void settle_lacking(vef_joint_row *row) {
    size_t kept = 0;
    if (row->lacks_count > 1)
        qsort(row->lacks, row->lacks_count, sizeof *row->lacks, by_first);
    for (size_t i = 1; i < row->lacks_count; i++) {
        if (row->lacks[i].first > row->lacks[kept].end)
            row->lacks[++kept] = row->lacks[i];
        else if (row->lacks[i].end > row->lacks[kept].end)
            row->lacks[kept].end = row->lacks[i].end;
    }
    row->lacks_count = row->lacks_count ? kept + 1 : 0;
}

/* Marks calls that a member did not record. */
static void add_lacking(vef_joint_row *row, uint64_t first, uint64_t count) {
    const uint64_t end = first + count < first ? UINT64_MAX : first + count;
    if (row->lacks_count > 0 && row->lacks[row->lacks_count - 1].end == first) {
        row->lacks[row->lacks_count - 1].end = end;
        return;
    }
    if (row->lacks_count == row->lacks_capacity) /* most of them overlap */
        settle_lacking(row);
    vef_grow(&row->lacks, &row->lacks_capacity, 2 * row->lacks_count + 1, sizeof *row->lacks);
    row->lacks[row->lacks_count++] = (vef_joint_calls){first, end};
}

static bool is_lacking(const vef_joint_row *row, uint64_t number) {
    size_t low = 0, high = row->lacks_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (row->lacks[middle].end <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->lacks_count && row->lacks[low].first <= number;
}

void vef_joint_see(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm,
                   bool recorded) {
    vef_joint_row *row = get_row(joint, row_key(event, comm), comm);
    const uint64_t number = count_up(joint, row, task, event);
    if (!recorded)
        add_lacking(row, number, vef_before_calls(event));
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
        settle_lacking(&joint->rows[i]);
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
    return number < row->dropped                                ? VEF_JOINT_DROPPED
           : number >= row->complete || is_lacking(row, number) ? VEF_JOINT_LACKING
                                                                : VEF_JOINT_WHOLE;
}
