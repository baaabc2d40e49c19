/* Processors and network interfaces of hosts, for networks that publish the costs of hosts
 * (vef_netmodel.hosts: model loggp).
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
#include "replay/engine.h"

#include "common/grow.h"
#include "common/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which jobs of one event become ready. */
typedef enum job_kind { JOB_SEND, JOB_POST, JOB_COMPUTE, JOB_ARRIVAL } job_kind;

enum { NONE = UINT32_MAX, OWN = 1 << 16 /* and above: numbers of processors of single threads */ };

/* Processors and interfaces of a task are lists that begin with number 0, whose index is the number
 * of the task. */
typedef struct processor {
    uint64_t free_cycles;
    uint64_t overhead_cycles; /* of all jobs that have started */
    uint64_t overhead_end;    /* of the last such job */
    uint32_t number, next;
    uint32_t first_waiting, last_waiting; /* jobs that have found it busy, by order; or NONE */
} processor;

typedef struct interface {
    uint64_t send_cycles, receive_cycles; /* when each side is free */
    uint32_t number, next;
} interface;

/* A strand; background plans use those of the strands that started them. */
typedef struct worker {
    uint32_t processor, interface;
    uint32_t starting; /* jobs since its last wait that have not started */
    uint32_t waits;    /* how many there were */
    bool bound;
    uint64_t seen_cycles; /* of its processor's overhead: is accounted for */
} worker;

typedef struct job {
    vef_processor_message message; /* SEND, POST */
    uint64_t ready_cycles;
    uint64_t amount; /* plan steps: bytes or cycles */
    uint32_t processor, interface;
    uint32_t waits;  /* of its worker when it was made */
    uint32_t who;    /* the strand or the plan */
    uint32_t record; /* ARRIVAL: the message */
    uint32_t next_free;
    uint8_t kind;
    bool of_plan;
    bool local;            /* SEND: to a task of the same endpoint */
    bool waiting;          /* in the list of its processor, */
    uint32_t next_waiting; /* which continues there; or the next POST of the same time */
    uint64_t order;        /* in the queue; UINT64_MAX: not a job at present */
} job;

typedef struct queued {
    uint64_t time_cycles, order;
    uint32_t job;
} queued;

static bool before(const queued *a, const queued *b) {
    if (a->time_cycles != b->time_cycles)
        return a->time_cycles < b->time_cycles;
    return a->order < b->order;
}
VEF_HEAP(queued, before);

/* Of a message under way, by the number of its record. */
typedef struct departure {
    uint64_t order;
    uint32_t processor, interface; /* of the sender */
} departure;

typedef struct vef_processors {
    processor *processors;
    interface *interfaces;
    size_t processor_count, processor_room, interface_count, interface_room;
    worker *workers;
    job *jobs;
    size_t job_count, job_room;
    uint32_t free_job;
    queued *heap;
    size_t heap_count, heap_room;
    uint64_t order; /* of the next job */
    /* Jobs that became ready by the current event, of task `turn`, by kind. */
    struct {
        uint32_t *jobs;
        size_t count, room;
    } fresh[JOB_ARRIVAL];
    uint32_t turn;
    departure *departures;
    size_t departure_room;
    uint32_t started; /* the job that is starting */
} vef_processors;

/* ---- construction ---- */

static vef_code no_memory(const vef_engine *engine) {
    return vef_fail_memory(engine->error, "the processors of a replay",
                           engine->strand_count * (unsigned long long)sizeof(worker));
}

static bool add_processor(vef_processors *self, uint32_t number, uint32_t *link, uint32_t *index) {
    const uint32_t next = (uint32_t)self->processor_count;
    const size_t offset = link ? (size_t)((char *)link - (char *)self->processors) : 0;
    if (!vef_grow(&self->processors, &self->processor_room, self->processor_count + 1,
                  sizeof *self->processors))
        return false;
    if (link)
        memcpy((char *)self->processors + offset, &next, sizeof next);
    self->processors[self->processor_count++] =
        (processor){.number = number, .next = NONE, .first_waiting = NONE};
    *index = next;
    return true;
}

/* The task's processor of that number, made if absent. */
static bool find_processor(vef_processors *self, uint32_t task, uint32_t number, uint32_t *index) {
    for (*index = task; self->processors[*index].number != number;
         *index = self->processors[*index].next)
        if (self->processors[*index].next == NONE)
            return add_processor(self, number, &self->processors[*index].next, index);
    return true;
}

static bool find_interface(vef_processors *self, uint32_t task, uint32_t number, uint32_t *index) {
    for (*index = task; self->interfaces[*index].number != number;
         *index = self->interfaces[*index].next) {
        if (self->interfaces[*index].next != NONE)
            continue;
        if (!vef_grow(&self->interfaces, &self->interface_room, self->interface_count + 1,
                      sizeof *self->interfaces))
            return false;
        self->interfaces[*index].next = (uint32_t)self->interface_count;
        self->interfaces[self->interface_count++] = (interface){.number = number, .next = NONE};
    }
    return true;
}

static bool fill(vef_engine *engine, vef_processors *self) {
    const uint32_t tasks = engine->source->tasks;
    uint32_t index;
    if (!vef_grow(&self->processors, &self->processor_room, tasks + 1ull,
                  sizeof *self->processors) ||
        !vef_grow(&self->interfaces, &self->interface_room, tasks + 1ull, sizeof *self->interfaces))
        return false;
    for (uint32_t task = 0; task < tasks; task++) {
        self->processors[self->processor_count++] =
            (processor){.next = NONE, .first_waiting = NONE};
        self->interfaces[self->interface_count++] = (interface){.next = NONE};
    }
    for (uint32_t i = 0; i < engine->strand_count; i++) {
        const vef_strand *strand = &engine->strands[i];
        index = strand->task;
        if (strand->thread > 0 && !find_processor(self, strand->task, OWN + strand->thread, &index))
            return false;
        self->workers[i] = (worker){.processor = index, .interface = strand->task};
    }
    return true;
}

vef_code vef_processors_prepare(vef_engine *engine) {
    vef_processors *self = calloc(1, sizeof *self);
    if (!self)
        return no_memory(engine);
    engine->processors = self;
    self->free_job = self->turn = self->started = NONE;
    self->workers = calloc(engine->strand_count ? engine->strand_count : 1, sizeof *self->workers);
    return self->workers && fill(engine, self) ? VEF_OK : no_memory(engine);
}

void vef_processors_release(vef_engine *engine) {
    vef_processors *self = engine->processors;
    if (!self)
        return;
    free(self->processors);
    free(self->interfaces);
    free(self->workers);
    free(self->jobs);
    free(self->heap);
    for (unsigned kind = 0; kind < JOB_ARRIVAL; kind++)
        free(self->fresh[kind].jobs);
    free(self->departures);
    free(self);
}

vef_code vef_processor_bind(vef_engine *engine, uint32_t strand) {
    const vef_strand *self = &engine->strands[strand];
    unsigned cpu, nic = 0;
    if (self->event->call != VEF_CALL_Mark || !self->event->name ||
        self->event_number != (self->thread == 0) ||
        sscanf(self->event->name, "cpu %u nic %u", &cpu, &nic) < 1 || cpu >= OWN || nic >= OWN)
        return VEF_OK;
    if (!engine->processors) {
        vef_code code = vef_processors_prepare(engine);
        if (code != VEF_OK)
            return code;
    }
    worker *bound = &engine->processors->workers[strand];
    bound->bound = true;
    return find_processor(engine->processors, self->task, cpu, &bound->processor) &&
                   find_interface(engine->processors, self->task, nic, &bound->interface)
               ? VEF_OK
               : no_memory(engine);
}

void vef_processor_share(vef_engine *engine, uint32_t strand, uint64_t begin_cycles) {
    vef_strand *self = &engine->strands[strand];
    const worker *own = &engine->processors->workers[strand];
    processor *shared = &engine->processors->processors[own->processor];
    if (!own->bound || self->cpu_cycles == begin_cycles)
        return;
    if (shared->free_cycles > begin_cycles) {
        self->times.waiting_cycles += shared->free_cycles - begin_cycles;
        self->cpu_cycles += shared->free_cycles - begin_cycles;
    }
    shared->free_cycles = self->cpu_cycles;
}

/* ---- jobs that become ready ---- */

static bool add_job(vef_processors *self, const job *added, uint32_t *index) {
    *index = self->free_job;
    if (*index != NONE) {
        self->free_job = self->jobs[*index].next_free;
    } else {
        if (!vef_grow(&self->jobs, &self->job_room, self->job_count + 1, sizeof *self->jobs))
            return false;
        *index = (uint32_t)self->job_count++;
    }
    self->jobs[*index] = *added;
    return true;
}

static bool enqueue(vef_processors *self, uint64_t time_cycles, uint64_t order, uint32_t index) {
    self->jobs[index].order = order;
    if (!vef_grow(&self->heap, &self->heap_room, self->heap_count + 1, sizeof *self->heap))
        return false;
    heap_add(self->heap, self->heap_count++, (queued){time_cycles, order, index});
    return true;
}

static vef_code add_fresh(vef_engine *engine, const job *added) {
    vef_processors *self = engine->processors;
    size_t *count = &self->fresh[added->kind].count;
    if (!vef_grow(&self->fresh[added->kind].jobs, &self->fresh[added->kind].room, *count + 1,
                  sizeof *self->fresh->jobs) ||
        !add_job(self, added, &self->fresh[added->kind].jobs[*count]))
        return no_memory(engine);
    ++*count;
    return VEF_OK;
}

/* By number, stable: the list is short, or nearly sorted. */
static void sort_fresh(const vef_processors *self, uint32_t *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = list[i];
        const uint64_t number = self->jobs[moved].message.number;
        size_t at = i;
        for (; at > 0 && self->jobs[list[at - 1]].message.number > number; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* Adds a job to the list of its processor: almost always at its end. */
static void wait_in_list(vef_processors *self, uint32_t index) {
    job *added = &self->jobs[index];
    processor *at = &self->processors[added->processor];
    const bool last =
        at->first_waiting == NONE || self->jobs[at->last_waiting].order < added->order;
    uint32_t *link = &at->first_waiting;
    added->waiting = true;
    if (last && *link != NONE)
        link = &self->jobs[at->last_waiting].next_waiting;
    else if (!last)
        while (self->jobs[*link].order < added->order)
            link = &self->jobs[*link].next_waiting;
    added->next_waiting = last ? NONE : *link;
    *link = index;
    if (last)
        at->last_waiting = index;
}

/* Adds ready jobs to the queue. Of those that follow one another there only the first is in the
 * heap: receives of one time, since no other job can come between them, and jobs that need a
 * processor which is busy, since they wait in its list. */
static vef_code queue_fresh(vef_engine *engine, uint32_t *list, size_t count) {
    vef_processors *self = engine->processors;
    uint32_t before = NONE;
    uint64_t before_cycles = 0;
    sort_fresh(self, list, count);
    for (size_t i = 0; i < count; i++) {
        job *ready = &self->jobs[list[i]];
        const processor *at = &self->processors[ready->processor];
        const uint64_t time_cycles =
            ready->ready_cycles > at->free_cycles ? ready->ready_cycles : at->free_cycles;
        ready->order = self->order++;
        ready->next_waiting = NONE;
        if (ready->kind == JOB_POST && before != NONE && before_cycles == time_cycles) {
            self->jobs[before].next_waiting = list[i];
        } else if (ready->kind != JOB_POST && time_cycles == at->free_cycles &&
                   time_cycles > engine->now_cycles) {
            wait_in_list(self, list[i]);
            if (at->first_waiting != list[i])
                continue;
            if (!enqueue(self, time_cycles, ready->order, list[i]))
                return no_memory(engine);
        } else if (!enqueue(self, time_cycles, ready->order, list[i])) {
            return no_memory(engine);
        }
        before = list[i];
        before_cycles = time_cycles;
    }
    return VEF_OK;
}

vef_code vef_processors_turn(vef_engine *engine, uint32_t task) {
    vef_processors *self = engine->processors;
    vef_code code = VEF_OK;
    if (task == self->turn)
        return VEF_OK;
    self->turn = task;
    for (unsigned kind = 0; kind < JOB_ARRIVAL && code == VEF_OK; kind++) {
        code = queue_fresh(engine, self->fresh[kind].jobs, self->fresh[kind].count);
        self->fresh[kind].count = 0;
    }
    return code;
}

static job job_of(const vef_engine *engine, job_kind kind, uint32_t strand) {
    const worker *own = &engine->processors->workers[strand];
    return (job){.kind = (uint8_t)kind,
                 .processor = own->processor,
                 .interface = own->interface,
                 .who = strand,
                 .ready_cycles = engine->now_cycles};
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

vef_code vef_processor_before(vef_engine *engine, uint32_t strand, bool *pause) {
    vef_strand *self = &engine->strands[strand];
    const vef_event *event = self->event;
    worker *own = &engine->processors->workers[strand];
    if (own->starting > 0 && !goes_beside(event)) {
        self->stage = VEF_STAGE_STARTING;
        *pause = true;
        return VEF_OK;
    }
    if (vef_call_kind(event->call) == VEF_KIND_COMPLETE) {
        own->starting = 0;
        own->waits++;
    }
    self->stage = VEF_STAGE_ENTER;
    if (!event->gap_ns && !event->outside_ns && !is_calc(event))
        return VEF_OK;
    job compute = job_of(engine, JOB_COMPUTE, strand);
    if (is_calc(event))
        compute.message.number = strtoull(event->name + 4, NULL, 10);
    *pause = true;
    self->stage = VEF_STAGE_COMPUTE;
    return add_fresh(engine, &compute);
}

vef_code vef_processor_queue(vef_engine *engine, uint32_t strand,
                             const vef_processor_message *message) {
    job made = job_of(engine, message->send ? JOB_SEND : JOB_POST, strand);
    made.message = *message;
    made.local =
        message->send && vef_transfer_is_local(engine, message->key.sender, message->key.receiver);
    made.waits = engine->processors->workers[strand].waits;
    engine->processors->workers[strand].starting += message->beside;
    return add_fresh(engine, &made);
}

vef_code vef_processor_step(vef_engine *engine, uint32_t who, bool send, bool local,
                            uint64_t amount) {
    const uint32_t strand = who < engine->strand_count ? who : engine->runs[who].strand;
    job made = job_of(engine, send ? JOB_SEND : JOB_COMPUTE, strand);
    made.of_plan = true;
    made.who = who;
    made.amount = amount;
    made.local = local;
    return add_fresh(engine, &made);
}

/* ---- messages ---- */

vef_code vef_processor_departs(vef_engine *engine, uint32_t record) {
    vef_processors *self = engine->processors;
    if (!vef_grow(&self->departures, &self->departure_room, record + 1ull,
                  sizeof *self->departures))
        return no_memory(engine);
    const job *from = &self->jobs[self->started];
    self->departures[record] = (departure){self->order++, from->processor, from->interface};
    return VEF_OK;
}

vef_code vef_processor_arrives(vef_engine *engine, uint32_t record) {
    vef_processors *self = engine->processors;
    const departure *left = &self->departures[record];
    const uint32_t receiver = engine->matches.records[record].key.receiver;
    const uint32_t cpu = self->processors[left->processor].number;
    job made = {.kind = JOB_ARRIVAL, .record = record};
    uint32_t index;
    if (!find_processor(self, receiver, cpu < OWN ? cpu : 0, &made.processor) ||
        !find_interface(self, receiver, self->interfaces[left->interface].number,
                        &made.interface) ||
        !add_job(self, &made, &index) || !enqueue(self, engine->now_cycles, left->order, index))
        return no_memory(engine);
    return VEF_OK;
}

void vef_processor_matched(vef_engine *engine, uint32_t record) {
    vef_processors *self = engine->processors;
    if (!(engine->matches.records[record].flags & VEF_TRANSFER_RENDEZVOUS) ||
        engine->matches.records[record].flags & VEF_TRANSFER_LOCAL)
        return;
    const departure *left = &self->departures[record];
    processor *sender = &self->processors[left->processor];
    interface *sending = &self->interfaces[left->interface];
    if (sender->free_cycles < engine->now_cycles)
        sender->free_cycles = engine->now_cycles;
    if (sending->send_cycles < engine->now_cycles)
        sending->send_cycles = engine->now_cycles;
}

/* ---- jobs that start ---- */

/* (s - 1) times the cost of a byte, rounded; a message of no bytes costs what one of a byte costs.
 */
static uint64_t per_byte(uint64_t bytes, uint64_t millicycles) {
    if (bytes <= 1 || millicycles == 0)
        return 0;
    const unsigned __int128 product = (unsigned __int128)(bytes - 1) * millicycles + 500;
    const unsigned __int128 cycles = product / 1000;
    return cycles < VEF_CYCLE_CLOCK_MOST / 2 ? (uint64_t)cycles : VEF_CYCLE_CLOCK_MOST / 2;
}

/* The processor is busy with a message from now on. */
static void charge(vef_engine *engine, processor *busy, uint64_t cycles) {
    busy->free_cycles = engine->now_cycles + cycles;
    busy->overhead_cycles += cycles;
    busy->overhead_end = busy->free_cycles;
}

uint64_t vef_processor_overhead(vef_engine *engine, uint32_t strand, uint64_t cycles) {
    worker *own = &engine->processors->workers[strand];
    const processor *at = &engine->processors->processors[own->processor];
    uint64_t until = at->overhead_cycles;
    if (at->overhead_end > engine->now_cycles)
        until -= at->overhead_end - engine->now_cycles;
    const uint64_t overhead = until > own->seen_cycles ? until - own->seen_cycles : 0;
    if (until > own->seen_cycles)
        own->seen_cycles = until;
    return overhead < cycles ? overhead : cycles;
}

/* The strand computes the gap of its event. */
static vef_code start_compute(vef_engine *engine, const job *self) {
    vef_strand *strand = &engine->strands[self->who];
    vef_strand_account(engine, self->who, engine->now_cycles);
    vef_code code = vef_strand_pass_gap(engine, self->who);
    engine->processors->processors[self->processor].free_cycles = strand->cpu_cycles;
    strand->stage = VEF_STAGE_ENTER;
    vef_strand_wake(engine, self->who);
    return code;
}

/* A job of an earlier call of the strand has started. */
static void note_start(vef_engine *engine, const job *self, uint64_t until_cycles) {
    worker *own = &engine->processors->workers[self->who];
    if (!self->message.beside || self->waits != own->waits || --own->starting > 0 ||
        engine->strands[self->who].stage != VEF_STAGE_STARTING)
        return;
    engine->now_cycles = until_cycles;
    vef_strand_account(engine, self->who, until_cycles);
    vef_strand_wake(engine, self->who);
}

static vef_code start_send(vef_engine *engine, const job *self) {
    const vef_net_hosts *hosts = engine->hosts;
    const uint64_t bytes = self->of_plan ? self->amount : self->message.bytes;
    const uint64_t start_cycles = engine->now_cycles;
    processor *busy = &engine->processors->processors[self->processor];
    charge(engine, busy,
           hosts->overhead_cycles + per_byte(bytes, hosts->overhead_per_byte_millicycles));
    const uint64_t free_cycles = busy->free_cycles;
    if (!self->local)
        engine->processors->interfaces[self->interface].send_cycles =
            start_cycles + hosts->gap_cycles + per_byte(bytes, hosts->gap_per_byte_millicycles);
    if (self->of_plan)
        return vef_plan_start_step(engine, self->who, free_cycles);
    const vef_processor_message *message = &self->message;
    uint64_t complete_cycles = VEF_FOREVER;
    vef_code code = vef_transfer_send(engine, &message->key, message->bytes,
                                      message->operation_flags, message->token, &complete_cycles);
    engine->now_cycles = free_cycles;
    if (code == VEF_OK && complete_cycles != VEF_FOREVER && message->token != VEF_TOKEN_NONE)
        code = vef_task_complete(engine, message->key.sender, message->token, free_cycles, false);
    note_start(engine, self, free_cycles);
    return code;
}

static vef_code start_post(vef_engine *engine, const job *self) {
    const vef_processor_message *message = &self->message;
    const uint64_t start_cycles = engine->now_cycles;
    uint64_t complete_cycles = VEF_FOREVER;
    vef_code code = vef_transfer_receive(engine, &message->key, message->token, &complete_cycles);
    if (code == VEF_OK && complete_cycles != VEF_FOREVER && message->token != VEF_TOKEN_NONE)
        code =
            vef_task_complete(engine, message->key.receiver, message->token, start_cycles, false);
    note_start(engine, self, start_cycles);
    return code;
}

static vef_code start_arrival(vef_engine *engine, const job *self) {
    const vef_net_hosts *hosts = engine->hosts;
    const uint64_t bytes = engine->matches.records[self->record].bytes;
    const uint64_t wire = per_byte(bytes, hosts->gap_per_byte_millicycles);
    const uint64_t copy = per_byte(bytes, hosts->overhead_per_byte_millicycles);
    processor *busy = &engine->processors->processors[self->processor];
    charge(engine, busy, hosts->overhead_cycles + (wire > copy ? wire : copy));
    engine->processors->interfaces[self->interface].receive_cycles =
        engine->now_cycles + hosts->gap_cycles + wire;
    engine->handled_cycles = busy->free_cycles;
    vef_code code = vef_transfer_handled(engine, self->record);
    engine->handled_cycles = 0;
    return code;
}

static vef_code start_reduce(vef_engine *engine, const job *self) {
    processor *busy = &engine->processors->processors[self->processor];
    charge(engine, busy, self->amount);
    return vef_plan_start_step(engine, self->who, busy->free_cycles);
}

/* When what the job needs is free. */
static uint64_t possible_cycles(const vef_engine *engine, const job *self) {
    const vef_processors *all = engine->processors;
    const uint64_t free_cycles = all->processors[self->processor].free_cycles;
    const interface *at = &all->interfaces[self->interface];
    if (self->kind == JOB_POST)
        return 0;
    if (self->kind == JOB_COMPUTE || self->local)
        return free_cycles;
    const uint64_t side = self->kind == JOB_SEND ? at->send_cycles : at->receive_cycles;
    return side > free_cycles ? side : free_cycles;
}

uint64_t vef_processors_first(const vef_engine *engine) {
    const vef_processors *self = engine->processors;
    return self->heap_count ? self->heap[0].time_cycles : VEF_NO_WAKEUP;
}

/* Takes the job, if it is the first of its processor's list, out of that. */
static void leave_list(vef_processors *self, uint32_t index) {
    job *first = &self->jobs[index];
    if (first->waiting)
        self->processors[first->processor].first_waiting = first->next_waiting;
    first->waiting = false;
}

/* The first job of the list is tried when the processor is free. */
static vef_code try_next(vef_engine *engine, uint32_t owner) {
    vef_processors *self = engine->processors;
    const uint32_t next = self->processors[owner].first_waiting;
    const uint64_t free_cycles = self->processors[owner].free_cycles;
    if (next == NONE ||
        enqueue(self, free_cycles > engine->now_cycles ? free_cycles : engine->now_cycles,
                self->jobs[next].order, next))
        return VEF_OK;
    return no_memory(engine);
}

/* The first of the queue, which is possible only later, is tried again then. Jobs that wait for a
 * processor wait in its list, of which only the first is in the queue: else all would be tried each
 * time that the processor becomes free. */
static vef_code postpone(vef_engine *engine, queued first, uint64_t possible_cycles) {
    vef_processors *self = engine->processors;
    const uint32_t owner = self->jobs[first.job].processor;
    const bool was_waiting = self->jobs[first.job].waiting;
    first.time_cycles = possible_cycles;
    if (self->processors[owner].free_cycles <= engine->now_cycles) {
        leave_list(self, first.job);
        heap_replace(self->heap, self->heap_count, first);
        return was_waiting ? try_next(engine, owner) : VEF_OK;
    }
    if (!was_waiting)
        wait_in_list(self, first.job);
    first.time_cycles = self->processors[owner].free_cycles;
    if (self->processors[owner].first_waiting == first.job)
        heap_replace(self->heap, self->heap_count, first);
    else
        heap_take(self->heap, self->heap_count--);
    return VEF_OK;
}

static vef_code start_job(vef_engine *engine, const job *started) {
    switch ((job_kind)started->kind) {
    case JOB_SEND:
        return start_send(engine, started);
    case JOB_POST:
        return start_post(engine, started);
    case JOB_ARRIVAL:
        return start_arrival(engine, started);
    case JOB_COMPUTE:
        break;
    }
    return started->of_plan ? start_reduce(engine, started) : start_compute(engine, started);
}

vef_code vef_processors_run(vef_engine *engine) {
    vef_processors *self = engine->processors;
    if (self->heap_count == 0 || self->heap[0].time_cycles > engine->now_cycles)
        return VEF_OK;
    const queued first = self->heap[0];
    const job *tried = &self->jobs[first.job];
    if (tried->order != first.order ||
        (tried->waiting && self->processors[tried->processor].first_waiting != first.job)) {
        heap_take(self->heap, self->heap_count--); /* it has started, or is not the first now */
        return VEF_OK;
    }
    const uint64_t possible = possible_cycles(engine, tried);
    if (possible > engine->now_cycles)
        return postpone(engine, first, possible);
    if (tried->kind == JOB_POST && tried->next_waiting != NONE) {
        const uint32_t next = tried->next_waiting;
        heap_replace(self->heap, self->heap_count,
                     (queued){first.time_cycles, self->jobs[next].order, next});
    } else {
        heap_take(self->heap, self->heap_count--);
    }
    const bool was_waiting = tried->waiting;
    leave_list(self, first.job);
    self->started = first.job;
    const job started = *tried; /* which may move */
    const uint64_t now_cycles = engine->now_cycles;
    vef_code code = start_job(engine, &started);
    engine->now_cycles = now_cycles;
    self->jobs[first.job].next_free = self->free_job;
    self->jobs[first.job].order = UINT64_MAX;
    self->free_job = first.job;
    self->started = NONE;
    return code == VEF_OK && was_waiting ? try_next(engine, started.processor) : code;
}

bool vef_processors_several(const vef_engine *engine, uint32_t task) {
    return engine->processors->processors[task].next != NONE;
}

uint64_t vef_processors_end(const vef_engine *engine, uint32_t task) {
    const vef_processors *self = engine->processors;
    uint64_t end_cycles = 0;
    for (uint32_t i = task; i != NONE; i = self->processors[i].next)
        if (self->processors[i].free_cycles > end_cycles)
            end_cycles = self->processors[i].free_cycles;
    return end_cycles;
}
