/* Traces of Paraver, as Extrae writes them: a file `.prv` of records, a file `.pcf` with the labels
 * of their numbers, a file `.row` with the names of hosts, tasks and threads. Format: "Paraver,
 * Parallel Program Visualization and Analysis tool, Tracefile description" (BSC); what the records
 * of MPI calls mean: src/merger/paraver of Extrae 5.1.2.
 *
 * A line begins with `#Paraver` (the first one), or is a communicator `c:`, a state `1:`, events
 * `2:` or a message `3:`. Numbers of tasks, threads and processors begin with 1.
 *
 *   calls.c   the numbers of MPI calls (calls.def)
 *   lines.c   reading: lines, and the header
 *   joint.c   reading: roots and byte counts of collectives, from the records of all members
 *   read.c    reading: the file, task by task
 *   task.c    reading: the calls of a task and its messages
 *   survey.c  writing: the messages, the names of regions and marks
 *   write.c   writing: the records in the order of time, labels and names */
#ifndef VEF_INTERCHANGE_PARAVER_PARAVER_H
#define VEF_INTERCHANGE_PARAVER_PARAVER_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Types of events. */
enum {
    VEF_PARAVER_PTOP = 50000001,
    VEF_PARAVER_COLLECTIVE = 50000002,
    VEF_PARAVER_OTHER = 50000003,
    VEF_PARAVER_RMA = 50000004,
    VEF_PARAVER_IO = 50000005,
    /* With the entry of a collective: bytes sent and received, whether the task is the root, the
     * communicator. */
    VEF_PARAVER_SENT = 50100001,
    VEF_PARAVER_RECEIVED = 50100002,
    VEF_PARAVER_ROOT = 50100003,
    VEF_PARAVER_COMM = 50100004,
    /* Functions of the program, by number; 0: the end of the innermost. */
    VEF_PARAVER_FUNCTION = 60000019,
    /* Of vef itself: marks of the program (vef.h), by number. */
    VEF_PARAVER_MARK = 61000001,
};

/* Calls without a value of Extrae's: this plus vef's number (traces/calls.def), under OTHER. */
enum { VEF_PARAVER_FURTHER = 100000 };

static inline bool vef_paraver_is_mpi(uint64_t type) {
    return type >= VEF_PARAVER_PTOP && type <= VEF_PARAVER_IO;
}

/* The call (vef_call) of an event, or 0: none that vef knows. */
uint16_t vef_paraver_call(uint64_t value);

/* Type and value of the events of a call. */
void vef_paraver_value(uint16_t call, uint32_t *type, uint32_t *value);

/* A comment of vef's, before the number of a task from 1: the task ends here, though its last call
 * is not MPI_Finalize. */
#define VEF_PARAVER_END "# end "

#endif
