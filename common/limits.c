/* Limits and what the user changes of them. See limits.h. */
#include "common/limits.h"

#include "common/memory.h"
#include "common/units.h"
#include "common/unknown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t value;
    const char *meaning;
} rows[] = {
#define LIMIT(constant, name_, value_, meaning_) {name_, value_, meaning_},
#include "common/limits.def"
#undef LIMIT
};

/* "tasks=5" */
static vef_code set(char *item, uint64_t *values, vef_error *error) {
    const char *names[VEF_LIMITS];
    char *equals = strchr(item, '=');
    if (equals)
        *equals = '\0';
    for (size_t i = 0; i < VEF_LIMITS; i++) {
        names[i] = rows[i].name;
        if (strcmp(names[i], item) == 0)
            return equals ? vef_parse_uint(equals + 1, item, &values[i], error)
                          : vef_fail(error, VEF_INVALID, "%s: expected %s=N", item, item);
    }
    return vef_fail_unknown(error, "limit", item, names, VEF_LIMITS);
}

static vef_code read_values(uint64_t *values, vef_error *error) {
    const char *variable = secure_getenv("VEF_LIMITS");
    char *list = vef_strdup(variable ? variable : ""), *rest = list;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < VEF_LIMITS; i++)
        values[i] = rows[i].value;
    for (char *item; code == VEF_OK && (item = strsep(&rest, ","));)
        if (*item && (code = set(item, values, error)) != VEF_OK)
            vef_fail_within(error, "VEF_LIMITS");
    free(list);
    return code;
}

vef_code vef_limit_check(vef_limit limit, uint64_t value, vef_error *error) {
    uint64_t values[VEF_LIMITS];
    const vef_code code = read_values(values, error);
    if (code != VEF_OK || value <= values[limit])
        return code;
    return vef_fail(error, VEF_INVALID,
                    "%" PRIu64 " %s: out of range: expected at most %" PRIu64
                    ", or --limit %s=%" PRIu64 " (or more) or the same in VEF_LIMITS",
                    value, rows[limit].meaning, values[limit], rows[limit].name, value);
}

vef_code vef_limits_write(FILE *out, vef_error *error) {
    uint64_t values[VEF_LIMITS];
    const vef_code code = read_values(values, error);
    for (size_t i = 0; code == VEF_OK && i < VEF_LIMITS; i++)
        fprintf(out, "  %-14s %10" PRIu64 "  %s\n", rows[i].name, values[i], rows[i].meaning);
    return code;
}
