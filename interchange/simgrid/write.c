/* Writing SimGrid's time-independent traces (Casanova, Desprez, Markomanolis, Suter, "Simulation of
 * MPI applications with time-independent traces", CCPE 27(5), 2015), as `smpirun -replay FILE`
 * reads them: FILE names one file per task, here FILE.0, FILE.1, …; a line of those is an action.
 *
 * Computation is in flops of the platform's hosts: ns are written, so the hosts' speed has to be 1
 * Gflop/s. A receive is named by sender, receiver and tag, and so is a request that is waited for:
 * each message has a tag of its own. Collectives of the whole world are SimGrid's own; those of
 * other communicators, and those with counts beyond 32 bits, are written as the messages of their
 * plans. Sizes are counts of bytes (datatype 6). */
#include "common/file.h"
#include "interchange/walk/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char byte_type[] = "6";

typedef struct simgrid {
    const char *path;
    double reduce_ns_per_byte;
    uint32_t tasks, task;
    vef_output index, output; /* output: the file of the task */
    bool open;
    FILE *out;
    uint64_t lines;
    uint64_t marks;           /* messages started in this task */
    vef_walk_message pending; /* started, but not yet written */
    bool is_pending;
} simgrid;

static void put_message(simgrid *self, const char *verb, const vef_walk_message *message) {
    fprintf(self->out, "%" PRIu32 " %s%s %" PRIu32 " %" PRIu32 " %" PRIu64 " %s\n", self->task,
            verb, message->send ? "send" : "recv", message->peer, message->tag, message->bytes,
            byte_type);
    self->lines++;
}

/* A message is buffered until it is known whether the next action waits for it. */
static void flush(simgrid *self) {
    if (self->is_pending)
        put_message(self, "i", &self->pending);
    self->is_pending = false;
}

static void start(void *to, uint32_t chain, vef_walk_message *message) {
    simgrid *self = to;
    (void)chain;
    flush(self);
    message->mark = self->marks++;
    self->pending = *message;
    self->is_pending = true;
}

static void wait(void *to, uint32_t chain, const vef_walk_message *const *messages, size_t count) {
    simgrid *self = to;
    (void)chain;
    if (count == 1 && self->is_pending && self->pending.mark == messages[0]->mark) {
        self->is_pending = false;
        put_message(self, "", messages[0]);
        return;
    }
    flush(self);
    for (size_t i = 0; i < count; i++) {
        uint32_t from = messages[i]->send ? self->task : messages[i]->peer;
        uint32_t into = messages[i]->send ? messages[i]->peer : self->task;
        fprintf(self->out, "%" PRIu32 " wait %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", self->task,
                from, into, messages[i]->tag);
        self->lines++;
    }
}

static void compute(void *to, uint32_t chain, uint64_t ns) {
    simgrid *self = to;
    (void)chain;
    flush(self);
    fprintf(self->out, "%" PRIu32 " compute %" PRIu64 "\n", self->task, ns);
    self->lines++;
}

/* ---- collectives ---- */

static bool small(uint64_t bytes) {
    return bytes <= INT32_MAX;
}

static uint64_t sum(const uint64_t *list, uint32_t count) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += list[i] > INT32_MAX ? UINT64_C(1) << 40 : list[i];
    return total;
}

/* Counts per rank, zeros where this task does not know them. */
static void put_list(simgrid *self, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < self->tasks; i++)
        fprintf(self->out, " %" PRIu64, i < count ? list[i] : 0);
}

static void put_types(simgrid *self) {
    fprintf(self->out, " %s %s\n", byte_type, byte_type);
}

static uint64_t combining(const simgrid *self, uint64_t bytes) {
    return (uint64_t)((double)bytes * self->reduce_ns_per_byte);
}

/* The action of a collective; false if there is none. */
static bool put_collective(simgrid *self, const vef_event *event) {
    FILE *out = self->out;
    const uint64_t bytes = event->bytes;
    const int root = event->root;
    switch (vef_call_base(event->call)) {
    case VEF_CALL_Barrier:
        fprintf(out, "%" PRIu32 " barrier\n", self->task);
        return true;
    case VEF_CALL_Bcast:
        fprintf(out, "%" PRIu32 " bcast %" PRIu64 " %d %s\n", self->task, bytes, root, byte_type);
        return true;
    case VEF_CALL_Reduce:
        fprintf(out, "%" PRIu32 " reduce %" PRIu64 " %" PRIu64 " %d %s\n", self->task, bytes,
                combining(self, bytes), root, byte_type);
        return true;
    case VEF_CALL_Allreduce:
    case VEF_CALL_Scan:
    case VEF_CALL_Exscan:
        fprintf(out, "%" PRIu32 " %s %" PRIu64 " %" PRIu64 " %s\n", self->task,
                vef_call_base(event->call) == VEF_CALL_Allreduce ? "allreduce"
                : vef_call_base(event->call) == VEF_CALL_Scan    ? "scan"
                                                                 : "exscan",
                bytes, combining(self, bytes), byte_type);
        return true;
    case VEF_CALL_Gather:
    case VEF_CALL_Scatter:
        fprintf(out, "%" PRIu32 " %s %" PRIu64 " %" PRIu64 " %d", self->task,
                vef_call_base(event->call) == VEF_CALL_Gather ? "gather" : "scatter", bytes, bytes,
                root);
        put_types(self);
        return true;
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
        fprintf(out, "%" PRIu32 " %s %" PRIu64 " %" PRIu64, self->task,
                vef_call_base(event->call) == VEF_CALL_Allgather ? "allgather" : "alltoall", bytes,
                bytes);
        put_types(self);
        return true;
    case VEF_CALL_Gatherv:
    case VEF_CALL_Allgatherv:
        fprintf(out, "%" PRIu32 " %s %" PRIu64, self->task,
                vef_call_base(event->call) == VEF_CALL_Gatherv ? "gatherv" : "allgatherv", bytes);
        put_list(self, event->receive_bytes, event->receive_count);
        if (vef_call_base(event->call) == VEF_CALL_Gatherv)
            fprintf(out, " %d", root);
        put_types(self);
        return true;
    case VEF_CALL_Scatterv:
        fprintf(out, "%" PRIu32 " scatterv", self->task);
        put_list(self, event->send_bytes, event->send_count);
        fprintf(out, " %" PRIu64 " %d", bytes, root);
        put_types(self);
        return true;
    case VEF_CALL_Alltoallv:
        fprintf(out, "%" PRIu32 " alltoallv %" PRIu64, self->task,
                sum(event->send_bytes, event->send_count));
        put_list(self, event->send_bytes, event->send_count);
        fprintf(out, " %" PRIu64, sum(event->receive_bytes, event->receive_count));
        put_list(self, event->receive_bytes, event->receive_count);
        put_types(self);
        return true;
    case VEF_CALL_Reduce_scatter:
        fprintf(out, "%" PRIu32 " reducescatter", self->task);
        put_list(self, event->receive_bytes, event->receive_count);
        fprintf(out, " %" PRIu64 " %s\n", combining(self, bytes), byte_type);
        return true;
    default:
        return false;
    }
}

/* SimGrid counts in int: also the total that a rank receives must fit. Every member decides the
 * same, from common knowledge: the vectors of a root are known to it only, so such calls are always
 * accepted. */
static bool fits(const simgrid *self, const vef_event *event) {
    switch (vef_call_base(event->call)) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Reduce:
    case VEF_CALL_Allreduce:
    case VEF_CALL_Scan:
    case VEF_CALL_Exscan:
        return small(event->bytes);
    case VEF_CALL_Gather:
    case VEF_CALL_Scatter:
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
        return small(event->bytes) && small(event->bytes * self->tasks);
    case VEF_CALL_Allgatherv:
    case VEF_CALL_Reduce_scatter:
        return event->receive_count == self->tasks &&
               small(sum(event->receive_bytes, event->receive_count));
    default:
        return true;
    }
}

static bool collective(void *to, uint32_t chain, const vef_event *event, bool world) {
    simgrid *self = to;
    (void)chain;
    if (!world || vef_call_kind(event->call) != VEF_KIND_COLLECTIVE || !fits(self, event))
        return false;
    flush(self);
    const bool taken = put_collective(self, event);
    self->lines += taken;
    return taken;
}

/* ---- files ---- */

static vef_code begin_task(void *to, uint32_t task, uint32_t threads, vef_error *error) {
    simgrid *self = to;
    (void)threads;
    char suffix[16];
    snprintf(suffix, sizeof suffix, ".%" PRIu32, task);
    char *path = vef_file_beside(self->path, suffix);
    vef_code code = vef_output_open(&self->output, path, error);
    if (!code)
        fprintf(self->index.stream, "%s\n", path);
    free(path);
    if (code)
        return code;
    self->open = true;
    self->task = task;
    self->out = self->output.stream;
    self->marks = 0;
    fprintf(self->out, "%" PRIu32 " init\n", task);
    self->lines++;
    return VEF_OK;
}

static vef_code end_task(void *to, vef_error *error) {
    simgrid *self = to;
    flush(self);
    fprintf(self->out, "%" PRIu32 " finalize\n", self->task);
    self->lines++;
    self->open = false;
    self->output.more_follow = true; /* the index */
    return vef_output_commit(&self->output, error);
}

vef_code vef_simgrid_write(const char *path, vef_trace *trace, const vef_format_options *options,
                           vef_format_report *report, vef_error *error) {
    *report = (vef_format_report){0};
    simgrid self = {.path = path,
                    .reduce_ns_per_byte = options->reduce_ns_per_byte,
                    .tasks = vef_trace_get_header(trace)->tasks};
    vef_code code = vef_output_open(&self.index, path, error);
    if (code)
        return code;
    const vef_walk_sink sink = {.self = &self,
                                .begin_task = begin_task,
                                .compute = compute,
                                .start = start,
                                .wait = wait,
                                .collective = collective,
                                .end_task = end_task};
    code = vef_walk(trace, options, &sink, report, error);
    report->lines = self.lines;
    if (self.open)
        vef_output_discard(&self.output);
    if (!code)
        return vef_output_commit(&self.index, error);
    vef_output_discard(&self.index);
    return code;
}
