/* Checking JSON that others wrote. */
#ifndef VEF_COMMON_REPORT_JSON_CHECK_H
#define VEF_COMMON_REPORT_JSON_CHECK_H

#include "common/status.h"

#include <stddef.h>

/* Called with each key of the outermost map, as written, without its quotes. */
typedef void vef_json_visit(void *context, const char *key, size_t length);

/* Whether `text`, which has a NUL after its `bytes` bytes, is one map of JSON (RFC 8259).
 * VEF_INVALID with the line if it is not. Bytes above 127 are not checked. */
vef_code vef_json_check(const char *text, size_t bytes, vef_json_visit *visit, void *context,
                        vef_error *error);

#endif
