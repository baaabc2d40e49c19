/* Charts of a study. See tables.h. Bars are means over the points of a category and a series;
 * curves connect the points of a series; of points each is the mean of a series. Repetitions are
 * averaged, with intervals. Facets are panels with the same axes: those asked for, or the first
 * columns of more series than a panel can show. */
#include "cli/study/tables.h"

#include "common/memory.h"
#include "common/units.h"
#include "study/table.h"
#include "study/verdict/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points, each the first with its labels in some columns. */
typedef struct groups {
    const size_t *columns;
    size_t column_count;
    size_t *point;
    size_t count;
} groups;

typedef struct drawing {
    const vef_study *study;
    const vef_study_store *store;
    const vef_study_chart *chart;
    size_t *columns; /* that points of one mean share */
    size_t column_count;
    groups facets, series, x;
    bool percent; /* differences from the base */
} drawing;

static bool is_alike(const vef_study *study, size_t p, size_t q, const groups *as) {
    return vef_study_is_alike(&study->points[p], &study->points[q], as->columns, as->column_count);
}

/* Drops groups without a value. */
static void drop_empty(const drawing *drawn, groups *found) {
    size_t kept = 0;
    for (size_t g = 0; g < found->count; g++) {
        bool filled = false;
        for (size_t p = 0; !filled && p < drawn->study->point_count; p++)
            filled = isfinite(vef_study_value_of(drawn->study, drawn->store, p, drawn->chart->y)) &&
                     is_alike(drawn->study, p, found->point[g], found);
        if (filled)
            found->point[kept++] = found->point[g];
    }
    found->count = kept;
}

static void find_all_groups(const drawing *drawn, const size_t *columns, size_t count,
                            groups *found) {
    *found = (groups){.columns = columns, .column_count = count};
    found->point = vef_calloc(drawn->study->point_count, sizeof *found->point);
    found->count = vef_study_group(drawn->study, columns, count, NULL, found->point);
}

static void find_groups(const drawing *drawn, const size_t *columns, size_t count, groups *found) {
    find_all_groups(drawn, columns, count, found);
    drop_empty(drawn, found);
}

/* The columns that a mean does not average over: bars have those of x and the series; curves over a
 * figure have all but the seed. */
static void choose_columns(drawing *drawn) {
    const vef_study *study = drawn->study;
    const vef_study_chart *chart = drawn->chart;
    const size_t x = vef_study_find_column(study, chart->x);
    const bool named = chart->kind == VEF_STUDY_POINTS || x != SIZE_MAX;
    drawn->columns = vef_calloc(study->column_count + chart->series_count + chart->facet_count + 1,
                                sizeof *drawn->columns);
    for (size_t i = 0; named && i < chart->series_count; i++)
        drawn->columns[drawn->column_count++] = chart->series[i];
    for (size_t i = 0; named && i < chart->facet_count; i++)
        drawn->columns[drawn->column_count++] = chart->facets[i];
    if (x != SIZE_MAX)
        drawn->columns[drawn->column_count++] = x;
    for (size_t c = 0; !named && c < study->column_count; c++)
        if (study->columns[c].part != VEF_STUDY_REPETITIONS)
            drawn->columns[drawn->column_count++] = c;
}

/* The labels of a group in one text; allocated. */
static char *name_of(const drawing *drawn, const groups *from, size_t g) {
    char *text = NULL;
    size_t bytes = 0;
    const char *separator = "";
    FILE *out = vef_memory_stream(&text, &bytes);
    for (size_t i = 0; i < from->column_count; i++) {
        const char *label = drawn->study->points[from->point[g]].label[from->columns[i]];
        if (!label)
            continue;
        fprintf(out, "%s%s", separator, label);
        separator = ", ";
    }
    fclose(out);
    return text;
}

static vef_study_mean mean_of(const drawing *drawn, size_t point, const char *measure,
                              bool relative) {
    return vef_study_mean_find(drawn->study, drawn->store, measure, relative,
                               &drawn->study->points[point], drawn->columns, drawn->column_count);
}

/* Of the figure that the chart shows. */
static vef_study_mean value_of(const drawing *drawn, size_t point) {
    vef_study_mean mean = mean_of(drawn, point, drawn->chart->y, drawn->chart->relative);
    if (drawn->percent) {
        mean.mean = 100 * (mean.mean - 1);
        mean.low = 100 * (mean.low - 1);
        mean.high = 100 * (mean.high - 1);
    }
    return mean;
}

static bool is_in(const drawing *drawn, size_t p, size_t facet, size_t series) {
    return is_alike(drawn->study, p, drawn->facets.point[facet], &drawn->facets) &&
           is_alike(drawn->study, p, drawn->series.point[series], &drawn->series);
}

/* ---- bars ---- */

/* The first point of a category; SIZE_MAX: none. */
static size_t find_point(const drawing *drawn, size_t x, size_t facet, size_t series) {
    for (size_t p = 0; p < drawn->study->point_count; p++)
        if (is_alike(drawn->study, p, drawn->x.point[x], &drawn->x) &&
            is_in(drawn, p, facet, series))
            return p;
    return SIZE_MAX;
}

/* Whether all bars of ratios are so long as that of the base that their differences do not show. */
static bool are_near(const drawing *drawn) {
    static const double NEAR = 0.1;
    for (size_t f = 0; f < drawn->facets.count; f++)
        for (size_t s = 0; s < drawn->series.count; s++)
            for (size_t x = 0; x < drawn->x.count; x++) {
                const size_t p = find_point(drawn, x, f, s);
                if (p != SIZE_MAX && fabs(value_of(drawn, p).mean - 1) >= NEAR)
                    return false;
            }
    return true;
}

/* The base has no difference from itself. */
static void add_bars(const drawing *drawn, size_t facet, size_t s, const char *name,
                     vef_panel *panel) {
    for (size_t x = 0; x < drawn->x.count; x++) {
        const size_t p = find_point(drawn, x, facet, s);
        if (p == SIZE_MAX || (drawn->percent && drawn->study->points[p].base == p))
            continue;
        const vef_study_mean mean = value_of(drawn, p);
        vef_panel_mark(vef_panel_series(panel, name, VEF_BARS), (double)x, mean.mean, mean.low,
                       mean.high);
    }
}

/* ---- units of labels ---- */

/* The number of a label and its unit, which is that of axes: "1 us" is 1000 ns. Without a unit, "".
 */
static double number_of(const char *label, const char **unit) {
    double number = 0;
    uint64_t whole = 0;
    char *end = NULL;
    *unit = "ns";
    if (vef_parse_time_ns(label, "", &number, NULL) == VEF_OK)
        return number;
    *unit = "B";
    if (vef_parse_bytes(label, "", &whole, NULL) == VEF_OK)
        return (double)whole;
    *unit = "bit/s";
    if (vef_parse_bandwidth(label, "", &whole, NULL) == VEF_OK)
        return (double)whole;
    number = strtod(label, &end);
    *unit = end + (*end == ' ');
    if (end == label || strpbrk(end, "0123456789")) /* a text, "16x8" */
        *unit = "";
    return number;
}

/* The unit that all labels of a column have, but those of 0; NULL: none. */
static const char *unit_of_labels(const vef_study *study, size_t column) {
    const char *common = NULL, *unit;
    for (size_t p = 0; p < study->point_count; p++) {
        const char *label = study->points[p].label[column];
        if (!label || number_of(label, &unit) == 0)
            continue;
        if (common && strcmp(unit, common) != 0)
            return NULL;
        common = unit;
    }
    return common && *common ? common : NULL;
}

/* ---- curves ---- */

/* Whether a repetition of a point has a result but no latency, since that has no bound. */
static bool is_beyond(const drawing *drawn, size_t p) {
    const vef_study *study = drawn->study;
    const groups as = {.columns = drawn->columns, .column_count = drawn->column_count};
    bool beyond = false;
    for (size_t q = 0; !beyond && q < study->point_count; q++) {
        const vef_study_record *record = vef_study_store_find(drawn->store, &study->points[q]);
        beyond = record && record->state == VEF_STUDY_DONE && is_alike(study, p, q, &as) &&
                 !isfinite(vef_study_value_of(study, drawn->store, q, drawn->chart->y));
    }
    return beyond;
}

static double x_of(const drawing *drawn, size_t p) {
    const size_t column = vef_study_find_column(drawn->study, drawn->chart->x);
    const char *unit, *label = column == SIZE_MAX ? NULL : drawn->study->points[p].label[column];
    return column == SIZE_MAX ? mean_of(drawn, p, drawn->chart->x, false).mean
           : label            ? number_of(label, &unit)
                              : (double)NAN;
}

/* The latency of messages ends at saturation. */
static void add_curve(const drawing *drawn, const groups *dots, size_t facet, size_t s,
                      vef_picture_series *curve) {
    const bool ends = strncmp(drawn->chart->y, "message_latency", 15) == 0;
    for (size_t d = 0; d < dots->count; d++) {
        const size_t p = dots->point[d];
        if (!is_in(drawn, p, facet, s))
            continue;
        const vef_study_mean y = value_of(drawn, p);
        const double x = x_of(drawn, p);
        if (ends && isfinite(x) && is_beyond(drawn, p))
            vef_panel_mark(curve, x, NAN, NAN, NAN);
        else if (isfinite(x) && isfinite(y.mean))
            vef_panel_mark(curve, x, y.mean, y.low, y.high);
    }
}

/* ---- points ---- */

static void add_point(const drawing *drawn, size_t facet, size_t s, vef_picture_series *dot) {
    size_t p = 0;
    while (p < drawn->study->point_count && !is_in(drawn, p, facet, s))
        p++;
    if (p == drawn->study->point_count)
        return;
    const vef_study_mean x = mean_of(drawn, p, drawn->chart->x, false), y = value_of(drawn, p);
    if (isfinite(x.mean) && isfinite(y.mean))
        vef_panel_mark(dot, x.mean, y.mean, y.low, y.high);
}

/* ---- the picture ---- */

/* The unit of a column or a figure; NULL: none. */
static const char *unit_of(const vef_study *study, const char *name) {
    const size_t column = vef_study_find_column(study, name);
    for (const vef_study_key *key = study->kind->keys; column != SIZE_MAX && key->key; key++)
        if (key->unit && strcmp(key->column, name) == 0)
            return key->unit;
    if (column != SIZE_MAX)
        return unit_of_labels(study, column);
    return vef_study_unit(name);
}

/* "latency mean (cycles)": a figure's name has no unit. The label is allocated. */
static void label_axis(const drawing *drawn, const char *name, bool relative, vef_axis *axis,
                       char **label) {
    const char *unit = unit_of(drawn->study, name);
    if (unit && strcmp(unit, "hops") == 0)
        unit = NULL; /* is the name's noun */
    char words[VEF_FIGURE_WORDS_BYTES];
    const bool figure = vef_study_find_column(drawn->study, name) == SIZE_MAX;
    *label = vef_strdup(figure ? vef_figure_words(words, name) : name);
    for (size_t i = 0; relative && i < drawn->study->summary.base.count; i++) {
        char *longer = vef_printed("%s%s%s", *label,
                                   i                ? ", "
                                   : drawn->percent ? ", difference from "
                                                    : " relative to ",
                                   drawn->study->summary.base.label[i]);
        free(*label);
        *label = longer;
    }
    axis->label = *label;
    axis->unit = !relative ? unit : drawn->percent ? "%" : NULL;
}

static void fill(const drawing *drawn, size_t facet, vef_panel *panel) {
    const vef_study_chart_kind kind = (vef_study_chart_kind)drawn->chart->kind;
    const bool bars = kind == VEF_STUDY_BARS;
    groups dots = {0};
    if (kind == VEF_STUDY_CURVES)
        find_all_groups(drawn, drawn->columns, drawn->column_count, &dots);
    for (size_t s = 0; s < drawn->series.count; s++) {
        char *name = name_of(drawn, &drawn->series, s);
        if (bars)
            add_bars(drawn, facet, s, name, panel);
        else if (kind == VEF_STUDY_POINTS)
            add_point(drawn, facet, s, vef_panel_series(panel, name, VEF_DOTS));
        else
            add_curve(drawn, &dots, facet, s, vef_panel_series(panel, name, VEF_LINE | VEF_DOTS));
        free(name);
    }
    for (size_t x = 0; bars && x < drawn->x.count; x++) {
        char *name = name_of(drawn, &drawn->x, x);
        vef_panel_name(panel, &panel->x, name);
        free(name);
    }
    free(dots.point);
}

static vef_code draw(drawing *drawn, const char *folder, const char *format, const char *figure,
                     vef_error *error) {
    enum { FACETS = 3 }; /* in a row */
    const vef_study_chart *chart = drawn->chart;
    vef_picture *picture = vef_picture_new(FACETS);
    char *path = vef_printed("%s/%s.%s", folder, chart->name, format), *labels[2];
    const bool bars = chart->kind == VEF_STUDY_BARS;
    vef_axis x = {.from_zero = chart->kind == VEF_STUDY_POINTS},
             y = {.from_zero = chart->kind != VEF_STUDY_CURVES};
    drawn->percent = chart->relative == VEF_STUDY_PERCENT ||
                     (chart->relative == VEF_STUDY_RELATIVE && bars && are_near(drawn));
    label_axis(drawn, chart->x, false, &x, &labels[0]);
    label_axis(drawn, chart->y, chart->relative, &y, &labels[1]);
    vef_picture_set_title(picture, chart->title, NULL);
    vef_picture_set_size(picture, &chart->size);
    for (size_t f = 0; f < drawn->facets.count; f++) {
        char *name = name_of(drawn, &drawn->facets, f);
        vef_panel *panel = vef_picture_add(picture, name);
        free(name);
        panel->x = x;
        panel->y = y;
        panel->group = drawn->facets.column_count > 0;
        fill(drawn, f, panel);
    }
    const vef_code code = vef_picture_save(picture, &(vef_plot){path, figure}, error);
    free(labels[0]);
    free(labels[1]);
    free(path);
    return code;
}

/* The facets and the series of each: without a key `facets`, as few of the first columns as leave
 * no more series than a panel has, but for points, which are compared with each other. */
static void split(drawing *drawn) {
    const vef_study_chart *chart = drawn->chart;
    size_t first = 0;
    find_groups(drawn, chart->series, chart->series_count, &drawn->series);
    while (!chart->facets && chart->kind != VEF_STUDY_POINTS &&
           drawn->series.count > VEF_MOST_SERIES && first < chart->series_count) {
        free(drawn->series.point);
        first++;
        find_groups(drawn, chart->series + first, chart->series_count - first, &drawn->series);
    }
    if (chart->facets)
        find_groups(drawn, chart->facets, chart->facet_count, &drawn->facets);
    else
        find_groups(drawn, chart->series, first, &drawn->facets);
}

vef_code vef_study_draw(const vef_study *study, const vef_study_store *store,
                        const vef_study_chart *chart, const char *folder, const char *format,
                        const char *figure, vef_error *error) {
    drawing drawn = {.study = study, .store = store, .chart = chart};
    const size_t x = vef_study_find_column(study, chart->x);
    vef_code code = VEF_OK;
    choose_columns(&drawn);
    split(&drawn);
    if (x != SIZE_MAX)
        find_groups(&drawn, &x, 1, &drawn.x);
    if (drawn.series.count > 0)
        code = draw(&drawn, folder, format, figure, error);
    free(drawn.columns);
    free(drawn.facets.point);
    free(drawn.series.point);
    free(drawn.x.point);
    return code;
}
