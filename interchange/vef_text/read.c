/* Reading the text form of VEF traces: see vef_text.h. A task becomes a graph
 * (interchange/dag/): its receives, which are posted at its start, and for each line the
 * computation before it and the send or collective itself.
 *
 * Where the order of the file allows it (sound.c), a task is one thread: a line also follows the
 * line before it, the start of a send, the end of a collective. The computation before a line is
 * the time from the later of the two to the line's beginning.
 *
 * Otherwise lines that depend on different events are branches. Those that depend on the same event
 * follow each other by the differences of their times. Collectives of a communicator start in the
 * order of the file, as MPI requires. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/dag/dag.h"
#include "interchange/exchange.h"
#include "interchange/vef_text/vef_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

typedef struct text_reading {
    vef_lines lines;
    vef_lines_found found;
    /* Lines by task, and messages by receiver, each in the order of the file; ranges per task. */
    size_t *own_first, *in_first;
    uint32_t *by_task, *in;
    /* Per line, in the graph of its task, and of the receiver: the node. */
    uint32_t *node_of, *receive_of;
    /* Per line of the task: the line before it that depends on the same event. */
    uint32_t *sibling;
    uint32_t *sorted; /* room for the lines of a task */
    bool *waited;     /* per node: a line of the task follows its end */
    size_t waited_capacity;
    uint64_t *given, *taken; /* room for what a task sends to each of a communicator, and gets */
    vef_dag_rank rank;
} text_reading;

/* ---- lists ---- */

static void make_lists(text_reading *reader) {
    const vef_lines *lines = &reader->lines;
    const size_t count = lines->count + 1;
    reader->own_first = vef_calloc(lines->tasks + 2ull, sizeof *reader->own_first);
    reader->in_first = vef_calloc(lines->tasks + 2ull, sizeof *reader->in_first);
    reader->by_task = vef_malloc(count * sizeof *reader->by_task);
    reader->in = vef_malloc(count * sizeof *reader->in);
    reader->node_of = vef_malloc(count * sizeof *reader->node_of);
    reader->receive_of = vef_malloc(count * sizeof *reader->receive_of);
    reader->sibling = vef_malloc(count * sizeof *reader->sibling);
    reader->sorted = vef_malloc(count * sizeof *reader->sorted);
    reader->given = vef_malloc(lines->tasks * sizeof *reader->given);
    reader->taken = vef_malloc(lines->tasks * sizeof *reader->taken);
    for (size_t i = 0; i < lines->count; i++) {
        reader->own_first[lines->list[i].task + 2]++;
        if (lines->list[i].kind == VEF_LINE_MESSAGE)
            reader->in_first[lines->list[i].peer + 2]++;
    }
    for (uint32_t task = 0; task < lines->tasks; task++) {
        reader->own_first[task + 2] += reader->own_first[task + 1];
        reader->in_first[task + 2] += reader->in_first[task + 1];
    }
    for (uint32_t i = 0; i < lines->count; i++) {
        reader->by_task[reader->own_first[lines->list[i].task + 1]++] = i;
        if (lines->list[i].kind == VEF_LINE_MESSAGE)
            reader->in[reader->in_first[lines->list[i].peer + 1]++] = i;
    }
}

/* Lines that depend on the same event become neighbours, by time, then as in the file. */
static int by_event(const void *a, const void *b, void *from) {
    const vef_line *list = from;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const vef_line *x = &list[i], *y = &list[j];
    const uint64_t x_on = x->dep == VEF_LINE_INDEPENDENT ? 0 : x->on;
    const uint64_t y_on = y->dep == VEF_LINE_INDEPENDENT ? 0 : y->on;
    if (x->dep != y->dep)
        return x->dep < y->dep ? -1 : 1;
    if (x_on != y_on)
        return x_on < y_on ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return i < j ? -1 : i > j;
}

static bool same_event(const vef_line *a, const vef_line *b) {
    return a->dep == b->dep && (a->dep == VEF_LINE_INDEPENDENT || a->on == b->on);
}

static void find_siblings(text_reading *reader, const uint32_t *indices, size_t count) {
    vef_line *list = reader->lines.list;
    if (count > 0)
        memcpy(reader->sorted, indices, count * sizeof *indices);
    if (!reader->found.in_order && count > 1)
        qsort_r(reader->sorted, count, sizeof *reader->sorted, by_event, list);
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = reader->sorted[i];
        const bool same = i > 0 && same_event(&list[reader->sorted[i - 1]], &list[index]);
        reader->sibling[index] = same ? reader->sorted[i - 1] : none;
    }
}

/* ---- nodes ---- */

static void add_receives(text_reading *reader, uint32_t task) {
    for (size_t i = reader->in_first[task]; i < reader->in_first[task + 1]; i++) {
        const vef_line *line = &reader->lines.list[reader->in[i]];
        const uint32_t node = (uint32_t)reader->rank.node_count;
        reader->receive_of[reader->in[i]] = node;
        vef_dag_add_node(&reader->rank,
                         &(vef_dag_node){.kind = VEF_DAG_RECEIVE,
                                         .size = line->send_bytes,
                                         .peer = line->task,
                                         .tag = reader->found.in_order ? 0 : reader->in[i],
                                         .line = line->number});
        if (node > 0) /* one after the other, in one thread */
            vef_dag_add_edge(&reader->rank, (vef_dag_edge){node, node - 1, true});
    }
}

/* Call and bytes: with the parts of all tasks if they differ, else with the one that all have. */
static void set_call(const text_reading *reader, const vef_line *line, vef_dag_node *node) {
    const vef_line_operation *operation = &vef_line_operations[line->operation];
    const bool differ = reader->found.differ[node->number];
    node->call = differ ? operation->parts : operation->call;
    if (!differ)
        node->size = reader->found.bytes[node->number];
    else if (line->operation != VEF_LINE_ALLTOALL)
        node->size = operation->sends == VEF_LINE_PART ? line->send_bytes : line->receive_bytes;
    if (vef_call_has(node->call, VEF_FACT_REDUCES))
        node->elements = vef_exchange_elements(node->size);
}

/* What a task sends to another one in an all-to-all: its bytes, or an even share of them. */
static uint64_t share_of(uint64_t bytes, uint32_t rank, uint32_t size, bool divided) {
    return divided ? bytes / size + (rank < bytes % size) : bytes;
}

static void vectors(void *from, const vef_dag_node *node, vef_event *event) {
    const text_reading *reader = from;
    const vef_line *first = &reader->lines.list[reader->found.group_line[node->number]];
    const vef_lines_group *group = &reader->lines.groups[first->comm];
    const uint64_t *parts = &reader->found.parts[reader->found.first_part[node->number]];
    const bool gives = vef_call_has(node->call, VEF_FACT_SENDS_EACH);
    const bool takes = vef_call_has(node->call, VEF_FACT_RECEIVES_EACH), both = gives && takes;
    uint32_t member = 0;
    if (!gives && !takes)
        return;
    while (group->members[member] != reader->rank.rank)
        member++;
    if (vef_call_has(node->call, VEF_FACT_ROOTED) && node->root != (int32_t)member)
        return;
    for (uint32_t rank = 0; rank < group->size && both; rank++) {
        const bool divided = first->receive_bytes == 1;
        reader->given[rank] = share_of(parts[member], rank, group->size, divided);
        reader->taken[rank] = share_of(parts[rank], member, group->size, divided);
    }
    event->send_count = gives ? group->size : 0;
    event->receive_count = takes ? group->size : 0;
    event->send_bytes = both ? reader->given : parts;
    event->receive_bytes = both ? reader->taken : parts;
}

static vef_dag_node node_of_line(const text_reading *reader, uint32_t index) {
    const vef_line *line = &reader->lines.list[index];
    vef_dag_node node = {.kind = VEF_DAG_CALC, .line = line->number, .root = -1};
    if (line->kind == VEF_LINE_MESSAGE) {
        node.kind = VEF_DAG_SEND;
        node.size = line->send_bytes;
        node.peer = line->peer;
        node.tag = reader->found.in_order ? 0 : index;
        return node;
    }
    node.kind = VEF_DAG_COLLECTIVE;
    node.number = reader->found.collective[index];
    node.root = reader->found.root[node.number];
    node.comm = line->comm;
    set_call(reader, line, &node);
    return node;
}

/* The computation between a line and the last thing it follows. */
static uint64_t computation_ns(const text_reading *reader, uint32_t index, uint32_t before) {
    const vef_line *list = reader->lines.list, *line = &list[index];
    const uint64_t *begin_ns = reader->found.begin_ns;
    const uint32_t sibling = reader->sibling[index];
    if (!reader->found.in_order)
        return line->time_ns - (sibling == none ? 0 : list[sibling].time_ns);
    uint64_t since_ns = 0;
    const uint32_t follows[2] = {reader->found.on[index], before};
    for (unsigned i = 0; i < 2; i++) {
        size_t node = follows[i];
        if (node == none)
            continue;
        if (list[node].kind == VEF_LINE_GROUP)
            node = reader->lines.count + reader->found.collective[node];
        since_ns = begin_ns[node] > since_ns ? begin_ns[node] : since_ns;
    }
    return begin_ns[index] - since_ns;
}

/* Two nodes for each line: the computation before it, and itself. */
static void add_lines(text_reading *reader, const uint32_t *indices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const vef_dag_node calc = {
            .kind = VEF_DAG_CALC,
            .size = computation_ns(reader, indices[i], i > 0 ? indices[i - 1] : none),
            .line = reader->lines.list[indices[i]].number};
        const vef_dag_node node = node_of_line(reader, indices[i]);
        vef_dag_add_node(&reader->rank, &calc);
        reader->node_of[indices[i]] = (uint32_t)reader->rank.node_count;
        vef_dag_add_node(&reader->rank, &node);
    }
    /* A thread waits for its last collective at once, as for those before. */
    if (reader->found.in_order && count > 0 &&
        reader->lines.list[indices[count - 1]].kind == VEF_LINE_GROUP) {
        const uint32_t last = (uint32_t)reader->rank.node_count;
        vef_dag_add_node(&reader->rank, &(vef_dag_node){.kind = VEF_DAG_CALC});
        vef_dag_add_edge(&reader->rank, (vef_dag_edge){last, last - 1, false});
    }
}

/* ---- edges ---- */

static void add_edge(text_reading *reader, uint32_t node, uint32_t on, bool start) {
    vef_dag_add_edge(&reader->rank, (vef_dag_edge){node, on, start});
}

/* The node whose end the line depends on; `none` if it is independent. */
static uint32_t depends_on(const text_reading *reader, uint32_t index) {
    const vef_line *line = &reader->lines.list[index];
    if (line->dep == VEF_LINE_INDEPENDENT)
        return none;
    const uint32_t on = reader->found.on[index];
    return line->dep == VEF_LINE_RECEIVE ? reader->receive_of[on] : reader->node_of[on];
}

/* What the computation before a line follows, in the order of the program. */
static void connect_in_order(text_reading *reader, uint32_t index, uint32_t before,
                             uint32_t receives) {
    const uint32_t calc = reader->node_of[index] - 1, on = depends_on(reader, index);
    const bool blocks = before != none && reader->lines.list[before].kind == VEF_LINE_GROUP;
    /* First a collective, so that the task waits for it at once. */
    if (before != none && reader->node_of[before] != on) {
        add_edge(reader, calc, reader->node_of[before], !blocks);
        if (blocks)
            reader->waited[reader->node_of[before]] = true;
    }
    if (on != none && !reader->waited[on]) {
        add_edge(reader, calc, on, false);
        reader->waited[on] = true;
    }
    if (before == none && receives > 0)
        add_edge(reader, calc, receives - 1, true);
}

/* Likewise, in no order but that of events. */
static void connect_by_event(text_reading *reader, uint32_t index, uint32_t receives) {
    const uint32_t calc = reader->node_of[index] - 1, on = depends_on(reader, index);
    const uint32_t sibling = reader->sibling[index];
    if (sibling != none) {
        const bool sends = reader->lines.list[sibling].kind == VEF_LINE_MESSAGE;
        const uint32_t node = reader->node_of[sibling];
        add_edge(reader, calc, sends ? node : node - 1, sends);
    } else if (on != none) {
        add_edge(reader, calc, on, false);
    } else if (receives > 0) {
        add_edge(reader, calc, receives - 1, true);
    }
}

static void connect_lines(text_reading *reader, const uint32_t *indices, size_t count,
                          uint32_t receives) {
    vef_grow(&reader->waited, &reader->waited_capacity, reader->rank.node_count + 1,
             sizeof *reader->waited);
    memset(reader->waited, 0, reader->rank.node_count * sizeof *reader->waited);
    for (size_t i = 0; i < count; i++) {
        const uint32_t index = indices[i], node = reader->node_of[index];
        if (reader->found.in_order)
            connect_in_order(reader, index, i > 0 ? indices[i - 1] : none, receives);
        else
            connect_by_event(reader, index, receives);
        add_edge(reader, node, node - 1, false);
    }
}

static vef_code ranks(void *from, vef_dag_visit *visit, void *visitor, vef_error *error) {
    text_reading *reader = from;
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < reader->lines.tasks && !code; task++) {
        const uint32_t *indices = reader->by_task + reader->own_first[task];
        const size_t count = reader->own_first[task + 1] - reader->own_first[task];
        reader->rank.rank = task;
        reader->rank.ranks = reader->lines.tasks;
        reader->rank.node_count = reader->rank.edge_count = 0;
        find_siblings(reader, indices, count);
        add_receives(reader, task);
        const uint32_t receives = (uint32_t)reader->rank.node_count;
        add_lines(reader, indices, count);
        connect_lines(reader, indices, count, receives);
        code = visit(visitor, &reader->rank, error);
    }
    return code;
}

/* ---- the trace ---- */

static vef_code write_trace(text_reading *reader, const char *trace_path, vef_dag_summary *summary,
                            vef_error *error) {
    const vef_lines *lines = &reader->lines;
    const uint32_t further = (uint32_t)lines->group_count - 1;
    vef_communicator *list = vef_calloc(further + 1ull, sizeof *list);
    make_lists(reader);
    for (uint32_t i = 0; i < further; i++)
        list[i] = (vef_communicator){.made_by = VEF_CALL_Comm_create,
                                     .size = lines->groups[i + 1].size,
                                     .members = lines->groups[i + 1].members};
    const vef_dag_source source = {.context = reader,
                                   .application = lines->path,
                                   .ranks = ranks,
                                   .vectors = vectors,
                                   .communicators = list,
                                   .communicator_count = further,
                                   .blocking_collectives = reader->found.in_order};
    const vef_code code = vef_dag_write(&source, trace_path, summary, error);
    free(list);
    return code;
}

static void note_all(const text_reading *reader, const vef_dag_summary *summary,
                     vef_format_report *report) {
    const vef_note_count notes[] = {
        {reader->found.rootless, "collectives of 0 bytes with a root: rank 0 is taken as root"},
        {reader->found.unequal,
         "lines of collectives have other bytes than the lines of the other tasks imply: each "
         "task's own part counts, or the largest where all are equal"},
    };
    vef_note_counts(&report->notes, notes, sizeof notes / sizeof *notes);
    if (summary->most_threads > 1)
        vef_note(&report->notes,
                 "the lines of tasks are not in the order of their times: those that depend on "
                 "different events are threads, up to %" PRIu32 " in a task",
                 summary->most_threads);
}

static void release(text_reading *reader) {
    free(reader->own_first);
    free(reader->in_first);
    free(reader->by_task);
    free(reader->in);
    free(reader->node_of);
    free(reader->receive_of);
    free(reader->sibling);
    free(reader->sorted);
    free(reader->waited);
    free(reader->given);
    free(reader->taken);
    free(reader->rank.nodes);
    free(reader->rank.edges);
    vef_lines_found_free(&reader->found);
    vef_lines_free(&reader->lines);
}

vef_code vef_text_form_read(const char *path, const char *trace_path, vef_format_report *report,
                            vef_error *error) {
    *report = (vef_format_report){0};
    text_reading reader = {0};
    vef_dag_summary summary = {0};
    vef_code code = vef_lines_parse(path, &reader.lines, error);
    if (!code && reader.lines.group_count == 0)
        code = vef_fail(error, VEF_INVALID, "%s: expected communicator C0, the world", path);
    code = code ? code : vef_lines_check(&reader.lines, &reader.found, error);
    code = code ? code : write_trace(&reader, trace_path, &summary, error);
    if (!code)
        note_all(&reader, &summary, report);
    release(&reader);
    return code;
}
