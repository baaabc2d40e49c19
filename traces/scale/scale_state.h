/* Shared state of extrapolation. load.c reads the trace, grid.c and candidates.c deal with grids,
 * families.c with communicators, fit.c and vectors.c check the events against a grid, sizes.c has
 * the rules of sizes, find.c chooses the grid, make.c makes and writes the events of the result,
 * extrapolate.c does all of that and compares with another run. See scale.h for the rules. */
#ifndef VEF_TRACES_SCALE_SCALE_STATE_H
#define VEF_TRACES_SCALE_SCALE_STATE_H

#include "common/arena.h"
#include "common/containers/map64.h"
#include "traces/file/writer.h"
#include "traces/rewrite/rewrite.h"
#include "traces/scale/scale.h"

enum { VEF_SCALING_DIMENSIONS = 6, VEF_SCALING_REASON = 512, VEF_SCALING_CALL_TEXT = 160 };

/* ---- the trace in memory ---- */

typedef struct vef_scaling_event {
    uint32_t shape;
    uint64_t gap_ns, outside_ns;
} vef_scaling_event;

typedef struct vef_scaling_task {
    vef_scaling_event *events;
    size_t count, capacity;
} vef_scaling_task;

typedef struct vef_scaling_input {
    vef_trace *trace;
    const vef_trace_header *header;
    uint32_t tasks;
    vef_scaling_task *task;
    /* Distinct events. Their times and ticks are 0. Their requests are differences, modulo 2^64, to
     * the task's next new request before the event, and their ordinals to the number of messages so
     * far with that peer in that direction: so iterations of a loop have equal shapes. Those of
     * operations have a constant added (load.c). */
    vef_event *shapes;
    size_t shape_count, shape_capacity;
    vef_map64 shape_of; /* vef_event_hash → shape */
    bool spatial; /* some event has a peer, a list of counts, or a communicator of several tasks
                     that are not all: the grid matters */
    vef_arena arena;
} vef_scaling_input;

/* Converts between numbers of a trace and the differences that shapes have, for one task. */
typedef struct vef_scaling_numbers {
    bool to_shape;            /* else from shapes to numbers */
    bool counts;              /* the current event sends or receives its messages */
    uint64_t base_request;    /* from which the current event counts */
    uint64_t next_request;    /* one past the greatest so far */
    vef_map64 sent, received; /* messages so far, by the peer in the trace that has the shapes */
} vef_scaling_numbers;

void vef_scaling_numbers_clear(vef_scaling_numbers *numbers);
void vef_scaling_numbers_free(vef_scaling_numbers *numbers);
/* Begins an event; then the hooks of a rewriter that convert its numbers, with `context` these
 * numbers. */
void vef_scaling_numbers_begin(vef_scaling_numbers *numbers, const vef_event *event);
bool vef_scaling_convert_ordinal(void *context, const vef_field_place *place, uint64_t *ordinal);
bool vef_scaling_convert_request(void *context, const vef_field_place *place, vef_use use,
                                 uint64_t *request);

/* Reads all events. VEF_UNSUPPORTED: a trace that cannot be extrapolated on any grid. */
vef_code vef_scaling_load(vef_scaling_input *input, vef_progress *progress, vef_error *error);
void vef_scaling_input_free(vef_scaling_input *input);

/* ---- grids ---- */

typedef struct vef_scaling_grid {
    uint32_t dimensions;
    uint32_t from[VEF_SCALING_DIMENSIONS], to[VEF_SCALING_DIMENSIONS];
    bool ring[VEF_SCALING_DIMENSIONS]; /* of dimensions that grow: a ring, else a line */
} vef_scaling_grid;

/* The displacement between two tasks, per dimension: the peer's coordinate where the grid is fixed,
 * else the distance. */
typedef struct vef_scaling_step {
    int32_t by[VEF_SCALING_DIMENSIONS];
} vef_scaling_step;

static inline bool vef_scaling_grows(const vef_scaling_grid *grid, uint32_t dimension) {
    return grid->from[dimension] != grid->to[dimension];
}
/* Coordinates of a task of a grid with these extents, and back. */
void vef_scaling_place(uint32_t dimensions, const uint32_t *extents, uint32_t task,
                       uint32_t *place);
uint32_t vef_scaling_task_at(uint32_t dimensions, const uint32_t *extents, const uint32_t *place);
/* The class of a coordinate of the grid `extent` (from or to) in a dimension. */
uint32_t vef_scaling_class(const vef_scaling_grid *grid, uint32_t dimension, uint32_t place,
                           uint32_t extent);
/* The step from one task to another of a grid with these extents (from or to). False: longer than a
 * rule allows, in `*dimension`. */
bool vef_scaling_step_of(const vef_scaling_grid *grid, const uint32_t *extents,
                         const uint32_t *place, const uint32_t *peer_at, vef_scaling_step *step,
                         uint32_t *dimension);
/* The task a step away from a place; false: outside the grid. */
bool vef_scaling_step_to(const vef_scaling_grid *grid, const uint32_t *extents,
                         const uint32_t *place, const vef_scaling_step *step, uint32_t *task);
/* The place in the trace whose task represents a place of the result. */
void vef_scaling_origin(const vef_scaling_grid *grid, const uint32_t *place, uint32_t *from);
/* "4x4p" of the trace, or "8x8p" of the result; `text` has VEF_SCALING_GRID_TEXT. */
void vef_scaling_grid_text(const vef_scaling_grid *grid, bool of_result, char *text);

typedef struct vef_scaling_grids {
    vef_scaling_grid *list;
    size_t count, capacity;
} vef_scaling_grids;

/* All grids to try, in the order of preference; VEF_INVALID: there is none. */
vef_code vef_scaling_candidates(const vef_scaling_input *input, const vef_scaling_options *options,
                                vef_scaling_grids *grids, vef_error *error);

/* ---- communicators ---- */

/* Communicators that correspond to each other: one for each choice of the coordinates that its
 * members agree in. */
typedef struct vef_scaling_family {
    uint32_t spans;    /* bit d: its members differ in dimension d */
    uint32_t parent;   /* family, VEF_NO_COMM: none */
    uint32_t sample;   /* a communicator of it */
    uint32_t *comm_at; /* per anchor: the communicator, VEF_NO_COMM: none */
    uint32_t anchors, filled;
    uint32_t size, new_size;      /* members of each */
    uint32_t new_anchors, number; /* of the result: how many, and the first one's number */
} vef_scaling_family;

typedef struct vef_scaling_families {
    vef_scaling_family *list;
    uint32_t count, capacity;
    uint32_t *family_of; /* per communicator of the trace: its family, VEF_NO_COMM: it is of none */
    uint64_t new_count;
    vef_arena arena;
} vef_scaling_families;

vef_code vef_scaling_families_find(const vef_scaling_input *input, const vef_scaling_grid *grid,
                                   vef_scaling_families *families, vef_error *error);
void vef_scaling_families_free(vef_scaling_families *families);
/* Number of the communicator of a family that a place is in: of the trace (`extents` grid->from) or
 * of the result (grid->to). */
uint32_t vef_scaling_anchor(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                            const uint32_t *place);
/* The place of a rank of that communicator. */
void vef_scaling_member(const vef_scaling_grid *grid, const uint32_t *extents, uint32_t spans,
                        const uint32_t *place, uint32_t rank, uint32_t *member_at);
/* The communicators of the result, in `arena`. */
vef_communicator *vef_scaling_families_make(const vef_scaling_input *input,
                                            const vef_scaling_grid *grid,
                                            const vef_scaling_families *families, vef_arena *arena);

/* ---- fitting ---- */

/* The first event that does not fit. */
typedef struct vef_scaling_misfit {
    bool found;
    size_t event;
    uint32_t task;
    char reason[VEF_SCALING_REASON];
} vef_scaling_misfit;

typedef struct vef_scaling_fit {
    const vef_scaling_input *input;
    const vef_scaling_options *options;
    vef_scaling_grid grid;
    vef_scaling_families families;
    uint32_t *places; /* per task of the trace its coordinates */
    uint32_t classes;
    uint32_t *representative; /* per task the first one of its class */
} vef_scaling_fit;

static inline const uint32_t *vef_scaling_place_of(const vef_scaling_fit *fit, uint32_t task) {
    return fit->places + (size_t)task * fit->grid.dimensions;
}
static inline const vef_event *vef_scaling_event_of(const vef_scaling_input *input, uint32_t task,
                                                    size_t event) {
    return &input->shapes[input->task[task].events[event].shape];
}

/* Checks the grid; VEF_OK with misfit->found: it does not fit. */
vef_code vef_scaling_fit_try(const vef_scaling_input *input, const vef_scaling_options *options,
                             const vef_scaling_grid *grid, vef_scaling_fit *fit,
                             vef_scaling_misfit *misfit, vef_error *error);
void vef_scaling_fit_free(vef_scaling_fit *fit);
/* The grid to use. VEF_UNSUPPORTED: none fits, or several do that differ. */
vef_code vef_scaling_find(const vef_scaling_input *input, const vef_scaling_options *options,
                          vef_scaling_fit *fit, vef_error *error);
/* "MPI_Irecv from task 3, 512 bytes"; `text` has VEF_SCALING_CALL_TEXT. */
void vef_scaling_describe(const vef_event *event, char *text);

/* vectors.c: whether the lists of counts of a task's collective follow a rule; `reason` says why
 * not. And whether those of two tasks of one class agree. */
bool vef_scaling_vectors_fit(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                             char *reason);
bool vef_scaling_vectors_agree(const vef_scaling_fit *fit, uint32_t task, const vef_event *event,
                               uint32_t like, const vef_event *other);
/* The list that a task of the result, at `place`, has where `like` of the trace has `list`, to
 * which every rank sends, or from which it receives, a count of its own. */
void vef_scaling_vector_make(const vef_scaling_fit *fit, const uint32_t *place, uint32_t like,
                             const vef_event *event, const uint64_t *list, uint64_t *to);

/* ---- sizes ---- */

/* The size of a message a step away; of a collective's `bytes`; of an entry of its lists, which
 * goes to a rank a step away (NULL: a background, or no step matters). False: it does not divide;
 * `*to` is then unset. */
bool vef_scaling_message_bytes(const vef_scaling_fit *fit, const uint32_t *place,
                               const vef_scaling_step *step, uint64_t bytes, uint64_t *to);
bool vef_scaling_collective_bytes(const vef_scaling_fit *fit, const vef_event *event,
                                  uint64_t bytes, uint64_t *to);
bool vef_scaling_collective_known(uint16_t call);
/* Whether a collective's bytes are per pair of ranks. */
bool vef_scaling_is_pairwise(uint16_t call);
/* Whether a collective's `elements` are shared out with its bytes. */
bool vef_scaling_shares_elements(uint16_t call);

/* ---- the result ---- */

/* Makes the events of a task of the result. */
typedef struct vef_scaling_maker {
    const vef_scaling_fit *fit;
    uint32_t task; /* of the result */
    uint32_t like; /* of the trace */
    uint32_t place[VEF_SCALING_DIMENSIONS];
    vef_scaling_numbers *numbers; /* NULL: events keep the differences of shapes */
    bool keeps_comms; /* events keep the communicators of the trace, to be compared by their members
                       */
    vef_event_room room;
    uint64_t *sends, *receives;
} vef_scaling_maker;

void vef_scaling_maker_init(vef_scaling_maker *maker, const vef_scaling_fit *fit);
void vef_scaling_maker_free(vef_scaling_maker *maker);
void vef_scaling_maker_begin(vef_scaling_maker *maker, uint32_t task);
/* An event of the task; valid until the next. */
void vef_scaling_make(vef_scaling_maker *maker, size_t event, vef_event *to);

/* Whether two grids that fit give the same calls to the same peers; else `difference` says where
 * not. */
bool vef_scaling_same(const vef_scaling_fit *a, const vef_scaling_fit *b, char *difference);

vef_code vef_scaling_write(const vef_scaling_fit *fit, const char *path, vef_progress *progress,
                           vef_scaling_result *result, vef_error *error);

#endif
