/* Results: a tree of named values, from which text for people, tables for programs and documents
 * are written.
 *
 *   group   members with names: values, groups, lists, tables
 *   list    the same without names
 *   table   rows of cells in the same columns; in documents a list of groups
 *   line    text for people alone
 *
 * A result is built for one reader (people, programs that read tables, programs that read
 * documents): what is for others only is not stored, so a builder names it without asking. Texts
 * are copied. */
#ifndef VEF_COMMON_REPORT_RESULT_H
#define VEF_COMMON_REPORT_RESULT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vef_result vef_result;

typedef enum vef_reader {
    VEF_PEOPLE = 1,
    VEF_TABLES = 2,
    VEF_DOCUMENTS = 4,
    VEF_EVERYONE = 7,
    VEF_NO_READER = 16
} vef_reader;

vef_result *vef_result_new(vef_reader reader); /* its outermost group */
void vef_result_free(vef_result *root);        /* NULL is fine */
/* Whether the result that the node belongs to is for one of these readers. */
bool vef_result_is_for(const vef_result *node, unsigned readers);
/* The length of a cycle, for what is added below the node from now on: a value or column whose name
 * ends in "_cycles" comes after the same in ns ("_ns"), unless that has just been added. 0: none.
 */
void vef_result_set_cycle_ns(vef_result *node, double cycle_ns);

/* ---- values ---- */

typedef struct vef_value {
    enum vef_value_kind {
        VEF_VALUE_NONE, /* null; an empty cell */
        VEF_VALUE_TEXT,
        VEF_VALUE_NUMBER, /* text that is aligned as a number; in documents a number if it is one */
        VEF_VALUE_BOOL,
        VEF_VALUE_INT,
        VEF_VALUE_UINT,
        VEF_VALUE_REAL /* not finite: none, which people see as "n/a" */
    } kind;
    union {
        const char *text;
        bool truth;
        int64_t integer;
        uint64_t count;
        double real;
    };
} vef_value;

static inline vef_value vef_value_text(const char *text) { /* NULL: none */
    return (vef_value){text ? VEF_VALUE_TEXT : VEF_VALUE_NONE, .text = text};
}
/* A number if the text is one of JSON. */
vef_value vef_value_read(const char *text);
static inline vef_value vef_value_bool(bool truth) {
    return (vef_value){VEF_VALUE_BOOL, .truth = truth};
}
static inline vef_value vef_value_int(int64_t integer) {
    return (vef_value){VEF_VALUE_INT, .integer = integer};
}
static inline vef_value vef_value_uint(uint64_t count) {
    return (vef_value){VEF_VALUE_UINT, .count = count};
}
static inline vef_value vef_value_real(double real) {
    return (vef_value){VEF_VALUE_REAL, .real = real};
}
/* "n/a" where it is not finite, for programs, too. */
static inline vef_value vef_value_or_na(double real) {
    return isfinite(real) ? vef_value_real(real) : (vef_value){VEF_VALUE_NUMBER, .text = "n/a"};
}
static inline vef_value vef_value_same(vef_value value) {
    return value;
}
/* A number that is not known: people see "n/a". */
#define VEF_UNKNOWN (vef_value_real(NAN))
#define VEF_NO_VALUE ((vef_value){VEF_VALUE_NONE, .text = NULL})
/* A value that is none where `known` is false. */
#define VEF_IF(known, x) ((known) ? VEF_VALUE(x) : VEF_NO_VALUE)
/* clang-format off */
#define VEF_VALUE(x)                                                                               \
    _Generic((x), vef_value: vef_value_same, bool: vef_value_bool, int: vef_value_int,             \
             int64_t: vef_value_int, uint8_t: vef_value_uint, uint16_t: vef_value_uint,            \
             uint32_t: vef_value_uint, uint64_t: vef_value_uint, double: vef_value_real,           \
             char *: vef_value_text, const char *: vef_value_text)(x)
/* clang-format on */

/* ---- groups and lists ---- */

/* `name` is NULL in a list. In a table the group belongs to the row whose cells were added last. */
vef_result *vef_put_group(vef_result *in, const char *name);
vef_result *vef_put_list(vef_result *in, const char *name);

/* A value in documents. A comparison is an int: vef_value_bool(a == b). */
#define VEF_PUT(in, name, x) vef_put_value(in, name, VEF_VALUE(x))
void vef_put_value(vef_result *in, const char *name, vef_value value);
void vef_put_texts(vef_result *in, const char *name, const char *const *texts, size_t count);

/* Text for people, as printf. */
void vef_say(vef_result *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text for people that `write` writes; called at once, and only if it is for people. */
void vef_say_by(vef_result *in, void (*write)(const void *context, FILE *out), const void *context);

/* ---- tables ---- */

typedef struct vef_column {
    const char *key;    /* for programs; NULL: none */
    const char *label;  /* for people, with the unit; NULL: none, or the key if no column has one */
    const char *format; /* of real numbers, for people; NULL: in full precision */
    const char *exact;  /* for programs; NULL: as for people, if there is no scale */
    double scale;       /* of numbers for people (1e-6: ns as ms); 0: 1 */
    unsigned readers;   /* 0: those whom the names are for */
    double next_times;  /* its cells are those of the next column times this; 0: its own. Set by the
                           table (vef_result_set_cycle_ns) */
} vef_column;

enum { VEF_FULL_PRECISION = 8 }; /* in documents, whatever the formats */

/* The columns of a table: of each its key and label, NULL for none, and designated other fields. */
/* clang-format off */
#define VEF_COLUMN(key_, ...) {.key = key_, .label = __VA_ARGS__}
#define VEF_COLUMNS(...) {__VA_ARGS__, {0}}
/* clang-format on */

/* A table for these readers; ended by a column without key and label. Columns are copied. */
vef_result *vef_put_table(vef_result *in, const char *name, unsigned readers,
                          const vef_column *columns);
/* Further columns; before the first cell. */
void vef_add_column(vef_result *table, vef_column column);
void vef_add_columns(vef_result *table, const vef_column *columns);
/* A table whose rows are not kept: `fill` adds them whenever the table is written, with texts that
 * live until the row ends. For people it is written as CSV, since its widths are not known. */
vef_result *vef_put_stream(vef_result *in, const char *name, unsigned readers,
                           const vef_column *columns,
                           void (*fill)(const void *context, vef_result *table),
                           const void *context);

/* Adds cells to the current row, left to right; a full row begins the next. */
#define VEF_CELLS(table, ...)                                                                      \
    vef_cells(table, (const vef_value[]){VEF_VALUES(__VA_ARGS__)},                                 \
              sizeof((const vef_value[]){VEF_VALUES(__VA_ARGS__)}) / sizeof(vef_value))
void vef_cells(vef_result *table, const vef_value *cells, size_t count);
/* A cell with the text of printf, aligned as a number. */
void vef_cell_printed(vef_result *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A cell with the text that `write` writes. */
void vef_cell_by(vef_result *table, void (*write)(const void *context, FILE *out),
                 const void *context);
/* A cell with several texts, separated by "; ". */
void vef_cell_texts(vef_result *table, const char *const *texts, size_t count);

/* VEF_VALUE of each of up to 12 arguments. */
#define VEF_VALUES(...)                                                                            \
    VEF_PICK(__VA_ARGS__, VEF_V12, VEF_V11, VEF_V10, VEF_V9, VEF_V8, VEF_V7, VEF_V6, VEF_V5,       \
             VEF_V4, VEF_V3, VEF_V2, VEF_V1, )                                                     \
    (__VA_ARGS__)
#define VEF_PICK(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define VEF_V1(x) VEF_VALUE(x)
#define VEF_V2(x, ...) VEF_VALUE(x), VEF_V1(__VA_ARGS__)
#define VEF_V3(x, ...) VEF_VALUE(x), VEF_V2(__VA_ARGS__)
#define VEF_V4(x, ...) VEF_VALUE(x), VEF_V3(__VA_ARGS__)
#define VEF_V5(x, ...) VEF_VALUE(x), VEF_V4(__VA_ARGS__)
#define VEF_V6(x, ...) VEF_VALUE(x), VEF_V5(__VA_ARGS__)
#define VEF_V7(x, ...) VEF_VALUE(x), VEF_V6(__VA_ARGS__)
#define VEF_V8(x, ...) VEF_VALUE(x), VEF_V7(__VA_ARGS__)
#define VEF_V9(x, ...) VEF_VALUE(x), VEF_V8(__VA_ARGS__)
#define VEF_V10(x, ...) VEF_VALUE(x), VEF_V9(__VA_ARGS__)
#define VEF_V11(x, ...) VEF_VALUE(x), VEF_V10(__VA_ARGS__)
#define VEF_V12(x, ...) VEF_VALUE(x), VEF_V11(__VA_ARGS__)

/* ---- writing ---- */

void vef_write_text(const vef_result *root, FILE *out); /* for people */
void vef_write_csv(const vef_result *root, FILE *out);  /* tables, separated by an empty line */
void vef_write_json(const vef_result *root, FILE *out); /* documents */

#endif
