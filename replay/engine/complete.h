/* What the completion of a message means to its task, and requests. */
#ifndef VEF_REPLAY_ENGINE_COMPLETE_H
#define VEF_REPLAY_ENGINE_COMPLETE_H

#include "replay/engine/executor.h"

/* One of the task's messages is complete now, its other side being ready since `since_ps`. It
 * costs `cost_ps` of the processor that waits for it. */
void vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_ps,
                       uint64_t cost_ps);
/* The strand enters a call that completes requests: it needs those that the call completed in the
 * recorded run. */
void vef_task_wait(vef_engine *engine, uint32_t strand);
/* Records a request that was just started and is not complete: one more part of it is in progress,
 * which VEF_TOKEN_REQUEST completes. */
void vef_task_note_request(vef_engine *engine, uint32_t task, uint64_t request);
/* Records a request that was just started and will be complete at a later time that is known. */
void vef_task_note_due(vef_engine *engine, uint32_t task, uint64_t request, uint64_t due_ps);
/* Records a receive that was complete when started: its processor time is not paid yet. */
void vef_task_note_owed(vef_engine *engine, uint32_t task, uint64_t request, uint64_t cost_ps);
/* A part of a request is complete. */
void vef_task_complete_request(vef_engine *engine, uint32_t task, uint64_t request,
                               uint64_t since_ps, uint64_t cost_ps);
/* Accounts blocked time up to now of strands that wait for the request, as vef_strand_account. */
void vef_task_account_request(vef_engine *engine, uint32_t task, uint64_t request,
                              uint64_t since_ps);
/* Of a task with threads: the strand's call has returned, so its requests have started, and other
 * threads that already wait for them may continue if they are complete. */
void vef_task_note_started(vef_engine *engine, uint32_t strand);
/* Whether a strand is in a call that waits for the request. */
bool vef_strand_waits_for_request(const vef_engine *engine, uint32_t strand, uint64_t request);

#endif
