/* The same load on several networks: the report and the picture of `vef compare`. */
#ifndef VEF_CLI_COMPARE_LOADS_H
#define VEF_CLI_COMPARE_LOADS_H

#include "cli/compare/subjects.h"
#include "cli/load/session.h"
#include "common/pictures/picture.h"

typedef struct vef_compared_loads {
    const vef_subjects *subjects;
    vef_load_session *session[VEF_MOST_SUBJECTS]; /* of each: measured; owned by the caller */
} vef_compared_loads;

/* Of a vef_compared_loads. */
vef_report_build vef_compared_loads_build;

/* Draws latency and accepted load against offered load, a curve for each network. */
vef_picture *vef_compared_loads_draw(const vef_compared_loads *compared);

#endif
