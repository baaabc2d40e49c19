/* Calls under way as lines of text: see under_way.h. */
#include "traces/format/under_way.h"
#include "traces/format/preamble.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

typedef struct sink {
    char *text;
    size_t used;
} sink;

static void __attribute__((format(printf, 2, 3))) put(sink *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->text + to->used, VEF_UNDER_WAY_BYTES - to->used, format, arguments);
    va_end(arguments);
    to->used += length > 0 ? (size_t)length : 0;
}

static void put_waited(sink *to, const vef_waited *waited) {
    bool send = waited->flags & VEF_OP_SEND;
    if (waited->peer == VEF_NO_TASK)
        put(to, " all");
    else if (waited->peer == VEF_ANY_SOURCE)
        put(to, " recv,from=any");
    else
        put(to, send ? " send,to=%" PRId32 : " recv,from=%" PRId32, waited->peer);
    if (waited->peer != VEF_NO_TASK && waited->tag != VEF_ANY_TAG)
        put(to, ",tag=%" PRId32, waited->tag);
    if (waited->comm != VEF_NO_COMM)
        put(to, ",comm=%" PRIu32, waited->comm);
    if (waited->bytes > 0)
        put(to, ",bytes=%" PRIu64, waited->bytes);
    const char *by = waited->call ? vef_call_name(waited->call) : NULL;
    if (by)
        put(to, ",by=%s", by);
}

void vef_under_way_put(const vef_under_way *record, char line[VEF_UNDER_WAY_BYTES]) {
    sink to = {line, 0};
    char name[4 * VEF_REGION_NAME_BYTES + 8];
    put(&to, "%" PRIu32 ".%" PRIu32 " %s %s since=%" PRIu64, record->task, record->thread,
        record->call, record->inside ? "inside" : "returned", record->since_ns);
    if (record->seen_ns)
        put(&to, " seen=%" PRIu64, record->seen_ns);
    for (uint32_t i = 0; i < vef_waited_shown(record); i++)
        put_waited(&to, &record->waited[i]);
    if (record->waited_count > VEF_WAITED_SHOWN)
        put(&to, " more=%" PRIu32, record->waited_count - VEF_WAITED_SHOWN);
    for (uint32_t i = 0; i < vef_regions_shown(record); i++) {
        *vef_quote(name, record->region[i]) = '\0';
        put(&to, " region=%s", name);
    }
    if (record->region_count > VEF_REGIONS_SHOWN)
        put(&to, " more_regions=%" PRIu32, record->region_count - VEF_REGIONS_SHOWN);
    for (uint32_t i = 0; i < record->stack_count; i++)
        put(&to, "%s%" PRIu32, i ? "," : " stack=", record->stack[i]);
}

/* ---- reading ---- */

static bool starts(const char *word, const char *end, const char *with) {
    size_t length = strlen(with);
    return (size_t)(end - word) >= length && memcmp(word, with, length) == 0;
}

/* A whole number, possibly negative, that spans all of the bytes. */
static bool number(const char *from, const char *end, int64_t least, uint64_t most,
                   uint64_t *value) {
    bool negative = from < end && *from == '-' && least < 0;
    uint64_t limit = negative ? (uint64_t)-least : most;
    *value = 0;
    from += negative;
    if (from == end)
        return false;
    for (; from < end; from++) {
        unsigned digit = (unsigned)(*from - '0');
        if (digit > 9 || *value > (limit - digit) / 10)
            return false;
        *value = 10 * *value + digit;
    }
    if (negative)
        *value = 0 - *value;
    return true;
}

/* A number into a member of 32 bits. */
static bool number32(const char *from, const char *end, int64_t least, uint64_t most, void *into) {
    uint64_t value = 0;
    const bool good = number(from, end, least, most, &value);
    *(uint32_t *)into = (uint32_t)value;
    return good;
}

/* One part of a waited operation: "from=1". */
static bool get_part(const char *part, const char *end, vef_waited *into) {
    char name[64];
    if (starts(part, end, "from=any") && end - part == 8) {
        into->peer = VEF_ANY_SOURCE;
        return true;
    }
    if (starts(part, end, "from=") || starts(part, end, "to="))
        return number32(memchr(part, '=', 5) + 1, end, 0, INT32_MAX, &into->peer);
    if (starts(part, end, "tag="))
        return number32(part + 4, end, INT32_MIN, INT32_MAX, &into->tag);
    if (starts(part, end, "comm="))
        return number32(part + 5, end, 0, VEF_NO_COMM - 1, &into->comm);
    if (starts(part, end, "bytes="))
        return number(part + 6, end, 0, UINT64_MAX, &into->bytes);
    if (!starts(part, end, "by=") || (size_t)(end - part - 3) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(end - part - 3), part + 3);
    const int call = vef_call_find(name);
    into->call = call < 0 ? 0 : (uint16_t)call;
    return call >= 0;
}

static bool get_waited(const char *word, const char *end, vef_under_way *record) {
    if (record->waited_count >= VEF_WAITED_SHOWN)
        return false;
    vef_waited *into = &record->waited[record->waited_count++];
    *into = (vef_waited){.flags = *word == 's' ? VEF_OP_SEND : 0,
                         .comm = VEF_NO_COMM,
                         .peer = VEF_NO_TASK,
                         .tag = VEF_ANY_TAG};
    for (const char *comma = memchr(word, ',', (size_t)(end - word)); comma;) {
        const char *part = comma + 1;
        comma = memchr(part, ',', (size_t)(end - part));
        if (!get_part(part, comma ? comma : end, into))
            return false;
    }
    return true;
}

static bool get_region(const char *word, const char *end, vef_arena *arena, vef_under_way *record) {
    const char *name = vef_unquote(&word, end, arena);
    if (!name || word != end || record->region_count >= VEF_REGIONS_SHOWN ||
        strlen(name) >= VEF_REGION_NAME_BYTES)
        return false;
    strcpy(record->region[record->region_count++], name);
    return true;
}

static bool get_stack(const char *from, const char *end, vef_under_way *record) {
    bool good = true;
    for (const char *comma = from; good && comma; from = comma + 1) {
        comma = memchr(from, ',', (size_t)(end - from));
        good = record->stack_count < VEF_STACK_SHOWN &&
               number32(from, comma ? comma : end, 0, UINT32_MAX,
                        &record->stack[record->stack_count++]);
    }
    return good;
}

/* How many more there are of a list that is full. */
static bool get_more(const char *from, const char *end, uint32_t shown, uint32_t *count) {
    uint32_t more;
    const bool good = *count == shown && number32(from, end, 0, UINT32_MAX - shown, &more);
    *count += good ? more : 0;
    return good;
}

/* The words after the first two. */
static bool get_word(const char *word, const char *end, vef_arena *arena, vef_under_way *record) {
    if (starts(word, end, "inside") || starts(word, end, "returned")) {
        record->inside = *word == 'i';
        return end - word == (record->inside ? 6 : 8);
    }
    if (starts(word, end, "since="))
        return number(word + 6, end, 0, UINT64_MAX, &record->since_ns);
    if (starts(word, end, "seen="))
        return number(word + 5, end, 0, UINT64_MAX, &record->seen_ns);
    if (starts(word, end, "send") || starts(word, end, "recv") || starts(word, end, "all"))
        return get_waited(word, end, record);
    if (starts(word, end, "stack="))
        return get_stack(word + 6, end, record);
    if (starts(word, end, "region="))
        return get_region(word + 7, end, arena, record);
    if (starts(word, end, "more="))
        return get_more(word + 5, end, VEF_WAITED_SHOWN, &record->waited_count);
    if (starts(word, end, "more_regions="))
        return get_more(word + 13, end, VEF_REGIONS_SHOWN, &record->region_count);
    return false;
}

/* "3.0" */
static bool get_thread(const char *word, const char *end, vef_under_way *record) {
    const char *dot = memchr(word, '.', (size_t)(end - word));
    return dot && number32(word, dot, 0, UINT32_MAX, &record->task) &&
           number32(dot + 1, end, 0, UINT32_MAX, &record->thread);
}

vef_code vef_under_way_get(const char *line, const char *end, vef_arena *arena,
                           vef_under_way *record, vef_error *error) {
    unsigned count = 0;
    *record = (vef_under_way){0};
    for (const char *word = line, *after; word < end; word = after) {
        while (word < end && *word == ' ')
            word++;
        after = vef_word_end(word, end);
        if (word == after)
            break;
        bool good;
        if (count == 1) {
            good = (size_t)(after - word) < sizeof record->call;
            memcpy(record->call, word, good ? (size_t)(after - word) : 0);
        } else {
            good =
                count == 0 ? get_thread(word, after, record) : get_word(word, after, arena, record);
        }
        if (!good)
            return vef_fail(error, VEF_CORRUPT, "unknown part '%.*s' of a call under way",
                            (int)(after - word < 80 ? after - word : 80), word);
        count++;
    }
    if (count < 2)
        return vef_fail(error, VEF_CORRUPT, "missing task or name of a call under way");
    return VEF_OK;
}
