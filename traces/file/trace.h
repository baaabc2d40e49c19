/* Reading a trace: header, communicators, and one stream of events per task, in bounded memory. */
#ifndef VEF_TRACES_FILE_TRACE_H
#define VEF_TRACES_FILE_TRACE_H

#include "common/status.h"
#include "traces/event.h"
#include "traces/format/measured.h"
#include "traces/format/site.h"
#include "traces/format/under_way.h"
#include "traces/log/log.h"

enum {
    VEF_TASK_LIMIT = 1 << 24,
    VEF_SITE_LIMIT = 1 << 20
}; /* no trace has more tasks, or call sites */

typedef struct vef_trace vef_trace;
typedef struct vef_stream vef_stream;

typedef struct vef_trace_task {
    uint64_t events;
    uint64_t requests;  /* numbers used: 0 … requests-1 */
    vef_log_end end;    /* VEF_LOG_CUT: cut short after `events` */
    vef_log_end record; /* end of the task in the capture; differs from `end` in slices only */
    uint32_t threads;   /* its streams: 0 … threads-1; 1 at least */
    uint64_t skipped;   /* events before its first one here that its log dropped (a ring) */
} vef_trace_task;

typedef struct vef_trace_header {
    uint32_t version;
    uint32_t tasks;
    const char *application; /* any of these may be "" */
    const char *command;
    const char *library;
    const char *clock;
    const char *options;
    const char *date;  /* ISO 8601 UTC */
    const char *times; /* "all", or "compute": no durations, gaps in steps of 100 ns */
    int exit_status;
    uint64_t events, messages, message_bytes; /* point-to-point sends that transfer something */
    const vef_trace_task *task;               /* per task */
    const uint64_t *not_recorded;             /* per call number (vef_call_count entries) */
    const uint64_t *not_recorded_ns;          /* time inside these calls, summed over tasks */
    vef_left_out left_out; /* calls left out by choice, summed over tasks; NULL: there are none */
    const vef_measured *measured; /* per task; NULL: not known */
    uint32_t site_count;          /* 0: events have no call sites */
    const vef_site *sites;        /* by number - 1 */
    uint32_t communicator_count;
    const vef_communicator *communicators; /* the world, a self per task that used it, … */
} vef_trace_header;

/* The input of the sentences of measured.h. */
static inline vef_measured_run vef_trace_measured(const vef_trace_header *header) {
    return (vef_measured_run){header->tasks, header->measured, &header->left_out, header->options};
}

/* Whether a call under way names only tasks, communicators and sites of the header. */
bool vef_trace_has_under_way(const vef_trace_header *header, const vef_under_way *record);

/* The site of an event; NULL: not known. */
static inline const vef_site *vef_trace_site(const vef_trace_header *header, uint32_t number) {
    return number > 0 && number <= header->site_count ? &header->sites[number - 1] : NULL;
}

/* Opens and checks the header, the index and the communicators. A truncated file opens with its
 * whole blocks, and sets `*missing` (if not NULL) to a sentence that says what is missing, owned by
 * the trace; NULL when the file is complete. */
vef_code vef_trace_open(const char *path, vef_trace **trace, const char **missing,
                        vef_error *error);
void vef_trace_close(vef_trace *trace);
const vef_trace_header *vef_trace_get_header(const vef_trace *trace);
const char *vef_trace_path(const vef_trace *trace);
uint64_t vef_trace_bytes(const vef_trace *trace); /* of the file, when it was opened */

/* The calls that threads of killed tasks were in, by task and thread; owned by the trace. */
vef_code vef_trace_under_way(vef_trace *trace, const vef_under_way **list, size_t *count,
                             vef_error *error);

/* The events of one thread of a task, from its first. Streams are independent of each other and
 * may be read on different threads, and must be closed before the trace. Each holds one
 * decompressed block. event->entered orders the
 * events of a task's threads. */
vef_code vef_stream_open(vef_trace *trace, uint32_t task, uint32_t thread, vef_stream **stream,
                         vef_error *error);
void vef_stream_close(vef_stream *stream);

/* Durations of calls are not decoded from now on, except those of polls and flushes of windows
 * where the wall clock measured gaps: the others are 0. Before the first event. */
void vef_stream_skip_durations(vef_stream *stream);
/* Nor are the ticks of a task of one thread: its event k has 2k and 2k + 1. Likewise. */
void vef_stream_skip_ticks(vef_stream *stream);
/* Prefetches what the next event needs: first `near` false, some time later `near` true. */
void vef_stream_prefetch(const vef_stream *stream, bool near);
/* The next event, or NULL in `*event` at the end. Valid until the next call on the same stream. */
vef_code vef_stream_next(vef_stream *stream, const vef_event **event, vef_error *error);

/* Whether the tasks, communicators, root and requests that an event names exist, and its lists have
 * the right lengths; `requests`: one past the greatest number of a request so far. Events of
 * streams have been checked. */
vef_code vef_event_check(const vef_trace_header *header, uint64_t requests, const vef_event *event,
                         vef_error *error);

#endif
