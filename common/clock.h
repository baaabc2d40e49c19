/* The time that a command takes. */
#ifndef VEF_COMMON_CLOCK_H
#define VEF_COMMON_CLOCK_H

#include <time.h>

/* Seconds since some moment, as CLOCK_MONOTONIC counts them. */
static inline double vef_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
