/* Reading files of links. See edges_file.h and docs/edges.md. */
#include "netmodel/topology/edges_file.h"

#include "common/containers/grow.h"
#include "common/system/file.h"
#include "common/system/file_kind.h"
#include "common/units.h"
#include "netmodel/topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = 8,        /* of a line: two routers, and three quantities of two words each */
    MOST_LINE_BYTES = 256, /* without its comment */
};
static const size_t MOST_FILE_BYTES = (size_t)1 << 30;

typedef struct edge_reader {
    const char *path;
    uint32_t line;
    vef_edges *edges;
    size_t room, endpoint_room;
    vef_error *error;
    char text[MOST_LINE_BYTES]; /* the line, split into words */
    const char *words[MOST_WORDS];
    size_t count;
} edge_reader;

/* Prefixes "path:line: " to the failure in `reader->error`. */
static vef_code at_line(edge_reader *reader) {
    return vef_fail_within(reader->error, "%s:%u", reader->path, reader->line);
}

static vef_code fail_not_a_link(edge_reader *reader, const char *word) {
    vef_fail(
        reader->error, VEF_INVALID,
        "'%.80s': expected the two routers of a link and, if it has its own, a bandwidth, a delay "
        "and a length, as in `0 1` or `0 1 10 Gbit/s 50 ns 5 m`; or `endpoints ROUTER COUNT`",
        word);
    return at_line(reader);
}

static bool only_digits(const char *word, size_t length) {
    return length > 0 && strspn(word, "0123456789") >= length;
}

/* The number in the first `length` characters of a word. */
static vef_code take_router(edge_reader *reader, const char *word, size_t length,
                            uint32_t *router) {
    if (!only_digits(word, length)) {
        if (word[0] != '-' || !only_digits(word + 1, length - 1))
            return fail_not_a_link(reader, word);
    } else {
        *router = 0;
        for (size_t i = 0; i < length && *router < VEF_MAX_ROUTERS; i++)
            *router = *router * 10 + (uint32_t)(word[i] - '0');
        if (*router < VEF_MAX_ROUTERS)
            return VEF_OK;
    }
    vef_fail(reader->error, VEF_INVALID, "router %.80s: routers are numbered from 0, up to %d",
             word, VEF_MAX_ROUTERS - 1);
    return at_line(reader);
}

/* ---- a link ---- */

static vef_code fail_quantity(edge_reader *reader, const char *text) {
    vef_fail(reader->error, VEF_INVALID,
             "'%.80s': expected a bandwidth such as '10 Gbit/s', a delay such as '50 ns' or a "
             "length such as '5 m'",
             text);
    return at_line(reader);
}

typedef enum attribute { BANDWIDTH, DELAY, LENGTH } attribute;
static const char *const attribute_names[] = {"bandwidth", "delay", "length"};

static bool has(const vef_edge *link, attribute kind) {
    return kind == BANDWIDTH ? link->bandwidth_bits_per_s != 0
                             : (kind == DELAY ? link->delay_ns : link->length_m) > 0;
}

static bool ends_in(const char *word, char letter) {
    const size_t length = strlen(word);
    return length > 0 && word[length - 1] == letter;
}

/* A number, alone or followed by a unit. */
static vef_code take_quantity(edge_reader *reader, const char *number, const char *unit,
                              vef_edge *link) {
    char text[MOST_LINE_BYTES + 1];
    snprintf(text, sizeof text, "%s%s%s", number, *unit ? " " : "", unit);
    const char *letters = *unit ? unit : number + strspn(number, "0123456789.");
    if (*letters == '\0' || only_digits(letters, 1) || !only_digits(number, 1))
        return fail_quantity(reader, text);
    const attribute kind = strpbrk(letters, "/bB") ? BANDWIDTH /* "Gb" is no unit, but meant so */
                           : ends_in(letters, 'm') ? LENGTH
                                                   : DELAY;
    const char *const what = attribute_names[kind];
    if (has(link, kind)) {
        vef_fail(reader->error, VEF_INVALID, "'%.80s': duplicate %s of a link", text, what);
        return at_line(reader);
    }
    vef_code code =
        kind == BANDWIDTH
            ? vef_parse_bandwidth(text, what, &link->bandwidth_bits_per_s, reader->error)
        : kind == DELAY ? vef_parse_time_ns(text, what, &link->delay_ns, reader->error)
                        : vef_parse_length_m(text, what, &link->length_m, reader->error);
    if (code == VEF_OK && has(link, kind))
        return VEF_OK;
    if (code == VEF_OK)
        vef_fail(reader->error, VEF_INVALID,
                 "%s '%.80s': expected more than 0, or none for the default of the network", what,
                 text);
    return at_line(reader);
}

static void add_link(edge_reader *reader, const vef_edge *link) {
    vef_edges *edges = reader->edges;
    *VEF_NEW_ITEM(edges->links, edges->count, reader->room) = *link;
}

static vef_code take_link(edge_reader *reader) {
    vef_edge link = {.line = reader->line};
    for (size_t i = 0; i < 2; i++) {
        if (i >= reader->count)
            return fail_not_a_link(reader, reader->words[0]);
        vef_code code =
            take_router(reader, reader->words[i], strlen(reader->words[i]), &link.routers[i]);
        if (code)
            return code;
    }
    for (size_t i = 2; i < reader->count; i++) {
        const char *number = reader->words[i], *unit = "";
        if (number[strspn(number, "0123456789.eE+-")] == '\0' && i + 1 < reader->count)
            unit = reader->words[++i];
        vef_code code = take_quantity(reader, number, unit, &link);
        if (code)
            return code;
    }
    if (link.routers[0] == link.routers[1]) {
        vef_fail(reader->error, VEF_INVALID,
                 "a link from router %u to itself: expected two routers", link.routers[0]);
        return at_line(reader);
    }
    add_link(reader, &link);
    return VEF_OK;
}

/* ---- endpoints ---- */

static vef_code fail_endpoints(edge_reader *reader) {
    vef_fail(reader->error, VEF_INVALID,
             "expected routers and how many endpoints each has, as in `endpoints 3 2` or "
             "`endpoints 8-11 0`");
    return at_line(reader);
}

static vef_code take_endpoints(edge_reader *reader) {
    if (reader->count != 3 || !only_digits(reader->words[2], strlen(reader->words[2])))
        return fail_endpoints(reader);
    vef_edge_endpoints some = {.line = reader->line};
    const char *range = reader->words[1];
    const size_t length = strcspn(range, "-");
    if (!only_digits(range, length) || (range[length] && range[length + 1] == '\0'))
        return fail_endpoints(reader);
    vef_code code = take_router(reader, range, length, &some.first);
    some.last = some.first;
    if (code == VEF_OK && range[length] == '-')
        code = take_router(reader, range + length + 1, strlen(range + length + 1), &some.last);
    if (code)
        return code;
    int64_t count;
    if (some.first > some.last) {
        vef_fail(reader->error, VEF_INVALID,
                 "endpoints %s %.80s: the first router is greater than the last: expected "
                 "endpoints %u-%u",
                 range, reader->words[2], some.last, some.first);
        return at_line(reader);
    }
    if (strlen(reader->words[2]) > 10 ||
        vef_parse_int(reader->words[2], "", &count, NULL) != VEF_OK ||
        count > VEF_MAX_ENDPOINTS_PER_ROUTER) {
        vef_fail(reader->error, VEF_INVALID,
                 "endpoints %s %.80s: out of range: expected at most %d on a router", range,
                 reader->words[2], VEF_MAX_ENDPOINTS_PER_ROUTER);
        return at_line(reader);
    }
    some.count = (uint32_t)count;
    vef_edges *edges = reader->edges;
    *VEF_NEW_ITEM(edges->endpoints, edges->endpoint_lines, reader->endpoint_room) = some;
    return VEF_OK;
}

/* ---- lines ---- */

/* Copies the line without its comment into `text` and splits it into words. */
static vef_code cut(edge_reader *reader, const char *line, size_t length) {
    const char *comment = memchr(line, '#', length);
    if (comment)
        length = (size_t)(comment - line);
    while (length > 0 && strchr(" \t\r", line[length - 1]) && line[length - 1])
        length--;
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f) {
            vef_fail(reader->error, VEF_INVALID,
                     "byte %zu is 0x%02x: not a text file: expected a file of links", i + 1,
                     (unsigned char)line[i]);
            return at_line(reader);
        }
    if (length >= sizeof reader->text) {
        vef_fail(reader->error, VEF_INVALID,
                 "a line of %zu bytes: expected one link per line, such as `0 1 10 Gbit/s 50 ns`",
                 length);
        return at_line(reader);
    }
    memcpy(reader->text, line, length);
    reader->text[length] = '\0';
    reader->count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(reader->text, " \t", &rest); word;
         word = strtok_r(NULL, " \t", &rest)) {
        if (reader->count == MOST_WORDS)
            return fail_not_a_link(reader, word);
        reader->words[reader->count++] = word;
    }
    return VEF_OK;
}

static vef_code take_line(edge_reader *reader, const char *line, size_t length) {
    vef_code code = cut(reader, line, length);
    if (code || reader->count == 0)
        return code;
    return strcmp(reader->words[0], "endpoints") == 0 ? take_endpoints(reader) : take_link(reader);
}

vef_code vef_edges_read(const char *path, vef_edges *edges, vef_error *error) {
    *edges = (vef_edges){0};
    char *text = NULL;
    size_t bytes = 0;
    vef_code code = vef_file_read(path, MOST_FILE_BYTES, &text, &bytes, error);
    if (code)
        return code;
    vef_error unseen; /* messages are put together in steps */
    edge_reader reader = {.path = path, .edges = edges, .error = error ? error : &unseen};
    const char *next = text, *const end = text + bytes;
    if (bytes >= 3 && memcmp(next, "\xef\xbb\xbf", 3) == 0)
        next += 3; /* the byte order mark that some editors write before UTF-8 */
    while (next < end && code == VEF_OK) {
        const char *stop = memchr(next, '\n', (size_t)(end - next));
        if (!stop)
            stop = end;
        reader.line++;
        code = take_line(&reader, next, (size_t)(stop - next));
        next = stop + 1;
    }
    if (code == VEF_OK && edges->count == 0)
        code = vef_fail(error, VEF_INVALID, "%s: no links: expected a line such as `0 1` for each",
                        path);
    free(text);
    if (code == VEF_OK)
        return VEF_OK;
    vef_edges_release(edges);
    return vef_fail_kind(error, path, "numbers", "the links of a graph: two routers in each line");
}

void vef_edges_release(vef_edges *edges) {
    free(edges->links);
    free(edges->endpoints);
    *edges = (vef_edges){0};
}
