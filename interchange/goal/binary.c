/* Reading GOAL as LogGOPSim and ATLAHS load it (their Parser.hpp, Graph::serialize_mmap). Little
 * endian, without padding; places of the file count from byte 8:
 *
 *     file    u64 4223, u32 ranks, u8 last cpu, u8 last nic; for each rank u64 begin, u64 end
 *     rank    u32 nodes, u32 roots, u32 root…, node…, u32 entry…
 *     node    u32 dependencies, u8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
 *             u32 count, u32 first: of its entries, nodes that wait for its end,
 *             u32 count, u32 first: nodes that wait for its start
 *
 * Kinds are 1 send, 2 receive, 3 calc. Peer and tag 2^32 - 1 of a receive are any. LogGOPSim 2
 * writes larger nodes, after the same beginning; its files are refused. */
#include "common/containers/grow.h"
#include "interchange/goal/goal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { COOKIE = 4223, COOKIE_BYTES = 8, HEAD_BYTES = 6, PLACE_BYTES = 16, NODE_BYTES = 39 };

typedef struct binary {
    const char *path;
    FILE *in;
    uint64_t size; /* of the file, from byte 8 on */
    uint64_t next; /* where the rank begins: each follows the one before */
    uint8_t *data;
    size_t room;
    vef_dag_rank rank;
} binary;

static uint64_t number(const uint8_t *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

bool vef_goal_is_binary(FILE *in) {
    uint8_t bytes[COOKIE_BYTES];
    const bool whole = fread(bytes, sizeof bytes, 1, in) == 1;
    rewind(in);
    return whole && number(bytes, sizeof bytes) == COOKIE;
}

static vef_code fail(const binary *from, vef_error *error, const char *what) {
    return vef_fail(error, VEF_CORRUPT, "%s: rank %" PRIu32 ": %s", from->path, from->rank.rank,
                    what);
}

/* Reads bytes of the file from a place on. */
static vef_code load(binary *from, uint64_t place, uint64_t bytes, vef_error *error) {
    if (place > from->size || bytes > from->size - place)
        return fail(from, error, "the file is too short for it");
    vef_grow(&from->data, &from->room, bytes, 1);
    if (fseeko(from->in, (off_t)(COOKIE_BYTES + place), SEEK_SET) == 0 &&
        fread(from->data, bytes, 1, from->in) == 1)
        return VEF_OK;
    return vef_fail_errno(error, "reading %s", from->path);
}

static bool add_node(vef_dag_rank *rank, const uint8_t *data) {
    const bool send = data[4] == 1, calc = data[4] == 3;
    const int64_t peer = (int64_t)number(data + 5, 4), tag = (int64_t)number(data + 17, 4);
    const vef_dag_node node = {.kind = send   ? VEF_DAG_SEND
                                       : calc ? VEF_DAG_CALC
                                              : VEF_DAG_RECEIVE,
                               .size = number(data + 9, 8),
                               .peer = !send && peer == UINT32_MAX ? VEF_DAG_ANY : peer,
                               .tag = !send && tag == UINT32_MAX ? VEF_DAG_ANY : tag,
                               .cpu = data[21],
                               .nic = data[22],
                               .line = (uint32_t)rank->node_count};
    vef_dag_add_node(rank, &node);
    return data[4] >= 1 && data[4] <= 3 && node.size <= INT64_MAX &&
           (calc || node.peer < (int64_t)rank->ranks);
}

/* The nodes among the entries that wait for node `on`: `counts` has how many, and the first. */
static bool add_edges(vef_dag_rank *rank, uint32_t on, bool start, const uint8_t *entries,
                      uint64_t length, const uint8_t *counts) {
    const uint64_t count = number(counts, 4), first = number(counts + 4, 4);
    if (count > 0 && (first >= length || count > length - first))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const vef_dag_edge edge = {(uint32_t)number(entries + 4 * (first + i), 4), on, start};
        if (edge.node >= rank->node_count)
            return false;
        vef_dag_add_edge(rank, edge);
    }
    return true;
}

static vef_code read_rank(binary *from, vef_error *error) {
    vef_dag_rank *rank = &from->rank;
    vef_code code = load(from, HEAD_BYTES + PLACE_BYTES * (uint64_t)rank->rank, PLACE_BYTES, error);
    if (code)
        return code;
    const uint64_t begin = number(from->data, 8), bytes = number(from->data + 8, 8) - begin;
    if (begin != from->next)
        return fail(from, error, "it does not follow the rank before it");
    from->next += bytes;
    code = load(from, begin, bytes < 8 ? 8 : bytes, error);
    if (code)
        return code;
    const uint64_t nodes = number(from->data, 4), roots = number(from->data + 4, 4);
    const uint64_t before = 8 + 4 * roots + NODE_BYTES * nodes;
    if (before > bytes)
        return fail(from, error, "it is too short for its nodes");
    const uint8_t *node = from->data + 8 + 4 * roots, *entries = from->data + before;
    const uint64_t length = (bytes - before) / 4;
    rank->node_count = rank->edge_count = 0;
    for (uint64_t i = 0; i < nodes; i++)
        if (!add_node(rank, node + NODE_BYTES * i))
            return fail(from, error, "expected sends, receives and calcs, of ranks in the file");
    for (uint32_t i = 0; i < nodes; i++, node += NODE_BYTES)
        if (!add_edges(rank, i, false, entries, length, node + 23) ||
            !add_edges(rank, i, true, entries, length, node + 31))
            return fail(from, error, "a dependency is out of range");
    if (bytes != before + 4 * rank->edge_count)
        return fail(from, error, "it has more than its nodes and dependencies");
    return VEF_OK;
}

vef_code vef_goal_binary_ranks(const char *path, FILE *in, vef_dag_visit *visit, void *visitor,
                               vef_error *error) {
    binary from = {.path = path, .in = in};
    struct stat file;
    if (fstat(fileno(in), &file) == 0 && file.st_size > COOKIE_BYTES)
        from.size = (uint64_t)file.st_size - COOKIE_BYTES;
    vef_code code = load(&from, 0, HEAD_BYTES, error);
    from.rank.ranks = code ? 0 : (uint32_t)number(from.data, 4);
    if (!code && from.rank.ranks == 0)
        code = fail(&from, error, "missing: expected at least one rank");
    from.next = HEAD_BYTES + PLACE_BYTES * (uint64_t)from.rank.ranks;
    for (; from.rank.rank < from.rank.ranks && !code; from.rank.rank++) {
        code = read_rank(&from, error);
        code = code ? code : visit(visitor, &from.rank, error);
    }
    free(from.rank.nodes);
    free(from.rank.edges);
    free(from.data);
    return code;
}
