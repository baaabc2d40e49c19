/* The run of a task: a name shared by all tasks of one MPI_COMM_WORLD and by no other run. */
#ifndef VEF_CAPTURE_JOB_H
#define VEF_CAPTURE_JOB_H

#include <stddef.h>

enum { VEF_JOB_BYTES = 128 };

/* Writes the name: letters, digits, '.', '_' and '-' only. Determined without communication, since
 * some tasks may not be captured: VEF_CAPTURE_JOB if set, followed by what distinguishes the worlds
 * under that name (several mpiexec, MPI_Comm_spawn). */
void vef_job_name(char name[VEF_JOB_BYTES]);

#endif
