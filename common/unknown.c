/* The error for an unknown name: lists the known names and suggests similar ones, by aliases or by
 * edit distance (optimal string alignment: insertions, deletions, substitutions, transpositions).
 * See unknown.h. */
#include "common/unknown.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_COMPARED = 63, LIST_BYTES = 700 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Case-insensitive distance; both at most LONGEST_COMPARED long. */
static unsigned distance(const char *a, size_t rows, const char *b, size_t columns) {
    unsigned char d[LONGEST_COMPARED + 1][LONGEST_COMPARED + 1];
    for (size_t i = 0; i <= rows; i++)
        d[i][0] = (unsigned char)i;
    for (size_t j = 0; j <= columns; j++)
        d[0][j] = (unsigned char)j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            unsigned fewest = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            fewest = least(fewest, least(d[i - 1][j], d[i][j - 1]) + 1U);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                fewest = least(fewest, d[i - 2][j - 2] + 1U);
            d[i][j] = (unsigned char)fewest;
        }
    return d[rows][columns];
}

/* Whether two words are equal, ignoring case and separators. */
static bool same_word(const char *a, size_t length, const char *b, size_t other) {
    size_t i = 0, j = 0;
    for (;;) {
        while (i < length && strchr("-_ ", a[i]))
            i++;
        while (j < other && strchr("-_ ", b[j]))
            j++;
        if (i == length || j == other)
            return i == length && j == other;
        if (!same(a[i++], b[j++]))
            return false;
    }
}

bool vef_is_known_as(const vef_known *known, const char *name) {
    const size_t length = strlen(name);
    if (same_word(name, length, known->name, strlen(known->name)))
        return true;
    const char *alias = known->aliases ? known->aliases : "";
    while (*alias) {
        const size_t other = strcspn(alias, " ");
        if (same_word(name, length, alias, other))
            return true;
        alias += other + strspn(alias + other, " ");
    }
    return false;
}

/* Distance of a name from the given one: 0 for an alias, 1 for a prefix; UINT_MAX where more than a
 * third of the letters differ. */
static unsigned apart(const char *name, const vef_known *known) {
    if (vef_is_known_as(known, name))
        return 0;
    const size_t length = strlen(name), other = strlen(known->name);
    if (length >= 2 && strncmp(name, known->name, length) == 0)
        return 1;
    if (length > LONGEST_COMPARED || other > LONGEST_COMPARED)
        return UINT_MAX;
    const unsigned wrong = distance(name, length, known->name, other);
    return wrong <= ((length > other ? length : other) + 1) / 3 ? wrong + 1 : UINT_MAX;
}

static bool is_among(const char *name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

size_t vef_nearest_known(const char *name, const vef_known *known, size_t count,
                         const char *near[VEF_MOST_HINTS]) {
    unsigned best = UINT_MAX;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned far = apart(name, &known[i]);
        if (far < best) {
            best = far;
            found = 0;
        }
        if (far == best && far != UINT_MAX && found < VEF_MOST_HINTS &&
            !is_among(known[i].name, near, found))
            near[found++] = known[i].name;
    }
    const size_t length = strlen(name);
    for (size_t i = 0; i < count && found == 0 && length >= 2; i++) /* truncated name */
        if (strncasecmp(known[i].name, name, length) == 0)
            near[found++] = known[i].name;
    return found;
}

void vef_write_hint(char *hint, size_t hint_bytes, const char *const *near, size_t count) {
    hint[0] = '\0';
    for (size_t i = 0; i < count; i++)
        vef_append(hint, hint_bytes, "%s%s", i ? " or " : "", near[i]);
}

/* Whether an earlier one has the same name. */
static bool is_repeated(const vef_known *known, size_t which) {
    for (size_t i = 0; i < which; i++)
        if (strcmp(known[i].name, known[which].name) == 0)
            return true;
    return false;
}

vef_code vef_fail_unknown_hint(vef_error *error, const char *what, const char *name,
                               const char *hint, const vef_known *known, size_t count) {
    char list[LIST_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const char *between = i ? ", " : "";
        if (is_repeated(known, i))
            continue;
        if (used + strlen(between) + strlen(known[i].name) + sizeof ", ..." > sizeof list) {
            strcpy(list + used, ", ..."); /* never truncates a name */
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", between, known[i].name);
    }
    if (!*hint)
        return vef_fail(error, VEF_INVALID, "unknown %s '%.80s': %s%s", what, name,
                        count ? "expected one of " : "there are none", list);
    return vef_fail(error, VEF_INVALID, "unknown %s '%.80s': did you mean %s? Expected one of %s",
                    what, name, hint, list);
}

vef_code vef_fail_unknown_of(vef_error *error, const char *what, const char *name,
                             const vef_known *known, size_t count) {
    const char *near[VEF_MOST_HINTS];
    char hint[VEF_HINT_BYTES];
    vef_write_hint(hint, sizeof hint, near, vef_nearest_known(name, known, count, near));
    return vef_fail_unknown_hint(error, what, name, hint, known, count);
}

vef_code vef_fail_unknown(vef_error *error, const char *what, const char *name,
                          const char *const *names, size_t count) {
    enum { MOST_NAMES = 256 };
    vef_known known[MOST_NAMES];
    if (count > MOST_NAMES)
        count = MOST_NAMES;
    for (size_t i = 0; i < count; i++)
        known[i] = (vef_known){names[i], NULL};
    return vef_fail_unknown_of(error, what, name, known, count);
}
