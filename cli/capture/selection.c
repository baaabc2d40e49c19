/* Passing the selection of what to record to the capture library: see selection.h. */
#include "cli/capture/selection.h"

#include "common/config/config.h"
#include "traces/event.h"
#include "traces/log/log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, MOST_CALLS = 1024 };

/* The next name of a comma-separated list; advances `*list`. False at its end. */
static bool next_name(const char **list, char name[NAME_BYTES]) {
    while (**list == ',' || **list == ' ')
        ++*list;
    size_t length = strcspn(*list, ", ");
    snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1), *list);
    *list += length;
    return length > 0;
}

/* Names of recordable calls for a list, with or without "MPI_". */
static vef_code check_calls(const char *option, bool skipping, const char *list, vef_error *error) {
    const char *names[MOST_CALLS];
    char name[NAME_BYTES];
    size_t count = 0, given = 0;
    for (uint16_t call = 0; call < vef_call_count() && count < MOST_CALLS; call++)
        if (vef_call_name(call) != NULL &&
            (vef_call_is_held(call) || vef_call_kind(call) == VEF_KIND_AS))
            names[count++] = vef_call_name(call);
    while (next_name(&list, name)) {
        const char *bare = strncmp(name, "MPI_", 4) == 0 ? name + 4 : name;
        int call = vef_call_find(bare);
        if (call >= 0 && vef_call_kind((uint16_t)call) == VEF_KIND_COUNTED)
            return vef_fail(error, VEF_INVALID, "%s: MPI_%s is never recorded, only counted",
                            option, bare);
        if (call < 0)
            return vef_fail_unknown(error, option, bare, names, count);
        if (skipping && vef_call_has((uint16_t)call, VEF_FACT_WORLD))
            return vef_fail(error, VEF_INVALID,
                            "%s: MPI_%s cannot be selected: every trace records it", option, bare);
        given++;
    }
    return given > 0 ? VEF_OK : vef_fail(error, VEF_INVALID, "%s: missing name of a call", option);
}

static vef_code check(const vef_selection *selection, vef_error *error) {
    vef_code code = VEF_OK;
    if (selection->skip != NULL && selection->only != NULL)
        return vef_fail(error, VEF_INVALID, "--skip and --only: not supported together");
    if (selection->most_bytes > 0 && selection->most_bytes < VEF_LOG_LEAST_BYTES)
        return vef_fail(error, VEF_INVALID, "--max-size: expected at least %d KiB",
                        VEF_LOG_LEAST_BYTES / 1024);
    if (selection->skip != NULL)
        code = check_calls("call of --skip", true, selection->skip, error);
    if (code == VEF_OK && selection->only != NULL)
        code = check_calls("call of --only", false, selection->only, error);
    if (code == VEF_OK && selection->regions != NULL &&
        strspn(selection->regions, ",") == strlen(selection->regions))
        code = vef_fail(error, VEF_INVALID, "--regions: missing name of a region");
    return code;
}

static void set_variable(const char *name, const char *value) {
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

vef_code vef_selection_export(const vef_selection *selection, vef_error *error) {
    char flush[64], most[32];
    vef_code code = check(selection, error);
    if (code != VEF_OK)
        return code;
    snprintf(flush, sizeof flush, "%.9f", selection->flush_ns / 1e9);
    snprintf(most, sizeof most, "%" PRIu64, selection->most_bytes);
    set_variable("VEF_CAPTURE_FLUSH", flush);
    set_variable("VEF_CAPTURE_MAX_SIZE", selection->most_bytes > 0 ? most : NULL);
    set_variable("VEF_CAPTURE_WHEN_FULL", selection->most_bytes > 0 ? selection->when_full : NULL);
    set_variable("VEF_CAPTURE_TIMES", selection->times);
    set_variable("VEF_CAPTURE_SKIP", selection->skip);
    set_variable("VEF_CAPTURE_ONLY", selection->only);
    set_variable("VEF_CAPTURE_REGIONS", selection->regions);
    return VEF_OK;
}
