/* Measurements of vefpingpong (capture/measure/pingpong.c): its file, and the distribution of times
 * per kind and size.
 *
 * The file is text. Lines `# KEY TASK VALUE` state facts; the first line is `# vefpingpong 1`. The
 * head `kind,bytes,ns,delay_ns` precedes the samples, one a line. Empty lines are skipped. */
#ifndef VEF_REPLAY_FIT_MEASUREMENTS_H
#define VEF_REPLAY_FIT_MEASUREMENTS_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

/* What a sample is the time of; defined at the top of the measuring program. */
typedef enum vef_sample_kind {
    VEF_SAMPLE_ROUNDTRIP,
    VEF_SAMPLE_EXCHANGE,
    VEF_SAMPLE_COPY,
    VEF_SAMPLE_SEND,
    VEF_SAMPLE_ISEND,
    VEF_SAMPLE_RECEIVE,
    VEF_SAMPLE_BLOCKED,
    VEF_SAMPLE_CLOCK,
    VEF_SAMPLE_PUT,
    VEF_SAMPLE_GET,
    VEF_SAMPLE_ACCUMULATE,
    VEF_SAMPLE_FLUSH,
    VEF_SAMPLE_TRAIN,
    VEF_SAMPLE_REDUCE,
    VEF_SAMPLE_KINDS,
} vef_sample_kind;

typedef struct vef_sample {
    vef_sample_kind kind;
    uint64_t bytes;
    double ns, delay_ns;
} vef_sample;

/* Facts about the two tasks; 0 and "": not stated. */
typedef struct vef_sample_facts {
    char library[128], host[2][128];
    uint64_t cores[2], wall_ns[2], cpu_ns[2], seed[2], warm[2];
} vef_sample_facts;

typedef struct vef_measurements {
    vef_sample_facts facts;
    vef_sample *samples; /* by kind, size and time once read */
    size_t count, room;
} vef_measurements;

/* The times of one kind at one size; without the time of reading the clock. */
typedef struct vef_size_times {
    uint64_t bytes;
    size_t count;
    double quartile_ns[3]; /* 25 %, 50 %, 75 % */
} vef_size_times;

/* Reads a file. VEF_INVALID names file and line. Free it even on failure. */
vef_code vef_measurements_read(const char *path, vef_measurements *measurements, vef_error *error);
void vef_measurements_add(vef_measurements *measurements, const vef_sample *sample);
/* Sorts the samples; needed after the last _add. */
void vef_measurements_sort(vef_measurements *measurements);
void vef_measurements_free(vef_measurements *measurements);

/* The sizes of one kind, ascending; `*sizes` is allocated, owned by the caller, NULL if none. */
void vef_measurements_sizes(const vef_measurements *measurements, vef_sample_kind kind,
                            vef_size_times **sizes, size_t *count);

/* The eager threshold: the size T for which the fewest sizes contradict "Send blocks above T, and
 * not up to T". Send blocks for a size if most of its samples took at least half of the receiver's
 * delay. Of equally good ones the least. UINT64_MAX: no size blocks. `*contradictions` counts those
 * sizes. VEF_FAILED without samples of kind BLOCKED. */
vef_code vef_measurements_threshold(const vef_measurements *measurements, uint64_t *eager_bytes,
                                    size_t *contradictions, vef_error *error);

#endif
