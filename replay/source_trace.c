/* A trace file as a source of events. */
#include "replay/source.h"

#include <stdlib.h>

typedef struct trace_source {
    vef_source source;
    vef_trace *trace;
    const vef_trace_header *header;
    vef_stream **streams;
} trace_source;

static vef_code next_of_trace(vef_source *source, uint32_t task, uint32_t thread,
                              const vef_event **event, vef_error *error) {
    (void)thread;
    return vef_stream_next(((trace_source *)source)->streams[task], event, error);
}

static uint32_t threads_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].threads;
}

static vef_log_end end_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].end;
}

vef_code vef_source_open_trace(vef_trace *trace, vef_source **source, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    trace_source *self = calloc(1, sizeof *self);
    vef_stream **streams = calloc(header->tasks ? header->tasks : 1, sizeof *streams);
    if (!self || !streams) {
        free(self);
        free(streams);
        return vef_fail_memory(error, "the streams of a trace",
                               header->tasks * (unsigned long long)sizeof *streams);
    }
    self->source = (vef_source){.tasks = header->tasks,
                                .communicator_count = header->communicator_count,
                                .communicators = header->communicators,
                                .events = header->events,
                                .not_recorded = header->not_recorded,
                                .threads = threads_of_trace,
                                .next = next_of_trace,
                                .end = end_of_trace};
    self->trace = trace;
    self->header = header;
    self->streams = streams;
    for (uint32_t task = 0; task < header->tasks; task++) {
        vef_code code = vef_stream_open(trace, task, 0, &streams[task], error);
        if (code != VEF_OK) {
            vef_source_close_trace(&self->source);
            return code;
        }
    }
    *source = &self->source;
    return VEF_OK;
}

void vef_source_close_trace(vef_source *source) {
    trace_source *self = (trace_source *)source;
    if (!self)
        return;
    for (uint32_t task = 0; task < self->source.tasks; task++)
        if (self->streams[task])
            vef_stream_close(self->streams[task]);
    free(self->streams);
    free(self);
}

vef_code vef_replay(vef_trace *trace, vef_netmodel *network, const uint32_t *mapping,
                    const vef_replay_options *options, vef_progress *progress,
                    vef_replay_result *result, vef_error *error) {
    *result = (vef_replay_result){0};
    vef_source *source = NULL;
    vef_code code = vef_source_open_trace(trace, &source, error);
    if (code != VEF_OK)
        return code;
    code = vef_replay_source(source, network, mapping, options, progress, result, error);
    vef_source_close_trace(source);
    return code;
}
