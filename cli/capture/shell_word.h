/* Words as a shell reads them, for commands that messages tell people to type. */
#ifndef VEF_CLI_CAPTURE_SHELL_WORD_H
#define VEF_CLI_CAPTURE_SHELL_WORD_H

#include <stddef.h>

/* Puts `word` into `text`, in quotes where a shell needs them. Returns its length, as snprintf. */
size_t vef_shell_word(const char *word, char *text, size_t bytes);

/* Likewise all words of a NULL-terminated list, with spaces between them; cut where they do not
 * fit. */
void vef_shell_words(char *const *words, char *text, size_t bytes);

#endif
