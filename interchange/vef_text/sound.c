/* Whether the lines of a VEF trace belong together: see vef_text.h. */
#include "common/containers/map64.h"
#include "common/memory.h"
#include "interchange/vef_text/vef_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

typedef struct checking {
    const vef_lines *lines;
    vef_lines_found *found;
    vef_map64 messages;    /* ID → line */
    vef_map64 collectives; /* ID → number */
    vef_map64 calls;       /* collective and task → line */
    vef_map64 counts;      /* communicator and task → collectives so far */
    vef_map64 ranks;       /* communicator and task → rank, of all but the world */
    uint32_t *place;       /* per collective: which of its communicator it is */
    uint32_t *members;     /* per collective: lines */
    uint64_t *received_ns; /* per line of a message: when its receiver has waited for it, or NULL */
    bool delayed;          /* the order of a task's lines has delayed one */
} checking;

static vef_code fail_at(const checking *checker, const vef_line *line, vef_error *error,
                        const char *what, uint64_t id) {
    return vef_fail(error, VEF_INVALID, "%s:%" PRIu32 ": %s %" PRIu64, checker->lines->path,
                    line->number, what, id);
}

static uint64_t pair(uint32_t first, uint32_t second) {
    return (uint64_t)first << 32 | second;
}

/* ---- collectives ---- */

static void index_ranks(checking *checker) {
    for (uint32_t i = 1; i < checker->lines->group_count; i++) {
        const vef_lines_group *group = &checker->lines->groups[i];
        for (uint32_t rank = 0; rank < group->size; rank++)
            vef_map64_set(&checker->ranks, pair(i, group->members[rank]), rank);
    }
}

static bool is_member(const checking *checker, uint32_t comm, uint32_t task, uint32_t *rank) {
    const uint64_t *found = comm > 0 ? vef_map64_get(&checker->ranks, pair(comm, task)) : NULL;
    *rank = found ? (uint32_t)*found : task;
    return found || comm == 0;
}

static bool is_rooted(vef_line_share share) {
    return share == VEF_LINE_ROOT || share == VEF_LINE_ROOT_SUM;
}

/* An all-to-all whose send_bytes are divided among the tasks. */
static bool is_divided(const vef_line *line) {
    return line->operation == VEF_LINE_ALLTOALL && line->receive_bytes == 1;
}

/* The root, if the line is its line: it alone sends, or receives. */
static vef_code learn_root(checking *checker, const vef_line *line, uint32_t number, uint32_t rank,
                           vef_error *error) {
    const vef_line_operation *operation = &vef_line_operations[line->operation];
    int32_t *root = &checker->found->root[number];
    if (!(is_rooted(operation->sends) && line->send_bytes > 0) &&
        !(is_rooted(operation->receives) && line->receive_bytes > 0))
        return VEF_OK;
    if (*root >= 0)
        return fail_at(checker, line, error, "a second task is the root of collective", line->id);
    *root = (int32_t)rank;
    return VEF_OK;
}

/* What the task of the line contributes, or gets. */
static uint64_t part_of(const vef_line *line) {
    const vef_line_operation *operation = &vef_line_operations[line->operation];
    if (operation->sends == VEF_LINE_PART)
        return line->send_bytes;
    if (operation->receives == VEF_LINE_PART)
        return line->receive_bytes;
    return operation->sends == VEF_LINE_NOTHING ? 0 : line->send_bytes + line->receive_bytes;
}

/* Which collective of its communicator it is: the same for all its members. */
static vef_code count_call(checking *checker, const vef_line *line, uint32_t number, bool first,
                           vef_error *error) {
    const uint64_t key = pair(line->comm, line->task);
    uint64_t *before = vef_map64_get(&checker->counts, key);
    const uint32_t place = before ? (uint32_t)*before : 0;
    vef_map64_set(&checker->counts, key, place + 1ull);
    if (first)
        checker->place[number] = place;
    if (checker->place[number] != place)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": collective G%" PRIu64
                        " is number %u of task %u on its communicator, but number %u in line "
                        "%" PRIu32,
                        checker->lines->path, line->number, line->id, place + 1, line->task,
                        checker->place[number] + 1,
                        checker->lines->list[checker->found->group_line[number]].number);
    return VEF_OK;
}

static vef_code add_call(checking *checker, uint32_t index, vef_error *error) {
    const vef_line *line = &checker->lines->list[index];
    vef_lines_found *found = checker->found;
    uint32_t rank = 0;
    const uint64_t *known = vef_map64_get(&checker->collectives, line->id);
    const uint32_t number = known ? (uint32_t)*known : found->collectives;
    if (!known) {
        found->collectives++;
        found->group_line[number] = index;
        found->root[number] = -1;
        vef_map64_set(&checker->collectives, line->id, number);
    }
    const vef_line *first = &checker->lines->list[found->group_line[number]];
    if (first->comm != line->comm || first->operation != line->operation ||
        is_divided(first) != is_divided(line))
        return fail_at(checker, line, error,
                       "communicator and operation must be those of the collective's line",
                       first->number);
    if (!is_member(checker, line->comm, line->task, &rank))
        return fail_at(checker, line, error, "the task is not a member of communicator",
                       line->comm);
    if (vef_map64_get(&checker->calls, pair(number, line->task)))
        return fail_at(checker, line, error, "the task has a second line of collective", line->id);
    vef_map64_set(&checker->calls, pair(number, line->task), index);
    found->collective[index] = number;
    checker->members[number]++;
    const vef_code code = learn_root(checker, line, number, rank, error);
    return code ? code : count_call(checker, line, number, !known, error);
}

static vef_code check_collective(checking *checker, uint32_t number, vef_error *error) {
    const vef_line *first = &checker->lines->list[checker->found->group_line[number]];
    const vef_line_operation *operation = &vef_line_operations[first->operation];
    const uint32_t size = checker->lines->groups[first->comm].size;
    if (checker->members[number] != size)
        return vef_fail(error, VEF_INVALID,
                        "%s:%" PRIu32 ": collective G%" PRIu64
                        " has lines of %u tasks, its communicator has %u",
                        checker->lines->path, first->number, first->id, checker->members[number],
                        size);
    if ((is_rooted(operation->sends) || is_rooted(operation->receives)) &&
        checker->found->root[number] < 0) {
        checker->found->root[number] = 0;
        checker->found->rootless++;
    }
    return VEF_OK;
}

/* The parts of all collectives, by rank; all lines of a collective are there. */
static void collect_parts(checking *checker) {
    const vef_lines *lines = checker->lines;
    vef_lines_found *found = checker->found;
    size_t count = 0;
    for (uint32_t i = 0; i < found->collectives; i++) {
        found->first_part[i] = count;
        count += checker->members[i];
    }
    found->parts = vef_malloc((count + 1) * sizeof *found->parts);
    for (uint32_t i = 0; i < lines->count; i++) {
        const vef_line *line = &lines->list[i];
        uint32_t rank = 0;
        if (line->kind == VEF_LINE_GROUP && is_member(checker, line->comm, line->task, &rank))
            found->parts[found->first_part[found->collective[i]] + rank] = part_of(line);
    }
}

static uint64_t share_of(vef_line_share share, uint64_t part, uint64_t sum, bool is_root) {
    switch (share) {
    case VEF_LINE_NOTHING:
        return 0;
    case VEF_LINE_PART:
        return part;
    case VEF_LINE_SUM:
        return sum;
    case VEF_LINE_ROOT:
        return is_root ? part : 0;
    case VEF_LINE_ROOT_SUM:
        return is_root ? sum : 0;
    case VEF_LINE_OTHERS:
        return is_root ? 0 : part;
    }
    return 0;
}

/* What the parts of a collective are. Counts the lines that have other bytes than these imply. */
static void compare_parts(const checking *checker, uint32_t number) {
    const vef_lines *lines = checker->lines;
    const vef_line *first = &lines->list[checker->found->group_line[number]];
    const vef_line_operation *operation = &vef_line_operations[first->operation];
    const vef_lines_group *group = &lines->groups[first->comm];
    const uint64_t *parts = &checker->found->parts[checker->found->first_part[number]];
    uint64_t sum = 0, most = 0;
    bool differ = is_divided(first);
    for (uint32_t rank = 0; rank < group->size; rank++) {
        sum += parts[rank];
        most = parts[rank] > most ? parts[rank] : most;
        differ |= parts[rank] != parts[0];
    }
    differ &= operation->call != operation->parts;
    checker->found->bytes[number] = most;
    checker->found->differ[number] = differ;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        const uint64_t part = differ ? parts[rank] : most;
        const bool is_root = checker->found->root[number] == (int32_t)rank;
        const vef_line *line =
            &lines->list[*vef_map64_get(&checker->calls, pair(number, group->members[rank]))];
        checker->found->unequal +=
            line->send_bytes != share_of(operation->sends, part, sum, is_root) ||
            (line->receive_bytes != share_of(operation->receives, part, sum, is_root) &&
             !is_divided(line));
    }
}

/* ---- dependencies ---- */

static vef_code find_message(checking *checker, const vef_line *line, uint32_t *on,
                             vef_error *error) {
    const bool receive = line->dep == VEF_LINE_RECEIVE;
    const uint64_t *known = vef_map64_get(&checker->messages, line->on);
    if (!known)
        return fail_at(checker, line, error, "unknown message", line->on);
    const vef_line *message = &checker->lines->list[*known];
    *on = (uint32_t)*known;
    if ((receive ? message->peer : message->task) == line->task)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "%s:%" PRIu32 ": task %u does not %s message %" PRIu64
                    ", which goes from task "
                    "%u to task %u",
                    checker->lines->path, line->number, line->task, receive ? "receive" : "send",
                    line->on, message->task, message->peer);
}

static vef_code find_call(checking *checker, const vef_line *line, uint32_t *on, vef_error *error) {
    const uint64_t *number = vef_map64_get(&checker->collectives, line->on);
    if (!number)
        return fail_at(checker, line, error, "unknown collective", line->on);
    const uint64_t *known = vef_map64_get(&checker->calls, pair((uint32_t)*number, line->task));
    if (!known)
        return fail_at(checker, line, error, "the task takes no part in collective", line->on);
    *on = (uint32_t)*known;
    return VEF_OK;
}

static vef_code find_dependencies(checking *checker, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < checker->lines->count && !code; i++) {
        const vef_line *line = &checker->lines->list[i];
        checker->found->on[i] = none;
        if (line->dep == VEF_LINE_SEND || line->dep == VEF_LINE_RECEIVE)
            code = find_message(checker, line, &checker->found->on[i], error);
        else if (line->dep == VEF_LINE_COLLECTIVE)
            code = find_call(checker, line, &checker->found->on[i], error);
    }
    return code;
}

/* ---- cycles ---- */

/* Nodes are lines, then collectives; a node is placed after those it depends on. */
typedef struct line_graph {
    uint32_t *first;        /* per node: the first edge to its users; `none` */
    uint32_t *users, *next; /* per edge; the next one of its node */
    uint32_t edges;
    uint32_t *waits, *order;
} line_graph;

/* The node for which those wait that depend on a line. */
static uint32_t node_of(const checking *checker, uint32_t line) {
    return checker->lines->list[line].kind == VEF_LINE_GROUP
               ? (uint32_t)checker->lines->count + checker->found->collective[line]
               : line;
}

static void add_edge(line_graph *graph, uint32_t on, uint32_t user) {
    graph->users[graph->edges] = user;
    graph->next[graph->edges] = graph->first[on];
    graph->first[on] = graph->edges++;
    graph->waits[user]++;
}

static void add_edges(const checking *checker, line_graph *graph) {
    const vef_lines *lines = checker->lines;
    const size_t room = lines->tasks * sizeof(uint32_t);
    uint32_t *last = memset(vef_malloc(room), 0xff, room); /* per task: the line before; `none` */
    for (uint32_t i = 0; i < lines->count; i++) {
        const uint32_t on = checker->found->on[i], before = last[lines->list[i].task];
        if (on != none)
            add_edge(graph, node_of(checker, on), i);
        if (before != none && checker->found->in_order)
            add_edge(graph, node_of(checker, before), i);
        if (node_of(checker, i) != i)
            add_edge(graph, i, node_of(checker, i));
        last[lines->list[i].task] = i;
    }
    free(last);
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* A line: the time of what it depends on, plus its own. A user follows what is placed. */
static void begin_line(checking *checker, uint32_t node) {
    uint64_t *begin_ns = checker->found->begin_ns;
    const vef_line *line = &checker->lines->list[node];
    const uint32_t on = checker->found->on[node];
    uint64_t since_ns = on == none ? 0 : begin_ns[node_of(checker, on)];
    if (checker->received_ns && line->dep == VEF_LINE_RECEIVE) {
        uint64_t *received_ns = &checker->received_ns[on];
        if (*received_ns == UINT64_MAX) /* after the line above */
            *received_ns = later(since_ns, begin_ns[node]);
        since_ns = *received_ns;
    }
    since_ns += line->time_ns; /* both are below 2^63 */
    since_ns = since_ns < INT64_MAX ? since_ns : INT64_MAX;
    checker->delayed |= begin_ns[node] > since_ns;
    begin_ns[node] = later(begin_ns[node], since_ns);
}

/* One dependency of the user is placed. */
static void place_user(const checking *checker, line_graph *graph, uint32_t node, uint32_t user,
                       size_t *placed) {
    uint64_t *begin_ns = checker->found->begin_ns;
    const size_t count = checker->lines->count;
    /* A collective follows its lines; in the order of the program, a line the one before it. */
    if (user >= count || checker->found->in_order)
        begin_ns[user] = later(begin_ns[user], begin_ns[node]);
    if (--graph->waits[user] == 0)
        graph->order[(*placed)++] = user;
}

static vef_code search_cycle(checking *checker, line_graph *graph, vef_error *error) {
    const size_t count = checker->lines->count, nodes = count + checker->found->collectives;
    size_t placed = 0;
    for (uint32_t i = 0; i < nodes; i++)
        if (graph->waits[i] == 0)
            graph->order[placed++] = i;
    for (size_t place = 0; place < placed; place++) {
        const uint32_t node = graph->order[place];
        if (node < count)
            begin_line(checker, node);
        for (uint32_t i = graph->first[node]; i != none; i = graph->next[i])
            place_user(checker, graph, node, graph->users[i], &placed);
    }
    for (uint32_t i = 0; i < count; i++)
        if (graph->waits[i] > 0)
            return vef_fail(error, VEF_INVALID,
                            "%s:%" PRIu32 ": the line waits for a cycle of dependencies",
                            checker->lines->path, checker->lines->list[i].number);
    return VEF_OK;
}

static vef_code find_begins(checking *checker, vef_error *error) {
    const size_t nodes = checker->lines->count + checker->found->collectives;
    const size_t edges = 3 * checker->lines->count + 1, room = (nodes + 1) * sizeof(uint32_t);
    line_graph graph = {.first = memset(vef_malloc(room), 0xff, room),
                        .users = vef_malloc(edges * sizeof *graph.users),
                        .next = vef_malloc(edges * sizeof *graph.next),
                        .waits = vef_calloc(nodes + 1, sizeof *graph.waits),
                        .order = vef_malloc(room)};
    memset(checker->found->begin_ns, 0, (nodes + 1) * sizeof *checker->found->begin_ns);
    add_edges(checker, &graph);
    vef_code code = search_cycle(checker, &graph, error);
    free(graph.first);
    free(graph.users);
    free(graph.next);
    free(graph.waits);
    free(graph.order);
    return code;
}

/* Tasks are threads if the order of the file allows it: if no line begins before the one above it
 * on a network without delays; or, where times were measured with delays, if none does when a task
 * waits for each message after the line above. Otherwise lines follow their events alone. */
static vef_code find_order(checking *checker, vef_error *error) {
    const size_t room = checker->lines->count * sizeof *checker->received_ns;
    checker->found->in_order = true;
    bool fits = !find_begins(checker, NULL);
    if (fits && checker->delayed) {
        checker->received_ns = memset(vef_malloc(room), 0xff, room);
        checker->delayed = false;
        find_begins(checker, NULL);
        free(checker->received_ns);
        checker->received_ns = NULL;
    }
    fits = fits && !checker->delayed;
    checker->found->in_order = fits;
    return fits ? VEF_OK : find_begins(checker, error);
}

/* ---- all ---- */

static vef_code check_counts(const checking *checker, vef_error *error) {
    const vef_lines *lines = checker->lines;
    const uint64_t global = checker->found->collectives;
    uint64_t messages = 0;
    for (size_t i = 0; i < lines->count; i++)
        messages += lines->list[i].kind == VEF_LINE_MESSAGE;
    const uint64_t local = lines->count - messages;
    if (messages == lines->messages && global == lines->global && local == lines->local)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "%s: the header has %" PRIu64 " messages, %" PRIu64 " global and %" PRIu64
                    " local collectives, the file %" PRIu64 ", %" PRIu64 " and %" PRIu64
                    ": it may be cut short",
                    lines->path, lines->messages, lines->global, lines->local, messages, global,
                    local);
}

static vef_code index_lines(checking *checker, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < checker->lines->count && !code; i++) {
        const vef_line *line = &checker->lines->list[i];
        if (line->kind == VEF_LINE_GROUP)
            code = add_call(checker, i, error);
        else if (line->kind == VEF_LINE_MESSAGE && vef_map64_get(&checker->messages, line->id))
            code = fail_at(checker, line, error, "a second message with ID", line->id);
        else if (line->kind == VEF_LINE_MESSAGE)
            vef_map64_set(&checker->messages, line->id, i);
    }
    return code;
}

vef_code vef_lines_check(const vef_lines *lines, vef_lines_found *found, vef_error *error) {
    const size_t count = lines->count + 1;
    *found = (vef_lines_found){.on = vef_malloc(count * sizeof *found->on),
                               .collective = vef_calloc(count, sizeof *found->collective),
                               .group_line = vef_malloc(count * sizeof *found->group_line),
                               .root = vef_malloc(count * sizeof *found->root),
                               .bytes = vef_malloc(count * sizeof *found->bytes),
                               .differ = vef_calloc(count, sizeof *found->differ),
                               .first_part = vef_malloc(count * sizeof *found->first_part),
                               .begin_ns = vef_calloc(2 * count, sizeof *found->begin_ns)};
    checking checker = {.lines = lines,
                        .found = found,
                        .place = vef_malloc(count * sizeof *checker.place),
                        .members = vef_calloc(count, sizeof *checker.members)};
    index_ranks(&checker);
    vef_code code = index_lines(&checker, error);
    code = code ? code : check_counts(&checker, error);
    for (uint32_t i = 0; i < found->collectives && !code; i++)
        code = check_collective(&checker, i, error);
    if (!code) {
        collect_parts(&checker);
        for (uint32_t i = 0; i < found->collectives; i++)
            compare_parts(&checker, i);
    }
    code = code ? code : find_dependencies(&checker, error);
    code = code ? code : find_order(&checker, error);
    vef_map64_free(&checker.messages);
    vef_map64_free(&checker.collectives);
    vef_map64_free(&checker.calls);
    vef_map64_free(&checker.counts);
    vef_map64_free(&checker.ranks);
    free(checker.place);
    free(checker.members);
    return code;
}

void vef_lines_found_free(vef_lines_found *found) {
    free(found->on);
    free(found->collective);
    free(found->group_line);
    free(found->root);
    free(found->bytes);
    free(found->differ);
    free(found->first_part);
    free(found->parts);
    free(found->begin_ns);
    *found = (vef_lines_found){0};
}
