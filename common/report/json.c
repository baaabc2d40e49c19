/* Results as JSON (RFC 8259). Members of an object are on separate lines, items of an array on
 * one, so that matrices are readable. */
#include "common/report/json.h"

#include "common/report/tree.h"
#include "common/utf8.h"

#include <string.h>

size_t vef_json_string(FILE *out, const char *text) {
    size_t bytes = 2;
    fputc('"', out);
    for (const unsigned char *next = (const unsigned char *)text; *next;) {
        char escaped[8] = {'\\'};
        size_t length = vef_utf8_length(next), written = 2;
        if (length == 0) {
            strcpy(escaped, "\xef\xbf\xbd"); /* U+FFFD: readers reject an invalid byte */
            written = 3;
        } else if (*next == '"' || *next == '\\')
            escaped[1] = (char)*next;
        else if (*next == '\n')
            escaped[1] = 'n';
        else if (*next == '\t')
            escaped[1] = 't';
        else if (*next < 0x20 || *next == 0x7f)
            written = (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*next);
        else
            memcpy(escaped, next, written = length);
        fwrite(escaped, 1, written, out);
        next += length ? length : 1;
        bytes += written;
    }
    fputc('"', out);
    return bytes;
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

vef_value vef_value_read(const char *text) {
    vef_value value = vef_value_text(text);
    if (text && vef_json_is_number(text))
        value.kind = VEF_VALUE_NUMBER;
    return value;
}

/* An object or array that is open. */
typedef struct level {
    FILE *out;
    unsigned depth; /* 0: the outermost object */
    bool list, filled;
} level;

static void break_line(const level *inside, unsigned depth) {
    fprintf(inside->out, "\n%*s", (int)(2 * depth), "");
}

static level open_level(const level *outer, bool list) {
    fputc(list ? '[' : '{', outer->out);
    return (level){outer->out, outer->depth + 1, list, false};
}

static void close_level(const level *inside) {
    if (!inside->list && inside->filled)
        break_line(inside, inside->depth - 1);
    fputc(inside->list ? ']' : '}', inside->out);
}

/* Comma, line break and key before a value. */
static void begin_value(level *inside, const char *key) {
    if (inside->filled)
        fputc(',', inside->out);
    if (!inside->list)
        break_line(inside, inside->depth);
    else if (inside->filled)
        fputc(' ', inside->out);
    if (key) {
        vef_json_string(inside->out, key);
        fputs(": ", inside->out);
    }
    inside->filled = true;
}

static void write_value(const level *inside, const vef_value *value, const char *format) {
    char text[VEF_CELL_BYTES];
    const char *written = vef_value_write(text, value, format);
    if (value->kind == VEF_VALUE_TEXT ||
        (value->kind == VEF_VALUE_NUMBER && !vef_json_is_number(written) && *written))
        vef_json_string(inside->out, written);
    else
        fputs(*written ? written : "null", inside->out);
}

static void write_members(level *inside, const vef_result *node);

static void write_row(void *writer, const vef_result *table, const vef_row *row) {
    level *rows = writer;
    begin_value(rows, NULL);
    level inside = open_level(rows, false);
    for (size_t i = 0; i < table->column_count; i++) {
        const vef_column *column = &table->columns[i];
        if (!vef_column_is_for(column, VEF_DOCUMENTS))
            continue;
        begin_value(&inside, column->key);
        write_value(&inside, &row->cells[i],
                    table->full_precision ? NULL : vef_column_exact(column));
    }
    if (row->members)
        write_members(&inside, row->members);
    close_level(&inside);
}

static void write_members(level *inside, const vef_result *node) {
    for (const vef_result *member = node->first; member; member = member->next) {
        begin_value(inside, member->name);
        if (member->form == VEF_FORM_SCALAR) {
            write_value(inside, &member->value, NULL);
            continue;
        }
        level nested = open_level(inside, member->form != VEF_FORM_GROUP);
        if (member->form == VEF_FORM_TABLE)
            vef_visit_rows(member, write_row, &nested);
        else
            write_members(&nested, member);
        close_level(&nested);
    }
}

void vef_write_json(const vef_result *root, FILE *out) {
    const level outermost = {.out = out};
    level inside = open_level(&outermost, false);
    write_members(&inside, root);
    close_level(&inside);
    fputc('\n', out);
}
