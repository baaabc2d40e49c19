/* Environment variables. See settings.h. */
#include "traces/log/settings.h"

#include "common/unknown.h"
#include "traces/event.h"
#include "traces/log/log.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, MOST_CALLS = 1024, MOST_DIGITS = 18, MOST_SECONDS_DIGITS = 9 };

typedef enum form {
    TEXT,
    WORD,    /* one of a list */
    SECONDS, /* a decimal number */
    BYTES,   /* a whole number: 0, or a size of a log */
    CALLS,   /* a list of calls */
    SKIPPED, /* likewise, without those that every trace has */
} form;

typedef struct setting {
    const char *name;
    form form;
    const char *words, *meaning;
} setting;

static const setting settings[] = {
#define SETTING(name, form, words, meaning) {name, form, words, meaning},
#include "traces/log/settings.def"
#undef SETTING
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const char prefix[] = "VEF_CAPTURE_", digits[] = "0123456789";

/* The next name of a list; advances `*list`. False at its end. */
static bool next_name(const char **list, char name[NAME_BYTES]) {
    *list += strspn(*list, ", ");
    const size_t length = strcspn(*list, ", ");
    snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), *list);
    *list += length;
    return length > 0;
}

vef_code vef_settings_check_calls(const char *what, bool skipping, const char *list,
                                  vef_error *error) {
    const char *names[MOST_CALLS];
    char name[NAME_BYTES], kind[NAME_BYTES];
    size_t count = 0, given = 0;
    for (uint16_t call = 0; call < vef_call_count() && count < MOST_CALLS; call++)
        if (vef_call_name(call) != NULL &&
            (vef_call_is_held(call) || vef_call_kind(call) == VEF_KIND_AS))
            names[count++] = vef_call_name(call);
    snprintf(kind, sizeof kind, "call of %s", what);
    while (next_name(&list, name)) {
        const char *bare = strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
        const int call = vef_call_find(bare);
        if (call >= 0 && vef_call_kind((uint16_t)call) == VEF_KIND_COUNTED)
            return vef_fail(error, VEF_INVALID, "%s: MPI_%s is never recorded, only counted", kind,
                            bare);
        if (call < 0)
            return vef_fail_unknown(error, kind, bare, names, count);
        if (skipping && vef_call_has((uint16_t)call, VEF_FACT_WORLD))
            return vef_fail(error, VEF_INVALID,
                            "%s: MPI_%s cannot be selected: every trace records it", kind, bare);
        given++;
    }
    return given > 0 ? VEF_OK : vef_fail(error, VEF_INVALID, "%s: missing name of a call", kind);
}

static bool is_word(const char *words, const char *value) {
    const size_t length = strlen(value);
    for (; *words; words += strspn(words, " ")) {
        const size_t one = strcspn(words, " ");
        if (one == length && strncmp(words, value, one) == 0)
            return true;
        words += one;
    }
    return false;
}

static bool is_seconds(const char *value) {
    const size_t whole = strspn(value, digits);
    const char *rest = value + whole;
    rest += *rest == '.' ? 1 + strspn(rest + 1, digits) : 0;
    return whole > 0 && whole <= MOST_SECONDS_DIGITS && *rest == '\0';
}

static bool is_size(const char *value) {
    const size_t whole = strspn(value, digits);
    const unsigned long long bytes = strtoull(value, NULL, 10);
    return whole > 0 && whole <= MOST_DIGITS && value[whole] == '\0' &&
           (bytes == 0 || bytes >= VEF_LOG_LEAST_BYTES);
}

static vef_code check(const setting *one, const char *value, vef_error *error) {
    switch (one->form) {
    case TEXT:
        return VEF_OK;
    case WORD:
        return is_word(one->words, value)
                   ? VEF_OK
                   : vef_fail(error, VEF_INVALID, "%s=%.80s: expected one of: %s", one->name, value,
                              one->words);
    case SECONDS:
        return is_seconds(value)
                   ? VEF_OK
                   : vef_fail(error, VEF_INVALID, "%s=%.80s: expected seconds, such as 0.5",
                              one->name, value);
    case BYTES:
        return is_size(value) ? VEF_OK
                              : vef_fail(error, VEF_INVALID,
                                         "%s=%.80s: expected a number of bytes: 0, or at least %d",
                                         one->name, value, VEF_LOG_LEAST_BYTES);
    case CALLS:
    case SKIPPED:
        return vef_settings_check_calls(one->name, one->form == SKIPPED, value, error);
    }
    return VEF_OK;
}

/* The setting of an entry NAME=VALUE; NULL: none. */
static const setting *find(const char *entry, size_t length) {
    for (size_t i = 0; i < SETTINGS; i++)
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, entry, length) == 0)
            return &settings[i];
    return NULL;
}

static vef_code fail_name(const char *entry, size_t length, vef_error *error) {
    const char *names[SETTINGS];
    char name[NAME_BYTES];
    for (size_t i = 0; i < SETTINGS; i++)
        names[i] = settings[i].name;
    snprintf(name, sizeof name, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1),
             entry);
    return vef_fail_unknown(error, "environment variable", name, names, SETTINGS);
}

vef_code vef_settings_check(char *const *environment, vef_error *error) {
    vef_code code = VEF_OK;
    for (; environment && *environment && code == VEF_OK; environment++) {
        const char *entry = *environment;
        const size_t length = strcspn(entry, "=");
        if (strncmp(entry, prefix, strlen(prefix)) != 0 || entry[length] == '\0')
            continue;
        const setting *one = find(entry, length);
        if (!one)
            code = fail_name(entry, length, error);
        else if (entry[length + 1])
            code = check(one, entry + length + 1, error);
    }
    return code;
}

void vef_settings_describe(FILE *out) {
    for (size_t i = 0; i < SETTINGS; i++)
        fprintf(out, "%-26s %s%s%s%s\n", settings[i].name, settings[i].meaning,
                *settings[i].words ? " (" : "", settings[i].words, *settings[i].words ? ")" : "");
}
