/* The functions beside MPI's that capture replaces, in the files that define the replacements. */
#ifndef VEF_CAPTURE_HOOKS_H
#define VEF_CAPTURE_HOOKS_H

#include "capture/preload/preload.h"

/* A row: static functions and pointers of the function's own type. */
#define VEF_HOOK(name, replacement, original)                                                      \
    { name, (void (*)(void))(replacement), (void (**)(void))(void *)(original) }
#define VEF_HOOK_TABLE(hooks)                                                                      \
    { hooks, sizeof(hooks) / sizeof *(hooks) }

extern const vef_hook_table vef_thread_hooks; /* wrappers/threads.c */
extern const vef_hook_table vef_region_hooks; /* fork_join.c */
/* What the MPI library waits by: all that there may be, since either may have the standard ABI. */
extern const vef_hook_table vef_mpich_hooks;   /* libraries/mpich.c */
extern const vef_hook_table vef_openmpi_hooks; /* libraries/openmpi.c */

#endif
