/* The text of VEF traces, line by line: see vef_text.h. Blank lines are skipped, lines may end in
 * CR LF. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/vef_text/vef_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* So that sums over all tasks stay within 64 bits. */
static const uint64_t most_bytes = UINT64_C(1) << 53;

typedef struct line_parser {
    vef_lines *lines;
    FILE *in;
    char *text, *next;
    size_t capacity;
    uint64_t file_bytes;
    uint32_t number;
    uint32_t *seen; /* per task: its last communicator, plus 1 */
    uint64_t communicators;
    bool has_header;
} line_parser;

static vef_code fail(const line_parser *parser, vef_error *error, const char *what) {
    return vef_fail(error, VEF_INVALID, "%s:%" PRIu32 ": %s", parser->lines->path, parser->number,
                    what);
}

static void skip_blanks(line_parser *parser) {
    parser->next += strspn(parser->next, " \t\r\n\f\v");
}

static vef_code number(line_parser *parser, const char *what, uint64_t limit, uint64_t *value,
                       vef_error *error) {
    skip_blanks(parser);
    const char *from = parser->next;
    char *end = parser->next;
    errno = 0;
    if (isdigit((unsigned char)*from))
        *value = strtoull(from, &end, 10);
    const bool whole = end > from && (*end == '\0' || isspace((unsigned char)*end));
    if (!whole || errno || *value > limit)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": %s: expected a number up to %" PRIu64 ", found '%.*s'",
                        parser->lines->path, parser->number, what, limit,
                        (int)strcspn(from, " \t\r\n\f\v"), from);
    parser->next = end;
    return VEF_OK;
}

static vef_code number32(line_parser *parser, const char *what, uint64_t limit, uint32_t *value,
                         vef_error *error) {
    uint64_t wide = 0;
    const vef_code code = number(parser, what, limit, &wide, error);
    *value = (uint32_t)wide;
    return code;
}

static vef_code line_ends(line_parser *parser, vef_error *error) {
    skip_blanks(parser);
    return *parser->next ? fail(parser, error, "unexpected text after the last field") : VEF_OK;
}

/* The next line with content; `*more` is false at the end. */
static vef_code next_line(line_parser *parser, bool *more, vef_error *error) {
    ssize_t length;
    *more = true;
    while ((length = vef_getline(&parser->text, &parser->capacity, parser->in)) >= 0) {
        if (parser->number == UINT32_MAX)
            return fail(parser, error, "too many lines");
        parser->number++;
        if (strlen(parser->text) != (size_t)length)
            return fail(parser, error, "a NUL byte: not a text file");
        parser->next = parser->text;
        skip_blanks(parser);
        if (*parser->next)
            return VEF_OK;
    }
    *more = false;
    return ferror(parser->in) ? vef_fail_errno(error, "reading %s", parser->lines->path) : VEF_OK;
}

/* ---- lines ---- */

static bool takes_word(line_parser *parser, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(parser);
    const char after = strncmp(parser->next, word, length) == 0 ? parser->next[length] : 'x';
    if (after != '\0' && !isspace((unsigned char)after))
        return false;
    parser->next += length;
    return true;
}

static vef_code header(line_parser *parser, vef_error *error) {
    vef_lines *lines = parser->lines;
    uint64_t tasks = 0;
    if (strncmp(parser->next, "VEF", 3) != 0)
        return fail(parser, error,
                    "expected the header 'VEF tasks messages communicators global_collectives "
                    "local_collectives TRUE'");
    parser->next += strcspn(parser->next, " \t\r\n\f\v");
    vef_code code = number(parser, "tasks", INT32_MAX, &tasks, error);
    code = code ? code : number(parser, "messages", UINT32_MAX, &lines->messages, error);
    code = code ? code : number(parser, "communicators", UINT32_MAX, &parser->communicators, error);
    code = code ? code : number(parser, "global collectives", UINT32_MAX, &lines->global, error);
    code = code ? code : number(parser, "local collectives", UINT32_MAX, &lines->local, error);
    if (code)
        return code;
    if (!takes_word(parser, "TRUE") && !takes_word(parser, "FALSE"))
        return fail(parser, error, "expected TRUE or FALSE as the last field of the header");
    if (tasks == 0)
        return fail(parser, error, "no tasks: expected at least one");
    /* The world has a rank for each task: a number that no file of this size holds is an error. */
    if (parser->file_bytes > 0 && tasks > parser->file_bytes / 2)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": %" PRIu64 " tasks, but the file has only %" PRIu64
                        " bytes",
                        lines->path, parser->number, tasks, parser->file_bytes);
    lines->tasks = (uint32_t)tasks;
    parser->has_header = true;
    parser->seen = vef_calloc(tasks, sizeof *parser->seen);
    return line_ends(parser, error);
}

static vef_code communicator(line_parser *parser, vef_error *error) {
    vef_lines *lines = parser->lines;
    uint64_t index = 0;
    size_t room = 0;
    parser->next++;
    vef_code code = number(parser, "communicator", UINT32_MAX, &index, error);
    if (code)
        return code;
    if (index != lines->group_count)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": expected communicator C%zu: they are in ascending order",
                        lines->path, parser->number, lines->group_count);
    vef_lines_group *group = VEF_NEW_ITEM(lines->groups, lines->group_count, lines->group_capacity);
    *group = (vef_lines_group){0};
    for (skip_blanks(parser); *parser->next && !code; skip_blanks(parser)) {
        uint32_t task = 0;
        code = number32(parser, "the rank", lines->tasks - 1, &task, error);
        if (!code && parser->seen[task] == index + 1)
            code = fail(parser, error, "a rank is twice in the communicator");
        if (code)
            return code;
        vef_grow(&group->members, &room, group->size + 1ull, sizeof *group->members);
        if (index == 0 && task != group->size)
            return fail(parser, error, "expected all ranks in ascending order: C0 is the world");
        parser->seen[task] = (uint32_t)index + 1;
        group->members[group->size++] = task;
    }
    if (!code && group->size == 0)
        code = fail(parser, error, "expected the ranks of the communicator");
    if (!code && index == 0 && group->size != lines->tasks)
        code = fail(parser, error, "expected all ranks: C0 is the world");
    return code;
}

/* Parts of a ns in a time are dropped. */
static void drop_fraction(line_parser *parser) {
    skip_blanks(parser);
    char *place = parser->next + strspn(parser->next, "0123456789");
    if (place == parser->next || *place != '.')
        return;
    do
        *place++ = ' ';
    while (isdigit((unsigned char)*place));
}

/* Dep, time and IDdep. */
static vef_code dependency(line_parser *parser, vef_line *line, vef_error *error) {
    uint64_t dep = 0;
    vef_code code = number(parser, "Dep", VEF_LINE_COLLECTIVE, &dep, error);
    if (!code)
        drop_fraction(parser);
    code = code ? code : number(parser, "time", INT64_MAX, &line->time_ns, error);
    if (code)
        return code;
    line->dep = (uint8_t)dep;
    if (dep == VEF_LINE_INDEPENDENT && takes_word(parser, "-1"))
        return line_ends(parser, error);
    skip_blanks(parser);
    if (dep == VEF_LINE_COLLECTIVE && *parser->next++ != 'G')
        return fail(parser, error, "IDdep of a collective: expected 'G' and its number");
    code = number(parser, "IDdep", INT64_MAX, &line->on, error);
    return code ? code : line_ends(parser, error);
}

static vef_code add(line_parser *parser, const vef_line *line, vef_error *error) {
    vef_lines *lines = parser->lines;
    if (lines->count >= UINT32_MAX / 3) /* a line has three dependencies at most */
        return fail(parser, error, "too many lines");
    *VEF_NEW_ITEM(lines->list, lines->count, lines->capacity) = *line;
    return VEF_OK;
}

static vef_code message(line_parser *parser, vef_error *error) {
    vef_line line = {.kind = VEF_LINE_MESSAGE, .number = parser->number};
    const uint64_t last = parser->lines->tasks - 1;
    vef_code code = number(parser, "ID", INT64_MAX, &line.id, error);
    code = code ? code : number32(parser, "src", last, &line.task, error);
    code = code ? code : number32(parser, "dst", last, &line.peer, error);
    code = code ? code : number(parser, "bytes", most_bytes, &line.send_bytes, error);
    code = code ? code : dependency(parser, &line, error);
    return code ? code : add(parser, &line, error);
}

static vef_code collective(line_parser *parser, vef_error *error) {
    vef_line line = {.kind = VEF_LINE_GROUP, .number = parser->number};
    uint32_t operation = 0;
    parser->next++;
    vef_code code = number(parser, "the ID", INT64_MAX, &line.id, error);
    if (!code && parser->lines->group_count == 0)
        code = fail(parser, error, "expected the communicators before the first collective");
    code =
        code ? code
             : number32(parser, "communicator", parser->lines->group_count - 1, &line.comm, error);
    code = code ? code : number32(parser, "operation", VEF_LINE_OPERATIONS - 1, &operation, error);
    code = code ? code : number32(parser, "task", parser->lines->tasks - 1ull, &line.task, error);
    code = code ? code : number(parser, "send_bytes", most_bytes, &line.send_bytes, error);
    code = code ? code : number(parser, "receive_bytes", most_bytes, &line.receive_bytes, error);
    line.operation = (uint8_t)operation;
    code = code ? code : dependency(parser, &line, error);
    return code ? code : add(parser, &line, error);
}

static vef_code one_line(line_parser *parser, vef_error *error) {
    if (!parser->has_header)
        return header(parser, error);
    if (*parser->next == 'C')
        return communicator(parser, error);
    if (*parser->next == 'G')
        return collective(parser, error);
    return message(parser, error);
}

vef_code vef_lines_parse(const char *path, vef_lines *lines, vef_error *error) {
    *lines = (vef_lines){.path = path};
    line_parser parser = {.lines = lines, .in = fopen(path, "r")};
    struct stat file;
    bool more = true;
    if (!parser.in)
        return vef_fail_errno(error, "%s", path);
    if (fstat(fileno(parser.in), &file) == 0 && S_ISREG(file.st_mode))
        parser.file_bytes = (uint64_t)file.st_size;
    vef_code code = next_line(&parser, &more, error);
    while (!code && more) {
        code = one_line(&parser, error);
        code = code ? code : next_line(&parser, &more, error);
    }
    if (!code && !parser.has_header)
        code = vef_fail(error, VEF_INVALID, "%s: empty: expected the header 'VEF …'", path);
    if (!code && lines->group_count != parser.communicators)
        code = vef_fail(error, VEF_INVALID,
                        "%s: the header has %" PRIu64 " communicators, the file %zu", path,
                        parser.communicators, lines->group_count);
    free(parser.seen);
    free(parser.text);
    fclose(parser.in);
    return code;
}

void vef_lines_free(vef_lines *lines) {
    for (size_t i = 0; i < lines->group_count; i++)
        free(lines->groups[i].members);
    free(lines->groups);
    free(lines->list);
    *lines = (vef_lines){0};
}
