/* Result tables: cells are stored until all column widths are known. */
#include "common/report/table.h"

#include "common/arena.h"
#include "common/grow.h"
#include "common/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct vef_table {
    vef_arena arena; /* of texts */
    size_t columns;
    vef_cell *cells; /* by rows; the first is the heads */
    size_t count, room;
};

static void add(vef_table *table, const char *text, bool number) {
    vef_grow(&table->cells, &table->room, table->count + 1, sizeof *table->cells);
    table->cells[table->count++] = (vef_cell){vef_arena_string(&table->arena, text), number};
}

vef_table *vef_table_new(const char *const *heads, size_t columns) {
    vef_table *table = vef_calloc(1, sizeof *table);
    for (size_t i = 0; i < columns; i++)
        vef_table_head(table, heads[i]);
    return table;
}

void vef_table_free(vef_table *table) {
    if (!table)
        return;
    vef_arena_release(&table->arena);
    free(table->cells);
    free(table);
}

void vef_table_head(vef_table *table, const char *head) {
    assert(table->count == table->columns);
    add(table, head, false);
    table->columns++;
}

void vef_table_text(vef_table *table, const char *text) {
    add(table, text, false);
}

void vef_table_none(vef_table *table) {
    add(table, "", true);
}

void vef_table_list(vef_table *table, const char *const *texts, size_t count) {
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 2;
    char *all = vef_malloc(bytes), *at = all;
    for (size_t i = 0; i < count; i++) {
        at = stpcpy(at, i ? "; " : "");
        at = stpcpy(at, texts[i]);
    }
    *at = '\0';
    add(table, all, false);
    free(all);
}

void vef_table_number(vef_table *table, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(table, text, true);
}

/* ---- aligned text ---- */

/* Characters: bytes except UTF-8 continuation bytes. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void write_spaces(FILE *out, size_t count) {
    fprintf(out, "%*s", (int)count, "");
}

/* Line breaks and tabs in a cell would break the alignment. */
static void write_in_line(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

typedef struct column {
    size_t width;
    bool numbers; /* the head is aligned like the cells */
} column;

static column measure(const vef_table *table, size_t at) {
    column found = {0, false};
    for (size_t i = at; i < table->count; i += table->columns) {
        size_t width = width_of(table->cells[i].text);
        found.width = width > found.width ? width : found.width;
        found.numbers |= table->cells[i].number;
    }
    return found;
}

static void write_row(const vef_table *table, const vef_cell *cells, const column *columns,
                      FILE *out) {
    size_t owed = 0; /* pending spaces, to write none at the end */
    for (size_t i = 0; i < table->columns; i++) {
        size_t padding = columns[i].width - width_of(cells[i].text);
        bool right = cells == table->cells ? columns[i].numbers : cells[i].number;
        owed += i ? 2 : 0;
        if (right)
            owed += padding;
        if (*cells[i].text) {
            write_spaces(out, owed);
            write_in_line(out, cells[i].text);
            owed = 0;
        }
        if (!right)
            owed += padding;
    }
    fputc('\n', out);
}

static void write_aligned(const vef_table *table, FILE *out) {
    column *columns = vef_calloc(table->columns, sizeof *columns);
    for (size_t i = 0; i < table->columns; i++)
        columns[i] = measure(table, i);
    for (size_t i = 0; i < table->count; i += table->columns)
        write_row(table, &table->cells[i], columns, out);
    free(columns);
}

/* ---- formats ---- */

void vef_table_write(vef_table *table, vef_row_writer *row, FILE *out) {
    assert(table->count % table->columns == 0);
    if (!row)
        write_aligned(table, out);
    else
        for (size_t i = 0; i < table->count; i += table->columns)
            row(out, &table->cells[i], table->columns, i == 0);
    vef_table_free(table);
}

void vef_table_write_doc(vef_table *table, vef_doc *doc, const char *key) {
    assert(table->count % table->columns == 0);
    vef_doc_open_list(doc, key);
    for (size_t i = table->columns; i < table->count; i++) {
        const vef_cell *cell = &table->cells[i];
        const char *head = table->cells[i % table->columns].text;
        if (i % table->columns == 0)
            vef_doc_open_map(doc, NULL);
        if (cell->number && vef_doc_is_number(cell->text))
            vef_doc_number(doc, head, cell->text);
        else if (cell->number && *cell->text == '\0')
            vef_doc_null(doc, head);
        else
            vef_doc_string(doc, head, cell->text);
        if ((i + 1) % table->columns == 0)
            vef_doc_close(doc);
    }
    vef_doc_close(doc);
    vef_table_free(table);
}
