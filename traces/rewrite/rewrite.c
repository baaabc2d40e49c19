/* Changing events by the roles of their fields. See rewrite.h. */
#include "traces/rewrite/rewrite.h"

#include "common/containers/grow.h"

#include <stdlib.h>

void vef_event_room_free(vef_event_room *room) {
    free(room->operations);
    free(room->completions);
    free(room->send_bytes);
    free(room->receive_bytes);
    free(room->peers);
    *room = (vef_event_room){0};
}

/* ---- one value ---- */

static inline bool change_task(const vef_rewriter *rewriter, const vef_field_place *place,
                               int32_t *task) {
    return *task < 0 || !rewriter->task || rewriter->task(rewriter->context, place, task);
}

static inline bool change_request(const vef_rewriter *rewriter, const vef_field_place *place,
                                  vef_use use, uint64_t *request) {
    if (!rewriter->request || *request == VEF_NO_REQUEST ||
        (use == VEF_USE_STARTS && !place->operation && !vef_event_starts_request(place->event)))
        return true;
    return rewriter->request(rewriter->context, place, use, request);
}

static bool change_named(const vef_rewriter *rewriter, const vef_field_place *place,
                         int64_t *argument) {
    uint64_t request = (uint64_t)*argument;
    const bool kept = !vef_call_names_request(place->event->call) ||
                      change_request(rewriter, place, VEF_USE_NAMES, &request);
    *argument = (int64_t)request;
    return kept;
}

/* The roles of fields.def, of an event or of an operation: false drops it. */
#define CHANGE_PLAIN(...) true
#define CHANGE_NAME(...) true
#define CHANGE_TIME(...) true
#define CHANGE_TICK(...) true
#define CHANGE_SITE(member, count)                                                                 \
    (!rewriter->site || to->member == 0 || rewriter->site(rewriter->context, &place, &to->member))
#define CHANGE_NAMED(member, count) change_named(rewriter, &place, &to->member)
#define CHANGE_TASK(member, count) change_task(rewriter, &place, &to->member)
#define CHANGE_REQUEST(member, count) change_request(rewriter, &place, VEF_USE_STARTS, &to->member)
#define CHANGE_COMM(member, count)                                                                 \
    (!rewriter->comm || rewriter->comm(rewriter->context, &place, &to->member))
#define CHANGE_BYTES(member, count)                                                                \
    (!rewriter->bytes || rewriter->bytes(rewriter->context, &place, &to->member))
#define CHANGE_ELEMENTS(member, count)                                                             \
    (!rewriter->elements || rewriter->elements(rewriter->context, &place, &to->member))
#define CHANGE_ORDINAL(member, count)                                                              \
    (!rewriter->ordinal || to->member == VEF_NO_ORDINAL ||                                         \
     rewriter->ordinal(rewriter->context, &place, &to->member))
#define CHANGE_RANK(member, count)                                                                 \
    (!rewriter->rank || to->member < 0 || rewriter->rank(rewriter->context, &place, &to->member))
#define CHANGE_OPERATIONS(member, count) change_operations(rewriter, from, to)
#define CHANGE_COMPLETIONS(member, count) change_completions(rewriter, &place, to)
#define CHANGE_TASKS(member, count) change_peers(rewriter, &place, to)
#define CHANGE_PER_RANK(member, count)                                                             \
    change_per_rank(rewriter, &place, &rewriter->room->member, &rewriter->room->member##_capacity, \
                    &to->member, &to->count)

/* ---- lists ---- */

static inline bool change_operation(const vef_rewriter *rewriter, const vef_event *event,
                                    const vef_operation *from, vef_operation *to) {
    const vef_field_place place = {event, from};
    *to = *from;
#define OPERATION(member, role, ...)                                                               \
    if (!CHANGE_##role(member, ))                                                                  \
        return false;
#include "traces/fields.def"
    return !rewriter->operation || rewriter->operation(rewriter->context, &place, to);
}

static bool change_operations(const vef_rewriter *rewriter, const vef_event *from, vef_event *to) {
    const uint32_t count = from->operation_count;
    bool kept = true;
    for (uint32_t i = 0; rewriter->keeps && i < count && kept; i++)
        kept = rewriter->keeps(rewriter->context, &(vef_field_place){from, &from->operations[i]});
    vef_grow(&rewriter->room->operations, &rewriter->room->operations_capacity, count,
             sizeof *rewriter->room->operations);
    for (uint32_t i = 0; i < count && kept; i++)
        kept =
            change_operation(rewriter, from, &from->operations[i], &rewriter->room->operations[i]);
    to->operations = rewriter->room->operations;
    return kept;
}

/* Of a completion a trace has the request and whether it was cancelled. */
static bool change_completions(const vef_rewriter *rewriter, const vef_field_place *place,
                               vef_event *to) {
    const uint32_t count = to->completion_count;
    if (!rewriter->request)
        return true;
    vef_grow(&rewriter->room->completions, &rewriter->room->completions_capacity, count,
             sizeof *rewriter->room->completions);
    to->completion_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t request = to->completions[i].request;
        const bool cancelled = to->completions[i].cancelled;
        if (change_request(rewriter, place, VEF_USE_COMPLETES, &request))
            rewriter->room->completions[to->completion_count++] =
                (vef_completion){request, cancelled, VEF_NO_TASK, 0, 0};
    }
    to->completions = rewriter->room->completions;
    return true;
}

static bool change_peers(const vef_rewriter *rewriter, const vef_field_place *place,
                         vef_event *to) {
    const uint32_t count = to->peer_count;
    if (!rewriter->task)
        return true;
    vef_grow(&rewriter->room->peers, &rewriter->room->peers_capacity, count,
             sizeof *rewriter->room->peers);
    to->peer_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t task = to->peers[i];
        if (change_task(rewriter, place, &task))
            rewriter->room->peers[to->peer_count++] = task;
    }
    to->peers = rewriter->room->peers;
    return true;
}

static bool change_per_rank(const vef_rewriter *rewriter, const vef_field_place *place,
                            uint64_t **room, size_t *capacity, const uint64_t **list,
                            uint32_t *count) {
    const uint32_t ranks = *count;
    if (!rewriter->per_rank || ranks == 0)
        return true;
    vef_grow(room, capacity, ranks, sizeof **room);
    *count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t bytes = (*list)[rank];
        if (rewriter->per_rank(rewriter->context, place, ranks, rank, &bytes))
            (*room)[(*count)++] = bytes;
    }
    *list = *room;
    return true;
}

/* ---- events ---- */

/* The fields of a kind, which is a constant at every call. */
static inline __attribute__((always_inline)) bool change_fields(const vef_rewriter *rewriter,
                                                                const vef_event *from,
                                                                vef_event *to,
                                                                const vef_kind kind) {
    const vef_field_place place = {from, NULL};
#define LIST(kinds, member, count, role, ...)                                                      \
    if (((kinds) >> kind & 1) && !CHANGE_##role(member, count))                                    \
        return false;
#define FIELD(kinds, member, role, ...) LIST(kinds, member, , role)
#include "traces/fields.def"
    return true;
}

bool vef_rewrite(const vef_rewriter *rewriter, const vef_event *from, vef_event *to) {
    *to = *from;
    switch (vef_call_kind(from->call)) {
#define KIND(name)                                                                                 \
    case VEF_KIND_##name:                                                                          \
        return change_fields(rewriter, from, to, VEF_KIND_##name);
        VEF_HELD_KINDS(KIND)
#undef KIND
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return true;
}
