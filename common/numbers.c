/* Reading lists of numbers. See numbers.h. */
#include "common/numbers.h"

#include "common/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ITEM_BYTES = 96 };

/* `steps`: a range has a step; else it may have one. */
static vef_code read_list(const char *option, const char *what, bool steps, const char *text,
                          double *numbers, size_t *count, vef_error *error) {
    *count = 0;
    for (const char *next = text;; next++) {
        char item[ITEM_BYTES];
        vef_range range;
        const size_t length = strcspn(next, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, next);
        if (length >= sizeof item || !vef_range_scan(item, &range) || (steps && range.parts == 2))
            return vef_fail(error, VEF_INVALID,
                            "%s '%s': expected %s, a range FROM:TO%s, or several of these "
                            "separated by commas",
                            option, item, what,
                            steps ? ":STEP such as 0.05:1.0:0.05" : " such as 1:5");
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

vef_code vef_numbers_read(const char *option, const char *what, const char *text, double *numbers,
                          size_t *count, vef_error *error) {
    return read_list(option, what, true, text, numbers, count, error);
}

vef_code vef_seeds_read(const char *option, const char *text, uint64_t first, uint64_t *seeds,
                        size_t *count, vef_error *error) {
    static const char what[] = "a number of seeds (5: seeds 1 to 5)";
    static const double LARGEST = 9007199254740992; /* 2^53: a double holds every smaller one */
    double numbers[VEF_MOST_NUMBERS];
    const vef_code code = read_list(option, what, false, text, numbers, count, error);
    const double amount = code == VEF_OK ? numbers[0] : 0;
    const bool number = *count == 1 && !strpbrk(text, ":,");
    if (code != VEF_OK)
        return code;
    if (number && (amount < 1 || amount > VEF_MOST_NUMBERS))
        return vef_fail(error, VEF_INVALID, "%s %s: out of range: expected from 1 to %d seeds",
                        option, text, VEF_MOST_NUMBERS);
    *count = number ? (size_t)amount : *count;
    for (size_t i = 0; i < *count; i++) {
        const double seed = number ? amount : numbers[i];
        if (seed < 0 || seed > LARGEST || seed != floor(seed))
            return vef_fail(error, VEF_INVALID, "%s '%s': expected %s, or whole numbers", option,
                            text, what);
        seeds[i] = number ? first + i : (uint64_t)seed;
        for (size_t j = 0; j < i; j++)
            if (seeds[i] == seeds[j])
                return vef_fail(error, VEF_INVALID, "%s '%s': seed %.0f is given twice", option,
                                text, seed);
    }
    return VEF_OK;
}
