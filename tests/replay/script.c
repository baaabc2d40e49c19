/* Traces written in a test. See script.h. */
#include "tests/replay/script.h"
#include "netmodel/router/core/network.h"
#include "tests/netmodel/thread_ranks.h"

#include "replay/explain/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

typedef struct script_event {
    struct script_event *next;
    vef_event event;
} script_event;

/* 4 bytes a cycle at 32 Gbit/s: a cycle is 1 ns. */
#define LINK "link: {bandwidth: 32 Gbit/s, phit: 4 B}\n"
#define ROUTERS LINK "packet: {phits: 16}\nseed: 3\n"
const char script_ideal[] = "model: ideal\n" LINK;
const char script_pair[] =
    "topology: {family: mesh, sizes: [2]}\n"
    "routing: {algorithm: dor}\n" ROUTERS;
const char script_mesh[] =
    "topology: {family: mesh, sizes: [4, 2]}\n"
    "routing: {algorithm: dor}\n" ROUTERS;
const char script_flow[] =
    "model: flow\n"
    "topology: {family: mesh, sizes: [4, 2]}\n"
    "routing: {algorithm: dor}\n" ROUTERS;
const char script_rtt[] =
    "topology: {family: rtt, a: 2}\n"
    "routing: {algorithm: adaptive}\n" ROUTERS;

static vef_code next_event(vef_source *source, uint32_t task, uint32_t thread,
                           const vef_event **event, vef_error *error) {
    (void)error;
    script_thread *current = &((script *)source)->task[task].thread[thread];
    *event = current->current ? &current->current->event : NULL;
    if (current->current)
        current->current = current->current->next;
    return VEF_OK;
}

static vef_code restart(vef_source *source, vef_error *error) {
    script *self = (script *)source;
    (void)error;
    for (uint32_t task = 0; task < source->tasks; task++)
        for (uint32_t thread = 0; thread < SCRIPT_THREADS; thread++)
            self->task[task].thread[thread].current = self->task[task].thread[thread].first;
    return VEF_OK;
}

static uint32_t threads_of(const vef_source *source, uint32_t task) {
    return ((const script *)source)->task[task].threads;
}

static vef_log_end end_of(const vef_source *source, uint32_t task) {
    return ((const script *)source)->task[task].end;
}

uint32_t script_comm(script *self, uint32_t count, const uint32_t *members) {
    uint32_t comm = self->source.communicator_count++;
    assert_true(comm < SCRIPT_COMMS && count <= SCRIPT_TASKS);
    memcpy(self->members[comm], members, count * sizeof *members);
    self->comms[comm] = (vef_communicator){.parent = comm ? 0 : VEF_NO_COMM,
                                           .made_by = comm ? VEF_CALL_Comm_split : VEF_CALL_Init,
                                           .size = count,
                                           .members = self->members[comm]};
    return comm;
}

script *script_new(uint32_t tasks) {
    script *self = calloc(1, sizeof *self);
    assert_non_null(self);
    assert_true(tasks <= SCRIPT_TASKS);
    self->source = (vef_source){.tasks = tasks,
                                .communicators = self->comms,
                                .threads = threads_of,
                                .next = next_event,
                                .divisible = true,
                                .restart = restart,
                                .end = end_of};
    uint32_t members[SCRIPT_TASKS];
    for (uint32_t task = 0; task < tasks; task++) {
        members[task] = task;
        for (uint32_t thread = 0; thread < SCRIPT_THREADS; thread++)
            self->task[task].thread[thread].next = &self->task[task].thread[thread].first;
        self->task[task].threads = 1;
        self->task[task].end = VEF_LOG_FINALIZED;
    }
    script_comm(self, tasks, members);
    return self;
}

void script_free(script *self) {
    vef_arena_release(&self->arena);
    free(self);
}

static void *copy(script *self, const void *from, size_t count, size_t size) {
    void *to = count ? vef_arena_alloc(&self->arena, count, size) : NULL;
    if (count)
        memcpy(to, from, count * size);
    return to;
}

vef_event *say(script *self, uint32_t task, const vef_event *event) {
    script_event *added = vef_arena_alloc(&self->arena, 1, sizeof *added);
    assert_non_null(added);
    added->event = *event;
    vef_event *current = &added->event;
    current->operations =
        copy(self, event->operations, event->operation_count, sizeof *event->operations);
    current->completions =
        copy(self, event->completions, event->completion_count, sizeof *event->completions);
    current->send_bytes = copy(self, event->send_bytes, event->send_count, sizeof(uint64_t));
    current->receive_bytes =
        copy(self, event->receive_bytes, event->receive_count, sizeof(uint64_t));
    current->peers = copy(self, event->peers, event->peer_count, sizeof *event->peers);
    if (!current->repeats)
        current->repeats = 1;
    script_task *teller = &self->task[task];
    current->thread = teller->speaker;
    current->entered = teller->ticks++;
    current->left = teller->ticks++;
    *teller->thread[current->thread].next = added;
    teller->thread[current->thread].next = &added->next;
    return teller->thread[current->thread].last = current;
}

vef_event *script_last(script *self, uint32_t task, uint32_t thread) {
    return self->task[task].thread[thread].last;
}

void script_thread_of(script *self, uint32_t task, uint32_t thread) {
    assert_true(thread < SCRIPT_THREADS);
    self->task[task].speaker = thread;
    if (thread >= self->task[task].threads)
        self->task[task].threads = thread + 1;
}

void script_ticks(script *self, uint32_t task, vef_event *event, uint64_t entered, uint64_t left) {
    event->entered = entered;
    event->left = left;
    if (self->task[task].ticks <= left)
        self->task[task].ticks = left + 1;
}

vef_operation *operation_of(vef_event *event, uint32_t index) {
    assert_true(index < event->operation_count);
    return (vef_operation *)(uintptr_t)&event->operations[index];
}

static vef_operation send_operation(script *self, uint32_t task, uint32_t to, uint64_t bytes,
                                    uint16_t flags) {
    return (vef_operation){.flags = (uint16_t)(VEF_OP_SEND | flags),
                           .peer = (int32_t)to,
                           .bytes = bytes,
                           .ordinal = self->sent[task][to]++,
                           .request = VEF_NO_REQUEST};
}

static vef_operation receive_operation(script *self, uint32_t task, uint32_t from) {
    return (vef_operation){
        .peer = (int32_t)from, .ordinal = self->received[from][task]++, .request = VEF_NO_REQUEST};
}

static vef_event *say_operations(script *self, uint32_t task, uint64_t gap, vef_call call,
                                 const vef_operation *operations, uint32_t count) {
    return say(self, task,
               &(vef_event){.call = (uint16_t)call,
                            .gap_ns = gap,
                            .operations = operations,
                            .operation_count = count});
}

vef_event *say_send(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                    uint16_t flags) {
    vef_operation operation = send_operation(self, task, to, bytes, flags);
    return say_operations(self, task, gap,
                          flags & VEF_OP_SYNCHRONOUS ? VEF_CALL_Ssend : VEF_CALL_Send, &operation,
                          1);
}

vef_event *say_receive(script *self, uint32_t task, uint64_t gap, uint32_t from) {
    vef_operation operation = receive_operation(self, task, from);
    return say_operations(self, task, gap, VEF_CALL_Recv, &operation, 1);
}

uint64_t say_isend(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                   uint16_t flags) {
    vef_operation operation = send_operation(self, task, to, bytes, flags);
    operation.request = self->task[task].requests++;
    say_operations(self, task, gap, VEF_CALL_Isend, &operation, 1);
    return operation.request;
}

uint64_t say_ireceive(script *self, uint32_t task, uint64_t gap, uint32_t from) {
    vef_operation operation = receive_operation(self, task, from);
    operation.request = self->task[task].requests++;
    say_operations(self, task, gap, VEF_CALL_Irecv, &operation, 1);
    return operation.request;
}

vef_event *say_sendrecv(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                        uint32_t from) {
    vef_operation operations[] = {send_operation(self, task, to, bytes, 0),
                                  receive_operation(self, task, from)};
    return say_operations(self, task, gap, VEF_CALL_Sendrecv, operations, 2);
}

uint64_t say_partitioned(script *self, uint32_t task, uint64_t gap, uint32_t peer, uint64_t bytes,
                         bool send) {
    vef_operation operation = send ? send_operation(self, task, peer, bytes, VEF_OP_PARTITIONED)
                                   : receive_operation(self, task, peer);
    operation.flags |= VEF_OP_PARTITIONED;
    operation.request = self->task[task].requests++;
    say_operations(self, task, gap, VEF_CALL_Start, &operation, 1);
    return operation.request;
}

vef_event *say_ready(script *self, uint32_t task, uint64_t gap, uint64_t request, bool last) {
    vef_event *event = say_local(self, task, gap, VEF_CALL_Pready);
    event->argument = (int64_t)request;
    event->flags = last ? VEF_EVENT_LAST : 0;
    return event;
}

uint64_t say_isendrecv(script *self, uint32_t task, uint64_t gap, uint32_t to, uint64_t bytes,
                       uint32_t from) {
    vef_operation operations[] = {send_operation(self, task, to, bytes, 0),
                                  receive_operation(self, task, from)};
    operations[0].request = operations[1].request = self->task[task].requests++;
    say_operations(self, task, gap, VEF_CALL_Isendrecv, operations, 2);
    return operations[0].request;
}

uint64_t say_generalised(script *self, uint32_t task, uint64_t gap) {
    vef_operation operation = {.flags = VEF_OP_GENERALISED,
                               .peer = VEF_NO_TASK,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = self->task[task].requests++};
    say_operations(self, task, gap, VEF_CALL_Grequest_start, &operation, 1);
    return operation.request;
}

vef_event *say_generalised_end(script *self, uint32_t task, uint64_t gap, uint64_t request) {
    vef_event *event = say_local(self, task, gap, VEF_CALL_Grequest_complete);
    event->argument = (int64_t)request;
    return event;
}

vef_event *say_wait(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t count,
                    const uint64_t *requests) {
    vef_completion completions[64] = {0};
    assert_true(count <= 64);
    for (uint32_t i = 0; i < count; i++)
        completions[i].request = requests[i];
    return say(self, task,
               &(vef_event){.call = (uint16_t)call,
                            .gap_ns = gap,
                            .completions = completions,
                            .completion_count = count});
}

vef_event *say_collective(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t comm,
                          int32_t root, uint64_t bytes) {
    return say(self, task,
               &(vef_event){.call = (uint16_t)call,
                            .gap_ns = gap,
                            .comm = comm,
                            .new_comm = VEF_NO_COMM,
                            .root = root,
                            .bytes = bytes,
                            .elements = bytes / 8});
}

uint64_t say_icollective(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t comm,
                         int32_t root, uint64_t bytes) {
    vef_event *event = say_collective(self, task, gap, call, comm, root, bytes);
    event->flags |= VEF_EVENT_STARTED;
    if (strstr(vef_call_name((uint16_t)call), "_init") == NULL)
        event->flags = 0;
    assert_true(vef_event_starts_request(event));
    return event->request = self->task[task].requests++;
}

vef_event *say_one_sided(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t window,
                         uint32_t target, uint64_t bytes) {
    bool asks = call == VEF_CALL_Rput || call == VEF_CALL_Rget || call == VEF_CALL_Raccumulate ||
                call == VEF_CALL_Rget_accumulate;
    vef_operation operation = {.peer = (int32_t)target,
                               .comm = window,
                               .bytes = bytes,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = VEF_NO_REQUEST};
    if (asks)
        operation.request = self->task[task].requests++;
    return say_operations(self, task, gap, call, &operation, 1);
}

vef_event *say_sync(script *self, uint32_t task, uint64_t gap, vef_call call, uint32_t window,
                    uint32_t count, const int32_t *peers) {
    return say(self, task,
               &(vef_event){.call = (uint16_t)call,
                            .gap_ns = gap,
                            .comm = window,
                            .root = -1,
                            .peer_count = count,
                            .peers = peers});
}

vef_event *say_poll(script *self, uint32_t task, uint64_t gap, vef_call call, uint64_t repeats) {
    return say(
        self, task,
        &(vef_event){
            .call = (uint16_t)call, .flags = VEF_EVENT_POLL, .gap_ns = gap, .repeats = repeats});
}

vef_event *say_local(script *self, uint32_t task, uint64_t gap, vef_call call) {
    return say(self, task, &(vef_event){.call = (uint16_t)call, .gap_ns = gap});
}

void say_finalize_all(script *self) {
    for (uint32_t task = 0; task < self->source.tasks; task++) {
        script_thread_of(self, task, 0);
        say_local(self, task, 0, VEF_CALL_Finalize);
    }
}

static vef_netmodel *network_by(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "test", &arena, &root, &error) ||
        vef_netmodel_create(root, &model, &error))
        fail_msg("%s\n%s", yaml, error.message);
    vef_arena_release(&arena);
    return model;
}

static void check_sums(const vef_replay_result *result) {
    uint64_t messages = 0, bytes = 0;
    for (uint32_t task = 0; task < result->tasks; task++) {
        const vef_task_result *current = &result->task[task];
        assert_int_equal(current->computing_ps + current->outside_ps + current->communicating_ps +
                             current->waiting_ps + current->overhead_ps,
                         current->end_ps);
        assert_true(current->end_ps <= result->time_ps);
        messages += current->messages_sent;
        bytes += current->bytes_sent;
    }
    assert_int_equal(messages, result->messages);
    assert_int_equal(bytes, result->message_bytes);
}

vef_code replay_on(script *self, vef_netmodel *network, const vef_replay_options *options,
                   const uint32_t *mapping, vef_replay_result *result, vef_error *error) {
    vef_replay_options defaults = vef_replay_defaults();
    uint32_t own[SCRIPT_TASKS];
    for (uint32_t task = 0; task < self->source.tasks; task++)
        own[task] = task;
    restart(&self->source, error);
    return vef_replay_source(&self->source, network, mapping ? mapping : own,
                             options ? options : &defaults, NULL, result, error);
}

typedef struct ranks_task {
    script *self;
    const char *network;
    const vef_replay_options *options;
    const uint32_t *mapping;
    script_rank *ranks;
} ranks_task;

/* All ranks read the same script, each the events of its own tasks. */
static void replay_rank(void *context, const vef_net_ranks *ranks) {
    const ranks_task *given = context;
    script_rank *own = &given->ranks[ranks ? ranks->rank : 0];
    vef_netmodel *model = NULL;
    own->code = vef_netmodel_open(given->network, NULL, 0, &model, &own->error);
    if (own->code == VEF_OK && ranks)
        own->code = vef_netmodel_spread(model, ranks, &own->error);
    if (own->code == VEF_OK)
        own->code = vef_replay_source(&given->self->source, model, given->mapping, given->options,
                                      NULL, &own->result, &own->error);
    vef_netmodel_destroy(model);
}

void replay_on_ranks(script *self, const char *network, uint32_t count,
                     const vef_replay_options *options, const uint32_t *mapping,
                     script_rank *ranks) {
    vef_replay_options defaults = vef_replay_defaults();
    uint32_t own[SCRIPT_TASKS];
    for (uint32_t task = 0; task < self->source.tasks; task++)
        own[task] = task;
    memset(ranks, 0, count * sizeof *ranks);
    restart(&self->source, NULL);
    ranks_task given = {self, network, options ? options : &defaults, mapping ? mapping : own,
                        ranks};
    run_ranks(count, replay_rank, &given);
}

/* `ahead`: tasks run ahead without a record, so that messages of no effect are counted that are not
 * sent before the end otherwise. */
static void check_same(const vef_replay_result *a, const vef_replay_result *b, bool ahead) {
    assert_int_equal(a->time_ps, b->time_ps);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->stall, b->stall);
    assert_string_equal(a->stall_text, b->stall_text);
    assert_string_equal(a->approximations, b->approximations);
    if (!ahead)
        assert_memory_equal(&a->network, &b->network, offsetof(vef_net_statistics, memory_bytes));
    assert_int_equal(a->tasks, b->tasks);
    assert_memory_equal(a->task, b->task, a->tasks * sizeof *a->task);
}

uint64_t ns_of(uint64_t ps) {
    assert_int_equal(ps % VEF_PS_PER_NS, 0);
    return ps / VEF_PS_PER_NS;
}

/* The causes of each kind add up to what the engine counts apart from them. Not where a plan in the
 * background, or a processor with costs of its own, does a part of what its task waits for. */
static void check_kinds(const vef_cause_ps *cycles, const vef_task_result *task) {
    uint64_t sums[3] = {0};
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        sums[vef_causes[cause].kind] += cycles->by_cause[cause];
    assert_int_equal(cycles->by_cause[VEF_CAUSE_OVERHEAD], task->overhead_ps);
    assert_int_equal(sums[VEF_CAUSE_WAITING], task->waiting_ps);
    assert_int_equal(sums[VEF_CAUSE_TRANSFER], task->communicating_ps);
}

/* The causes of every task add up to its end and agree with the times of the result; the critical
 * path is as long as the last task. */
static void check_explanation(const vef_time_record *record, const vef_replay_result *result,
                              bool loggops) {
    const bool plans_beside = record->track_count > record->strands;
    uint64_t last = 0;
    for (uint32_t task = 0; task < result->tasks; task++) {
        const vef_task_result *current = &result->task[task];
        const vef_cause_ps *cycles = &record->ends[task].ps;
        assert_int_equal(record->ends[task].end_ps, current->end_ps);
        assert_int_equal(vef_cause_sum(cycles), current->end_ps);
        if (result->stall == VEF_STALL_NONE) {
            assert_int_equal(cycles->by_cause[VEF_CAUSE_COMPUTING], current->computing_ps);
            assert_int_equal(cycles->by_cause[VEF_CAUSE_OUTSIDE], current->outside_ps);
            if (!plans_beside && !loggops)
                check_kinds(cycles, current);
        }
        if (current->end_ps > last)
            last = current->end_ps;
    }
    vef_path path;
    vef_path_find(record, &path);
    assert_int_equal(path.end_ps, last);
    assert_int_equal(vef_cause_sum(&path.ps), last);
    assert_int_equal(path.ps.by_cause[VEF_CAUSE_LATE_SENDER], 0);
    assert_int_equal(path.ps.by_cause[VEF_CAUSE_LATE_RECEIVER], 0);
}

unsigned scripts_divided;

/* Ranks refuse what threads do not divide, and find that a replay is to be repeated where threads
 * find it. */
static void check_ranks(script *self, const char *network, uint32_t count,
                        const vef_replay_options *options, const uint32_t *mapping, bool repeat,
                        const vef_replay_result *plain) {
    script_rank ranks[VEF_MOST_RANKS];
    replay_on_ranks(self, network, count, options, mapping, ranks);
    for (uint32_t rank = 0; rank < count; rank++) {
        const script_rank *own = &ranks[rank];
        assert_int_equal(own->code, ranks[0].code);
        if (own->code != VEF_OK && !strstr(own->error.message, "several processes"))
            fail_msg("%s", own->error.message);
        if (own->code != VEF_OK)
            continue;
        assert_int_equal(own->result.repeat, repeat);
        if (!repeat)
            check_same(plain, &own->result, false);
        scripts_divided += !repeat;
        vef_replay_result_release(&ranks[rank].result);
    }
}

/* The same replay divided among parts of the network, unless what it finds has to be found by one
 * that is not. */
static void check_divided(script *self, const char *network, const vef_replay_options *options,
                          const uint32_t *mapping, const vef_replay_result *plain) {
    for (uint32_t parts = 2; parts <= 5; parts += 3) {
        vef_netmodel *model = network_by(network);
        vef_replay_result result = {0};
        vef_error error = {0};
        if (model->kind->dismiss && model->topology->routers >= parts) {
            vef_network_set_parts((vef_network *)model, parts);
            if (replay_on(self, model, options, mapping, &result, &error) != VEF_OK)
                fail_msg("%s", error.message);
            if (!result.repeat) {
                scripts_divided++;
                check_same(plain, &result, false);
            }
            /* Of ranks that are threads, meetings take most of the time: one replay in so many. */
            static uint32_t divided;
            if (divided++ % 32 == 0)
                check_ranks(self, network, parts, options, mapping, result.repeat, plain);
        }
        vef_replay_result_release(&result);
        vef_netmodel_destroy(model);
    }
}

void script_record(script *self, const char *network, const vef_replay_options *options,
                   const uint32_t *mapping, vef_time_record *record) {
    vef_replay_options recorded = options ? *options : vef_replay_defaults();
    vef_replay_result result, plain;
    vef_error error = {0};
    vef_netmodel *model = network_by(network);
    if (replay_on(self, model, options, mapping, &plain, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_netmodel_destroy(model);
    model = network_by(network);
    vef_time_record_begin(record);
    vef_time_record_listen(record, &recorded.listeners);
    if (replay_on(self, model, &recorded, mapping, &result, &error) != VEF_OK)
        fail_msg("%s", error.message);
    const bool ahead = model->kind->pass, loggops = model->loggops;
    vef_netmodel_destroy(model);
    check_same(&plain, &result, ahead);
    if (!options || !options->listeners)
        check_divided(self, network, options, mapping, &plain);
    check_explanation(record, &result, loggops);
    vef_replay_result_release(&plain);
    vef_replay_result_release(&result);
}

vef_replay_result replay_of(script *self, const char *network, const vef_replay_options *options,
                            const uint32_t *mapping) {
    vef_replay_result result;
    vef_error error = {0};
    vef_netmodel *model = network_by(network);
    if (replay_on(self, model, options, mapping, &result, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_netmodel_destroy(model);
    check_sums(&result);
    vef_time_record record;
    if (!options || !options->listeners) { /* which would count twice */
        script_record(self, network, options, mapping, &record);
        vef_time_record_release(&record);
    }
    return result;
}

uint64_t time_of(script *self, const char *network, const vef_replay_options *options) {
    vef_replay_result result = replay_of(self, network, options, NULL);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    uint64_t time = ns_of(result.time_ps);
    vef_replay_result_release(&result);
    return time;
}
