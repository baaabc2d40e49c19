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

static vef_code next_of_trace(vef_source *source, uint32_t task, uint32_t thread,
                              const vef_event **event, vef_error *error) {
    const trace_source *self = (const trace_source *)source;
    return vef_stream_next(self->streams[self->first[task] + thread], event, error);
}

static void prefetch_of_trace(const vef_source *source, uint32_t task, uint32_t thread, bool near) {
    const trace_source *self = (const trace_source *)source;
    vef_stream_prefetch(self->streams[self->first[task] + thread], near);
}

static uint32_t threads_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].threads;
}

static vef_log_end end_of_trace(const vef_source *source, uint32_t task) {
    return ((const trace_source *)source)->header->task[task].end;
}

static void close_streams(const trace_source *self) {
    for (size_t i = 0; self->streams && i < self->first[self->source.tasks]; i++) {
        if (self->streams[i])
            vef_stream_close(self->streams[i]);
        self->streams[i] = NULL;
    }
}

static vef_code open_each(const trace_source *self, vef_error *error) {
    const vef_trace_header *header = self->header;
    for (uint32_t task = 0; task < header->tasks; task++)
        for (uint32_t thread = 0; thread < header->task[task].threads; thread++) {
            vef_code code = vef_stream_open(self->trace, task, thread,
                                            &self->streams[self->first[task] + thread], error);
            if (code != VEF_OK)
                return code;
            vef_stream_skip_durations(self->streams[self->first[task] + thread]);
        }
    return VEF_OK;
}

static vef_code restart_trace(vef_source *source, vef_error *error) {
    const trace_source *self = (const trace_source *)source;
    close_streams(self);
    return open_each(self, error);
}

static vef_code open_streams(trace_source *self, vef_error *error) {
    const vef_trace_header *header = self->header;
    self->first = vef_calloc((size_t)header->tasks + 1, sizeof *self->first);
    for (uint32_t task = 0; task < header->tasks; task++)
        self->first[task + 1] = self->first[task] + header->task[task].threads;
    const size_t count = self->first[header->tasks];
    self->streams = vef_calloc(count ? count : 1, sizeof *self->streams);
    return open_each(self, error);
}

vef_code vef_source_open_trace(vef_trace *trace, vef_source **source, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    trace_source *self = vef_calloc(1, sizeof *self);
    self->source = (vef_source){.tasks = header->tasks,
                                .communicator_count = header->communicator_count,
                                .communicators = header->communicators,
                                .events = header->events,
                                .not_recorded = header->not_recorded,
                                .measured = vef_trace_measured(header),
                                .threads = threads_of_trace,
                                .next = next_of_trace,
                                .prefetch = prefetch_of_trace,
                                .restart = restart_trace,
                                .end = end_of_trace};
    self->trace = trace;
    self->header = header;
    vef_code code = open_streams(self, error);
    if (code == VEF_OK)
        *source = &self->source;
    else
        vef_source_close_trace(&self->source);
    return code;
}

void vef_source_close_trace(vef_source *source) {
    trace_source *self = (trace_source *)source;
    if (!self)
        return;
    close_streams(self);
    free(self->streams);
    free(self->first);
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
