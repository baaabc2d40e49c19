/* Writing a trace as text. See text.h. */
#include "common/memory.h"
#include "traces/format/preamble.h"
#include "traces/text/text.h"
#include "traces/text/words.h"

#include <inttypes.h>
#include <stdlib.h>

/* Most of a dump is numbers, and fprintf takes several times as long for one. */
static void put_text(FILE *out, const char *text) {
    fputs_unlocked(text, out);
}

static void put_decimal(FILE *out, uint64_t number) {
    char digits[20], *member = digits + sizeof digits;
    do
        *--member = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    fwrite_unlocked(member, 1, (size_t)(digits + sizeof digits - member), out);
}

/* " key=number" */
static void put_pair(FILE *out, const char *key, bool negative, uint64_t magnitude) {
    fputc_unlocked(' ', out);
    put_text(out, key);
    put_text(out, negative ? "=-" : "=");
    put_decimal(out, magnitude);
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

/* Writes the current event as a line; omits what follows by default from earlier lines. */
typedef struct text_line {
    FILE *out;
    const vef_event *event;
    uint64_t next_request, next_tick;
    uint32_t operation; /* the current one */
} text_line;

static void put_request(text_line *line, uint64_t request, uint64_t implied) {
    if (request == VEF_NO_REQUEST) {
        if (implied != VEF_NO_REQUEST)
            fputs(" request=none", line->out);
        return;
    }
    if (request != implied)
        put_pair(line->out, "request", false, request);
    if (request >= line->next_request)
        line->next_request = request + 1;
}

static void put_operation_request(text_line *line, uint64_t request) {
    const vef_event *event = line->event;
    uint64_t implied =
        vef_call_has(event->call, VEF_FACT_STARTS) ? line->next_request : VEF_NO_REQUEST;
    if (line->operation > 0 && vef_call_has(event->call, VEF_FACT_ONE_REQUEST))
        implied = event->operations[line->operation - 1].request;
    put_request(line, request, implied);
}

static bool is_one_sided(const vef_event *event) {
    return vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
}

static void put_peer(FILE *out, const char *before, int32_t task) {
    put_text(out, before);
    if (task == VEF_NO_TASK)
        put_text(out, "none");
    else if (task < 0)
        fprintf(out, "%" PRId32, task);
    else
        put_decimal(out, (uint64_t)task);
}

static void put_completions(FILE *out, const vef_event *event) {
    const char *before = " requests=";
    for (uint32_t i = 0, length; i < event->completion_count; i += length) {
        const vef_completion *first = &event->completions[i];
        for (length = 1; i + length < event->completion_count; length++)
            if (first[length].request != first->request + length ||
                first[length].cancelled != first->cancelled)
                break;
        put_text(out, before);
        put_decimal(out, first->request);
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

static void put_tasks(FILE *out, const char *key, const int32_t *tasks, uint32_t count) {
    if (count > 0)
        fprintf(out, " %s=", key);
    for (uint32_t i = 0; i < count; i++)
        put_peer(out, i ? "," : "", tasks[i]);
}

static void put_root(FILE *out, int32_t root) {
    if (root == VEF_ROOT_HERE || root == VEF_ROOT_BESIDE)
        fprintf(out, " root=%s", root == VEF_ROOT_HERE ? "here" : "beside");
    else if (root < 0)
        fputs(" root=none", out);
    else
        fprintf(out, " root=%" PRId32, root);
}

static void put_number(FILE *out, const char *key, uint64_t number, uint64_t implied) {
    if (number != implied)
        put_pair(out, key, false, number);
}

static void put_signed(FILE *out, const char *key, int64_t number) {
    if (number != 0)
        put_pair(out, key, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void put_name(FILE *out, const char *key, const char *text) {
    char *quoted = vef_malloc(vef_quoted_bytes(text) + 1);
    *vef_quote(quoted, text) = '\0';
    fprintf(out, "%s%s", key, quoted);
    free(quoted);
}

static void put_fields(text_line *line, const vef_event_field *fields, const void *holder);

static void put_operations(text_line *line) {
    for (uint32_t i = 0; i < line->event->operation_count; i++) {
        line->operation = i;
        put_fields(line, vef_operation_fields, &line->event->operations[i]);
    }
}

/* A field of an operation whose form depends on more than its value. */
static void put_of_operation(text_line *line, const vef_event_field *field,
                             const vef_operation *operation) {
    const bool one_sided = is_one_sided(line->event), send = operation->flags & VEF_OP_SEND;
    if (field->form == VEF_FORM_PEER)
        put_peer(line->out, one_sided ? " target=" : send ? " to=" : " from=", operation->peer);
    else if (field->form == VEF_FORM_OPERATION_REQUEST)
        put_operation_request(line, operation->request);
    else if (field->form == VEF_FORM_FLAGS) {
        if (operation->flags != vef_default_flags(line->event->call, send))
            put_flags(line->out, field->key, vef_operation_words,
                      operation->flags & ~(unsigned)VEF_OP_SEND);
    } else if (operation->ordinal != VEF_NO_ORDINAL)
        put_pair(line->out, field->key, false, operation->ordinal);
    else if (!one_sided)
        fprintf(line->out, " %s=none", field->key);
}

/* The fields of an event, or of one of its operations. */
static void put_fields(text_line *line, const vef_event_field *fields, const void *holder) {
    const vef_event *event = line->event;
    const vef_kind kind = vef_call_kind(event->call);
    FILE *out = line->out;
    for (const vef_event_field *field = fields; field->kinds; field++) {
        const void *member = (const char *)holder + field->offset;
        if (!(field->kinds >> kind & 1))
            continue;
        switch (field->form) {
        case VEF_FORM_OPERATIONS:
            put_operations(line);
            break;
        case VEF_FORM_COMPLETIONS:
            put_completions(out, event);
            break;
        case VEF_FORM_INDEX:
        case VEF_FORM_PERSISTENT:
        case VEF_FORM_NEW_COMM:
            put_number(out, field->key, *(const uint32_t *)member,
                       field->form == VEF_FORM_NEW_COMM ? VEF_NO_COMM : 0);
            break;
        case VEF_FORM_NUMBER:
        case VEF_FORM_NS:
            put_number(out, field->key, *(const uint64_t *)member, 0);
            break;
        case VEF_FORM_REPEATS:
            put_number(out, field->key, *(const uint64_t *)member, 1);
            break;
        case VEF_FORM_BYTES: /* never omitted: no number of bytes is that great */
            put_number(out, field->key, *(const uint64_t *)member, UINT64_MAX);
            break;
        case VEF_FORM_ENTERED:
            put_number(out, field->key, event->entered, line->next_tick);
            break;
        case VEF_FORM_LEFT:
            put_number(out, field->key, event->left, event->entered + 1);
            break;
        case VEF_FORM_SIGNED:
            put_signed(out, field->key, *(const int64_t *)member);
            break;
        case VEF_FORM_SIGNED32:
            put_signed(out, field->key, *(const int32_t *)member);
            break;
        case VEF_FORM_ROOT:
            if (event->root != vef_default_root(event->call))
                put_root(out, event->root);
            break;
        case VEF_FORM_REQUEST:
            if (vef_event_starts_request(event))
                put_request(line, event->request, line->next_request);
            break;
        case VEF_FORM_COUNTS:
            put_vector(out, field->key, *(const uint64_t *const *)member,
                       *(const uint32_t *)((const char *)event + field->count_offset));
            break;
        case VEF_FORM_TASKS:
            put_tasks(out, field->key, event->peers, event->peer_count);
            break;
        case VEF_FORM_NAME:
            if (event->name && *event->name)
                put_name(out, " name=", event->name);
            break;
        case VEF_FORM_MARKS:
            if (event->flags)
                put_flags(out, field->key, vef_event_words, event->flags);
            break;
        case VEF_FORM_PEER:
        case VEF_FORM_OPERATION_REQUEST:
        case VEF_FORM_ORDINAL:
        case VEF_FORM_FLAGS:
            put_of_operation(line, field, holder);
            break;
        }
    }
}

static void put_event(text_line *line, const vef_event *event) {
    line->event = event;
    put_text(line->out, vef_call_name(event->call));
    put_fields(line, vef_event_fields, event);
    line->next_tick = event->left + 1;
    fputc_unlocked('\n', line->out);
}

/* One line per rank with neighbours, and at least one, which marks the graph. */
static void put_neighbours(FILE *out, const vef_communicator *graph) {
    bool any = false;
    for (uint32_t rank = 0; rank < graph->size; rank++) {
        const vef_neighbours *neighbours = &graph->neighbours[rank];
        bool last = rank + 1 == graph->size;
        if (neighbours->in_count == 0 && neighbours->out_count == 0 && (any || !last))
            continue;
        any = true;
        fprintf(out, "neighbours %" PRIu32, rank);
        put_members(out, "in", neighbours->in, neighbours->in_count);
        put_members(out, "out", neighbours->out, neighbours->out_count);
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

static void put_site(FILE *out, uint32_t number, const vef_site *site) {
    fprintf(out, "site %" PRIu32, number);
    put_number(out, "offset", site->offset, 0);
    put_number(out, "line", site->line, 0);
    for (size_t i = 0; i < VEF_SITE_TEXTS; i++) {
        if (!*vef_site_text_of(site, i))
            continue;
        fprintf(out, " %s=", vef_site_texts[i].name);
        put_name(out, "", vef_site_text_of(site, i));
    }
    fputc('\n', out);
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

static void put_header(FILE *out, const vef_trace_header *header) {
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
        put_name(out, "", texts[i].text);
        fputc('\n', out);
    }
    fprintf(out, "exit_status %d\n", header->exit_status);
    put_counted(out, "not_recorded", header->not_recorded, header->not_recorded_ns);
    put_counted(out, "left_out", header->left_out.calls, header->left_out.ns);
    for (uint32_t i = 0; header->measured && i < header->tasks; i++)
        put_measured(out, i, &header->measured[i]);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        put_communicator(out, i, &header->communicators[i]);
    for (uint32_t i = 0; i < header->site_count; i++)
        put_site(out, i + 1, &header->sites[i]);
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

/* One thread after another: each in its order; ticks give the interleaving. */
static vef_code put_task(FILE *out, vef_trace *trace, uint32_t task, vef_error *error) {
    const vef_trace_task *facts = &vef_trace_get_header(trace)->task[task];
    text_line line = {.out = out};
    vef_code code = VEF_OK;
    fprintf(out, "task %" PRIu32, task);
    if (facts->skipped)
        fprintf(out, " skipped=%" PRIu64, facts->skipped);
    fputc('\n', out);
    for (uint32_t thread = 0; thread < facts->threads && !code; thread++) {
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        line.next_tick = 0;
        if (thread > 0)
            fprintf(out, "thread %" PRIu32 "\n", thread);
        code = vef_stream_open(trace, task, thread, &stream, error);
        while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
            put_event(&line, event);
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
                        "%s: --task %" PRId64 ": out of range: expected 0 to %u",
                        vef_trace_path(trace), only, header->tasks - 1);
    put_header(out, header);
    vef_code code = put_under_way(out, trace, error);
    for (uint32_t task = 0; task < header->tasks && !code; task++)
        if (only < 0 || task == only)
            code = put_task(out, trace, task, error);
    if (!code && (fflush(out) != 0 || ferror(out)))
        code = vef_fail_errno(error, "writing text");
    return code;
}
