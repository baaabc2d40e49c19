/* Threads of tasks: the operations of their calls (operations.c), their polls (polls.c), and their
 * program counters (strand.c). */
#ifndef VEF_REPLAY_ENGINE_STRAND_H
#define VEF_REPLAY_ENGINE_STRAND_H

#include "replay/engine/executor.h"

/* ---- operations.c ---- */

/* The strand enters a probe: it needs the messages that the call saw in the recorded run. */
vef_code vef_task_probe(vef_engine *engine, uint32_t strand);
/* The strand enters a call that transfers nothing; some affect a request. */
void vef_task_enter_local(vef_engine *engine, uint32_t strand);
/* Starts the operations of the strand's event; `*pause` when the processor is busy until later. */
vef_code vef_task_start_operations(vef_engine *engine, uint32_t strand, bool *pause);
vef_code vef_task_start_single(vef_engine *engine, uint32_t strand, bool *pause);

/* ---- polls.c ---- */

/* The computation before the strand's event, which is a poll or has `after_poll`, by the task's
 * scale. */
uint64_t vef_polling_gap_ps(vef_engine *engine, uint32_t strand, const vef_time_scale *scale);

/* ---- strand.c ---- */

/* Continues a strand whose wake-up is due. */
vef_code vef_strand_run(vef_engine *engine, uint32_t strand);
/* The time before the strand's event passes: in computation, then outside. */
vef_code vef_strand_pass_gap(vef_engine *engine, uint32_t strand);
/* A held strand enters its call before earlier calls of other threads have ended. */
void vef_strand_release(vef_engine *engine, uint32_t strand);
/* The strand ends: with its last event, or in a call that never returned. */
void vef_strand_end(vef_engine *engine, uint32_t strand);
/* The first unfinished call of another thread of the task that had returned before the strand's
 * event was entered: it must end before this one begins. Number of the strand in that call;
 * VEF_NO_STRAND. */
int64_t vef_strand_held_by(const vef_engine *engine, uint32_t strand);

#endif
