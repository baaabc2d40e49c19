/* Jobs, and synthetic traffic beside them, as they are asked for: on the command line (`--job
 * a.vef,place=group,start=2 ms`) or in a YAML file, with the same keys. */
#ifndef VEF_REPLAY_JOBS_SPEC_H
#define VEF_REPLAY_JOBS_SPEC_H

#include "common/config/config.h"
#include "replay/jobs/placement.h"

typedef struct vef_job_spec {
    const vef_node *node;           /* for messages */
    const char *name;               /* unique */
    const char *trace;              /* its path */
    const char *map, *grid, *place; /* as written; NULL: not given */
    vef_job_placement placement;    /* the meaning of `place` */
    double start_ns;
    double arrival_ns, estimate_ns; /* of a batch: when it is submitted, how long it will run */

    /* Synthetic traffic in place of a trace: */
    bool background;
    const vef_node *pattern, *process; /* NULL: the defaults */
    const char *lengths;               /* NULL: largest packets */
    double rate;                       /* phits per cycle and endpoint that sends */
    double until_ns;                   /* VEF_UNTIL_THE_END: as long as the others run */
    uint32_t endpoints;                /* 0: all of the nodes that are free */
    uint64_t seed;
} vef_job_spec;
#define VEF_UNTIL_THE_END 1e18

typedef struct vef_job_list {
    vef_job_spec *jobs;
    size_t count, room;
    uint32_t endpoints;                    /* of networks with any number of them; 0: not given */
    const struct vef_batch_policy *policy; /* they are a batch; NULL: they are not */
} vef_job_list; /* zero-initialised is empty; all but `jobs` is in the arena of its making */

/* Adds one job of the command line, or those of a file. */
vef_code vef_job_list_add(vef_job_list *list, const char *text, vef_arena *arena, vef_error *error);
vef_code vef_job_list_read(vef_job_list *list, const char *path, vef_arena *arena,
                           vef_error *error);
/* The placement of jobs so far that name none. */
vef_code vef_job_list_place(vef_job_list *list, const char *place, vef_arena *arena,
                            vef_error *error);
/* Makes the jobs a batch, by the name of a policy. */
vef_code vef_job_list_batch(vef_job_list *list, const char *policy, vef_error *error);
/* Checks what depends on whether the jobs are a batch, gives names to jobs without, and refuses
 * (VEF_INVALID) equal names, and no job at all. */
vef_code vef_job_list_end(vef_job_list *list, vef_arena *arena, vef_error *error);
void vef_job_list_release(vef_job_list *list);

/* Writes the keys of a job and of a file, for help and docs. */
void vef_job_list_describe(FILE *out, int indent);

#endif
