/* Result tables: built row by row, written as text aligned for a terminal, as CSV or as the rows of
 * a document.
 */
#ifndef VEF_COMMON_REPORT_TABLE_H
#define VEF_COMMON_REPORT_TABLE_H

#include "common/report/doc.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct vef_table vef_table;

/* A table with the given column heads (copied). NULL when memory runs out. */
vef_table *vef_table_new(const char *const *heads, size_t columns);
void vef_table_free(vef_table *table);

/* Adds a cell to the row under way, left to right; a full row begins the next. A cell that failed
 * for lack of memory is remembered and told by the writing. Numbers are right-aligned. */
void vef_table_text(vef_table *table, const char *text);
/* Several texts in one cell, separated by "; ". */
void vef_table_list(vef_table *table, const char *const *texts, size_t count);
void vef_table_number(vef_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the table aligned in columns, as CSV (quoted as RFC 4180 says, lines ended as Unix ends
 * them), or as a list of maps keyed by the heads; a number that a document cannot hold as such
 * ("n/a", "12 %") is a string there. A row that is not full ends in empty cells (in a document:
 * null).
 */
vef_code vef_table_write(const vef_table *table, FILE *out, vef_error *error);
vef_code vef_table_write_csv(const vef_table *table, FILE *out, vef_error *error);
vef_code vef_table_write_doc(const vef_table *table, vef_doc *doc, const char *key,
                             vef_error *error);

#endif
