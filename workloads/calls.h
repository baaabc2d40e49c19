/* The calls of a task of a workload, written to a trace one after another. Kinds make them; a
 * message is received by the receive that its receiver makes for this sender in the same place: the
 * n-th receive from a task has the n-th send of that task. */
#ifndef VEF_WORKLOADS_CALLS_H
#define VEF_WORKLOADS_CALLS_H

#include "common/map64.h"
#include "common/status.h"
#include "traces/file/writer.h"

typedef struct vef_workload_calls {
    vef_writer *writer;
    uint32_t task, tasks;
    double factor;     /* of computation: imbalance and variation */
    double compute_ns; /* of an iteration, of this task, with that factor */
    double gap_ns;     /* computation since the last call */
    uint64_t tick, requests, first_pending;
    vef_map64 sent, received; /* per peer: messages so far */
} vef_workload_calls;

/* Begins the calls of a task with MPI_Init; ends them with MPI_Finalize. */
vef_code vef_workload_calls_begin(vef_workload_calls *calls, uint32_t task, vef_error *error);
vef_code vef_workload_calls_end(vef_workload_calls *calls, vef_error *error);
void vef_workload_calls_free(vef_workload_calls *calls);

/* Adds a share of an iteration's computation before the next call. */
void vef_workload_calls_compute(vef_workload_calls *calls, double share);

/* Send, Recv, Isend or Irecv of a message. */
vef_code vef_workload_calls_message(vef_workload_calls *calls, uint16_t call, uint32_t peer,
                                    uint64_t bytes, int32_t tag, vef_error *error);
/* Waitall of all requests since the last one, of 256 at a time; no call if there are none. */
vef_code vef_workload_calls_waitall(vef_workload_calls *calls, vef_error *error);

/* A collective; bytes, elements, root and communicator as in traces/FORMAT.md. One that starts a
 * request is completed by the next Waitall. */
vef_code vef_workload_calls_collective(vef_workload_calls *calls, const vef_event *event,
                                       vef_error *error);

#endif
