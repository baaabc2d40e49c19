/* Choosing a format of other tools, for `vef export` and `vef import`. */
#ifndef VEF_CLI_FORMATS_H
#define VEF_CLI_FORMATS_H

#include "cli/command.h"
#include "interchange/format.h"

/* Writes a line for each format that supports writing, or reading. */
void vef_formats_help(FILE *out, bool write);

/* The format of that name that supports writing, or reading; NULL, after a message on stderr with
 * all such formats, for an unknown or missing name. */
const vef_format *vef_formats_choose(const vef_command *command, const char *name, bool write);

#endif
