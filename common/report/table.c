/* Result tables, held as cells until all widths are known. See table.h. */
#include "common/report/table.h"

#include "common/arena.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct cell {
    const char *text;
    bool number;
} cell;

struct vef_table {
    vef_arena arena; /* the texts */
    size_t columns;
    cell *cells; /* row by row; the first row is the heads */
    size_t count, room;
    bool out_of_memory;
};

static void add(vef_table *table, const char *text, bool number) {
    if (table->count == table->room) {
        size_t room = table->room ? table->room * 2 : 64;
        cell *larger = realloc(table->cells, room * sizeof *larger);
        if (!larger) {
            table->out_of_memory = true;
            return;
        }
        table->cells = larger;
        table->room = room;
    }
    const char *copy = vef_arena_string(&table->arena, text);
    table->out_of_memory |= !copy;
    table->cells[table->count++] = (cell){copy ? copy : "", number};
}

vef_table *vef_table_new(const char *const *heads, size_t columns) {
    assert(columns > 0);
    vef_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    table->columns = columns;
    for (size_t i = 0; i < columns; i++)
        add(table, heads[i], false);
    if (!table->out_of_memory)
        return table;
    vef_table_free(table);
    return NULL;
}

void vef_table_free(vef_table *table) {
    if (!table)
        return;
    vef_arena_release(&table->arena);
    free(table->cells);
    free(table);
}

void vef_table_text(vef_table *table, const char *text) {
    add(table, text, false);
}

void vef_table_list(vef_table *table, const char *const *texts, size_t count) {
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 2;
    char *all = malloc(bytes), *at = all;
    for (size_t i = 0; all && i < count; i++) {
        at = stpcpy(at, i ? "; " : "");
        at = stpcpy(at, texts[i]);
    }
    if (all)
        *at = '\0';
    else
        table->out_of_memory = true;
    add(table, all ? all : "", false);
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

static size_t row_count(const vef_table *table) {
    return (table->count + table->columns - 1) / table->columns;
}

/* NULL beyond the last cell of a row that is not full. */
static const cell *cell_at(const vef_table *table, size_t row, size_t column) {
    size_t i = row * table->columns + column;
    return i < table->count ? &table->cells[i] : NULL;
}

static vef_code finish(const vef_table *table, FILE *out, vef_error *error) {
    if (table->out_of_memory)
        return vef_fail_memory(error, "a result table", table->count * sizeof(cell));
    errno = 0;
    if (fflush(out) != 0 || ferror(out)) {
        errno = errno ? errno : EIO;
        return vef_fail_errno(error, "cannot write the table");
    }
    return VEF_OK;
}

/* ---- aligned text ---- */

/* Characters, not bytes: what continues a UTF-8 character takes no place of its own. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void write_spaces(FILE *out, size_t count) {
    fprintf(out, "%*s", (int)count, "");
}

/* A line break or tab within a cell would break the alignment. */
static void write_in_line(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

typedef struct column {
    size_t width;
    bool numbers; /* the head stands over the side on which the cells are aligned */
} column;

static column measure(const vef_table *table, size_t at) {
    column found = {0, false};
    for (size_t row = 0; row < row_count(table); row++) {
        const cell *shown = cell_at(table, row, at);
        size_t width = shown ? width_of(shown->text) : 0;
        found.width = width > found.width ? width : found.width;
        found.numbers |= shown && shown->number;
    }
    return found;
}

static void write_row(const vef_table *table, size_t row, const column *columns, FILE *out) {
    size_t owed = 0; /* spaces, written only when something follows */
    for (size_t i = 0; i < table->columns; i++) {
        const cell *shown = cell_at(table, row, i);
        const char *text = shown ? shown->text : "";
        size_t padding = columns[i].width - width_of(text);
        bool right = row == 0 ? columns[i].numbers : shown && shown->number;
        owed += i ? 2 : 0;
        if (right)
            owed += padding;
        if (*text) {
            write_spaces(out, owed);
            write_in_line(out, text);
            owed = 0;
        }
        if (!right)
            owed += padding;
    }
    fputc('\n', out);
}

vef_code vef_table_write(const vef_table *table, FILE *out, vef_error *error) {
    column *columns = calloc(table->columns + 1, sizeof *columns);
    if (!columns)
        return vef_fail_memory(error, "a result table", table->columns * sizeof *columns);
    for (size_t i = 0; i < table->columns; i++)
        columns[i] = measure(table, i);
    for (size_t row = 0; row < row_count(table); row++)
        write_row(table, row, columns, out);
    free(columns);
    return finish(table, out, error);
}

/* ---- CSV and documents ---- */

static void write_csv_field(FILE *out, const char *text) {
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

vef_code vef_table_write_csv(const vef_table *table, FILE *out, vef_error *error) {
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t i = 0; i < table->columns; i++) {
            const cell *shown = cell_at(table, row, i);
            if (i)
                fputc(',', out);
            write_csv_field(out, shown ? shown->text : "");
        }
        fputc('\n', out);
    }
    return finish(table, out, error);
}

vef_code vef_table_write_doc(const vef_table *table, vef_doc *doc, const char *key,
                             vef_error *error) {
    vef_doc_open_list(doc, key);
    for (size_t row = 1; row < row_count(table); row++) {
        vef_doc_open_map(doc, NULL);
        for (size_t i = 0; i < table->columns; i++) {
            const cell *shown = cell_at(table, row, i);
            const char *head = table->cells[i].text;
            if (shown && shown->number && vef_doc_is_number(shown->text))
                vef_doc_number(doc, head, shown->text);
            else
                vef_doc_string(doc, head, shown ? shown->text : NULL);
        }
        vef_doc_close(doc);
    }
    vef_doc_close(doc);
    return finish(table, doc->out, error);
}
