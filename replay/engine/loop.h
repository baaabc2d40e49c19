/* The main loop of a replay, its memory (prepare.c), and its end (stall.c, finish.c). */
#ifndef VEF_REPLAY_ENGINE_LOOP_H
#define VEF_REPLAY_ENGINE_LOOP_H

#include "replay/engine/executor.h"

/* An engine whose first fields, up to `gate`, are set, and `policy`. Releasing one that
 * failed, or was never prepared, is fine. */
vef_code vef_engine_prepare(vef_engine *engine);
void vef_engine_release(vef_engine *engine);
/* The memory that a part has for itself; `part` is a copy of the whole. */
void vef_engine_prepare_part(vef_engine *part);
void vef_engine_release_part(vef_engine *part);

/* Wakes all strands, once. */
void vef_engine_begin(vef_engine *engine);
/* Runs up to `until_ps`, including what happens then, or, VEF_FOREVER, to the end. It ends
 * early when the replay has ended or the result names a stall. */
vef_code vef_engine_run(vef_engine *engine, uint64_t until_ps);
/* Deliveries of one time of the network, which is now. */
vef_code vef_engine_deliver(vef_engine *engine, const vef_net_delivery *deliveries, size_t count);
/* When a strand, a plan, a job or a pending delivery can continue without the network; VEF_FOREVER:
 * none. */
uint64_t vef_engine_next(const vef_engine *engine);
/* Whether nothing is left to do after the last event of all strands. */
bool vef_engine_ended(const vef_engine *engine);
/* parts.c: why the replay, which is to begin, is not divided; NULL: it is. */
const char *vef_parts_exclude(const vef_engine *engine);
/* Runs it to the end, on threads or on ranks of the network; `*repeat`: what it has found is
 * reported only by a replay that is not divided, and the network is of no more use. */
vef_code vef_parts_run(vef_engine *engine, bool *repeat);
/* Completes the result, whether the replay has ended or stalled. */
vef_code vef_engine_finish(vef_engine *engine);
/* Nothing can continue: stores the reason in the result (stall.c). */
vef_code vef_stall_diagnose(vef_engine *engine);

#endif
