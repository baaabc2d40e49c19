/* Masking secrets. See secrets.h. */
#include "cli/capture/secrets.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const endings[] = {
    "password",  "passwd",     "passphrase", "token",       "secret", "apikey",        "accesskey",
    "secretkey", "privatekey", "credential", "credentials", "auth",   "authorization", "bearer"};

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Compares from the end. */
static bool ends_with(const char *name, size_t length, const char *ending) {
    size_t left = strlen(ending);
    while (length > 0 && left > 0) {
        const char c = name[--length];
        if (c != '-' && c != '_' && tolower((unsigned char)c) != ending[--left])
            return false;
    }
    return left == 0;
}

static bool is_secret(const char *name, size_t length) {
    bool found = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        found = found || ends_with(name, length, endings[i]);
    return found;
}

/* The length up to the quote that ends a word; the shell's '\'' is a quote within it. */
static size_t quoted(const char *text, char quote) {
    size_t length = 0;
    for (; text[length] != '\0' && text[length] != quote; length++)
        if (text[length] == '\\' && quote == '"' && text[length + 1] != '\0')
            length++;
    return quote == '\'' && strncmp(text + length, "'\\''", 4) == 0
               ? length + 4 + quoted(text + length + 4, quote)
               : length;
}

/* Masks the value at `text`; `to_end`: it extends to the end of its quoted word. Returns the text
 * behind the mask. */
static char *mask(char *text, bool to_end) {
    static const char stars[] = "***";
    size_t length;
    if (to_end)
        length = quoted(text, '\'');
    else if (*text == '\'' || *text == '"') {
        const char quote = *text++;
        length = quoted(text, quote);
    } else
        length = strcspn(text, " \t\n'\"");
    const size_t left = length < sizeof stars - 1 ? length : sizeof stars - 1;
    memcpy(text, stars, left);
    memmove(text + left, text + length, strlen(text + length) + 1);
    return text + left;
}

/* Whether the word before `name` is -env or -genv. */
static bool follows_env(const char *text, const char *name) {
    while (name > text && name[-1] == ' ')
        name--;
    return (name - text >= 4 && strncmp(name - 4, "-env", 4) == 0) ||
           (name - text >= 5 && strncmp(name - 5, "-genv", 5) == 0);
}

void vef_mask_secrets(char *text) {
    for (char *name = text; *name != '\0';) {
        size_t length = 0;
        while (in_name(name[length]))
            length++;
        char *value = name + length;
        if (length == 0) {
            name++;
            continue;
        }
        const bool secret = is_secret(name, length),
                   option = *name == '-' || follows_env(text, name),
                   whole = name > text && name[-1] == '\'';
        value += *value == '"' && value[1] == ':';
        const bool assigned = *value == '=' || *value == ':';
        const bool blank = *value == ' ';
        value += assigned || blank;
        value += *value == ' ' && value[-1] != '=' ? strspn(value, " ") : 0;
        name += length;
        if (secret && *value != '\0' && (assigned || (blank && option && *value != '-')))
            name = mask(value, assigned && whole);
    }
}
