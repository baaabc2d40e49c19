/* `vef replay --job …`: several jobs on one network, from the choices of the command line to the
 * report. */
#ifndef VEF_CLI_JOBS_SESSION_H
#define VEF_CLI_JOBS_SESSION_H

#include "cli/replay/observed.h"

typedef struct vef_jobs_choices {
    vef_texts jobs;    /* --job */
    const char *file;  /* --jobs */
    const char *batch; /* --batch */
    const char *place; /* --place */
    bool no_alone;
    const vef_net_ranks *ranks; /* as of vef_jobs_request */
} vef_jobs_choices;

static inline bool vef_jobs_are_asked_for(const vef_jobs_choices *choices) {
    return choices->jobs.count > 0 || choices->file;
}

/* Replays the jobs and writes the report; messages on stderr. Returns the exit status. */
int vef_jobs_session_run(const vef_jobs_choices *choices, vef_observed_choices *machine);

#endif
