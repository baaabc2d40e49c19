/* Errors about unknown names: they list the known ones and suggest the one that was probably meant.
 */
#ifndef VEF_COMMON_UNKNOWN_H
#define VEF_COMMON_UNKNOWN_H

#include "common/status.h"

#include <stddef.h>

/* A known name and its synonyms, separated by spaces (may be NULL); hints suggest the name. A name
 * that is known several times, with other synonyms, is listed and suggested once. */
typedef struct vef_known {
    const char *name, *aliases;
} vef_known;

/* "unknown <what> 'x': did you mean b? Expected one of a, b, c", with VEF_INVALID; `names` has
 * `count` entries. The hint is the name with that alias, or the one at the smallest distance. */
vef_code vef_fail_unknown(vef_error *error, const char *what, const char *name,
                          const char *const *names, size_t count);
vef_code vef_fail_unknown_of(vef_error *error, const char *what, const char *name,
                             const vef_known *known, size_t count);

/* A statement that fails the same way for a table of pointers to rows with `name` and `aliases`,
 * terminated by NULL. */
enum { VEF_MOST_ROWS = 128 };
#define VEF_FAIL_UNKNOWN_ROW(error, what, name_, table)                                            \
    do {                                                                                           \
        vef_known rows_[VEF_MOST_ROWS];                                                            \
        size_t count_ = 0;                                                                         \
        for (; (table)[count_] && count_ < VEF_MOST_ROWS; count_++)                                \
            rows_[count_] = (vef_known){(table)[count_]->name, (table)[count_]->aliases};          \
        vef_fail_unknown_of(error, what, name_, rows_, count_);                                    \
    } while (0)

enum { VEF_MOST_HINTS = 3, VEF_HINT_BYTES = 400 };

/* The nearest names, several if equally near. Returns their number. */
size_t vef_nearest_known(const char *name, const vef_known *known, size_t count,
                         const char *near[VEF_MOST_HINTS]);
/* Writes "a or b" into `hint`. */
void vef_write_hint(char *hint, size_t hint_bytes, const char *const *near, size_t count);

/* vef_fail_unknown_of with a given hint (empty: none). */
vef_code vef_fail_unknown_hint(vef_error *error, const char *what, const char *name,
                               const char *hint, const vef_known *known, size_t count);

#endif
