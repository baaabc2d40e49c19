/* The same load on several networks: the report and the picture of `vef compare`. */
#ifndef VEF_CLI_COMPARE_LOADS_H
#define VEF_CLI_COMPARE_LOADS_H

#include "cli/load/session.h"

enum { VEF_MOST_COMPARED_NETWORKS = 32 };

typedef struct vef_compared_loads {
    const char *name[VEF_MOST_COMPARED_NETWORKS];
    vef_load_session *session[VEF_MOST_COMPARED_NETWORKS]; /* measured; owned by the caller */
    uint32_t count;
} vef_compared_loads;

/* Of a vef_compared_loads. */
extern const vef_report_parts vef_compared_loads_parts;

/* Draws latency against accepted load, and accepted against offered, a curve for each network. */
vef_code vef_compared_loads_plot(const vef_compared_loads *compared, const char *path,
                                 vef_error *error);

#endif
