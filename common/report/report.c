/* The table of formats, and the writer of reports. */
#include "common/report/report.h"

#include <errno.h>

#define FORMAT(name, title, reader, ...)                                                           \
    const vef_report_format vef_report_##name = {#name, reader, vef_write_##name};
VEF_TABLE_FORMATS(FORMAT, )
VEF_DOC_FORMATS(FORMAT, )

vef_code vef_report_write(const vef_report_format *format, vef_report_build *build,
                          const void *report, FILE *out, vef_error *error) {
    vef_result *root = vef_result_new(format ? format->reader : VEF_PEOPLE);
    errno = 0;
    build(report, root);
    if (format)
        format->write(root, out);
    else
        vef_write_text(root, out);
    vef_result_free(root);
    if (fflush(out) == 0 && !ferror(out))
        return VEF_OK;
    errno = errno ? errno : EIO;
    return vef_fail_errno(error, "cannot write the report");
}
