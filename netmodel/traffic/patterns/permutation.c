/* A permutation from a file: a line `source destination` for every endpoint that sends; `#` begins
 * a comment, empty lines do not count. Endpoints without a line are silent, and so are those that
 * are their own destination. A source has one line, and a destination one source, unless `shared`
 * lets several send to it. */
#include "common/memory.h"
#include "common/system/file.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    const char *file;
    bool shared;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(PATH, parameters, file), .help = "file of lines `source destination`"},
    {VEF_KEY(BOOL, parameters, shared), .fallback = "false",
     .help = "whether several sources may send to one destination"},
    {.key = NULL},
};

static const size_t MOST_FILE_BYTES = (size_t)1 << 30;

typedef struct reading {
    const char *path;
    unsigned long line;
    uint32_t endpoints;
    bool shared;
    uint32_t *to;
    unsigned long *source_line, *destination_line; /* [endpoints]: its line; 0: none */
    uint64_t count;
    vef_error *error;
} reading;

/* Reads the number of an endpoint and advances; false if there is none. */
static bool read_number(const char **next, uint64_t *number) {
    *next += strspn(*next, " \t\r");
    const size_t digits = strspn(*next, "0123456789");
    if (digits == 0 || !strchr(" \t\r", (*next)[digits]))
        return false; /* strchr also finds the end of the line */
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        if (*number <= UINT32_MAX) /* what is beyond stays beyond */
            *number = *number * 10 + (uint64_t)((*next)[i] - '0');
    *next += digits;
    return true;
}

static vef_code take_pair(reading *from, uint64_t source, uint64_t destination) {
    const uint64_t beyond = source >= from->endpoints ? source : destination;
    if (beyond >= from->endpoints)
        return vef_fail(from->error, VEF_INVALID,
                        "%s:%lu: endpoint %llu is out of range: expected 0 to %u", from->path,
                        from->line, (unsigned long long)beyond, from->endpoints - 1);
    if (from->source_line[source])
        return vef_fail(
            from->error, VEF_INVALID,
            "%s:%lu: duplicate source %llu: first in line %lu: expected one line for each source",
            from->path, from->line, (unsigned long long)source, from->source_line[source]);
    if (from->destination_line[destination] && !from->shared)
        return vef_fail(from->error, VEF_INVALID,
                        "%s:%lu: duplicate destination %llu: first in line %lu: expected one "
                        "source for each, or shared: true",
                        from->path, from->line, (unsigned long long)destination,
                        from->destination_line[destination]);
    from->source_line[source] = from->line;
    from->destination_line[destination] = from->line;
    from->to[source] = (uint32_t)destination;
    from->count++;
    return VEF_OK;
}

static vef_code take_line(reading *from, char *line) {
    line[strcspn(line, "#")] = '\0';
    const char *next = line;
    if (next[strspn(next, " \t\r")] == '\0')
        return VEF_OK;
    uint64_t source, destination;
    if (!read_number(&next, &source) || !read_number(&next, &destination) ||
        next[strspn(next, " \t\r")] != '\0')
        return vef_fail(from->error, VEF_INVALID,
                        "%s:%lu: '%.40s' is not a pair of endpoints: expected `source "
                        "destination`, such as `0 5` (# begins a comment)",
                        from->path, from->line, line);
    return take_pair(from, source, destination);
}

static vef_code take_text(reading *from, char *text) {
    char *next = text;
    vef_code code = VEF_OK;
    while (code == VEF_OK && next) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        from->line++;
        code = take_line(from, line);
    }
    if (code == VEF_OK && from->count == 0)
        code = vef_fail(from->error, VEF_INVALID,
                        "%s: no sources: expected lines `source destination`", from->path);
    return code;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    char *text = NULL;
    size_t bytes = 0;
    vef_code code = vef_file_read(given->file, MOST_FILE_BYTES, &text, &bytes, error);
    if (code != VEF_OK)
        return code;
    reading from = {
        .path = given->file,
        .endpoints = pattern->endpoints,
        .shared = given->shared,
        .source_line = vef_calloc(pattern->endpoints, sizeof *from.source_line),
        .destination_line = vef_calloc(pattern->endpoints, sizeof *from.destination_line),
        .error = error,
    };
    if (strlen(text) != bytes)
        code = vef_fail(error, VEF_INVALID, "%s: not a text file (it holds a NUL byte)", from.path);
    if (code == VEF_OK) {
        from.to = vef_permute_create(pattern);
        code = take_text(&from, text);
    }
    free(text);
    free(from.source_line);
    free(from.destination_line);
    return code;
}

static const char *const samples[] = {NULL}; /* a file must exist: tested by itself */

const vef_pattern_kind vef_pattern_permutation = {
    .name = "permutation",
    .summary = "source and destination of each message from a file of pairs",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = samples,
};
