/* Collectives: their plans, run step by step. */
#ifndef VEF_REPLAY_ENGINE_COLLECTIVE_H
#define VEF_REPLAY_ENGINE_COLLECTIVE_H

#include "replay/engine/executor.h"

/* Enters the collective of the strand's event: its plan is ready to run in the strand (empty if
 * nothing moves), or, if the call only starts it, runs in the background from now on. */
vef_code vef_plan_enter(vef_engine *engine, uint32_t strand);
/* Starts eligible steps of the strand's plan; `*finished` when every step is complete. */
vef_code vef_plan_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* Continues a background plan whose wake-up is due. */
vef_code vef_plan_run_beside(vef_engine *engine, uint32_t who);
/* With processors: the next step starts; its job lasts until then. */
vef_code vef_plan_start_step(vef_engine *engine, uint32_t who, uint64_t until_ps);

#endif
