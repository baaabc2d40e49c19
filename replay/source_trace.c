/* A trace file as a source of events. */
#include "common/memory.h"
#include "replay/source.h"

#include <stdlib.h>

typedef struct trace_source {
    vef_source source;
    vef_trace *trace;
    const vef_trace_header *header;
    vef_stream **streams; /* of task 0's threads, then of task 1's, … */
    size_t *first;        /* per task: the stream of its thread 0; one more at the end */
} trace_source;

/* Streams are opened when their first event is needed: of several processes that replay a trace
 * each opens those of its own tasks. */
static vef_code open_stream(const trace_source *opened, uint32_t task, uint32_t thread,
                            vef_stream **stream, vef_error *error) {
    const vef_code code = vef_stream_open(opened->trace, task, thread, stream, error);
    if (code != VEF_OK)
        return code;
    vef_stream_skip_durations(*stream);
    vef_stream_skip_ticks(*stream);
    return VEF_OK;
}

static vef_code next_of_trace(vef_source *source, uint32_t task, uint32_t thread,
                              const vef_event **event, vef_error *error) {
    const trace_source *opened = (const trace_source *)source;
    vef_stream **stream = &opened->streams[opened->first[task] + thread];
    const vef_code code = *stream ? VEF_OK : open_stream(opened, task, thread, stream, error);
    return code == VEF_OK ? vef_stream_next(*stream, event, error) : code;
}

static void prefetch_of_trace(const vef_source *source, uint32_t task, uint32_t thread, bool near) {
    const trace_source *opened = (const trace_source *)source;
    const vef_stream *stream = opened->streams[opened->first[task] + thread];
    if (stream)
        vef_stream_prefetch(stream, near);
}

static uint32_t threads_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].threads;
}

static vef_log_end end_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].end;
}

static void close_streams(const trace_source *opened) {
    for (size_t i = 0; opened->streams && i < opened->first[opened->source.tasks]; i++) {
        if (opened->streams[i])
            vef_stream_close(opened->streams[i]);
        opened->streams[i] = NULL;
    }
}

static vef_code restart_trace(vef_source *source, vef_error *error) {
    (void)error;
    close_streams((const trace_source *)source);
    return VEF_OK;
}

vef_source *vef_source_open_trace(vef_trace *trace) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    trace_source *opened = vef_calloc(1, sizeof *opened);
    opened->source = (vef_source){.tasks = header->tasks,
                                  .communicator_count = header->communicator_count,
                                  .communicators = header->communicators,
                                  .events = header->events,
                                  .not_recorded = header->not_recorded,
                                  .measured = vef_trace_measured(header),
                                  .threads = threads_of_trace,
                                  .next = next_of_trace,
                                  .prefetch = prefetch_of_trace,
                                  .restart = restart_trace,
                                  .divisible = true,
                                  .end = end_of_trace};
    opened->trace = trace;
    opened->header = header;
    opened->first = vef_calloc((size_t)header->tasks + 1, sizeof *opened->first);
    for (uint32_t task = 0; task < header->tasks; task++)
        opened->first[task + 1] = opened->first[task] + header->task[task].threads;
    const size_t count = opened->first[header->tasks];
    opened->streams = vef_calloc(count ? count : 1, sizeof *opened->streams);
    return &opened->source;
}

void vef_source_close_trace(vef_source *source) {
    trace_source *opened = (trace_source *)source;
    if (!opened)
        return;
    close_streams(opened);
    free(opened->streams);
    free(opened->first);
    free(opened);
}

vef_code vef_replay(vef_trace *trace, vef_netmodel *network, const uint32_t *mapping,
                    const vef_replay_options *options, vef_progress *progress,
                    vef_replay_result *result, vef_error *error) {
    vef_source *source = vef_source_open_trace(trace);
    const vef_code code =
        vef_replay_source(source, network, mapping, options, progress, result, error);
    vef_source_close_trace(source);
    return code;
}
