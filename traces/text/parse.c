/* Reading lines of the text form. See parse.h and FORMAT.md. */
#include "traces/text/parse.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/unknown.h"
#include "traces/format/codec.h"
#include "traces/format/preamble.h"
#include "traces/text/words.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool vef_text_line(vef_text *text) {
    while (text->again || !feof(text->in)) {
        ssize_t length = text->again ? (ssize_t)(text->after - text->here)
                                     : vef_getline(&text->buffer, &text->capacity, text->in);
        if (length < 0)
            break;
        if (!text->again) {
            text->here = text->after;
            text->after += (uint64_t)length;
            text->line++;
        }
        text->again = false;
        text->word = text->buffer;
        text->line_end = text->buffer + length;
        if (length > 0 && text->line_end[-1] == '\n')
            text->line_end--;
        vef_span word;
        if (vef_text_word(text, &word)) {
            text->word = word.begin;
            return true;
        }
    }
    return false;
}

bool vef_text_word(vef_text *text, vef_span *word) {
    const char *next = text->word;
    while (next < text->line_end && (*next == ' ' || *next == '\t' || *next == '\r'))
        next++;
    if (next == text->line_end || *next == '#')
        return false;
    word->begin = next;
    word->end = text->word = vef_word_end(next, text->line_end);
    return true;
}

bool vef_span_is(vef_span span, const char *expected) {
    const size_t length = (size_t)(span.end - span.begin);
    return strlen(expected) == length && memcmp(span.begin, expected, length) == 0;
}

vef_span vef_span_split(vef_span span, char separator, vef_span *rest) {
    const char *found = memchr(span.begin, separator, (size_t)(span.end - span.begin));
    *rest = found ? (vef_span){found + 1, span.end} : (vef_span){NULL, NULL};
    return (vef_span){span.begin, found ? found : span.end};
}

bool vef_span_next(vef_span *list, char separator, vef_span *item) {
    if (!list->begin)
        return false;
    *item = vef_span_split(*list, separator, list);
    return true;
}

int vef_span_call(vef_span span) {
    char name[64] = "";
    const size_t length = (size_t)(span.end - span.begin);
    if (length < sizeof name)
        memcpy(name, span.begin, length);
    return vef_call_find(name);
}

vef_code vef_text_fail(const vef_text *text, vef_error *error, const char *format, ...) {
    char message[VEF_MESSAGE_BYTES - 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return vef_fail(error, VEF_INVALID, "%s:%u: %s", text->name, text->line, message);
}

vef_code vef_text_limit(const vef_text *text, vef_limit limit, uint64_t value, vef_error *error) {
    return vef_limit_check(limit, value, error) == VEF_OK
               ? VEF_OK
               : vef_fail_within(error, "%s:%u", text->name, text->line);
}

vef_code vef_text_needs(const vef_text *text, vef_error *error, const char *key, const char *what) {
    return vef_text_fail(text, error, "%s: expected %s", key, what);
}

vef_code vef_text_number(const vef_text *text, const char *what, vef_span span, uint64_t limit,
                         uint64_t *value, vef_error *error) {
    uint64_t number = 0;
    bool bad = span.begin == span.end;
    for (const char *next = span.begin; next < span.end && !bad; next++) {
        unsigned digit = (unsigned)*next - '0';
        bad = digit > 9 || number > (UINT64_MAX - digit) / 10;
        number = number * 10 + digit;
    }
    if (bad || number > limit)
        return vef_text_fail(text, error, "%s: '%.*s': expected a whole number from 0 to %" PRIu64,
                             what, VEF_SPAN(span), limit);
    *value = number;
    return VEF_OK;
}

vef_code vef_text_quoted(const vef_text *text, const char *key, vef_span span, vef_arena *arena,
                         const char **value, vef_error *error) {
    *value = vef_unquote(&span.begin, span.end, arena);
    return *value && span.begin == span.end
               ? VEF_OK
               : vef_text_needs(text, error, key, "a text in double quotes");
}

static vef_code signed_number(const vef_text *text, const char *what, vef_span span, int64_t least,
                              int64_t limit, int64_t *value, vef_error *error) {
    const bool negative = span.begin < span.end && *span.begin == '-';
    uint64_t number = 0;
    span.begin += negative;
    vef_code code =
        vef_text_number(text, what, span, negative ? (uint64_t) - (least + 1) + 1 : (uint64_t)limit,
                        &number, error);
    *value = (int64_t)(negative ? ~number + 1 : number);
    return code;
}

static vef_code flag_list(const vef_text *text, const vef_word *words, vef_span list,
                          uint16_t *flags, vef_error *error) {
    *flags = 0;
    if (vef_span_is(list, "none"))
        return VEF_OK;
    for (vef_span item; vef_span_next(&list, ',', &item);) {
        const vef_word *word = words;
        while (word->name && !vef_span_is(item, word->name))
            word++;
        uint64_t bits = word->flag;
        if (!word->name && vef_text_number(text, "flag", item, UINT16_MAX, &bits, NULL)) {
            char known[256] = "";
            size_t used = 0;
            for (word = words; word->name; word++)
                used += (size_t)snprintf(known + used, sizeof known - used, " %s", word->name);
            return vef_text_fail(text, error, "unknown flag '%.*s': expected one of%s",
                                 VEF_SPAN(item), known);
        }
        *flags |= (uint16_t)bits;
    }
    return VEF_OK;
}

/* "0-3,7!": requests, runs of them, and cancelled ones with a mark. */
static vef_code completion_list(const vef_text *text, vef_text_event *into, vef_span list,
                                vef_error *error) {
    for (vef_span item, last; vef_span_next(&list, ',', &item);) {
        const bool cancelled = item.end > item.begin && item.end[-1] == '!';
        const vef_span run = {item.begin, item.end - cancelled};
        const size_t count = into->event.completion_count;
        uint64_t first = 0, final = 0;
        vef_code code = vef_text_number(text, "requests", vef_span_split(run, '-', &last),
                                        INT64_MAX, &first, error);
        final = first;
        if (!code && last.begin)
            code = vef_text_number(text, "requests", last, INT64_MAX, &final, error);
        if (!code && (final < first || final - first >= VEF_LONGEST_LIST - count))
            code = vef_text_fail(
                text, error,
                "requests: '%.*s' is descending or too long: expected at most %d requests",
                VEF_SPAN(item), VEF_LONGEST_LIST);
        if (!code && final - first > 1000)
            code = vef_text_limit(text, VEF_LIMIT_LISTED, into->listed += final - first, error);
        if (code)
            return code;
        vef_grow(&into->room.completions, &into->room.completions_capacity,
                 count + (size_t)(final - first) + 1, sizeof *into->room.completions);
        for (uint64_t request = first; request <= final; request++)
            into->room.completions[into->event.completion_count++] =
                (vef_completion){request, cancelled, VEF_NO_TASK, 0, 0};
    }
    return VEF_OK;
}

/* "8,0*3": counts, with repetition. */
static vef_code count_list(const vef_text *text, const char *what, uint64_t **counts,
                           size_t *capacity, uint32_t *count, uint32_t limit, vef_span list,
                           vef_error *error) {
    *count = 0;
    for (vef_span item, repetition; vef_span_next(&list, ',', &item);) {
        uint64_t value = 0, times = 1;
        vef_code code = vef_text_number(text, what, vef_span_split(item, '*', &repetition),
                                        INT64_MAX, &value, error);
        if (!code && repetition.begin)
            code = vef_text_number(text, what, repetition, INT32_MAX, &times, error);
        if (!code && repetition.begin && (*count > limit || times > limit - *count))
            code =
                vef_text_fail(text, error, "%s: too many counts: expected at most %u", what, limit);
        if (code)
            return code;
        vef_grow(counts, capacity, *count + (size_t)times, sizeof **counts);
        while (times-- > 0)
            (*counts)[(*count)++] = value;
    }
    return VEF_OK;
}

static vef_code begin_operation(const vef_text *text, vef_text_event *into, bool send,
                                vef_span peer, vef_error *error) {
    bool one_sided = vef_call_kind(into->event.call) == VEF_KIND_ONE_SIDED;
    vef_operation *operation = VEF_NEW_ITEM(into->room.operations, into->event.operation_count,
                                            into->room.operations_capacity);
    *operation = (vef_operation){.flags = vef_default_flags(into->event.call, send),
                                 .bytes = send || one_sided ? 0 : VEF_TEXT_LATER,
                                 .ordinal = one_sided ? VEF_NO_ORDINAL : VEF_TEXT_LATER,
                                 .request = vef_call_has(into->event.call, VEF_FACT_STARTS)
                                                ? VEF_TEXT_LATER
                                                : VEF_NO_REQUEST};
    const char *key = one_sided ? "target" : send ? "to" : "from";
    uint64_t task = 0;
    operation->peer = VEF_NO_TASK;
    if (vef_span_is(peer, "none"))
        return VEF_OK;
    const vef_code code = vef_text_number(text, key, peer, INT32_MAX, &task, error);
    operation->peer = (int32_t)task;
    return code;
}

/* "3,none,5": tasks. */
static vef_code peer_list(const vef_text *text, vef_text_event *into, vef_span list,
                          vef_error *error) {
    into->event.peer_count = 0;
    for (vef_span item; vef_span_next(&list, ',', &item);) {
        uint64_t task = 0;
        const bool none = vef_span_is(item, "none");
        if (!none && vef_text_number(text, "peers", item, INT32_MAX, &task, error))
            return VEF_INVALID;
        *VEF_NEW_ITEM(into->room.peers, into->event.peer_count, into->room.peers_capacity) =
            none ? VEF_NO_TASK : (int32_t)task;
    }
    return VEF_OK;
}

static vef_code read_root(const vef_text *text, int32_t *root, vef_span value, vef_error *error) {
    uint64_t number = 0;
    const bool named =
        vef_span_is(value, "none") || vef_span_is(value, "here") || vef_span_is(value, "beside");
    const vef_code code =
        named ? VEF_OK : vef_text_number(text, "root", value, INT32_MAX, &number, error);
    *root = !named                ? (int32_t)number
            : *value.begin == 'h' ? VEF_ROOT_HERE
            : *value.begin == 'b' ? VEF_ROOT_BESIDE
                                  : -1;
    return code;
}

/* Of an event that may have the field; `holder` is the event or its latest operation. */
static vef_code read_field(const vef_text *text, vef_text_event *into, const vef_event_field *field,
                           void *holder, vef_span value, vef_error *error) {
    vef_event *event = &into->event;
    void *next = (char *)holder + field->offset;
    const bool sends = field->offset == offsetof(vef_event, send_bytes);
    uint64_t number = 0;
    int64_t tag = 0;
    uint16_t flags = 0;
    vef_code code = VEF_OK;
    into->request_later &= field->form != VEF_FORM_REQUEST;
    into->entered_later &= field->form != VEF_FORM_ENTERED;
    into->left_later &= field->form != VEF_FORM_LEFT;
    switch (field->form) {
    case VEF_FORM_INDEX:
    case VEF_FORM_NEW_COMM:
    case VEF_FORM_PERSISTENT:
        code = vef_text_number(text, field->key, value, UINT32_MAX - 1, &number, error);
        *(uint32_t *)next = (uint32_t)number;
        return code;
    case VEF_FORM_OPERATION_REQUEST:
    case VEF_FORM_ORDINAL:
        *(uint64_t *)next = UINT64_MAX; /* VEF_NO_REQUEST, VEF_NO_ORDINAL */
        if (vef_span_is(value, "none"))
            return VEF_OK;
        return vef_text_number(text, field->key, value, INT64_MAX, next, error);
    case VEF_FORM_REQUEST:
    case VEF_FORM_ENTERED:
    case VEF_FORM_LEFT:
    case VEF_FORM_NUMBER:
    case VEF_FORM_BYTES:
        return vef_text_number(text, field->key, value, INT64_MAX, next, error);
    case VEF_FORM_NS:
    case VEF_FORM_REPEATS:
        return vef_text_number(text, field->key, value, UINT64_MAX, next, error);
    case VEF_FORM_SIGNED:
        return signed_number(text, field->key, value, INT64_MIN, INT64_MAX, next, error);
    case VEF_FORM_SIGNED32:
        code = signed_number(text, field->key, value, INT32_MIN, INT32_MAX, &tag, error);
        *(int32_t *)next = (int32_t)tag;
        return code;
    case VEF_FORM_ROOT:
        return read_root(text, next, value, error);
    case VEF_FORM_COUNTS:
        return count_list(
            text, field->key, sends ? &into->room.send_bytes : &into->room.receive_bytes,
            sends ? &into->room.send_bytes_capacity : &into->room.receive_bytes_capacity,
            (uint32_t *)(void *)((char *)event + field->count_offset), into->longest_vector, value,
            error);
    case VEF_FORM_COMPLETIONS:
        return completion_list(text, into, value, error);
    case VEF_FORM_TASKS:
        return peer_list(text, into, value, error);
    case VEF_FORM_NAME:
        return vef_text_quoted(text, "name", value, &into->names, &event->name, error);
    case VEF_FORM_MARKS:
        return flag_list(text, vef_event_words, value, next, error);
    case VEF_FORM_FLAGS:
        code = flag_list(text, vef_operation_words, value, &flags, error);
        *(uint16_t *)next = (uint16_t)((*(uint16_t *)next & VEF_OP_SEND) | flags);
        return code;
    case VEF_FORM_OPERATIONS:
    case VEF_FORM_PEER: /* have no key */
        break;
    }
    return code;
}

static bool has_key(const vef_event_field *field, const vef_event *event) {
    return field->key && field->kinds >> vef_call_kind(event->call) & 1 &&
           (field->form != VEF_FORM_PERSISTENT || vef_call_has(event->call, VEF_FACT_PERSISTENT));
}

static const vef_event_field *find_field(const vef_event_field *field, const vef_event *event,
                                         vef_span key) {
    while (field->kinds && !(has_key(field, event) && vef_span_is(key, field->key)))
        field++;
    return field->kinds ? field : NULL;
}

static vef_code fail_unknown_key(const vef_text *text, const vef_event *event, vef_span key,
                                 vef_error *error) {
    enum { MOST_KEYS = 64 };
    const char *names[MOST_KEYS];
    char name[64];
    size_t count = 0;
    if (vef_call_kind(event->call) == VEF_KIND_ONE_SIDED)
        names[count++] = "target";
    else if (VEF_IN_MESSAGES >> vef_call_kind(event->call) & 1)
        names[count++] = "to", names[count++] = "from";
    for (int i = 0; i < 2; i++)
        for (const vef_event_field *field = i ? vef_operation_fields : vef_event_fields;
             field->kinds && count < MOST_KEYS; field++)
            if (has_key(field, event))
                names[count++] = field->key;
    snprintf(name, sizeof name, "%.*s", VEF_SPAN(key));
    vef_fail_unknown(error, "key", name, names, count);
    return vef_fail_within(error, "%s:%u: %s", text->name, text->line, vef_call_name(event->call));
}

static vef_code event_key(const vef_text *text, vef_text_event *into, vef_span key, vef_span value,
                          vef_error *error) {
    vef_event *event = &into->event;
    const vef_kind kind = vef_call_kind(event->call);
    const vef_event_field *field = NULL;
    void *holder = event;
    if (VEF_IN_MESSAGES >> kind & 1) {
        const bool one_sided = kind == VEF_KIND_ONE_SIDED;
        const bool send = !one_sided && vef_span_is(key, "to");
        if (send || vef_span_is(key, one_sided ? "target" : "from"))
            return begin_operation(text, into, send, value, error);
        if (event->operation_count > 0)
            field = find_field(vef_operation_fields, event, key);
    }
    if (field)
        holder = &into->room.operations[event->operation_count - 1];
    else
        field = find_field(vef_event_fields, event, key);
    if (!field)
        return fail_unknown_key(text, event, key, error);
    return read_field(text, into, field, holder, value, error);
}

static void fill_in_request(vef_text_event *into, uint64_t *request, uint64_t implied) {
    if (*request == VEF_TEXT_LATER)
        *request = implied;
    if (*request != VEF_NO_REQUEST && *request >= into->next_request)
        into->next_request = *request + 1;
}

/* Defaults that need no other line. */
static void fill_in(vef_text_event *into) {
    vef_event *event = &into->event;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        vef_operation *operation = &into->room.operations[i];
        bool shared = i > 0 && vef_call_has(event->call, VEF_FACT_ONE_REQUEST);
        fill_in_request(into, &operation->request,
                        shared ? operation[-1].request : into->next_request);
        bool nothing = operation->peer == VEF_NO_TASK || (operation->flags & VEF_OP_CANCELLED);
        bool lost = !(operation->flags & VEF_OP_SEND) && (operation->flags & VEF_OP_UNMATCHED);
        if (operation->ordinal == VEF_TEXT_LATER && (nothing || lost))
            operation->ordinal = VEF_NO_ORDINAL;
        if (operation->bytes == VEF_TEXT_LATER && (nothing || lost))
            operation->bytes = 0;
    }
    if (vef_event_starts_request(event)) {
        if (into->request_later)
            event->request = into->next_request;
        fill_in_request(into, &event->request, event->request);
    }
    if (into->entered_later)
        event->entered = into->next_tick;
    if (into->left_later)
        event->left = event->entered + 1;
    into->next_tick = event->left + 1;
    event->operations = into->room.operations;
    event->completions = into->room.completions;
    event->peers = into->room.peers;
    event->send_bytes = event->send_count ? into->room.send_bytes : NULL;
    event->receive_bytes = event->receive_count ? into->room.receive_bytes : NULL;
}

/* Checks after all keys have been read. */
static vef_code check_keys(const vef_text *text, vef_text_event *into, vef_error *error) {
    uint16_t call = into->event.call;
    vef_kind kind = vef_call_kind(call);
    const char *none = "none";
    if (kind == VEF_KIND_ONE_SIDED && into->event.operation_count != 1)
        return vef_text_fail(text, error, "%s: missing target=TASK", vef_call_name(call));
    if (vef_call_has(call, VEF_FACT_GENERALISED) && into->event.operation_count == 0)
        return begin_operation(text, into, false, (vef_span){none, none + strlen(none)}, error);
    if (kind == VEF_KIND_TRANSFER && into->event.operation_count == 0 &&
        !vef_call_has(call, VEF_FACT_MAY_BE_EMPTY))
        return vef_text_fail(text, error, "%s: missing to=TASK or from=TASK", vef_call_name(call));
    if (!into->request_later && !vef_event_starts_request(&into->event))
        return vef_text_fail(text, error, "%s%s starts no request", vef_call_name(call),
                             vef_event_is_making(&into->event) ? " without marks=started" : "");
    return VEF_OK;
}

vef_code vef_text_event_read(vef_text *text, uint16_t call, vef_text_event *into,
                             vef_error *error) {
    if (into->event.name) {
        vef_arena_release(&into->names);
        into->names = (vef_arena){0};
    }
    into->event = (vef_event){.call = call,
                              .repeats = 1,
                              .new_comm = VEF_NO_COMM,
                              .root = vef_default_root(call),
                              .request = VEF_NO_REQUEST};
    into->request_later = into->entered_later = into->left_later = true;
    for (vef_span word, value; vef_text_word(text, &word);) {
        const vef_span key = vef_span_split(word, '=', &value);
        if (!value.begin)
            return vef_text_fail(text, error, "'%.*s': expected key=value", VEF_SPAN(word));
        const vef_code code = event_key(text, into, key, value, error);
        if (code)
            return code;
    }
    vef_code code = check_keys(text, into, error);
    if (!code)
        fill_in(into);
    return code;
}

void vef_text_event_free(vef_text_event *event) {
    vef_event_room_free(&event->room);
    vef_arena_release(&event->names);
}
