/* Writing a trace: first the header and communicators, then the events of the tasks, one task after
 * another or interleaved, then the summary. The file appears under its name only when complete. */
#ifndef VEF_TRACES_FILE_WRITER_H
#define VEF_TRACES_FILE_WRITER_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/file/trace.h"

typedef struct vef_writer vef_writer;

/* Begins the trace `path`. Uses tasks, texts (NULL is ""), exit_status, communicators and
 * sites of the header; counts the rest while writing. */
vef_code vef_writer_open(const char *path, const vef_trace_header *header, vef_writer **writer,
                         vef_error *error);

/* Writes the calls that threads of killed tasks were in; at most once, before the first event. */
vef_code vef_writer_under_way(vef_writer *writer, const vef_under_way *list, size_t count,
                              vef_error *error);

/* Appends an event to the stream of its thread (trace form, see event.h); thread numbers are below
 * VEF_THREAD_LIMIT. Each thread with events holds one block in memory until the task ends;
 * other threads compress up to 16 more. An error may be that of an earlier event. */
vef_code vef_writer_event(vef_writer *writer, uint32_t task, const vef_event *event,
                          vef_error *error);

/* Sets how a task ended, after its last event; a task without this call counts as cut short. */
vef_code vef_writer_end_task(vef_writer *writer, uint32_t task, vef_log_end end, vef_error *error);

/* Sets how a task ended in the capture of which the trace is a slice; default: as in
 * vef_writer_end_task. */
void vef_writer_record(vef_writer *writer, uint32_t task, vef_log_end record);

/* Sets the number of events before a task's first that its log dropped (vef_log_facts.skipped). */
void vef_writer_skipped(vef_writer *writer, uint32_t task, uint64_t events);

/* Adds to the count of a call that the trace does not store, and to the time inside it. */
void vef_writer_not_recorded(vef_writer *writer, uint16_t call, uint64_t times, uint64_t inside_ns);

/* The same for a call that was left out by choice. */
void vef_writer_left_out(vef_writer *writer, uint16_t call, uint64_t times, uint64_t inside_ns);

/* Both for all calls, by call number. */
void vef_writer_counts(vef_writer *writer, const uint64_t *not_recorded, const uint64_t *ns,
                       const vef_left_out *left_out);

/* Sets how the times of a task were measured. */
void vef_writer_measured(vef_writer *writer, uint32_t task, const vef_measured *measured);

/* Number of events so far. */
uint64_t vef_writer_events(const vef_writer *writer);

/* From now on, completing fails rather than replace an existing file. */
void vef_writer_keep_existing(vef_writer *writer);

/* Completes the file and frees the writer; on failure it removes the file. */
vef_code vef_writer_finish(vef_writer *writer, vef_error *error);

/* Frees the writer and removes the file. NULL is fine. */
void vef_writer_discard(vef_writer *writer);

#endif
