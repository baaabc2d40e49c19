/* From text to a trace, in two passes over the text: the first matches messages, to fill in omitted
 * fields, and the second writes. See text.h. */
#include "common/memory.h"
#include "traces/text/assembly.h"
#include "traces/text/text.h"
#include "traces/text/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static vef_code check_event(const vef_assembly *as, vef_error *error) {
    vef_error wrong;
    return vef_event_check(&as->header, VEF_NO_REQUEST, &as->event.event, &wrong) == VEF_OK
               ? VEF_OK
               : vef_text_fail(&as->text, error, "%s", wrong.message);
}

/* Another thread may have started a request, in later lines. */
static void note_completions(vef_assembly *as) {
    const vef_event *event = &as->event.event;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t request = event->completions[i].request;
        if (request < as->event.next_request || (as->greatest_line && request <= as->greatest))
            continue;
        as->greatest = request;
        as->greatest_line = as->text.line;
    }
}

static vef_code check_completions(vef_assembly *as, vef_error *error) {
    if (as->greatest_line && as->greatest >= as->event.next_request) {
        as->text.line = as->greatest_line;
        return vef_text_fail(&as->text, error, "request %llu was not started %s",
                             (unsigned long long)as->greatest,
                             as->thread ? "by any thread" : "before this line");
    }
    as->greatest_line = 0;
    return VEF_OK;
}

static bool takes_part(const vef_operation *operation) {
    return operation->peer != VEF_NO_TASK && !(operation->flags & VEF_OP_CANCELLED);
}

/* First pass: adds every message and receive to the matcher. */
static vef_code collect(vef_assembly *as, vef_error *error) {
    const vef_event *event = &as->event.event;
    uint32_t task = (uint32_t)as->task;
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    vef_code code = VEF_OK;
    if (vef_call_kind(event->call) == VEF_KIND_ONE_SIDED)
        return VEF_OK;
    for (uint32_t i = 0; i < event->operation_count && !code; i++) {
        const vef_operation *operation = &event->operations[i];
        bool send = (operation->flags & VEF_OP_SEND) && !probe;
        uint32_t peer = (uint32_t)operation->peer, envelope = 0;
        if (!takes_part(operation))
            continue;
        code = vef_matcher_envelope(&as->matcher, send ? task : peer, send ? peer : task,
                                    operation->comm, operation->tag,
                                    (operation->flags & VEF_OP_PARTITIONED) != 0, &envelope, error);
        if (!code && send) {
            uint64_t key = (uint64_t)task << 32 | peer;
            uint64_t *count = vef_map64_get(&as->pairs, key);
            vef_map64_set(&as->pairs, key, count ? *count + 1 : 1);
            code = vef_matcher_sent(&as->matcher, envelope, operation->bytes, 0, error);
        } else if (!code) {
            unsigned flags = probe ? VEF_RECEIVE_PEEK : 0;
            if (operation->flags & VEF_OP_UNMATCHED)
                flags = VEF_RECEIVE_NONE;
            code = vef_matcher_received(&as->matcher, envelope, 0, flags, error);
        }
    }
    return code;
}

/* A receive that no message of the text matches waits for the one after the last. */
static uint64_t next_of_pair(vef_assembly *as, uint32_t sender) {
    uint64_t key = (uint64_t)sender << 32 | (uint32_t)as->task;
    const uint64_t *count = vef_map64_get(&as->pairs, key);
    const uint64_t ordinal = count ? *count : 0;
    if (vef_call_kind(as->event.event.call) != VEF_KIND_PROBE) /* its receive gets the same */
        vef_map64_set(&as->pairs, key, ordinal + 1);
    return ordinal;
}

/* Second pass: fills in omitted fields. */
static void settle(vef_assembly *as) {
    const vef_event *event = &as->event.event;
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    if (vef_call_kind(event->call) == VEF_KIND_ONE_SIDED)
        return;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        vef_operation *operation = &as->event.room.operations[i];
        if (!takes_part(operation))
            continue;
        if ((operation->flags & VEF_OP_SEND) && !probe) {
            uint32_t ordinal = as->matcher.sent[as->sent++].ordinal;
            if (operation->ordinal == VEF_TEXT_LATER)
                operation->ordinal = ordinal;
            continue;
        }
        uint32_t message = vef_matcher_take(&as->matcher, as->received++);
        if (operation->bytes == VEF_TEXT_LATER)
            operation->bytes = message == VEF_NO_INDEX ? 0 : vef_sent_bytes(&as->matcher, message);
        if (operation->ordinal != VEF_TEXT_LATER)
            continue;
        operation->ordinal = message != VEF_NO_INDEX ? as->matcher.sent[message].ordinal
                                                     : next_of_pair(as, (uint32_t)operation->peer);
    }
}

static vef_code event_line(vef_assembly *as, vef_span word, vef_error *error) {
    const int call = vef_span_call(word);
    if (call < 0 || !vef_call_is_held((uint16_t)call)) {
        char name[96];
        snprintf(name, sizeof name, "%.*s", VEF_SPAN(word));
        vef_fail_unknown_call(error, name);
        return vef_fail_within(error, "%s:%u", as->text.name, as->text.line);
    }
    if (as->task < 0)
        return vef_text_fail(&as->text, error, "expected 'task N' before an event");
    vef_code code = vef_text_event_read(&as->text, (uint16_t)call, &as->event, error);
    as->event.event.thread = as->thread;
    if (!code && !as->writer) {
        code = check_event(as, error);
        note_completions(as);
        return code ? code : collect(as, error);
    }
    if (code)
        return code;
    settle(as);
    /* By default events are in the order of the text. */
    return vef_writer_event(as->writer, (uint32_t)as->task, &as->event.event, error);
}

static vef_code end_task(vef_assembly *as, vef_log_end end, vef_error *error) {
    if (as->task < 0)
        return VEF_OK;
    uint32_t task = (uint32_t)as->task;
    vef_code code = as->writer ? VEF_OK : check_completions(as, error);
    as->task = -1;
    as->event.next_request = as->event.next_tick = 0;
    as->thread = 0;
    if (as->writer)
        return vef_writer_end_task(as->writer, task, end, error);
    if (!code)
        code = vef_matcher_settle(&as->matcher, as->first_sent, error);
    as->first_sent = as->matcher.sent_count;
    return code;
}

static vef_code task_line(vef_assembly *as, vef_error *error) {
    uint64_t task = 0;
    vef_code code = end_task(as, VEF_LOG_FINALIZED, error);
    if (!code)
        code = vef_text_number_word(as, "task", as->header.tasks - 1, &task, error);
    if (code)
        return code;
    if (as->seen[task])
        return vef_text_fail(&as->text, error, "duplicate task %llu", (unsigned long long)task);
    as->seen[task] = true;
    as->task = (int64_t)task;
    uint64_t skipped = 0;
    code = vef_text_key_number(as, "skipped", &skipped, error);
    if (!code && skipped > 0 && as->writer)
        vef_writer_skipped(as->writer, (uint32_t)task, skipped);
    return code;
}

/* The following events are of another thread of the task. */
static vef_code thread_line(vef_assembly *as, vef_error *error) {
    uint64_t thread = 0;
    if (as->task < 0)
        return vef_text_fail(&as->text, error, "expected 'task N' before 'thread'");
    vef_code code = vef_text_number_word(as, "thread", VEF_THREAD_LIMIT - 1, &thread, error);
    if (code)
        return code;
    if (thread <= as->thread)
        return vef_text_fail(&as->text, error,
                             "thread %llu: expected more than %u, the thread before it",
                             (unsigned long long)thread, as->thread);
    as->thread = (uint32_t)thread;
    as->event.next_tick = 0;
    return VEF_OK;
}

/* The name of an end; false: unknown. */
static bool find_end(vef_span word, vef_log_end *end) {
    for (unsigned i = 0; i < VEF_LOG_ENDS; i++)
        if (vef_span_is(word, vef_end_words[i])) {
            *end = (vef_log_end)i;
            return true;
        }
    return false;
}

static vef_code end_line(vef_assembly *as, vef_error *error) {
    static const char *const words = "finalized, aborted, exited, cut or full";
    vef_span word, name;
    vef_log_end end, record;
    if (as->task < 0)
        return vef_text_fail(&as->text, error, "expected 'task N' before 'end'");
    if (!vef_text_word(&as->text, &word) || !find_end(word, &end))
        return vef_text_needs(&as->text, error, "end", words);
    if (vef_text_word(&as->text, &word)) {
        if (!vef_span_is(vef_span_split(word, '=', &name), "record") || !name.begin)
            return vef_text_fail(&as->text, error, "unexpected '%.*s'", VEF_SPAN(word));
        if (!find_end(name, &record))
            return vef_text_needs(&as->text, error, "record=", words);
        if (as->writer)
            vef_writer_record(as->writer, (uint32_t)as->task, record);
    }
    return end_task(as, end, error);
}

/* All lines from the first 'task' on. */
static vef_code read_tasks(vef_assembly *as, vef_error *error) {
    vef_span word;
    memset(as->seen, 0, as->header.tasks * sizeof *as->seen);
    while (vef_text_line(&as->text)) {
        vef_text_word(&as->text, &word);
        vef_code code = vef_span_is(word, "task")     ? task_line(as, error)
                        : vef_span_is(word, "thread") ? thread_line(as, error)
                        : vef_span_is(word, "end")    ? end_line(as, error)
                                                      : event_line(as, word, error);
        if (!code)
            code = vef_text_line_ends(as, error);
        if (code)
            return code;
    }
    if (ferror(as->text.in))
        return vef_fail_errno(error, "reading %s", as->text.name);
    return end_task(as, VEF_LOG_FINALIZED, error);
}

/* Vectors of collectives are as long as a communicator's groups or lists of neighbours. */
static void note_lengths(vef_assembly *as) {
    uint32_t *longest = &as->event.longest_vector;
    for (uint32_t k = 0; k < as->header.communicator_count; k++) {
        const vef_communicator *communicator = &as->communicators[k];
        *longest = larger(*longest, larger(communicator->size, communicator->remote_size));
        *longest = larger(*longest, 2 * communicator->dimensions);
        for (uint32_t i = 0; communicator->neighbours && i < communicator->size; i++) {
            *longest = larger(*longest, communicator->neighbours[i].in_count);
            *longest = larger(*longest, communicator->neighbours[i].out_count);
        }
    }
}

static vef_code read_header(vef_assembly *as, vef_error *error) {
    vef_span word;
    uint64_t version = 0;
    if (!vef_text_line(&as->text)) {
        if (ferror(as->text.in))
            return vef_fail_errno(error, "reading %s", as->text.name);
        return vef_fail(error, VEF_INVALID, "%s: empty: expected 'vef-trace %d'", as->text.name,
                        VEF_TEXT_VERSION);
    }
    if (!vef_text_word(&as->text, &word) || !vef_span_is(word, "vef-trace"))
        return vef_text_fail(&as->text, error, "expected 'vef-trace %d' in the first line",
                             VEF_TEXT_VERSION);
    vef_code code = vef_text_number_word(as, "vef-trace", UINT32_MAX, &version, error);
    if (!code && version != VEF_TEXT_VERSION) {
        vef_text_fail(&as->text, error, "version %llu: expected version %d",
                      (unsigned long long)version, VEF_TEXT_VERSION);
        if (error)
            error->code = VEF_VERSION;
        return VEF_VERSION;
    }
    while (!code) {
        if (!vef_text_line(&as->text))
            break;
        vef_text_word(&as->text, &word);
        if (vef_span_is(word, "task")) {
            as->text.again = true;
            break;
        }
        code = vef_text_header_line(as, word, error);
        if (!code)
            code = vef_text_line_ends(as, error);
    }
    if (!code && as->header.tasks == 0)
        code = vef_text_fail(&as->text, error, "missing 'tasks N' in the header");
    if (!code && as->header.communicator_count == 0)
        vef_text_add_world(as);
    note_lengths(as);
    return code;
}

static vef_code write_trace(vef_assembly *as, const char *path, vef_error *error) {
    vef_code code = vef_writer_open(path, &as->header, &as->writer, error);
    if (!code)
        code = vef_writer_under_way(as->writer, as->under_way, as->under_way_count, error);
    if (!code)
        code = read_tasks(as, error);
    for (uint32_t task = 0; !code && task < as->header.tasks; task++)
        if (!as->seen[task])
            code = vef_writer_end_task(as->writer, task, VEF_LOG_FINALIZED, error);
    if (!code)
        vef_writer_counts(as->writer, as->not_recorded, as->not_recorded_ns, &as->left_out);
    for (uint32_t task = 0; !code && as->measured && task < as->header.tasks; task++)
        vef_writer_measured(as->writer, task, &as->measured[task]);
    if (code)
        vef_writer_discard(as->writer);
    else
        code = vef_writer_finish(as->writer, error);
    return code;
}

/* The position of the first 'task': the second pass begins there. */
typedef struct beginning {
    off_t offset;
    unsigned line;
} beginning;

static vef_code go_back(vef_assembly *as, beginning to, vef_error *error) {
    if (fseeko(as->text.in, to.offset, SEEK_SET) != 0)
        return vef_fail_errno(error, "reading %s again", as->text.name);
    as->text.line = to.line;
    as->text.again = false;
    as->task = -1;
    return VEF_OK;
}

static vef_code assemble(FILE *in, off_t start, const char *name, const char *path,
                         vef_error *error) {
    vef_assembly as = {.text = {.name = name, .in = in}, .header.times = "all", .task = -1};
    as.not_recorded = vef_arena_alloc(&as.arena, vef_call_count(), sizeof *as.not_recorded);
    as.not_recorded_ns = vef_arena_alloc(&as.arena, vef_call_count(), sizeof *as.not_recorded_ns);
    as.left_out.calls = vef_arena_alloc(&as.arena, vef_call_count(), sizeof *as.left_out.calls);
    as.left_out.ns = vef_arena_alloc(&as.arena, vef_call_count(), sizeof *as.left_out.ns);
    vef_code code = read_header(&as, error);
    beginning tasks = {start + (off_t)(as.text.again ? as.text.here : as.text.after),
                       as.text.line - as.text.again};
    if (!code)
        code = read_tasks(&as, error);
    if (!code) {
        vef_matcher_link(&as.matcher);
        code = go_back(&as, tasks, error);
    }
    if (!code)
        code = write_trace(&as, path, error);
    free(as.text.buffer);
    vef_text_event_free(&as.event);
    vef_matcher_free(&as.matcher);
    vef_map64_free(&as.pairs);
    free(as.communicators);
    free(as.under_way);
    free(as.sites);
    vef_arena_release(&as.arena);
    return code;
}

/* A pipe, copied to an unnamed file. */
static vef_code spool(FILE *in, const char *name, FILE **file, vef_error *error) {
    enum { PIECE_BYTES = 1 << 16 };
    char *piece = vef_malloc(PIECE_BYTES);
    *file = tmpfile();
    vef_code code = VEF_OK;
    if (!*file)
        code = vef_fail_errno(error, "making a temporary file for %s", name);
    for (size_t got; !code && (got = fread(piece, 1, PIECE_BYTES, in)) > 0;)
        if (fwrite(piece, 1, got, *file) != got)
            code = vef_fail_errno(error, "writing a temporary file for %s", name);
    if (!code && ferror(in))
        code = vef_fail_errno(error, "reading %s", name);
    if (!code && (fflush(*file) != 0 || fseeko(*file, 0, SEEK_SET) != 0))
        code = vef_fail_errno(error, "writing a temporary file for %s", name);
    free(piece);
    if (code && *file)
        fclose(*file);
    return code;
}

vef_code vef_text_assemble_file(FILE *in, const char *name, const char *path, vef_error *error) {
    off_t start = ftello(in);
    if (start >= 0)
        return assemble(in, start, name, path, error);
    FILE *file = NULL;
    vef_code code = spool(in, name, &file, error);
    if (code)
        return code;
    code = assemble(file, 0, name, path, error);
    fclose(file);
    return code;
}

vef_code vef_text_assemble(const char *text, size_t size, const char *name, const char *path,
                           vef_error *error) {
    FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");
    if (!in)
        return vef_fail_errno(error, "reading %s", name);
    vef_code code = assemble(in, 0, name, path, error);
    fclose(in);
    return code;
}
