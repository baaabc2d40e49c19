/* The parts of the report of an explained replay, besides those of the replay (replay/report.h). */
#ifndef VEF_REPLAY_EXPLAIN_REPORT_H
#define VEF_REPLAY_EXPLAIN_REPORT_H

#include "common/report/report.h"
#include "replay/explain/explain.h"

/* The name of a link: "router (5, 2), x+". */
enum { VEF_LINK_NAME_BYTES = VEF_ROUTER_NAME_BYTES + VEF_PORT_NAME_BYTES + 16 };
void vef_explain_name_link(const vef_topology *topology, uint32_t router, uint32_t port,
                           char text[VEF_LINK_NAME_BYTES]);

/* For people: tables after those of the replay. */
void vef_explain_write_text(const vef_explanation *explanation, const vef_netmodel *network,
                            FILE *out);
/* All tables, separated by empty lines: tasks, critical path, calls, regions, effects, links. */
void vef_explain_write_tables(const vef_explanation *explanation, const vef_netmodel *network,
                              vef_row_writer *row, FILE *out);
/* The keys "explain" and "links" of the map that is open. */
void vef_explain_write_doc(const vef_explanation *explanation, const vef_netmodel *network,
                           vef_doc *doc);

#endif
