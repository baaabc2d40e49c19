/* Reading the communicators of the text form: "comm 1 parent=0 by=Comm_split members=0-6/2,9". */
#include "traces/text/parse.h"

typedef struct member_list {
    uint32_t *members; /* NULL: only counted */
    uint64_t count, limit;
} member_list;

enum { LONGEST_LIST = 1 << 22 };

static vef_code add_run(const vef_text *text, vef_span item, uint32_t tasks, member_list *list,
                        vef_error *error) {
    vef_span last_text, stride_text;
    const vef_span run = vef_span_split(item, '/', &stride_text);
    uint64_t first = 0, last = 0, stride = 1;
    vef_code code = vef_text_number(text, "member", vef_span_split(run, '-', &last_text), tasks - 1,
                                    &first, error);
    last = first;
    if (!code && last_text.begin)
        code = vef_text_number(text, "member", last_text, tasks - 1, &last, error);
    if (!code && stride_text.begin)
        code = vef_text_number(text, "stride", stride_text, tasks, &stride, error);
    if (code)
        return code;
    if (last < first || stride == 0 || (stride_text.begin && !last_text.begin))
        return vef_text_fail(text, error,
                             "members: '%.*s': expected FIRST, FIRST-LAST or FIRST-LAST/STRIDE",
                             VEF_SPAN(item));
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

static vef_code add_runs(const vef_text *text, vef_span runs, uint32_t tasks, member_list *list,
                         vef_error *error) {
    vef_code code = VEF_OK;
    for (vef_span item; !code && vef_span_next(&runs, ',', &item);)
        code = add_run(text, item, tasks, list, error);
    return code;
}

/* Numbers below `below`, at most `limit` of them. */
static vef_code read_members(const vef_text *text, vef_span runs, uint32_t below, uint64_t limit,
                             vef_arena *arena, const uint32_t **members, uint32_t *count,
                             vef_error *error) {
    member_list list = {NULL, 0, limit};
    vef_code code = add_runs(text, runs, below, &list, error);
    if (code)
        return code;
    *count = (uint32_t)list.count;
    list.members = vef_arena_alloc(arena, list.count, sizeof *list.members);
    *members = list.members;
    list.count = 0;
    return add_runs(text, runs, below, &list, error);
}

/* "4x2p": extents, those of periodic dimensions with a p. */
static vef_code read_grid(const vef_text *text, vef_span grid, vef_arena *arena,
                          vef_communicator *communicator, vef_error *error) {
    const size_t room = (size_t)(grid.end - grid.begin) + 1;
    uint32_t *extents = vef_arena_alloc(arena, room, sizeof *extents);
    uint8_t *periodic = vef_arena_alloc(arena, room, 1);
    communicator->dimensions = 0;
    communicator->extents = extents;
    communicator->periodic = periodic;
    for (vef_span item; vef_span_next(&grid, 'x', &item);) {
        const bool wraps = item.end > item.begin && item.end[-1] == 'p';
        uint64_t extent = 0;
        item.end -= wraps;
        vef_code code = vef_text_number(text, "grid", item, UINT32_MAX, &extent, error);
        if (code)
            return code;
        periodic[communicator->dimensions] = wraps;
        extents[communicator->dimensions++] = (uint32_t)extent;
    }
    return VEF_OK;
}

static vef_code read_key(const vef_text *text, vef_span key, vef_span value, uint32_t tasks,
                         vef_arena *arena, vef_communicator *communicator, vef_error *error) {
    if (vef_span_is(key, "members"))
        return read_members(text, value, tasks, tasks, arena, &communicator->members,
                            &communicator->size, error);
    if (vef_span_is(key, "remote"))
        return read_members(text, value, tasks, tasks, arena, &communicator->remote_members,
                            &communicator->remote_size, error);
    if (vef_span_is(key, "grid"))
        return read_grid(text, value, arena, communicator, error);
    if (vef_span_is(key, "parent")) {
        uint64_t number = 0;
        vef_code code = vef_text_number(text, "parent", value, UINT32_MAX - 1, &number, error);
        communicator->parent = (uint32_t)number;
        return code;
    }
    if (vef_span_is(key, "by")) {
        const int call = vef_span_call(value);
        if (call < 0)
            return vef_text_fail(text, error, "by: unknown MPI call '%.*s'", VEF_SPAN(value));
        communicator->made_by = (uint16_t)call;
        return VEF_OK;
    }
    return vef_text_fail(
        text, error,
        "unknown key '%.*s' of a communicator: expected members, remote, grid, parent or by",
        VEF_SPAN(key));
}

vef_code vef_text_communicator_read(vef_text *text, uint32_t tasks, vef_arena *arena,
                                    vef_communicator *communicator, vef_error *error) {
    *communicator = (vef_communicator){.parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED};
    for (vef_span word, value; vef_text_word(text, &word);) {
        const vef_span key = vef_span_split(word, '=', &value);
        if (!value.begin)
            return vef_text_fail(text, error, "'%.*s': expected key=value", VEF_SPAN(word));
        vef_code code = read_key(text, key, value, tasks, arena, communicator, error);
        if (code)
            return code;
    }
    if (communicator->size == 0)
        return vef_text_fail(text, error, "missing members= of a communicator");
    return VEF_OK;
}

vef_code vef_text_neighbours_read(vef_text *text, vef_arena *arena, vef_communicator *communicator,
                                  vef_error *error) {
    vef_span word, ranks;
    uint64_t rank = 0;
    uint32_t size = communicator->size;
    if (!vef_text_word(text, &word))
        return vef_text_fail(text, error, "missing rank of neighbours");
    vef_code code = vef_text_number(text, "neighbours", word, size - 1, &rank, error);
    vef_neighbours *lists = (vef_neighbours *)(uintptr_t)communicator->neighbours;
    if (!code && !lists)
        communicator->neighbours = lists = vef_arena_alloc(arena, size, sizeof *lists);
    while (!code && vef_text_word(text, &word)) {
        const vef_span key = vef_span_split(word, '=', &ranks);
        const bool in = vef_span_is(key, "in");
        if (ranks.begin == ranks.end || (!in && !vef_span_is(key, "out")))
            return vef_text_fail(text, error, "neighbours: '%.*s': expected in=RANKS or out=RANKS",
                                 VEF_SPAN(word));
        code = read_members(text, ranks, size, LONGEST_LIST, arena,
                            in ? &lists[rank].in : &lists[rank].out,
                            in ? &lists[rank].in_count : &lists[rank].out_count, error);
        if (!code)
            code = vef_text_limit(text, VEF_LIMIT_MEMBERS, arena->held_bytes / sizeof size, error);
    }
    return code;
}
