/* Running the measuring program of `vef fit`. */
#ifndef VEF_CLI_FIT_MEASURE_H
#define VEF_CLI_FIT_MEASURE_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_measuring {
    char *const *launcher; /* the command that starts two tasks: mpiexec -n 2; `words` of them */
    int words;             /* 0: mpiexec.mpich -n 2, or mpiexec -n 2 where that is missing */
    int64_t sizes, repetitions;
    uint64_t most_bytes, seed;
    double limit_s;
    bool quiet, warm;
} vef_measuring;

/* Runs vefpingpong, which writes its measurements to `path`. The program is $VEF_PINGPONG, or
 * installed with vef (installed.h). Terminating signals are held back from now on (interrupt.h),
 * passed on to the command, and end the measurement with VEF_STOPPED. */
vef_code vef_pingpong_measure(const vef_measuring *measuring, const char *path, vef_error *error);

#endif
