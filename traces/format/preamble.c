/* Writing and reading the first bytes of logs and traces. See preamble.h. */
#include "traces/format/preamble.h"
#include "common/memory.h"
#include "common/utf8.h"
#include "traces/format/block.h"
#include "traces/format/varint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

const char vef_log_magic[VEF_MAGIC_BYTES] = {'\x89', 'V', 'E', 'F', 'L', 'O', 'G', '\n'};
const char vef_trace_magic[VEF_MAGIC_BYTES] = {'\x89', 'V', 'E', 'F', 'T', 'R', 'C', '\n'};

char *vef_quote(char *to, const char *text) {
    static const char digits[] = "0123456789abcdef";
    *to++ = '"';
    for (const unsigned char *cursor = (const unsigned char *)text; *cursor;) {
        size_t length = vef_utf8_visible(cursor);
        if (length > 1) {
            memcpy(to, cursor, length);
            to += length;
            cursor += length;
            continue;
        }
        unsigned char byte = *cursor++;
        if (byte == '"' || byte == '\\') {
            *to++ = '\\';
            *to++ = (char)byte;
        } else if (byte >= 0x20 && byte < 0x7f) {
            *to++ = (char)byte;
        } else if (byte == '\n' || byte == '\t') {
            *to++ = '\\';
            *to++ = byte == '\n' ? 'n' : 't';
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = digits[byte >> 4];
            *to++ = digits[byte & 15];
        }
    }
    *to++ = '"';
    return to;
}

size_t vef_quoted_bytes(const char *text) {
    return 2 + 4 * strlen(text);
}

const char *vef_word_end(const char *word, const char *end) {
    bool quoted = false;
    for (; word < end; word++) {
        if (!quoted && (unsigned char)*word > '"') /* most */
            continue;
        if (!quoted && (*word == ' ' || *word == '\t' || *word == '\r'))
            break;
        if (quoted && *word == '\\' && word + 1 < end)
            word++;
        else if (*word == '"')
            quoted = !quoted;
    }
    return word;
}

static int hex(char digit) {
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

char *vef_unquote(const char **cursor, const char *end, vef_arena *arena) {
    const char *from = *cursor;
    if (from >= end || *from++ != '"')
        return NULL;
    char *text = vef_arena_alloc(arena, (size_t)(end - from) + 1, 1), *to = text;
    if (!text)
        return NULL;
    while (from < end && *from != '"') {
        if (*from != '\\') {
            if ((unsigned char)*from < 0x20)
                return NULL;
            *to++ = *from++;
            continue;
        }
        if (end - from < 2)
            return NULL;
        char escape = from[1];
        from += 2;
        if (escape == '"' || escape == '\\') {
            *to++ = escape;
        } else if (escape == 'n' || escape == 't') {
            *to++ = escape == 'n' ? '\n' : '\t';
        } else if (escape == 'x' && end - from >= 2 && hex(from[0]) >= 0 && hex(from[1]) >= 0 &&
                   (from[0] != '0' || from[1] != '0')) {
            *to++ = (char)(hex(from[0]) << 4 | hex(from[1]));
            from += 2;
        } else {
            return NULL;
        }
    }
    if (from >= end)
        return NULL;
    *cursor = from + 1;
    return text;
}

vef_code vef_preamble_make(const char magic[VEF_MAGIC_BYTES], const char *title,
                           const vef_field *fields, size_t count, uint8_t **bytes, size_t *size,
                           vef_error *error) {
    size_t room = VEF_PREAMBLE_FIXED_BYTES + strlen(title) + 16;
    for (size_t i = 0; i < count; i++)
        room +=
            strlen(fields[i].key) + 32 + (fields[i].text ? vef_quoted_bytes(fields[i].text) : 0);
    if (room > VEF_PREAMBLE_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED, "the header takes %zu bytes; the limit is %d", room,
                        VEF_PREAMBLE_LIMIT);
    uint8_t *whole = vef_malloc(room);
    if (!whole)
        return vef_fail_memory(error, "the header", room);
    char *start = (char *)whole + VEF_PREAMBLE_FIXED_BYTES, *to = start;
    to += sprintf(to, "# %s\n", title);
    for (size_t i = 0; i < count; i++) {
        to += sprintf(to, "%s: ", fields[i].key);
        if (fields[i].text)
            to = vef_quote(to, fields[i].text);
        else
            to += sprintf(to, "%" PRId64, fields[i].number);
        *to++ = '\n';
    }
    memcpy(whole, magic, VEF_MAGIC_BYTES);
    vef_put_u32(whole + 8, vef_field_number(fields, count, "sites", 0) ? VEF_FORMAT_VERSION
                                                                       : VEF_FORMAT_PLAIN);
    vef_put_u32(whole + 12, (uint32_t)(to - start));
    *size = (size_t)((uint8_t *)to - whole);
    vef_put_u32((uint8_t *)to, (uint32_t)crc32(0, whole, (uInt)*size));
    *size += 4;
    *bytes = whole;
    return VEF_OK;
}

static vef_code parse_fields(const char *text, size_t size, vef_arena *arena,
                             const vef_field **fields, size_t *count, vef_error *error) {
    const char *end = text + size;
    size_t lines = 0;
    for (const char *cursor = text; cursor < end; cursor++)
        lines += *cursor == '\n';
    vef_field *list = vef_arena_alloc(arena, lines + 1, sizeof *list);
    if (!list)
        return vef_fail_memory(error, "the header", lines * sizeof *list);
    *fields = list;
    *count = 0;
    for (const char *cursor = text, *next; cursor < end; cursor = next) {
        const char *stop = memchr(cursor, '\n', (size_t)(end - cursor));
        if (!stop)
            return vef_fail(error, VEF_CORRUPT, "the header does not end with its line");
        next = stop + 1;
        if (*cursor == '#' || cursor == stop)
            continue;
        const char *colon = memchr(cursor, ':', (size_t)(stop - cursor));
        if (!colon || stop - colon < 3 || colon[1] != ' ')
            return vef_fail(error, VEF_CORRUPT, "the header has a line without `key: value`");
        vef_field *field = &list[(*count)++];
        field->key = vef_arena_string_of(arena, cursor, (size_t)(colon - cursor));
        const char *value = colon + 2;
        if (*value == '"') {
            field->text = vef_unquote(&value, stop, arena);
        } else {
            char *number = vef_arena_string_of(arena, value, (size_t)(stop - value)), *after = NULL;
            if (number)
                field->number = strtoll(number, &after, 10);
            if (!number || *after)
                return vef_fail(error, VEF_CORRUPT, "the header has an invalid number");
            value = stop;
        }
        if (value != stop || !field->key)
            return vef_fail(error, VEF_CORRUPT, "the header has an invalid quoted text");
    }
    return VEF_OK;
}

static vef_code refuse_version(const char *name, const char *what, uint32_t version, bool trace,
                               vef_error *error) {
    const char *advice = "use the newer vef that wrote it";
    if (version < VEF_FORMAT_OLDEST)
        advice = trace ? "capture the program again, or write it with `vef dump` of the vef that "
                         "made it and read that with `vef assemble`"
                       : "capture the program again";
    return vef_fail(error, VEF_VERSION, "%s: a %s of version %u: expected version %d to %d: %s",
                    name, what, version, VEF_FORMAT_OLDEST, VEF_FORMAT_VERSION, advice);
}

vef_code vef_preamble_read(int file, const char magic[VEF_MAGIC_BYTES], const char *what,
                           const char *name, vef_arena *arena, const vef_field **fields,
                           size_t *count, uint64_t *end, bool *cut, vef_error *error) {
    uint8_t fixed[VEF_PREAMBLE_FIXED_BYTES];
    *cut = false;
    vef_code code = vef_read_at(file, fixed, sizeof fixed, 0, error);
    if (code) {
        *cut = code == VEF_CORRUPT;
        return vef_fail_within(error, "%s", name);
    }
    if (memcmp(fixed, magic, VEF_MAGIC_BYTES) != 0)
        return vef_fail(error, VEF_CORRUPT, "%s: not a vef %s: wrong first bytes", name, what);
    uint32_t version = vef_get_u32(fixed + 8), length = vef_get_u32(fixed + 12);
    if (version < VEF_FORMAT_OLDEST || version > VEF_FORMAT_VERSION)
        return refuse_version(name, what, version, magic == vef_trace_magic, error);
    if (length > VEF_PREAMBLE_LIMIT)
        return vef_fail(error, VEF_CORRUPT, "%s: a header of %u bytes is out of range", name,
                        length);
    size_t size = sizeof fixed + length;
    uint8_t *whole = vef_arena_alloc(arena, size + 4, 1);
    if (!whole)
        return vef_fail_memory(error, "the header", size);
    code = vef_read_at(file, whole, size + 4, 0, error);
    if (code) {
        *cut = code == VEF_CORRUPT;
        return vef_fail_within(error, "%s", name);
    }
    if (vef_get_u32(whole + size) != (uint32_t)crc32(0, whole, (uInt)size))
        return vef_fail(error, VEF_CORRUPT, "%s: checksum mismatch in the header", name);
    code = parse_fields((const char *)whole + sizeof fixed, length, arena, fields, count, error);
    if (code)
        return vef_fail_within(error, "%s", name);
    *end = size + 4;
    return VEF_OK;
}

const char *vef_field_text(const vef_field *fields, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++)
        if (fields[i].text && strcmp(fields[i].key, key) == 0)
            return fields[i].text;
    return "";
}

int64_t vef_field_number(const vef_field *fields, size_t count, const char *key, int64_t fallback) {
    for (size_t i = 0; i < count; i++)
        if (!fields[i].text && strcmp(fields[i].key, key) == 0)
            return fields[i].number;
    return fallback;
}
