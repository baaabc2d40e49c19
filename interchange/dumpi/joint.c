/* What DUMPI's files say only together. A pass over all of them notes it, before that of read.c.
 *
 * Alltoallv and Alltoallw in place: MPI ignores the send arguments, and a file does not say so. A
 * call is in place if its members' counts of sends and of receives contradict each other, and those
 * of receives are the same both ways, as MPI demands in place. Sums of hashes compare them, since a
 * matrix of all pairs would not fit; they are equal by chance once in 2^64.
 *
 * Messages of receives from any source, or with any tag, whose status the program ignored: those
 * that the other receives of the task leave over, the last ones of each sender and tag. Receives
 * take them in the order in which they are posted, each the message that was sent first. MPICH's
 * MPI_PROC_NULL has the number of DUMPI's MPI_ANY_SOURCE: if there are fewer messages than such
 * receives, those that find none that was sent before they returned are of MPI_PROC_NULL. Times are
 * those of the clock of a host; of several hosts, since the last task of each left MPI_Init.
 *
 * Memory: 32 bytes for each exchange; of tasks with such receives 24 for each message to them, and
 * 32 for each receive. Time: such a receive looks at each sender of its tag. */
#include "common/containers/grow.h"
#include "common/containers/hash.h"
#include "common/containers/order.h"
#include "common/memory.h"
#include "common/rng.h"
#include "interchange/dumpi/reading.h"

#include <stdlib.h>
#include <string.h>

typedef struct exchange {
    uint64_t sent, received, mirrored; /* sums of hashes; the last: of receives as sends */
    uint32_t members;
} exchange;

typedef struct message {
    uint64_t sent_ns;
    uint32_t comm, from;
    int32_t tag;
    uint32_t number; /* the n-th to the task */
} message;

typedef struct receive {
    vef_dumpi_found found;
    uint32_t comm;
    uint64_t returned_ns; /* from the call that completes it */
} receive;

/* The messages of one sender, communicator and tag. */
typedef struct queue {
    size_t first, next, end; /* in the messages of the inbox */
    uint64_t left_over;
} queue;

/* Of a task. */
typedef struct inbox {
    message *messages;
    receive *receives;
    queue *queues;
    size_t message_count, message_room, receive_count, receive_room, queue_count, queue_room;
    uint64_t host, initialized_ns; /* a hash of its name; when MPI_Init returned */
} inbox;

struct vef_dumpi_joint {
    const vef_dumpi_comms *comms;
    uint32_t tasks, task; /* `task` is under way */
    inbox *inboxes;
    vef_map64 exchange_of; /* communicator << 32 | its n-th exchange → place in `exchanges` */
    exchange *exchanges;
    size_t exchange_count, exchange_room;
    vef_map64 calls;    /* of the task: communicator → its exchanges so far */
    vef_map64 requests; /* of the task: request → its receive */
    size_t next_receive;
};

vef_dumpi_joint *vef_dumpi_joint_open(const vef_dumpi_comms *comms, uint32_t tasks) {
    vef_dumpi_joint *joint = vef_calloc(1, sizeof *joint);
    joint->comms = comms;
    joint->tasks = tasks;
    joint->inboxes = vef_calloc(tasks, sizeof *joint->inboxes);
    return joint;
}

void vef_dumpi_joint_close(vef_dumpi_joint *joint) {
    for (uint32_t i = 0; i < joint->tasks; i++) {
        free(joint->inboxes[i].messages);
        free(joint->inboxes[i].receives);
        free(joint->inboxes[i].queues);
    }
    vef_map64_free(&joint->exchange_of);
    vef_map64_free(&joint->calls);
    vef_map64_free(&joint->requests);
    free(joint->exchanges);
    free(joint->inboxes);
    free(joint);
}

void vef_dumpi_joint_begin(vef_dumpi_joint *joint, uint32_t task, const char *host) {
    vef_hash hash = vef_hash_begin();
    vef_hash_add(&hash, host, strlen(host));
    joint->inboxes[task].host = hash.low >> 1; /* no reserved key of a map */
    joint->task = task;
    joint->next_receive = 0;
    vef_map64_clear(&joint->calls);
    vef_map64_clear(&joint->requests);
}

/* ---- exchanges ---- */

/* The task's next exchange on the communicator, or SIZE_MAX. */
static size_t next_exchange(vef_dumpi_joint *joint, uint32_t comm) {
    const uint64_t *known = vef_map64_get(&joint->calls, comm);
    const uint64_t number = known ? *known : 0;
    vef_map64_set(&joint->calls, comm, number + 1);
    const uint64_t *place = vef_map64_get(&joint->exchange_of, (uint64_t)comm << 32 | number);
    return place ? *place : SIZE_MAX;
}

static uint64_t hash_of(uint32_t from, uint32_t to, uint64_t bytes) {
    return vef_rng_mix(vef_rng_mix((uint64_t)from << 32 | to) + bytes);
}

static void note_exchange(vef_dumpi_joint *joint, const vef_event *event) {
    const vef_dumpi_comm *comm = &joint->comms->list[event->comm];
    const uint32_t rank = vef_dumpi_rank(comm, joint->task);
    size_t place = next_exchange(joint, event->comm);
    if (place == SIZE_MAX) {
        place = joint->exchange_count;
        vef_grow_zeroed(&joint->exchanges, &joint->exchange_room, ++joint->exchange_count,
                        sizeof *joint->exchanges);
        vef_map64_set(
            &joint->exchange_of,
            (uint64_t)event->comm << 32 | (*vef_map64_get(&joint->calls, event->comm) - 1), place);
    }
    exchange *noted = &joint->exchanges[place];
    noted->members++;
    for (uint32_t i = 0; i < event->send_count; i++)
        noted->sent += hash_of(rank, i, event->send_bytes[i]);
    for (uint32_t i = 0; i < event->receive_count; i++) {
        noted->received += hash_of(i, rank, event->receive_bytes[i]);
        noted->mirrored += hash_of(rank, i, event->receive_bytes[i]);
    }
}

bool vef_dumpi_joint_in_place(vef_dumpi_joint *joint, const vef_dumpi_comm *comm) {
    const size_t place = next_exchange(joint, (uint32_t)(comm - joint->comms->list));
    const exchange *noted = place == SIZE_MAX ? NULL : &joint->exchanges[place];
    return noted && noted->members == comm->size && noted->sent != noted->received &&
           noted->received == noted->mirrored;
}

/* ---- messages ---- */

static void note_send(vef_dumpi_joint *joint, const vef_operation *operation, uint64_t sent_ns) {
    const uint32_t to = joint->comms->list[operation->comm].members[operation->peer];
    inbox *box = &joint->inboxes[to];
    if (!joint->comms->task[to].wild)
        return;
    vef_grow(&box->messages, &box->message_room, box->message_count + 1, sizeof *box->messages);
    box->messages[box->message_count] = (message){.sent_ns = sent_ns,
                                                  .comm = operation->comm,
                                                  .from = joint->task,
                                                  .tag = operation->tag,
                                                  .number = (uint32_t)box->message_count};
    box->message_count++;
}

static void note_receive(vef_dumpi_joint *joint, const vef_operation *operation,
                         uint64_t returned_ns) {
    inbox *box = &joint->inboxes[joint->task];
    const bool stated = operation->peer >= 0 && operation->tag >= 0;
    vef_grow(&box->receives, &box->receive_room, box->receive_count + 1, sizeof *box->receives);
    if (operation->request != VEF_NO_REQUEST) {
        vef_map64_set(&joint->requests, operation->request, box->receive_count);
        returned_ns = UINT64_MAX;
    }
    box->receives[box->receive_count++] = (receive){
        .found = {stated ? VEF_DUMPI_STATED : VEF_DUMPI_NOWHERE, operation->peer, operation->tag},
        .comm = operation->comm,
        .returned_ns = returned_ns};
}

static void note_completion(vef_dumpi_joint *joint, const vef_completion *done,
                            uint64_t returned_ns) {
    uint64_t place;
    if (!vef_map64_take(&joint->requests, done->request, &place))
        return;
    receive *completed = &joint->inboxes[joint->task].receives[place];
    completed->returned_ns = returned_ns;
    if (done->cancelled)
        completed->found.kind = VEF_DUMPI_CANCELLED;
    else if (done->source >= 0 && (uint32_t)done->source < joint->comms->list[completed->comm].size)
        completed->found = (vef_dumpi_found){VEF_DUMPI_STATED, done->source, done->tag};
}

void vef_dumpi_joint_note(vef_dumpi_joint *joint, const vef_event *event, uint64_t entered_ns,
                          uint64_t left_ns) {
    const bool wild = joint->comms->task[joint->task].wild;
    if (vef_call_has(event->call, VEF_FACT_BEGINS))
        joint->inboxes[joint->task].initialized_ns = left_ns;
    if (event->call == VEF_CALL_Alltoallv || event->call == VEF_CALL_Alltoallw)
        note_exchange(joint, event);
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (vef_call_kind(event->call) != VEF_KIND_TRANSFER || operation->peer == VEF_NO_TASK)
            continue;
        if (operation->flags & VEF_OP_SEND)
            note_send(joint, operation, entered_ns);
        else if (wild)
            note_receive(joint, operation, left_ns);
    }
    for (uint32_t i = 0; wild && i < event->completion_count; i++)
        note_completion(joint, &event->completions[i], left_ns);
}

const vef_dumpi_found *vef_dumpi_joint_receive(vef_dumpi_joint *joint) {
    const inbox *box = &joint->inboxes[joint->task];
    return joint->next_receive < box->receive_count ? &box->receives[joint->next_receive++].found
                                                    : NULL;
}

/* ---- matching ---- */

VEF_ORDER_BY(by_envelope, message, comm, tag, from, number)

static void make_queues(inbox *box) {
    if (box->message_count > 0)
        qsort(box->messages, box->message_count, sizeof *box->messages, by_envelope);
    for (size_t i = 0; i < box->message_count; i++) {
        const message *one = &box->messages[i];
        if (i == 0 || one[-1].comm != one->comm || one[-1].tag != one->tag ||
            one[-1].from != one->from) {
            *VEF_NEW_ITEM(box->queues, box->queue_count, box->queue_room) =
                (queue){.first = i, .next = i};
        }
        box->queues[box->queue_count - 1].end = i + 1;
        box->queues[box->queue_count - 1].left_over++;
    }
}

/* The queue that a receive takes its message from: of a stated one its own, else the one whose next
 * message was sent first, of those with messages left over. NULL: none. */
static queue *choose(const vef_dumpi_joint *joint, const inbox *box, const receive *wanted) {
    const vef_dumpi_found asked = wanted->found;
    const uint32_t *members = joint->comms->list[wanted->comm].members;
    const bool stated = asked.kind == VEF_DUMPI_STATED;
    const message least = {.comm = wanted->comm,
                           .tag = asked.tag >= 0 ? asked.tag : INT32_MIN,
                           .from = stated ? members[asked.source] : 0};
    queue *best = NULL;
    size_t low = 0, high = box->queue_count;
    while (low < high) { /* the first that is not before `least` */
        const size_t middle = (low + high) / 2;
        if (by_envelope(&box->messages[box->queues[middle].first], &least) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < box->queue_count; low++) {
        queue *from = &box->queues[low];
        const message *first = &box->messages[from->first];
        if (first->comm != wanted->comm || (asked.tag >= 0 && first->tag != asked.tag) ||
            (stated && first->from != members[asked.source]))
            break;
        if (stated)
            return from;
        if ((asked.source < 0 || first->from == members[asked.source]) && from->left_over > 0 &&
            from->next < from->end &&
            (!best || box->messages[from->next].sent_ns < box->messages[best->next].sent_ns))
            best = from;
    }
    return best;
}

static void match(const vef_dumpi_joint *joint, inbox *box) {
    uint64_t unknown = 0, left_over = box->message_count;
    make_queues(box);
    for (size_t i = 0; i < box->receive_count; i++) {
        const receive *one = &box->receives[i];
        queue *from = one->found.kind == VEF_DUMPI_STATED ? choose(joint, box, one) : NULL;
        unknown += one->found.kind == VEF_DUMPI_NOWHERE;
        if (from && from->left_over > 0) {
            from->left_over--;
            left_over--;
        }
    }
    for (size_t i = 0; i < box->receive_count && unknown > 0; i++) {
        receive *one = &box->receives[i];
        if (one->found.kind != VEF_DUMPI_STATED && one->found.kind != VEF_DUMPI_NOWHERE)
            continue;
        queue *from = choose(joint, box, one);
        if (!from || from->next >= from->end)
            continue;
        const message *next = &box->messages[from->next];
        if (one->found.kind == VEF_DUMPI_NOWHERE) {
            if (unknown > left_over && next->sent_ns > one->returned_ns)
                continue;
            from->left_over--;
            one->found = (vef_dumpi_found){
                VEF_DUMPI_FOUND,
                (int32_t)vef_dumpi_rank(&joint->comms->list[one->comm], next->from), next->tag};
        }
        from->next++;
    }
}

/* Adds to the times of each task that on each host the last return from MPI_Init is at one time. */
void vef_dumpi_joint_settle(vef_dumpi_joint *joint) {
    uint64_t *shifts = vef_malloc(joint->tasks * sizeof *shifts), latest_ns = 0;
    vef_map64 begins = {0}; /* host → its last return */
    for (uint32_t i = 0; i < joint->tasks; i++) {
        const inbox *box = &joint->inboxes[i];
        const uint64_t *known = vef_map64_get(&begins, box->host);
        if (!known || *known < box->initialized_ns)
            vef_map64_set(&begins, box->host, box->initialized_ns);
        latest_ns = latest_ns < box->initialized_ns ? box->initialized_ns : latest_ns;
    }
    for (uint32_t i = 0; i < joint->tasks; i++)
        shifts[i] = latest_ns - *vef_map64_get(&begins, joint->inboxes[i].host);
    vef_map64_free(&begins);
    for (uint32_t task = 0; task < joint->tasks; task++) {
        inbox *box = &joint->inboxes[task];
        for (size_t i = 0; i < box->message_count; i++)
            box->messages[i].sent_ns += shifts[box->messages[i].from];
        for (size_t i = 0; i < box->receive_count; i++)
            if (box->receives[i].returned_ns != UINT64_MAX)
                box->receives[i].returned_ns += shifts[task];
        match(joint, box);
    }
    free(shifts);
}
