/* The table of formats, and the writer of reports. */
#include "common/report/report.h"

#include <errno.h>

#define TABLE_FORMAT(name, title, ...)                                                             \
    const vef_report_format vef_report_##name = {#name, .row = vef_##name};
#define DOC_FORMAT(name, title, ...)                                                               \
    const vef_report_format vef_report_##name = {#name, .doc = &vef_##name};
VEF_TABLE_FORMATS(TABLE_FORMAT, )
VEF_DOC_FORMATS(DOC_FORMAT, )

static vef_code write_doc(const vef_report_format *format, const vef_report_parts *parts,
                          const void *report, FILE *out, vef_error *error) {
    vef_doc doc;
    vef_doc_begin(&doc, format->doc, out);
    const vef_code code = parts->doc(report, &doc, error);
    if (code == VEF_OK)
        vef_doc_end(&doc);
    return code;
}

static void write_tables(const vef_report_parts *parts, vef_row_writer *row, const void *report,
                         FILE *out) {
    if (parts->tables)
        parts->tables(report, row, out);
    else
        vef_table_write(parts->table(report), row, out);
}

vef_code vef_report_write(const vef_report_format *format, const vef_report_parts *parts,
                          const void *report, FILE *out, vef_error *error) {
    vef_code code = VEF_OK;
    errno = 0;
    if (format && format->doc)
        code = write_doc(format, parts, report, out, error);
    else if (!format && parts->text)
        parts->text(report, out);
    else
        write_tables(parts, format ? format->row : NULL, report, out);
    if (code == VEF_OK && (fflush(out) != 0 || ferror(out))) {
        errno = errno ? errno : EIO;
        code = vef_fail_errno(error, "cannot write the report");
    }
    return code;
}
