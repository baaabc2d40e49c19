/* Quoting for the shell (POSIX.1-2017, Shell Command Language, section 2.2): see shell_word.h. */
#include "cli/capture/shell_word.h"

#include <string.h>

typedef struct sink {
    char *text;
    size_t room, length;
} sink;

static void put(sink *to, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++, to->length++)
        if (to->length + 1 < to->room)
            to->text[to->length] = bytes[i];
}

static size_t end(sink *to) {
    if (to->room > 0)
        to->text[to->length < to->room ? to->length : to->room - 1] = '\0';
    return to->length;
}

static void put_word(sink *to, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./,:=@%";
    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        put(to, word, strlen(word));
        return;
    }
    put(to, "'", 1);
    for (; *word != '\0'; word++)
        put(to, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    put(to, "'", 1);
}

size_t vef_shell_word(const char *word, char *text, size_t bytes) {
    sink to = {text, bytes, 0};
    put_word(&to, word);
    return end(&to);
}

void vef_shell_words(char *const *words, char *text, size_t bytes) {
    sink to = {text, bytes, 0};
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0)
            put(&to, " ", 1);
        put_word(&to, words[i]);
    }
    end(&to);
}
