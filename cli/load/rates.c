/* Reading loads. See rates.h. */
#include "cli/load/rates.h"

#include "common/units.h"

#include <math.h>
#include <string.h>

enum { MOST_ITEM_BYTES = 96 };

static vef_code fail(const char *item, vef_error *error) {
    return vef_fail(
        error, VEF_INVALID,
        "--rate '%s': expected a load in phits per cycle and endpoint such as 0.3, a range "
        "FROM:TO:STEP such as 0.05:1.0:0.05, or several of these separated by commas",
        item);
}

static vef_code add(double rate, double *rates, size_t *count, vef_error *error) {
    if (!(rate > 0) || !isfinite(rate))
        return vef_fail(error, VEF_INVALID, "--rate: %g is out of range: expected more than 0",
                        rate);
    if (*count == VEF_MOST_RATES)
        return vef_fail(error, VEF_INVALID, "--rate: too many loads: expected at most %d",
                        VEF_MOST_RATES);
    rates[(*count)++] = rate;
    return VEF_OK;
}

static vef_code read_range(const char *given, char *item, double *rates, size_t *count,
                           vef_error *error) {
    double numbers[3] = {0};
    size_t parts = 0;
    for (char *next = item; next && parts < 3;) {
        char *colon = strchr(next, ':');
        if (colon)
            *colon = '\0';
        if (vef_parse_real(next, "--rate", &numbers[parts++], NULL) != VEF_OK)
            return fail(given, error);
        next = colon ? colon + 1 : NULL;
        if (parts == 3 && next)
            return fail(given, error);
    }
    if (parts == 1)
        return add(numbers[0], rates, count, error);
    double from = numbers[0], to = numbers[1], step = numbers[2];
    if (parts != 3)
        return fail(given, error);
    if (!(step > 0) || !(to >= from))
        return vef_fail(error, VEF_INVALID,
                        "--rate '%s': expected a step above 0 and an end not below the beginning",
                        given);
    double steps = floor((to - from) / step * (1 + 1e-12) + 1e-9);
    if (!(steps < VEF_MOST_RATES))
        return vef_fail(error, VEF_INVALID, "--rate '%s': too many loads: expected at most %d",
                        given, VEF_MOST_RATES);
    vef_code code = VEF_OK;
    for (int i = 0; i <= (int)steps && code == VEF_OK; i++)
        /* 0.15, not 0.15000000000000002 */
        code = add(round((from + i * step) * 1e12) / 1e12, rates, count, error);
    return code;
}

vef_code vef_load_read_rates(const char *text, double *rates, size_t *count, vef_error *error) {
    *count = 0;
    for (const char *next = text;;) {
        size_t length = strcspn(next, ",");
        char given[MOST_ITEM_BYTES], item[MOST_ITEM_BYTES];
        if (length >= sizeof item)
            return fail(text, error);
        memcpy(item, next, length);
        item[length] = '\0';
        memcpy(given, item, length + 1);
        vef_code code = read_range(given, item, rates, count, error);
        if (code != VEF_OK || next[length] == '\0')
            return code;
        next += length + 1;
    }
}
