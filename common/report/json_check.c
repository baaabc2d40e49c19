/* Checking JSON. See json_check.h. */
#include "common/report/json_check.h"

#include <stdbool.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    const char *text, *next, *end;
    vef_json_visit *visit;
    void *context;
    vef_error *error;
} reader;

static vef_code wrong(const reader *from, const char *expected) {
    size_t line = 1;
    for (const char *read = from->text; read < from->next; read++)
        line += *read == '\n';
    return vef_fail(from->error, VEF_INVALID, "line %zu: no JSON: expected %s", line, expected);
}

static void skip_blanks(reader *from) {
    from->next += strspn(from->next, " \t\n\r");
}

/* A character after blanks, if it is the next one. */
static bool take(reader *from, char wanted) {
    skip_blanks(from);
    if (from->next >= from->end || *from->next != wanted)
        return false;
    from->next++;
    return true;
}

static vef_code read_string(reader *from) {
    if (!take(from, '"'))
        return wrong(from, "a string");
    while (*from->next != '"') {
        if ((unsigned char)*from->next < 0x20)
            return wrong(from, "the end of a string");
        if (*from->next == '\\') {
            from->next++;
            bool code = *from->next == 'u';
            if (!*from->next || !strchr("\"\\/bfnrtu", *from->next) ||
                (code && strspn(from->next + 1, "0123456789abcdefABCDEF") < 4))
                return wrong(from, "an escape sequence");
            from->next += code ? 4 : 0;
        }
        from->next++;
    }
    from->next++;
    return VEF_OK;
}

static size_t digits(reader *from) {
    size_t count = strspn(from->next, "0123456789");
    from->next += count;
    return count;
}

static vef_code read_number(reader *from) {
    from->next += *from->next == '-';
    bool zero = *from->next == '0';
    size_t whole = digits(from);
    bool fine = whole > 0 && !(zero && whole > 1);
    if (*from->next == '.') {
        from->next++;
        fine &= digits(from) > 0;
    }
    if (*from->next == 'e' || *from->next == 'E') {
        from->next++;
        from->next += *from->next == '+' || *from->next == '-';
        fine &= digits(from) > 0;
    }
    return fine ? VEF_OK : wrong(from, "a value");
}

static vef_code read_scalar(reader *from) {
    static const char *const words[] = {"true", "false", "null"};
    skip_blanks(from);
    if (*from->next == '"')
        return read_string(from);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(from->next, words[i], length) == 0) {
            from->next += length;
            return VEF_OK;
        }
    }
    return read_number(from);
}

static vef_code read_key(reader *from, bool outermost) {
    skip_blanks(from);
    const char *begin = from->next + 1;
    vef_code code = read_string(from);
    if (code)
        return code;
    if (outermost)
        from->visit(from->context, begin, (size_t)(from->next - begin) - 1);
    return take(from, ':') ? VEF_OK : wrong(from, "':'");
}

/* Values up to the end of the outermost map, which has begun; `list` says of each level what it is.
 */
static vef_code read_levels(reader *from) {
    bool list[DEEPEST] = {false}, first = true;
    for (size_t depth = 1; depth > 0;) {
        bool in_list = list[depth - 1];
        vef_code code = VEF_OK;
        if (take(from, in_list ? ']' : '}')) {
            depth--;
            first = false;
            continue;
        }
        if (!first && !take(from, ','))
            return wrong(from, in_list ? "',' or ']'" : "',' or '}'");
        if (!in_list)
            code = read_key(from, depth == 1);
        if (code)
            return code;
        first = take(from, '[');
        bool opens_list = first;
        first = first || take(from, '{');
        if (!first)
            code = read_scalar(from);
        else if (depth == DEEPEST)
            return wrong(from, "fewer than 64 levels");
        else
            list[depth++] = opens_list;
        if (code)
            return code;
    }
    return VEF_OK;
}

vef_code vef_json_check(const char *text, size_t bytes, vef_json_visit *visit, void *context,
                        vef_error *error) {
    reader from = {text, text, text + bytes, visit, context, error};
    if (!take(&from, '{'))
        return wrong(&from, "'{'");
    vef_code code = read_levels(&from);
    skip_blanks(&from);
    return code || from.next == from.end ? code : wrong(&from, "nothing after the map");
}
