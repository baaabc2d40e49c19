/* Collectives by messages that the network copies or combines. See docs/semantics.md.
 *
 * The root's data are sent at once, whatever their size, without a request; data for a task that
 * has not entered the collective yet wait there. Between tasks of one endpoint nothing enters the
 * network and nothing takes time, as for other messages; if all members are at the root's endpoint
 * nothing is sent.
 *
 * In a reduction an endpoint contributes when all members there have. The group of a communicator
 * has slots in the network for some packets at a time: reductions begin in order as they fit, and
 * when one is complete all endpoints know that at once. */
#include "replay/engine/transfer.h"

#include "common/containers/order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
    const bool reduced = message->missing_at != NULL;
    if (vef_comm_rank(comm, task) == VEF_NO_RANK || (!reduced && task == message->sender) ||
        (reduced && message->receiver != VEF_NO_RANK && message->receiver != task))
        return;
    const vef_transfer_key key = {.ordinal = message->number,
                                  .sender = reduced ? task : message->sender,
                                  .receiver = task,
                                  .comm = message->comm,
                                  .nth = message->nth};
    vef_transfer_arrive(engine, &key, message->sender, message->bytes, message->sent_ps);
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

/* ---- groups ---- */

/* The endpoints of the members, and how many members are at each. */
static void list_endpoints(const vef_engine *engine, const vef_comm_state *comm,
                           vef_comm_group *group) {
    const uint32_t tasks = engine->source->tasks;
    group->endpoints = vef_store_take(engine->store, comm->size, sizeof *group->endpoints);
    group->tasks = vef_store_take(engine->store, comm->size, sizeof *group->tasks);
    for (uint32_t i = 0; i < tasks; i++) {
        const vef_task_place place = engine->broadcasts.places[i];
        if (vef_comm_rank(comm, place.task) == VEF_NO_RANK)
            continue;
        if (group->count == 0 || group->endpoints[group->count - 1] != place.endpoint) {
            group->endpoints[group->count] = place.endpoint;
            group->tasks[group->count++] = 0;
        }
        group->tasks[group->count - 1]++;
    }
}

/* The group of a communicator, which the network has unless it has none, or no slots left. */
static vef_comm_group *group_of(vef_engine *engine, uint32_t comm) {
    vef_broadcasts *broadcasts = &engine->broadcasts;
    vef_netmodel *network = engine->network;
    vef_store_grow(engine->store, &broadcasts->groups, &broadcasts->group_room, comm + (size_t)1,
                   sizeof *broadcasts->groups);
    vef_comm_group *group = &broadcasts->groups[comm];
    if (group->known)
        return group;
    if (!broadcasts->places)
        list_places(engine);
    list_endpoints(engine, &engine->comms.states[comm], group);
    group->known = true;
    group->first = group->last = VEF_NO_RECORD;
    const bool reduces = vef_choices_needs(&engine->options->choices) & VEF_NEEDS_REDUCTION;
    vef_error unheard;
    const uint64_t payload = network->payload_bytes;
    if (reduces &&
        (group->count == 1 || vef_netmodel_add_group(network, group->endpoints, group->count, true,
                                                     &group->number, &unheard) == VEF_OK))
        group->reduction_bytes = (network->reduction_packets + 3) / 4 * payload;
    else if (group->count == 1 || vef_netmodel_add_group(network, group->endpoints, group->count,
                                                         false, &group->number, &unheard) != VEF_OK)
        group->number = 0;
    return group;
}

void vef_broadcast_describe(vef_engine *engine, uint32_t comm, vef_collective *call) {
    if (call->remote_size != 0)
        return;
    call->hardware_broadcast = vef_choices_needs(&engine->options->choices) & VEF_NEEDS_HARDWARE;
    call->reduction_bytes = group_of(engine, comm)->reduction_bytes;
}

/* ---- broadcasts ---- */

vef_code vef_broadcast_send(vef_engine *engine, uint32_t who, uint64_t bytes) {
    const vef_plan_run *run = vef_run_at(engine, who);
    const uint32_t task = run->task;
    vef_broadcasts *broadcasts = &engine->broadcasts;
    const vef_comm_group *group = group_of(engine, run->comm);
    const vef_broadcast_record message = {.number = run->number,
                                          .bytes = bytes,
                                          .sent_ps = engine->now_ps,
                                          .sender = task,
                                          .comm = run->comm,
                                          .left = group->number ? group->count - 1
                                                                : engine->network->endpoints - 1};
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
                                    .id = vef_message_id(number, VEF_MESSAGE_BROADCAST),
                                    .group = group->number};
        code = vef_engine_inject(engine, &injected, VEF_CARRIES_NOTHING);
    } else {
        engine->result->local_messages++;
    }
    if (code == VEF_OK)
        arrive_at(engine, &message, engine->mapping[task]);
    return code;
}

/* ---- reductions ---- */

static uint32_t find_endpoint(const vef_comm_group *group, uint32_t endpoint) {
    uint32_t low = 0, high = group->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (group->endpoints[middle] < endpoint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static vef_code contribute(vef_engine *engine, const vef_comm_group *group, uint32_t number,
                           uint32_t place) {
    const vef_broadcast_record *record = &engine->broadcasts.records[number];
    vef_net_message injected = {.source = group->endpoints[place],
                                .destination = record->receiver == VEF_NO_RANK
                                                   ? VEF_TO_ALL
                                                   : engine->mapping[record->receiver],
                                .bytes = record->bytes,
                                .id = vef_message_id(number, VEF_MESSAGE_BROADCAST),
                                .group = group->number,
                                .contribution = true};
    return vef_engine_inject(engine, &injected, VEF_CARRIES_NOTHING);
}

/* Reductions begin, in order, as long as there are slots: what has waited for that is sent. */
static vef_code admit(vef_engine *engine, vef_comm_group *group) {
    const vef_broadcasts *broadcasts = &engine->broadcasts;
    vef_code code = VEF_OK;
    for (uint32_t number = group->first; number != VEF_NO_RECORD && code == VEF_OK;
         number = broadcasts->records[number].next) {
        vef_broadcast_record *record = &broadcasts->records[number];
        if (record->admitted)
            continue;
        if (group->open_packets + record->packets > engine->network->reduction_packets)
            break;
        record->admitted = true;
        group->open_packets += record->packets;
        for (uint32_t place = 0; place < group->count && code == VEF_OK; place++)
            if (record->missing_at[place] == 0)
                code = contribute(engine, group, number, place);
    }
    return code;
}

/* The record of a reduction, which its first contribution makes. */
static uint32_t reduction_of(vef_engine *engine, vef_comm_group *group, const vef_plan_run *run,
                             const vef_step *step) {
    vef_broadcasts *broadcasts = &engine->broadcasts;
    const vef_comm_state *comm = &engine->comms.states[run->comm];
    for (uint32_t i = group->first; i != VEF_NO_RECORD; i = broadcasts->records[i].next)
        if (broadcasts->records[i].number == run->number && broadcasts->records[i].nth == step->nth)
            return i;
    const bool for_all = step->peer == VEF_EVERY_RANK;
    const vef_packets sizes = vef_netmodel_packets(engine->network);
    const uint32_t number = vef_broadcasts_take(broadcasts, engine->store);
    vef_broadcast_record *record = &broadcasts->records[number];
    *record = (vef_broadcast_record){
        .number = run->number,
        .bytes = step->bytes,
        .comm = run->comm,
        .nth = step->nth,
        .left = for_all ? group->count : 1,
        .receiver = for_all ? VEF_NO_RANK : vef_comm_member(comm, step->peer),
        .missing = comm->size,
        .missing_at = vef_store_take(engine->store, group->count, sizeof *record->missing_at),
        .next = VEF_NO_RECORD,
        .packets = (uint32_t)vef_packets_of(&sizes, step->bytes)};
    memcpy(record->missing_at, group->tasks, group->count * sizeof *record->missing_at);
    if (group->first == VEF_NO_RECORD)
        group->first = number;
    else
        broadcasts->records[group->last].next = number;
    group->last = number;
    return number;
}

/* The result has reached all who receive it. */
static vef_code end_reduction(vef_engine *engine, vef_comm_group *group, uint32_t number) {
    vef_broadcasts *broadcasts = &engine->broadcasts;
    uint32_t before = VEF_NO_RECORD, at = group->first;
    for (; at != number; at = broadcasts->records[at].next)
        before = at;
    const vef_broadcast_record *record = &broadcasts->records[number];
    *(before == VEF_NO_RECORD ? &group->first : &broadcasts->records[before].next) = record->next;
    if (group->last == number)
        group->last = before;
    group->open_packets -= record->packets;
    if (group->number)
        engine->in_flight -= group->count;
    vef_store_put(engine->store, record->missing_at, group->count, sizeof *record->missing_at);
    vef_broadcasts_free(broadcasts, number);
    return admit(engine, group);
}

vef_code vef_broadcast_combine(vef_engine *engine, uint32_t who, const vef_step *step) {
    const vef_plan_run *run = vef_run_at(engine, who);
    vef_comm_group *group = group_of(engine, run->comm);
    const uint32_t endpoint = engine->mapping[run->task], place = find_endpoint(group, endpoint);
    const uint32_t number = reduction_of(engine, group, run, step);
    vef_broadcast_record *record = &engine->broadcasts.records[number];
    vef_task_result *sender = &engine->result->task[run->task];
    sender->messages_sent++;
    sender->bytes_sent += step->bytes;
    engine->result->messages++;
    engine->result->message_bytes += step->bytes;
    engine->result->local_messages += group->number == 0;
    record->sender = run->task;
    record->sent_ps = engine->now_ps;
    if (--record->missing == 0)
        report(engine, who, record);
    vef_code code = VEF_OK;
    if (--record->missing_at[place] == 0 && record->admitted && group->number)
        code = contribute(engine, group, number, place);
    if (code == VEF_OK && !record->admitted)
        code = admit(engine, group);
    if (group->number || record->missing > 0 || code != VEF_OK)
        return code;
    arrive_at(engine, record, endpoint);
    return end_reduction(engine, group, number);
}

/* ---- deliveries ---- */

vef_code vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint) {
    vef_broadcasts *broadcasts = &engine->broadcasts;
    assert(number < broadcasts->count);
    vef_broadcast_record *record = &broadcasts->records[number];
    const vef_broadcast_record message = *record;
    record->left = endpoint == VEF_TO_ALL ? 0 : record->left - 1;
    if (message.missing_at) {
        arrive_at(engine, &message, endpoint);
        return record->left == 0 ? end_reduction(engine, &broadcasts->groups[message.comm], number)
                                 : VEF_OK;
    }
    if (record->left == 0) {
        vef_broadcasts_free(broadcasts, number);
        engine->in_flight--;
    }
    if (endpoint == VEF_TO_ALL)
        arrive_everywhere(engine, &message);
    else
        arrive_at(engine, &message, endpoint);
    return VEF_OK;
}
