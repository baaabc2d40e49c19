/* The nodes of a result, for its writers; private to common/report. */
#ifndef VEF_COMMON_REPORT_TREE_H
#define VEF_COMMON_REPORT_TREE_H

#include "common/arena.h"
#include "common/report/result.h"

enum { VEF_CELL_BYTES = 128 };

typedef enum vef_node_form {
    VEF_FORM_GROUP,
    VEF_FORM_LIST,
    VEF_FORM_TABLE,
    VEF_FORM_SCALAR,
    VEF_FORM_LINE
} vef_node_form;

typedef struct vef_row {
    struct vef_row *next;
    vef_result *members; /* further members in documents, in a group; NULL: none */
    vef_value cells[];
} vef_row;

struct vef_result {
    vef_node_form form;
    vef_reader reader;
    vef_arena *arena;
    double cycle_ns;          /* vef_result_set_cycle_ns */
    const char *name;         /* in documents; NULL: none */
    vef_result *next;         /* in its group or list */
    vef_value value;          /* SCALAR; LINE: a text */
    vef_result *first, *last; /* GROUP, LIST: members */
    /* TABLE */
    vef_column *columns;
    size_t column_count, cell_count; /* cell_count: of the last row */
    bool full_precision;
    vef_row *rows, *last_row;
    void (*fill)(const void *context, vef_result *table); /* NULL: the rows are stored */
    const void *context;
    void (*write_row)(void *writer, const vef_result *table, const vef_row *row); /* while filled */
    void *writer;
};

/* Whether programs that read tables, or documents, see a column. */
static inline bool vef_column_is_for(const vef_column *column, vef_reader reader) {
    return column->key && (!column->readers || column->readers & reader);
}

static inline const char *vef_column_exact(const vef_column *column) {
    return column->exact || column->scale > 0 ? column->exact : column->format;
}

/* Calls `write_row` for each row, stored or streamed. */
void vef_visit_rows(const vef_result *table,
                    void (*write_row)(void *writer, const vef_result *table, const vef_row *row),
                    void *writer);

/* The text of a cell or value: its own, or in `text`, of VEF_CELL_BYTES. Of none: "". */
const char *vef_value_write(char *text, const vef_value *value, const char *format);

void vef_write_csv_table(const vef_result *table, FILE *out);

#endif
