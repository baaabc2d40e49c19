/* Changing and comparing events, generated from traces/fields.def: each field has a role, and a
 * user gives one hook per role. Slices, merges, extrapolations and several programs as one are made
 * of such hooks.
 *
 * vef_rewrite copies an event and calls the hooks for its fields:
 *
 *   keeps       once per operation, before anything else: false drops the event
 *   task, comm, request, ordinal, bytes, elements, rank, per_rank, site
 *               once per field of that role, in the order of fields.def
 *   operation   once per operation, after its fields
 *
 * A hook sees the original event and operation, and changes the copy of a value. Where it returns
 * false, the entry of the list leaves (a completion, a peer of a synchronisation), or else the
 * event. A hook that fails notes the error in its context and returns false. */
#ifndef VEF_TRACES_REWRITE_REWRITE_H
#define VEF_TRACES_REWRITE_REWRITE_H

#include "traces/fields.h"

/* Room for the lists of one event; zero-initialised is empty. */
typedef struct vef_event_room {
    vef_operation *operations;
    vef_completion *completions;
    uint64_t *send_bytes, *receive_bytes;
    int32_t *peers;
    size_t operations_capacity, completions_capacity;
    size_t send_bytes_capacity, receive_bytes_capacity, peers_capacity;
} vef_event_room;

void vef_event_room_free(vef_event_room *room);

/* What an event does with a request that it names. */
typedef enum vef_use {
    VEF_USE_STARTS,
    VEF_USE_COMPLETES, /* in a call that INSPECTS: reports */
    VEF_USE_NAMES,     /* Cancel, Pready, … */
} vef_use;

/* Where a value is: both are the originals. */
typedef struct vef_field_place {
    const vef_event *event;
    const vef_operation *operation; /* NULL: the value is the event's own */
} vef_field_place;

/* Hooks that are NULL leave their role as it is. Values that name nothing are not offered: negative
 * tasks and ranks, VEF_NO_REQUEST, VEF_NO_ORDINAL, site 0. */
typedef struct vef_rewriter {
    void *context;
    bool (*keeps)(void *context, const vef_field_place *place);
    bool (*task)(void *context, const vef_field_place *place, int32_t *task);
    bool (*comm)(void *context, const vef_field_place *place, uint32_t *comm);
    bool (*request)(void *context, const vef_field_place *place, vef_use use, uint64_t *request);
    bool (*ordinal)(void *context, const vef_field_place *place, uint64_t *ordinal);
    bool (*bytes)(void *context, const vef_field_place *place, uint64_t *bytes);
    bool (*elements)(void *context, const vef_field_place *place, uint64_t *elements);
    bool (*rank)(void *context, const vef_field_place *place, int32_t *rank);
    bool (*site)(void *context, const vef_field_place *place, uint32_t *site);
    /* An entry, `rank` of `ranks`, of one of the lists of a collective. */
    bool (*per_rank)(void *context, const vef_field_place *place, uint32_t ranks, uint32_t rank,
                     uint64_t *bytes);
    bool (*operation)(void *context, const vef_field_place *place, vef_operation *operation);
    vef_event_room *room; /* for the lists of the latest result */
} vef_rewriter;

/* False: a hook dropped the event. `to` is valid until the next call, as far as lists were changed;
 * the others are those of `from`. */
bool vef_rewrite(const vef_rewriter *rewriter, const vef_event *from, vef_event *to);

/* How to compare events; hooks that are NULL compare the values. */
typedef struct vef_event_comparison {
    void *context;
    bool (*task)(void *context, int32_t a, int32_t b);
    bool (*comm)(void *context, uint32_t a, uint32_t b);
    unsigned ignored; /* bit r: vef_role r is not compared */
} vef_event_comparison;

/* The role of the first field in which two events differ, or VEF_ROLES. `*operation`: the number of
 * its operation; UINT32_MAX: it is of the event itself. Times, ticks and sites are never
 * compared. */
vef_role vef_event_compare(const vef_event *a, const vef_event *b, const vef_event_comparison *how,
                           uint32_t *operation);

/* A hash of all that vef_event_compare compares. */
uint64_t vef_event_hash(const vef_event *event);

#endif
