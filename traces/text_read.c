/* From text to a trace, in two passes over the text: one that matches, to find what was left out,
 * and one that writes. See text.h. */
#include "traces/match.h"
#include "traces/preamble.h"
#include "traces/text.h"
#include "traces/text_parse.h"
#include "traces/text_words.h"
#include "traces/writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct assembly {
    vef_text text;
    vef_arena arena;
    vef_trace_header header;
    vef_communicator *communicators;
    uint32_t communicator_capacity;
    uint64_t *not_recorded;
    bool *seen; /* per task */
    vef_text_event event;
    vef_matcher matcher;
    vef_map64 pairs;         /* sender and receiver → messages so far, for receives without one */
    uint32_t sent, received; /* second pass: the next in the matcher */
    vef_writer *writer;      /* NULL in the first pass */
    int64_t task;            /* under way; -1: none */
    uint64_t ticks;          /* of that task */
    size_t first_sent;       /* likewise */
} assembly;

static vef_code needs(const vef_text *text, vef_error *error, const char *key, const char *what) {
    return vef_text_fail(text, error, "%s needs %s", key, what);
}

static vef_code number_word(assembly *as, const char *key, uint64_t limit, uint64_t *value,
                            vef_error *error) {
    const char *word;
    size_t length;
    if (!vef_text_word(&as->text, &word, &length))
        return needs(&as->text, error, key, "a number");
    return vef_text_number(&as->text, key, word, length, limit, value, error);
}

static vef_code line_ends(assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    if (vef_text_word(&as->text, &word, &length))
        return vef_text_fail(&as->text, error, "'%.*s' is too much on this line", (int)length,
                             word);
    return VEF_OK;
}

/* ---- header ---- */

static vef_code read_text(assembly *as, const char *key, const char **value, vef_error *error) {
    const char *at = as->text.word;
    while (at < as->text.line_end && (*at == ' ' || *at == '\t'))
        at++;
    *value = vef_unquote(&at, as->text.line_end, &as->arena);
    if (!*value)
        return needs(&as->text, error, key, "a text in double quotes");
    as->text.word = at;
    return VEF_OK;
}

static vef_code set_tasks(assembly *as, vef_error *error) {
    uint64_t tasks = 0;
    vef_code code = number_word(as, "tasks", 1 << 24, &tasks, error);
    if (code)
        return code;
    if (tasks == 0 || as->header.tasks != 0)
        return vef_text_fail(&as->text, error, "tasks: %s",
                             tasks ? "stands twice" : "there must be at least one");
    as->header.tasks = (uint32_t)tasks;
    as->seen = vef_arena_alloc(&as->arena, tasks, sizeof *as->seen);
    if (!as->seen)
        return vef_fail_memory(error, "tasks", tasks);
    return vef_matcher_init(&as->matcher, as->header.tasks, error);
}

static vef_code add_communicator(assembly *as, const vef_communicator *communicator,
                                 vef_error *error) {
    if (as->header.communicator_count == as->communicator_capacity) {
        uint32_t wanted = 2 * as->communicator_capacity + 16;
        vef_communicator *grown = realloc(as->communicators, wanted * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "communicators", wanted * sizeof *grown);
        as->communicators = grown;
        as->communicator_capacity = wanted;
    }
    as->communicators[as->header.communicator_count++] = *communicator;
    as->header.communicators = as->communicators;
    return VEF_OK;
}

static vef_code add_world(assembly *as, vef_error *error) {
    uint32_t *members = vef_arena_alloc(&as->arena, as->header.tasks, sizeof *members);
    if (!members)
        return vef_fail_memory(error, "the world", as->header.tasks * sizeof *members);
    for (uint32_t i = 0; i < as->header.tasks; i++)
        members[i] = i;
    vef_communicator world = {.parent = VEF_NO_COMM,
                              .made_by = VEF_CALL_Init,
                              .size = as->header.tasks,
                              .members = members};
    return add_communicator(as, &world, error);
}

static vef_code read_communicator(assembly *as, vef_error *error) {
    uint64_t number = 0;
    vef_communicator communicator;
    if (as->header.tasks == 0)
        return vef_text_fail(&as->text, error, "'tasks N' must stand before the communicators");
    vef_code code = number_word(as, "comm", UINT32_MAX - 1, &number, error);
    if (!code && as->header.communicator_count == 0 && number == 1)
        code = add_world(as, error);
    if (!code && number != as->header.communicator_count)
        return vef_text_fail(&as->text, error, "communicator %llu stands where %u is due",
                             (unsigned long long)number, as->header.communicator_count);
    if (!code)
        code = vef_text_communicator_read(&as->text, as->header.tasks, &as->arena, &communicator,
                                          error);
    if (!code && communicator.parent != VEF_NO_COMM && communicator.parent >= number)
        return vef_text_fail(&as->text, error, "parent %u does not stand before communicator %llu",
                             communicator.parent, (unsigned long long)number);
    if (!code && number == 0 && communicator.size != as->header.tasks)
        return vef_text_fail(&as->text, error, "communicator 0 is the world: it has all tasks");
    return code ? code : add_communicator(as, &communicator, error);
}

static vef_code read_not_recorded(assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    char name[64] = "";
    if (vef_text_word(&as->text, &word, &length) && length < sizeof name)
        memcpy(name, word, length);
    int call = vef_call_find(name);
    if (call < 0)
        return needs(&as->text, error, "not_recorded", "the name of an MPI call, without MPI_");
    return number_word(as, "not_recorded", UINT64_MAX, &as->not_recorded[call], error);
}

static vef_code header_line(assembly *as, const char *word, size_t length, vef_error *error) {
    vef_trace_header *header = &as->header;
    const struct {
        const char *key, **value;
    } texts[] = {{"application", &header->application}, {"command", &header->command},
                 {"library", &header->library},         {"clock", &header->clock},
                 {"options", &header->options},         {"date", &header->date}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (vef_text_is(word, length, texts[i].key))
            return read_text(as, texts[i].key, texts[i].value, error);
    if (vef_text_is(word, length, "tasks"))
        return set_tasks(as, error);
    if (vef_text_is(word, length, "comm"))
        return read_communicator(as, error);
    if (vef_text_is(word, length, "not_recorded"))
        return read_not_recorded(as, error);
    if (vef_text_is(word, length, "exit_status")) {
        uint64_t status = 0;
        bool negative = vef_text_word(&as->text, &word, &length) && *word == '-';
        vef_code code = vef_text_number(&as->text, "exit_status", word + negative,
                                        length - negative, INT32_MAX, &status, error);
        header->exit_status = negative ? -(int)status : (int)status;
        return code;
    }
    return vef_text_fail(
        &as->text, error,
        "'%.*s' is not a line of the header (tasks, application, command, library, "
        "clock, options, date, exit_status, not_recorded, comm) before the first "
        "'task'",
        (int)length, word);
}

/* ---- events ---- */

static vef_code check_event(const assembly *as, vef_error *error) {
    const vef_event *event = &as->event.event;
    const vef_trace_header *header = &as->header;
    const vef_text *text = &as->text;
    vef_kind kind = vef_call_kind(event->call);
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->peer >= (int32_t)header->tasks)
            return vef_text_fail(text, error, "there is no task %d; there are 0 to %u",
                                 operation->peer, header->tasks - 1);
        if (operation->comm >= header->communicator_count)
            return vef_text_fail(text, error, "there is no communicator %u", operation->comm);
    }
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (event->completions[i].request >= as->event.next_request)
            return vef_text_fail(text, error, "request %llu was not started before this line",
                                 (unsigned long long)event->completions[i].request);
    if (kind != VEF_KIND_COLLECTIVE && kind != VEF_KIND_COMM)
        return VEF_OK;
    if (event->comm >= header->communicator_count ||
        (event->new_comm != VEF_NO_COMM && event->new_comm >= header->communicator_count))
        return vef_text_fail(text, error, "there is no communicator %u",
                             event->comm >= header->communicator_count ? event->comm
                                                                       : event->new_comm);
    const vef_communicator *comm = &header->communicators[event->comm];
    uint32_t other = comm->remote_size ? comm->remote_size : comm->size;
    if (event->root >= (int32_t)comm->size && event->root >= (int32_t)other)
        return vef_text_fail(text, error, "root %d of a communicator of %u", event->root,
                             comm->size);
    if ((event->send_count && event->send_count != comm->size && event->send_count != other) ||
        (event->receive_count && event->receive_count != comm->size &&
         event->receive_count != other))
        return vef_text_fail(text, error, "sends and receives must have one count per rank: %u",
                             comm->size);
    return VEF_OK;
}

static bool takes_part(const vef_operation *operation) {
    return operation->peer != VEF_NO_TASK && !(operation->flags & VEF_OP_CANCELLED);
}

/* First pass: every message and receive goes to the matcher. */
static vef_code collect(assembly *as, vef_error *error) {
    const vef_event *event = &as->event.event;
    uint32_t task = (uint32_t)as->task;
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    vef_code code = VEF_OK;
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
            if (!vef_map64_set(&as->pairs, key, count ? *count + 1 : 1))
                code = vef_fail_memory(error, "matching", 16 * as->pairs.capacity);
            if (!code)
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

/* A receive that no message of the text is for waits for the one after the last. */
static vef_code next_of_pair(assembly *as, uint32_t sender, uint64_t *ordinal, vef_error *error) {
    uint64_t key = (uint64_t)sender << 32 | (uint32_t)as->task;
    const uint64_t *count = vef_map64_get(&as->pairs, key);
    *ordinal = count ? *count : 0;
    if (vef_call_kind(as->event.event.call) == VEF_KIND_PROBE)
        return VEF_OK; /* the receive after it will be given the same */
    return vef_map64_set(&as->pairs, key, *ordinal + 1)
               ? VEF_OK
               : vef_fail_memory(error, "matching", 16 * as->pairs.capacity);
}

/* Second pass: what was left out is filled in. */
static vef_code settle(assembly *as, vef_error *error) {
    const vef_event *event = &as->event.event;
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        vef_operation *operation = &as->event.operations[i];
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
        if (message != VEF_NO_INDEX) {
            operation->ordinal = as->matcher.sent[message].ordinal;
        } else {
            vef_code code = next_of_pair(as, (uint32_t)operation->peer, &operation->ordinal, error);
            if (code)
                return code;
        }
    }
    return VEF_OK;
}

static vef_code event_line(assembly *as, const char *word, size_t length, vef_error *error) {
    char name[64] = "";
    if (length < sizeof name)
        memcpy(name, word, length);
    int call = vef_call_find(name);
    if (call < 0 || !vef_call_is_held((uint16_t)call))
        return vef_text_fail(&as->text, error, "'%.*s' is no MPI call that a trace holds",
                             (int)length, word);
    if (as->task < 0)
        return vef_text_fail(&as->text, error, "an event must stand below a 'task N'");
    vef_code code = vef_text_event_read(&as->text, (uint16_t)call, &as->event, error);
    if (!code && !as->writer) {
        code = check_event(as, error);
        return code ? code : collect(as, error);
    }
    if (!code)
        code = settle(as, error);
    /* Events follow each other in the order of the text. */
    as->event.event.entered = as->ticks++;
    as->event.event.left = as->ticks++;
    return code ? code : vef_writer_event(as->writer, (uint32_t)as->task, &as->event.event, error);
}

static vef_code end_task(assembly *as, vef_log_end end, vef_error *error) {
    if (as->task < 0)
        return VEF_OK;
    uint32_t task = (uint32_t)as->task;
    as->task = -1;
    as->event.next_request = 0;
    as->ticks = 0;
    if (as->writer)
        return vef_writer_end_task(as->writer, task, end, error);
    vef_code code = vef_matcher_settle(&as->matcher, as->first_sent, error);
    as->first_sent = as->matcher.sent_count;
    return code;
}

static vef_code task_line(assembly *as, vef_error *error) {
    uint64_t task = 0;
    vef_code code = end_task(as, VEF_LOG_FINALIZED, error);
    if (!code)
        code = number_word(as, "task", as->header.tasks - 1, &task, error);
    if (code)
        return code;
    if (as->seen[task])
        return vef_text_fail(&as->text, error, "task %llu stands twice", (unsigned long long)task);
    as->seen[task] = true;
    as->task = (int64_t)task;
    return VEF_OK;
}

static vef_code end_line(assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    if (as->task < 0)
        return vef_text_fail(&as->text, error, "'end' without a 'task N' above it");
    if (vef_text_word(&as->text, &word, &length))
        for (unsigned i = 0; i < 4; i++)
            if (vef_text_is(word, length, vef_end_words[i]))
                return end_task(as, (vef_log_end)i, error);
    return needs(&as->text, error, "end", "finalized, aborted, exited or cut");
}

/* All lines from the first 'task' on. */
static vef_code read_tasks(assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    memset(as->seen, 0, as->header.tasks * sizeof *as->seen);
    while (vef_text_line(&as->text)) {
        vef_text_word(&as->text, &word, &length);
        vef_code code = vef_text_is(word, length, "task")  ? task_line(as, error)
                        : vef_text_is(word, length, "end") ? end_line(as, error)
                                                           : event_line(as, word, length, error);
        if (!code)
            code = line_ends(as, error);
        if (code)
            return code;
    }
    return end_task(as, VEF_LOG_FINALIZED, error);
}

static vef_code read_header(assembly *as, vef_error *error) {
    const char *word;
    size_t length;
    uint64_t version = 0;
    if (!vef_text_line(&as->text) || !vef_text_word(&as->text, &word, &length) ||
        !vef_text_is(word, length, "vef-trace"))
        return vef_text_fail(&as->text, error, "the first line must be 'vef-trace %d'",
                             VEF_TEXT_VERSION);
    vef_code code = number_word(as, "vef-trace", UINT32_MAX, &version, error);
    if (!code && version != VEF_TEXT_VERSION) {
        vef_text_fail(&as->text, error, "version %llu; this program reads version %d",
                      (unsigned long long)version, VEF_TEXT_VERSION);
        if (error)
            error->code = VEF_VERSION;
        return VEF_VERSION;
    }
    while (!code) {
        vef_text before = as->text;
        if (!vef_text_line(&as->text))
            break;
        vef_text_word(&as->text, &word, &length);
        if (vef_text_is(word, length, "task")) {
            as->text = before;
            break;
        }
        code = header_line(as, word, length, error);
        if (!code)
            code = line_ends(as, error);
    }
    if (!code && as->header.tasks == 0)
        code = vef_text_fail(&as->text, error, "the header lacks 'tasks N'");
    if (!code && as->header.communicator_count == 0)
        code = add_world(as, error);
    return code;
}

static vef_code write_trace(assembly *as, const char *path, vef_error *error) {
    vef_code code = vef_writer_open(path, &as->header, &as->writer, error);
    if (!code)
        code = read_tasks(as, error);
    for (uint32_t task = 0; !code && task < as->header.tasks; task++)
        if (!as->seen[task])
            code = vef_writer_end_task(as->writer, task, VEF_LOG_FINALIZED, error);
    for (size_t call = 0; !code && call < vef_call_count(); call++)
        vef_writer_not_recorded(as->writer, (uint16_t)call, as->not_recorded[call], 0);
    if (code)
        vef_writer_discard(as->writer);
    else
        code = vef_writer_finish(as->writer, error);
    return code;
}

vef_code vef_text_assemble(const char *text, size_t size, const char *name, const char *path,
                           vef_error *error) {
    assembly as = {.text = {.name = name, .at = text, .end = text + size}, .task = -1};
    vef_code code = VEF_OK;
    as.not_recorded = vef_arena_alloc(&as.arena, vef_call_count(), sizeof *as.not_recorded);
    if (!as.not_recorded)
        code = vef_fail_memory(error, "a trace", vef_call_count() * sizeof *as.not_recorded);
    if (!code)
        code = read_header(&as, error);
    vef_text tasks = as.text;
    if (!code)
        code = read_tasks(&as, error);
    if (!code) {
        vef_matcher_link(&as.matcher);
        as.text = tasks;
        as.task = -1;
        code = write_trace(&as, path, error);
    }
    vef_text_event_free(&as.event);
    vef_matcher_free(&as.matcher);
    vef_map64_free(&as.pairs);
    free(as.communicators);
    vef_arena_release(&as.arena);
    return code;
}
