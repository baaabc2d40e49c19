/* Result tables, built row by row, then written as aligned text, in a table format, or as a part
 * of a document. */
#ifndef VEF_COMMON_REPORT_TABLE_H
#define VEF_COMMON_REPORT_TABLE_H

#include "common/report/doc.h"

typedef struct vef_table vef_table;

typedef struct vef_cell {
    const char *text;
    bool number;
} vef_cell;

/* A format of tables: writes a row; the first has the heads. */
typedef void vef_row_writer(FILE *out, const vef_cell *cells, size_t columns, bool heads);

/* A table with copies of the column heads. */
vef_table *vef_table_new(const char *const *heads, size_t columns);
void vef_table_free(vef_table *table);

/* Adds a column; only before the first cell. */
void vef_table_head(vef_table *table, const char *head);

/* Adds a cell to the current row, left to right; a full row begins the next. Numbers are
 * right-aligned. */
void vef_table_text(vef_table *table, const char *text);
/* Several texts in one cell, separated by "; ". */
void vef_table_list(vef_table *table, const char *const *texts, size_t count);
void vef_table_number(vef_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void vef_table_none(vef_table *table); /* no number: empty, in documents null */

/* Both write a table of full rows and free it. */

/* `row` NULL: aligned in columns. */
void vef_table_write(vef_table *table, vef_row_writer *row, FILE *out);
/* A list of maps with the heads as keys; invalid numbers ("n/a", "12 %") become strings. */
void vef_table_write_doc(vef_table *table, vef_doc *doc, const char *key);

#endif
