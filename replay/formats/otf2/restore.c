/* Messages and completions that an archive does not state. See restore.h. */
#include "replay/formats/otf2/restore.h"

#include "common/grow.h"
#include "replay/formats/otf2/restore_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

vef_code vef_otf2_restore_begin(vef_otf2_restore *self, uint32_t tasks, vef_error *error) {
    *self = (vef_otf2_restore){.task_count = tasks, .tasks = calloc(tasks, sizeof *self->tasks)};
    return self->tasks ? VEF_OK : vef_fail_memory(error, "tasks", tasks * sizeof *self->tasks);
}

vef_code vef_otf2_restore_step(vef_otf2_restore *self, uint32_t task, vef_otf2_step step,
                               vef_error *error) {
    vef_otf2_restored *to = &self->tasks[task];
    vef_code code = vef_grow_for(&to->steps, &to->step_room, to->step_count + 1, sizeof *to->steps,
                                 "calls", error);
    if (!code)
        to->steps[to->step_count++] = step;
    return code;
}

vef_code vef_otf2_restore_message(vef_otf2_restore *self, vef_otf2_message message, uint64_t *place,
                                  vef_error *error) {
    vef_code code = vef_grow_for(&self->messages, &self->message_room, self->message_count + 1,
                                 sizeof *self->messages, "messages", error);
    if (code)
        return code;
    *place = self->message_count;
    self->messages[self->message_count++] = message;
    return VEF_OK;
}

/* ---- a cycle among receives that the clocks contradict ---- */

typedef struct run_through {
    const vef_otf2_restore *self;
    bool *sent;        /* per message */
    uint32_t *waiting; /* per message: the task that waits for it */
    size_t *steps;     /* per task: the next one */
    size_t *calls;     /* per task: those that complete, so far */
    size_t *done;      /* per task: completions of the present call, so far */
    uint32_t *ready;   /* tasks that can go on */
    size_t ready_count;
} run_through;

/* The message that the step waits for, if it is not sent yet. */
static uint64_t awaited(const run_through *at, uint32_t task) {
    const vef_otf2_restored *of = &at->self->tasks[task];
    const vef_otf2_step *step = &of->steps[at->steps[task]];
    if (step->kind == VEF_OTF2_STEP_RECEIVE)
        return step->message != VEF_OTF2_NO_MESSAGE && !at->sent[step->message]
                   ? step->message
                   : VEF_OTF2_NO_MESSAGE;
    if (step->kind != VEF_OTF2_STEP_COMPLETE)
        return VEF_OTF2_NO_MESSAGE;
    for (; at->done[task] < of->ends[at->calls[task]]; at->done[task]++) {
        const uint64_t message = of->list[at->done[task]].message;
        if (message != VEF_OTF2_NO_MESSAGE && !at->sent[message])
            return message;
    }
    at->calls[task]++;
    return VEF_OTF2_NO_MESSAGE;
}

static void go_on(run_through *at, uint32_t task) {
    const vef_otf2_restored *of = &at->self->tasks[task];
    for (; at->steps[task] < of->step_count; at->steps[task]++) {
        const vef_otf2_step *step = &of->steps[at->steps[task]];
        const uint64_t message = awaited(at, task);
        if (message != VEF_OTF2_NO_MESSAGE) {
            at->waiting[message] = task;
            return;
        }
        if ((step->kind != VEF_OTF2_STEP_SEND && step->kind != VEF_OTF2_STEP_START_SEND) ||
            step->message == VEF_OTF2_NO_MESSAGE)
            continue;
        at->sent[step->message] = true;
        if (at->waiting[step->message] != UINT32_MAX)
            at->ready[at->ready_count++] = at->waiting[step->message];
    }
}

static vef_code run(run_through *at, vef_error *error) {
    const vef_otf2_restore *self = at->self;
    for (uint32_t task = self->task_count; task-- > 0;)
        at->ready[at->ready_count++] = task;
    while (at->ready_count > 0)
        go_on(at, at->ready[--at->ready_count]);
    for (uint32_t task = 0; task < self->task_count; task++)
        if (at->steps[task] < self->tasks[task].step_count)
            return vef_fail(error, VEF_CORRUPT,
                            "task %" PRIu32 ": the clocks of the tasks contradict each other: "
                            "%" PRIu64 " receives return before any message was sent that they "
                            "could have got, and they cannot be matched without a cycle",
                            task, self->early);
    return VEF_OK;
}

static vef_code check_cycles(const vef_otf2_restore *self, vef_error *error) {
    const size_t tasks = self->task_count + 1ull, messages = self->message_count + 1;
    run_through at = {.self = self,
                      .sent = calloc(messages, sizeof *at.sent),
                      .waiting = malloc(messages * sizeof *at.waiting),
                      .steps = calloc(tasks, sizeof *at.steps),
                      .calls = calloc(tasks, sizeof *at.calls),
                      .done = calloc(tasks, sizeof *at.done),
                      .ready = calloc(tasks, sizeof *at.ready)};
    vef_code code = at.sent && at.waiting && at.steps && at.calls && at.done && at.ready
                        ? VEF_OK
                        : vef_fail_memory(error, "messages", messages * sizeof *at.waiting);
    if (!code) {
        memset(at.waiting, 0xff, messages * sizeof *at.waiting);
        code = run(&at, error);
    }
    free(at.sent);
    free(at.waiting);
    free(at.steps);
    free(at.calls);
    free(at.done);
    free(at.ready);
    return code;
}

/* ---- all tasks ---- */

vef_code vef_otf2_restore_finish(vef_otf2_restore *self, vef_error *error) {
    size_t *first = calloc(self->task_count + 2ull, sizeof *first);
    size_t *mine = malloc((self->message_count + 1) * sizeof *mine);
    vef_code code = VEF_OK;
    if (!first || !mine)
        code = vef_fail_memory(error, "messages", self->message_count * sizeof *mine);
    if (!code) { /* by receiver; `first` is one place ahead while they are filled in */
        for (size_t i = 0; i < self->message_count; i++)
            first[self->messages[i].receiver + 2]++;
        for (uint32_t task = 0; task < self->task_count; task++)
            first[task + 2] += first[task + 1];
        for (size_t i = 0; i < self->message_count; i++)
            mine[first[self->messages[i].receiver + 1]++] = i;
    }
    for (uint32_t task = 0; task < self->task_count && !code; task++)
        code = vef_otf2_restore_task(self, task, mine + first[task], first[task + 1] - first[task],
                                     error);
    free(first);
    free(mine);
    return code || self->early == 0 ? code : check_cycles(self, error);
}

void vef_otf2_restore_release(vef_otf2_restore *self) {
    for (uint32_t task = 0; self->tasks && task < self->task_count; task++) {
        free(self->tasks[task].steps);
        free(self->tasks[task].list);
        free(self->tasks[task].ends);
        free(self->tasks[task].messages);
        free(self->tasks[task].nowhere);
    }
    free(self->tasks);
    free(self->messages);
}
