/* `vef topology --best`: searching for the best of the networks that a request leaves open. */
#ifndef VEF_CLI_TOPOLOGY_BEST_H
#define VEF_CLI_TOPOLOGY_BEST_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Searches for what `text` asks ("ibt sizes=30x30x36 L=3", netmodel/analysis/search/request.h) and
 * prints the ranking on stdout, its first `top` rows (0: all): as text under lines that say what
 * was tried, as CSV (the rows alone) or as JSON. `by` is "average", "diameter" or "inner", or NULL
 * for the family's usual figure. Shows progress on stderr where that is a terminal. */
vef_code vef_topology_show_best(const char *text, const char *by, int64_t top, bool json, bool csv,
                                vef_error *error);

#endif
