/* Options that select a part of a trace. See part.h. */
#include "cli/part.h"

#include "common/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses "N", "N-M" or "N-", counted from 1; empty: all. */
static vef_code read_span(const char *text, const char *what, uint64_t *first, uint64_t *last,
                          vef_error *error) {
    char *end = NULL;
    *first = 1;
    *last = UINT64_MAX;
    if (!*text)
        return VEF_OK;
    *first = strtoull(text, &end, 10);
    bool fine = *text >= '0' && *text <= '9' && *first > 0;
    if (fine && *end == '\0')
        *last = *first;
    if (fine && *end == '-' && end[1]) {
        const char *second = end + 1;
        *last = strtoull(second, &end, 10);
        fine = *second >= '0' && *second <= '9' && *end == '\0' && *last >= *first;
    } else if (fine && *end == '-') {
        end++;
    }
    if (!fine || *end)
        return vef_fail(error, VEF_INVALID,
                        "%s %s: expected numbers from 1 after the ':', such as 3, 2-5 or 2-", what,
                        text);
    return VEF_OK;
}

/* Splits NAME:N-M. A name may contain colons. */
static vef_code read_named(const char *text, const char *what, vef_arena *arena, const char **name,
                           uint64_t *first, uint64_t *last, vef_error *error) {
    const char *colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    *name = vef_arena_string_of(arena, text, length);
    if (length == 0)
        return vef_fail(error, VEF_INVALID, "%s %s: missing name", what, text);
    return read_span(colon ? colon + 1 : "", what, first, last, error);
}

static vef_code read_time(const char *text, vef_slice_options *slice, vef_error *error) {
    char from[64];
    const char *dash = strchr(text, '-');
    double ns = 0;
    vef_code code = VEF_OK;
    if (!dash || (size_t)(dash - text) >= sizeof from || (dash == text && !dash[1]))
        return vef_fail(error, VEF_INVALID,
                        "--time %s: expected FROM-TO, such as 1.5s-2s, 1.5s- or -2s", text);
    memcpy(from, text, (size_t)(dash - text));
    from[dash - text] = '\0';
    slice->by_time = true;
    slice->to_ns = UINT64_MAX;
    if (*from)
        code = vef_parse_time_ns(from, "--time", &ns, error);
    slice->from_ns = (uint64_t)ns;
    if (!code && dash[1]) {
        code = vef_parse_time_ns(dash + 1, "--time", &ns, error);
        slice->to_ns = (uint64_t)ceil(ns);
    }
    if (!code && slice->to_ns <= slice->from_ns)
        code = vef_fail(error, VEF_INVALID, "--time %s: the end precedes the beginning", text);
    return code;
}

/* A list of tasks, "0-15,32". */
static vef_code read_tasks(const char *text, uint32_t tasks, vef_arena *arena, const bool **list,
                           vef_error *error) {
    bool *chosen = vef_arena_alloc(arena, tasks, sizeof *chosen);
    *list = chosen;
    for (const char *next = text;;) {
        char *end = NULL;
        uint64_t first = strtoull(next, &end, 10), last = first;
        bool fine = *next >= '0' && *next <= '9';
        if (fine && *end == '-') {
            const char *second = end + 1;
            last = strtoull(second, &end, 10);
            fine = *second >= '0' && *second <= '9';
        }
        if (!fine || (*end && *end != ',') || last < first)
            return vef_fail(error, VEF_INVALID, "--tasks %s: expected a list such as 0-15,32",
                            text);
        if (last >= tasks)
            return vef_fail(error, VEF_INVALID,
                            "--tasks %s: task %" PRIu64
                            " is out of range: the trace has tasks 0 to %u",
                            text, last, tasks - 1);
        for (uint64_t task = first; task <= last; task++)
            chosen[task] = true;
        if (!*end)
            return VEF_OK;
        next = end + 1;
    }
}

bool vef_part_is_whole(const vef_part_choices *part) {
    return !part->time && !part->region && !part->between && !part->tasks;
}

vef_code vef_part_read(const vef_part_choices *part, uint32_t tasks, vef_arena *arena,
                       vef_slice_options *options, vef_error *error) {
    vef_code code = VEF_OK;
    if (part->time)
        code = read_time(part->time, options, error);
    if (!code && part->region)
        code = read_named(part->region, "--region", arena, &options->region, &options->first_entry,
                          &options->last_entry, error);
    if (!code && part->between)
        code = read_named(part->between, "--between", arena, &options->between,
                          &options->first_call, &options->last_call, error);
    if (!code && part->tasks)
        code = read_tasks(part->tasks, tasks, arena, &options->chosen, error);
    return code;
}
