/* The second pass over DUMPI's files, which states the calls of each task to import.h. */
#ifndef VEF_INTERCHANGE_DUMPI_READING_H
#define VEF_INTERCHANGE_DUMPI_READING_H

#include "common/containers/map64.h"
#include "interchange/dumpi/dumpi.h"

/* A request, by DUMPI's handle, which is used again. MPICH gives all sends that are complete at
 * once the same handle: they complete here in their order. */
typedef struct vef_dumpi_slot {
    bool active, persistent;
    vef_operation operation; /* `request` of the one under way */
    uint64_t *later;         /* further sends under way: their requests */
    size_t later_at, later_count, later_room;
} vef_dumpi_slot;

/* Numbers for the notes. */
typedef struct vef_dumpi_numbers {
    uint64_t left_out, one_sided, found, unknown_sources, backwards, ignored, cut;
} vef_dumpi_numbers;

typedef struct vef_dumpi_joint vef_dumpi_joint;

typedef struct vef_dumpi_reading {
    vef_import *import;
    const vef_dumpi_comms *comms;
    vef_dumpi_joint *joint; /* NULL: nothing of the files depends on other files */
    bool surveying;         /* the pass before: states calls to `joint` only */
    vef_dumpi_stream stream;
    int calls[VEF_DUMPI_CALLS]; /* vef_call of each, or negative */
    vef_dumpi_types types;
    vef_dumpi_vectors vectors;
    uint32_t *current; /* per handle of a communicator: the task's creation */

    uint32_t task, creations;
    uint32_t *numbers; /* per creation: that of the import; surveying: the place in `comms` */
    size_t number_room;
    vef_map64 handles; /* of requests: place in `slots` */
    vef_dumpi_slot *slots;
    size_t slot_count, slot_room;
    uint64_t requests, base_ns;
    vef_import_thread *threads;
    size_t thread_room;
    uint32_t thread_count;
    bool finalized;
    vef_completion *completions;
    size_t completion_room;
    vef_operation *operations;
    size_t operation_room;

    vef_dumpi_numbers count;
} vef_dumpi_reading;

/* ---- events.c ---- */

/* The thread of a call, with its computation before the call added. */
vef_import_thread *vef_dumpi_enter(vef_dumpi_reading *reader, const vef_dumpi_call *call);
uint64_t vef_dumpi_inside(const vef_dumpi_call *call);
/* States an event, with the times and the thread of the call; its vef_call is that of the call. */
vef_code vef_dumpi_put(vef_dumpi_reading *reader, const vef_dumpi_call *call, vef_event event,
                       vef_error *error);
/* The number of a communicator; false if it is not known: the call is left out. */
bool vef_dumpi_comm_of(vef_dumpi_reading *reader, uint16_t handle, uint32_t *number,
                       const vef_dumpi_comm **comm);

/* ---- joint.c: what files say only together ---- */

/* The message of a receive. */
typedef struct vef_dumpi_found {
    enum {
        VEF_DUMPI_NOWHERE, /* no message was left over */
        VEF_DUMPI_FOUND,
        VEF_DUMPI_STATED, /* by the arguments, or a status */
        VEF_DUMPI_CANCELLED,
    } kind;
    int32_t source, tag; /* of the message, or as asked for; negative: any */
} vef_dumpi_found;

vef_dumpi_joint *vef_dumpi_joint_open(const vef_dumpi_comms *comms, uint32_t tasks);
void vef_dumpi_joint_close(vef_dumpi_joint *joint);
/* The calls of a task follow, to be noted, or after vef_dumpi_joint_settle to be asked for. */
void vef_dumpi_joint_begin(vef_dumpi_joint *joint, uint32_t task, const char *host);
/* An event whose communicators are places in `comms`. */
void vef_dumpi_joint_note(vef_dumpi_joint *joint, const vef_event *event, uint64_t entered_ns,
                          uint64_t left_ns);
void vef_dumpi_joint_settle(vef_dumpi_joint *joint);
/* Whether the task's next Alltoallv or Alltoallw on the communicator is in place. */
bool vef_dumpi_joint_in_place(vef_dumpi_joint *joint, const vef_dumpi_comm *comm);
/* The message of the task's next receive that is not of MPI_PROC_NULL; NULL: it was not noted. */
const vef_dumpi_found *vef_dumpi_joint_receive(vef_dumpi_joint *joint);

/* ---- requests.c: point-to-point calls ---- */

vef_dumpi_slot *vef_dumpi_slot_of(vef_dumpi_reading *reader, int32_t handle);
void vef_dumpi_forget_requests(vef_dumpi_reading *reader); /* before the next task */
vef_code vef_dumpi_read_transfer(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                                 vef_error *error);
vef_code vef_dumpi_read_start(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                              vef_error *error);
vef_code vef_dumpi_read_completion(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                                   vef_error *error);
vef_code vef_dumpi_read_probe(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                              vef_error *error);

#endif
