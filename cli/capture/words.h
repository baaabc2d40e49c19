/* Words of a command, compared by the last part of their path: /usr/bin/env is env. */
#ifndef VEF_CLI_CAPTURE_WORDS_H
#define VEF_CLI_CAPTURE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline const char *vef_word_name(const char *word) {
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

/* Whether a word is one of a NULL-terminated list of names. */
static inline bool vef_word_is(const char *word, const char *const *names) {
    while (*names != NULL && strcmp(vef_word_name(word), *names) != 0)
        names++;
    return *names != NULL;
}

/* Whether one of the words is one of the names. */
static inline bool vef_words_have(char *const *words, const char *const *names) {
    while (*words != NULL && !vef_word_is(*words, names))
        words++;
    return *words != NULL;
}

#endif
