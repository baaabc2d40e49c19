/* What `vef export` and `vef import` share: choosing one of the formats of other tools. */
#ifndef VEF_CLI_FORMATS_H
#define VEF_CLI_FORMATS_H

#include "cli/command.h"
#include "replay/formats/format.h"

/* Writes a line for each format that can be written, or read. */
void vef_formats_help(FILE *out, bool write);

/* The format of that name that can be written, or read; NULL, after a sentence on stderr with those
 * that there are, for a name that is none or not given. */
const vef_format *vef_formats_choose(const vef_command *command, const char *name, bool write);

#endif
