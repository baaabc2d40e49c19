/* The rows of patterns.def and processes.def. */
#include "netmodel/traffic/kinds.h"

const vef_pattern_kind *const vef_patterns[] = {
#define PATTERN(name) &vef_pattern_##name,
#include "netmodel/traffic/patterns.def"
#undef PATTERN
    NULL,
};

const vef_process_kind *const vef_processes[] = {
#define PROCESS(name) &vef_process_##name,
#include "netmodel/traffic/processes.def"
#undef PROCESS
    NULL,
};
