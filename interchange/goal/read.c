/* Reading GOAL: a rank becomes a task, its branches threads (interchange/dag/). The file is read
 * twice: for the matching, then for the events. A line has one statement; `//` and a comment from
 * slash-star to star-slash are skipped anywhere. */
#include "common/grow.h"
#include "common/memory.h"
#include "interchange/dag/dag.h"
#include "interchange/format.h"
#include "interchange/names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct parser {
    const char *path;
    FILE *in;
    char *text; /* the line */
    size_t text_capacity;
    char *at;
    uint32_t line;
    bool in_comment;
    vef_dag_rank rank;
    vef_names labels; /* of the rank */
    uint32_t *nodes;  /* per label */
    size_t node_room;
} parser;

static vef_code fail(const parser *self, vef_error *error, const char *what, const char *word) {
    return vef_fail(error, VEF_INVALID, "%s:%u: %s%s%s%s", self->path, self->line, what,
                    word ? " '" : "", word ? word : "", word ? "'" : "");
}

/* The next line with content; false at the end. Comments become blanks. */
static bool next_line(parser *self) {
    while (vef_getline(&self->text, &self->text_capacity, self->in) >= 0) {
        self->line++;
        for (char *c = self->text; *c; c++) {
            bool ends = self->in_comment && c[0] == '*' && c[1] == '/';
            if (!self->in_comment && c[0] == '/' && c[1] == '*')
                self->in_comment = true;
            if (!self->in_comment && c[0] == '/' && c[1] == '/') {
                *c = '\0';
                break;
            }
            if (self->in_comment)
                *c = ' ';
            if (ends) {
                c[1] = ' ';
                self->in_comment = false;
            }
        }
        self->at = self->text + strspn(self->text, " \t\r\n");
        if (*self->at)
            return true;
    }
    return false;
}

/* The next word: a name, a number, or one sign. Empty at the end of the line. */
static void next_word(parser *self, char *word, size_t size) {
    size_t length = 0;
    self->at += strspn(self->at, " \t\r\n");
    const char *from = self->at;
    if (isalnum((unsigned char)*from) || *from == '-')
        do
            self->at++;
        while (isalnum((unsigned char)*self->at) || *self->at == '_');
    else if (*from)
        self->at++;
    length = (size_t)(self->at - from);
    if (length >= size) { /* longer than any known word: neither label nor number */
        from = "?";
        length = 1;
    }
    memcpy(word, from, length);
    word[length] = '\0';
}

static vef_code number(parser *self, const char *what, uint64_t limit, bool any, const char *unit,
                       int64_t *value, vef_error *error) {
    char word[64], *end;
    next_word(self, word, sizeof word);
    if (any && strcmp(word, "-1") == 0) {
        *value = VEF_DAG_ANY;
        return VEF_OK;
    }
    errno = 0;
    unsigned long long read = strtoull(word, &end, 10);
    if (!isdigit((unsigned char)*word) || strcmp(end, unit) != 0 || errno || read > limit)
        return vef_fail(error, VEF_INVALID,
                        "%s:%u: %s: expected a number up to %llu%s%s, found '%s'", self->path,
                        self->line, what, (unsigned long long)limit, *unit ? " with the unit " : "",
                        unit, word);
    *value = (int64_t)read;
    return VEF_OK;
}

static vef_code name_node(parser *self, const char *name, vef_error *error) {
    const size_t known = self->labels.count;
    if (vef_names_add(&self->labels, 0, name) < known)
        return fail(self, error, "duplicate label", name);
    vef_grow(&self->nodes, &self->node_room, known + 1, sizeof *self->nodes);
    self->nodes[known] = (uint32_t)self->rank.node_count;
    return VEF_OK;
}

static vef_code find_node(parser *self, const char *name, uint32_t *node, vef_error *error) {
    const size_t label = vef_names_find(&self->labels, 0, name);
    if (label == SIZE_MAX)
        return fail(self, error, "unknown label of this rank", name);
    *node = self->nodes[label];
    return VEF_OK;
}

static vef_code end_of_line(parser *self, vef_error *error) {
    char word[64];
    next_word(self, word, sizeof word);
    return *word ? fail(self, error, "unexpected text", word) : VEF_OK;
}

/* What may follow: tag, cpu and nic, in this order. */
static vef_code clauses(parser *self, vef_dag_node *node, vef_error *error) {
    const bool message = node->kind != VEF_DAG_CALC;
    const struct {
        const char *name;
        uint64_t limit;
        bool any, allowed;
    } rows[] = {{"tag", UINT32_MAX, node->kind == VEF_DAG_RECEIVE, message},
                {"cpu", UINT8_MAX, false, true},
                {"nic", UINT8_MAX, false, message}};
    int64_t values[] = {0, 0, 0};
    for (size_t i = 0; i < 3; i++) {
        char word[64], *before = self->at;
        next_word(self, word, sizeof word);
        if (!rows[i].allowed || strcmp(word, rows[i].name) != 0) {
            self->at = before;
            continue;
        }
        vef_code code =
            number(self, rows[i].name, rows[i].limit, rows[i].any, "", &values[i], error);
        if (code)
            return code;
    }
    node->tag = values[0];
    node->cpu = (uint8_t)values[1];
    node->nic = (uint8_t)values[2];
    return end_of_line(self, error);
}

static vef_code statement(parser *self, const char *verb, vef_error *error) {
    vef_dag_node node = {.line = self->line};
    char word[64];
    int64_t size = 0;
    if (strcmp(verb, "calc") == 0)
        node.kind = VEF_DAG_CALC;
    else if (strcmp(verb, "send") == 0)
        node.kind = VEF_DAG_SEND;
    else if (strcmp(verb, "recv") == 0)
        node.kind = VEF_DAG_RECEIVE;
    else
        return fail(self, error, "expected send, recv, calc or 'A requires B', found", verb);
    bool calc = node.kind == VEF_DAG_CALC;
    vef_code code = number(self, calc ? "the time" : "the size", INT64_MAX, false, calc ? "" : "b",
                           &size, error);
    node.size = (uint64_t)size;
    if (!code && !calc) {
        const char *expected = node.kind == VEF_DAG_SEND ? "to" : "from";
        next_word(self, word, sizeof word);
        if (strcmp(word, expected) != 0)
            return fail(self, error, "expected a size followed by", expected);
        code = number(self, "the rank", self->rank.ranks - 1, node.kind == VEF_DAG_RECEIVE, "",
                      &node.peer, error);
    }
    if (!code)
        code = clauses(self, &node, error);
    if (!code)
        vef_dag_add_node(&self->rank, &node);
    return code;
}

static vef_code dependency(parser *self, const char *name, const char *verb, vef_error *error) {
    char word[256];
    vef_dag_edge edge = {.start = strcmp(verb, "irequires") == 0};
    if (!edge.start && strcmp(verb, "requires") != 0)
        return fail(self, error, "expected ':', requires or irequires after a label, found", verb);
    next_word(self, word, sizeof word);
    vef_code code = find_node(self, name, &edge.node, error);
    if (!code)
        code = find_node(self, word, &edge.on, error);
    if (!code)
        code = end_of_line(self, error);
    if (code == VEF_OK)
        vef_dag_add_edge(&self->rank, edge);
    return code;
}

/* A line inside a rank; `*closed` at its end. */
static vef_code rank_line(parser *self, bool *closed, vef_error *error) {
    char word[256], then[64];
    next_word(self, word, sizeof word);
    *closed = strcmp(word, "}") == 0;
    if (*closed)
        return end_of_line(self, error);
    bool verb = strcmp(word, "send") == 0 || strcmp(word, "recv") == 0 || strcmp(word, "calc") == 0;
    if (verb)
        return statement(self, word, error);
    if (!isalpha((unsigned char)*word))
        return fail(self, error, "expected a label that begins with a letter, found", word);
    next_word(self, then, sizeof then);
    if (strcmp(then, ":") != 0)
        return dependency(self, word, then, error);
    vef_code code = name_node(self, word, error);
    next_word(self, then, sizeof then);
    return code ? code : statement(self, then, error);
}

static vef_code read_rank(parser *self, uint32_t expected, vef_error *error) {
    char word[64];
    int64_t rank = 0;
    next_word(self, word, sizeof word);
    if (strcmp(word, "rank") != 0)
        return fail(self, error, "expected 'rank N {', found", word);
    vef_code code = number(self, "the rank", self->rank.ranks - 1, false, "", &rank, error);
    if (!code && rank != expected)
        return vef_fail(error, VEF_INVALID,
                        "%s:%u: ranks must be in ascending order: expected rank %u", self->path,
                        self->line, expected);
    next_word(self, word, sizeof word);
    if (!code && strcmp(word, "{") != 0)
        code = fail(self, error, "expected '{' after 'rank N', found", word);
    if (!code)
        code = end_of_line(self, error);
    self->rank.rank = expected;
    self->rank.node_count = self->rank.edge_count = 0;
    for (bool closed = false; !code && !closed;) {
        if (!next_line(self))
            return fail(self, error, "missing '}': the file ends within a rank", NULL);
        code = rank_line(self, &closed, error);
    }
    return code;
}

static vef_code read_all(parser *self, vef_dag_visit *visit, void *visitor, vef_error *error) {
    char word[64];
    int64_t ranks = 0;
    if (!next_line(self))
        return vef_fail(error, VEF_INVALID, "%s: empty: expected 'num_ranks N'", self->path);
    next_word(self, word, sizeof word);
    if (strcmp(word, "num_ranks") != 0)
        return fail(self, error, "expected 'num_ranks N' as the first statement, found", word);
    vef_code code = number(self, "num_ranks", INT32_MAX, false, "", &ranks, error);
    if (!code && ranks == 0)
        code = fail(self, error, "expected at least one rank", NULL);
    if (!code)
        code = end_of_line(self, error);
    /* Each takes at least nine bytes: a number that no file of this size can hold is an error. */
    struct stat file;
    if (!code && fstat(fileno(self->in), &file) == 0 && S_ISREG(file.st_mode) &&
        ranks > file.st_size / 9)
        return vef_fail(error, VEF_INVALID, "%s:%u: %lld ranks, but the file has only %lld bytes",
                        self->path, self->line, (long long)ranks, (long long)file.st_size);
    self->rank.ranks = (uint32_t)ranks;
    for (uint32_t rank = 0; rank < self->rank.ranks && !code; rank++) {
        if (!next_line(self))
            return vef_fail(error, VEF_INVALID, "%s:%u: the file ends before rank %u of %u",
                            self->path, self->line, rank, self->rank.ranks);
        code = read_rank(self, rank, error);
        if (!code)
            code = visit(visitor, &self->rank, error);
        vef_names_free(&self->labels);
    }
    if (!code && next_line(self))
        code = fail(self, error, "unexpected text after the last rank", NULL);
    return code;
}

/* Passes on each rank, in ascending order. Failures name file and line. */
static vef_code ranks(void *path, vef_dag_visit *visit, void *visitor, vef_error *error) {
    parser self = {.path = path, .in = fopen(path, "r")};
    if (!self.in)
        return vef_fail_errno(error, "%s", self.path);
    vef_code code = read_all(&self, visit, visitor, error);
    if (ferror(self.in)) /* then it ended early for that alone */
        code = vef_fail_errno(error, "reading %s", self.path);
    vef_names_free(&self.labels);
    free(self.nodes);
    free(self.text);
    free(self.rank.nodes);
    free(self.rank.edges);
    fclose(self.in);
    return code;
}

vef_code vef_goal_read(const char *path, const char *trace_path, vef_format_report *report,
                       vef_error *error) {
    *report = (vef_format_report){0};
    vef_dag_summary found;
    const vef_dag_source source = {
        .self = (void *)(uintptr_t)path, .application = path, .ranks = ranks, .marks = true};
    const vef_code code = vef_dag_write(&source, trace_path, &found, error);
    if (code)
        return code;
    vef_dag_note(&found, &report->notes);
    if (found.wildcards)
        vef_note(&report->notes,
                 "%" PRIu64
                 " receives from any rank or with any tag match the remaining messages, "
                 "in the order of the file",
                 found.wildcards);
    return VEF_OK;
}
