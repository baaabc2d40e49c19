/* Formats of reports, and the writer of reports. */
#ifndef VEF_COMMON_REPORT_REPORT_H
#define VEF_COMMON_REPORT_REPORT_H

#include "common/report/result.h"
#include "common/status.h"

/* All formats: name (also of the option), title in help. A format is a function vef_write_NAME, in
 * common/report/NAME.c. X gets the further arguments. */
#define VEF_TABLE_FORMATS(X, ...) X(csv, "CSV", VEF_TABLES, __VA_ARGS__)
#define VEF_DOC_FORMATS(X, ...) X(json, "JSON", VEF_DOCUMENTS, __VA_ARGS__)

/* The row of a format: vef_report_NAME. */
typedef struct vef_report_format {
    const char *name;
    vef_reader reader; /* that a result must be built for */
    void (*write)(const vef_result *root, FILE *out);
} vef_report_format;

#define VEF_DECLARE_FORMAT(name, title, reader, ...)                                               \
    extern const vef_report_format vef_report_##name;
VEF_TABLE_FORMATS(VEF_DECLARE_FORMAT, )
VEF_DOC_FORMATS(VEF_DECLARE_FORMAT, )

/* Adds what is reported to a result. */
typedef void vef_report_build(const void *report, vef_result *root);

/* Writes a report in a format (NULL: text) and flushes `out`. Fails with VEF_IO on a write error.
 */
vef_code vef_report_write(const vef_report_format *format, vef_report_build *build,
                          const void *report, FILE *out, vef_error *error);

/* Whether a format writes tables; NULL: no. */
static inline bool vef_report_tabulates(const vef_report_format *format) {
    return format && format->reader == VEF_TABLES;
}

#endif
