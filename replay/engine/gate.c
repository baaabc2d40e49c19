/* Tasks that start when a gate says so (replay/gate.h). */
#include "replay/engine/engine.h"

#include <stdlib.h>

void vef_gate_close(vef_engine *engine) {
    for (uint32_t strand = 0; strand < engine->strand_count; strand++)
        engine->strands[strand].stage = VEF_STAGE_UNSTARTED;
}

static vef_code start_task(vef_engine *engine, uint32_t task) {
    vef_task *self = &engine->tasks[task];
    self->start_ps = engine->now_ps;
    for (uint32_t i = 0; i < self->strand_count; i++) {
        engine->strands[self->first_strand + i].stage = VEF_STAGE_FETCH;
        engine->strands[self->first_strand + i].cpu_ps = engine->now_ps;
        VEF_REPORT(engine->listeners, starts, self->first_strand + i, engine->now_ps);
        vef_strand_wake(engine, self->first_strand + i);
    }
    return vef_hosts_place(engine, task);
}

vef_code vef_gate_run(vef_engine *engine) {
    const vef_replay_gate *gate = engine->gate;
    vef_code code = VEF_OK;
    while (code == VEF_OK && gate->next(gate->context) <= engine->now_ps) {
        vef_gate_start start = {0};
        code = gate->act(gate->context, engine->now_ps, &start, engine->error);
        if (start.count == 0)
            continue;
        free(engine->broadcasts.places); /* they are listed again */
        engine->broadcasts.places = NULL;
        engine->event_ps = engine->now_ps;
        for (uint32_t i = 0; i < start.count && code == VEF_OK; i++)
            code = start_task(engine, start.first + i);
    }
    return code;
}
