/* The operations of a task's calls. */
#ifndef VEF_REPLAY_ENGINE_OPERATIONS_H
#define VEF_REPLAY_ENGINE_OPERATIONS_H

#include "replay/engine/executor.h"

/* The strand enters a probe: it needs the messages that the call saw in the recorded run. */
vef_code vef_task_probe(vef_engine *engine, uint32_t strand);
/* The strand enters a call that transfers nothing; some affect a request. */
void vef_task_enter_local(vef_engine *engine, uint32_t strand);
/* Starts the operations of the strand's event; `*pause` when the processor is busy until later. */
vef_code vef_task_start_operations(vef_engine *engine, uint32_t strand, bool *pause);
vef_code vef_task_start_single(vef_engine *engine, uint32_t strand, bool *pause);

#endif
