/* Reading Chakra execution traces: see chakra.h. A node becomes a node of its rank's graph, which
 * starts when those it depends on have ended; independent ones overlap, in threads.
 *
 * A send ends when its data have been sent, whether or not the node that receives them has started:
 * MPI's rendezvous would wait for that, and stall in rings of sends before receives. So a rank
 * posts all its receives at its start, in the order of their nodes, and the node itself ends when
 * its dependencies have ended and its message is there.
 *
 * The files are read twice, one at a time: for messages and collectives, then for the events. The
 * collectives of a process group start in one order in all its ranks, as MPI requires: that of the
 * files, as far as dependencies allow. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/chakra/chakra.h"
#include "interchange/dag/dag.h"
#include "interchange/format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t none = UINT32_MAX;
enum { LONGEST_LISTS = 4096 };

typedef enum chakra_count {
    UNKNOWN_DEPS,
    MEMORY,
    NO_DURATION,
    ON_CPU,
    NO_TYPE,
    NO_PEER,
    ROOTS,
    UNEVEN,
    CHAKRA_COUNTS
} chakra_count;

typedef struct chakra_reading {
    char *prefix;
    uint32_t ranks;
    bool counted; /* the first pass is over */
    vef_chakra_groups groups;
    vef_chakra_rank from;
    vef_dag_rank rank;
    struct placed {
        uint32_t node;   /* of the graph */
        uint32_t seen;   /* the last node that depends on it, plus 1 */
        uint32_t posted; /* the node of its receive, or `none` */
    } * placed;          /* per node of `from` */
    size_t placed_capacity;
    uint32_t receives;
    uint64_t *calls; /* per group: collectives of the rank so far */
    size_t call_capacity;
    vef_communicator *communicators;
    vef_dag_source source;
    uint64_t counts[CHAKRA_COUNTS]; /* of the pass */
} chakra_reading;

/* ---- nodes ---- */

static vef_code message_of(const chakra_reading *reader, const vef_chakra_node *node, uint32_t task,
                           vef_dag_node *made, vef_error *error) {
    const bool send = node->type == VEF_CHAKRA_SEND;
    const uint64_t peer = send ? node->comm_dst : node->comm_src;
    const uint64_t local = send ? node->comm_src : node->comm_dst;
    if (peer >= reader->ranks)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: node %" PRIu64 ": %s %" PRIu64
                        " is out of range: there are files of %" PRIu32 " ranks",
                        reader->from.path, node->id, send ? "comm_dst" : "comm_src", peer,
                        reader->ranks);
    if (local != VEF_CHAKRA_NONE && local != task)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: node %" PRIu64 ": %s is %" PRIu64 ": expected the rank of the file",
                        reader->from.path, node->id, send ? "comm_src" : "comm_dst", local);
    const uint64_t bytes = node->comm_size != VEF_CHAKRA_NONE ? node->comm_size : node->tensor_size;
    made->kind = send ? VEF_DAG_SEND : VEF_DAG_RECEIVE;
    made->size = bytes != VEF_CHAKRA_NONE ? bytes : send ? 0 : VEF_DAG_UNKNOWN;
    made->peer = (int64_t)peer;
    made->tag = node->comm_tag == VEF_CHAKRA_NONE ? 0 : (int64_t)(node->comm_tag & UINT32_MAX);
    return VEF_OK;
}

/* The receives of a rank, one after the other in one thread. */
static vef_code post_receives(chakra_reading *reader, uint32_t task, vef_error *error) {
    vef_code code = VEF_OK;
    reader->receives = 0;
    for (size_t i = 0; i < reader->from.count && !code; i++) {
        const uint32_t place = reader->from.order[i];
        const vef_chakra_node *node = &reader->from.nodes[place];
        vef_dag_node made = {.root = -1, .line = place + 1};
        reader->placed[place].posted = none;
        if (node->type != VEF_CHAKRA_RECV || node->on_cpu || node->comm_src == VEF_CHAKRA_NONE)
            continue;
        const uint32_t number = reader->placed[place].posted = reader->receives++;
        code = message_of(reader, node, task, &made, error);
        if (code)
            break;
        vef_dag_add_node(&reader->rank, &made);
        if (number > 0)
            vef_dag_add_edge(&reader->rank, (vef_dag_edge){number, number - 1, true});
    }
    return code;
}

/* A reduction of elements whose size is not known: of 4 bytes if that is possible. */
static uint64_t elements_of(uint64_t bytes) {
    return bytes % 4 == 0 ? bytes / 4 : bytes;
}

static vef_code collective_of(chakra_reading *reader, const vef_chakra_node *node, uint32_t task,
                              vef_dag_node *made, vef_error *error) {
    const vef_chakra_collective *row = &vef_chakra_collectives[node->comm_type];
    made->kind = VEF_DAG_COLLECTIVE;
    made->call = row->call;
    made->root = row->rooted ? 0 : -1;
    reader->counts[ROOTS] += row->rooted;
    if (!reader->counted) {
        const vef_chakra_call call = {.kind = (uint8_t)node->comm_type,
                                      .bytes =
                                          node->comm_size == VEF_CHAKRA_NONE ? 0 : node->comm_size,
                                      .rank = task,
                                      .node_id = node->id};
        return vef_chakra_group_call(&reader->groups, node->group, task, &call, error);
    }
    const vef_chakra_group *group = &reader->groups.list[node->group];
    const uint64_t bytes = group->calls[reader->calls[node->group]++].bytes;
    const uint64_t size = group->rank_count;
    made->comm = group->communicator;
    made->size = row->whole ? bytes / size + (bytes % size > 0) : bytes;
    reader->counts[UNEVEN] += row->whole && bytes % size > 0;
    made->elements = row->reduces ? elements_of(made->size) : 0;
    return VEF_OK;
}

/* Whether the node communicates; otherwise it takes its duration. */
static bool communicates(chakra_reading *reader, const vef_chakra_node *node) {
    const bool collective = node->type == VEF_CHAKRA_COLL, send = node->type == VEF_CHAKRA_SEND;
    const bool known = collective ? node->comm_type < VEF_CHAKRA_COLLECTIVES
                                  : (send ? node->comm_dst : node->comm_src) != VEF_CHAKRA_NONE;
    if (!collective && !send && node->type != VEF_CHAKRA_RECV)
        return false;
    if (node->on_cpu)
        reader->counts[ON_CPU]++;
    else if (!known)
        reader->counts[collective ? NO_TYPE : NO_PEER]++;
    return known && !node->on_cpu;
}

static vef_code check_size(const chakra_reading *reader, const vef_chakra_node *node,
                           vef_error *error) {
    const uint64_t most = UINT64_C(1) << 53;
    if ((node->comm_size == VEF_CHAKRA_NONE || node->comm_size <= most) &&
        (node->tensor_size == VEF_CHAKRA_NONE || node->tensor_size <= most))
        return VEF_OK;
    return vef_fail(error, VEF_CORRUPT, "%s: node %" PRIu64 ": its size is out of range",
                    reader->from.path, node->id);
}

static vef_code add_node(chakra_reading *reader, uint32_t place, uint32_t task, vef_error *error) {
    const vef_chakra_node *node = &reader->from.nodes[place];
    vef_dag_node made = {
        .kind = VEF_DAG_CALC, .size = 1000 * node->micros, .root = -1, .line = place + 1};
    vef_code code = VEF_OK;
    if (communicates(reader, node)) {
        code = check_size(reader, node, error);
        if (node->type == VEF_CHAKRA_RECV)
            made.size = 0; /* its message is posted */
        else if (!code)
            code = node->type == VEF_CHAKRA_COLL ? collective_of(reader, node, task, &made, error)
                                                 : message_of(reader, node, task, &made, error);
    } else if (node->type == VEF_CHAKRA_LOAD || node->type == VEF_CHAKRA_STORE) {
        reader->counts[MEMORY]++;
    } else if (node->type == VEF_CHAKRA_COMP && node->micros == 0 && node->has_ops) {
        reader->counts[NO_DURATION]++;
    }
    reader->placed[place].node = (uint32_t)reader->rank.node_count;
    if (!code)
        vef_dag_add_node(&reader->rank, &made);
    return code;
}

/* ---- edges ---- */

/* Marks what the dependencies of the node depend on, as far as they are few: the node follows those
 * anyway. */
static void mark_implied(chakra_reading *reader, const vef_chakra_node *node, uint32_t mark) {
    const vef_chakra_rank *from = &reader->from;
    size_t visited = 0;
    for (uint32_t i = 0; i < node->dep_count && visited < LONGEST_LISTS; i++) {
        const uint64_t dep = from->deps[node->first_dep + i];
        if (dep == VEF_CHAKRA_NONE)
            continue;
        const vef_chakra_node *other = &from->nodes[dep];
        for (uint32_t j = 0; j < other->dep_count && visited < LONGEST_LISTS; j++, visited++)
            if (from->deps[other->first_dep + j] != VEF_CHAKRA_NONE)
                reader->placed[from->deps[other->first_dep + j]].seen = mark;
    }
}

static void add_edges(chakra_reading *reader, uint32_t place) {
    const vef_chakra_node *node = &reader->from.nodes[place];
    const struct placed *made = &reader->placed[place];
    const uint32_t mark = place + 1;
    const size_t edges = reader->rank.edge_count;
    mark_implied(reader, node, mark);
    if (made->posted != none)
        vef_dag_add_edge(&reader->rank, (vef_dag_edge){made->node, made->posted, false});
    for (uint32_t i = 0; i < node->dep_count; i++) {
        const uint64_t dep = reader->from.deps[node->first_dep + i];
        if (dep == VEF_CHAKRA_NONE || reader->placed[dep].seen == mark)
            continue;
        reader->placed[dep].seen = mark; /* a dependency may be listed twice */
        vef_dag_add_edge(&reader->rank,
                         (vef_dag_edge){made->node, reader->placed[dep].node, false});
    }
    if (reader->rank.edge_count == edges && reader->receives > 0)
        vef_dag_add_edge(&reader->rank, (vef_dag_edge){made->node, reader->receives - 1, true});
}

/* ---- ranks ---- */

static void prepare_rank(chakra_reading *reader, uint32_t task) {
    const size_t nodes = reader->from.count + 1, groups = reader->groups.count;
    reader->rank.rank = task;
    reader->rank.ranks = reader->ranks;
    reader->rank.node_count = reader->rank.edge_count = 0;
    vef_grow(&reader->placed, &reader->placed_capacity, nodes, sizeof *reader->placed);
    vef_grow(&reader->calls, &reader->call_capacity, groups, sizeof *reader->calls);
    memset(reader->placed, 0, nodes * sizeof *reader->placed);
    memset(reader->calls, 0, groups * sizeof *reader->calls);
}

static vef_code read_rank(chakra_reading *reader, uint32_t task, vef_error *error) {
    char *path = vef_printed("%s.%" PRIu32 ".et", reader->prefix, task);
    vef_code code = vef_chakra_rank_read(path, &reader->groups, &reader->from, error);
    if (code == VEF_OK)
        prepare_rank(reader, task);
    code = code ? code : post_receives(reader, task, error);
    for (size_t i = 0; i < reader->from.count && !code; i++)
        code = add_node(reader, reader->from.order[i], task, error);
    for (size_t i = 0; i < reader->from.count && !code; i++)
        add_edges(reader, reader->from.order[i]);
    reader->counts[UNKNOWN_DEPS] += reader->from.unknown_deps;
    free(path);
    return code;
}

/* The process groups that have collectives become communicators. */
static vef_code make_communicators(chakra_reading *reader, vef_error *error) {
    vef_code code = vef_chakra_groups_settle(&reader->groups, reader->ranks, error);
    if (code)
        return code;
    reader->communicators = vef_calloc(reader->groups.count, sizeof *reader->communicators);
    for (size_t i = 1; i < reader->groups.count; i++) {
        const vef_chakra_group *group = &reader->groups.list[i];
        if (group->communicator > 0)
            reader->communicators[reader->source.communicator_count++] =
                (vef_communicator){.made_by = VEF_CALL_Comm_create,
                                   .size = (uint32_t)group->rank_count,
                                   .members = group->members};
    }
    reader->source.communicators = reader->communicators;
    return VEF_OK;
}

static vef_code ranks(void *from, vef_dag_visit *visit, void *visitor, vef_error *error) {
    chakra_reading *reader = from;
    vef_code code = VEF_OK;
    memset(reader->counts, 0, sizeof reader->counts);
    for (uint32_t task = 0; task < reader->ranks && !code; task++) {
        code = read_rank(reader, task, error);
        code = code ? code : visit(visitor, &reader->rank, error);
    }
    if (!code && !reader->counted)
        code = make_communicators(reader, error);
    reader->counted = true;
    return code;
}

/* ---- files ---- */

/* PREFIX of `path`, which may be that or one of the files; `*given`: the number of the file. */
static char *prefix_of(const char *path, uint64_t *given) {
    const size_t length = strlen(path);
    char *prefix = vef_strdup(path);
    *given = 0;
    if (length < 5 || strcmp(path + length - 3, ".et") != 0)
        return prefix;
    size_t digits = length - 3;
    while (digits > 0 && isdigit((unsigned char)path[digits - 1]))
        digits--;
    if (digits == length - 3 || digits == 0 || path[digits - 1] != '.')
        return prefix;
    *given = strtoull(path + digits, NULL, 10);
    prefix[digits - 1] = '\0';
    return prefix;
}

static vef_code find_files(chakra_reading *reader, const char *path, vef_error *error) {
    uint64_t given;
    bool more = true;
    reader->prefix = prefix_of(path, &given);
    while (more && reader->ranks < INT32_MAX) {
        char *name = vef_printed("%s.%" PRIu32 ".et", reader->prefix, reader->ranks);
        more = access(name, R_OK) == 0;
        reader->ranks += more;
        free(name);
    }
    if (given < reader->ranks)
        return VEF_OK;
    vef_wire_stream given_file = {0};
    vef_code code = VEF_OK;
    if (access(path, R_OK) == 0) /* JSON is named otherwise */
        code = vef_wire_open(path, &given_file, error);
    vef_wire_close(&given_file);
    return code ? code
                : vef_fail(error, VEF_INVALID,
                           "%s.%" PRIu32 ".et is missing: expected a file for each rank, from 0 on",
                           reader->prefix, reader->ranks);
}

static void note_all(const chakra_reading *reader, const vef_dag_summary *found,
                     vef_format_report *report) {
    uint64_t guessed = 0;
    for (size_t i = 1; i < reader->groups.count; i++)
        guessed += reader->groups.list[i].communicator > 0 && !reader->groups.list[i].declared;
    const uint64_t *counts = reader->counts;
    const vef_note_count notes[] = {
        {counts[UNKNOWN_DEPS], "dependencies on nodes that are not in the file are left out"},
        {counts[MEMORY], "nodes of remote memory take their duration"},
        {counts[NO_DURATION], "computations have num_ops, but no duration: they take no time"},
        {counts[ON_CPU],
         "nodes of communication with is_cpu_op take their duration: they call what other nodes "
         "do"},
        {counts[NO_TYPE], "collectives without a comm_type from 0 to 9 take their duration"},
        {counts[NO_PEER], "sends and receives without comm_dst or comm_src take their duration"},
        {counts[ROOTS],
         "calls of collectives with a root take the first rank of the group as root"},
        {counts[UNEVEN], "calls of collectives divide their bytes unevenly: parts are rounded up"},
        {guessed,
         "process groups are not declared: their ranks are those that call collectives on them"},
    };
    vef_note_counts(&report->notes, notes, sizeof notes / sizeof *notes);
    vef_dag_note(found, &report->notes);
    if (found->most_threads > 1)
        vef_note(&report->notes, "independent nodes are threads, up to %" PRIu32 " in a rank",
                 found->most_threads);
}

static void release(chakra_reading *reader) {
    vef_chakra_groups_free(&reader->groups);
    vef_chakra_rank_free(&reader->from);
    free(reader->rank.nodes);
    free(reader->rank.edges);
    free(reader->placed);
    free(reader->calls);
    free(reader->communicators);
    free(reader->prefix);
}

vef_code vef_chakra_read(const char *path, const char *trace_path, vef_format_report *report,
                         vef_error *error) {
    *report = (vef_format_report){0};
    chakra_reading reader = {0};
    vef_dag_summary found = {0};
    vef_chakra_groups_init(&reader.groups);
    vef_code code = find_files(&reader, path, error);
    reader.source =
        (vef_dag_source){.context = &reader, .application = reader.prefix, .ranks = ranks};
    code = code ? code : vef_dag_write(&reader.source, trace_path, &found, error);
    if (!code)
        note_all(&reader, &found, report);
    release(&reader);
    return code;
}
