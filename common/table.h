/* Result tables: built row by row, written as text aligned for a terminal, as CSV or as JSON rows.
 */
#ifndef VEF_COMMON_TABLE_H
#define VEF_COMMON_TABLE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct vef_table vef_table;

/* A table with the given column heads (copied). NULL when memory runs out. */
vef_table *vef_table_new(const char *const *heads, size_t columns);
void vef_table_free(vef_table *table);

/* Adds a cell to the row under way, left to right; a full row begins the next. A cell that failed
 * for lack of memory is remembered and told by vef_table_write. Numbers are right-aligned. */
void vef_table_text(vef_table *table, const char *text);
void vef_table_number(vef_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the table aligned in columns, or as CSV (RFC 4180). */
vef_code vef_table_write(const vef_table *table, FILE *out, vef_error *error);
vef_code vef_table_write_csv(const vef_table *table, FILE *out, vef_error *error);

#endif
