/* Writing a trace as text, and the words of that form. See text.h. */
#include "traces/format/preamble.h"
#include "traces/text/text.h"
#include "traces/text/words.h"

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
    {"partitioned", VEF_OP_PARTITIONED},
    {"generalised", VEF_OP_GENERALISED},
    {"probed", VEF_OP_PROBED},
    {NULL, 0},
};

const vef_word vef_event_words[] = {
    {"poll", VEF_EVENT_POLL},
    {"in-place", VEF_EVENT_IN_PLACE},
    {"noncommutative", VEF_EVENT_NONCOMMUTATIVE},
    {"muted", VEF_EVENT_MUTED},
    {"open", VEF_EVENT_OPEN},
    {"started", VEF_EVENT_STARTED},
    {"last", VEF_EVENT_LAST},
    {"exclusive", VEF_EVENT_EXCLUSIVE},
    {"open-ended", VEF_EVENT_OPEN_ENDED},
    {"unmatched", VEF_EVENT_UNMATCHED},
    {NULL, 0},
};

const char *const vef_end_words[VEF_LOG_ENDS] = {"cut", "finalized", "aborted", "exited", "full"};

uint16_t vef_default_flags(uint16_t call, bool send) {
    if (!send)
        return vef_call_has(call, VEF_FACT_GENERALISED) ? VEF_OP_GENERALISED : 0;
    return VEF_OP_SEND | (vef_call_has(call, VEF_FACT_SYNCHRONOUS) ? VEF_OP_SYNCHRONOUS : 0) |
           (vef_call_has(call, VEF_FACT_READY) ? VEF_OP_READY : 0) |
           (vef_call_has(call, VEF_FACT_BUFFERED) ? VEF_OP_BUFFERED : 0);
}

int32_t vef_default_root(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ROOTED) ? 0 : -1;
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

/* What follows by default from the lines before. */
typedef struct counters {
    uint64_t next_request, next_tick;
} counters;

static void put_request(FILE *out, uint64_t request, uint64_t implied, counters *next) {
    if (request == VEF_NO_REQUEST) {
        if (implied != VEF_NO_REQUEST)
            fputs(" request=none", out);
        return;
    }
    if (request != implied)
        fprintf(out, " request=%" PRIu64, request);
    if (request >= next->next_request)
        next->next_request = request + 1;
}

/* The I-th of an event's. */
static void put_operation(FILE *out, const vef_event *event, uint32_t i, counters *next) {
    const vef_operation *operation = &event->operations[i];
    bool one_sided = vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    bool send = operation->flags & VEF_OP_SEND;
    fputs(one_sided ? " target=" : send ? " to=" : " from=", out);
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
    else if (!one_sided)
        fputs(" ordinal=none", out);
    uint64_t implied =
        vef_call_has(event->call, VEF_FACT_STARTS) ? next->next_request : VEF_NO_REQUEST;
    if (i > 0 && vef_call_has(event->call, VEF_FACT_ONE_REQUEST))
        implied = event->operations[i - 1].request;
    put_request(out, operation->request, implied, next);
    if (operation->flags != vef_default_flags(event->call, send))
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

static void put_group(FILE *out, const vef_event *event, bool creation, counters *next) {
    if (event->comm != 0)
        fprintf(out, " comm=%" PRIu32, event->comm);
    if (creation && event->new_comm != VEF_NO_COMM)
        fprintf(out, " new=%" PRIu32, event->new_comm);
    if (vef_event_starts_request(event))
        put_request(out, event->request, next->next_request, next);
    if (creation)
        return;
    if (event->persistent != 0)
        fprintf(out, " persistent=%" PRIu32, event->persistent);
    if (event->root != vef_default_root(event->call)) {
        if (event->root == VEF_ROOT_HERE || event->root == VEF_ROOT_BESIDE)
            fprintf(out, " root=%s", event->root == VEF_ROOT_HERE ? "here" : "beside");
        else if (event->root < 0)
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

static void put_sync(FILE *out, const vef_event *event) {
    if (event->comm != 0)
        fprintf(out, " comm=%" PRIu32, event->comm);
    for (uint32_t i = 0; i < event->peer_count; i++) {
        fputs(i ? "," : " peers=", out);
        if (event->peers[i] == VEF_NO_TASK)
            fputs("none", out);
        else
            fprintf(out, "%" PRId32, event->peers[i]);
    }
    if (event->argument != 0)
        fprintf(out, " assertion=%" PRId64, event->argument);
}

static vef_code put_name(FILE *out, const char *key, const char *text, vef_error *error) {
    char *quoted = malloc(vef_quoted_bytes(text) + 1);
    if (!quoted)
        return vef_fail_memory(error, "a text", vef_quoted_bytes(text));
    *vef_quote(quoted, text) = '\0';
    fprintf(out, "%s%s", key, quoted);
    free(quoted);
    return VEF_OK;
}

static vef_code put_event(FILE *out, const vef_event *event, counters *next, vef_error *error) {
    vef_code code = VEF_OK;
    fputs(vef_call_name(event->call), out);
    for (uint32_t i = 0; i < event->operation_count; i++)
        put_operation(out, event, i, next);
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_COMPLETE:
        put_completions(out, event);
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        put_group(out, event, vef_call_kind(event->call) == VEF_KIND_COMM, next);
        break;
    case VEF_KIND_SYNC:
        put_sync(out, event);
        break;
    case VEF_KIND_REGION:
        if (event->name && *event->name)
            code = put_name(out, " name=", event->name, error);
        break;
    case VEF_KIND_LOCAL:
        if (event->argument != 0)
            fprintf(out, " value=%" PRId64, event->argument);
        break;
    default:
        break;
    }
    if (event->flags)
        put_flags(out, "marks", vef_event_words, event->flags);
    if (event->repeats != 1)
        fprintf(out, " repeats=%" PRIu64, event->repeats);
    if (event->gap_ns)
        fprintf(out, " gap=%" PRIu64, event->gap_ns);
    if (event->outside_ns)
        fprintf(out, " outside=%" PRIu64, event->outside_ns);
    if (event->duration_ns)
        fprintf(out, " time=%" PRIu64, event->duration_ns);
    if (event->entered != next->next_tick)
        fprintf(out, " entered=%" PRIu64, event->entered);
    if (event->left != event->entered + 1)
        fprintf(out, " left=%" PRIu64, event->left);
    next->next_tick = event->left + 1;
    fputc('\n', out);
    return code;
}

/* One line for each rank with neighbours, and one at least, so that it is seen to be a graph. */
static void put_neighbours(FILE *out, const vef_communicator *graph) {
    bool any = false;
    for (uint32_t rank = 0; rank < graph->size; rank++) {
        const vef_neighbours *own = &graph->neighbours[rank];
        bool last = rank + 1 == graph->size;
        if (own->in_count == 0 && own->out_count == 0 && (any || !last))
            continue;
        any = true;
        fprintf(out, "neighbours %" PRIu32, rank);
        put_members(out, "in", own->in, own->in_count);
        put_members(out, "out", own->out, own->out_count);
        fputc('\n', out);
    }
}

static void put_communicator(FILE *out, uint32_t number, const vef_communicator *communicator) {
    fprintf(out, "comm %" PRIu32, number);
    if (communicator->parent != VEF_NO_COMM)
        fprintf(out, " parent=%" PRIu32, communicator->parent);
    if (communicator->made_by != VEF_PREDEFINED)
        fprintf(out, " by=%s", vef_call_name(communicator->made_by));
    put_members(out, "members", communicator->members, communicator->size);
    put_members(out, "remote", communicator->remote_members, communicator->remote_size);
    for (uint32_t i = 0; i < communicator->dimensions; i++)
        fprintf(out, "%s%" PRIu32 "%s", i ? "x" : " grid=", communicator->extents[i],
                communicator->periodic[i] ? "p" : "");
    fputc('\n', out);
    if (communicator->neighbours)
        put_neighbours(out, communicator);
}

static void put_counted(FILE *out, const char *key, const uint64_t *calls, const uint64_t *ns) {
    for (size_t call = 0; calls && call < vef_call_count(); call++) {
        uint64_t inside_ns = ns ? ns[call] : 0;
        if (calls[call] == 0 && inside_ns == 0)
            continue;
        fprintf(out, "%s %s %" PRIu64, key, vef_call_name((uint16_t)call), calls[call]);
        if (inside_ns)
            fprintf(out, " time=%" PRIu64, inside_ns);
        fputc('\n', out);
    }
}

static void put_measured(FILE *out, uint32_t task, const vef_measured *measured) {
    bool any = false;
    for (size_t i = 0; i < VEF_MEASURED_FIELDS; i++) {
        uint64_t value = vef_measured_value(measured, i);
        if (value == 0)
            continue;
        if (!any)
            fprintf(out, "measured %" PRIu32, task);
        any = true;
        fprintf(out, " %s=%" PRIu64, vef_measured_fields[i].name, value);
    }
    if (any)
        fputc('\n', out);
}

static vef_code put_header(FILE *out, const vef_trace_header *header, vef_error *error) {
    const struct {
        const char *key, *text;
    } texts[] = {{"application", header->application},
                 {"command", header->command},
                 {"library", header->library},
                 {"clock", header->clock},
                 {"times", header->times},
                 {"options", header->options},
                 {"date", header->date}};
    fprintf(out, "vef-trace %d\ntasks %" PRIu32 "\n", VEF_TEXT_VERSION, header->tasks);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(out, "%s ", texts[i].key);
        vef_code code = put_name(out, "", texts[i].text, error);
        if (code)
            return code;
        fputc('\n', out);
    }
    fprintf(out, "exit_status %d\n", header->exit_status);
    put_counted(out, "not_recorded", header->not_recorded, header->not_recorded_ns);
    put_counted(out, "left_out", header->left_out.calls, header->left_out.ns);
    for (uint32_t i = 0; header->measured && i < header->tasks; i++)
        put_measured(out, i, &header->measured[i]);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        put_communicator(out, i, &header->communicators[i]);
    return VEF_OK;
}

static vef_code put_under_way(FILE *out, vef_trace *trace, vef_error *error) {
    char line[VEF_UNDER_WAY_BYTES];
    const vef_under_way *list;
    size_t count;
    vef_code code = vef_trace_under_way(trace, &list, &count, error);
    for (size_t i = 0; i < count && !code; i++) {
        vef_under_way_put(&list[i], line);
        fprintf(out, "under_way %s\n", line);
    }
    return code;
}

/* One thread after another: each keeps its own order, their ticks tell how they lie. */
static vef_code put_task(FILE *out, vef_trace *trace, uint32_t task, vef_error *error) {
    const vef_trace_task *facts = &vef_trace_get_header(trace)->task[task];
    counters next = {0};
    vef_code code = VEF_OK;
    fprintf(out, "task %" PRIu32, task);
    if (facts->skipped)
        fprintf(out, " skipped=%" PRIu64, facts->skipped);
    fputc('\n', out);
    for (uint32_t thread = 0; thread < facts->threads && !code; thread++) {
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        next.next_tick = 0;
        if (thread > 0)
            fprintf(out, "thread %" PRIu32 "\n", thread);
        code = vef_stream_open(trace, task, thread, &stream, error);
        while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
            code = put_event(out, event, &next, error);
        vef_stream_close(stream);
    }
    if (!code)
        fprintf(out, "end %s", vef_end_words[facts->end]);
    if (!code && facts->record != facts->end)
        fprintf(out, " record=%s", vef_end_words[facts->record]);
    if (!code)
        fputc('\n', out);
    return code;
}

vef_code vef_text_dump(vef_trace *trace, int64_t only, FILE *out, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    if (only >= header->tasks)
        return vef_fail(error, VEF_INVALID,
                        "%s: there is no task %" PRId64 "; it has tasks 0 to %u",
                        vef_trace_path(trace), only, header->tasks - 1);
    vef_code code = put_header(out, header, error);
    if (!code)
        code = put_under_way(out, trace, error);
    for (uint32_t task = 0; task < header->tasks && !code; task++)
        if (only < 0 || task == only)
            code = put_task(out, trace, task, error);
    if (!code && (fflush(out) != 0 || ferror(out)))
        code = vef_fail_errno(error, "writing text");
    return vef_fail_memory_within(error, code, vef_trace_path(trace));
}
