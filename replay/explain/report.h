/* The parts of the report of an explained replay, besides those of the replay (replay/report.h). */
#ifndef VEF_REPLAY_EXPLAIN_REPORT_H
#define VEF_REPLAY_EXPLAIN_REPORT_H

#include "common/report/report.h"
#include "replay/explain/explain.h"

/* For people: tables after those of the replay. */
vef_code vef_explain_write_text(const vef_explanation *explanation, const vef_netmodel *network,
                                FILE *out, vef_error *error);
/* All tables, separated by empty lines: tasks, critical path, calls, regions, effects, links. */
vef_code vef_explain_write_tables(const vef_explanation *explanation, const vef_netmodel *network,
                                  vef_row_writer *row, FILE *out, vef_error *error);
/* The keys "explain" and "links" of the map that is open. */
void vef_explain_write_doc(const vef_explanation *explanation, const vef_netmodel *network,
                           vef_doc *doc);

#endif
