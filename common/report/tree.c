/* Results: the tree and its builders. See result.h. */
#include "common/report/tree.h"

#include "common/memory.h"
#include "common/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct root {
    vef_result group; /* first: the result is a pointer to it */
    vef_arena arena;
} root;

vef_result *vef_result_new(vef_reader reader) {
    root *made = vef_calloc(1, sizeof *made);
    made->group = (vef_result){.form = VEF_FORM_GROUP, .reader = reader, .arena = &made->arena};
    return &made->group;
}

void vef_result_free(vef_result *result) {
    if (!result)
        return;
    root *made = (root *)(void *)result;
    vef_arena_release(&made->arena);
    free(made);
}

bool vef_result_is_for(const vef_result *node, unsigned readers) {
    return node->reader & readers;
}

void vef_result_set_cycle_ns(vef_result *node, double cycle_ns) {
    node->cycle_ns = cycle_ns;
}

static vef_value keep(vef_result *node, vef_value value) {
    if ((value.kind == VEF_VALUE_TEXT || value.kind == VEF_VALUE_NUMBER) && !node->write_row)
        value.text = vef_arena_string(node->arena, value.text);
    return value;
}

/* A new member; for others than the reader it is made, but not linked. */
static vef_result *add(vef_result *in, vef_node_form form, const char *name, unsigned readers) {
    vef_result *made = vef_arena_alloc(in->arena, 1, sizeof *made);
    *made = (vef_result){
        .form = form, .reader = in->reader, .arena = in->arena, .cycle_ns = in->cycle_ns};
    if (!(in->reader & readers))
        return made;
    made->name = name ? vef_arena_string(in->arena, name) : NULL;
    if (in->form == VEF_FORM_TABLE) {
        vef_row *row = in->last_row;
        if (!row->members) {
            row->members = vef_arena_alloc(in->arena, 1, sizeof *made);
            *row->members = (vef_result){.form = VEF_FORM_GROUP,
                                         .reader = in->reader,
                                         .arena = in->arena,
                                         .cycle_ns = in->cycle_ns};
        }
        in = row->members;
    }
    assert(form == VEF_FORM_LINE || in->reader != VEF_DOCUMENTS ||
           (in->form == VEF_FORM_LIST) == (name == NULL));
    if (in->last)
        in->last->next = made;
    else
        in->first = made;
    in->last = made;
    return made;
}

/* ---- values ---- */

const char *vef_value_write(char *text, const vef_value *value, const char *format) {
    text[0] = '\0';
    switch (value->kind) {
    case VEF_VALUE_NONE:
        break;
    case VEF_VALUE_TEXT:
    case VEF_VALUE_NUMBER:
        return value->text;
    case VEF_VALUE_BOOL:
        return value->truth ? "true" : "false";
    case VEF_VALUE_INT:
        snprintf(text, VEF_CELL_BYTES, "%" PRId64, value->integer);
        break;
    case VEF_VALUE_UINT:
        snprintf(text, VEF_CELL_BYTES, "%" PRIu64, value->count);
        break;
    case VEF_VALUE_REAL:
        if (!isfinite(value->real))
            break;
        if (!format)
            return vef_format_real(text, value->real);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, VEF_CELL_BYTES, format, value->real);
#pragma GCC diagnostic pop
    }
    return text;
}

/* ---- cycles and ns ---- */

/* The name of the same in ns; NULL: the value is not in cycles, or `former` is that name. */
static const char *name_in_ns(const vef_result *node, const char *name, const char *former) {
    static const char suffix[] = "_cycles";
    const size_t length = name ? strlen(name) : 0, cut = sizeof suffix - 1;
    if (node->cycle_ns <= 0 || length < cut || strcmp(name + length - cut, suffix) != 0)
        return NULL;
    char *made = vef_arena_string(node->arena, name);
    strcpy(made + length - cut, "_ns");
    return former && strcmp(former, made) == 0 ? NULL : made;
}

/* The product to 15 digits, without those of rounding. */
static vef_value times(vef_value value, double factor) {
    char text[VEF_CELL_BYTES];
    if (value.kind == VEF_VALUE_UINT)
        value = vef_value_real((double)value.count);
    if (value.kind != VEF_VALUE_REAL || !isfinite(value.real))
        return value;
    snprintf(text, sizeof text, "%.15g", value.real * factor);
    return vef_value_real(strtod(text, NULL));
}

/* ---- groups and lists ---- */

vef_result *vef_put_group(vef_result *in, const char *name) {
    return add(in, VEF_FORM_GROUP, name, VEF_EVERYONE);
}

vef_result *vef_put_list(vef_result *in, const char *name) {
    return add(in, VEF_FORM_LIST, name, VEF_EVERYONE);
}

void vef_put_value(vef_result *in, const char *name, vef_value value) {
    if (in->reader != VEF_DOCUMENTS)
        return;
    const char *in_ns = name_in_ns(in, name, in->last ? in->last->name : NULL);
    if (in_ns)
        add(in, VEF_FORM_SCALAR, in_ns, VEF_DOCUMENTS)->value = times(value, in->cycle_ns);
    add(in, VEF_FORM_SCALAR, name, VEF_DOCUMENTS)->value = keep(in, value);
}

void vef_put_texts(vef_result *in, const char *name, const char *const *texts, size_t count) {
    vef_result *list = vef_put_list(in, name);
    for (size_t i = 0; i < count; i++)
        VEF_PUT(list, NULL, texts[i]);
}

static void add_line(vef_result *in, char *text) {
    add(in, VEF_FORM_LINE, NULL, VEF_PEOPLE)->value = keep(in, vef_value_text(text));
    free(text);
}

void vef_say(vef_result *in, const char *format, ...) {
    if (in->reader != VEF_PEOPLE)
        return;
    va_list arguments;
    va_start(arguments, format);
    add_line(in, vef_vprinted(format, arguments));
    va_end(arguments);
}

static char *written(void (*write)(const void *context, FILE *out), const void *context) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    write(context, out);
    fclose(out);
    return text;
}

void vef_say_by(vef_result *in, void (*write)(const void *context, FILE *out),
                const void *context) {
    if (in->reader == VEF_PEOPLE)
        add_line(in, written(write, context));
}

/* ---- tables ---- */

vef_result *vef_put_table(vef_result *in, const char *name, unsigned readers,
                          const vef_column *columns) {
    vef_result *table = add(in, VEF_FORM_TABLE, name, readers);
    table->full_precision = readers & VEF_FULL_PRECISION;
    vef_add_columns(table, columns);
    return table;
}

static const char *copy(vef_arena *arena, const char *text) {
    return text ? vef_arena_string(arena, text) : NULL;
}

static void add_column(vef_result *table, vef_column column) {
    const size_t count = table->column_count++;
    assert(!table->rows);
    vef_arena_grow(table->arena, &table->columns, count, sizeof column);
    table->columns[count] = column;
    table->columns[count].key = copy(table->arena, column.key);
    table->columns[count].label = copy(table->arena, column.label);
}

void vef_add_column(vef_result *table, vef_column column) {
    const size_t count = table->column_count;
    const char *in_ns = name_in_ns(table, column.key, count ? table->columns[count - 1].key : NULL);
    if (in_ns)
        add_column(table, (vef_column){.key = in_ns,
                                       .format = column.scale > 0 ? NULL : column.format,
                                       .exact = "%.12g",
                                       .readers = column.readers
                                                      ? (column.readers & ~(unsigned)VEF_PEOPLE) |
                                                            VEF_NO_READER
                                                      : 0,
                                       .next_times = table->cycle_ns});
    add_column(table, column);
}

void vef_add_columns(vef_result *table, const vef_column *columns) {
    for (; columns->key || columns->label; columns++)
        vef_add_column(table, *columns);
}

vef_result *vef_put_stream(vef_result *in, const char *name, unsigned readers,
                           const vef_column *columns,
                           void (*fill)(const void *context, vef_result *table),
                           const void *context) {
    vef_result *table = vef_put_table(in, name, readers, columns);
    table->fill = fill;
    table->context = context;
    return table;
}

/* The row that gets the next cell. */
static vef_row *open_row(vef_result *table) {
    vef_row *last = table->last_row;
    if (last && table->cell_count < table->column_count)
        return last;
    table->cell_count = 0;
    if (last && table->write_row) /* it has been written */
        return last;
    vef_row *row =
        vef_arena_alloc(table->arena, 1, sizeof *row + table->column_count * sizeof *row->cells);
    if (last)
        last->next = row;
    else
        table->rows = row;
    table->last_row = row;
    return row;
}

void vef_cells(vef_result *table, const vef_value *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vef_row *row = open_row(table);
        const double factor = table->columns[table->cell_count].next_times;
        if (factor > 0)
            row->cells[table->cell_count++] = times(cells[i], factor);
        row->cells[table->cell_count++] = keep(table, cells[i]);
        if (table->write_row && table->cell_count == table->column_count)
            table->write_row(table->writer, table, row);
    }
}

void vef_cell_printed(vef_result *table, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    VEF_CELLS(table, ((vef_value){VEF_VALUE_NUMBER, .text = text}));
}

void vef_cell_by(vef_result *table, void (*write)(const void *context, FILE *out),
                 const void *context) {
    char *text = written(write, context);
    VEF_CELLS(table, text);
    free(text);
}

void vef_cell_texts(vef_result *table, const char *const *texts, size_t count) {
    char *joined = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&joined, &bytes);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "; " : "", texts[i]);
    fclose(out);
    VEF_CELLS(table, joined);
    free(joined);
}

void vef_visit_rows(const vef_result *table,
                    void (*write_row)(void *writer, const vef_result *table, const vef_row *row),
                    void *writer) {
    if (table->fill) {
        vef_result filled = *table;
        filled.write_row = write_row;
        filled.writer = writer;
        table->fill(table->context, &filled);
        return;
    }
    assert(!table->rows || table->cell_count == table->column_count);
    for (const vef_row *row = table->rows; row; row = row->next)
        write_row(writer, table, row);
}
