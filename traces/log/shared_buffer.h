/* Recorded but unwritten events: the buffer of each thread is a file beside the log, in memory
 * shared by the task and the file. A task that is killed without warning therefore loses nothing;
 * the interval of writing the log matters only for a failure of its host. The file is
 * task-000007.JOB.0.live beside task-000007.JOB.vlog, for thread 0; a closed log leaves none. */
#ifndef VEF_TRACES_LOG_SHARED_BUFFER_H
#define VEF_TRACES_LOG_SHARED_BUFFER_H

#include "common/status.h"
#include "traces/format/codec.h"
#include "traces/format/under_way.h"

#include <stdbool.h>

typedef struct vef_live vef_live;

/* Writes the file name for a log and a thread to `path`, of `bytes`. False if it is too long.
 */
bool vef_live_path(const char *log, uint32_t thread, char *path, size_t bytes);

/* Creates the file, with reserved disk space for a block, and makes `encoder`, which is empty,
 * build its pieces there. NULL if that is impossible (no space, no shared memory): then the encoder
 * keeps its memory. */
vef_live *vef_live_make(const char *path, uint32_t task, uint32_t thread, vef_encoder *encoder);

/* The encoder, whose columns have been written to the log, begins another piece. */
void vef_live_begin(vef_live *live, const vef_encoder *encoder);

/* The encoder has encoded this event. Until this call a reader finds the previous state. Costs two
 * stores and a few multiplications. */
void vef_live_publish(vef_live *live, const vef_encoder *encoder, const vef_event *event);

/* The slot of the file's thread. May be written at any time, also after vef_live_free. */
vef_slot *vef_live_slot(vef_live *live);

/* Releases the memory, except the slot's page, and unless `kept` the file; free the encoder before.
 * NULL is fine.
 */
void vef_live_free(vef_live *live, bool kept);

/* Reads the file of a dead task: the current piece up to the first damaged event, with its columns
 * one after another in `*raw` (malloc; NULL: no events), and the number of events that the thread
 * had recorded in all its pieces. VEF_CORRUPT or VEF_VERSION: nothing of it can be read. */
vef_code vef_live_read(const char *path, uint32_t gap_unit, bool sites, vef_piece *piece,
                       uint8_t **raw, uint64_t *published, vef_error *error);

/* Reads the file's slot. False if there is no such file, or nothing was published. */
bool vef_live_under_way(const char *path, vef_under_way *under_way);

/* Observes the file of a task that runs on this host, for a snapshot of several files at one
 * moment. NULL if there is no such file. */
typedef struct vef_live_view vef_live_view;
vef_live_view *vef_live_watch(const char *path);
void vef_live_unwatch(vef_live_view *view);

/* Records the extent of the task's piece at this moment. False while that is undetermined. */
bool vef_live_observe(vef_live_view *view);
/* Whether the extent is unchanged. */
bool vef_live_unchanged(const vef_live_view *view);
/* Copies the observed state into an empty file, for vef_live_read. False if the task has begun
 * another piece meanwhile, or writing failed. */
bool vef_live_copy(const vef_live_view *view, int file);

#endif
