/* Reading GOAL: a rank becomes a task, its branches threads (interchange/dag/). The file is read
 * twice: for the matching, then for the events.
 *
 * A text has the words of LogGOPSim's txt2bin.re, so blanks between a number and a word may be
 * missing. A statement ends its line; `//` and a comment from slash-star to star-slash are skipped
 * anywhere. The binary form is what LogGOPSim and ATLAHS load (their Parser.hpp,
 * Graph::serialize_mmap). Little endian, without padding:
 *
 *     file    u64 4223, u32 ranks, u8 last cpu, u8 last nic; per rank u64 begin, u64 end; ranks
 *     rank    u32 nodes, u32 roots, u32 root…, node…, u32 entry…
 *     node    u32 dependencies, u8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
 *             u32 count, u32 first: of its entries, nodes that wait for its end,
 *             u32 count, u32 first: nodes that wait for its start
 *
 * Kinds are 1 send, 2 receive, 3 calc; peer and tag 2^32 - 1 of a receive are any. LogGOPSim 2 has
 * larger nodes after the same beginning, and further statements: neither is read. */
#include "common/containers/grow.h"
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
    char *next;
    uint32_t line;
    bool in_comment;
    vef_dag_rank rank;
    vef_names labels; /* of the rank */
    uint32_t *nodes;  /* per label */
    size_t node_room;
} parser;

static vef_code fail(const parser *text, vef_error *error, const char *what, const char *word) {
    return vef_fail(error, VEF_INVALID, "%s:%u: %s%s%s%s", text->path, text->line, what,
                    word ? " '" : "", word ? word : "", word ? "'" : "");
}

/* The rest of the line if it has content, or the next line that has; false at the end. Comments
 * become blanks. */
static bool next_line(parser *text) {
    if (text->next && *(text->next += strspn(text->next, " \t\r\n")))
        return true;
    while (vef_getline(&text->text, &text->text_capacity, text->in) >= 0) {
        text->line++;
        for (char *c = text->text; *c; c++) {
            bool ends = text->in_comment && c[0] == '*' && c[1] == '/';
            if (!text->in_comment && c[0] == '/' && c[1] == '*')
                text->in_comment = true;
            if (!text->in_comment && c[0] == '/' && c[1] == '/') {
                *c = '\0';
                break;
            }
            if (text->in_comment)
                *c = ' ';
            if (ends) {
                c[1] = ' ';
                text->in_comment = false;
            }
        }
        text->next = text->text + strspn(text->text, " \t\r\n");
        if (*text->next)
            return true;
    }
    return false;
}

/* The next word: a name, a number, or one sign. Empty at the end of the line. */
static void next_word(parser *text, char *word, size_t size) {
    size_t length = 0;
    text->next += strspn(text->next, " \t\r\n");
    const char *from = text->next;
    if (isalpha((unsigned char)*from))
        while (isalnum((unsigned char)*text->next) || *text->next == '_')
            text->next++;
    else if (*from)
        do
            text->next++;
        while (isdigit((unsigned char)*text->next));
    length = (size_t)(text->next - from);
    if (length >= size) { /* longer than any known word: neither label nor number */
        from = "?";
        length = 1;
    }
    memcpy(word, from, length);
    word[length] = '\0';
}

static vef_code number(parser *text, const char *what, uint64_t limit, bool any, const char *unit,
                       int64_t *value, vef_error *error) {
    char word[64], then[8] = "";
    next_word(text, word, sizeof word);
    if (any && strcmp(word, "-1") == 0) {
        *value = VEF_DAG_ANY;
        return VEF_OK;
    }
    errno = 0;
    unsigned long long read = strtoull(word, NULL, 10);
    if (*unit)
        next_word(text, then, sizeof then);
    if (!isdigit((unsigned char)*word) || strcmp(then, unit) != 0 || errno || read > limit)
        return vef_fail(error, VEF_INVALID,
                        "%s:%u: %s: expected a number up to %llu%s%s, found '%s%s'", text->path,
                        text->line, what, (unsigned long long)limit, *unit ? " with the unit " : "",
                        unit, word, then);
    *value = (int64_t)read;
    return VEF_OK;
}

static vef_code name_node(parser *text, const char *name, vef_error *error) {
    const size_t known = text->labels.count;
    if (vef_names_add(&text->labels, 0, name) < known)
        return fail(text, error, "duplicate label", name);
    vef_grow(&text->nodes, &text->node_room, known + 1, sizeof *text->nodes);
    text->nodes[known] = (uint32_t)text->rank.node_count;
    return VEF_OK;
}

static vef_code find_node(parser *text, const char *name, uint32_t *node, vef_error *error) {
    const size_t label = vef_names_find(&text->labels, 0, name);
    if (label == SIZE_MAX)
        return fail(text, error, "unknown label of this rank", name);
    *node = text->nodes[label];
    return VEF_OK;
}

static vef_code end_of_line(parser *text, vef_error *error) {
    char word[64];
    next_word(text, word, sizeof word);
    return *word ? fail(text, error, "unexpected text", word) : VEF_OK;
}

/* What may follow: tag, cpu and nic, in this order. */
static vef_code clauses(parser *text, vef_dag_node *node, vef_error *error) {
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
        char word[64], *before = text->next;
        next_word(text, word, sizeof word);
        if (!rows[i].allowed || strcmp(word, rows[i].name) != 0) {
            text->next = before;
            continue;
        }
        vef_code code =
            number(text, rows[i].name, rows[i].limit, rows[i].any, "", &values[i], error);
        if (code)
            return code;
    }
    node->tag = values[0];
    node->cpu = (uint8_t)values[1];
    node->nic = (uint8_t)values[2];
    return end_of_line(text, error);
}

static vef_code statement(parser *text, const char *verb, vef_error *error) {
    vef_dag_node node = {.line = text->line};
    char word[64];
    int64_t size = 0;
    if (strcmp(verb, "calc") == 0)
        node.kind = VEF_DAG_CALC;
    else if (strcmp(verb, "send") == 0)
        node.kind = VEF_DAG_SEND;
    else if (strcmp(verb, "recv") == 0)
        node.kind = VEF_DAG_RECEIVE;
    else
        return fail(text, error, "expected send, recv, calc or 'A requires B', found", verb);
    bool calc = node.kind == VEF_DAG_CALC;
    vef_code code = number(text, calc ? "the time" : "the size", INT64_MAX, false, calc ? "" : "b",
                           &size, error);
    node.size = (uint64_t)size;
    if (!code && !calc) {
        const char *expected = node.kind == VEF_DAG_SEND ? "to" : "from";
        next_word(text, word, sizeof word);
        if (strcmp(word, expected) != 0)
            return fail(text, error, "expected a size followed by", expected);
        code = number(text, "the rank", text->rank.ranks - 1, node.kind == VEF_DAG_RECEIVE, "",
                      &node.peer, error);
    }
    if (!code)
        code = clauses(text, &node, error);
    if (!code)
        vef_dag_add_node(&text->rank, &node);
    return code;
}

static vef_code dependency(parser *text, const char *name, const char *verb, vef_error *error) {
    char word[256];
    vef_dag_edge edge = {.start = strcmp(verb, "irequires") == 0};
    if (!edge.start && strcmp(verb, "requires") != 0)
        return fail(text, error, "expected ':', requires or irequires after a label, found", verb);
    next_word(text, word, sizeof word);
    vef_code code = find_node(text, name, &edge.node, error);
    if (!code)
        code = find_node(text, word, &edge.on, error);
    if (!code)
        code = end_of_line(text, error);
    if (code == VEF_OK)
        vef_dag_add_edge(&text->rank, edge);
    return code;
}

/* A line inside a rank; `*closed` at its end. */
static vef_code rank_line(parser *text, bool *closed, vef_error *error) {
    char word[256], then[64];
    next_word(text, word, sizeof word);
    *closed = strcmp(word, "}") == 0;
    if (*closed)
        return VEF_OK;
    bool verb = strcmp(word, "send") == 0 || strcmp(word, "recv") == 0 || strcmp(word, "calc") == 0;
    if (verb)
        return statement(text, word, error);
    if (!isalpha((unsigned char)*word))
        return fail(text, error, "expected a label that begins with a letter, found", word);
    next_word(text, then, sizeof then);
    if (strcmp(then, ":") != 0)
        return dependency(text, word, then, error);
    vef_code code = name_node(text, word, error);
    next_word(text, then, sizeof then);
    return code ? code : statement(text, then, error);
}

static vef_code read_rank(parser *text, uint32_t expected, vef_error *error) {
    char word[64];
    int64_t rank = 0;
    next_word(text, word, sizeof word);
    if (strcmp(word, "rank") != 0)
        return fail(text, error, "expected 'rank N {', found", word);
    vef_code code = number(text, "the rank", text->rank.ranks - 1, false, "", &rank, error);
    if (!code && rank != expected)
        return vef_fail(error, VEF_INVALID,
                        "%s:%u: ranks must be in ascending order: expected rank %u", text->path,
                        text->line, expected);
    next_word(text, word, sizeof word);
    if (!code && strcmp(word, "{") != 0)
        code = fail(text, error, "expected '{' after 'rank N', found", word);
    text->rank.rank = expected;
    text->rank.node_count = text->rank.edge_count = 0;
    for (bool closed = false; !code && !closed;) {
        if (!next_line(text))
            return fail(text, error, "missing '}': the file ends within a rank", NULL);
        code = rank_line(text, &closed, error);
    }
    return code;
}

static vef_code read_all(parser *text, vef_dag_visit *visit, void *visitor, vef_error *error) {
    char word[64];
    int64_t ranks = 0;
    if (!next_line(text))
        return vef_fail(error, VEF_INVALID, "%s: empty: expected 'num_ranks N'", text->path);
    next_word(text, word, sizeof word);
    if (strcmp(word, "num_ranks") != 0)
        return fail(text, error, "expected 'num_ranks N' as the first statement, found", word);
    vef_code code = number(text, "num_ranks", INT32_MAX, false, "", &ranks, error);
    if (!code && ranks == 0)
        code = fail(text, error, "expected at least one rank", NULL);
    /* Each takes at least nine bytes: a number that no file of this size can hold is an error. */
    struct stat file;
    if (!code && fstat(fileno(text->in), &file) == 0 && S_ISREG(file.st_mode) &&
        ranks > file.st_size / 9)
        return vef_fail(error, VEF_INVALID, "%s:%u: %lld ranks, but the file has only %lld bytes",
                        text->path, text->line, (long long)ranks, (long long)file.st_size);
    text->rank.ranks = (uint32_t)ranks;
    for (uint32_t rank = 0; rank < text->rank.ranks && !code; rank++) {
        if (!next_line(text))
            return vef_fail(error, VEF_INVALID, "%s:%u: the file ends before rank %u of %u",
                            text->path, text->line, rank, text->rank.ranks);
        code = read_rank(text, rank, error);
        if (!code)
            code = visit(visitor, &text->rank, error);
        vef_names_free(&text->labels);
    }
    if (!code && next_line(text))
        code = fail(text, error, "unexpected text after the last rank", NULL);
    return code;
}

/* ---- the binary form ---- */

enum { COOKIE = 4223, COOKIE_BYTES = 8, HEAD_BYTES = 6, PLACE_BYTES = 16, NODE_BYTES = 39 };

static uint64_t little(const char *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | (uint8_t)from[i];
    return value;
}

static vef_code fail_rank(const parser *from, vef_error *error, const char *what) {
    return vef_fail(error, VEF_CORRUPT, "%s: rank %" PRIu32 ": %s", from->path, from->rank.rank,
                    what);
}

/* Reads the next bytes of the file, to a place of the buffer. */
static vef_code load(parser *from, uint64_t place, uint64_t bytes, vef_error *error) {
    struct stat file;
    const off_t here = ftello(from->in);
    if (here < 0 || fstat(fileno(from->in), &file) != 0)
        return vef_fail_errno(error, "reading %s", from->path);
    if (bytes > (uint64_t)(file.st_size - here))
        return fail_rank(from, error, "the file ends within the rank");
    vef_grow(&from->text, &from->text_capacity, place + bytes, 1);
    return fread(from->text + place, 1, bytes, from->in) == bytes
               ? VEF_OK
               : vef_fail_errno(error, "reading %s", from->path);
}

/* Adds the node; false if it is not one. */
static bool add_binary_node(vef_dag_rank *rank, const char *data) {
    const bool send = data[4] == 1, calc = data[4] == 3;
    const int64_t peer = (int64_t)little(data + 5, 4), tag = (int64_t)little(data + 17, 4);
    const vef_dag_node node = {.kind = send   ? VEF_DAG_SEND
                                       : calc ? VEF_DAG_CALC
                                              : VEF_DAG_RECEIVE,
                               .size = little(data + 9, 8),
                               .peer = !send && peer == UINT32_MAX ? VEF_DAG_ANY : peer,
                               .tag = !send && tag == UINT32_MAX ? VEF_DAG_ANY : tag,
                               .cpu = (uint8_t)data[21],
                               .nic = (uint8_t)data[22],
                               .line = (uint32_t)rank->node_count};
    vef_dag_add_node(rank, &node);
    return data[4] >= 1 && data[4] <= 3 && node.size <= INT64_MAX &&
           (calc || node.peer < (int64_t)rank->ranks);
}

/* The next rank of the file. The buffer has its nodes, then the entries. */
static vef_code read_binary_rank(parser *from, vef_error *error) {
    vef_dag_rank *rank = &from->rank;
    uint64_t nodes = 0, entries = 0;
    rank->node_count = rank->edge_count = 0;
    vef_code code = load(from, 0, 8, error);
    if (!code) {
        nodes = little(from->text, 4);
        code = load(from, 0, 4 * little(from->text + 4, 4), error);
    }
    code = code ? code : load(from, 0, NODE_BYTES * nodes, error);
    for (uint64_t i = 0; i < nodes && !code; i++) {
        const char *node = from->text + NODE_BYTES * i;
        entries += little(node + 23, 4) + little(node + 31, 4);
        if (!add_binary_node(rank, node))
            code =
                fail_rank(from, error, "expected sends, receives and calcs, of ranks in the file");
    }
    code = code ? code : load(from, NODE_BYTES * nodes, 4 * entries, error);
    for (uint64_t i = 0; i < 2 * nodes && !code; i++) { /* for each node: ends, then starts */
        const char *lists = from->text + NODE_BYTES * (i / 2) + 23 + 8 * (i % 2);
        const uint64_t count = little(lists, 4), first = little(lists + 4, 4);
        if (first + count > entries && count > 0)
            code = fail_rank(from, error, "its dependencies are out of range");
        for (uint64_t k = 0; k < count && !code; k++) {
            const vef_dag_edge edge = {
                (uint32_t)little(from->text + NODE_BYTES * nodes + 4 * (first + k), 4),
                (uint32_t)(i / 2), i % 2 == 1};
            if (edge.node >= nodes)
                code = fail_rank(from, error, "its dependencies are out of range");
            else
                vef_dag_add_edge(rank, edge);
        }
    }
    return code;
}

static vef_code read_binary(parser *from, vef_dag_visit *visit, void *visitor, vef_error *error) {
    vef_code code = load(from, 0, COOKIE_BYTES + HEAD_BYTES, error);
    from->rank.ranks = code ? 0 : (uint32_t)little(from->text + COOKIE_BYTES, 4);
    code = code ? code : load(from, 0, PLACE_BYTES * (uint64_t)from->rank.ranks, error);
    if (!code && from->rank.ranks == 0)
        code = fail_rank(from, error, "missing: expected at least one rank");
    for (; from->rank.rank < from->rank.ranks && !code; from->rank.rank++) {
        code = read_binary_rank(from, error);
        code = code ? code : visit(visitor, &from->rank, error);
    }
    return code;
}

static bool is_binary(FILE *in) {
    char bytes[COOKIE_BYTES];
    const bool whole = fread(bytes, sizeof bytes, 1, in) == 1;
    rewind(in);
    return whole && little(bytes, sizeof bytes) == COOKIE;
}

/* ---- files ---- */

/* Passes on each rank, in ascending order. Failures name file and line. */
static vef_code ranks(void *path, vef_dag_visit *visit, void *visitor, vef_error *error) {
    parser text = {.path = path, .in = fopen(path, "r")};
    if (!text.in)
        return vef_fail_errno(error, "%s", text.path);
    vef_code code = is_binary(text.in) ? read_binary(&text, visit, visitor, error)
                                       : read_all(&text, visit, visitor, error);
    if (ferror(text.in)) /* then it ended early for that alone */
        code = vef_fail_errno(error, "reading %s", text.path);
    vef_names_free(&text.labels);
    free(text.nodes);
    free(text.text);
    free(text.rank.nodes);
    free(text.rank.edges);
    fclose(text.in);
    return code;
}

vef_code vef_goal_read(const char *path, const char *trace_path, vef_format_report *report,
                       vef_error *error) {
    *report = (vef_format_report){0};
    vef_dag_summary found;
    const vef_dag_source source = {
        .context = (void *)(uintptr_t)path, .application = path, .ranks = ranks, .marks = true};
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
