/* Reading lists of numbers. See numbers.h. */
#include "cli/numbers.h"

#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITEM_BYTES = 96 };

vef_code vef_numbers_read(const char *option, const char *what, const char *text, double *numbers,
                          size_t *count, vef_error *error) {
    *count = 0;
    for (const char *next = text;; next++) {
        char item[ITEM_BYTES];
        vef_range range;
        const size_t length = strcspn(next, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, next);
        if (length >= sizeof item || !vef_range_scan(item, &range) || range.parts == 2)
            return vef_fail(error, VEF_INVALID,
                            "%s '%s': expected %s, a range FROM:TO:STEP such as 0.05:1.0:0.05, or "
                            "several of these separated by commas",
                            option, item, what);
        if (range.count == 0)
            return vef_fail(error, VEF_INVALID,
                            "%s '%s': expected a step above 0 and an end not below the beginning",
                            option, item);
        if (range.count > VEF_MOST_NUMBERS - *count)
            return vef_fail(error, VEF_INVALID, "%s '%s': too many numbers: expected at most %d",
                            option, item, VEF_MOST_NUMBERS);
        numbers[(*count)++] = range.first;
        for (size_t i = 1; i < range.count; i++) /* 0.15, not 0.15000000000000002 */
            numbers[(*count)++] = round((range.first + (double)i * range.step) * 1e12) / 1e12;
        next += length;
        if (*next == '\0')
            return VEF_OK;
    }
}
