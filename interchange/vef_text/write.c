/* Writing the text form of VEF traces: see vef_text.h. The trace is walked as messages, with the
 * collectives that have a code; the operations go to a temporary file beside the output, from which
 * lines.c makes the lines. These go to another one, since the header depends on them. */
#include "common/memory.h"
#include "common/system/file.h"
#include "interchange/exchange.h"
#include "interchange/vef_text/vef_text.h"
#include "interchange/walk/walk.h"
#include "traces/format/varint.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PIECE_BYTES = 1024, LINES_BYTES = 1 << 16 }; /* of the spools */

typedef struct writing {
    const vef_trace_header *header;
    vef_spool *operations, *lines;
    uint32_t task;
    uint64_t started;                                /* messages of the task */
    uint64_t messages, plan_messages, global, local; /* `local`: calls of a collective */
    uint64_t rootless; /* collectives of 0 bytes with a root that is not rank 0 */
    bool threaded;     /* a task has several threads */
    bool *used;        /* per communicator: the file lists it */
    uint32_t *numbers; /* per communicator: its number in the file */
} writing;

/* ---- operations ---- */

static void put(writing *writer, const vef_item *item) {
    const uint64_t numbers[] = {item->a, item->b, item->c, item->d};
    uint8_t coded[VEF_ITEM_BYTES], *end = vef_put_varint(coded, item->kind);
    for (unsigned i = 0; i < vef_item_numbers[item->kind]; i++)
        end = vef_put_varint(end, numbers[i]);
    vef_spool_add(writer->operations, writer->task, coded, (size_t)(end - coded));
}

static vef_code begin_task(void *to, uint32_t task, uint32_t threads, vef_error *error) {
    writing *writer = to;
    (void)error;
    writer->threaded |= threads > 1;
    writer->task = task;
    writer->started = 0;
    return VEF_OK;
}

static void compute(void *to, uint32_t chain, uint64_t ns) {
    writing *writer = to;
    (void)chain;
    put(writer, &(vef_item){.kind = VEF_ITEM_COMPUTE, .a = ns});
}

static void start(void *to, uint32_t chain, vef_walk_message *message) {
    writing *writer = to;
    (void)chain;
    message->mark = writer->started++;
    writer->messages += message->send;
    writer->plan_messages += message->send && message->tag >= VEF_PLAN_TAGS;
    put(writer, &(vef_item){.kind = message->send ? VEF_ITEM_SEND : VEF_ITEM_RECEIVE,
                            .a = message->peer,
                            .b = message->tag,
                            .c = message->bytes});
}

static void wait(void *to, uint32_t chain, const vef_walk_message *const *messages, size_t count) {
    writing *writer = to;
    (void)chain;
    put(writer, &(vef_item){.kind = VEF_ITEM_WAIT, .a = count});
    for (size_t i = 0; i < count; i++)
        put(writer, &(vef_item){.kind = VEF_ITEM_FOR, .a = messages[i]->mark});
}

/* An Alltoallv becomes messages: its lines would only have the sum of what a task sends. */
static bool collective(void *to, uint32_t chain, const vef_event *event, bool world) {
    writing *writer = to;
    const vef_communicator *on = &writer->header->communicators[event->comm];
    const uint16_t call = vef_call_base(event->call);
    uint64_t code = 0;
    (void)chain;
    (void)world;
    while (code < VEF_LINE_OPERATIONS && vef_line_operations[code].call != call &&
           vef_line_operations[code].parts != call)
        code++;
    if (code == VEF_LINE_OPERATIONS || call == VEF_CALL_Alltoallv || on->remote_size > 0)
        return false;
    const bool is_root = event->root >= 0 && on->members[event->root] == writer->task;
    const vef_exchange_sums sums = vef_exchange_arguments(event, on->size, is_root);
    const vef_item item = {.kind = VEF_ITEM_COLLECTIVE,
                           .a = event->comm,
                           .b = code,
                           .c = sums.sent,
                           .d = code == VEF_LINE_ALLTOALL ? 0 : sums.received};
    writer->global += on->members[0] == writer->task;
    writer->local++;
    writer->rootless += is_root && event->root > 0 && item.c + item.d == 0;
    writer->used[event->comm] = true;
    put(writer, &item);
    return true;
}

static vef_code end_task(void *to, vef_error *error) {
    writing *writer = to;
    (void)error;
    put(writer, &(vef_item){.kind = VEF_ITEM_END});
    return VEF_OK;
}

/* ---- the file ---- */

static uint32_t number_communicators(writing *writer) {
    uint32_t count = 0;
    writer->used[0] = true;
    for (uint32_t i = 0; i < writer->header->communicator_count; i++)
        if (writer->used[i])
            writer->numbers[i] = count++;
    return count;
}

static void put_head(FILE *out, const writing *writer, uint32_t communicators, bool sends_only) {
    const vef_trace_header *header = writer->header;
    fprintf(out, "VEF %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %s\n",
            header->tasks, writer->messages, communicators, writer->global, writer->local,
            sends_only ? "TRUE" : "FALSE");
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *on = &header->communicators[i];
        if (!writer->used[i])
            continue;
        fprintf(out, "C%" PRIu32, writer->numbers[i]);
        for (uint32_t rank = 0; rank < on->size; rank++)
            fprintf(out, " %" PRIu32, on->members[rank]);
        putc('\n', out);
    }
}

static vef_code put_body(FILE *out, const writing *writer, vef_error *error) {
    char *piece = vef_malloc(LINES_BYTES);
    const uint64_t bytes = vef_spool_bytes(writer->lines, 0);
    vef_code code = VEF_OK;
    for (uint64_t from = 0; from < bytes && !code; from += LINES_BYTES) {
        const size_t part = bytes - from < LINES_BYTES ? (size_t)(bytes - from) : LINES_BYTES;
        code = vef_spool_read(writer->lines, 0, from, part, piece, error);
        if (!code)
            fwrite(piece, 1, part, out);
    }
    free(piece);
    return code;
}

static void note_all(const writing *writer, const vef_lines_summary *found,
                     vef_format_report *report) {
    if (writer->plan_messages)
        vef_note(&report->notes,
                 "%" PRIu64
                 " messages are those of collectives that the format cannot express "
                 "(non-blocking ones, Alltoallv, scans, calls that make communicators, …)",
                 writer->plan_messages);
    if (found->receives_dropped || found->sends_dropped)
        vef_note(&report->notes,
                 "a line depends on one event: %" PRIu64 " receives and %" PRIu64
                 " sends that the program also waits for are left out as dependencies",
                 found->receives_dropped, found->sends_dropped);
    if (writer->rootless)
        vef_note(&report->notes,
                 "the roots of %" PRIu64
                 " collectives of 0 bytes are left out: bytes tell the root",
                 writer->rootless);
    if (found->tails)
        vef_note(&report->notes,
                 "%" PRIu64 " tasks compute after their last line, up to %" PRIu64
                 " ns, which are left out",
                 found->tails, found->longest_tail_ns);
    if (found->forced)
        vef_note(&report->notes, "%" PRIu64 " calls that never complete in the trace end at once",
                 found->forced);
}

static vef_code write_lines(writing *writer, FILE *out, vef_format_report *report,
                            vef_error *error) {
    vef_lines_summary found = {0};
    const uint32_t communicators = number_communicators(writer);
    vef_code code = vef_lines_write(writer->lines, writer->operations, writer->header,
                                    writer->numbers, &found, error);
    if (!code) {
        put_head(out, writer, communicators, found.other_deps == 0);
        code = put_body(out, writer, error);
    }
    report->lines = 1 + communicators + found.lines;
    note_all(writer, &found, report);
    if (!code && found.forced && writer->threaded)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "%" PRIu64
            " calls wait for other threads or tasks without end where each task "
            "has one sequence of calls, as in this format: expected tasks of one thread",
            found.forced);
    return code;
}

vef_code vef_text_form_write(const char *path, vef_trace *trace, const vef_format_options *options,
                             vef_format_report *report, vef_error *error) {
    *report = (vef_format_report){0};
    writing writer = {.header = vef_trace_get_header(trace)};
    const uint32_t count = writer.header->communicator_count;
    vef_output output = {0};
    const vef_walk_sink sink = {.context = &writer,
                                .begin_task = begin_task,
                                .compute = compute,
                                .start = start,
                                .wait = wait,
                                .collective = collective,
                                .end_task = end_task};
    writer.used = vef_calloc(count, sizeof *writer.used);
    writer.numbers = vef_calloc(count, sizeof *writer.numbers);
    char *beside = vef_file_beside(path, ".operations");
    vef_code code =
        vef_spool_open(beside, writer.header->tasks, PIECE_BYTES, &writer.operations, error);
    code = code ? code : vef_spool_open(beside, 1, LINES_BYTES, &writer.lines, error);
    free(beside);
    code = code ? code : vef_output_open(&output, path, error);
    code = code ? code : vef_walk(trace, options, &sink, report, error);
    code = code ? code : write_lines(&writer, output.stream, report, error);
    vef_spool_close(writer.operations);
    vef_spool_close(writer.lines);
    free(writer.used);
    free(writer.numbers);
    if (!code)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}
