/* A replay that its caller advances step by step, for networks that the caller drives. */
#ifndef VEF_REPLAY_STEPPED_H
#define VEF_REPLAY_STEPPED_H

#include "replay/source.h"

typedef struct vef_stepped vef_stepped;

/* Begins a replay; arguments as those of vef_replay_source. All but the options must outlive it,
 * and what these refer to. The tasks have not run yet. */
vef_code vef_stepped_begin(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_stepped **stepped,
                           vef_error *error);
/* When a task can continue without the network; VEF_FOREVER: none can. */
uint64_t vef_stepped_next(const vef_stepped *stepped);
/* Whether the network has messages. */
bool vef_stepped_waits(const vef_stepped *stepped);
/* Runs up to `until_ps`, including what happens then; VEF_FOREVER: to the end, or until nothing
 * can continue, which is a stall. `*ended`: the replay has ended or stalled; it is not run again.
 */
vef_code vef_stepped_run(vef_stepped *stepped, uint64_t until_ps, bool *ended, vef_error *error);
/* Whether a task has ended, and then when. */
bool vef_stepped_task_ended(const vef_stepped *stepped, uint32_t task, uint64_t *end_ps);
/* Completes the result, once; it is valid until the replay is destroyed. If the replay has not
 * ended, its stall is `stall`, with `text`. */
vef_code vef_stepped_finish(vef_stepped *stepped, vef_stall stall, const char *text,
                            const vef_replay_result **result, vef_error *error);
void vef_stepped_destroy(vef_stepped *stepped); /* NULL is fine */

#endif
