/* The records of a call in a Paraver trace. See writing.h. */
#include "interchange/exchange.h"
#include "interchange/paraver/writing.h"
#include "traces/stats/stats.h"

#include <inttypes.h>

/* States: what a thread does, as Extrae numbers it. */
enum {
    RUNNING = 1,
    WAITING_MESSAGE = 3,
    BLOCKING_SEND = 4,
    TEST_PROBE = 6,
    INIT_FINI = 7, /* scheduling and fork/join */
    WAIT_ALL = 8,
    IMMEDIATE_SEND = 10,
    IMMEDIATE_RECEIVE = 11,
    GROUP_COMMUNICATION = 13,
    OTHERS = 15,
    SEND_RECEIVE = 16,
    MEMORY_TRANSFER = 17,
};

static int transfer_state(const vef_event *event) {
    bool sends = false, receives = false;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const bool send = event->operations[i].flags & VEF_OP_SEND;
        sends = sends || send;
        receives = receives || !send;
    }
    if (sends && receives)
        return SEND_RECEIVE;
    if (vef_call_has(event->call, VEF_FACT_STARTS))
        return sends ? IMMEDIATE_SEND : IMMEDIATE_RECEIVE;
    return sends ? BLOCKING_SEND : WAITING_MESSAGE;
}

static int state_of(const vef_event *event) {
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_LOCAL:
        return vef_stats_is_startup(event->call) ? INIT_FINI : OTHERS;
    case VEF_KIND_TRANSFER:
        return transfer_state(event);
    case VEF_KIND_COMPLETE:
        return event->flags & VEF_EVENT_POLL ? TEST_PROBE : WAIT_ALL;
    case VEF_KIND_PROBE:
        return TEST_PROBE;
    case VEF_KIND_COLLECTIVE:
        return GROUP_COMMUNICATION;
    case VEF_KIND_ONE_SIDED:
        return MEMORY_TRANSFER;
    default:
        return OTHERS;
    }
}

/* ---- lines ---- */

/* `PROCESSOR:APPLICATION:TASK:THREAD`; every thread has a processor. */
static void put_place(const vef_paraver_writing *writer, uint32_t task, uint32_t thread) {
    fprintf(writer->out, "%" PRIu32 ":1:%" PRIu32 ":%" PRIu32,
            writer->first_strand[task] + thread + 1, task + 1, thread + 1);
}

static void put_state(vef_paraver_writing *writer, const vef_paraver_moment *moment,
                      uint64_t from_ns, uint64_t to_ns, int state) {
    if (to_ns <= from_ns)
        return;
    fprintf(writer->out, "1:");
    put_place(writer, moment->task, moment->thread);
    fprintf(writer->out, ":%" PRIu64 ":%" PRIu64 ":%d\n", from_ns, to_ns, state);
    writer->lines++;
}

/* The beginning of a line of events. */
static void begin_events(vef_paraver_writing *writer, const vef_paraver_moment *moment,
                         uint64_t time_ns) {
    fprintf(writer->out, "2:");
    put_place(writer, moment->task, moment->thread);
    fprintf(writer->out, ":%" PRIu64, time_ns);
    writer->lines++;
}

void vef_paraver_put_before(vef_paraver_writing *writer, const vef_paraver_moment *moment,
                            uint64_t before_ns) {
    const uint64_t outside_ns = moment->enter_ns > before_ns ? moment->event->outside_ns : 0;
    put_state(writer, moment, before_ns, moment->enter_ns - outside_ns, RUNNING);
    put_state(writer, moment, moment->enter_ns - outside_ns, moment->enter_ns, OTHERS);
}

/* ---- messages ---- */

static void put_message(vef_paraver_writing *writer, const vef_paraver_moment *moment,
                        const vef_operation *operation) {
    const vef_paraver_receive *receive =
        vef_paraver_receive_of(writer, moment->task, (uint32_t)operation->peer, operation->ordinal);
    if (!receive) {
        writer->unmatched++;
        return;
    }
    fprintf(writer->out, "3:");
    put_place(writer, moment->task, moment->thread);
    fprintf(writer->out, ":%" PRIu64 ":%" PRIu64 ":", moment->enter_ns, moment->leave_ns);
    put_place(writer, (uint32_t)operation->peer, receive->thread);
    fprintf(writer->out, ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRId32 "\n", receive->begin_ns,
            receive->end_ns, operation->bytes, operation->tag);
    writer->back += receive->end_ns < moment->enter_ns;
    writer->lines++;
}

static void put_messages(vef_paraver_writing *writer, const vef_paraver_moment *moment) {
    const vef_event *event = moment->event;
    for (uint32_t i = 0;
         vef_call_kind(event->call) == VEF_KIND_TRANSFER && i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        const bool none = operation->peer == VEF_NO_TASK ||
                          operation->flags & (VEF_OP_CANCELLED | VEF_OP_GENERALISED);
        if (!(operation->flags & VEF_OP_SEND) || none)
            continue;
        if (operation->flags & VEF_OP_UNMATCHED || operation->ordinal == VEF_NO_ORDINAL)
            writer->unmatched++;
        else
            put_message(writer, moment, operation);
    }
}

/* ---- collectives ---- */

/* The argument that MPI ignores in place, mostly 0. That of an Allgatherv is its part. */
static void hide_in_place(const vef_event *event, vef_exchange_sums *sums) {
    const uint16_t blocking = vef_call_base(event->call);
    if (blocking == VEF_CALL_Scatter || blocking == VEF_CALL_Scatterv)
        sums->received = 0;
    else if (blocking != VEF_CALL_Allgatherv && !vef_call_has(event->call, VEF_FACT_REDUCES))
        sums->sent = 0;
}

static void put_collective(vef_paraver_writing *writer, const vef_paraver_moment *moment) {
    const vef_event *event = moment->event;
    const vef_comm_state *state = vef_replay_comms_get(&writer->comms, event->comm);
    const vef_communicator *comm = state->communicator;
    const uint32_t rank = vef_comm_rank(state, moment->task);
    /* A reader would match one that some members lack with another of theirs. */
    if (comm->remote_size > 0 || rank == VEF_NO_RANK || vef_event_is_making(event) ||
        event->flags & VEF_EVENT_UNMATCHED) {
        writer->between += comm->remote_size > 0;
        return;
    }
    const bool root = event->root == (int32_t)rank;
    vef_exchange_sums sums = vef_exchange_arguments(event, comm->size, root);
    if (event->flags & VEF_EVENT_IN_PLACE && (root || event->root < 0))
        hide_in_place(event, &sums);
    fprintf(writer->out, ":%d:%" PRIu64 ":%d:%" PRIu64, VEF_PARAVER_SENT, sums.sent,
            VEF_PARAVER_RECEIVED, sums.received);
    if (root)
        fprintf(writer->out, ":%d:1", VEF_PARAVER_ROOT);
    fprintf(writer->out, ":%d:%" PRIu32, VEF_PARAVER_COMM, event->comm + 1);
}

/* ---- calls ---- */

static void put_region(vef_paraver_writing *writer, const vef_paraver_moment *moment) {
    const bool mark = moment->event->call == VEF_CALL_Mark;
    const uint64_t number = 1 + vef_names_add(mark ? &writer->marks : &writer->regions, 0,
                                              moment->event->name ? moment->event->name : "");
    begin_events(writer, moment, moment->enter_ns);
    fprintf(writer->out, ":%d:%" PRIu64 "\n", mark ? VEF_PARAVER_MARK : VEF_PARAVER_FUNCTION,
            moment->event->call == VEF_CALL_Region_end ? 0 : number);
}

void vef_paraver_put_begin(vef_paraver_writing *writer, const vef_paraver_moment *moment) {
    const vef_event *event = moment->event;
    uint32_t type, value;
    if (vef_call_kind(event->call) == VEF_KIND_REGION) {
        put_region(writer, moment);
        return;
    }
    put_state(writer, moment, moment->enter_ns, moment->leave_ns, state_of(event));
    vef_paraver_value(event->call, &type, &value);
    begin_events(writer, moment, moment->enter_ns);
    fprintf(writer->out, ":%" PRIu32 ":%" PRIu32, type, value);
    if (vef_call_kind(event->call) == VEF_KIND_COLLECTIVE)
        put_collective(writer, moment);
    fputc('\n', writer->out);
    put_messages(writer, moment);
    writer->one_sided += vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    writer->polls += event->flags & VEF_EVENT_POLL ? event->repeats : 0;
}

void vef_paraver_put_end(vef_paraver_writing *writer, const vef_paraver_moment *moment) {
    uint32_t type, value;
    if (vef_call_kind(moment->event->call) == VEF_KIND_REGION)
        return;
    vef_paraver_value(moment->event->call, &type, &value);
    begin_events(writer, moment, moment->leave_ns);
    fprintf(writer->out, ":%" PRIu32 ":0\n", type);
}
