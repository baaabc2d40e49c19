/* `vef replay --job …`: several jobs on one network, from the choices of the command line to the
 * report. */
#ifndef VEF_CLI_JOBS_SESSION_H
#define VEF_CLI_JOBS_SESSION_H

#include "cli/options.h"
#include "replay/replay.h"

typedef struct vef_jobs_choices {
    vef_texts jobs;    /* --job */
    const char *file;  /* --jobs */
    const char *batch; /* --batch */
    const char *place; /* --place */
    bool no_alone;
} vef_jobs_choices;

/* The choices of `vef replay` that jobs share with single replays. */
typedef struct vef_jobs_machine {
    const vef_report_format *format;
    const char *network, *plot;
    vef_texts *overrides;
    vef_replay_options *replay; /* filled in from the machine file */
    double time_limit_ns;       /* negative: none */
    double sample_ns;           /* negative: no samples */
    uint32_t threads;           /* at least 1 */
    bool per_link, explain;
} vef_jobs_machine;

static inline bool vef_jobs_are_asked_for(const vef_jobs_choices *choices) {
    return choices->jobs.count > 0 || choices->file;
}

/* Replays the jobs and writes the report; messages on stderr. Returns the exit status. */
int vef_jobs_session_run(const vef_jobs_choices *choices, const vef_jobs_machine *machine);

#endif
