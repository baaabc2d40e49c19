/* Writing SimGrid's time-independent traces (simgrid.h), as `smpirun -replay FILE` reads them: FILE
 * names one file per task, here FILE.0, FILE.1, …; a line of those is an action.
 *
 * Computation is in flops of the platform's hosts: ns are written, so the hosts' speed has to be 1
 * Gflop/s. A receive is named by sender, receiver and tag, and so is a request that is waited for:
 * each message has a tag of its own. Collectives of the whole world are SimGrid's own; those of
 * other communicators, and those with counts beyond 32 bits, are written as the messages of their
 * plans. Sizes are counts of bytes. */
#include "common/system/file.h"
#include "interchange/exchange.h"
#include "interchange/simgrid/simgrid.h"
#include "interchange/walk/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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

static void put_message(simgrid *writer, const char *verb, const vef_walk_message *message) {
    fprintf(writer->out, "%" PRIu32 " %s%s %" PRIu32 " %" PRIu32 " %" PRIu64 " %d\n", writer->task,
            verb, message->send ? "send" : "recv", message->peer, message->tag, message->bytes,
            VEF_TI_BYTE);
    writer->lines++;
}

/* A message is buffered until it is known whether the next action waits for it. */
static void flush(simgrid *writer) {
    if (writer->is_pending)
        put_message(writer, "i", &writer->pending);
    writer->is_pending = false;
}

static void start(void *to, uint32_t chain, vef_walk_message *message) {
    simgrid *writer = to;
    (void)chain;
    flush(writer);
    message->mark = writer->marks++;
    writer->pending = *message;
    writer->is_pending = true;
}

static void wait(void *to, uint32_t chain, const vef_walk_message *const *messages, size_t count) {
    simgrid *writer = to;
    (void)chain;
    if (count == 1 && writer->is_pending && writer->pending.mark == messages[0]->mark) {
        writer->is_pending = false;
        put_message(writer, "", messages[0]);
        return;
    }
    flush(writer);
    for (size_t i = 0; i < count; i++) {
        uint32_t from = messages[i]->send ? writer->task : messages[i]->peer;
        uint32_t into = messages[i]->send ? messages[i]->peer : writer->task;
        fprintf(writer->out, "%" PRIu32 " wait %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", writer->task,
                from, into, messages[i]->tag);
        writer->lines++;
    }
}

static void compute(void *to, uint32_t chain, uint64_t ns) {
    simgrid *writer = to;
    (void)chain;
    flush(writer);
    fprintf(writer->out, "%" PRIu32 " compute %" PRIu64 "\n", writer->task, ns);
    writer->lines++;
}

/* ---- collectives ---- */

/* A blank and the number. */
static void put_number(simgrid *writer, uint64_t number) {
    char text[24], *const end = text + sizeof text, *next = end;
    do
        *--next = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    *--next = ' ';
    fwrite(next, 1, (size_t)(end - next), writer->out);
}

/* Counts per rank, zeros where this task does not know them. */
static void put_list(simgrid *writer, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < writer->tasks; i++)
        put_number(writer, i < count ? list[i] : 0);
}

/* The action of a collective; false if there is none. */
static bool put_collective(simgrid *writer, const vef_event *event) {
    const uint16_t call = vef_call_base(event->call);
    const bool sums = call == VEF_CALL_Alltoallv;
    const vef_ti_action *action = vef_ti_actions;
    while (action->name && (action->kind != VEF_TI_COLLECTIVE || action->call != call))
        action++;
    if (!action->name)
        return false;
    fprintf(writer->out, "%" PRIu32 " %s", writer->task, action->name);
    for (const char *letter = action->arguments; *letter; letter++) {
        uint64_t number = event->bytes;
        if (*letter == 'S' || *letter == 'R') {
            const bool send = *letter == 'S';
            put_list(writer, send ? event->send_bytes : event->receive_bytes,
                     send ? event->send_count : event->receive_count);
            continue;
        }
        if (sums)
            number = *letter == 's' ? vef_exchange_sum(event->send_bytes, event->send_count)
                                    : vef_exchange_sum(event->receive_bytes, event->receive_count);
        if (*letter == 'f')
            number = (uint64_t)((double)event->bytes * writer->reduce_ns_per_byte);
        else if (*letter == 'o')
            number = (uint64_t)event->root;
        else if (*letter == 't' || *letter == 'u')
            number = VEF_TI_BYTE;
        put_number(writer, number);
    }
    fputc('\n', writer->out);
    return true;
}

/* SimGrid counts in int: also the total that a rank receives must fit. Every member decides the
 * same, from common knowledge: vectors that differ among the members are always accepted. */
static bool fits(const simgrid *writer, const vef_event *event) {
    const bool vector = vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    const vef_exchange_sums sums = vef_exchange_arguments(event, writer->tasks, true);
    if (vef_call_has(event->call, VEF_FACT_SENDS_EACH) ||
        (vector && vef_call_has(event->call, VEF_FACT_ROOTED)))
        return true;
    return (!vector || event->receive_count == writer->tasks) && sums.sent <= INT32_MAX &&
           sums.received <= INT32_MAX;
}

static bool collective(void *to, uint32_t chain, const vef_event *event, bool world) {
    simgrid *writer = to;
    (void)chain;
    if (!world || vef_call_kind(event->call) != VEF_KIND_COLLECTIVE || !fits(writer, event))
        return false;
    flush(writer);
    const bool taken = put_collective(writer, event);
    writer->lines += taken;
    return taken;
}

/* ---- files ---- */

static vef_code begin_task(void *to, uint32_t task, uint32_t threads, vef_error *error) {
    simgrid *writer = to;
    (void)threads;
    char suffix[16];
    snprintf(suffix, sizeof suffix, ".%" PRIu32, task);
    char *path = vef_file_beside(writer->path, suffix);
    vef_code code = vef_output_open(&writer->output, path, error);
    if (!code)
        fprintf(writer->index.stream, "%s\n", path);
    free(path);
    if (code)
        return code;
    writer->open = true;
    writer->task = task;
    writer->out = writer->output.stream;
    writer->marks = 0;
    fprintf(writer->out, "%" PRIu32 " init\n", task);
    writer->lines++;
    return VEF_OK;
}

static vef_code end_task(void *to, vef_error *error) {
    simgrid *writer = to;
    flush(writer);
    fprintf(writer->out, "%" PRIu32 " finalize\n", writer->task);
    writer->lines++;
    writer->open = false;
    writer->output.more_follow = true; /* the index */
    return vef_output_commit(&writer->output, error);
}

vef_code vef_simgrid_write(const char *path, vef_trace *trace, const vef_format_options *options,
                           vef_format_report *report, vef_error *error) {
    *report = (vef_format_report){0};
    simgrid writer = {.path = path,
                      .reduce_ns_per_byte = options->reduce_ns_per_byte,
                      .tasks = vef_trace_get_header(trace)->tasks};
    vef_code code = vef_output_open(&writer.index, path, error);
    if (code)
        return code;
    const vef_walk_sink sink = {.context = &writer,
                                .begin_task = begin_task,
                                .compute = compute,
                                .start = start,
                                .wait = wait,
                                .collective = collective,
                                .end_task = end_task};
    code = vef_walk(trace, options, &sink, report, error);
    report->lines = writer.lines;
    if (writer.open)
        vef_output_discard(&writer.output);
    if (!code)
        return vef_output_commit(&writer.index, error);
    vef_output_discard(&writer.index);
    return code;
}
