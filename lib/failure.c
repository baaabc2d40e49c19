/* Errors of the rooms as failures of the library's users; the version. */
#include "lib/failure.h"

#include "common/memory.h"

#include <stdio.h>

static const vef_failure_code codes[] = {
    [VEF_OK] = VEF_FAILURE_NONE,
    [VEF_INVALID] = VEF_FAILURE_INVALID,
    [VEF_UNSUPPORTED] = VEF_FAILURE_UNSUPPORTED,
    [VEF_CORRUPT] = VEF_FAILURE_CORRUPT,
    [VEF_VERSION] = VEF_FAILURE_VERSION,
    [VEF_IO] = VEF_FAILURE_IO,
    [VEF_NO_MEMORY] = VEF_FAILURE_MEMORY,
    [VEF_FAILED] = VEF_FAILURE_RUN,
    [VEF_STOPPED] = VEF_FAILURE_RUN,
};

int vef_failure_from(vef_code code, const vef_error *error, vef_failure *failure) {
    if (!failure)
        return (int)codes[code];
    failure->code = codes[code];
    failure->text[0] = '\0'; /* not all of it: most calls succeed, and some are made very often */
    if (code != VEF_OK)
        snprintf(failure->text, sizeof failure->text, "%s", error->message);
    return (int)codes[code];
}

int vef_entry_do(vef_entry *call, bool *broken, vef_failure *failure) {
    const size_t lacking_bytes = *broken ? 1 : vef_attempt(call->work, call);
    if (lacking_bytes > 0) {
        *broken = true;
        call->code =
            vef_fail(&call->error, VEF_NO_MEMORY, "out of memory: this handle can only be closed");
    }
    return vef_failure_from(call->code, &call->error, failure);
}

int vef_failure_set(vef_failure *failure, vef_failure_code code, const char *format, ...) {
    if (!failure)
        return (int)code;
    va_list arguments;
    va_start(arguments, format);
    failure->code = code;
    vsnprintf(failure->text, sizeof failure->text, format, arguments);
    va_end(arguments);
    return (int)code;
}

const char *vef_library_version(void) {
    return VEF_BUILT_VERSION;
}
