/* A JSON writer (RFC 8259). Members of an object stand on lines of their own, items of an array
 * side by side, so that matrices stay readable. See json.h. */
#include "common/json.h"

#include "common/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void break_line(const vef_json *json, unsigned depth) {
    fprintf(json->out, "\n%*s", (int)(2 * depth), "");
}

/* How many bytes of well-formed UTF-8 one character has here, 0 when it is none (RFC 3629: no
 * overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *at) {
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    bool excluded = (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf4 && at[1] >= 0x90);
    return overlong || excluded ? 0 : length;
}

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (length == 0) {
            fputs("\xef\xbf\xbd", out); /* U+FFFD: a reader would refuse the byte itself */
            length = 1;
        } else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at == '\n')
            fputs("\\n", out);
        else if (*at == '\t')
            fputs("\\t", out);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*at);
        else
            fwrite(at, 1, length, out);
        at += length;
    }
    fputc('"', out);
}

/* What stands before every value: the comma and line break, and the key. */
static void begin_value(vef_json *json, const char *key) {
    unsigned level = json->depth - 1;
    assert(json->depth > 0 && json->array[level] == (key == NULL));
    if (json->filled[level])
        fputc(',', json->out);
    if (!json->array[level])
        break_line(json, json->depth);
    else if (json->filled[level])
        fputc(' ', json->out);
    json->filled[level] = true;
    if (key) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void open_level(vef_json *json, bool array) {
    assert(json->depth < VEF_JSON_DEPTH);
    fputc(array ? '[' : '{', json->out);
    json->filled[json->depth] = false;
    json->array[json->depth] = array;
    json->depth++;
}

void vef_json_begin(vef_json *json, FILE *out) {
    *json = (vef_json){.out = out};
    open_level(json, false);
}

void vef_json_end(vef_json *json) {
    vef_json_close(json);
    assert(json->depth == 0);
    fputc('\n', json->out);
}

void vef_json_open_object(vef_json *json, const char *key) {
    begin_value(json, key);
    open_level(json, false);
}

void vef_json_open_array(vef_json *json, const char *key) {
    begin_value(json, key);
    open_level(json, true);
}

void vef_json_close(vef_json *json) {
    assert(json->depth > 0);
    json->depth--;
    bool array = json->array[json->depth];
    if (!array && json->filled[json->depth])
        break_line(json, json->depth);
    fputc(array ? ']' : '}', json->out);
}

void vef_json_string(vef_json *json, const char *key, const char *text) {
    begin_value(json, key);
    if (text)
        write_string(json->out, text);
    else
        fputs("null", json->out);
}

void vef_json_strings(vef_json *json, const char *key, const char *const *texts, size_t count) {
    vef_json_open_array(json, key);
    for (size_t i = 0; i < count; i++)
        vef_json_string(json, NULL, texts[i]);
    vef_json_close(json);
}

void vef_json_uint(vef_json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void vef_json_int(vef_json *json, const char *key, int64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void vef_json_real(vef_json *json, const char *key, double value) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    begin_value(json, key);
    fputs(isfinite(value) ? vef_format_real(text, value) : "null", json->out);
}

void vef_json_bool(vef_json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

/* RFC 8259, section 6: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)? */
bool vef_json_is_number(const char *text) {
    static const char DIGITS[] = "0123456789";
    text += *text == '-';
    size_t whole = strspn(text, DIGITS);
    if (whole == 0 || (whole > 1 && *text == '0'))
        return false;
    text += whole;
    if (*text == '.') {
        size_t fraction = strspn(text + 1, DIGITS);
        if (fraction == 0)
            return false;
        text += 1 + fraction;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        size_t power = strspn(text, DIGITS);
        if (power == 0)
            return false;
        text += power;
    }
    return *text == '\0';
}

void vef_json_number(vef_json *json, const char *key, const char *number) {
    assert(vef_json_is_number(number));
    begin_value(json, key);
    fputs(number, json->out);
}

void vef_json_null(vef_json *json, const char *key) {
    begin_value(json, key);
    fputs("null", json->out);
}
