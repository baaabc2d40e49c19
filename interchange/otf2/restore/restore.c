/* Messages and completions that an archive does not state. See restore.h. */
#include "interchange/otf2/restore/restore.h"

#include "common/grow.h"
#include "common/memory.h"
#include <stdlib.h>

void vef_otf2_restore_begin(vef_otf2_restore *self, uint32_t tasks) {
    *self =
        (vef_otf2_restore){.task_count = tasks, .tasks = vef_calloc(tasks, sizeof *self->tasks)};
}

void vef_otf2_restore_step(vef_otf2_restore *self, uint32_t task, vef_otf2_step step) {
    vef_otf2_restored *to = &self->tasks[task];
    vef_grow(&to->steps, &to->step_room, to->step_count + 1, sizeof *to->steps);
    to->steps[to->step_count++] = step;
}

uint64_t vef_otf2_restore_message(vef_otf2_restore *self, vef_otf2_message message) {
    vef_grow(&self->messages, &self->message_room, self->message_count + 1, sizeof *self->messages);
    self->messages[self->message_count] = message;
    return self->message_count++;
}

void vef_otf2_restore_collective(vef_otf2_restore *self, uint32_t task, uint32_t size,
                                 vef_otf2_step step) {
    vef_map64 *collectives = &self->tasks[task].collectives;
    const uint64_t *known = vef_map64_get(collectives, step.comm);
    const uint64_t number = known ? *known : 0, key = (uint64_t)step.comm << 32 | number;
    const uint64_t *place = vef_map64_get(&self->gate_of, key);
    step.message = place ? *place : self->gate_count;
    vef_grow(&self->gates, &self->gate_room, self->gate_count + 1, sizeof *self->gates);
    if (!place)
        self->gates[self->gate_count++] = (vef_otf2_gate){.size = size, .waiting = UINT32_MAX};
    self->gates[step.message].members++;
    vef_map64_set(&self->gate_of, key, step.message);
    vef_map64_set(collectives, step.comm, number + 1);
    vef_otf2_restore_step(self, task, step);
}

void vef_otf2_restore_release(vef_otf2_restore *self) {
    for (uint32_t task = 0; self->tasks && task < self->task_count; task++) {
        free(self->tasks[task].steps);
        free(self->tasks[task].list);
        free(self->tasks[task].ends);
        free(self->tasks[task].messages);
        free(self->tasks[task].nowhere);
        vef_map64_free(&self->tasks[task].collectives);
    }
    free(self->tasks);
    free(self->messages);
    free(self->gates);
    vef_map64_free(&self->gate_of);
}
