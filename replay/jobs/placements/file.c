/* File: the nodes of the endpoints in a file, one per line, in its order; `#` begins a comment,
 * empty lines are skipped. There may be more than the job needs. */
#include "common/system/file.h"
#include "common/memory.h"
#include "common/system/file_kind.h"
#include "replay/jobs/placement.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 28 };

/* The endpoint of a line (terminated): 1 found, 0 nothing, -1 an error. */
static int read_line(char *line, uint64_t *number) {
    char *end = NULL;
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r\v\f");
    if (*line == '\0')
        return 0;
    errno = 0;
    *number = strtoull(line, &end, 10);
    end += strspn(end, " \t\r\v\f");
    return isdigit((unsigned char)*line) && *end == '\0' && errno == 0 ? 1 : -1;
}

/* Adds the node of an endpoint, unless it is that of an earlier one. */
static vef_code add(const vef_job_nodes *nodes, uint64_t endpoint, bool *listed, uint32_t *chosen,
                    uint32_t *count, vef_error *error) {
    if (endpoint >= (uint64_t)nodes->count * nodes->nics)
        return vef_fail(error, VEF_INVALID, "endpoint %llu is out of range: expected 0 to %u",
                        (unsigned long long)endpoint, nodes->count * nodes->nics - 1);
    const uint32_t node = (uint32_t)endpoint / nodes->nics;
    if (listed[node])
        return nodes->nics > 1 ? VEF_OK
                               : vef_fail(error, VEF_INVALID, "endpoint %u is listed twice",
                                          (uint32_t)endpoint);
    listed[node] = true;
    chosen[(*count)++] = node; /* free or not: the caller refuses what is taken */
    return VEF_OK;
}

static vef_code read_text(const vef_job_placement *placement, const vef_job_nodes *nodes,
                          char *text, bool *listed, uint32_t wanted, uint32_t *chosen,
                          vef_error *error) {
    uint32_t count = 0;
    char *next = text;
    for (unsigned long number = 1; next && count < wanted; number++) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        uint64_t endpoint = 0;
        const int kind = read_line(line, &endpoint);
        if (kind < 0)
            return vef_fail(error, VEF_INVALID,
                            "%s:%lu: '%.40s' is not an endpoint: expected one number per line (# "
                            "begins a comment)",
                            placement->path, number, line);
        if (kind > 0 && add(nodes, endpoint, listed, chosen, &count, error) != VEF_OK)
            return vef_fail_within(error, "%s:%lu", placement->path, number);
    }
    if (count < wanted)
        return vef_fail(error, VEF_INVALID, "%s: endpoints of %u nodes: expected at least %u",
                        placement->path, count, wanted);
    return VEF_OK;
}

static vef_code choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                       uint32_t wanted, uint32_t *chosen, vef_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    vef_code code = vef_file_read(placement->path, MOST_FILE_BYTES, &text, &bytes, error);
    if (code != VEF_OK)
        return code;
    bool *listed = vef_calloc(nodes->count + (size_t)1, sizeof *listed);
    if (strlen(text) != bytes)
        code = vef_fail(error, VEF_INVALID, "%s: not a text file (it holds a NUL byte)",
                        placement->path);
    else
        code = read_text(placement, nodes, text, listed, wanted, chosen, error);
    free(listed);
    free(text);
    return code == VEF_OK ? code
                          : vef_fail_kind(error, placement->path, "numbers",
                                          "one endpoint per line for a placement");
}

const vef_placement_kind vef_placement_file = {
    .name = "file",
    .parameter = "path",
    .summary = "the nodes of the endpoints in a file, one per line",
    .choose = choose,
};
