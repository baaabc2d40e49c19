/* Processors and network interfaces of hosts, for networks that publish the costs of hosts
 * (vef_netmodel.loggops: model loggp).
 *
 * Without such costs a thread's computation and overheads only delay the thread itself. With them
 * every computation, send and arrival is a job that needs a processor, and a message also a side of
 * a network interface. A job starts when both are free. Jobs that could start at the same time
 * start in the order in which they became ready. With s the size of a message in bytes:
 *
 *   job      processor is busy for       interface is busy for
 *   compute  the time computed
 *   send     o + (s - 1) O               g + (s - 1) G, its sending side
 *   post                                                       (a receive; it starts at once)
 *   arrival  o + max((s-1) O, (s-1) G)   g + (s - 1) G, its receiving side
 *
 * An arrival needs the processor whether or not its receive is posted, and is matched when it
 * starts; the receiving call continues when the processor is free again. A rendezvous sends its
 * data at once; its send is complete when the message is matched.
 *
 * The rules are those of LogGOPSim (Hoefler, Schneider and Lumsdaine, HPDC 2010). Jobs that become
 * ready in one task by the same event are ordered as there: sends, receives, computation; within
 * each, in tasks of several threads, by request number or by the number in the mark `calc N`.
 *
 * A task has a processor for each of its threads, except that threads whose first call is a mark
 * `cpu N` or `cpu N nic M` share processor N and interface M (docs/interchange.md). Messages arrive
 * at the processor and the interface with the numbers of the sender's. */
#include "replay/engine/processors.h"

#include "replay/engine/collective.h"
#include "replay/engine/complete.h"
#include "replay/engine/strand.h"
#include "replay/engine/transfer.h"

#include <stdlib.h>
#include <string.h>

/* ---- jobs that become ready ---- */

static void add_job(vef_processors *processors, const vef_host_job *added, uint32_t *index) {
    *index = processors->free_job;
    if (*index != VEF_NO_JOB) {
        processors->free_job = processors->jobs[*index].next_free;
    } else {
        vef_store_grow(processors->store, &processors->jobs, &processors->job_room,
                       processors->job_count + 1, sizeof *processors->jobs);
        *index = (uint32_t)processors->job_count++;
    }
    processors->jobs[*index] = *added;
}

static void enqueue(vef_processors *processors, uint64_t time_ps, uint64_t order, uint32_t index) {
    processors->jobs[index].order = order;
    vef_pending_insert(&processors->queue, time_ps, order, index);
}

static void add_fresh(vef_engine *engine, const vef_host_job *added) {
    vef_processors *processors = engine->processors;
    size_t *count = &processors->fresh[added->kind].count;
    vef_store_grow(processors->store, &processors->fresh[added->kind].jobs,
                   &processors->fresh[added->kind].room, *count + 1,
                   sizeof *processors->fresh->jobs);
    add_job(processors, added, &processors->fresh[added->kind].jobs[*count]);
    ++*count;
}

/* By number, stable: the list is short, or nearly sorted. */
static void sort_fresh(const vef_processors *processors, uint32_t *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = list[i];
        const uint64_t number = processors->jobs[moved].message.number;
        size_t place = i;
        for (; place > 0 && processors->jobs[list[place - 1]].message.number > number; place--)
            list[place] = list[place - 1];
        list[place] = moved;
    }
}

/* Adds a job to the list of its processor: almost always at its end. */
static void wait_in_list(vef_processors *processors, uint32_t index) {
    vef_host_job *added = &processors->jobs[index];
    vef_processor *processor = &processors->processors[added->processor];
    const bool last = processor->first_waiting == VEF_NO_JOB ||
                      processors->jobs[processor->last_waiting].order < added->order;
    uint32_t *link = &processor->first_waiting;
    added->waiting = true;
    if (last && *link != VEF_NO_JOB)
        link = &processors->jobs[processor->last_waiting].next_waiting;
    else if (!last)
        while (processors->jobs[*link].order < added->order)
            link = &processors->jobs[*link].next_waiting;
    added->next_waiting = last ? VEF_NO_JOB : *link;
    *link = index;
    if (last)
        processor->last_waiting = index;
}

/* Adds ready jobs to the queue. Of those that follow one another there only the first is in the
 * heap: receives of one time, since no other job can come between them, and jobs that need a
 * processor which is busy, since they wait in its list. */
static void queue_fresh(vef_engine *engine, uint32_t *list, size_t count) {
    vef_processors *processors = engine->processors;
    uint32_t before = VEF_NO_JOB;
    uint64_t before_ps = 0;
    sort_fresh(processors, list, count);
    for (size_t i = 0; i < count; i++) {
        vef_host_job *ready = &processors->jobs[list[i]];
        const vef_processor *processor = &processors->processors[ready->processor];
        const uint64_t time_ps =
            ready->ready_ps > processor->free_ps ? ready->ready_ps : processor->free_ps;
        ready->order = processors->order++;
        ready->next_waiting = VEF_NO_JOB;
        if (ready->kind == VEF_JOB_POST && before != VEF_NO_JOB && before_ps == time_ps) {
            processors->jobs[before].next_waiting = list[i];
        } else if (ready->kind != VEF_JOB_POST && time_ps == processor->free_ps &&
                   time_ps > engine->now_ps) {
            wait_in_list(processors, list[i]);
            if (processor->first_waiting != list[i])
                continue;
            enqueue(processors, time_ps, ready->order, list[i]);
        } else {
            enqueue(processors, time_ps, ready->order, list[i]);
        }
        before = list[i];
        before_ps = time_ps;
    }
}

static void turn(vef_engine *engine, uint32_t task) {
    vef_processors *processors = engine->processors;
    if (task == processors->turn)
        return;
    processors->turn = task;
    for (unsigned kind = 0; kind < VEF_JOB_ARRIVAL; kind++) {
        queue_fresh(engine, processors->fresh[kind].jobs, processors->fresh[kind].count);
        processors->fresh[kind].count = 0;
    }
    engine->job_ps = vef_pending_time(&processors->queue);
}

static vef_host_job job_of(const vef_engine *engine, vef_host_job_kind kind, uint32_t strand) {
    const vef_worker *worker = &engine->processors->workers[strand];
    return (vef_host_job){.kind = (uint8_t)kind,
                          .processor = worker->processor,
                          .interface = worker->interface,
                          .who = strand,
                          .ready_ps = engine->now_ps};
}

/* Whether the event's gap is a job even if it takes no time. */
static bool is_calc(const vef_event *event) {
    return event->call == VEF_CALL_Mark && event->name && strncmp(event->name, "calc", 4) == 0;
}

/* Whether the event starts messages, or waits, without computation before it: the strand need not
 * wait for the start of its earlier messages. */
static bool goes_beside(const vef_event *event) {
    if (event->gap_ns || event->outside_ns)
        return false;
    if (vef_call_kind(event->call) == VEF_KIND_COMPLETE)
        return true;
    if (vef_call_kind(event->call) != VEF_KIND_TRANSFER)
        return false;
    for (uint32_t i = 0; i < event->operation_count; i++)
        if (event->operations[i].request == VEF_NO_REQUEST ||
            event->operations[i].flags & VEF_OP_GENERALISED)
            return false;
    return true;
}

static void approach(vef_engine *engine, uint32_t strand, bool *pause) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    vef_worker *worker = &engine->processors->workers[strand];
    if (worker->starting > 0 && !goes_beside(event)) {
        state->stage = VEF_STAGE_STARTING;
        *pause = true;
        return;
    }
    if (vef_call_kind(event->call) == VEF_KIND_COMPLETE) {
        worker->starting = 0;
        worker->waits++;
    }
    state->stage = VEF_STAGE_ENTER;
    if (!event->gap_ns && !event->outside_ns && !state->after_poll && !is_calc(event))
        return;
    vef_host_job compute = job_of(engine, VEF_JOB_COMPUTE, strand);
    if (is_calc(event))
        compute.message.number = strtoull(event->name + 4, NULL, 10);
    *pause = true;
    state->stage = VEF_STAGE_COMPUTE;
    add_fresh(engine, &compute);
}

static void queue_message(vef_engine *engine, uint32_t strand, const vef_queued_message *message) {
    vef_host_job made = job_of(engine, message->send ? VEF_JOB_SEND : VEF_JOB_POST, strand);
    made.message = *message;
    made.local =
        message->send && vef_transfer_is_local(engine, message->key.sender, message->key.receiver);
    made.waits = engine->processors->workers[strand].waits;
    engine->processors->workers[strand].starting += message->beside;
    add_fresh(engine, &made);
}

static void queue_step(vef_engine *engine, uint32_t who, bool send, bool local, uint64_t amount) {
    const uint32_t strand = who < engine->strand_count ? who : vef_run_at(engine, who)->strand;
    vef_host_job made = job_of(engine, send ? VEF_JOB_SEND : VEF_JOB_COMPUTE, strand);
    made.of_plan = true;
    made.who = who;
    made.amount = amount;
    made.local = local;
    add_fresh(engine, &made);
}

/* ---- messages ---- */

static void departs(vef_engine *engine, uint32_t record) {
    vef_processors *processors = engine->processors;
    vef_store_grow(processors->store, &processors->departures, &processors->departure_room,
                   record + 1ull, sizeof *processors->departures);
    const vef_host_job *from = &processors->jobs[processors->started];
    processors->departures[record] =
        (vef_departure){processors->order++, from->processor, from->interface};
}

static void arrives(vef_engine *engine, uint32_t record) {
    vef_processors *processors = engine->processors;
    const vef_departure *left = &processors->departures[record];
    const uint32_t receiver = engine->matches.records[record].key.receiver;
    const uint32_t cpu = processors->processors[left->processor].number;
    vef_host_job made = {.kind = VEF_JOB_ARRIVAL, .record = record};
    uint32_t index;
    vef_processors_find(processors, receiver, cpu < VEF_OWN_PROCESSOR ? cpu : 0, &made.processor);
    vef_interfaces_find(processors, receiver, processors->interfaces[left->interface].number,
                        &made.interface);
    add_job(processors, &made, &index);
    enqueue(processors, engine->now_ps, left->order, index);
    engine->job_ps = vef_pending_time(&processors->queue);
}

static void matched(vef_engine *engine, uint32_t record) {
    vef_processors *processors = engine->processors;
    if (!(engine->matches.records[record].flags & VEF_TRANSFER_RENDEZVOUS) ||
        engine->matches.records[record].flags & VEF_TRANSFER_LOCAL)
        return;
    const vef_departure *left = &processors->departures[record];
    vef_processor *sender = &processors->processors[left->processor];
    vef_interface *sending = &processors->interfaces[left->interface];
    if (sender->free_ps < engine->now_ps)
        sender->free_ps = engine->now_ps;
    if (sending->send_ps < engine->now_ps)
        sending->send_ps = engine->now_ps;
}

/* ---- jobs that start ---- */

/* (s - 1) times the cost of a byte; a message of no bytes costs what one of a byte costs. */
static uint64_t per_byte(uint64_t bytes, uint64_t byte_ps) {
    uint64_t ps;
    if (bytes <= 1)
        return 0;
    if (__builtin_mul_overflow(bytes - 1, byte_ps, &ps) || ps > VEF_MOST_PS / 2)
        return VEF_MOST_PS / 2;
    return ps;
}

/* The processor is busy with a message from now on. */
static void charge(vef_engine *engine, vef_processor *busy, uint64_t ps) {
    busy->free_ps = engine->now_ps + ps;
    busy->overhead_ps += ps;
    busy->overhead_end = busy->free_ps;
}

/* The strand computes the gap of its event. */
static vef_code start_compute(vef_engine *engine, const vef_host_job *job) {
    vef_strand *strand = &engine->strands[job->who];
    vef_strand_account(engine, job->who, engine->now_ps);
    vef_code code = vef_strand_pass_gap(engine, job->who);
    engine->processors->processors[job->processor].free_ps = strand->cpu_ps;
    strand->stage = VEF_STAGE_ENTER;
    vef_strand_wake(engine, job->who);
    return code;
}

/* A job of an earlier call of the strand has started. */
static void note_start(vef_engine *engine, const vef_host_job *job, uint64_t until_ps) {
    vef_worker *worker = &engine->processors->workers[job->who];
    if (!job->message.beside || job->waits != worker->waits || --worker->starting > 0 ||
        engine->strands[job->who].stage != VEF_STAGE_STARTING)
        return;
    engine->now_ps = until_ps;
    vef_strand_account(engine, job->who, until_ps);
    vef_strand_wake(engine, job->who);
}

static vef_code start_send(vef_engine *engine, const vef_host_job *job) {
    const vef_net_loggops *loggops = engine->loggops;
    const uint64_t bytes = job->of_plan ? job->amount : job->message.bytes;
    const uint64_t start_ps = engine->now_ps;
    vef_processor *busy = &engine->processors->processors[job->processor];
    charge(engine, busy, loggops->overhead_ps + per_byte(bytes, loggops->overhead_per_byte_ps));
    const uint64_t free_ps = busy->free_ps;
    if (!job->local)
        engine->processors->interfaces[job->interface].send_ps =
            start_ps + loggops->gap_ps + per_byte(bytes, loggops->gap_per_byte_ps);
    if (job->of_plan)
        return vef_plan_start_step(engine, job->who, free_ps);
    const vef_queued_message *message = &job->message;
    uint64_t complete_ps = VEF_FOREVER;
    vef_code code = vef_transfer_send(engine, &message->key, message->bytes,
                                      message->operation_flags, message->token, &complete_ps);
    engine->now_ps = free_ps;
    if (code == VEF_OK && complete_ps != VEF_FOREVER && message->token != VEF_TOKEN_NONE)
        vef_task_complete(engine, message->key.sender, message->token, free_ps, 0);
    note_start(engine, job, free_ps);
    return code;
}

static vef_code start_post(vef_engine *engine, const vef_host_job *job) {
    const vef_queued_message *message = &job->message;
    const uint64_t start_ps = engine->now_ps;
    uint64_t complete_ps = VEF_FOREVER, cost_ps;
    vef_code code =
        vef_transfer_receive(engine, &message->key, message->token, &complete_ps, &cost_ps);
    if (code == VEF_OK && complete_ps != VEF_FOREVER && message->token != VEF_TOKEN_NONE)
        vef_task_complete(engine, message->key.receiver, message->token, start_ps, 0);
    note_start(engine, job, start_ps);
    return code;
}

static vef_code start_arrival(vef_engine *engine, const vef_host_job *job) {
    const vef_net_loggops *loggops = engine->loggops;
    const uint64_t bytes = engine->matches.records[job->record].bytes;
    const uint64_t wire = per_byte(bytes, loggops->gap_per_byte_ps);
    const uint64_t copy = per_byte(bytes, loggops->overhead_per_byte_ps);
    vef_processor *busy = &engine->processors->processors[job->processor];
    charge(engine, busy, loggops->overhead_ps + (wire > copy ? wire : copy));
    engine->processors->interfaces[job->interface].receive_ps =
        engine->now_ps + loggops->gap_ps + wire;
    engine->handled_ps = busy->free_ps;
    vef_code code = vef_transfer_handled(engine, job->record);
    engine->handled_ps = 0;
    return code;
}

static vef_code start_reduce(vef_engine *engine, const vef_host_job *job) {
    vef_processor *busy = &engine->processors->processors[job->processor];
    charge(engine, busy, job->amount);
    return vef_plan_start_step(engine, job->who, busy->free_ps);
}

/* When what the job needs is free. */
static uint64_t possible_ps(const vef_engine *engine, const vef_host_job *job) {
    const vef_processors *processors = engine->processors;
    const uint64_t free_ps = processors->processors[job->processor].free_ps;
    const vef_interface *interface = &processors->interfaces[job->interface];
    if (job->kind == VEF_JOB_POST)
        return 0;
    if (job->kind == VEF_JOB_COMPUTE || job->local)
        return free_ps;
    const uint64_t side = job->kind == VEF_JOB_SEND ? interface->send_ps : interface->receive_ps;
    return side > free_ps ? side : free_ps;
}

/* Takes the job, if it is the first of its processor's list, out of that. */
static void leave_list(vef_processors *processors, uint32_t index) {
    vef_host_job *first = &processors->jobs[index];
    if (first->waiting)
        processors->processors[first->processor].first_waiting = first->next_waiting;
    first->waiting = false;
}

/* The first job of the list is tried when the processor is free. */
static void try_next(vef_engine *engine, uint32_t owner) {
    vef_processors *processors = engine->processors;
    const uint32_t next = processors->processors[owner].first_waiting;
    const uint64_t free_ps = processors->processors[owner].free_ps;
    if (next != VEF_NO_JOB)
        enqueue(processors, free_ps > engine->now_ps ? free_ps : engine->now_ps,
                processors->jobs[next].order, next);
}

/* The first of the queue, which is possible only later, is tried again then. Jobs that wait for a
 * processor wait in its list, of which only the first is in the queue: else all would be tried each
 * time that the processor becomes free. */
static void postpone(vef_engine *engine, uint32_t job, uint64_t possible_ps) {
    vef_processors *processors = engine->processors;
    const uint64_t order = processors->jobs[job].order;
    const uint32_t owner = processors->jobs[job].processor;
    const bool was_waiting = processors->jobs[job].waiting;
    if (processors->processors[owner].free_ps <= engine->now_ps) {
        leave_list(processors, job);
        vef_pending_replace(&processors->queue, possible_ps, order, job);
        if (was_waiting)
            try_next(engine, owner);
        return;
    }
    if (!was_waiting)
        wait_in_list(processors, job);
    if (processors->processors[owner].first_waiting == job)
        vef_pending_replace(&processors->queue, processors->processors[owner].free_ps, order, job);
    else
        vef_pending_take(&processors->queue);
}

static vef_code start_job(vef_engine *engine, const vef_host_job *started) {
    switch ((vef_host_job_kind)started->kind) {
    case VEF_JOB_SEND:
        return start_send(engine, started);
    case VEF_JOB_POST:
        return start_post(engine, started);
    case VEF_JOB_ARRIVAL:
        return start_arrival(engine, started);
    case VEF_JOB_COMPUTE:
        break;
    }
    return started->of_plan ? start_reduce(engine, started) : start_compute(engine, started);
}

/* Starts or postpones the first job. */
static vef_code try_first(vef_engine *engine) {
    vef_processors *processors = engine->processors;
    const vef_pending_item *first = processors->queue.items;
    const uint32_t job = (uint32_t)first->value;
    const vef_host_job *tried = &processors->jobs[job];
    if (tried->order != first->order ||
        (tried->waiting && processors->processors[tried->processor].first_waiting != job)) {
        vef_pending_take(&processors->queue); /* it has started, or is not the first now */
        return VEF_OK;
    }
    const uint64_t possible = possible_ps(engine, tried);
    if (possible > engine->now_ps) {
        postpone(engine, job, possible);
        return VEF_OK;
    }
    if (tried->kind == VEF_JOB_POST && tried->next_waiting != VEF_NO_JOB) {
        const uint32_t next = tried->next_waiting;
        vef_pending_replace(&processors->queue, first->time, processors->jobs[next].order, next);
    } else {
        vef_pending_take(&processors->queue);
    }
    const bool was_waiting = tried->waiting;
    leave_list(processors, job);
    processors->started = job;
    const vef_host_job started = *tried; /* which may move */
    const uint64_t now_ps = engine->now_ps;
    vef_code code = start_job(engine, &started);
    engine->now_ps = now_ps;
    processors->jobs[job].next_free = processors->free_job;
    processors->jobs[job].order = UINT64_MAX;
    processors->free_job = job;
    processors->started = VEF_NO_JOB;
    if (code == VEF_OK && was_waiting)
        try_next(engine, started.processor);
    return code;
}

/* ---- the policy ---- */

static vef_code run_first(vef_engine *engine) {
    if (engine->job_ps > engine->now_ps)
        return VEF_OK;
    vef_code code = try_first(engine);
    engine->job_ps = vef_pending_time(&engine->processors->queue);
    return code;
}

static uint64_t wakeup_ps(const vef_engine *engine, uint64_t cpu_ps) {
    (void)cpu_ps;
    return engine->event_ps;
}

static void resume(vef_engine *engine, uint64_t cpu_ps) {
    if (cpu_ps > engine->now_ps)
        engine->now_ps = cpu_ps;
}

static void suspend(vef_engine *engine) {
    engine->now_ps = engine->event_ps;
}

const vef_time_policy vef_policy_processors = {
    .loops = true,
    .wakeup_ps = wakeup_ps,
    .resume = resume,
    .suspend = suspend,
    .look_ahead = vef_look_ahead,
    .turn = turn,
    .run = run_first,
    .approach = approach,
    .queue = queue_message,
    .queue_step = queue_step,
    .departs = departs,
    .arrives = arrives,
    .matched = matched,
    .overhead = vef_processor_overhead,
    .several = vef_processors_several,
    .busy_until = vef_processors_end,
};
