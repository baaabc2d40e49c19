/* The text of VEF traces, line by line: see vef_text.h. Blank lines and comments are skipped, lines
 * may end in CR LF. */
#include "common/grow.h"
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
    char *text, *at;
    size_t capacity;
    uint64_t file_bytes;
    uint32_t number;
    uint32_t *seen; /* per task: the last communicator that has it, plus 1 */
    bool *ended;    /* per task */
    uint64_t communicators;
    bool has_header;
} line_parser;

static vef_code fail(const line_parser *self, vef_error *error, const char *what) {
    return vef_fail(error, VEF_INVALID, "%s:%" PRIu32 ": %s", self->lines->path, self->number,
                    what);
}

static void skip_blanks(line_parser *self) {
    self->at += strspn(self->at, " \t\r\n\f\v");
}

static vef_code number(line_parser *self, const char *what, uint64_t limit, uint64_t *value,
                       vef_error *error) {
    skip_blanks(self);
    const char *from = self->at;
    char *end = self->at;
    errno = 0;
    if (isdigit((unsigned char)*from))
        *value = strtoull(from, &end, 10);
    const bool whole = end > from && (*end == '\0' || isspace((unsigned char)*end));
    if (!whole || errno || *value > limit)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": %s: expected a number up to %" PRIu64 ", found '%.*s'",
                        self->lines->path, self->number, what, limit,
                        (int)strcspn(from, " \t\r\n\f\v"), from);
    self->at = end;
    return VEF_OK;
}

static vef_code number32(line_parser *self, const char *what, uint64_t limit, uint32_t *value,
                         vef_error *error) {
    uint64_t wide = 0;
    const vef_code code = number(self, what, limit, &wide, error);
    *value = (uint32_t)wide;
    return code;
}

static vef_code line_ends(line_parser *self, vef_error *error) {
    skip_blanks(self);
    return *self->at ? fail(self, error, "unexpected text after the last field") : VEF_OK;
}

/* The next line with content, comments included; `*more` is false at the end. */
static vef_code next_line(line_parser *self, bool *more, vef_error *error) {
    ssize_t length;
    *more = true;
    while ((length = vef_getline(&self->text, &self->capacity, self->in)) >= 0) {
        if (self->number == UINT32_MAX)
            return fail(self, error, "too many lines");
        self->number++;
        if (strlen(self->text) != (size_t)length)
            return fail(self, error, "a NUL byte: not a text file");
        self->at = self->text;
        skip_blanks(self);
        if (*self->at)
            return VEF_OK;
    }
    *more = false;
    return ferror(self->in) ? vef_fail_errno(error, "reading %s", self->lines->path) : VEF_OK;
}

/* ---- lines ---- */

static vef_code header(line_parser *self, vef_error *error) {
    vef_lines *lines = self->lines;
    uint64_t tasks = 0;
    if (strncmp(self->at, "VEF", 3) != 0)
        return fail(self, error,
                    "expected the header 'VEF<version> tasks messages communicators "
                    "global_collectives local_collectives TRUE'");
    self->at += 3;
    while (isdigit((unsigned char)*self->at) || *self->at == '.')
        self->at++;
    vef_code code = number(self, "tasks", INT32_MAX, &tasks, error);
    code = code ? code : number(self, "messages", UINT32_MAX, &lines->messages, error);
    code = code ? code : number(self, "communicators", UINT32_MAX, &self->communicators, error);
    code = code ? code : number(self, "global collectives", UINT32_MAX, &lines->global, error);
    code = code ? code : number(self, "local collectives", UINT32_MAX, &lines->local, error);
    if (code)
        return code;
    skip_blanks(self);
    const size_t length = strncmp(self->at, "TRUE", 4) == 0    ? 4
                          : strncmp(self->at, "FALSE", 5) == 0 ? 5
                                                               : 0;
    if (length == 0)
        return fail(self, error, "expected TRUE as the last field of the header");
    self->at += length;
    if (tasks == 0)
        return fail(self, error, "no tasks: expected at least one");
    /* The world has a rank for each task: a number that no file of this size holds is an error. */
    if (self->file_bytes > 0 && tasks > self->file_bytes / 2)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": %" PRIu64 " tasks, but the file has only %" PRIu64
                        " bytes",
                        lines->path, self->number, tasks, self->file_bytes);
    lines->tasks = (uint32_t)tasks;
    self->has_header = true;
    self->seen = vef_calloc(tasks, sizeof *self->seen);
    self->ended = vef_calloc(tasks, sizeof *self->ended);
    return line_ends(self, error);
}

static vef_code communicator(line_parser *self, vef_error *error) {
    vef_lines *lines = self->lines;
    uint64_t index = 0;
    size_t room = 0;
    self->at++;
    vef_code code = number(self, "communicator", UINT32_MAX, &index, error);
    if (code)
        return code;
    if (index != lines->group_count)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": expected communicator C%zu: they are in ascending order",
                        lines->path, self->number, lines->group_count);
    vef_grow(&lines->groups, &lines->group_capacity, lines->group_count + 1, sizeof *lines->groups);
    vef_lines_group *group = &lines->groups[lines->group_count++];
    *group = (vef_lines_group){0};
    for (skip_blanks(self); *self->at && !code; skip_blanks(self)) {
        uint32_t task = 0;
        code = number32(self, "the rank", lines->tasks - 1, &task, error);
        if (!code && self->seen[task] == index + 1)
            code = fail(self, error, "a rank is twice in the communicator");
        if (code)
            return code;
        vef_grow(&group->members, &room, group->size + 1ull, sizeof *group->members);
        if (index == 0 && task != group->size)
            return fail(self, error, "expected all ranks in ascending order: C0 is the world");
        self->seen[task] = (uint32_t)index + 1;
        group->members[group->size++] = task;
    }
    if (!code && group->size == 0)
        code = fail(self, error, "expected the ranks of the communicator");
    if (!code && index == 0 && group->size != lines->tasks)
        code = fail(self, error, "expected all ranks: C0 is the world");
    return code;
}

/* Dep, time and IDdep. */
static vef_code dependency(line_parser *self, vef_line *line, vef_error *error) {
    uint64_t dep = 0;
    vef_code code = number(self, "Dep", VEF_LINE_DEPS - 1, &dep, error);
    code = code ? code : number(self, "time", INT64_MAX, &line->time_ns, error);
    code = code ? code : number(self, "IDdep", INT64_MAX, &line->on, error);
    line->dep = (uint8_t)dep;
    return code ? code : line_ends(self, error);
}

static vef_code add(line_parser *self, const vef_line *line, vef_error *error) {
    vef_lines *lines = self->lines;
    if (lines->count >= UINT32_MAX / 2)
        return fail(self, error, "too many lines");
    vef_grow(&lines->list, &lines->capacity, lines->count + 1, sizeof *lines->list);
    lines->list[lines->count++] = *line;
    return VEF_OK;
}

static vef_code message(line_parser *self, vef_error *error) {
    vef_line line = {.kind = VEF_LINE_MESSAGE, .number = self->number};
    const uint64_t last = self->lines->tasks - 1;
    vef_code code = number(self, "ID", INT64_MAX, &line.id, error);
    code = code ? code : number32(self, "src", last, &line.task, error);
    code = code ? code : number32(self, "dst", last, &line.peer, error);
    code = code ? code : number(self, "bytes", most_bytes, &line.send_bytes, error);
    code = code ? code : dependency(self, &line, error);
    return code ? code : add(self, &line, error);
}

static vef_code collective(line_parser *self, vef_error *error) {
    vef_line line = {.kind = VEF_LINE_GROUP, .number = self->number};
    uint32_t operation = 0;
    self->at++;
    vef_code code = number(self, "the ID", INT64_MAX, &line.id, error);
    if (!code && self->lines->group_count == 0)
        code = fail(self, error, "expected the communicators before the first collective");
    code = code ? code
                : number32(self, "communicator", self->lines->group_count - 1, &line.comm, error);
    code = code ? code : number32(self, "operation", VEF_LINE_OPERATIONS - 1, &operation, error);
    code = code ? code : number32(self, "task", self->lines->tasks - 1ull, &line.task, error);
    code = code ? code : number(self, "send_bytes", most_bytes, &line.send_bytes, error);
    code = code ? code : number(self, "receive_bytes", most_bytes, &line.receive_bytes, error);
    line.operation = (uint8_t)operation;
    code = code ? code : dependency(self, &line, error);
    return code ? code : add(self, &line, error);
}

static bool takes_word(line_parser *self, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(self);
    const char after = strncmp(self->at, word, length) == 0 ? self->at[length] : 'x';
    if (after != '\0' && !isspace((unsigned char)after))
        return false;
    self->at += length;
    return true;
}

static vef_code comment(line_parser *self, vef_error *error) {
    vef_line line = {.kind = VEF_LINE_END, .number = self->number};
    self->at++;
    if (takes_word(self, "order")) {
        self->lines->in_order |= takes_word(self, "program");
        return VEF_OK;
    }
    if (!takes_word(self, "end"))
        return VEF_OK;
    if (!self->has_header)
        return fail(self, error, "expected the header before the end of a task");
    vef_code code = number32(self, "task", self->lines->tasks - 1, &line.task, error);
    if (!code && self->ended[line.task])
        code = fail(self, error, "the task has ended before");
    code = code ? code : dependency(self, &line, error);
    if (code)
        return code;
    self->ended[line.task] = true;
    self->lines->ends++;
    return add(self, &line, error);
}

static vef_code one_line(line_parser *self, vef_error *error) {
    if (*self->at == '#')
        return comment(self, error);
    if (!self->has_header)
        return header(self, error);
    if (*self->at == 'C')
        return communicator(self, error);
    if (*self->at == 'G')
        return collective(self, error);
    return message(self, error);
}

vef_code vef_lines_parse(const char *path, vef_lines *lines, vef_error *error) {
    *lines = (vef_lines){.path = path};
    line_parser self = {.lines = lines, .in = fopen(path, "r")};
    struct stat file;
    bool more = true;
    if (!self.in)
        return vef_fail_errno(error, "%s", path);
    if (fstat(fileno(self.in), &file) == 0 && S_ISREG(file.st_mode))
        self.file_bytes = (uint64_t)file.st_size;
    vef_code code = next_line(&self, &more, error);
    while (!code && more) {
        code = one_line(&self, error);
        code = code ? code : next_line(&self, &more, error);
    }
    if (!code && !self.has_header)
        code =
            vef_fail(error, VEF_INVALID, "%s: empty: expected the header 'VEF<version> …'", path);
    if (!code && lines->group_count != self.communicators)
        code = vef_fail(error, VEF_INVALID,
                        "%s: the header has %" PRIu64 " communicators, the file %zu", path,
                        self.communicators, lines->group_count);
    free(self.seen);
    free(self.ended);
    free(self.text);
    fclose(self.in);
    return code;
}

void vef_lines_free(vef_lines *lines) {
    for (size_t i = 0; i < lines->group_count; i++)
        free(lines->groups[i].members);
    free(lines->groups);
    free(lines->list);
    *lines = (vef_lines){0};
}
