/* Reading the communicators of the text form: "comm 1 parent=0 by=Comm_split members=0-6/2,9". */
#include "traces/text/parse.h"

#include <string.h>

typedef struct member_list {
    uint32_t *members; /* NULL: only counted */
    uint64_t count, limit;
} member_list;

enum { LONGEST_LIST = 1 << 22 };

static vef_code add_run(const vef_text *text, const char *from, const char *stop, uint32_t tasks,
                        member_list *list, vef_error *error) {
    const char *dash = memchr(from, '-', (size_t)(stop - from));
    const char *slash = memchr(from, '/', (size_t)(stop - from));
    const char *first_end = dash ? dash : stop, *last_end = slash ? slash : stop;
    uint64_t first = 0, last = 0, stride = 1;
    vef_code code =
        vef_text_number(text, "member", from, (size_t)(first_end - from), tasks - 1, &first, error);
    last = first;
    if (!code && dash && last_end > dash)
        code = vef_text_number(text, "member", dash + 1, (size_t)(last_end - dash - 1), tasks - 1,
                               &last, error);
    if (!code && slash)
        code = vef_text_number(text, "stride", slash + 1, (size_t)(stop - slash - 1), tasks,
                               &stride, error);
    if (code)
        return code;
    if (last < first || stride == 0 || (slash && (!dash || slash < dash)))
        return vef_text_fail(text, error,
                             "members: '%.*s': expected FIRST, FIRST-LAST or FIRST-LAST/STRIDE",
                             (int)(stop - from), from);
    for (uint64_t member = first; member <= last; member += stride) {
        if (list->count == list->limit)
            return vef_text_fail(text, error, "members: out of range: expected at most %llu",
                                 (unsigned long long)list->limit);
        if (list->members)
            list->members[list->count] = (uint32_t)member;
        list->count++;
    }
    return VEF_OK;
}

static vef_code add_runs(const vef_text *text, const char *from, size_t length, uint32_t tasks,
                         member_list *list, vef_error *error) {
    for (const char *end = from + length, *stop; from <= end; from = stop + 1) {
        stop = memchr(from, ',', (size_t)(end - from));
        stop = stop ? stop : end;
        vef_code code = add_run(text, from, stop, tasks, list, error);
        if (code)
            return code;
    }
    return VEF_OK;
}

/* Numbers below `below`, at most `limit` of them. */
static vef_code read_members(const vef_text *text, const char *from, size_t length, uint32_t below,
                             uint64_t limit, vef_arena *arena, const uint32_t **members,
                             uint32_t *count, vef_error *error) {
    member_list list = {NULL, 0, limit};
    vef_code code = add_runs(text, from, length, below, &list, error);
    if (code)
        return code;
    *count = (uint32_t)list.count;
    list.members = vef_arena_alloc(arena, list.count, sizeof *list.members);
    *members = list.members;
    list.count = 0;
    return add_runs(text, from, length, below, &list, error);
}

/* "4x2p": extents, those of periodic dimensions with a p. */
static vef_code read_grid(const vef_text *text, const char *from, size_t length, vef_arena *arena,
                          vef_communicator *communicator, vef_error *error) {
    uint32_t *extents = vef_arena_alloc(arena, length + 1, sizeof *extents);
    uint8_t *periodic = vef_arena_alloc(arena, length + 1, 1);
    communicator->dimensions = 0;
    communicator->extents = extents;
    communicator->periodic = periodic;
    for (const char *end = from + length, *stop; from <= end; from = stop + 1) {
        stop = memchr(from, 'x', (size_t)(end - from));
        stop = stop ? stop : end;
        bool wraps = stop > from && stop[-1] == 'p';
        uint64_t extent = 0;
        vef_code code = vef_text_number(text, "grid", from, (size_t)(stop - wraps - from),
                                        UINT32_MAX, &extent, error);
        if (code)
            return code;
        periodic[communicator->dimensions] = wraps;
        extents[communicator->dimensions++] = (uint32_t)extent;
    }
    return VEF_OK;
}

static vef_code read_key(const vef_text *text, const char *word, size_t key, size_t length,
                         uint32_t tasks, vef_arena *arena, vef_communicator *communicator,
                         vef_error *error) {
    const char *value = word + key + 1;
    size_t size = length - key - 1;
    uint64_t number = 0;
    vef_code code;
    if (vef_text_is(word, key, "members"))
        return read_members(text, value, size, tasks, tasks, arena, &communicator->members,
                            &communicator->size, error);
    if (vef_text_is(word, key, "remote"))
        return read_members(text, value, size, tasks, tasks, arena, &communicator->remote_members,
                            &communicator->remote_size, error);
    if (vef_text_is(word, key, "grid"))
        return read_grid(text, value, size, arena, communicator, error);
    if (vef_text_is(word, key, "parent")) {
        code = vef_text_number(text, "parent", value, size, UINT32_MAX - 1, &number, error);
        communicator->parent = (uint32_t)number;
        return code;
    }
    if (vef_text_is(word, key, "by")) {
        char name[64] = "";
        int call = -1;
        if (size < sizeof name) {
            memcpy(name, value, size);
            call = vef_call_find(name);
        }
        if (call < 0)
            return vef_text_fail(text, error, "by: unknown MPI call '%.*s'", (int)size, value);
        communicator->made_by = (uint16_t)call;
        return VEF_OK;
    }
    return vef_text_fail(
        text, error,
        "unknown key '%.*s' of a communicator: expected members, remote, grid, parent or by",
        (int)key, word);
}

vef_code vef_text_communicator_read(vef_text *text, uint32_t tasks, vef_arena *arena,
                                    vef_communicator *communicator, vef_error *error) {
    const char *word;
    size_t length;
    *communicator = (vef_communicator){.parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED};
    while (vef_text_word(text, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        if (!equals)
            return vef_text_fail(text, error, "'%.*s': expected key=value", (int)length, word);
        vef_code code = read_key(text, word, (size_t)(equals - word), length, tasks, arena,
                                 communicator, error);
        if (code)
            return code;
    }
    if (communicator->size == 0)
        return vef_text_fail(text, error, "missing members= of a communicator");
    return VEF_OK;
}

vef_code vef_text_neighbours_read(vef_text *text, vef_arena *arena, vef_communicator *communicator,
                                  vef_error *error) {
    const char *word;
    size_t length;
    uint64_t rank = 0;
    uint32_t size = communicator->size;
    if (!vef_text_word(text, &word, &length))
        return vef_text_fail(text, error, "missing rank of neighbours");
    vef_code code = vef_text_number(text, "neighbours", word, length, size - 1, &rank, error);
    vef_neighbours *lists = (vef_neighbours *)(uintptr_t)communicator->neighbours;
    if (!code && !lists)
        communicator->neighbours = lists = vef_arena_alloc(arena, size, sizeof *lists);
    while (!code && vef_text_word(text, &word, &length)) {
        bool in = length > 3 && memcmp(word, "in=", 3) == 0;
        size_t key = in ? 3 : 4;
        if (!in && (length <= 4 || memcmp(word, "out=", 4) != 0))
            return vef_text_fail(text, error, "neighbours: '%.*s': expected in=RANKS or out=RANKS",
                                 (int)length, word);
        code = read_members(text, word + key, length - key, size, LONGEST_LIST, arena,
                            in ? &lists[rank].in : &lists[rank].out,
                            in ? &lists[rank].in_count : &lists[rank].out_count, error);
        if (!code)
            code = vef_text_limit(text, VEF_LIMIT_MEMBERS, arena->held_bytes / sizeof size, error);
    }
    return code;
}
