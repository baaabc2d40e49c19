/* From the addresses of call sites to functions and lines of the source. */
#ifndef VEF_TRACES_MERGE_RESOLVE_H
#define VEF_TRACES_MERGE_RESOLVE_H

#include "traces/format/site.h"

/* Fills in function, file, line and caller of each site whose file is on this host and has the
 * build ID of the site; texts go into the arena. Debug information is that of the file, or of a
 * file below /usr/lib/debug with its build ID; without any, the function is that of the symbol
 * table. Without libdw (elfutils) nothing is filled in. */
void vef_sites_resolve(vef_site *sites, size_t count, vef_arena *arena);

#endif
