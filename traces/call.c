/* The table of the MPI calls, from calls.def. See call.h. */
#include "traces/call.h"
#include "common/unknown.h"

#include <string.h>

/* The facts of a row, at most four. */
#define VEF_FACT_ VEF_FACT_NONE
#define BIT(fact) UINT64_C(1) << VEF_FACT_##fact
#define FOUR(a, b, c, d, ...) (BIT(a) | BIT(b) | BIT(c) | BIT(d))
#define FACTS(...) FOUR(__VA_ARGS__, , , , )

/* The arguments after the kind in a row: its own facts. */
#define OWN_LOCAL(...) FACTS(__VA_ARGS__)
#define OWN_TRANSFER(...) FACTS(__VA_ARGS__)
#define OWN_COMPLETE(...) FACTS(__VA_ARGS__)
#define OWN_PROBE(...) FACTS(__VA_ARGS__)
#define OWN_COLLECTIVE(base, ...) FACTS(__VA_ARGS__)
#define OWN_COMM(...) FACTS(__VA_ARGS__)
#define OWN_ONE_SIDED(...) FACTS(__VA_ARGS__)
#define OWN_SYNC(sync, ...) FACTS(__VA_ARGS__)
#define OWN_REGION(...) 0
#define OWN_AS(...) 0
#define OWN_COUNTED(...) 0

/* As constants, so that a row can include those of its base. */
enum {
#define CALL(number, name, kind, ...) FACTS_##name = OWN_##kind(__VA_ARGS__),
#include "traces/calls.def"
#undef CALL
};

/* Its other facts: those of its base, and the other fields. */
#define ELSE_LOCAL(...) 0
#define ELSE_TRANSFER(...) 0
#define ELSE_COMPLETE(...) 0
#define ELSE_PROBE(...) 0
#define ELSE_COLLECTIVE(name, ...) FACTS_##name, .base = VEF_CALL_##name
#define ELSE_COMM(...) 0
#define ELSE_ONE_SIDED(...) 0
#define ELSE_SYNC(does, ...) 0, .sync = VEF_SYNC_##does
#define ELSE_REGION(...) 0
#define ELSE_AS(name) FACTS_##name, .base = VEF_CALL_##name
#define ELSE_COUNTED(how, ...) 0, .way = VEF_COUNTED_##how

const vef_call_row vef_call_rows[VEF_CALL_COUNT] = {
#define CALL(number, call, sort, ...)                                                              \
    [number] = {                                                                                   \
        .name = #call, .kind = VEF_KIND_##sort, .facts = FACTS_##call | ELSE_##sort(__VA_ARGS__)},
#include "traces/calls.def"
#undef CALL
};

static bool is_counted(uint16_t call) {
    return vef_call_name(call) && vef_call_kind(call) == VEF_KIND_COUNTED;
}

bool vef_call_may_block(uint16_t call) {
    return !is_counted(call) || vef_call_row_of(call)->way != VEF_COUNTED_LOCAL;
}

bool vef_call_is_bookkeeping(uint16_t call) {
    return is_counted(call) && vef_call_row_of(call)->way != VEF_COUNTED_CONNECTS;
}

uint16_t vef_call_started(uint16_t blocking) {
    for (uint16_t call = 0; call < VEF_CALL_COUNT; call++)
        if (vef_call_kind(call) == VEF_KIND_COLLECTIVE && vef_call_base(call) == blocking &&
            vef_call_has(call, VEF_FACT_STARTS))
            return call;
    return blocking;
}

int vef_call_find(const char *name) {
    for (int call = 0; call < VEF_CALL_COUNT; call++)
        if (vef_call_rows[call].name && strcmp(vef_call_rows[call].name, name) == 0)
            return call;
    return -1;
}

vef_code vef_fail_unknown_call(vef_error *error, const char *name) {
    enum { MOST_CALLS = 800 };
    vef_known known[MOST_CALLS];
    size_t count = 0;
    for (size_t call = 0; call < vef_call_count() && count < MOST_CALLS; call++)
        if (vef_call_name((uint16_t)call))
            known[count++] = (vef_known){vef_call_name((uint16_t)call), NULL};
    const char *near[VEF_MOST_HINTS];
    char hint[VEF_HINT_BYTES];
    const char *bare = strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
    vef_write_hint(hint, sizeof hint, near, vef_nearest_known(bare, known, count, near));
    return vef_fail(error, VEF_INVALID, "unknown MPI call '%.80s': %s%s%s", name,
                    *hint ? "did you mean " : "", hint,
                    *hint ? "?" : "expected one that `vef list calls` lists");
}
