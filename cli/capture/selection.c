/* Passing the selection of what to record to the capture library: see selection.h. */
#include "cli/capture/selection.h"

#include "traces/log/log.h"
#include "traces/log/settings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_code check(const vef_selection *selection, vef_error *error) {
    vef_code code = VEF_OK;
    if (selection->most_bytes > 0 && selection->most_bytes < VEF_LOG_LEAST_BYTES)
        return vef_fail(error, VEF_INVALID, "--max-size: expected at least %d KiB",
                        VEF_LOG_LEAST_BYTES / 1024);
    if (selection->skip != NULL)
        code = vef_settings_check_calls("--skip", true, selection->skip, error);
    if (code == VEF_OK && selection->only != NULL)
        code = vef_settings_check_calls("--only", false, selection->only, error);
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
    set_variable("VEF_CAPTURE_SITES", selection->sites ? "on" : NULL);
    set_variable("VEF_CAPTURE_SKIP", selection->skip);
    set_variable("VEF_CAPTURE_ONLY", selection->only);
    set_variable("VEF_CAPTURE_REGIONS", selection->regions);
    return VEF_OK;
}
