/* Writing a trace as text, and the words of that form. See text.h. */
#include "traces/preamble.h"
#include "traces/text.h"
#include "traces/text_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const vef_word vef_operation_words[] = {
    {"any-source", VEF_OP_ANY_SOURCE},
    {"any-tag", VEF_OP_ANY_TAG},
    {"unmatched", VEF_OP_UNMATCHED},
    {"cancelled", VEF_OP_CANCELLED},
    {"open-ended", VEF_OP_OPEN_ENDED},
    {"synchronous", VEF_OP_SYNCHRONOUS},
    {"ready", VEF_OP_READY},
    {"buffered", VEF_OP_BUFFERED},
    {NULL, 0},
};

const vef_word vef_event_words[] = {
    {"poll", VEF_EVENT_POLL},
    {"in-place", VEF_EVENT_IN_PLACE},
    {"noncommutative", VEF_EVENT_NONCOMMUTATIVE},
    {"muted", VEF_EVENT_MUTED},
    {"open", VEF_EVENT_OPEN},
    {NULL, 0},
};

const char *const vef_end_words[4] = {"cut", "finalized", "aborted", "exited"};

uint16_t vef_default_flags(uint16_t call, bool send) {
    if (!send)
        return 0;
    switch (call) {
    case VEF_CALL_Ssend:
    case VEF_CALL_Issend:
        return VEF_OP_SEND | VEF_OP_SYNCHRONOUS;
    case VEF_CALL_Rsend:
    case VEF_CALL_Irsend:
        return VEF_OP_SEND | VEF_OP_READY;
    case VEF_CALL_Bsend:
    case VEF_CALL_Ibsend:
        return VEF_OP_SEND | VEF_OP_BUFFERED;
    default:
        return VEF_OP_SEND;
    }
}

bool vef_starts_requests(uint16_t call) {
    switch (call) {
    case VEF_CALL_Isend:
    case VEF_CALL_Ibsend:
    case VEF_CALL_Issend:
    case VEF_CALL_Irsend:
    case VEF_CALL_Irecv:
    case VEF_CALL_Start:
    case VEF_CALL_Startall:
    case VEF_CALL_Imrecv:
        return true;
    default:
        return false;
    }
}

int32_t vef_default_root(uint16_t call) {
    switch (call) {
    case VEF_CALL_Bcast:
    case VEF_CALL_Reduce:
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return 0;
    default:
        return -1;
    }
}

static void put_flags(FILE *out, const char *key, const vef_word *words, unsigned flags) {
    fprintf(out, " %s=", key);
    const char *comma = "";
    for (; words->name; words++) {
        if (!(flags & words->flag))
            continue;
        fprintf(out, "%s%s", comma, words->name);
        comma = ",";
        flags &= ~(unsigned)words->flag;
    }
    if (flags)
        fprintf(out, "%s%u", comma, flags); /* bits without a name */
    else if (!*comma)
        fputs("none", out);
}

static void put_operation(FILE *out, uint16_t call, const vef_operation *operation,
                          uint64_t *next_request) {
    bool send = operation->flags & VEF_OP_SEND;
    fprintf(out, send ? " to=" : " from=");
    if (operation->peer == VEF_NO_TASK)
        fputs("none", out);
    else
        fprintf(out, "%" PRId32, operation->peer);
    fprintf(out, " bytes=%" PRIu64, operation->bytes);
    if (operation->tag != 0)
        fprintf(out, " tag=%" PRId32, operation->tag);
    if (operation->comm != 0)
        fprintf(out, " comm=%" PRIu32, operation->comm);
    if (operation->ordinal != VEF_NO_ORDINAL)
        fprintf(out, " ordinal=%" PRIu64, operation->ordinal);
    else
        fputs(" ordinal=none", out);
    uint64_t implied = vef_starts_requests(call) ? *next_request : VEF_NO_REQUEST;
    if (operation->request == VEF_NO_REQUEST) {
        if (implied != VEF_NO_REQUEST)
            fputs(" request=none", out);
    } else {
        if (operation->request != implied)
            fprintf(out, " request=%" PRIu64, operation->request);
        if (operation->request >= *next_request)
            *next_request = operation->request + 1;
    }
    if (operation->flags != vef_default_flags(call, send))
        put_flags(out, "flags", vef_operation_words, operation->flags & ~(unsigned)VEF_OP_SEND);
}

static void put_completions(FILE *out, const vef_event *event) {
    const char *before = " requests=";
    for (uint32_t i = 0, length; i < event->completion_count; i += length) {
        const vef_completion *first = &event->completions[i];
        for (length = 1; i + length < event->completion_count; length++)
            if (first[length].request != first->request + length ||
                first[length].cancelled != first->cancelled)
                break;
        fprintf(out, "%s%" PRIu64, before, first->request);
        if (length > 1)
            fprintf(out, "-%" PRIu64, first->request + length - 1);
        if (first->cancelled)
            fputc('!', out);
        before = ",";
    }
}

static void put_vector(FILE *out, const char *key, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0, length; i < count; i += length) {
        for (length = 1; i + length < count && list[i + length] == list[i]; length++)
            continue;
        if (i == 0)
            fprintf(out, " %s=", key);
        fprintf(out, "%s%" PRIu64, i ? "," : "", list[i]);
        if (length > 1)
            fprintf(out, "*%" PRIu32, length);
    }
}

static void put_group(FILE *out, const vef_event *event, bool creation) {
    if (event->comm != 0)
        fprintf(out, " comm=%" PRIu32, event->comm);
    if (creation) {
        if (event->new_comm != VEF_NO_COMM)
            fprintf(out, " new=%" PRIu32, event->new_comm);
        return;
    }
    if (event->root != vef_default_root(event->call)) {
        if (event->root < 0)
            fputs(" root=none", out);
        else
            fprintf(out, " root=%" PRId32, event->root);
    }
    if (event->bytes != 0)
        fprintf(out, " bytes=%" PRIu64, event->bytes);
    if (event->elements != 0)
        fprintf(out, " elements=%" PRIu64, event->elements);
    put_vector(out, "sends", event->send_bytes, event->send_count);
    put_vector(out, "receives", event->receive_bytes, event->receive_count);
}

static void put_event(FILE *out, const vef_event *event, uint64_t *next_request) {
    fputs(vef_call_name(event->call), out);
    vef_kind kind = vef_call_kind(event->call);
    for (uint32_t i = 0; i < event->operation_count; i++)
        put_operation(out, event->call, &event->operations[i], next_request);
    if (kind == VEF_KIND_COMPLETE)
        put_completions(out, event);
    if (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM)
        put_group(out, event, kind == VEF_KIND_COMM);
    if (kind == VEF_KIND_LOCAL && event->argument != 0)
        fprintf(out, " value=%" PRId64, event->argument);
    if (event->flags)
        put_flags(out, "marks", vef_event_words, event->flags);
    if (event->repeats != 1)
        fprintf(out, " repeats=%" PRIu64, event->repeats);
    if (event->thread)
        fprintf(out, " thread=%" PRIu32, event->thread);
    if (event->gap_ns)
        fprintf(out, " gap=%" PRIu64, event->gap_ns);
    if (event->duration_ns)
        fprintf(out, " time=%" PRIu64, event->duration_ns);
    fputc('\n', out);
}

static void put_members(FILE *out, const char *key, const uint32_t *members, uint32_t count) {
    for (uint32_t i = 0, length; i < count; i += length) {
        int64_t stride = i + 1 < count ? (int64_t)members[i + 1] - members[i] : 0;
        for (length = 1; stride > 0 && i + length < count; length++)
            if ((int64_t)members[i + length] - members[i + length - 1] != stride)
                break;
        if (length == 2 && stride != 1)
            length = 1;
        fprintf(out, "%s%s%s%" PRIu32, i ? "" : " ", i ? "," : key, i ? "" : "=", members[i]);
        if (length > 1)
            fprintf(out, "-%" PRIu32, members[i + length - 1]);
        if (length > 1 && stride > 1)
            fprintf(out, "/%" PRId64, stride);
    }
}

static void put_communicator(FILE *out, uint32_t number, const vef_communicator *communicator) {
    fprintf(out, "comm %" PRIu32, number);
    if (communicator->parent != VEF_NO_COMM)
        fprintf(out, " parent=%" PRIu32, communicator->parent);
    if (communicator->made_by != VEF_CALL_Init)
        fprintf(out, " by=%s", vef_call_name(communicator->made_by));
    put_members(out, "members", communicator->members, communicator->size);
    put_members(out, "remote", communicator->remote_members, communicator->remote_size);
    for (uint32_t i = 0; i < communicator->dimensions; i++)
        fprintf(out, "%s%" PRIu32 "%s", i ? "x" : " grid=", communicator->extents[i],
                communicator->periodic[i] ? "p" : "");
    fputc('\n', out);
}

static vef_code put_text(FILE *out, const char *key, const char *text, vef_error *error) {
    char *quoted = malloc(vef_quoted_bytes(text) + 1);
    if (!quoted)
        return vef_fail_memory(error, "a text", vef_quoted_bytes(text));
    *vef_quote(quoted, text) = '\0';
    fprintf(out, "%s %s\n", key, quoted);
    free(quoted);
    return VEF_OK;
}

static vef_code put_header(FILE *out, const vef_trace_header *header, vef_error *error) {
    const struct {
        const char *key, *text;
    } texts[] = {{"application", header->application}, {"command", header->command},
                 {"library", header->library},         {"clock", header->clock},
                 {"options", header->options},         {"date", header->date}};
    fprintf(out, "vef-trace %d\ntasks %" PRIu32 "\n", VEF_TEXT_VERSION, header->tasks);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        vef_code code = put_text(out, texts[i].key, texts[i].text, error);
        if (code)
            return code;
    }
    fprintf(out, "exit_status %d\n", header->exit_status);
    for (size_t call = 0; call < vef_call_count(); call++)
        if (header->not_recorded[call])
            fprintf(out, "not_recorded %s %" PRIu64 "\n", vef_call_name((uint16_t)call),
                    header->not_recorded[call]);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        put_communicator(out, i, &header->communicators[i]);
    return VEF_OK;
}

vef_code vef_text_dump(vef_trace *trace, int64_t only, FILE *out, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    if (only >= header->tasks)
        return vef_fail(error, VEF_INVALID,
                        "%s: there is no task %" PRId64 "; it has tasks 0 to %u",
                        vef_trace_path(trace), only, header->tasks - 1);
    vef_code code = put_header(out, header, error);
    for (uint32_t task = 0; task < header->tasks && !code; task++) {
        if (only >= 0 && task != only)
            continue;
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        uint64_t next_request = 0;
        fprintf(out, "task %" PRIu32 "\n", task);
        code = vef_stream_open(trace, task, 0, &stream, error);
        while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
            put_event(out, event, &next_request);
        vef_stream_close(stream);
        if (!code)
            fprintf(out, "end %s\n", vef_end_words[header->task[task].end]);
    }
    if (!code && (fflush(out) != 0 || ferror(out)))
        code = vef_fail_errno(error, "writing text");
    return code;
}
