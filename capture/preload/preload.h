/* The library that `vef capture` preloads into every process of a command, libvefcapture.so, as the
 * capture libraries see it, which it loads into processes with MPI. */
#ifndef VEF_CAPTURE_PRELOAD_PRELOAD_H
#define VEF_CAPTURE_PRELOAD_PRELOAD_H

#include "capture/clock/clock.h"

#pragma GCC visibility push(default)

/* The definition of a function that the program would have without the preloaded library: of the
 * program's libraries, or else of the MPI library, which interpreters load privately. NULL: none.
 */
void *vef_preload_next(const char *name);

/* When the process started. */
vef_clock_moment vef_preload_started(void);

#pragma GCC visibility pop

#endif
