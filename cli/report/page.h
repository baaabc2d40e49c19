/* The page of `vef report`: one HTML file that holds everything it needs. */
#ifndef VEF_CLI_REPORT_PAGE_H
#define VEF_CLI_REPORT_PAGE_H

#include "cli/report/inputs.h"

/* Writes the page of the inputs to a file. `*bytes` (may be NULL): its size, negative if it is a
 * pipe. */
vef_code vef_report_save(const char *path, const vef_report_input *inputs, size_t count,
                         long *bytes, vef_error *error);

#endif
