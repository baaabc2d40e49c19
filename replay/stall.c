/* Why a replay that cannot go on cannot: nothing is due, the network is idle, tasks are unfinished.
 *
 * Every unfinished task is then in a call and waits for the other side of at least one message. A
 * chain of such waits ends with a task that has ended, or closes to a circle; a wait for an ended
 * task is told first, since it is a cause and never a consequence. */
#include "replay/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_EDGE = UINT32_MAX, SHOWN_TASKS = 8 };

static const char *const names[] = {
    [VEF_STALL_NETWORK_DEADLOCK] = "network-deadlock",
    [VEF_STALL_NO_SEND] = "no-send",
    [VEF_STALL_NO_RECEIVE] = "no-receive",
    [VEF_STALL_TASK_CYCLE] = "task-cycle",
    [VEF_STALL_TRACE_CUT] = "trace-cut",
    [VEF_STALL_COLLECTIVE] = "collective",
    [VEF_STALL_TIME_LIMIT] = "time-limit",
};

const char *vef_stall_name(vef_stall stall) {
    return names[stall];
}

void vef_stall_set(vef_engine *engine, vef_stall stall, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    engine->result->stall = stall;
    vsnprintf(engine->result->stall_text, sizeof engine->result->stall_text, format, arguments);
    va_end(arguments);
}

/* What one blocked task waits for. */
typedef struct edge {
    uint32_t peer; /* NO_EDGE: not found yet */
    uint32_t record;
    bool to_ended, receives;
} edge;

static bool ended(const vef_engine *engine, uint32_t task) {
    return engine->tasks[task].stage == VEF_STAGE_ENDED;
}

/* Whether the call under way waits for the completion that a token stands for. */
static bool is_waited_for(const vef_engine *engine, uint32_t task, uint64_t token) {
    if (ended(engine, task) || token == VEF_TOKEN_NONE)
        return false;
    if ((token & VEF_TOKEN_KIND) != VEF_TOKEN_REQUEST(0))
        return true;
    const vef_request *request =
        vef_requests_find(&engine->tasks[task].requests, token & ~VEF_TOKEN_KIND);
    return request && request->state == VEF_REQUEST_WAITED;
}

/* Keeps the wait that says most: for an ended task, then the lowest peer, then its first message.
 */
static void offer(const vef_engine *engine, edge *kept, uint32_t peer, uint32_t record,
                  bool receives) {
    edge offered = {peer, record, ended(engine, peer), receives};
    if (kept->peer != NO_EDGE) {
        if (kept->to_ended != offered.to_ended) {
            if (kept->to_ended)
                return;
        } else if (kept->peer != peer) {
            if (kept->peer < peer)
                return;
        } else if (engine->matches.records[kept->record].key.ordinal <=
                   engine->matches.records[record].key.ordinal) {
            return;
        }
    }
    *kept = offered;
}

static void find_edges(const vef_engine *engine, edge *edges) {
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        edges[task].peer = NO_EDGE;
    for (uint32_t record = 0; record < engine->matches.count; record++) {
        const vef_transfer *transfer = &engine->matches.records[record];
        const vef_transfer_key *key = &transfer->key;
        if (!(transfer->flags & VEF_TRANSFER_USED))
            continue;
        if (!(transfer->flags & VEF_TRANSFER_SENT) &&
            (transfer->flags & VEF_TRANSFER_PROBED ||
             is_waited_for(engine, key->receiver, transfer->receive_token)))
            offer(engine, &edges[key->receiver], key->sender, record, true);
        if (transfer->flags & VEF_TRANSFER_RENDEZVOUS && !(transfer->flags & VEF_TRANSFER_POSTED) &&
            is_waited_for(engine, key->sender, transfer->send_token))
            offer(engine, &edges[key->sender], key->receiver, record, false);
    }
}

/* "task 3, event 17 (MPI_Recv), waits for message 4 from task 5" */
static void describe(const vef_engine *engine, uint32_t task, const edge *wait, char *text,
                     size_t text_bytes) {
    const vef_task *self = &engine->tasks[task];
    const vef_transfer_key *key = &engine->matches.records[wait->record].key;
    int used = snprintf(text, text_bytes, "task %u, event %llu (MPI_%s), waits ", task,
                        (unsigned long long)self->event_number, vef_task_call(engine, task));
    if (used < 0 || (size_t)used >= text_bytes)
        return;
    text += used;
    text_bytes -= (size_t)used;
    if (key->comm != VEF_NO_COMM)
        snprintf(text, text_bytes, "for task %u in collective %llu of communicator %u", wait->peer,
                 (unsigned long long)key->ordinal, key->comm);
    else if (wait->receives)
        snprintf(text, text_bytes, "for message %llu from task %u",
                 (unsigned long long)key->ordinal, wait->peer);
    else
        snprintf(text, text_bytes, "for task %u to receive message %llu", wait->peer,
                 (unsigned long long)key->ordinal);
}

/* Whether the other side of a collective's message has been through that collective: then it will
 * never come, since the two planned different messages. */
static bool has_left(const vef_engine *engine, const edge *wait) {
    const vef_transfer_key *key = &engine->matches.records[wait->record].key;
    if (key->comm == VEF_NO_COMM)
        return false;
    const vef_comm_state *comm = &engine->comms.states[key->comm];
    const vef_task *peer = &engine->tasks[wait->peer];
    const uint64_t entered = comm->entered[vef_comm_rank(comm, wait->peer)];
    const vef_kind kind = peer->event ? vef_call_kind(peer->event->call) : VEF_KIND_LOCAL;
    const bool inside =
        (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM) && peer->run.comm == key->comm;
    return entered > key->ordinal + inside;
}

static void tell_left(vef_engine *engine, uint32_t task, const edge *wait) {
    char text[256];
    describe(engine, task, wait, text, sizeof text);
    vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                  "%s, which has been through it with other counts than those of task %u", text,
                  task);
}

/* A wait for a task that has ended. */
static void tell_ended(vef_engine *engine, uint32_t task, const edge *wait) {
    char text[256];
    describe(engine, task, wait, text, sizeof text);
    const vef_transfer_key *key = &engine->matches.records[wait->record].key;
    const vef_task *peer = &engine->tasks[wait->peer];
    vef_log_end end = engine->source->end(engine->source, wait->peer);
    bool open = peer->event && peer->event->flags & VEF_EVENT_OPEN;
    const unsigned long long events = peer->event_number + (peer->event != NULL);
    const char *plural = events == 1 ? "" : "s";
    if (open || end == VEF_LOG_CUT || end == VEF_LOG_ABORTED)
        vef_stall_set(engine, VEF_STALL_TRACE_CUT, "%s, whose trace %s after %llu event%s", text,
                      end == VEF_LOG_ABORTED ? "ends by MPI_Abort" : "is cut", events, plural);
    else if (key->comm != VEF_NO_COMM)
        vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                      "%s, which never enters it and ends after %llu event%s", text, events,
                      plural);
    else
        vef_stall_set(engine, wait->receives ? VEF_STALL_NO_SEND : VEF_STALL_NO_RECEIVE,
                      "%s, which never %s it and ends after %llu event%s", text,
                      wait->receives ? "sends" : "receives", events, plural);
}

static void tell_circle(vef_engine *engine, const edge *edges, uint32_t from) {
    uint32_t length = 0, task = from;
    do {
        length++;
        task = edges[task].peer;
    } while (task != from);
    vef_stall_set(engine, VEF_STALL_TASK_CYCLE, "%u task%s in a circle: ", length,
                  length == 1 ? " waits for itself" : "s wait for each other");
    char *text = engine->result->stall_text;
    const size_t room = sizeof engine->result->stall_text;
    for (uint32_t shown = 0; shown < length && shown < SHOWN_TASKS; shown++) {
        size_t used = strlen(text);
        describe(engine, task, &edges[task], text + used, room - used);
        task = edges[task].peer;
        used = strlen(text);
        snprintf(text + used, room - used, "%s",
                 shown + 1 == length        ? ""
                 : shown + 1 == SHOWN_TASKS ? "; …"
                                            : "; ");
    }
}

/* Tasks inside a call that never returned when the trace was taken end there. */
static void end_open_calls(vef_engine *engine) {
    for (uint32_t i = 0; i < engine->source->tasks; i++) {
        vef_task *task = &engine->tasks[i];
        if (task->stage == VEF_STAGE_ENDED || !task->event ||
            !(task->event->flags & VEF_EVENT_OPEN))
            continue;
        task->stage = VEF_STAGE_ENDED;
        engine->result->task[i].end_cycles = task->cpu_cycles;
        engine->approximations.open_calls++;
        engine->ended++;
    }
}

static void tell_tasks(vef_engine *engine, const edge *edges) {
    uint32_t tasks = engine->source->tasks, blocked = NO_EDGE;
    for (uint32_t task = 0; task < tasks; task++) {
        if (ended(engine, task) || edges[task].peer == NO_EDGE)
            continue;
        if (has_left(engine, &edges[task])) {
            tell_left(engine, task, &edges[task]);
            return;
        }
        if (edges[task].to_ended) {
            tell_ended(engine, task, &edges[task]);
            return;
        }
        if (blocked == NO_EDGE)
            blocked = task;
    }
    assert(blocked != NO_EDGE);
    /* No wait for an ended task is left: after as many steps as tasks the chain is in its circle.
     */
    for (uint32_t step = 0; step < tasks; step++)
        blocked = edges[blocked].peer;
    tell_circle(engine, edges, blocked);
}

vef_code vef_stall_diagnose(vef_engine *engine) {
    char text[VEF_MESSAGE_BYTES] = "";
    if (engine->network->kind->deadlock(engine->network, text, sizeof text)) {
        vef_stall_set(engine, VEF_STALL_NETWORK_DEADLOCK, "%s", text);
        return VEF_OK;
    }
    if (engine->in_flight)
        return vef_fail(engine->error, VEF_FAILED,
                        "the network model '%s' has nothing left to do and has not delivered %llu "
                        "messages",
                        engine->network->kind->name, (unsigned long long)engine->in_flight);
    end_open_calls(engine);
    if (engine->ended == engine->source->tasks)
        return VEF_OK;
    edge *edges = malloc(engine->source->tasks * sizeof *edges);
    if (!edges)
        return vef_fail_memory(engine->error, "the tasks of a stall", engine->source->tasks);
    find_edges(engine, edges);
    tell_tasks(engine, edges);
    free(edges);
    return VEF_OK;
}
