/* Comparing events by the roles of their fields. See rewrite.h. */
#include "common/containers/hash.h"
#include "common/rng.h"
#include "traces/rewrite/rewrite.h"

#include <string.h>

static bool same_task(const vef_event_comparison *how, int32_t a, int32_t b) {
    return how->task ? how->task(how->context, a, b) : a == b;
}

static bool same_comm(const vef_event_comparison *how, uint32_t a, uint32_t b) {
    return how->comm ? how->comm(how->context, a, b) : a == b;
}

static bool same_name(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_completions(const vef_event *a, const vef_event *b) {
    bool same = a->completion_count == b->completion_count;
    for (uint32_t i = 0; same && i < a->completion_count; i++)
        same = a->completions[i].request == b->completions[i].request &&
               a->completions[i].cancelled == b->completions[i].cancelled;
    return same;
}

static bool same_peers(const vef_event *a, const vef_event *b, const vef_event_comparison *how) {
    bool same = a->peer_count == b->peer_count;
    for (uint32_t i = 0; same && i < a->peer_count; i++)
        same = same_task(how, a->peers[i], b->peers[i]);
    return same;
}

/* The roles of fields.def: whether a and b, events or operations, have the same. */
#define SAME_PLAIN(member, count) (a->member == b->member)
#define SAME_NAMED SAME_PLAIN
#define SAME_ORDINAL SAME_PLAIN
#define SAME_RANK SAME_PLAIN
#define SAME_BYTES SAME_PLAIN
#define SAME_ELEMENTS SAME_PLAIN
#define SAME_REQUEST(member, count) (!starts || a->member == b->member)
#define SAME_TIME(...) true
#define SAME_TICK(...) true
#define SAME_SITE(...) true
#define SAME_NAME(member, count) same_name(a->member, b->member)
#define SAME_TASK(member, count) same_task(how, a->member, b->member)
#define SAME_COMM(member, count) same_comm(how, a->member, b->member)
#define SAME_TASKS(member, count) same_peers(a, b, how)
#define SAME_COMPLETIONS(member, count) same_completions(a, b)
#define SAME_PER_RANK(member, count)                                                               \
    (a->count == b->count &&                                                                       \
     (a->count == 0 || memcmp(a->member, b->member, a->count * sizeof *a->member) == 0))
#define SAME_OPERATIONS(member, count)                                                             \
    (a->count == b->count) /* after the operations themselves                                      \
                            */

static vef_role compare_operations(const vef_operation *a, const vef_operation *b,
                                   const vef_event_comparison *how) {
    const bool starts = true;
#define OPERATION(member, role, ...)                                                               \
    if (!(how->ignored >> VEF_ROLE_##role & 1) && !SAME_##role(member, ))                          \
        return VEF_ROLE_##role;
#include "traces/fields.def"
    return VEF_ROLES;
}

vef_role vef_event_compare(const vef_event *a, const vef_event *b, const vef_event_comparison *how,
                           uint32_t *operation) {
    const vef_kind kind = vef_call_kind(a->call);
    const bool starts = vef_event_starts_request(a);
    if (a->call != b->call)
        return VEF_ROLE_CALL;
    for (*operation = 0; *operation < a->operation_count && *operation < b->operation_count;
         ++*operation) {
        const vef_role role =
            compare_operations(&a->operations[*operation], &b->operations[*operation], how);
        if (role != VEF_ROLES)
            return role;
    }
    *operation = UINT32_MAX;
#define LIST(kinds, member, count, role, ...)                                                      \
    if (((kinds) >> kind & 1) && !(how->ignored >> VEF_ROLE_##role & 1) &&                         \
        !SAME_##role(member, count))                                                               \
        return VEF_ROLE_##role;
#define FIELD(kinds, member, role, ...) LIST(kinds, member, , role)
#include "traces/fields.def"
    return VEF_ROLES;
}

/* ---- hashes ---- */

#define ADD(value) hash = vef_rng_mix(hash + (uint64_t)(value))
#define ADD_PLAIN(member, count) ADD(from->member);
#define ADD_NAMED ADD_PLAIN
#define ADD_TASK ADD_PLAIN
#define ADD_COMM ADD_PLAIN
#define ADD_ORDINAL ADD_PLAIN
#define ADD_RANK ADD_PLAIN
#define ADD_BYTES ADD_PLAIN
#define ADD_ELEMENTS ADD_PLAIN
#define ADD_REQUEST(member, count) ADD(starts ? from->member : 0);
#define ADD_TIME(...)
#define ADD_TICK(...)
#define ADD_SITE(...)
#define ADD_NAME(member, count) ADD(hash_name(from->member));
#define ADD_PER_RANK(member, count)                                                                \
    ADD(from->count);                                                                              \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        ADD(from->member[i]);
#define ADD_TASKS ADD_PER_RANK
#define ADD_COMPLETIONS(member, count)                                                             \
    ADD(from->count);                                                                              \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        ADD(from->member[i].request << 1 | from->member[i].cancelled);
#define ADD_OPERATIONS(member, count)                                                              \
    ADD(from->count);                                                                              \
    for (uint32_t i = 0; i < from->count; i++)                                                     \
        hash = hash_operation(hash, &from->member[i]);

static uint64_t hash_name(const char *name) {
    vef_hash hash = vef_hash_begin();
    if (name)
        vef_hash_add(&hash, name, strlen(name) + 1);
    return hash.low;
}

static uint64_t hash_operation(uint64_t hash, const vef_operation *from) {
    const bool starts = true;
#define OPERATION(member, role, ...) ADD_##role(member, )
#include "traces/fields.def"
    return hash;
}

uint64_t vef_event_hash(const vef_event *from) {
    const vef_kind kind = vef_call_kind(from->call);
    const bool starts = vef_event_starts_request(from);
    uint64_t hash = from->call;
#define LIST(kinds, member, count, role, ...)                                                      \
    if ((kinds) >> kind & 1) {                                                                     \
        ADD_##role(member, count)                                                                  \
    }
#define FIELD(kinds, member, role, ...) LIST(kinds, member, , role)
#include "traces/fields.def"
    return hash;
}
