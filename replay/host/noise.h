/* Noise of the operating system: intervals in which a task's processor does not compute.
 *
 * Hoefler, Schneider, Lumsdaine: "Characterizing the Influence of System Noise on Large-Scale
 * Applications by Simulation", SC 2010. Noise lengthens computation; noise while a task is blocked
 * costs nothing. Each thread has its own intervals, fixed by the seed. */
#ifndef VEF_REPLAY_HOST_NOISE_H
#define VEF_REPLAY_HOST_NOISE_H

#include "common/config/config.h"
#include "common/rng.h"

/* An interval of noise, in ns or ps as its user says. */
typedef struct vef_noise_interval {
    uint64_t begin, end;
} vef_noise_interval;

typedef struct vef_noise {
    int kind; /* index in the table of kinds; 0: none */
    double period_ns, duration_ns;
    bool synchronous; /* all threads have the same intervals */
    uint64_t seed;
    const char *file; /* of kind `file`, or NULL */
    /* Its intervals in ns, in order, without overlap; they repeat after `length_ns`. */
    const vef_noise_interval *intervals;
    size_t interval_count;
    uint64_t length_ns;
} vef_noise;

/* Checks `noise` as read from `host.noise` (NULL: none), and reads its file. That has one line for
 * each interval: when it begins and how long it lasts, in ns; empty lines and lines that begin with
 * '#' are skipped. Intervals are in `arena`. */
vef_code vef_noise_prepare(const vef_node *node, vef_noise *noise, vef_arena *arena,
                           vef_error *error);
extern const vef_param vef_noise_schema[];
vef_noise vef_noise_none(void);

/* The intervals of one thread, from time 0. */
typedef struct vef_noise_stream {
    vef_rng rng;
    uint64_t offset_ps;    /* periodic, file: where in the period time 0 is */
    vef_noise_interval ps; /* the first interval that ends after the last time asked for */
    uint64_t next;         /* file: its number, counted through all repetitions */
} vef_noise_stream;

vef_noise_stream vef_noise_begin(const vef_noise *noise, uint64_t thread);
/* How long `work_ps` of computation last that begin at `start_ps`, which never decreases
 * from call to call. At most 2^62. */
uint64_t vef_noise_stretch(const vef_noise *noise, vef_noise_stream *stream, uint64_t start_ps,
                           uint64_t work_ps);

#endif
