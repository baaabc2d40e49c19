/* Which run a task is of: a name that all tasks of one MPI_COMM_WORLD have and no other run has. */
#ifndef VEF_CAPTURE_JOB_H
#define VEF_CAPTURE_JOB_H

#include <stddef.h>

enum { VEF_JOB_BYTES = 128 };

/* Writes the name: letters, digits, '.', '_' and '-' alone. It is found without asking other tasks,
 * since not all of them need be captured: VEF_CAPTURE_JOB where it is set, and behind it what tells
 * apart the worlds that one such name sees (several mpiexec, MPI_Comm_spawn). */
void vef_job_name(char name[VEF_JOB_BYTES]);

#endif
