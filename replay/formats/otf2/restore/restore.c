/* Messages and completions that an archive does not state. See restore.h. */
#include "replay/formats/otf2/restore/restore.h"

#include "common/grow.h"
#include "common/memory.h"
#include <stdlib.h>

vef_code vef_otf2_restore_begin(vef_otf2_restore *self, uint32_t tasks, vef_error *error) {
    *self =
        (vef_otf2_restore){.task_count = tasks, .tasks = vef_calloc(tasks, sizeof *self->tasks)};
    return VEF_OK;
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

vef_code vef_otf2_restore_collective(vef_otf2_restore *self, uint32_t task, uint32_t size,
                                     vef_otf2_step step, vef_error *error) {
    vef_map64 *collectives = &self->tasks[task].collectives;
    const uint64_t *known = vef_map64_get(collectives, step.comm);
    const uint64_t number = known ? *known : 0, key = (uint64_t)step.comm << 32 | number;
    const uint64_t *place = vef_map64_get(&self->gate_of, key);
    step.message = place ? *place : self->gate_count;
    vef_code code = vef_grow_for(&self->gates, &self->gate_room, self->gate_count + 1,
                                 sizeof *self->gates, "collectives", error);
    if (!code && !place)
        self->gates[self->gate_count++] = (vef_otf2_gate){.size = size, .waiting = UINT32_MAX};
    if (!code)
        self->gates[step.message].members++;
    if (!code && !vef_map64_set(&self->gate_of, key, step.message))
        code = vef_fail_memory(error, "collectives", vef_map64_bytes(&self->gate_of));
    if (!code && !vef_map64_set(collectives, step.comm, number + 1))
        code = vef_fail_memory(error, "collectives", vef_map64_bytes(collectives));
    return code ? code : vef_otf2_restore_step(self, task, step, error);
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
