/* Messages in the order in which their receives are posted. See run.h. */
#include "common/memory.h"
#include "interchange/otf2/restore/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- exchanging ---- */

/* The place in `mine` of a message to the task. */
static size_t place_of(const vef_otf2_walk *at, uint64_t message) {
    size_t low = 0, high = at->count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (at->mine[middle] <= message)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The receives of a channel get its messages in the order of their steps. True: some got another
 * one. */
static bool exchange(vef_otf2_walk *at) {
    vef_otf2_restored *task = at->task;
    bool some = false;
    size_t request = 0;
    for (size_t i = 0; i < at->channel_count; i++)
        at->channels[i].next = at->channels[i].first;
    for (size_t i = 0; i < task->step_count; i++) {
        vef_otf2_step *step = &task->steps[i];
        const bool starts = step->kind == VEF_OTF2_STEP_START_RECEIVE;
        uint64_t *message = starts ? &task->messages[request] : &step->message;
        request += starts || step->kind == VEF_OTF2_STEP_START_SEND;
        if ((!starts && step->kind != VEF_OTF2_STEP_RECEIVE) || *message == VEF_OTF2_NO_MESSAGE)
            continue;
        vef_otf2_channel *of = &at->channels[at->channel_of[place_of(at, *message)]];
        const uint64_t next = at->mine[at->sorted[of->next++]];
        some |= *message != next;
        *message = next;
    }
    for (size_t i = 0; i < task->count; i++)
        task->list[i].message = task->messages[task->list[i].request];
    return some;
}

/* ---- the second run ---- */

typedef struct rerun {
    vef_otf2_restore *self;
    bool synchronous; /* sends wait for their receives to be posted */
    bool *sent;       /* per message */
    size_t *posted;   /* per message: the receiver's step after which it is posted */
    size_t *steps;    /* per task: the next one */
    size_t *calls;    /* per task: those that complete, so far */
    bool *arrived;    /* per task: at the collective that it waits for */
} rerun;

static bool is_there(const rerun *on, uint64_t message) {
    return message == VEF_OTF2_NO_MESSAGE || on->sent[message];
}

/* Whether the receive of a sent message is posted. */
static bool is_posted(const rerun *on, uint64_t message) {
    return message == VEF_OTF2_NO_MESSAGE ||
           on->steps[on->self->messages[message].receiver] >= on->posted[message];
}

static bool all_there(rerun *on, uint32_t number) {
    const vef_otf2_restored *task = &on->self->tasks[number];
    const size_t call = on->calls[number];
    for (size_t i = call ? task->ends[call - 1] : 0; i < task->ends[call]; i++)
        if (!is_there(on, task->list[i].message) ||
            (on->synchronous && !is_posted(on, task->list[i].sent)))
            return false;
    on->calls[number]++;
    return true;
}

/* Whether the task can leave its next step. */
static bool leaves(rerun *on, uint32_t number) {
    const vef_otf2_restored *task = &on->self->tasks[number];
    const vef_otf2_step *step = &task->steps[on->steps[number]];
    vef_otf2_gate *gate;
    switch (step->kind) {
    case VEF_OTF2_STEP_SEND:
    case VEF_OTF2_STEP_START_SEND:
        if (step->message == VEF_OTF2_NO_MESSAGE)
            return true;
        on->sent[step->message] = true;
        return !on->synchronous || step->kind != VEF_OTF2_STEP_SEND || is_posted(on, step->message);
    case VEF_OTF2_STEP_RECEIVE:
        return is_there(on, step->message);
    case VEF_OTF2_STEP_COLLECTIVE:
        gate = &on->self->gates[step->message];
        gate->arrived += !on->arrived[number];
        on->arrived[number] = gate->arrived < gate->size && gate->members >= gate->size;
        return !on->arrived[number];
    case VEF_OTF2_STEP_COMPLETE:
        return all_there(on, number);
    default:
        return true;
    }
}

/* A blocking receive is posted when its task is there; one that is never posted holds nothing up.
 */
static void find_posts(rerun *on) {
    for (size_t i = 0; i < on->self->message_count; i++)
        on->posted[i] = 0;
    for (uint32_t number = 0; number < on->self->task_count; number++) {
        const vef_otf2_restored *task = &on->self->tasks[number];
        size_t request = 0;
        for (size_t i = 0; i < task->step_count; i++) {
            const vef_otf2_step *step = &task->steps[i];
            const bool starts = step->kind == VEF_OTF2_STEP_START_RECEIVE;
            const uint64_t message = starts ? task->messages[request] : step->message;
            request += starts || step->kind == VEF_OTF2_STEP_START_SEND;
            if ((starts || step->kind == VEF_OTF2_STEP_RECEIVE) && message != VEF_OTF2_NO_MESSAGE)
                on->posted[message] = i + starts;
        }
    }
}

/* Rounds over all tasks, until none goes on. True: all have ended. */
static bool run_again(rerun *on, bool synchronous) {
    bool some = true, all = true;
    on->synchronous = synchronous;
    memset(on->sent, 0, on->self->message_count + 1);
    memset(on->steps, 0, on->self->task_count * sizeof *on->steps);
    memset(on->calls, 0, on->self->task_count * sizeof *on->calls);
    memset(on->arrived, 0, on->self->task_count * sizeof *on->arrived);
    for (size_t i = 0; i < on->self->gate_count; i++)
        on->self->gates[i].arrived = 0;
    while (some) {
        some = false;
        all = true;
        for (uint32_t task = 0; task < on->self->task_count; task++) {
            const size_t steps = on->self->tasks[task].step_count;
            for (; on->steps[task] < steps && leaves(on, task); on->steps[task]++)
                some = true;
            all &= on->steps[task] == steps;
        }
    }
    return all;
}

bool vef_otf2_restore_order(vef_otf2_restore *self, vef_otf2_walk *walks) {
    const size_t tasks = self->task_count + 1ull;
    bool some = false;
    for (uint32_t task = 0; task < self->task_count; task++)
        some |= exchange(&walks[task]);
    rerun on = {.self = self,
                .sent = vef_calloc(self->message_count + 1, sizeof *on.sent),
                .posted = vef_calloc(self->message_count + 1, sizeof *on.posted),
                .steps = vef_calloc(tasks, sizeof *on.steps),
                .calls = vef_calloc(tasks, sizeof *on.calls),
                .arrived = vef_calloc(tasks, sizeof *on.arrived)};
    find_posts(&on);
    const bool ends = (!some && self->stuck == 0) || run_again(&on, false);
    self->eager_only = ends && !run_again(&on, true);

    free(on.sent);
    free(on.posted);
    free(on.steps);
    free(on.calls);
    free(on.arrived);
    return ends;
}
