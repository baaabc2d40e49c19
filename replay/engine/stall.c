/* Diagnoses a stalled replay: nothing is due, the network is idle, tasks are unfinished.
 *
 * Every unfinished thread is then in a call and waits for something: the other side of a message, a
 * call of another thread of its task, a background collective of its task. A chain of such waits
 * ends with an ended task, or closes to a cycle; waits for ended tasks are reported first, since
 * they are causes and never consequences. Which thread of a task will send a message is not known
 * in advance: the first unfinished one represents it. */
#include "replay/engine/loop.h"

#include "common/memory.h"
#include "replay/engine/complete.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/strand.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_ONE = UINT32_MAX, SHOWN_TASKS = 8 };

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

/* What one strand or plan waits for. */
typedef struct edge {
    enum {
        NOTHING, /* not known */
        MESSAGE, /* the other side of `record` */
        ORDER,   /* a call of another thread of its task to end */
        PLAN,    /* a background collective of its task */
        OWN,     /* a call of its own task that affects a request */
        WINDOW,  /* another task, at a window */
    } kind;
    uint32_t to; /* who */
    uint32_t record;
    bool to_ended, receives;
} edge;

static bool is_strand(const vef_engine *engine, uint32_t who) {
    return who < engine->strand_count;
}

static uint32_t task_of(const vef_engine *engine, uint32_t who) {
    return is_strand(engine, who) ? engine->strands[who].task : vef_run_at(engine, who)->task;
}

static bool has_ended(const vef_engine *engine, uint32_t who) {
    return is_strand(engine, who) ? engine->strands[who].stage == VEF_STAGE_ENDED
                                  : !vef_run_at(engine, who)->active;
}

/* The first unfinished thread of a task except one; the task's first if there is none. */
static uint32_t first_of(const vef_engine *engine, uint32_t task, uint32_t but) {
    const vef_task *state = &engine->tasks[task];
    for (uint32_t i = 0; i < state->strand_count; i++)
        if (state->first_strand + i != but && !has_ended(engine, state->first_strand + i))
            return state->first_strand + i;
    return state->first_strand;
}

/* The plan of a task for that collective; NO_ONE if it is not in it. */
static uint32_t run_of(const vef_engine *engine, uint32_t task, uint32_t comm, uint64_t number) {
    for (uint32_t who = 0; who < vef_run_end(engine); who++) {
        const vef_plan_run *run = vef_run_at(engine, who);
        if (run->active && run->task == task && run->comm == comm && run->number == number)
            return who;
    }
    return NO_ONE;
}

/* Keeps the most informative wait: one for an ended task, then the lowest, then its first message.
 */
static void offer(const vef_engine *engine, edge *kept, uint32_t task, uint32_t record,
                  bool receives) {
    const vef_transfer_key *key = &engine->matches.records[record].key;
    uint32_t to = key->comm == VEF_NO_COMM ? NO_ONE : run_of(engine, task, key->comm, key->ordinal);
    if (to == NO_ONE)
        to = first_of(engine, task, NO_ONE);
    const edge offered = {MESSAGE, to, record, has_ended(engine, to), receives};
    if (kept->kind == MESSAGE) {
        if (kept->to_ended != offered.to_ended) {
            if (kept->to_ended)
                return;
        } else if (kept->to != to) {
            if (kept->to < to)
                return;
        } else if (engine->matches.records[kept->record].key.ordinal <= key->ordinal) {
            return;
        }
    }
    *kept = offered;
}

/* The message of a token has not arrived: adds an edge for its waiter. */
static void offer_all(const vef_engine *engine, edge *edges, uint32_t task, uint64_t token,
                      uint32_t peer, uint32_t record, bool receives) {
    const uint64_t kind = token & VEF_TOKEN_KIND, value = token & ~VEF_TOKEN_KIND;
    if (token == VEF_TOKEN_NONE)
        return;
    if (kind != VEF_TOKEN_REQUEST(0)) {
        const uint32_t who = (uint32_t)(kind == VEF_TOKEN_CALL(0) ? value : value >> 32);
        if (!has_ended(engine, who))
            offer(engine, &edges[who], peer, record, receives);
        return;
    }
    const vef_task *state = &engine->tasks[task];
    for (uint32_t i = 0; i < state->strand_count; i++)
        if (vef_strand_waits_for_request(engine, state->first_strand + i, value))
            offer(engine, &edges[state->first_strand + i], peer, record, receives);
}

static void find_messages(const vef_engine *engine, edge *edges) {
    for (uint32_t record = 0; record < engine->matches.count; record++) {
        const vef_transfer *transfer = &engine->matches.records[record];
        const vef_transfer_key *key = &transfer->key;
        if (!(transfer->flags & VEF_TRANSFER_USED))
            continue;
        if (!(transfer->flags & VEF_TRANSFER_SENT)) {
            offer_all(engine, edges, key->receiver, transfer->receive_token, key->sender, record,
                      true);
            const vef_task *receiver = &engine->tasks[key->receiver];
            for (uint32_t i = 0; i < receiver->strand_count; i++)
                if (engine->strands[receiver->first_strand + i].probed == record)
                    offer(engine, &edges[receiver->first_strand + i], key->sender, record, true);
        }
        if (transfer->flags & VEF_TRANSFER_RENDEZVOUS && !(transfer->flags & VEF_TRANSFER_POSTED))
            offer_all(engine, edges, key->sender, transfer->send_token, key->receiver, record,
                      false);
    }
}

/* The first request for which a blocked call waits. */
static uint64_t waited_request(const vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    if (state->stage != VEF_STAGE_BLOCKED || vef_call_kind(state->event->call) != VEF_KIND_COMPLETE)
        return VEF_NO_REQUEST;
    for (uint32_t i = 0; i < state->event->completion_count; i++) {
        const uint64_t number = state->event->completions[i].request;
        if (vef_open_requests_find(&engine->tasks[state->task].requests, number))
            return number;
    }
    return VEF_NO_REQUEST;
}

/* What a strand waits for, other than a message. */
static edge other_wait(const vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    if (state->stage == VEF_STAGE_HELD) {
        const int64_t by = vef_strand_held_by(engine, strand);
        return by == VEF_NO_STRAND ? (edge){0} : (edge){.kind = ORDER, .to = (uint32_t)by};
    }
    if (state->waits_for != VEF_NO_TASK && state->stage == VEF_STAGE_SYNC) {
        const uint32_t to = first_of(engine, (uint32_t)state->waits_for, strand);
        return (edge){.kind = WINDOW, .to = to, .to_ended = has_ended(engine, to)};
    }
    const uint64_t request = waited_request(engine, strand);
    if (request == VEF_NO_REQUEST)
        return (edge){0};
    for (uint32_t who = engine->strand_count; who < vef_run_end(engine); who++)
        if (vef_run_at(engine, who)->active && vef_run_at(engine, who)->task == state->task &&
            vef_run_at(engine, who)->request == request)
            return (edge){.kind = PLAN, .to = who};
    const uint32_t to = first_of(engine, state->task, strand);
    return (edge){.kind = OWN, .to = has_ended(engine, to) ? strand : to};
}

static void find_edges(const vef_engine *engine, edge *edges) {
    find_messages(engine, edges);
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        if (edges[strand].kind == NOTHING && !has_ended(engine, strand))
            edges[strand] = other_wait(engine, strand);
}

/* "task 3, event 17 (MPI_Recv), waits for message 4 from task 5" */
static void describe(const vef_engine *engine, uint32_t who, const edge *wait, char *text,
                     size_t text_bytes) {
    char name[128], other[128] = "";
    if (is_strand(engine, who))
        vef_strand_name(engine, who, name, sizeof name);
    else
        snprintf(name, sizeof name, "task %u, MPI_%s under way (request %llu)",
                 vef_run_at(engine, who)->task, vef_call_name(vef_run_at(engine, who)->call),
                 (unsigned long long)vef_run_at(engine, who)->request);
    if (wait->kind == ORDER)
        vef_strand_name(engine, wait->to, other, sizeof other);
    const int used = snprintf(text, text_bytes, "%s, waits ", name);
    if (used < 0 || (size_t)used >= text_bytes)
        return;
    text += used;
    text_bytes -= (size_t)used;
    const vef_transfer_key *key =
        wait->kind == MESSAGE ? &engine->matches.records[wait->record].key : NULL;
    const uint32_t task = task_of(engine, wait->to);
    if (wait->kind == NOTHING)
        snprintf(text, text_bytes, "for an event that never occurs");
    else if (wait->kind == ORDER)
        snprintf(text, text_bytes, "for %s to end", other);
    else if (wait->kind == PLAN)
        snprintf(text, text_bytes, "for request %llu",
                 (unsigned long long)vef_run_at(engine, wait->to)->request);
    else if (wait->kind == OWN)
        snprintf(text, text_bytes,
                 "for a call of its task that completes request %llu or marks its partitions ready",
                 (unsigned long long)waited_request(engine, who));
    else if (wait->kind == WINDOW)
        snprintf(text, text_bytes, "for task %u at window %u", task,
                 engine->strands[who].event->comm);
    else if (key->comm != VEF_NO_COMM)
        snprintf(text, text_bytes, "for task %u in %s %llu of communicator %u", task,
                 key->ordinal & VEF_START_NUMBER ? "start of a persistent collective"
                                                 : "collective",
                 (unsigned long long)(key->ordinal & ~VEF_START_NUMBER), key->comm);
    else if (wait->receives)
        snprintf(text, text_bytes, "for message %llu from task %u",
                 (unsigned long long)key->ordinal, task);
    else
        snprintf(text, text_bytes, "for task %u to receive message %llu", task,
                 (unsigned long long)key->ordinal);
}

/* Whether the other side of a collective's message has completed that collective: then the message
 * will never arrive, since the two planned different messages. */
static bool has_left(const vef_engine *engine, const edge *wait) {
    if (wait->kind != MESSAGE)
        return false;
    const vef_transfer_key *key = &engine->matches.records[wait->record].key;
    if (key->comm == VEF_NO_COMM)
        return false;
    const vef_comm_state *comm = &engine->comms.states[key->comm];
    const uint32_t peer = wait->receives ? key->sender : key->receiver;
    return vef_comm_has_entered(comm, vef_comm_rank(comm, peer), key->ordinal) &&
           run_of(engine, peer, key->comm, key->ordinal) == NO_ONE;
}

static void report_left(vef_engine *engine, uint32_t who, const edge *wait) {
    char text[384];
    describe(engine, who, wait, text, sizeof text);
    vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                  "%s, which completed it with counts other than those of task %u", text,
                  task_of(engine, who));
}

/* A wait for a task that has ended. */
static void report_ended(vef_engine *engine, uint32_t who, const edge *wait) {
    char text[384];
    describe(engine, who, wait, text, sizeof text);
    const uint32_t task = task_of(engine, wait->to);
    const vef_task *peer = &engine->tasks[task];
    vef_log_end end = engine->source->end(engine->source, task);
    unsigned long long events = 0;
    bool open = false;
    for (uint32_t i = 0; i < peer->strand_count; i++) {
        const vef_strand *strand = &engine->strands[peer->first_strand + i];
        open = open || (strand->event && strand->event->flags & VEF_EVENT_OPEN);
        events += strand->event_number + (strand->event != NULL);
    }
    const char *plural = events == 1 ? "" : "s";
    const bool collective =
        wait->kind == MESSAGE && engine->matches.records[wait->record].key.comm != VEF_NO_COMM;
    if (open || vef_log_end_cuts(end) || end == VEF_LOG_ABORTED)
        vef_stall_set(engine, VEF_STALL_TRACE_CUT, "%s, whose trace %s after %llu event%s", text,
                      end == VEF_LOG_ABORTED ? "ends with MPI_Abort" : "is cut", events, plural);
    else if (collective)
        vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                      "%s, which never enters it and ends after %llu event%s", text, events,
                      plural);
    else if (wait->kind == MESSAGE)
        vef_stall_set(engine, wait->receives ? VEF_STALL_NO_SEND : VEF_STALL_NO_RECEIVE,
                      "%s, which never %s it and ends after %llu event%s", text,
                      wait->receives ? "sends" : "receives", events, plural);
    else
        vef_stall_set(engine, VEF_STALL_NO_RECEIVE, "%s, which ends after %llu event%s", text,
                      events, plural);
}

/* Whether all waits of a cycle are of distinct tasks, and its length. */
static bool is_of_tasks(const vef_engine *engine, const edge *edges, uint32_t from,
                        uint32_t *length) {
    bool tasks = true;
    uint32_t who = from;
    *length = 0;
    do {
        ++*length;
        tasks = tasks && is_strand(engine, who) &&
                engine->tasks[task_of(engine, who)].strand_count == 1;
        who = edges[who].to;
    } while (who != from);
    return tasks;
}

static void report_cycle(vef_engine *engine, const edge *edges, uint32_t from) {
    uint32_t length = 0, who = from;
    const bool tasks = is_of_tasks(engine, edges, from, &length);
    vef_stall_set(engine, VEF_STALL_TASK_CYCLE, "%u %s%s: ", length, tasks ? "task" : "wait",
                  !tasks        ? length == 1 ? " for itself" : "s in a cycle"
                  : length == 1 ? " waits for itself"
                                : "s wait for each other in a cycle");
    char *text = engine->result->stall_text;
    const size_t room = sizeof engine->result->stall_text;
    for (uint32_t shown = 0; shown < length && shown < SHOWN_TASKS; shown++) {
        size_t used = strlen(text);
        describe(engine, who, &edges[who], text + used, room - used);
        who = edges[who].to;
        used = strlen(text);
        snprintf(text + used, room - used, "%s",
                 shown + 1 == length        ? ""
                 : shown + 1 == SHOWN_TASKS ? "; …"
                                            : "; ");
    }
}

/* Threads inside a call that had not returned when the trace was taken end there. */
static void end_open_calls(vef_engine *engine) {
    for (uint32_t i = 0; i < engine->strand_count; i++) {
        const vef_strand *strand = &engine->strands[i];
        if (strand->stage == VEF_STAGE_ENDED || strand->stage == VEF_STAGE_HELD || !strand->event ||
            !(strand->event->flags & VEF_EVENT_OPEN))
            continue;
        engine->approximations.open_calls++;
        vef_strand_end(engine, i);
    }
}

/* How much of the recorded order is violated if a held call begins now, in ticks of its task: from
 * the end of the holding strand's call to its own entry. */
static uint64_t broken_order(const vef_engine *engine, uint32_t held) {
    const vef_event *event = engine->strands[held].event;
    const vef_event *holder = engine->strands[engine->strands[held].holder].event;
    return holder && holder->left < event->entered ? event->entered - holder->left : 0;
}

/* Of two strands the held one whose call violates the order less; NO_ONE if neither is held. */
static uint32_t better_held(const vef_engine *engine, uint32_t best, uint32_t who) {
    if (!is_strand(engine, who) || engine->strands[who].stage != VEF_STAGE_HELD)
        return best;
    return best == NO_ONE || broken_order(engine, who) < broken_order(engine, best) ? who : best;
}

/* Nothing can continue, and no wait is for an ended task. If calls are held, the order among
 * threads yields: the trace may pair messages and receives of several threads differently from the
 * run (traces/matching/match_threads.h), and only with the pairs of the run is that order free of
 * cycles. False: no call is held. */
static bool release_held(vef_engine *engine, const edge *edges, uint32_t from) {
    uint32_t held = NO_ONE, who = from;
    if (edges[from].kind != NOTHING)
        do {
            if (edges[who].kind == ORDER)
                held = better_held(engine, held, who);
            who = edges[who].to;
        } while (who != from);
    /* Which thread of a task sends a message is not known, so the cycle need not include the call.
     */
    if (held == NO_ONE)
        for (who = 0; who < vef_run_end(engine); who++)
            held = better_held(engine, held, who);
    if (held == NO_ONE)
        return false;
    vef_strand_release(engine, held);
    return true;
}

/* Whether it waits for the gate. It is not what the others wait for, but may wait for their end. */
static bool is_unstarted(const vef_engine *engine, uint32_t who) {
    return is_strand(engine, who) && engine->strands[who].stage == VEF_STAGE_UNSTARTED;
}

/* Reports the reason of the stall, or releases a held call. */
static void diagnose(vef_engine *engine, const edge *edges) {
    uint32_t blocked = NO_ONE;
    for (uint32_t who = 0; who < vef_run_end(engine); who++) {
        if (has_ended(engine, who) || is_unstarted(engine, who))
            continue;
        if (has_left(engine, &edges[who])) {
            report_left(engine, who, &edges[who]);
            return;
        }
        if (edges[who].to_ended) {
            report_ended(engine, who, &edges[who]);
            return;
        }
        if (blocked == NO_ONE && is_strand(engine, who))
            blocked = who;
    }
    if (blocked == NO_ONE && engine->gate) {
        vef_stall_set(engine, VEF_STALL_TASK_CYCLE, "no task runs, and some are never started");
        return;
    }
    assert(blocked != NO_ONE);
    /* No wait for an ended task is left: after as many steps as there are waits the chain is in its
     * cycle. */
    for (uint32_t step = 0; step < vef_run_end(engine) && edges[blocked].kind != NOTHING; step++)
        blocked = edges[blocked].to;
    if (release_held(engine, edges, blocked))
        return;
    if (edges[blocked].kind != NOTHING) {
        report_cycle(engine, edges, blocked);
        return;
    }
    char text[384];
    describe(engine, blocked, &edges[blocked], text, sizeof text);
    vef_stall_set(engine, VEF_STALL_TASK_CYCLE, "%s", text);
}

vef_code vef_stall_diagnose(vef_engine *engine) {
    char text[VEF_MESSAGE_BYTES] = "";
    if (vef_netmodel_deadlock(engine->network, text, sizeof text)) {
        vef_stall_set(engine, VEF_STALL_NETWORK_DEADLOCK, "%s", text);
        return VEF_OK;
    }
    if (engine->in_flight)
        return vef_fail(engine->error, VEF_FAILED,
                        "the network model '%s' is idle but has not delivered %llu messages",
                        engine->network->kind->name, (unsigned long long)engine->in_flight);
    end_open_calls(engine);
    if (engine->ended == engine->strand_count ||
        vef_wakeups_first(&engine->wakeups) != VEF_NO_WAKEUP)
        return VEF_OK; /* or calls of other threads continue now */
    edge *edges = vef_calloc(vef_run_end(engine), sizeof *edges);
    vef_sync_name_waits(engine);
    find_edges(engine, edges);
    diagnose(engine, edges);
    free(edges);
    return VEF_OK;
}
