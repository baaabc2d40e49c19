/* Placements: which free nodes a job gets. A placement is one file of placements/ and one row of
 * placements.def. */
#ifndef VEF_REPLAY_JOBS_PLACEMENT_H
#define VEF_REPLAY_JOBS_PLACEMENT_H

#include "replay/jobs/nodes.h"

struct vef_placement_kind;

/* A placement as read. */
typedef struct vef_job_placement {
    const struct vef_placement_kind *kind;
    uint64_t seed;    /* random */
    const char *path; /* file, relative to the working directory */
} vef_job_placement;

typedef struct vef_placement_kind {
    const char *name;
    const char *aliases;   /* other words for it, for hints (vef_known); may be NULL */
    const char *parameter; /* its argument in parentheses: "seed" (optional), "path" (required) */
    const char *summary;   /* one line */
    /* Chooses `wanted` different nodes, in the order in which the tasks fill them. At least so many
     * are free. */
    vef_code (*choose)(const vef_job_placement *placement, const vef_job_nodes *nodes,
                       uint32_t wanted, uint32_t *chosen, vef_error *error);
} vef_placement_kind;

extern const vef_placement_kind *const vef_placement_kinds[]; /* ended by NULL; first: default */
#define PLACEMENT(name) extern const vef_placement_kind vef_placement_##name;
#include "replay/jobs/placements.def"
#undef PLACEMENT

/* Reads "random(3)"; NULL: the default. The path is in `arena`. */
vef_code vef_job_placement_read(const char *text, vef_arena *arena, vef_job_placement *placement,
                                vef_error *error);
/* Chooses nodes, and refuses (VEF_UNSUPPORTED) more than are free. */
vef_code vef_job_placement_choose(const vef_job_placement *placement, const vef_job_nodes *nodes,
                                  uint32_t wanted, uint32_t *chosen, vef_error *error);
/* Writes a line per row, for help. */
void vef_job_placement_describe(FILE *out, int indent);

#endif
