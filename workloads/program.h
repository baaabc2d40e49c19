/* The calls of a task, as a kind of workload states them one after another; they become events of
 * the trace. Calls take no time themselves; the computation before a call is its gap.
 *
 * A message is named by its sender, receiver and place among the messages from one to the other, so
 * receives of a task must name the messages of each sender in the order in which they are sent.
 * After a failure, which `code` keeps, all functions do nothing. */
#ifndef VEF_WORKLOADS_PROGRAM_H
#define VEF_WORKLOADS_PROGRAM_H

#include "common/containers/map64.h"
#include "common/rng.h"
#include "traces/file/writer.h"
#include "workloads/compute.h"

typedef struct vef_program {
    vef_writer *writer;
    uint32_t task;
    const vef_compute *compute; /* of the step */
    const vef_node *node;       /* of the step, for messages */
    double factor;              /* of the task, in the step */
    uint32_t iteration;         /* of the step */
    vef_code code;
    vef_error *error;
    /* Private: */
    vef_rng rng;
    double gap_ns; /* since the last call */
    uint64_t events, requests;
    double computing_ns;      /* over all tasks */
    uint64_t bytes;           /* of messages of all tasks */
    vef_map64 sent, received; /* by peer: messages so far */
    vef_completion *pending;  /* requests that no call has completed */
    size_t pending_count, pending_room;
} vef_program;

/* A collective: see vef_event. Without vectors both lists are NULL; `root` counts where there is
 * one. */
typedef struct vef_collective_call {
    uint16_t call;
    uint32_t comm;
    int32_t root;
    uint64_t bytes, elements;
    const uint64_t *send_bytes, *receive_bytes;
    uint32_t send_count, receive_count; /* their lengths */
} vef_collective_call;

/* Begins a task with its first call, Init; begins a step of it. */
void vef_program_begin_task(vef_program *program, uint32_t task);
void vef_program_begin_step(vef_program *program, const vef_compute *compute, const vef_node *node);
/* The last call, Finalize, after the computation that follows the others. */
void vef_program_end_task(vef_program *program);
/* Frees the memory. */
void vef_program_release(vef_program *program);

/* A phase of the time of the section `compute`; or of a time of the kind's own. */
void vef_program_compute(vef_program *program);
void vef_program_compute_ns(vef_program *program, double base_ns);

/* On the world. */
void vef_program_send(vef_program *program, uint32_t to, uint64_t bytes, int32_t tag);
void vef_program_receive(vef_program *program, uint32_t from, uint64_t bytes, int32_t tag);
/* These start a request, which they return. */
uint64_t vef_program_start_send(vef_program *program, uint32_t to, uint64_t bytes, int32_t tag);
uint64_t vef_program_start_receive(vef_program *program, uint32_t from, uint64_t bytes,
                                   int32_t tag);

/* A collective; a non-blocking one starts a request, which is returned. */
uint64_t vef_program_collective(vef_program *program, const vef_collective_call *call);
/* The same of one without a root, and without lists. */
uint64_t vef_program_call(vef_program *program, uint16_t call, uint32_t comm, uint64_t bytes,
                          uint64_t elements);

/* Wait for a request of these. */
void vef_program_wait(vef_program *program, uint64_t request);
/* Waitall for all requests; no call if there is none. */
void vef_program_wait_all(vef_program *program);

/* A call on the world that makes `comm`: VEF_CALL_Comm_split or VEF_CALL_Comm_create_group. */
void vef_program_make(vef_program *program, uint16_t call, uint32_t comm);

#endif
