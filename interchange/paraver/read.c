/* Reading a Paraver trace: see paraver.h. The file is read once; its records go to a temporary file
 * by task, and those of one task at a time are in memory. */
#include "interchange/paraver/paraver.h"
#include "interchange/paraver/reading.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

/* Numbers a message; notes whether it overtakes those before it, which MPI forbids for one
 * communicator: records of messages have none. */
static void number_message(vef_paraver_reading *reader, uint32_t from, uint32_t to,
                           vef_paraver_record *receive) {
    vef_paraver_pair *pair = vef_paraver_pair_open(reader, from, to);
    const uint64_t place = (uint64_t)(pair - reader->pairs);
    const uint64_t key = place << 32 | (uint32_t)receive->tag;
    const uint64_t *last_ns = vef_map64_get(&reader->last_of, key);
    pair->overtakes = pair->overtakes || (last_ns && *last_ns > receive->time_ns);
    receive->number = pair->messages++;
    vef_map64_set(&reader->last_of, key, receive->time_ns);
}

/* ---- records ---- */

static bool read_time(const vef_paraver_reading *reader, vef_paraver_lines *lines, char end,
                      uint64_t *time_ns) {
    if (!vef_paraver_field(lines, end, time_ns) || *time_ns > INT64_MAX / 1000)
        return false;
    *time_ns *= reader->header.unit_ns;
    return true;
}

/* `PROCESSOR:APPLICATION:TASK:THREAD:` */
static bool read_place(const vef_paraver_reading *reader, vef_paraver_lines *lines, uint32_t *task,
                       uint16_t *thread) {
    const vef_paraver_header *header = &reader->header;
    uint64_t processor, application, number, of_task;
    if (!vef_paraver_field(lines, ':', &processor) ||
        !vef_paraver_field(lines, ':', &application) || application != 1 ||
        !vef_paraver_field(lines, ':', &number) || number == 0 || number > header->tasks ||
        !vef_paraver_field(lines, ':', &of_task) || of_task == 0 ||
        of_task > header->threads[number - 1])
        return false;
    *task = (uint32_t)number - 1;
    *thread = (uint16_t)of_task;
    return true;
}

static bool is_wanted(uint64_t type) {
    return vef_paraver_is_mpi(type) || (type >= VEF_PARAVER_SENT && type <= VEF_PARAVER_COMM) ||
           type == VEF_PARAVER_FUNCTION || type == VEF_PARAVER_MARK;
}

static void keep(vef_paraver_reading *reader, uint32_t task, vef_paraver_record record) {
    record.sequence = (uint32_t)(vef_spool_bytes(reader->spool, task) / sizeof record);
    vef_spool_add(reader->spool, task, &record, sizeof record);
}

static vef_code read_events(vef_paraver_reading *reader, vef_paraver_lines *lines,
                            vef_error *error) {
    static const char expected[] = "events: 2:processor:1:task:thread:time:type:value:...";
    vef_paraver_record event = {.kind = VEF_PARAVER_EVENT};
    uint32_t task;
    if (!read_place(reader, lines, &task, &event.thread) ||
        !read_time(reader, lines, ':', &event.time_ns))
        return vef_paraver_lines_fail(lines, error, expected);
    for (bool last = false; !last;) {
        uint64_t type;
        if (!vef_paraver_field(lines, ':', &type))
            return vef_paraver_lines_fail(lines, error, expected);
        last = strchr(lines->next, ':') == NULL;
        if (!vef_paraver_field(lines, last ? '\0' : ':', &event.value))
            return vef_paraver_lines_fail(lines, error, expected);
        event.type = (uint32_t)type;
        if (type <= UINT32_MAX && is_wanted(type))
            keep(reader, task, event);
    }
    return VEF_OK;
}

static vef_code read_message(vef_paraver_reading *reader, vef_paraver_lines *lines,
                             vef_error *error) {
    vef_paraver_record send = {.kind = VEF_PARAVER_SEND}, receive = {.kind = VEF_PARAVER_RECEIVE};
    uint32_t from, to;
    uint64_t tag;
    if (!read_place(reader, lines, &from, &send.thread) ||
        !read_time(reader, lines, ':', &send.time_ns) ||
        !read_time(reader, lines, ':', &send.end_ns) ||
        !read_place(reader, lines, &to, &receive.thread) ||
        !read_time(reader, lines, ':', &receive.time_ns) ||
        !read_time(reader, lines, ':', &receive.end_ns) ||
        !vef_paraver_field(lines, ':', &send.value) || !vef_paraver_field(lines, '\0', &tag))
        return vef_paraver_lines_fail(
            lines, error,
            "a message: "
            "3:processor:1:task:thread:begin:end:processor:1:task:thread:begin:end:bytes:"
            "tag");
    if (send.value > INT64_MAX)
        return vef_paraver_lines_fail(lines, error, "a message of less than 2^63 bytes");
    send.tag = receive.tag = (int32_t)(tag & INT32_MAX);
    receive.value = send.value;
    send.type = to;
    receive.type = from;
    number_message(reader, from, to, &receive);
    send.number = receive.number;
    keep(reader, from, send);
    keep(reader, to, receive);
    return VEF_OK;
}

static void read_end(vef_paraver_reading *reader, vef_paraver_lines *lines) {
    uint64_t number = 0;
    lines->next = lines->line + strlen(VEF_PARAVER_END);
    if (vef_paraver_field(lines, '\0', &number) && number > 0 && number <= reader->header.tasks)
        reader->header.ended[number - 1] = true;
}

/* The last line may have been cut anywhere, also in a number: without its end it is not read. */
static vef_code read_lines(vef_paraver_reading *reader, vef_paraver_lines *lines, bool *cut,
                           vef_error *error) {
    bool more = true;
    vef_code code = VEF_OK;
    while (!code && (code = vef_paraver_lines_next(lines, &more, error)) == VEF_OK && more) {
        const char *line = lines->line;
        lines->next = line + 2;
        *cut = !lines->ended;
        if (*cut)
            return VEF_OK;
        if (strncmp(line, VEF_PARAVER_END, strlen(VEF_PARAVER_END)) == 0) {
            read_end(reader, lines);
        } else if (line[0] == '#' || strncmp(line, "1:", 2) == 0) {
            continue; /* states repeat the events */
        } else if (strncmp(line, "2:", 2) == 0) {
            code = read_events(reader, lines, error);
        } else if (strncmp(line, "3:", 2) == 0) {
            code = read_message(reader, lines, error);
        } else {
            lines->next = line;
            code = vef_paraver_comm_read(lines, &reader->header, error);
        }
    }
    return code;
}

/* ---- the trace ---- */

static void report(const vef_paraver_reading *reader, bool cut, vef_format_report *to) {
    const vef_note_count notes[] = {
        {reader->one_sided, "one-sided calls left out"},
        {reader->communicators, "calls that make or free communicators left out"},
        {reader->header.intercommunicators, "intercommunicators left out"},
        {reader->neighbourhoods,
         "neighbourhood collectives left out: the neighbours are not known"},
        {reader->disagreeing,
         "collectives left out: their communicator, root or counts are not known"},
        {reader->joint.shared_out,
         "calls of Alltoallv or Alltoallw: only the sums of their counts are known, which are "
         "shared out in proportion"},
        {reader->joint.equal_parts,
         "calls of Allgatherv in place have equal parts: only their sum is known"},
        {reader->probes, "probes left out"},
        {reader->locals, "calls that name a request left out"},
        {reader->guessed,
         "requests of sends or collectives: the calls that complete them are not known; the first "
         "that may is taken"},
        {reader->alone, "sends or receives without a message: taken as of MPI_PROC_NULL"},
        {reader->stray, "ends of messages left out: there is no call at their time"},
        {reader->renumbered,
         "messages have their numbers as tags: received in another order than sent"},
        {reader->backwards, "calls begin before the one before them has ended"},
    };
    if (cut)
        vef_note(&to->notes, "the file was cut short in its last line");
    vef_note_counts(&to->notes, notes, sizeof notes / sizeof *notes);
}

static vef_code make_trace(vef_paraver_reading *reader, const char *path, const char *trace_path,
                           bool cut, vef_format_report *to, vef_error *error) {
    const vef_import_facts facts = {
        .format = "paraver", .program = path, .clock = "wall", .tasks = reader->header.tasks};
    vef_code code = vef_paraver_labels_read(path, &reader->labels, error);
    if (code)
        return code;
    for (uint32_t task = 0; !code && task < reader->header.tasks; task++)
        code = vef_paraver_task_meetings(reader, task, error);
    if (!code)
        code = vef_import_begin(trace_path, &facts, &reader->import, error);
    for (uint32_t task = 0; !code && task < reader->header.tasks; task++)
        code = vef_paraver_task(reader, task, error);
    if (!code)
        report(reader, cut, to);
    return code ? code : vef_import_finish(reader->import, to, error);
}

vef_code vef_paraver_read(const char *path, const char *trace_path, vef_format_report *to,
                          vef_error *error) {
    vef_paraver_reading reader = {0};
    vef_paraver_lines lines = {0};
    bool cut = false;
    *to = (vef_format_report){0};
    vef_code code = vef_paraver_lines_open(&lines, path, error);
    if (!code)
        code = vef_paraver_header_read(&lines, &reader.header, error);
    if (!code)
        code = vef_spool_open(trace_path, reader.header.tasks, 64 * sizeof(vef_paraver_record),
                              &reader.spool, error);
    if (!code)
        code = read_lines(&reader, &lines, &cut, error);
    vef_paraver_lines_close(&lines);
    if (!code)
        code = make_trace(&reader, path, trace_path, cut, to, error);
    vef_import_free(reader.import);
    vef_paraver_joint_free(&reader.joint);
    vef_spool_close(reader.spool);
    vef_paraver_labels_free(&reader.labels);
    vef_paraver_header_free(&reader.header);
    vef_map64_free(&reader.pair_of);
    vef_map64_free(&reader.last_of);
    free(reader.pairs);
    return code;
}
