/* Geometric means relative to a base. See summary.h. */
#include "study/summary.h"

#include "study/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether two points differ in the columns of the peak alone. */
static bool same_curve(const vef_study *study, size_t p, size_t q) {
    const vef_study_summary *summary = &study->summary;
    for (size_t c = 0; c < study->column_count; c++) {
        bool of_peak = false;
        for (size_t i = 0; i < summary->peak_count; i++)
            of_peak = of_peak || summary->peak[i] == c;
        if (!of_peak && !vef_study_is_alike(&study->points[p], &study->points[q], &c, 1))
            return false;
    }
    return true;
}

/* The greatest value of a point's curve; NaN: none. */
static double peak_of(const vef_study *study, const vef_study_store *store, size_t p,
                      const char *measure) {
    double most = NAN;
    for (size_t q = 0; q < study->point_count; q++)
        if (same_curve(study, p, q))
            most = fmax(most, vef_study_value_of(study, store, q, measure));
    return most;
}

static bool is_first_of_curve(const vef_study *study, size_t p) {
    for (size_t q = 0; q < p; q++)
        if (same_curve(study, p, q))
            return false;
    return true;
}

/* Whether peaks are meant: not where the columns of the peak are kept apart. */
static bool has_peak(const vef_study *study, const size_t *columns, size_t count) {
    for (size_t i = 0; i < study->summary.peak_count; i++)
        for (size_t c = 0; c < count; c++)
            if (columns[c] == study->summary.peak[i])
                return false;
    return study->summary.peak_count > 0;
}

vef_study_mean vef_study_mean_find(const vef_study *study, const vef_study_store *store,
                                   const char *measure, bool relative, const vef_study_point *like,
                                   const size_t *columns, size_t count) {
    vef_study_sample found = {0};
    size_t points = 0, left_out = 0;
    const bool peak = has_peak(study, columns, count);
    double (*value_of)(const vef_study *, const vef_study_store *, size_t, const char *) =
        peak ? peak_of : vef_study_value_of;
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        if (!vef_study_is_alike(point, like, columns, count) ||
            (peak && !is_first_of_curve(study, p)))
            continue;
        double value = value_of(study, store, p, measure);
        if (relative && point->base != SIZE_MAX)
            value /= value_of(study, store, point->base, measure);
        if (!(value > 0) || !isfinite(value) || (relative && point->base == SIZE_MAX)) {
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
    return mean;
}

/* ---- the table ---- */

static vef_value number_or_nothing(double value) {
    return isfinite(value) ? vef_value_real(value) : vef_value_text("");
}

static bool is_first(const vef_study *study, size_t p) {
    const vef_study_summary *summary = &study->summary;
    for (size_t q = 0; q < p; q++)
        if (vef_study_is_alike(&study->points[q], &study->points[p], summary->by,
                               summary->by_count))
            return false;
    return true;
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
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_point *point = &study->points[p];
        if (!is_first(study, p))
            continue;
        const vef_study_mean mean =
            vef_study_mean_find(study, store, summary->measure, summary->base.count > 0, point,
                                summary->by, summary->by_count);
        for (size_t i = 0; i < summary->by_count; i++)
            VEF_CELLS(table, point->label[summary->by[i]] ? point->label[summary->by[i]] : "");
        VEF_CELLS(table, number_or_nothing(mean.mean), number_or_nothing(mean.low),
                  number_or_nothing(mean.high), mean.repetitions, mean.points, mean.left_out);
    }
}
