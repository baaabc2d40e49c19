/* What a plug-in adds (`vef list plugin FILE`). */
#ifndef VEF_CLI_PLUGIN_LIST_H
#define VEF_CLI_PLUGIN_LIST_H

#include "common/status.h"

#include <stdio.h>

/* Writes its parts, and the keys of each. Fails like vef_library_open. */
vef_code vef_list_plugin(const char *path, FILE *out, vef_error *error);

#endif
