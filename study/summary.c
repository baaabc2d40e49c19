/* Geometric means relative to a base. See summary.h. */
#include "study/summary.h"

#include "common/memory.h"
#include "study/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether peaks are meant: not where the columns of the peak are kept apart. */
static bool has_peak(const vef_study *study, const size_t *columns, size_t count) {
    for (size_t i = 0; i < study->summary.peak_count; i++)
        for (size_t c = 0; c < count; c++)
            if (columns[c] == study->summary.peak[i])
                return false;
    return study->summary.peak_count > 0;
}

/* Numbers the curves, points that differ in the columns of the peak alone, in the order of their
 * first points; without a peak each point is one. */
static void number_curves(const vef_study *study, bool peak, size_t *curve) {
    size_t *columns = vef_calloc(study->column_count + 1, sizeof *columns), count = 0;
    for (size_t c = 0; peak && c < study->column_count; c++) {
        bool of_peak = false;
        for (size_t i = 0; i < study->summary.peak_count; i++)
            of_peak = of_peak || study->summary.peak[i] == c;
        if (!of_peak)
            columns[count++] = c;
    }
    if (peak)
        vef_study_group(study, columns, count, curve);
    for (size_t p = 0; !peak && p < study->point_count; p++)
        curve[p] = p;
    free(columns);
}

vef_study_mean vef_study_mean_find(const vef_study *study, const vef_study_store *store,
                                   const char *measure, bool relative, const vef_study_point *like,
                                   const size_t *columns, size_t count) {
    vef_study_sample found = {0};
    size_t points = 0, left_out = 0, next = 0;
    size_t *curve = vef_calloc(study->point_count + 1, sizeof *curve);
    double *values = vef_calloc(study->point_count + 1, sizeof *values);
    number_curves(study, has_peak(study, columns, count), curve);
    for (size_t p = 0; p < study->point_count; p++)
        values[p] = NAN;
    for (size_t p = 0; p < study->point_count; p++)
        values[curve[p]] = fmax(values[curve[p]], vef_study_value_of(study, store, p, measure));
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        if (curve[p] < next)
            continue;
        next++;
        if (!vef_study_is_alike(point, like, columns, count))
            continue;
        double value = values[curve[p]];
        if (relative)
            value /= point->base != SIZE_MAX ? values[curve[point->base]] : (double)NAN;
        if (!(value > 0) || !isfinite(value)) {
            left_out++;
            continue;
        }
        points++;
        vef_study_sample_add(&found, point->seed, log(value), p);
    }
    vef_study_mean mean = vef_study_sample_mean(&found, VEF_STUDY_CONFIDENCE);
    mean.points = points;
    mean.left_out = left_out;
    free(found.list);
    free(values);
    free(curve);
    return mean;
}

/* ---- the table ---- */

static vef_value number_or_nothing(double value) {
    return isfinite(value) ? vef_value_real(value) : vef_value_text("");
}

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
    size_t *group = vef_calloc(study->point_count + 1, sizeof *group), next = 0;
    vef_study_group(study, summary->by, summary->by_count, group);
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        if (group[p] < next)
            continue;
        next++;
        const vef_study_mean mean =
            vef_study_mean_find(study, store, summary->measure, summary->base.count > 0, point,
                                summary->by, summary->by_count);
        for (size_t i = 0; i < summary->by_count; i++)
            VEF_CELLS(table, point->label[summary->by[i]] ? point->label[summary->by[i]] : "");
        VEF_CELLS(table, number_or_nothing(mean.mean), number_or_nothing(mean.low),
                  number_or_nothing(mean.high), mean.repetitions, mean.points, mean.left_out);
    }
    free(group);
}
