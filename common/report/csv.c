/* Tables as CSV, quoted as in RFC 4180, with Unix line ends. An apostrophe precedes texts that
 * begin as a formula of a spreadsheet does. */
#include "common/report/tree.h"

#include <stdlib.h>
#include <string.h>

/* Whether a spreadsheet would compute a text instead of showing it. "-" alone is no formula. */
static bool is_formula(const char *text) {
    char *end;
    return *text && strchr("=+-@\t\r", *text) && text[1] && (strtod(text, &end), *end);
}

static void write_field(FILE *out, const char *text, bool first) {
    if (!first)
        fputc(',', out);
    if (is_formula(text))
        fputc('\'', out);
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_row(void *writer, const vef_result *table, const vef_row *row) {
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        const vef_column *column = &table->columns[i];
        char text[VEF_CELL_BYTES];
        if (!vef_column_is_for(column, VEF_TABLES))
            continue;
        write_field(writer, vef_value_write(text, &row->cells[i], vef_column_exact(column)), first);
        first = false;
    }
    fputc('\n', writer);
}

void vef_write_csv_table(const vef_result *table, FILE *out) {
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        if (!vef_column_is_for(&table->columns[i], VEF_TABLES))
            continue;
        write_field(out, table->columns[i].key, first);
        first = false;
    }
    fputc('\n', out);
    vef_visit_rows(table, write_row, out);
}

/* Writes the tables below a node; returns whether there was one. */
static bool write_tables(const vef_result *node, bool begun, FILE *out) {
    for (const vef_result *member = node->first; member; member = member->next) {
        if (member->form != VEF_FORM_TABLE) {
            begun = write_tables(member, begun, out);
            continue;
        }
        if (begun)
            fputc('\n', out);
        vef_write_csv_table(member, out);
        begun = true;
    }
    return begun;
}

void vef_write_csv(const vef_result *root, FILE *out) {
    write_tables(root, false, out);
}
