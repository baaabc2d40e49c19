/* Tables of results and plans. See table.h. */
#include "study/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text) {
    return vef_doc_is_number(text);
}

static void add_text(vef_table *table, const char *text) {
    if (text && is_number(text))
        vef_table_number(table, "%s", text);
    else
        vef_table_text(table, text ? text : "");
}

/* The numbers of points have a column of their own, since parts may repeat labels. */
static vef_table *begin(const vef_study *study) {
    vef_table *table = vef_table_new((const char *const[]){"point"}, 1);
    for (size_t c = 0; c < study->column_count; c++)
        vef_table_head(table, study->columns[c].name);
    return table;
}

static void add_labels(vef_table *table, const vef_study *study, size_t p) {
    vef_table_number(table, "%zu", p + 1);
    for (size_t c = 0; c < study->column_count; c++)
        add_text(table, study->points[p].label[c]);
}

vef_table *vef_study_tabulate(const vef_study *study, const vef_study_store *store) {
    vef_table *table = begin(study);
    vef_table_head(table, "state");
    vef_table_head(table, "reason");
    for (size_t f = 0; study->kind->figures[f].name; f++)
        vef_table_head(table, study->kind->figures[f].name);
    vef_table_head(table, "key");
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record = vef_study_store_find(store, &study->points[p]);
        if (!record)
            continue;
        add_labels(table, study, p);
        vef_table_text(table, vef_study_state_name(record->state));
        vef_table_text(table, record->reason ? record->reason : "");
        for (size_t f = 0; study->kind->figures[f].name; f++)
            add_text(table, record->figures[f]);
        vef_table_text(table, study->points[p].key);
    }
    return table;
}

vef_table *vef_study_tabulate_plan(const vef_study *study, const vef_study_store *store,
                                   const double *seconds) {
    vef_table *table = begin(study);
    vef_table_head(table, "state");
    vef_table_head(table, "seconds");
    vef_table_head(table, "reason");
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        const vef_study_record *record = store ? vef_study_store_find(store, point) : NULL;
        const char *reason = record ? record->reason : point->refused;
        add_labels(table, study, p);
        vef_table_text(table, record              ? vef_study_state_name(record->state)
                              : point->first != p ? "same as before"
                              : point->refused    ? "cannot run"
                                                  : "to run");
        vef_table_number(table, "%.3g", point->first == p ? seconds[p] : 0);
        vef_table_text(table, reason ? reason : "");
    }
    return table;
}

double vef_study_value_of(const vef_study *study, const vef_study_store *store, size_t point,
                          const char *name) {
    const vef_study_record *record = vef_study_store_find(store, &study->points[point]);
    const size_t column = vef_study_find_column(study, name);
    const char *text = NULL;
    if (!record || record->state != VEF_STUDY_DONE)
        return NAN;
    if (column != SIZE_MAX)
        text = study->points[point].label[column];
    for (size_t f = 0; column == SIZE_MAX && study->kind->figures[f].name; f++)
        if (strcmp(study->kind->figures[f].name, name) == 0)
            text = record->figures[f];
    return text && is_number(text) ? strtod(text, NULL) : NAN;
}
