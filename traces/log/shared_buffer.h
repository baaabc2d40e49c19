/* What a task has recorded and not yet written: the buffer of each of its threads lies in a file
 * beside the log, in memory that the task and the file share. So when the task is killed, without
 * warning, everything that it recorded is there; how often it writes its log decides only over what
 * is lost with its host. The file is task-000007.JOB.0.live beside task-000007.JOB.vlog, for thread
 * 0; a log that was closed leaves none. */
#ifndef VEF_TRACES_LOG_SHARED_BUFFER_H
#define VEF_TRACES_LOG_SHARED_BUFFER_H

#include "common/status.h"
#include "traces/format/codec.h"
#include "traces/format/under_way.h"

#include <stdbool.h>

typedef struct vef_live vef_live;

/* The name of the file for a log and a thread; in `path`, of `bytes`. False where it is too long.
 */
bool vef_live_path(const char *log, uint32_t thread, char *path, size_t bytes);

/* Makes the file, with room for a block and that room reserved on its disk, and has `encoder`,
 * which is empty, build its pieces there. NULL where that cannot be (no room, no shared memory):
 * then the encoder keeps its own. */
vef_live *vef_live_make(const char *path, uint32_t task, uint32_t thread, vef_encoder *encoder);

/* The encoder has taken another event, or begun another piece. Until then a survivor finds what was
 * told before. Costs a few stores. */
void vef_live_tell(vef_live *live, const vef_encoder *encoder);

/* The slot of the file's thread. It may be written to at any time, also after vef_live_free. */
vef_slot *vef_live_slot(vef_live *live);

/* Gives up the memory, but for the slot's page, and unless `kept` the file; the encoder must be
 * freed before. NULL is fine.
 */
void vef_live_free(vef_live *live, bool kept);

/* Reads the file of a task that is no more: the piece under way, with as many of its events as
 * decode, and its columns one behind the other in `*raw` (malloc). `*raw` is NULL where there is no
 * such file, where it is not one, or where it holds no event. */
vef_code vef_live_read(const char *path, uint32_t gap_unit, vef_piece *piece, uint8_t **raw,
                       vef_error *error);

/* Reads what the file's slot says. False where there is no such file, or where nothing was said. */
bool vef_live_under_way(const char *path, vef_under_way *under_way);

/* A look at the file of a task that runs on this host: for a snapshot of several files at one
 * moment. NULL where there is no such file. */
typedef struct vef_live_view vef_live_view;
vef_live_view *vef_live_watch(const char *path);
void vef_live_unwatch(vef_live_view *view);

/* Takes down how far the task's piece goes at this moment. False while it cannot be told. */
bool vef_live_observe(vef_live_view *view);
/* Whether that is still so. */
bool vef_live_unchanged(const vef_live_view *view);
/* Copies what was observed into an empty file, for vef_live_read. False where the task has begun
 * another piece in the meantime, or writing failed. */
bool vef_live_copy(const vef_live_view *view, int file);

#endif
