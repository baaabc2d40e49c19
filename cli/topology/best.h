/* `vef topology --best`: searching for the best network of a request. */
#ifndef VEF_CLI_TOPOLOGY_BEST_H
#define VEF_CLI_TOPOLOGY_BEST_H

#include "common/report/report.h"

/* Searches as `text` requests ("ibt sizes=30x30x36 L=3", netmodel/analysis/search/request.h) and
 * prints the first `top` rows of the ranking (0: all) on stdout, as text with a summary. `by` is a
 * vef_rank_by, or negative for the family's default figure. Shows progress on stderr if that is a
 * terminal. */
vef_code vef_topology_show_best(const char *text, int by, int64_t top,
                                const vef_report_format *format, vef_error *error);

#endif
