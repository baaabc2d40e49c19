/* The run of all tasks. See restore.h for its rules. */
#include "interchange/otf2/restore/run.h"

#include "common/grow.h"
#include "common/memory.h"
#include "traces/call.h"

#include <stdlib.h>
#include <string.h>

#define NONE VEF_OTF2_NONE
#define EVER UINT64_MAX

typedef struct runner {
    vef_otf2_restore *self;
    vef_otf2_walk *walks;
    bool *sent;        /* per message */
    uint32_t *waiting; /* per message: the task that waits for it; UINT32_MAX */
    uint32_t *ready;   /* tasks that can go on */
    size_t ready_count;
    uint32_t released; /* task that was made ready last */
} runner;

/* ---- messages ---- */

/* Whether the task waits for the message. */
static bool waits_for(runner *on, vef_otf2_walk *at, uint64_t message) {
    if (on->sent[message] || at->skips)
        return false;
    at->awaited = message;
    on->waiting[message] = at->number;
    return true;
}

static void send(runner *on, uint64_t message) {
    on->sent[message] = true;
    if (on->waiting[message] != UINT32_MAX)
        on->ready[on->ready_count++] = on->waiting[message];
    on->waiting[message] = UINT32_MAX;
}

/* ---- completing ---- */

typedef enum outcome { NOTHING, DONE, WAITS } outcome;

static outcome complete(vef_otf2_walk *at, size_t number, uint64_t message) {
    vef_otf2_restored *task = at->task;
    vef_grow(&task->list, &task->room, task->count + 1, sizeof *task->list);
    task->list[task->count++] = (vef_otf2_completed){
        .request = number,
        .message = message,
        .sent = at->requests[number].receive ? VEF_OTF2_NO_MESSAGE
                                             : task->steps[at->requests[number].started].message};
    task->messages[number] = message;
    at->requests[number].done = true;
    return DONE;
}

static void count_received(vef_otf2_walk *at, vef_otf2_sender *from) {
    from->received++;
    from->last_received = ++at->received;
}

/* A receive that was posted at `step` takes the message. */
static void note_order(vef_otf2_walk *at, size_t place, size_t step) {
    vef_otf2_channel *of = &at->channels[at->channel_of[place]];
    if (of->posted <= step)
        of->posted = step + 1;
}

/* Gives the receive a message, as soon as that is sent. */
static outcome complete_receive(runner *on, vef_otf2_walk *at, size_t number, uint64_t until_ns) {
    at->posted = at->requests[number].started;
    if (!at->held && !vef_otf2_walk_choose(at, until_ns, VEF_OTF2_WISH_ANY, &at->choice) &&
        !vef_otf2_walk_choose(at, until_ns, VEF_OTF2_WISH_RISKY, &at->choice))
        return NOTHING;
    const vef_otf2_choice choice = at->choice;
    at->held = true;
    if (choice.place != NONE && waits_for(on, at, at->mine[choice.place]))
        return WAITS;
    at->held = false;
    if (choice.place != NONE && !on->sent[at->mine[choice.place]])
        return NOTHING;
    if (choice.place == NONE) {
        count_received(at, &at->nowhere);
        on->self->nowhere++;
        at->task->nowhere[number] = true;
        return complete(at, number, VEF_OTF2_NO_MESSAGE);
    }
    count_received(at, &at->senders[choice.sender]);
    at->taken[choice.place] = true;
    note_order(at, choice.place, at->requests[number].started);
    at->channels[at->channel_of[choice.place]].taken++;
    on->self->receives++;
    on->self->choices += !choice.alone;
    return complete(at, number, at->mine[choice.place]);
}

static size_t oldest(vef_otf2_walk *at, const size_t *list, size_t *head, size_t end) {
    while (*head < end && at->requests[list[*head]].done)
        ++*head;
    return *head < end ? list[*head] : NONE;
}

/* One of the requests that the call is due to complete. */
static outcome complete_due(runner *on, vef_otf2_walk *at, uint64_t until_ns) {
    outcome done = NOTHING;
    if (at->ways & VEF_OTF2_IN_ORDER)
        return NOTHING;
    for (size_t i = at->first_due[at->step]; i != NONE && done == NOTHING;
         i = at->requests[i].next_due)
        if (!at->requests[i].done)
            done = at->requests[i].receive ? complete_receive(on, at, i, until_ns)
                                           : complete(at, i, VEF_OTF2_NO_MESSAGE);
    return done;
}

static outcome complete_one(runner *on, vef_otf2_walk *at) {
    const vef_otf2_step *call = &at->task->steps[at->step];
    outcome done = complete_due(on, at, call->at_ns);
    const size_t receive = oldest(at, at->receives, &at->receive_head, at->receive_end);
    const size_t send = oldest(at, at->sends, &at->send_head, at->send_end);
    if (done == NOTHING && receive != NONE)
        done = complete_receive(on, at, receive, call->at_ns);
    if (done != NOTHING)
        return done;
    const size_t later = at->next_all[at->step];
    if (send != NONE && (call->call == VEF_CALL_Wait || later == NONE ||
                         (at->requests[send].due != NONE && later > at->requests[send].due)))
        return complete(at, send, VEF_OTF2_NO_MESSAGE);
    /* An MPI_Wait does complete one. */
    if (send != NONE || receive == NONE || call->call != VEF_CALL_Wait ||
        at->requests[receive].due != at->step)
        return NOTHING;
    done = complete_receive(on, at, receive, EVER);
    on->self->early += done == DONE;
    return done;
}

static outcome complete_all(runner *on, vef_otf2_walk *at) {
    const vef_otf2_step *call = &at->task->steps[at->step];
    outcome done = DONE;
    oldest(at, at->receives, &at->receive_head, at->receive_end);
    oldest(at, at->sends, &at->send_head, at->send_end);
    for (size_t i = at->receive_head; i < at->receive_end && done == DONE; i++)
        if (!at->requests[at->receives[i]].done)
            done = complete_receive(on, at, at->receives[i], call->at_ns);
    for (size_t i = at->receive_head;
         i < at->receive_end && done != WAITS && call->call == VEF_CALL_Waitall; i++) {
        const size_t number = at->receives[i];
        if (at->requests[number].done || at->requests[number].due != at->step)
            continue;
        done = complete_receive(on, at, number, EVER);
        on->self->early += done == DONE;
    }
    for (size_t i = at->send_head; i < at->send_end && done != WAITS; i++)
        if (!at->requests[at->sends[i]].done)
            done = complete(at, at->sends[i], VEF_OTF2_NO_MESSAGE);
    return done;
}

/* ---- steps ---- */

/* A receive that the archive states takes the next message with its envelope. */
static outcome take_stated(runner *on, vef_otf2_walk *at) {
    vef_otf2_channel *found = vef_otf2_walk_channel(at, &at->task->steps[at->step]);
    at->task->steps[at->step].message = VEF_OTF2_NO_MESSAGE;
    if (!found)
        return DONE;
    while (found->next < found->first + found->count && at->taken[at->sorted[found->next]])
        found->next++;
    if (found->next < found->first + found->count) {
        const size_t place = at->sorted[found->next];
        if (waits_for(on, at, at->mine[place]))
            return WAITS;
        at->taken[place] = true;
        at->task->steps[at->step].message = at->mine[place];
        const uint64_t *sender = vef_map64_get(&at->sender_of, at->task->steps[at->step].sender);
        if (sender)
            count_received(at, &at->senders[*sender]);
        note_order(at, place, at->step);
    }
    found->stated_seen++;
    return DONE;
}

static void start(vef_otf2_walk *at, const vef_otf2_step *step) {
    if (step->kind == VEF_OTF2_STEP_START_SEND) {
        at->task->nowhere[at->started] = step->message == VEF_OTF2_NO_MESSAGE;
        at->sends[at->send_end++] = at->started++;
    } else {
        at->receives[at->receive_end++] = at->started++;
    }
}

/* All that wait for the collective can go on. */
static void open_gate(runner *on, vef_otf2_gate *gate) {
    while (gate->waiting != UINT32_MAX) {
        on->ready[on->ready_count++] = gate->waiting;
        gate->waiting = on->walks[gate->waiting].next_waiting;
    }
    gate->open = true;
}

static outcome arrive(runner *on, vef_otf2_walk *at, const vef_otf2_step *step) {
    vef_otf2_gate *gate = &on->self->gates[step->message];
    if (at->begun || gate->open)
        return DONE;
    gate->arrived++;
    if (gate->arrived < gate->size) {
        at->begun = true;
        at->next_waiting = gate->waiting;
        gate->waiting = at->number;
        return WAITS;
    }
    open_gate(on, gate);
    return DONE;
}

static outcome take_step(runner *on, vef_otf2_walk *at) {
    const vef_otf2_step *step = &at->task->steps[at->step];
    outcome done = DONE;
    vef_otf2_sender *partner;
    switch (step->kind) {
    case VEF_OTF2_STEP_SEND:
    case VEF_OTF2_STEP_START_SEND:
        partner = vef_otf2_walk_partner(at, step);
        if (partner)
            partner->sent++;
        if (step->message != VEF_OTF2_NO_MESSAGE)
            send(on, step->message);
        if (step->kind == VEF_OTF2_STEP_START_SEND)
            start(at, step);
        return DONE;
    case VEF_OTF2_STEP_START_RECEIVE:
        start(at, step);
        return DONE;
    case VEF_OTF2_STEP_RECEIVE:
        return take_stated(on, at);
    case VEF_OTF2_STEP_COLLECTIVE:
        return arrive(on, at, step);
    case VEF_OTF2_STEP_COMPLETE:
        if (vef_otf2_walk_completes(at->task, at->step))
            done =
                vef_otf2_walk_is_for_one(step->call) ? complete_one(on, at) : complete_all(on, at);
        if (done != WAITS)
            at->task->ends[at->task->call_count++] = at->task->count;
        return done;
    default:
        return DONE;
    }
}

/* Until the task waits, or ends. */
static void go_on(runner *on, vef_otf2_walk *at) {
    at->awaited = VEF_OTF2_NO_MESSAGE;
    while (at->step < at->task->step_count) {
        if (take_step(on, at) == WAITS)
            return;
        at->step++;
        at->begun = at->skips = false;
    }
}

/* ---- when all wait ---- */

static bool is_running(const vef_otf2_walk *at) {
    return at->step < at->task->step_count;
}

/* A task that waits for a message goes on with another one, which is sent. */
static bool release_with_other(runner *on, vef_otf2_wish wish) {
    for (uint32_t i = 0; i < on->self->task_count; i++) {
        const uint32_t task = (on->released + i) % on->self->task_count;
        vef_otf2_walk *at = &on->walks[task];
        vef_otf2_choice other;
        if (!is_running(at) || at->task->steps[at->step].kind != VEF_OTF2_STEP_COMPLETE ||
            !vef_otf2_walk_choose(at, at->task->steps[at->step].at_ns, wish, &other))
            continue;
        on->waiting[at->awaited] = UINT32_MAX;
        at->choice = other;
        at->choice.alone = false;
        on->released = task;
        on->ready[on->ready_count++] = task;
        return true;
    }
    return false;
}

/* A task goes on without what it waits for; rather a message than a collective. */
static bool release_without(runner *on) {
    vef_otf2_walk *stuck = NULL;
    for (uint32_t task = 0; task < on->self->task_count; task++) {
        vef_otf2_walk *at = &on->walks[task];
        if (is_running(at) && (!stuck || (stuck->awaited == VEF_OTF2_NO_MESSAGE &&
                                          at->awaited != VEF_OTF2_NO_MESSAGE)))
            stuck = at;
    }
    if (!stuck)
        return false;
    on->self->stuck++;
    if (stuck->awaited == VEF_OTF2_NO_MESSAGE) {
        open_gate(on, &on->self->gates[stuck->task->steps[stuck->step].message]);
        return true;
    }
    on->waiting[stuck->awaited] = UINT32_MAX;
    stuck->skips = true;
    on->ready[on->ready_count++] = stuck->number;
    return true;
}

static void run(runner *on) {
    for (uint32_t task = on->self->task_count; task-- > 0;)
        on->ready[on->ready_count++] = task;
    do {
        while (on->ready_count > 0)
            go_on(on, &on->walks[on->ready[--on->ready_count]]);
    } while (release_with_other(on, VEF_OTF2_WISH_SENT) ||
             release_with_other(on, VEF_OTF2_WISH_SENT_RISKY) || release_without(on));
    for (uint32_t task = 0; task < on->self->task_count; task++)
        for (size_t i = 0; i < on->walks[task].receive_end; i++)
            on->self->open += !on->walks[task].requests[on->walks[task].receives[i]].done;
}

void vef_otf2_restore_run(vef_otf2_restore *self, vef_otf2_walk *walks) {
    const size_t messages = self->message_count + 1;
    runner on = {.self = self,
                 .walks = walks,
                 .sent = vef_calloc(messages, sizeof *on.sent),
                 .waiting = vef_malloc(messages * sizeof *on.waiting),
                 .ready = vef_calloc(self->task_count + 1ull, sizeof *on.ready)};
    memset(on.waiting, 0xff, messages * sizeof *on.waiting);
    for (uint32_t task = 0; task < self->task_count; task++)
        walks[task].sent = on.sent;
    run(&on);
    free(on.sent);
    free(on.waiting);
    free(on.ready);
}
