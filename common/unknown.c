/* The error for a name that is not in a table: the names that are, and the one nearest to it by the
 * number of letters to insert, delete, change or swap (optimal string alignment). See config.h. */
#include "common/config.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_COMPARED = 63, LIST_BYTES = 700 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Both at most LONGEST_COMPARED long; the case of letters does not count. */
static unsigned distance(const char *a, size_t rows, const char *b, size_t columns) {
    unsigned d[LONGEST_COMPARED + 1][LONGEST_COMPARED + 1];
    for (size_t i = 0; i <= rows; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= columns; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            unsigned change = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            d[i][j] = least(change, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[rows][columns];
}

/* The name that was probably meant, or NULL: a third of its letters may be wrong, or its end left
 * out. */
static const char *nearest(const char *name, const char *const *names, size_t count) {
    const char *best = NULL;
    unsigned best_distance = LONGEST_COMPARED;
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        if (length > LONGEST_COMPARED || other > LONGEST_COMPARED)
            continue;
        unsigned apart = distance(name, length, names[i], other);
        if (apart < best_distance && apart <= ((length > other ? length : other) + 1) / 3) {
            best = names[i];
            best_distance = apart;
        }
    }
    for (size_t i = 0; i < count && !best && length >= 2; i++)
        if (strncmp(names[i], name, length) == 0)
            best = names[i];
    for (size_t i = 0; i < count && !best && length >= 2; i++)
        if (strncasecmp(names[i], name, length) == 0)
            best = names[i];
    return best;
}

vef_code vef_fail_unknown(vef_error *error, const char *what, const char *name,
                          const char *const *names, size_t count) {
    char list[LIST_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const char *between = i ? ", " : "";
        if (used + strlen(between) + strlen(names[i]) + sizeof ", ..." > sizeof list) {
            strcpy(list + used, ", ..."); /* never half a name */
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", between, names[i]);
    }
    const char *meant = nearest(name, names, count);
    return vef_fail(error, VEF_INVALID, "unknown %s '%.80s'; %s%s%s%s%s", what, name,
                    count ? "the ones there are: " : "there are none", list,
                    meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}
