/* What a file is, by its first bytes or its keys, for messages about files of the wrong kind. */
#ifndef VEF_COMMON_SYSTEM_FILE_KIND_H
#define VEF_COMMON_SYSTEM_FILE_KIND_H

#include "common/status.h"

/* After a failure to read `path` as a file of the kind `wanted`: the message becomes "path: this is
 * a trace of 32 tasks: expected `expected`" if the file is recognised as one of another kind, and
 * stays otherwise. Kinds are words: trace, log, network, study, jobs, workload, result, numbers,
 * text, measurements, program, or the name of a format of another tool. Returns the error's code.
 */
vef_code vef_fail_kind(vef_error *error, const char *path, const char *wanted,
                       const char *expected);

#endif
