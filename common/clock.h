/* The time that a command takes. */
#ifndef VEF_COMMON_CLOCK_H
#define VEF_COMMON_CLOCK_H

/* Seconds since some moment, as CLOCK_MONOTONIC counts them. */
double vef_now_s(void);

#endif
