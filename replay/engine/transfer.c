/* One message of the replay: eager, by rendezvous, or between tasks of one node.
 *
 * Eager: the data are sent at once; the send is complete at once; the receive when it is posted and
 * the data have arrived. Rendezvous: a request is sent; when it has arrived and the receive is
 * posted, a reply is sent back; when that has arrived the data are sent; both sides are complete
 * when the data are delivered. The network interface handles requests and replies: they cost no
 * processor time. Between tasks of one node nothing enters the network (hosts.c).
 *
 * Between parts of a replay each side has a record of its own, and learns from letters what the
 * other did: the sender's ends with an eager send, or with the confirmation of the delivery. */
#include "replay/engine/transfer.h"

#include "replay/engine/complete.h"
#include "replay/engine/hosts.h"
#include "replay/engine/letters.h"

#include <assert.h>

/* ---- cost: the processor time of messages, by the section `host` (replay/host/host.h) ---- */

void vef_charges_prepare(vef_engine *engine) {
    const vef_host *host = &engine->options->host;
    engine->charges_sends = !vef_cost_is_zero(&host->send_overhead) ||
                            !vef_cost_is_zero(&host->isend_overhead) ||
                            host->send_copy_ns_per_byte > 0;
    engine->charges_receives = !vef_cost_is_zero(&host->receive_overhead) ||
                               host->receive_copy_ns_per_byte > 0 || host->match_ns > 0;
    engine->charges_copies = !vef_cost_is_zero(&host->local_copy);
    engine->settles = engine->charges_receives || engine->options->eager_buffer_bytes;
}

uint64_t vef_charge_send_ps(const vef_engine *engine, uint64_t bytes, bool blocking, bool eager) {
    const vef_host *host = &engine->options->host;
    const vef_cost *cost =
        blocking || host->isend_overhead.count == 0 ? &host->send_overhead : &host->isend_overhead;
    const double copy_ns = eager ? host->send_copy_ns_per_byte * (double)bytes : 0;
    return vef_ps_of(vef_cost_ns(cost, bytes) + copy_ns);
}

uint64_t vef_charge_operation_ps(const vef_engine *engine, uint32_t task, uint16_t call,
                                 const vef_operation *operation) {
    const vef_cost *cost = vef_call_kind(call) == VEF_KIND_ONE_SIDED && operation->peer >= 0 &&
                                   (uint32_t)operation->peer < engine->source->tasks &&
                                   vef_hosts_share(engine, task, (uint32_t)operation->peer)
                               ? vef_host_one_sided(&engine->options->host, call)
                               : NULL;
    if (cost)
        return vef_ps_of(vef_cost_ns(cost, operation->bytes));
    return engine->charges_sends
               ? vef_charge_send_ps(
                     engine, operation->bytes, operation->request == VEF_NO_REQUEST,
                     vef_transfer_is_eager(engine, operation->bytes, operation->flags))
               : 0;
}

uint64_t vef_charge_receive_ps(const vef_engine *engine, uint32_t record, bool unexpected) {
    const vef_transfer *transfer = &engine->matches.records[record];
    const vef_host *host = &engine->options->host;
    double ns = vef_cost_ns(&host->receive_overhead, transfer->bytes);
    if (unexpected && !(transfer->flags & VEF_TRANSFER_RENDEZVOUS))
        ns += host->receive_copy_ns_per_byte * (double)transfer->bytes;
    if (engine->search.ends)
        ns += host->match_ns * (double)engine->search.links[record].passed;
    return vef_ps_of(ns);
}

/* ---- messages ---- */

/* The message is for a task of another part. The sender's part learns of the delivery of its data
 * too. */
static void write_letter(const vef_engine *engine, const vef_transfer *transfer, uint32_t task,
                         unsigned part, vef_net_message *message) {
    message->confirmed = part == VEF_MESSAGE_DATA && transfer->flags & VEF_TRANSFER_RENDEZVOUS;
    const uint64_t letter = vef_letter_write(engine->letters, engine->part, engine->part_of[task],
                                             transfer, message->confirmed);
    message->id = vef_message_id(letter, part);
}

static inline vef_code inject(vef_engine *engine, uint32_t record, unsigned part) {
    const vef_transfer *transfer = &engine->matches.records[record];
    uint32_t from = engine->mapping[transfer->key.sender];
    uint32_t to = engine->mapping[transfer->key.receiver];
    vef_net_message message = {.source = part == VEF_MESSAGE_CLEARANCE ? to : from,
                               .destination = part == VEF_MESSAGE_CLEARANCE ? from : to,
                               .bytes = part == VEF_MESSAGE_DATA ? transfer->bytes
                                                                 : engine->options->control_bytes,
                               .id = vef_message_id(record, part)};
    const uint32_t task =
        part == VEF_MESSAGE_CLEARANCE ? transfer->key.sender : transfer->key.receiver;
    if (vef_engine_away(engine, task))
        write_letter(engine, transfer, task, part, &message);
    return vef_engine_inject(engine, &message,
                             part == VEF_MESSAGE_DATA
                                 ? (vef_carried){transfer->key.sender, transfer->key.receiver}
                                 : VEF_CARRIES_NOTHING);
}

/* When both sides were ready. */
static uint64_t ready_since(const vef_transfer *transfer) {
    return transfer->sent_ps > transfer->posted_ps ? transfer->sent_ps : transfer->posted_ps;
}

/* Who sends or posts: the strand or plan that goes on, or in a job of a processor, the first
 * strand of the task. */
static uint32_t acting(const vef_engine *engine, uint32_t task) {
    return engine->running != UINT32_MAX ? engine->running : engine->tasks[task].first_strand;
}

static vef_message_call call_of(const vef_engine *engine, uint32_t record, bool send) {
    const vef_transfer *transfer = &engine->matches.records[record];
    const vef_transfer_key *key = &transfer->key;
    return (vef_message_call){
        .id = vef_message_id(record, VEF_MESSAGE_DATA),
        .who = acting(engine, send ? key->sender : key->receiver),
        .sender = key->sender,
        .receiver = key->receiver,
        .bytes = transfer->bytes,
        .time_ps = send ? transfer->sent_ps : transfer->posted_ps,
        .first = !(transfer->flags & (send ? VEF_TRANSFER_POSTED : VEF_TRANSFER_SENT)),
        .collective = key->comm != VEF_NO_COMM,
        .rendezvous = transfer->flags & VEF_TRANSFER_RENDEZVOUS};
}

/* Something of the message, which is probed, has arrived at the receiver: probes that wait for it
 * continue. */
static void notify_probes(vef_engine *engine, uint32_t record) {
    vef_transfer *transfer = &engine->matches.records[record];
    transfer->flags &= (uint16_t)~VEF_TRANSFER_PROBED;
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_MESSAGE,
               vef_message_id(record, VEF_MESSAGE_DATA));
    const vef_task *receiver = &engine->tasks[transfer->key.receiver];
    for (uint32_t i = 0; i < receiver->strand_count; i++) {
        vef_strand *strand = &engine->strands[receiver->first_strand + i];
        if (strand->probed != record)
            continue;
        strand->probed = VEF_NO_TRANSFER;
        vef_strand_needs_less(engine, receiver->first_strand + i, transfer->sent_ps, 0);
    }
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_LOCAL, 0);
}

/* Drops the messages that no future call of a thread of the task can have seen. */
static void forget_taken(vef_engine *engine, vef_task *task) {
    uint64_t reached = UINT64_MAX;
    for (uint32_t i = 0; i < task->strand_count; i++) {
        const vef_strand *strand = &engine->strands[task->first_strand + i];
        if (strand->stage == VEF_STAGE_ENDED)
            continue;
        const uint64_t entered = strand->event ? strand->event->entered : 0;
        if (entered < reached)
            reached = entered;
    }
    for (; task->taken_count && task->taken[task->taken_first].until < reached;
         task->taken_count--) {
        vef_matches_free(&engine->matches, task->taken[task->taken_first].record);
        task->taken_first = (task->taken_first + 1) & (task->taken_capacity - 1);
    }
}

/* Keeps a message that one of several threads has received: a probe of another that overlapped the
 * receive in the recorded run may have seen it, and may come later here. The call that posted the
 * receive is the current one of its thread, or an earlier one. */
static void keep_taken(vef_engine *engine, uint32_t record) {
    vef_task *task = &engine->tasks[engine->matches.records[record].key.receiver];
    forget_taken(engine, task);
    if (task->taken_count == task->taken_capacity) {
        const uint32_t capacity = task->taken_capacity ? 2 * task->taken_capacity : 16;
        vef_taken *grown = vef_store_take(engine->store, capacity, sizeof *grown);
        for (uint32_t i = 0; i < task->taken_count; i++)
            grown[i] = task->taken[(task->taken_first + i) & (task->taken_capacity - 1)];
        vef_store_put(engine->store, task->taken, task->taken_capacity, sizeof *grown);
        task->taken = grown;
        task->taken_first = 0;
        task->taken_capacity = capacity;
    }
    uint64_t until = 0;
    for (uint32_t i = 0; i < task->strand_count; i++) {
        const vef_event *event = engine->strands[task->first_strand + i].event;
        if (event && event->left > until)
            until = event->left;
    }
    task->taken[(task->taken_first + task->taken_count++) & (task->taken_capacity - 1)] =
        (vef_taken){until, record};
    engine->matches.records[record].flags |= VEF_TRANSFER_TAKEN | VEF_TRANSFER_ARRIVED;
}

/* The message leaves the buffer of its receiver. Returns the processor time of a receive that was
 * posted before. */
static uint64_t settle(vef_engine *engine, uint32_t record) {
    const vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_HELD)
        engine->held_bytes[transfer->key.receiver] -= transfer->bytes;
    return transfer->receive_token != VEF_TOKEN_NONE ? vef_charge_receive_ps(engine, record, false)
                                                     : 0;
}

/* The data have arrived at a posted receive: both sides are complete, the record is finished. Sides
 * whose token is VEF_TOKEN_NONE are not notified. If tasks run ahead, the time of the running one
 * may be before that of the other side, which is not set back. */
__attribute__((always_inline)) static inline void finish(vef_engine *engine, uint32_t record) {
    const vef_transfer *transfer = &engine->matches.records[record];
    const uint32_t sender = transfer->key.sender, receiver = transfer->key.receiver;
    const uint64_t send_token = transfer->send_token, receive_token = transfer->receive_token;
    const uint64_t since = ready_since(transfer), now_ps = engine->now_ps;
    const uint64_t cost_ps = engine->settles ? settle(engine, record) : 0;
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_MESSAGE,
               vef_message_id(record, VEF_MESSAGE_DATA));
    if (engine->policy.matched)
        engine->policy.matched(engine, record);
    if (engine->lefts && transfer->key.comm == VEF_NO_COMM &&
        engine->tasks[receiver].strand_count > 1)
        keep_taken(engine, record);
    else
        vef_matches_free(&engine->matches, record);
    if (send_token != VEF_TOKEN_NONE)
        vef_task_complete(engine, sender, send_token, since, 0);
    if (engine->handled_ps > now_ps)
        engine->now_ps = engine->handled_ps;
    if (receive_token != VEF_TOKEN_NONE)
        vef_task_complete(engine, receiver, receive_token, since, cost_ps);
    engine->now_ps = now_ps;
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_LOCAL, 0);
}

static void count_send(vef_engine *engine, const vef_transfer *transfer) {
    vef_replay_result *result = engine->result;
    vef_task_result *sender = &result->task[transfer->key.sender];
    sender->messages_sent++;
    sender->bytes_sent += transfer->bytes;
    result->messages++;
    result->message_bytes += transfer->bytes;
    if (transfer->flags & VEF_TRANSFER_LOCAL)
        result->local_messages++;
    VEF_REPORT(engine->listeners, moves, transfer->key.sender, transfer->key.receiver,
               transfer->bytes);
}

/* Whether the message takes no time: between tasks of one node, or if tasks run ahead. */
static inline bool is_instant(const vef_engine *engine, const vef_transfer *transfer) {
    return engine->policy.ahead || (transfer->flags & VEF_TRANSFER_LOCAL && !engine->hosts.memory);
}

/* An eager message takes its place in the buffer of its receiver; false if that has no room. The
 * sender knows at once of room that becomes free. Messages that never wait for a receive need none.
 */
static bool take_room(vef_engine *engine, vef_transfer *transfer, uint64_t bytes,
                      uint16_t operation_flags) {
    if (operation_flags & (VEF_OP_BUFFERED | VEF_OP_READY | VEF_OP_UNMATCHED))
        return true;
    uint64_t *held = &engine->held_bytes[transfer->key.receiver];
    if (bytes > engine->options->eager_buffer_bytes ||
        *held > engine->options->eager_buffer_bytes - bytes) {
        engine->result->refused_messages++;
        return false;
    }
    *held += bytes;
    transfer->flags |= VEF_TRANSFER_HELD;
    return true;
}

/* The message, or its request, is at its receiver: it, or its receive, is searched for. */
static void search_arrival(vef_engine *engine, uint32_t record) {
    const vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_LOOSE)
        return;
    if (transfer->flags & VEF_TRANSFER_POSTED)
        vef_search_hit(&engine->search, VEF_POSTED, transfer->key.receiver, record);
    else
        vef_search_miss(&engine->search, VEF_UNEXPECTED, transfer->key.receiver, record);
}

/* The same for a receive that is posted. */
static void search_posted(vef_engine *engine, uint32_t record) {
    const vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & (VEF_TRANSFER_ARRIVED | VEF_TRANSFER_REQUESTED))
        vef_search_hit(&engine->search, VEF_UNEXPECTED, transfer->key.receiver, record);
    else
        vef_search_miss(&engine->search, VEF_POSTED, transfer->key.receiver, record);
}

/* Counts an instant message that is not local in the figures of the network. */
static inline void pass(const vef_engine *engine, const vef_transfer *transfer, uint64_t bytes) {
    if (!(transfer->flags & VEF_TRANSFER_LOCAL))
        engine->network->kind->pass(engine->network, bytes);
}

/* The instant message is sent and its receive posted. */
static void finish_instant(vef_engine *engine, uint32_t record) {
    const vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_RENDEZVOUS) {
        pass(engine, transfer, engine->options->control_bytes); /* the clearance */
        pass(engine, transfer, transfer->bytes);
    }
    finish(engine, record);
}

static void send_instantly(vef_engine *engine, uint32_t record, uint64_t token,
                           uint64_t *complete_ps) {
    vef_transfer *transfer = &engine->matches.records[record];
    const bool eager = !(transfer->flags & VEF_TRANSFER_RENDEZVOUS);
    if (engine->search.ends)
        search_arrival(engine, record);
    pass(engine, transfer, eager ? transfer->bytes : engine->options->control_bytes);
    transfer->flags |= eager ? VEF_TRANSFER_ARRIVED : VEF_TRANSFER_REQUESTED;
    if (transfer->flags & VEF_TRANSFER_PROBED)
        notify_probes(engine, record);
    if (eager)
        *complete_ps = engine->now_ps;
    else if (transfer->flags & VEF_TRANSFER_POSTED)
        *complete_ps = ready_since(transfer);
    else
        transfer->send_token = token;
    if (transfer->flags & VEF_TRANSFER_POSTED)
        finish_instant(engine, record);
    else if (transfer->flags & VEF_TRANSFER_LOOSE)
        vef_matches_free(&engine->matches, record);
}

vef_code vef_transfer_send(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                           uint16_t operation_flags, uint64_t token, uint64_t *complete_ps) {
    uint32_t record = key->ordinal == VEF_NO_ORDINAL ? vef_matches_loose(&engine->matches, key)
                                                     : vef_matches_get(&engine->matches, key);
    vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_SENT)
        return vef_task_fail(engine, key->sender, VEF_CORRUPT,
                             "message %llu to task %u is sent twice",
                             (unsigned long long)key->ordinal, key->receiver);
    const bool eager =
        key->ordinal == VEF_NO_ORDINAL ||
        (vef_transfer_is_eager(engine, bytes, operation_flags) &&
         (!engine->held_bytes || take_room(engine, transfer, bytes, operation_flags)));
    const bool local = vef_transfer_is_local(engine, key->sender, key->receiver);
    transfer->flags |= (uint16_t)(VEF_TRANSFER_SENT | (local ? VEF_TRANSFER_LOCAL : 0) |
                                  (eager ? 0 : VEF_TRANSFER_RENDEZVOUS));
    transfer->bytes = bytes;
    transfer->sent_ps = engine->now_ps;
    count_send(engine, transfer);
    if (engine->listeners) {
        const vef_message_call call = call_of(engine, record, true);
        VEF_REPORT(engine->listeners, sends, &call);
    }
    *complete_ps = VEF_FOREVER;
    if (is_instant(engine, transfer)) {
        send_instantly(engine, record, token, complete_ps);
        return VEF_OK;
    }
    if (eager)
        *complete_ps = engine->now_ps;
    else
        transfer->send_token = token;
    if (!engine->policy.departs) {
        const vef_code code =
            inject(engine, record, eager ? VEF_MESSAGE_DATA : VEF_MESSAGE_REQUEST);
        if (eager && vef_engine_away(engine, key->receiver))
            vef_matches_free(&engine->matches, record);
        return code;
    }
    engine->policy.departs(engine, record);
    return inject(engine, record, VEF_MESSAGE_DATA);
}

vef_code vef_transfer_receive(vef_engine *engine, const vef_transfer_key *key, uint64_t token,
                              uint64_t *complete_ps, uint64_t *cost_ps) {
    uint32_t record = vef_matches_get(&engine->matches, key);
    *cost_ps = 0;
    vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_POSTED)
        return vef_task_fail(engine, key->receiver, VEF_CORRUPT,
                             "message %llu of task %u is received twice",
                             (unsigned long long)key->ordinal, key->sender);
    transfer->flags |= VEF_TRANSFER_POSTED;
    transfer->posted_ps = engine->now_ps;
    if (engine->listeners) {
        const vef_message_call call = call_of(engine, record, false);
        VEF_REPORT(engine->listeners, posts, &call);
    }
    const bool instant = transfer->flags & VEF_TRANSFER_REQUESTED && is_instant(engine, transfer);
    if (engine->search.ends)
        search_posted(engine, record);
    *complete_ps = VEF_FOREVER;
    if (transfer->flags & VEF_TRANSFER_ARRIVED || instant) {
        *complete_ps = ready_since(transfer);
        if (engine->charges_receives)
            *cost_ps = vef_charge_receive_ps(engine, record, true);
        if (instant)
            finish_instant(engine, record);
        else
            finish(engine, record);
        return VEF_OK;
    }
    transfer->receive_token = token;
    return transfer->flags & VEF_TRANSFER_REQUESTED ? inject(engine, record, VEF_MESSAGE_CLEARANCE)
                                                    : VEF_OK;
}

void vef_transfer_probe(vef_engine *engine, const vef_transfer_key *key, uint32_t strand,
                        uint64_t *arrived_ps) {
    uint32_t record = vef_matches_get(&engine->matches, key);
    vef_transfer *transfer = &engine->matches.records[record];
    *arrived_ps = transfer->sent_ps;
    if (!(transfer->flags & (VEF_TRANSFER_ARRIVED | VEF_TRANSFER_REQUESTED))) {
        *arrived_ps = VEF_FOREVER;
        transfer->flags |= VEF_TRANSFER_PROBED;
        engine->strands[strand].probed = record;
    }
}

void vef_transfer_arrive(vef_engine *engine, const vef_transfer_key *key, uint32_t sender,
                         uint64_t bytes, uint64_t sent_ps) {
    uint32_t record = vef_matches_get(&engine->matches, key);
    vef_transfer *transfer = &engine->matches.records[record];
    transfer->flags |= VEF_TRANSFER_SENT | VEF_TRANSFER_ARRIVED;
    transfer->bytes = bytes;
    transfer->sent_ps = sent_ps;
    if (engine->listeners) {
        vef_message_call call = call_of(engine, record, true);
        call.sender = sender;
        call.who = engine->tasks[sender].first_strand;
        VEF_REPORT(engine->listeners, reaches, &call, engine->now_ps);
    }
    if (engine->search.ends)
        search_arrival(engine, record);
    if (transfer->flags & VEF_TRANSFER_POSTED)
        finish(engine, record);
}

/* The data, or the request, of a message have arrived. */
static vef_code arrive(vef_engine *engine, uint32_t record, unsigned part) {
    vef_transfer *transfer = &engine->matches.records[record];
    if (transfer->flags & VEF_TRANSFER_LOOSE) {
        vef_matches_free(&engine->matches, record);
        return VEF_OK;
    }
    if (engine->search.ends && !(transfer->flags & VEF_TRANSFER_REQUESTED))
        search_arrival(engine, record);
    transfer->flags |= part == VEF_MESSAGE_REQUEST ? VEF_TRANSFER_REQUESTED : VEF_TRANSFER_ARRIVED;
    if (transfer->flags & VEF_TRANSFER_PROBED)
        notify_probes(engine, record);
    if (!(transfer->flags & VEF_TRANSFER_POSTED))
        return VEF_OK;
    if (part == VEF_MESSAGE_REQUEST)
        return inject(engine, record, VEF_MESSAGE_CLEARANCE);
    finish(engine, record);
    return VEF_OK;
}

vef_code vef_transfer_handled(vef_engine *engine, uint32_t record) {
    return arrive(engine, record, VEF_MESSAGE_DATA);
}

vef_code vef_transfer_delivered(vef_engine *engine, uint32_t record, unsigned part) {
    assert(record < engine->matches.count);
    assert(engine->matches.records[record].flags & VEF_TRANSFER_USED);
    engine->in_flight--;
    if (part == VEF_MESSAGE_CLEARANCE)
        return inject(engine, record, VEF_MESSAGE_DATA);
    if (!engine->policy.arrives)
        return arrive(engine, record, part);
    engine->policy.arrives(engine, record);
    return VEF_OK;
}

/* The data of a rendezvous have been delivered in another part. */
static void end_send(vef_engine *engine, const vef_transfer_key *key) {
    const uint32_t record = vef_matches_get(&engine->matches, key);
    const vef_transfer transfer = engine->matches.records[record];
    vef_matches_free(&engine->matches, record);
    if (transfer.send_token != VEF_TOKEN_NONE)
        vef_task_complete(engine, key->sender, transfer.send_token, ready_since(&transfer), 0);
}

vef_code vef_transfer_by_letter(vef_engine *engine, uint64_t number, unsigned part,
                                bool confirmation) {
    const vef_letter letter = vef_letter_read(&engine->letters[vef_letter_part(number)], number);
    if (confirmation) {
        end_send(engine, &letter.key);
        return VEF_OK;
    }
    engine->in_flight--;
    if (letter.flags & VEF_TRANSFER_LOOSE)
        return VEF_OK;
    const uint32_t record = vef_matches_get(&engine->matches, &letter.key);
    vef_transfer *transfer = &engine->matches.records[record];
    if (part == VEF_MESSAGE_CLEARANCE) {
        transfer->posted_ps = letter.posted_ps;
        return inject(engine, record, VEF_MESSAGE_DATA);
    }
    const bool first = part == VEF_MESSAGE_REQUEST || !(letter.flags & VEF_TRANSFER_RENDEZVOUS);
    if (first && transfer->flags & VEF_TRANSFER_SENT)
        return vef_task_fail(engine, letter.key.receiver, VEF_CORRUPT,
                             "message %llu of task %u is sent twice",
                             (unsigned long long)letter.key.ordinal, letter.key.sender);
    transfer->flags |= letter.flags & (VEF_TRANSFER_SENT | VEF_TRANSFER_RENDEZVOUS);
    transfer->bytes = letter.bytes;
    transfer->sent_ps = letter.sent_ps;
    return arrive(engine, record, part);
}
