/* Geometric means relative to a base. See summary.h. */
#include "study/verdict/summary.h"

#include "common/memory.h"
#include "study/table.h"

#include <math.h>
#include <stdlib.h>

/* Numbers the curves, points that differ in the columns of the peak alone, in the order of their
 * first points. Each point is one without a peak, or where its columns are kept apart. */
static size_t number_curves(const vef_study *study, const size_t *kept, size_t count, size_t *curve,
                            size_t *first) {
    size_t *columns = vef_calloc(study->column_count + 1, sizeof *columns), others = 0;
    bool peak = study->summary.peak_count > 0;
    for (size_t i = 0; i < count; i++)
        peak = peak && !vef_study_is_peak(study, kept[i]);
    for (size_t c = 0; c < study->column_count; c++)
        if (!vef_study_is_peak(study, c))
            columns[others++] = c;
    const size_t curves =
        peak ? vef_study_group(study, columns, others, curve, first) : study->point_count;
    for (size_t p = 0; !peak && p < study->point_count; p++)
        curve[p] = first[p] = p;
    free(columns);
    return curves;
}

vef_study_mean vef_study_mean_find(const vef_study *study, const vef_study_store *store,
                                   const char *measure, bool relative, const vef_study_point *like,
                                   const size_t *columns, size_t count) {
    vef_study_sample found = {0};
    size_t *curve = vef_calloc(2 * study->point_count + 1, sizeof *curve);
    size_t *first = curve + study->point_count;
    double *values = vef_calloc(study->point_count + 1, sizeof *values);
    const size_t curves = number_curves(study, columns, count, curve, first);
    for (size_t c = 0; c < curves; c++)
        values[c] = NAN;
    for (size_t p = 0; p < study->point_count; p++)
        values[curve[p]] = fmax(values[curve[p]], vef_study_value_of(study, store, p, measure));
    for (size_t c = 0; c < curves; c++) {
        const vef_study_point *point = &study->points[first[c]];
        double value = values[c];
        if (relative)
            value /= point->base != SIZE_MAX ? values[curve[point->base]] : (double)NAN;
        if (vef_study_is_alike(point, like, columns, count))
            vef_study_sample_add(&found, point->seed, value, first[c], false);
    }
    const vef_study_mean mean = vef_study_sample_mean(&found, VEF_STUDY_CONFIDENCE);
    free(found.list);
    free(values);
    free(curve);
    return mean;
}

/* ---- the table ---- */

static vef_result *begin(const vef_study *study, vef_result *into) {
    static const vef_column last[] = {{.key = "low", .format = "%.6g"},
                                      {.key = "high", .format = "%.6g"},
                                      {.key = "repetitions"},
                                      {.key = "points"},
                                      {.key = "left_out"}};
    const vef_study_summary *summary = &study->summary;
    char key[128];
    vef_result *table = vef_put_table(into, "summary", VEF_EVERYONE, (const vef_column[]){{0}});
    for (size_t i = 0; i < summary->by_count; i++)
        vef_add_column(table, (vef_column){.key = study->columns[summary->by[i]].name});
    snprintf(key, sizeof key, "%s%s%s", summary->measure, summary->peak_count ? "_peak" : "",
             summary->base.count ? "_relative" : "_mean");
    vef_add_column(table, (vef_column){.key = key, .format = "%.6g"});
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        vef_add_column(table, last[i]);
    return table;
}

void vef_study_put_summary(const vef_study *study, const vef_study_store *store, vef_result *into) {
    const vef_study_summary *summary = &study->summary;
    vef_result *table = begin(study, into);
    size_t *first = vef_calloc(study->point_count + 1, sizeof *first);
    const size_t groups = vef_study_group(study, summary->by, summary->by_count, NULL, first);
    for (size_t g = 0; g < groups; g++) {
        const vef_study_point *point = &study->points[first[g]];
        const vef_study_mean mean =
            vef_study_mean_find(study, store, summary->measure, summary->base.count > 0, point,
                                summary->by, summary->by_count);
        for (size_t i = 0; i < summary->by_count; i++)
            VEF_CELLS(table, point->label[summary->by[i]] ? point->label[summary->by[i]] : "");
        VEF_CELLS(table, vef_study_number(mean.mean), vef_study_number(mean.low),
                  vef_study_number(mean.high), mean.repetitions, mean.points, mean.left_out);
    }
    free(first);
}
