/* Help and manual pages, generated from the tables that parse commands. */
#ifndef VEF_CLI_PAGES_PAGES_H
#define VEF_CLI_PAGES_PAGES_H

#include "cli/command.h"

/* Writes `vef NAME --help`. */
void vef_command_help(FILE *out, const vef_command *command);

/* Writes what `write` writes, with lines of at most 100 columns where they have blanks to break at.
 * They go on below the description, which follows two blanks, else below their first word. */
void vef_write_wrapped(FILE *out, void (*write)(FILE *out, const void *context),
                       const void *context);

/* Writes the manual page of a command, or (NULL) of the program, in man(7) format; `release`: the
 * program's version. */
void vef_man_page(FILE *out, const vef_command *command, const char *release);

#endif
