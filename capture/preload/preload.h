/* The library that `vef capture` preloads into every process of a command, libvefcapture.so, as the
 * capture libraries see it, which it loads into processes that start MPI. */
#ifndef VEF_CAPTURE_PRELOAD_PRELOAD_H
#define VEF_CAPTURE_PRELOAD_PRELOAD_H

#include "capture/clock/clock.h"
#include "capture/preload/references.h"

#include <stddef.h>

#pragma GCC visibility push(default)

/* A function or variable of the MPI library, or of the libraries that it needs. A name that begins
 * with MPI_: the function that a wrapper of this call passes it on to. */
typedef struct vef_wanted {
    const char *name;
    void *place; /* of a pointer to it: NULL, if none defines it */
} vef_wanted;
void vef_preload_find(const vef_wanted *wanted, size_t count);

/* When the process started. */
vef_clock_moment vef_preload_started(void);

/* Whether MPI is between its start and its end in this process, whoever started it. */
bool vef_preload_mpi_runs(void);

/* Informs `vef capture`, and so the user, that calls of this process are missing in the trace, and
 * why: the rest of a sentence that begins with the program's name. By a file beside the logs, once
 * for all tasks of a job; the program continues. */
void vef_preload_report(const char *why);

/* What a capture library has replacements for, under this name: tables, then NULL. */
enum { VEF_CAPTURE_TABLES = 5 };
extern const vef_hook_table *const vef_capture_hooks[VEF_CAPTURE_TABLES + 1];

#pragma GCC visibility pop

#endif
