/* MPI_Bcast by one broadcast message in the network. See docs/semantics.md.
 *
 * The root's data are sent at once, whatever their size, without a request; data for a task that
 * has not entered the collective yet wait there. Between tasks of one endpoint nothing enters the
 * network and nothing takes time, as for other messages; if all members are at the root's endpoint
 * nothing is sent. */
#include "replay/engine/transfer.h"

#include "common/containers/order.h"

#include <assert.h>
#include <stdlib.h>

VEF_ORDER_BY(by_place, vef_task_place, endpoint, task)

static void list_places(vef_engine *engine) {
    const uint32_t tasks = engine->source->tasks;
    vef_task_place *places = vef_store_take(engine->store, tasks, sizeof *places);
    for (uint32_t task = 0; task < tasks; task++)
        places[task] = (vef_task_place){engine->mapping[task], task};
    qsort(places, tasks, sizeof *places, by_place);
    engine->broadcasts.places = places;
}

/* The first index at or after an endpoint. */
static uint32_t first_place(const vef_engine *engine, uint32_t endpoint) {
    uint32_t low = 0, high = engine->source->tasks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (engine->broadcasts.places[middle].endpoint < endpoint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The data have arrived at a task, which accepts them if it is another member of the communicator.
 */
static void arrive(vef_engine *engine, const vef_broadcast_record *message, uint32_t task) {
    const vef_comm_state *comm = &engine->comms.states[message->comm];
    if (task == message->sender || vef_comm_rank(comm, task) == VEF_NO_RANK)
        return;
    const vef_transfer_key key = {.ordinal = message->number,
                                  .sender = message->sender,
                                  .receiver = task,
                                  .comm = message->comm,
                                  .nth = message->nth};
    vef_transfer_arrive(engine, &key, message->bytes, message->sent_ps);
}

static void arrive_at(vef_engine *engine, const vef_broadcast_record *message, uint32_t endpoint) {
    const vef_task_place *places = engine->broadcasts.places;
    for (uint32_t i = first_place(engine, endpoint);
         i < engine->source->tasks && places[i].endpoint == endpoint; i++)
        arrive(engine, message, places[i].task);
}

/* All tasks at other endpoints than the sender's. */
static void arrive_everywhere(vef_engine *engine, const vef_broadcast_record *message) {
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        if (engine->mapping[task] != engine->mapping[message->sender])
            arrive(engine, message, task);
}

static bool has_members_elsewhere(const vef_engine *engine, const vef_broadcast_record *message) {
    const vef_comm_state *comm = &engine->comms.states[message->comm];
    const uint32_t here = engine->mapping[message->sender];
    for (uint32_t rank = 0; rank < comm->size; rank++)
        if (engine->mapping[vef_comm_member(comm, rank)] != here)
            return true;
    return false;
}

/* Reports the start of a broadcast to the listeners, once for each receiver. */
static void report(const vef_engine *engine, uint32_t who, const vef_broadcast_record *message) {
    const vef_comm_state *comm = &engine->comms.states[message->comm];
    vef_message_call call = {.who = who,
                             .sender = message->sender,
                             .bytes = message->bytes,
                             .time_ps = message->sent_ps,
                             .collective = true};
    for (uint32_t rank = 0; engine->listeners && rank < comm->size; rank++) {
        call.receiver = vef_comm_member(comm, rank);
        if (call.receiver != call.sender)
            VEF_REPORT(engine->listeners, broadcasts, &call);
    }
}

vef_code vef_broadcast_send(vef_engine *engine, uint32_t who, uint64_t bytes) {
    const vef_plan_run *run = vef_run_at(engine, who);
    const uint32_t task = run->task;
    vef_broadcasts *broadcasts = &engine->broadcasts;
    if (!broadcasts->places)
        list_places(engine);
    const vef_broadcast_record message = {.number = run->number,
                                          .bytes = bytes,
                                          .sent_ps = engine->now_ps,
                                          .sender = task,
                                          .comm = run->comm,
                                          .left = engine->network->endpoints - 1};
    vef_task_result *sender = &engine->result->task[task];
    sender->messages_sent++;
    sender->bytes_sent += bytes;
    engine->result->messages++;
    engine->result->message_bytes += bytes;
    report(engine, who, &message);
    vef_code code = VEF_OK;
    if (has_members_elsewhere(engine, &message)) {
        const uint32_t number = vef_broadcasts_take(broadcasts, engine->store);
        broadcasts->records[number] = message;
        vef_net_message injected = {.source = engine->mapping[task],
                                    .destination = VEF_TO_ALL,
                                    .bytes = bytes,
                                    .id = vef_message_id(number, VEF_MESSAGE_BROADCAST)};
        code = vef_engine_inject(engine, &injected, VEF_CARRIES_NOTHING);
    } else {
        engine->result->local_messages++;
    }
    if (code == VEF_OK)
        arrive_at(engine, &message, engine->mapping[task]);
    return code;
}

void vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint) {
    vef_broadcasts *broadcasts = &engine->broadcasts;
    assert(number < broadcasts->count);
    vef_broadcast_record *record = &broadcasts->records[number];
    const vef_broadcast_record message = *record;
    record->left = endpoint == VEF_TO_ALL ? 0 : record->left - 1;
    if (record->left == 0) {
        vef_broadcasts_free(broadcasts, number);
        engine->in_flight--;
    }
    if (endpoint == VEF_TO_ALL)
        arrive_everywhere(engine, &message);
    else
        arrive_at(engine, &message, endpoint);
}
