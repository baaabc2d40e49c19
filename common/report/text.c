/* Results for people: lines, and tables aligned in columns. */
#include "common/report/tree.h"

#include "common/memory.h"
#include "common/utf8.h"

#include <math.h>
#include <stdlib.h>

static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += !vef_utf8_continues(*text);
    return width;
}

/* Line breaks and tabs in a cell would break the alignment. */
static void write_in_line(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

typedef struct shown_column {
    const vef_column *column;
    size_t cell;  /* its place in a row */
    size_t width; /* in characters */
    bool numbers; /* it has one, so the head is aligned like numbers */
} shown_column;

static const char *head_of(const shown_column *column) {
    return column->column->label ? column->column->label : column->column->key;
}

static const char *cell_text(char *text, const vef_row *row, const shown_column *column) {
    const double scale = column->column->scale;
    vef_value value = row->cells[column->cell];
    if (scale > 0 && value.kind == VEF_VALUE_UINT)
        value = vef_value_real((double)value.count);
    if (scale > 0 && value.kind == VEF_VALUE_REAL)
        value.real *= scale;
    if (value.kind == VEF_VALUE_REAL && !isfinite(value.real))
        return "n/a";
    return vef_value_write(text, &value, column->column->format);
}

static bool is_number(const vef_value *value) {
    return value->kind != VEF_VALUE_TEXT && value->kind != VEF_VALUE_BOOL;
}

static void measure(const vef_result *table, shown_column *column) {
    char text[VEF_CELL_BYTES];
    column->width = width_of(head_of(column));
    for (const vef_row *row = table->rows; row; row = row->next) {
        const size_t width = width_of(cell_text(text, row, column));
        column->width = width > column->width ? width : column->width;
        column->numbers |= is_number(&row->cells[column->cell]);
    }
}

/* `row` NULL: the heads. */
static void write_row(const vef_row *row, const shown_column *columns, size_t count, FILE *out) {
    size_t owed = 0; /* pending spaces, to write none at the end */
    for (size_t i = 0; i < count; i++) {
        char buffer[VEF_CELL_BYTES];
        const char *text = row ? cell_text(buffer, row, &columns[i]) : head_of(&columns[i]);
        const size_t padding = columns[i].width - width_of(text);
        const bool right = row ? is_number(&row->cells[columns[i].cell]) : columns[i].numbers;
        owed += i ? 2 : 0;
        if (right)
            owed += padding;
        if (*text) {
            fprintf(out, "%*s", (int)owed, "");
            write_in_line(out, text);
            owed = 0;
        }
        if (!right)
            owed += padding;
    }
    fputc('\n', out);
}

static void write_table(const vef_result *table, FILE *out) {
    shown_column *columns = vef_calloc(table->column_count + 1, sizeof *columns);
    size_t count = 0;
    bool labelled = false;
    for (size_t i = 0; i < table->column_count; i++)
        labelled |= table->columns[i].label != NULL;
    for (size_t i = 0; i < table->column_count; i++) {
        const vef_column *column = &table->columns[i];
        if ((labelled && !column->label) || (column->readers && !(column->readers & VEF_PEOPLE)))
            continue;
        columns[count] = (shown_column){.column = column, .cell = i};
        measure(table, &columns[count++]);
    }
    write_row(NULL, columns, count, out);
    for (const vef_row *row = table->rows; row; row = row->next)
        write_row(row, columns, count, out);
    free(columns);
}

void vef_write_text(const vef_result *node, FILE *out) {
    if (node->form == VEF_FORM_LINE)
        fputs(node->value.text, out);
    else if (node->form == VEF_FORM_TABLE && node->fill)
        vef_write_csv_table(node, out);
    else if (node->form == VEF_FORM_TABLE)
        write_table(node, out);
    for (const vef_result *member = node->first; member; member = member->next)
        vef_write_text(member, out);
}
