/* Process groups of a Chakra trace, and the collectives on them: see chakra.h. */
#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "interchange/chakra/chakra.h"
#include "traces/call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const vef_chakra_collective vef_chakra_collectives[VEF_CHAKRA_COLLECTIVES] = {
    {"ALL_REDUCE", VEF_CALL_Allreduce, false, false, true},
    {"REDUCE", VEF_CALL_Reduce, false, true, true},
    {"ALL_GATHER", VEF_CALL_Allgather, false, false, false},
    {"GATHER", VEF_CALL_Gather, false, true, false},
    {"SCATTER", VEF_CALL_Scatter, true, true, false},
    {"BROADCAST", VEF_CALL_Bcast, false, true, false},
    {"ALL_TO_ALL", VEF_CALL_Alltoall, true, false, false},
    {"REDUCE_SCATTER", VEF_CALL_Reduce_scatter_block, true, false, true},
    {"REDUCE_SCATTER_BLOCK", VEF_CALL_Reduce_scatter_block, true, false, true},
    {"BARRIER", VEF_CALL_Barrier, false, false, false},
};

/* ---- names ---- */

void vef_chakra_groups_init(vef_chakra_groups *groups) {
    *groups = (vef_chakra_groups){0};
    vef_grow(&groups->list, &groups->capacity, 1, sizeof *groups->list);
    groups->list[groups->count++] = (vef_chakra_group){.name = "0"};
    vef_names_add(&groups->names, 0, "0");
}

void vef_chakra_groups_free(vef_chakra_groups *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->list[i].ranks);
        free(groups->list[i].calls);
        free(groups->list[i].members);
    }
    vef_map64_free(&groups->counts);
    free(groups->list);
    vef_names_free(&groups->names);
    *groups = (vef_chakra_groups){0};
}

vef_code vef_chakra_group_find(vef_chakra_groups *groups, vef_wire name, uint32_t *number,
                               vef_error *error) {
    const size_t length = (size_t)(name.end - name.next);
    for (size_t i = 0; i < length; i++) /* it is for messages, too */
        if (iscntrl(name.next[i]))
            return vef_fail(error, VEF_CORRUPT, "the name of a process group is not printable");
    char *text = vef_strndup((const char *)name.next, length);
    const size_t found = length == 0 ? 0 : vef_names_add(&groups->names, 0, text);
    free(text);
    if (found >= UINT32_MAX)
        vef_lost(SIZE_MAX);
    *number = (uint32_t)found;
    if (found < groups->count)
        return VEF_OK;
    *VEF_NEW_ITEM(groups->list, groups->count, groups->capacity) =
        (vef_chakra_group){.name = groups->names.list[found].text};
    return VEF_OK;
}

/* ---- declarations ---- */

/* Up to behind the key, in quotes, and its colon; false if there is none. */
static bool seek(vef_wire *text, const char *key) {
    const size_t length = strlen(key);
    for (; (size_t)(text->end - text->next) >= length; text->next++)
        if (memcmp(text->next, key, length) == 0) {
            text->next += length;
            while (text->next < text->end && strchr("\\\": \t", *text->next) && *text->next)
                text->next++;
            return true;
        }
    return false;
}

static void add_rank(vef_chakra_group *group, uint64_t rank) {
    *VEF_NEW_ITEM(group->ranks, group->rank_count, group->rank_capacity) = rank;
}

/* A list of numbers after its bracket. */
static void read_ranks(vef_wire *text, vef_chakra_group *group) {
    while (text->next < text->end && *text->next != ']') {
        uint64_t rank = 0;
        if (!isdigit(*text->next)) {
            text->next++;
            continue;
        }
        for (; text->next < text->end && isdigit(*text->next); text->next++)
            rank = rank < UINT32_MAX ? 10 * rank + (uint64_t)(*text->next - '0') : rank;
        add_rank(group, rank);
    }
}

vef_code vef_chakra_groups_declare(vef_chakra_groups *groups, vef_wire text, vef_error *error) {
    while (seek(&text, "pg_name")) {
        const uint8_t *name = text.next;
        uint32_t number = 0;
        while (text.next < text.end && !strchr("\\\",]}", *text.next))
            text.next++;
        vef_code code = vef_chakra_group_find(groups, (vef_wire){name, text.next}, &number, error);
        vef_wire object = text;
        if (code)
            return code;
        const uint8_t *close = memchr(text.next, '}', (size_t)(text.end - text.next));
        if (close)
            object.end = close;
        if (!seek(&object, "ranks") || object.next == object.end || *object.next != '[')
            continue;
        vef_chakra_group *group = &groups->list[number];
        if (number == 0 || group->declared)
            continue;
        group->declared = true;
        text.next = object.next + 1;
        read_ranks(&text, group);
    }
    return VEF_OK;
}

/* ---- calls ---- */

static uint64_t count_key(uint32_t number, uint32_t rank) {
    return (uint64_t)number << 32 | rank;
}

static uint64_t calls_of(const vef_chakra_groups *groups, uint32_t number, uint32_t rank) {
    const uint64_t *count = vef_map64_get(&groups->counts, count_key(number, rank));
    return count ? *count : 0;
}

vef_code vef_chakra_group_call(vef_chakra_groups *groups, uint32_t number, uint32_t rank,
                               const vef_chakra_call *call, vef_error *error) {
    vef_chakra_group *group = &groups->list[number];
    const uint64_t place = calls_of(groups, number, rank);
    vef_map64_set(&groups->counts, count_key(number, rank), place + 1);
    if (place == group->call_count) {
        *VEF_NEW_ITEM(group->calls, group->call_count, group->call_capacity) = *call;
    }
    vef_chakra_call *known = &group->calls[place];
    if (known->kind != call->kind)
        return vef_fail(error, VEF_CORRUPT,
                        "rank %" PRIu32 ", node %" PRIu64 ": %s is collective %" PRIu64
                        " of process group '%s', which is %s in rank %" PRIu32 ", node %" PRIu64,
                        rank, call->node_id, vef_chakra_collectives[call->kind].name, place,
                        group->name, vef_chakra_collectives[known->kind].name, known->rank,
                        known->node_id);
    known->bytes = call->bytes > known->bytes ? call->bytes : known->bytes;
    if (place == 0 && number > 0 && !group->declared)
        add_rank(group, rank);
    return VEF_OK;
}

/* All ranks, in their order. */
static void take_all(vef_chakra_group *group, uint32_t ranks) {
    group->rank_count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++)
        add_rank(group, rank);
}

static vef_code settle_one(vef_chakra_groups *groups, uint32_t number, uint32_t ranks, bool *seen,
                           vef_error *error) {
    vef_chakra_group *group = &groups->list[number];
    if (number == 0 || group->rank_count == 0)
        take_all(group, ranks);
    group->members = vef_malloc((group->rank_count + 1) * sizeof *group->members);
    memset(seen, 0, ranks * sizeof *seen);
    for (size_t i = 0; i < group->rank_count; i++) {
        const uint64_t rank = group->ranks[i];
        if (rank >= ranks || seen[rank])
            return vef_fail(
                error, VEF_CORRUPT,
                "process group '%s': rank %" PRIu64 " is %s: there are files of %" PRIu32 " ranks",
                group->name, rank, rank < ranks ? "in it twice" : "out of range", ranks);
        seen[rank] = true;
        group->members[i] = (uint32_t)rank;
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint64_t calls = calls_of(groups, number, rank);
        if (calls != (seen[rank] ? group->call_count : 0))
            return vef_fail(error, VEF_CORRUPT,
                            "process group '%s': rank %" PRIu32 "%s calls %" PRIu64
                            " collectives, other ranks %zu",
                            group->name, rank, seen[rank] ? "" : ", which is not in it,", calls,
                            group->call_count);
    }
    return VEF_OK;
}

vef_code vef_chakra_groups_settle(vef_chakra_groups *groups, uint32_t ranks, vef_error *error) {
    bool *seen = vef_malloc(ranks * sizeof *seen);
    uint32_t communicators = 1;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < groups->count && !code; i++) {
        if (groups->list[i].call_count == 0)
            continue;
        code = settle_one(groups, i, ranks, seen, error);
        groups->list[i].communicator = i == 0 ? 0 : communicators++;
    }
    free(seen);
    return code;
}
