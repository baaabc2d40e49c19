/* The report of an explanation, a part of the replay's (replay/report.h). */
#ifndef VEF_REPLAY_EXPLAIN_REPORT_H
#define VEF_REPLAY_EXPLAIN_REPORT_H

#include "common/report/report.h"
#include "replay/explain/explain.h"

/* The name of a link: "router (5, 2), x+". */
enum { VEF_LINK_NAME_BYTES = VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 16 };
void vef_explain_name_link(const vef_topology *topology, uint32_t router, uint32_t port,
                           char text[VEF_LINK_NAME_BYTES]);

/* Adds the explanation: for people after the replay's; as tables of tasks, critical path, calls,
 * regions, effects and links; in documents the group "explain" and the list "links". */
void vef_explain_put(const vef_explanation *explanation, const vef_netmodel *network,
                     vef_result *into);

#endif
