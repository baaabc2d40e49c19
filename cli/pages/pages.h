/* Help, manual pages and completion, generated from the tables that parse commands. */
#ifndef VEF_CLI_PAGES_PAGES_H
#define VEF_CLI_PAGES_PAGES_H

#include "cli/command.h"

/* Writes `vef NAME --help`. */
void vef_command_help(FILE *out, const vef_command *command);
/* The part below the options; `command` is a vef_command. */
void vef_command_notes(FILE *out, const void *command);

/* Writes what `write` writes, with lines of at most 100 columns where they have blanks to break at.
 * They go on below the description, which follows two blanks, else below their first word. */
void vef_write_wrapped(FILE *out, void (*write)(FILE *out, const void *context),
                       const void *context);

/* Writes the manual page of a command, or (NULL) of the program, in man(7) format; `release`: the
 * program's version. */
void vef_man_page(FILE *out, const vef_command *command, const char *release);

/* Writes a line for each word that may stand for the last of `words`, the command line after the
 * program's name, up to the cursor: the word, a tab, what it is. Words that end in '=' go on. A
 * line ":files .yaml" stands for the files with that end, and folders. `lists` writes the lines of
 * what `vef list` prints. */
void vef_offer_words(FILE *out, int count, char *const *words, void (*lists)(FILE *out));

/* The script for bash, zsh or fish; NULL: another shell. */
const char *vef_completion_script(const char *shell);

#endif
