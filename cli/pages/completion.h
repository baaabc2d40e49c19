/* Completion of command lines in bash, zsh and fish. */
#ifndef VEF_CLI_PAGES_COMPLETION_H
#define VEF_CLI_PAGES_COMPLETION_H

#include <stdio.h>

/* Writes a line for each word that may stand for the last of `words`, the command line after the
 * program's name, up to the cursor: the word, a tab, what it is. Words that end in '=' go on. A
 * line ":files .yaml" stands for the files with that end, and folders. `lists` writes the lines of
 * what `vef list` prints. */
void vef_offer_words(FILE *out, int count, char *const *words, void (*lists)(FILE *out));

/* The script for bash, zsh or fish; NULL: another shell. */
const char *vef_completion_script(const char *shell);

#endif
