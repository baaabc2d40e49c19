/* File: one endpoint per line, in the order of the tasks; `#` begins a comment, empty lines are
 * skipped. Tasks may share an endpoint (messages between them then never enter the network); there
 * must be as many lines as tasks. */
#include "common/system/file.h"
#include "common/system/file_kind.h"
#include "mappings/families.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 28 };

/* Reads one line (terminated): 1 an endpoint, 0 nothing, -1 an error. */
static int read_line(char *line, uint64_t *number) {
    line[strcspn(line, "#")] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    if (*line == '\0')
        return 0;
    if (!isdigit((unsigned char)*line))
        return -1;
    char *end = NULL;
    errno = 0;
    *number = strtoull(line, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return *end == '\0' && errno == 0 ? 1 : -1;
}

static vef_code read_text(const char *path, char *text, uint32_t tasks, uint32_t endpoints,
                          uint32_t *endpoint, vef_error *error) {
    uint32_t count = 0;
    char *next = text;
    for (unsigned long number = 1; next; number++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        uint64_t read = 0;
        const int kind = read_line(line, &read);
        if (kind == 0)
            continue;
        if (kind < 0)
            return vef_fail(error, VEF_INVALID,
                            "%s:%lu: '%.40s' is not an endpoint: expected one number per line (# "
                            "begins a comment)",
                            path, number, line);
        if (read >= endpoints)
            return vef_fail(error, VEF_INVALID,
                            "%s:%lu: endpoint %llu is out of range: expected 0 to %u", path, number,
                            (unsigned long long)read, endpoints - 1);
        if (count == tasks)
            return vef_fail(error, VEF_INVALID,
                            "%s:%lu: too many endpoints: expected one line for each of %u tasks",
                            path, number, tasks);
        endpoint[count++] = (uint32_t)read;
    }
    if (count < tasks)
        return vef_fail(error, VEF_INVALID,
                        "%s: found %u endpoints for %u tasks: expected one line for each task",
                        path, count, tasks);
    return VEF_OK;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    vef_code code = vef_file_read(stage->path, MOST_FILE_BYTES, &text, &bytes, error);
    if (code != VEF_OK)
        return code;
    if (strlen(text) != bytes)
        code =
            vef_fail(error, VEF_INVALID, "%s: not a text file (it holds a NUL byte)", stage->path);
    else
        code = read_text(stage->path, text, view->tasks, view->endpoints, endpoint, error);
    free(text);
    return code == VEF_OK ? code
                          : vef_fail_kind(error, stage->path, "numbers",
                                          "one endpoint per line for a mapping");
}

static const char *const samples[] = {NULL}; /* a file must exist: tested by itself */

const vef_mapping_family vef_mapping_file = {
    .name = "file",
    .summary = "one endpoint per line of a file, # begins a comment; tasks may share one",
    .needs = VEF_MAPPING_PATH,
    .parameter = "path",
    .samples = samples,
    .assign = assign,
    .shares = true,
};
