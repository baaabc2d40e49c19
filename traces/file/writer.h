/* Writing a trace: header and communicators first, then the events of the tasks, one task after
 * another or interleaved, then what is known at the end. The file appears under its name only when
 * it is complete. */
#ifndef VEF_TRACES_FILE_WRITER_H
#define VEF_TRACES_FILE_WRITER_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/file/trace.h"

typedef struct vef_writer vef_writer;

/* Begins the trace `path`. Of the header it takes tasks, the texts (NULL is ""), exit_status and
 * the communicators; the rest is counted while writing. */
vef_code vef_writer_open(const char *path, const vef_trace_header *header, vef_writer **writer,
                         vef_error *error);

/* Writes the calls that threads of tasks were in when they were killed; before the first event,
 * once at most. */
vef_code vef_writer_under_way(vef_writer *writer, const vef_under_way *list, size_t count,
                              vef_error *error);

/* Appends an event to its thread's stream of a task (trace form, see event.h); threads have numbers
 * below VEF_THREAD_LIMIT. Each thread with events of a task without its end holds one block in
 * memory. */
vef_code vef_writer_event(vef_writer *writer, uint32_t task, const vef_event *event,
                          vef_error *error);

/* Says how a task ended, after its last event; a task that was never ended counts as cut short. */
vef_code vef_writer_end_task(vef_writer *writer, uint32_t task, vef_log_end end, vef_error *error);

/* Says how a task ended in the capture that the trace is a slice of; without this call: as
 * vef_writer_end_task says. */
void vef_writer_record(vef_writer *writer, uint32_t task, vef_log_end record);

/* Says how many events before a task's first its log dropped (vef_log_facts.skipped). */
void vef_writer_skipped(vef_writer *writer, uint32_t task, uint64_t events);

/* Adds to the count of a call that the trace does not hold, and to the time inside it. */
void vef_writer_not_recorded(vef_writer *writer, uint16_t call, uint64_t times, uint64_t inside_ns);

/* The same for a call that was left out by choice. */
void vef_writer_left_out(vef_writer *writer, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Says how the times of a task were measured. */
vef_code vef_writer_measured(vef_writer *writer, uint32_t task, const vef_measured *measured,
                             vef_error *error);

/* Number of events so far. */
uint64_t vef_writer_events(const vef_writer *writer);

/* Completing fails, from now on, rather than replace a file that stands there by then. */
void vef_writer_keep_existing(vef_writer *writer);

/* Completes the file and frees the writer; on failure nothing is left behind. */
vef_code vef_writer_finish(vef_writer *writer, vef_error *error);

/* Frees the writer and removes what was written. NULL is fine. */
void vef_writer_discard(vef_writer *writer);

#endif
