/* Quoting words for a shell, for commands in messages. */
#ifndef VEF_CLI_CAPTURE_SHELL_WORD_H
#define VEF_CLI_CAPTURE_SHELL_WORD_H

#include <stddef.h>

/* Writes `word` to `text`, in quotes if a shell needs them. Returns its length, as snprintf. */
size_t vef_shell_word(const char *word, char *text, size_t bytes);

/* The same for all words of a NULL-terminated list, separated by spaces; truncated if too long. */
void vef_shell_words(char *const *words, char *text, size_t bytes);

#endif
