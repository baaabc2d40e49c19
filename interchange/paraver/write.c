/* Writing a trace for Paraver: see paraver.h. Lines are in the order of time, so the streams of all
 * threads are read side by side. Each task has its own clock, from the end of its MPI_Init
 * (traces/slice/slice.h): the clocks are not synchronised.
 *
 * Memory: 32 bytes for each message (its receive), the stream of each thread. */
#include "common/containers/heap.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "interchange/paraver/labels.h"
#include "interchange/paraver/writing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What of its current call a thread writes next. */
typedef enum stage { BEFORE, BEGIN, END } stage;

typedef struct strand {
    vef_stream *stream;
    vef_paraver_strand *known;
    vef_paraver_moment moment;
    uint64_t before_ns; /* where the call before it ended */
    stage next;
} strand;

typedef struct turn {
    uint64_t time_ns;
    uint32_t strand;
} turn;

static bool is_before(const turn *one, const turn *other) {
    return one->time_ns != other->time_ns ? one->time_ns < other->time_ns
                                          : one->strand < other->strand;
}
VEF_HEAP(turn, is_before);

/* Moves to the next call; its event is NULL at the end. */
static vef_code next_call(strand *thread, vef_error *error) {
    vef_code code = vef_stream_next(thread->stream, &thread->moment.event, error);
    if (code || !thread->moment.event)
        return code;
    thread->before_ns = thread->moment.leave_ns;
    thread->moment.enter_ns = vef_paraver_enter_ns(thread->moment.event, thread->before_ns);
    vef_paraver_strand *known = thread->known;
    if (known->delay < known->delay_count && known->delays[known->delay].call == known->calls)
        thread->moment.enter_ns += known->delays[known->delay++].ns;
    known->calls++;
    thread->moment.leave_ns = vef_paraver_leave_ns(thread->moment.event, thread->moment.enter_ns);
    thread->next = BEFORE;
    return VEF_OK;
}

/* Writes what is next, and moves on. `*time_ns` is the time of what follows. */
static vef_code step(vef_paraver_writing *writing, strand *thread, uint64_t *time_ns,
                     vef_error *error) {
    switch (thread->next) {
    case BEFORE:
        vef_paraver_put_before(writing, &thread->moment, thread->before_ns);
        *time_ns = thread->moment.enter_ns;
        thread->next = BEGIN;
        return VEF_OK;
    case BEGIN:
        vef_paraver_put_begin(writing, &thread->moment);
        *time_ns = thread->moment.leave_ns;
        thread->next = END;
        return VEF_OK;
    case END:
        vef_paraver_put_end(writing, &thread->moment);
        break;
    }
    *time_ns = thread->moment.leave_ns;
    return next_call(thread, error);
}

static vef_code open_strands(vef_paraver_writing *writer, strand *strands, turn *heap,
                             size_t *turns, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = 0; !code && task < writer->header->tasks; task++)
        for (uint32_t i = writer->first_strand[task]; !code && i < writer->first_strand[task + 1];
             i++) {
            strand *opened = &strands[i];
            opened->moment.task = task;
            opened->moment.thread = i - writer->first_strand[task];
            opened->known = &writer->strands[i];
            opened->moment.leave_ns = opened->known->begin_ns;
            code =
                vef_stream_open(writer->trace, task, opened->moment.thread, &opened->stream, error);
            code = code ? code : next_call(opened, error);
            if (!code && opened->moment.event)
                heap_add(heap, (*turns)++, (turn){opened->known->begin_ns, i});
        }
    return code;
}

static vef_code put_records(vef_paraver_writing *writer, vef_error *error) {
    const size_t count = writer->first_strand[writer->header->tasks];
    strand *strands = vef_calloc(count + 1, sizeof *strands);
    turn *heap = vef_calloc(count + 1, sizeof *heap);
    size_t turns = 0;
    vef_code code = open_strands(writer, strands, heap, &turns, error);
    while (!code && turns > 0) {
        turn first = heap[0];
        code = step(writer, &strands[first.strand], &first.time_ns, error);
        if (strands[first.strand].moment.event)
            heap_replace(heap, turns, first);
        else
            heap_take(heap, turns--);
    }
    for (uint32_t task = 0; !code && task < writer->header->tasks; task++)
        if (!writer->strands[writer->first_strand[task]].finalized &&
            !vef_log_end_cuts(writer->header->task[task].end))
            fprintf(writer->out, VEF_PARAVER_END "%" PRIu32 "\n", task + 1);
    for (size_t i = 0; i < count; i++)
        vef_stream_close(strands[i].stream);
    free(strands);
    free(heap);
    return code;
}

/* ---- the files ---- */

/* `dd/mm/yyyy at hh:mm`, of the capture. */
static void put_date(const vef_trace_header *header, FILE *out) {
    unsigned year = 1970, month = 1, day = 1, hour = 0, minute = 0;
    sscanf(header->date, "%4u-%2u-%2uT%2u:%2u", &year, &month, &day, &hour, &minute);
    fprintf(out, "#Paraver (%02u/%02u/%04u at %02u:%02u)", day, month, year, hour, minute);
}

static bool is_listed(const vef_communicator *comm) {
    return comm->size > 0 && comm->remote_size == 0 &&
           !vef_call_has(comm->made_by, VEF_FACT_WINDOW);
}

static void put_header(const vef_paraver_writing *writer, FILE *out) {
    const vef_trace_header *header = writer->header;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < header->communicator_count; i++)
        listed += is_listed(&header->communicators[i]);
    put_date(header, out);
    fprintf(out, ":%" PRIu64 "_ns:1(%" PRIu32 "):1:%" PRIu32 "(", writer->longest_ns,
            writer->first_strand[header->tasks], header->tasks);
    for (uint32_t task = 0; task < header->tasks; task++)
        fprintf(out, "%s%" PRIu32 ":1", task ? "," : "", header->task[task].threads);
    fprintf(out, "),%" PRIu32 "\n", listed);
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *comm = &header->communicators[i];
        if (!is_listed(comm))
            continue;
        fprintf(out, "c:1:%" PRIu32 ":%" PRIu32, i + 1, comm->size);
        for (uint32_t rank = 0; rank < comm->size; rank++)
            fprintf(out, ":%" PRIu32, comm->members[rank] + 1);
        fputc('\n', out);
    }
}

static void report(const vef_paraver_writing *writer, vef_format_report *to) {
    const vef_note_count notes[] = {
        {writer->unmatched, "sends without a record: the trace has no receive for them"},
        {writer->back,
         "messages are received before they are sent, because the clocks of tasks are not "
         "synchronised"},
        {writer->one_sided, "one-sided operations without their target and size"},
        {writer->between, "collectives on intercommunicators without sizes and communicator"},
        {writer->polls, "unsuccessful tests and probes, each run of them written as one call"},
    };
    to->lines = writer->lines;
    vef_note_counts(&to->notes, notes, sizeof notes / sizeof *notes);
    if (strcmp(writer->header->times, "compute") == 0)
        vef_note(&to->notes, "calls have length 0: the trace has no durations");
}

/* Beside the trace, with another ending. */
static vef_code open_beside(const char *path, const char *suffix, vef_output *output,
                            vef_error *error) {
    char *name = vef_paraver_beside(path, suffix);
    vef_code code = vef_output_open(output, name, error);
    free(name);
    return code;
}

vef_code vef_paraver_write(const char *path, vef_trace *trace, const vef_format_options *options,
                           vef_format_report *to, vef_error *error) {
    vef_paraver_writing writer = {.trace = trace, .header = vef_trace_get_header(trace)};
    vef_output records = {0}, labels = {0}, rows = {0};
    (void)options;
    *to = (vef_format_report){0};
    vef_code code = vef_paraver_survey(&writer, error);
    code = code ? code : vef_output_open(&records, path, error);
    code = code ? code : open_beside(path, ".pcf", &labels, error);
    code = code ? code : open_beside(path, ".row", &rows, error);
    if (!code) {
        writer.out = records.stream;
        put_header(&writer, writer.out);
        code = put_records(&writer, error);
    }
    if (!code) {
        vef_paraver_put_labels(&writer, labels.stream);
        vef_paraver_put_rows(&writer, rows.stream);
        report(&writer, to);
    }
    labels.more_follow = rows.more_follow = true;
    code = code ? code : vef_output_commit(&labels, error);
    code = code ? code : vef_output_commit(&rows, error);
    code = code ? code : vef_output_commit(&records, error);
    vef_output_discard(&records);
    vef_output_discard(&labels);
    vef_output_discard(&rows);
    vef_paraver_survey_free(&writer);
    return code;
}
