/* Tables of results and plans. See table.h. */
#include "study/table.h"

#include "common/report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table whose rows begin with a point: its number, since parts may repeat labels, and labels. */
static vef_result *begin(const vef_study *study, vef_result *into, const char *name,
                         unsigned readers) {
    vef_result *table =
        vef_put_table(into, name, readers, (const vef_column[]){{.key = "point"}, {0}});
    for (size_t c = 0; c < study->column_count; c++)
        vef_add_column(table, (vef_column){.key = study->columns[c].name});
    return table;
}

static void add_text(vef_result *table, const char *text) {
    VEF_CELLS(table, vef_value_read(text ? text : ""));
}

static void add_labels(vef_result *table, const vef_study *study, size_t p) {
    VEF_CELLS(table, p + 1);
    for (size_t c = 0; c < study->column_count; c++)
        add_text(table, study->points[p].label[c]);
}

/* NaN: the figure is another one. */
static double figure_of_network(const vef_study_point *point, const char *name) {
    for (size_t f = 0; f < VEF_STUDY_NETWORK_FIGURES; f++)
        if (strcmp(vef_study_network_figures[f], name) == 0)
            return point->of_network[f];
    return NAN;
}

void vef_study_put_results(const vef_study *study, const vef_study_store *store, vef_result *into) {
    vef_result *table = begin(study, into, "results", VEF_TABLES | VEF_DOCUMENTS);
    vef_add_column(table, (vef_column){.key = "state"});
    vef_add_column(table, (vef_column){.key = "reason"});
    for (size_t f = 0; study->kind->figures[f]; f++)
        vef_add_column(table, (vef_column){.key = study->kind->figures[f], .exact = "%.10g"});
    vef_add_column(table, (vef_column){.key = "key"});
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record = vef_study_store_find(store, &study->points[p]);
        const char *refused = study->points[p].refused;
        if (!record && !refused)
            continue;
        add_labels(table, study, p);
        VEF_CELLS(table, vef_study_state_name(record ? record->state : VEF_STUDY_REFUSED),
                  record && record->reason ? record->reason
                  : refused                ? refused
                                           : "");
        for (size_t f = 0; study->kind->figures[f]; f++)
            if (record && record->figures[f])
                add_text(table, record->figures[f]);
            else
                VEF_CELLS(table, vef_value_real(figure_of_network(&study->points[p],
                                                                  study->kind->figures[f])));
        VEF_CELLS(table, (const char *)study->points[p].key);
    }
}

void vef_study_put_plan(const vef_study *study, const vef_study_store *store, const double *seconds,
                        vef_result *into) {
    vef_result *table = begin(study, into, "plan", VEF_EVERYONE);
    vef_add_column(table, (vef_column){.key = "state"});
    vef_add_column(table, (vef_column){.key = "seconds", .format = "%.3g"});
    for (size_t f = 0; f < VEF_STUDY_NETWORK_FIGURES; f++)
        vef_add_column(table,
                       (vef_column){.key = vef_study_network_figures[f],
                                    .format = "%.6g",
                                    .readers = study->hold.cost ? 0 : VEF_TABLES | VEF_DOCUMENTS});
    vef_add_column(table, (vef_column){.key = "reason"});
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        const vef_study_record *record = store ? vef_study_store_find(store, point) : NULL;
        const char *reason = record ? record->reason : point->refused;
        add_labels(table, study, p);
        VEF_CELLS(table,
                  record              ? vef_study_state_name(record->state)
                  : point->first != p ? "same as before"
                  : point->refused    ? "cannot run"
                                      : "to run",
                  point->first == p && !point->refused ? seconds[p] : 0);
        for (size_t f = 0; f < VEF_STUDY_NETWORK_FIGURES; f++)
            VEF_CELLS(table, vef_value_real(point->of_network[f]));
        VEF_CELLS(table, reason ? reason : "");
    }
}

const char *vef_study_text_of(const vef_study *study, const vef_study_store *store, size_t point,
                              const char *name) {
    const vef_study_record *record = vef_study_store_find(store, &study->points[point]);
    const size_t column = vef_study_find_column(study, name);
    const char *text = NULL;
    if (!record || record->state != VEF_STUDY_DONE)
        return NULL;
    if (column != SIZE_MAX)
        text = study->points[point].label[column];
    for (size_t f = 0; column == SIZE_MAX && study->kind->figures[f]; f++)
        if (strcmp(study->kind->figures[f], name) == 0)
            text = record->figures[f];
    return text;
}

double vef_study_value_of(const vef_study *study, const vef_study_store *store, size_t point,
                          const char *name) {
    const char *text = vef_study_text_of(study, store, point, name);
    if (!text && vef_study_find_column(study, name) == SIZE_MAX) {
        const vef_study_record *record = vef_study_store_find(store, &study->points[point]);
        return record && record->state == VEF_STUDY_DONE
                   ? figure_of_network(&study->points[point], name)
                   : (double)NAN;
    }
    return text && vef_json_is_number(text) ? strtod(text, NULL) : NAN;
}
