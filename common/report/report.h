/* Formats of reports, and the writer of reports. */
#ifndef VEF_COMMON_REPORT_REPORT_H
#define VEF_COMMON_REPORT_REPORT_H

#include "common/report/table.h"
#include "common/status.h"

/* All formats: name (also of the option), title in help. A format of tables is a vef_row_writer
 * vef_NAME, one of documents a vef_doc_syntax vef_NAME, in common/report/NAME.c. X gets the
 * further arguments. */
#define VEF_TABLE_FORMATS(X, ...) X(csv, "CSV", __VA_ARGS__)
#define VEF_DOC_FORMATS(X, ...) X(json, "JSON", __VA_ARGS__)

/* The row of a format: vef_report_NAME. */
typedef struct vef_report_format {
    const char *name;
    vef_row_writer *row;       /* NULL: a format of documents */
    const vef_doc_syntax *doc; /* NULL: a format of tables */
} vef_report_format;

#define VEF_DECLARE_TABLE_FORMAT(name, title, ...)                                                 \
    vef_row_writer vef_##name;                                                                     \
    extern const vef_report_format vef_report_##name;
#define VEF_DECLARE_DOC_FORMAT(name, title, ...)                                                   \
    extern const vef_doc_syntax vef_##name;                                                        \
    extern const vef_report_format vef_report_##name;
VEF_TABLE_FORMATS(VEF_DECLARE_TABLE_FORMAT, )
VEF_DOC_FORMATS(VEF_DECLARE_DOC_FORMAT, )

/* The parts of a kind of report. Each gets `report` of vef_report_write. */
typedef struct vef_report_parts {
    /* NULL: the tables, aligned. */
    void (*text)(const void *report, FILE *out);
    /* One table, or (`tables`) a function that writes several with vef_table_write; both NULL:
     * no table formats. */
    vef_table *(*table)(const void *report);
    void (*tables)(const void *report, vef_row_writer *row, FILE *out);
    /* The values of the outermost map. */
    vef_code (*doc)(const void *report, vef_doc *doc, vef_error *error);
} vef_report_parts;

/* Writes a report in a format (NULL: text) and flushes `out`. Fails as `doc` does, or with VEF_IO
 * on a write error. */
vef_code vef_report_write(const vef_report_format *format, const vef_report_parts *parts,
                          const void *report, FILE *out, vef_error *error);

#endif
