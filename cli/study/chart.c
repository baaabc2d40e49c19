/* Charts of a study. See chart.h. Bars are means over the points of a category and a series; curves
 * connect the points of a series; of points each is the mean of a series. Repetitions are averaged,
 * with intervals. */
#include "cli/study/chart.h"

#include "common/memory.h"
#include "common/pictures/picture.h"
#include "common/units.h"
#include "study/summary.h"
#include "study/table.h"

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
    groups series, x;
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

static void find_groups(const drawing *drawn, const size_t *columns, size_t count, groups *found) {
    const vef_study *study = drawn->study;
    *found = (groups){.columns = columns, .column_count = count};
    found->point = vef_calloc(study->point_count, sizeof *found->point);
    for (size_t p = 0; p < study->point_count; p++) {
        size_t g = 0;
        while (g < found->count && !is_alike(study, p, found->point[g], found))
            g++;
        if (g == found->count)
            found->point[found->count++] = p;
    }
    drop_empty(drawn, found);
}

/* The columns that a mean does not average over: bars have those of x and the series; curves over a
 * figure have all but the seed. */
static void choose_columns(drawing *drawn) {
    const vef_study *study = drawn->study;
    const vef_study_chart *chart = drawn->chart;
    const size_t x = vef_study_find_column(study, chart->x);
    const bool points = chart->kind == VEF_STUDY_POINTS;
    drawn->columns =
        vef_calloc(study->column_count + chart->series_count + 1, sizeof *drawn->columns);
    for (size_t i = 0; (points || x != SIZE_MAX) && i < chart->series_count; i++)
        drawn->columns[drawn->column_count++] = chart->series[i];
    if (x != SIZE_MAX)
        drawn->columns[drawn->column_count++] = x;
    for (size_t c = 0; !points && x == SIZE_MAX && c < study->column_count; c++)
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

/* ---- bars ---- */

/* The first point of a category and a series; SIZE_MAX: none. */
static size_t find_point(const drawing *drawn, size_t x, size_t series) {
    for (size_t p = 0; p < drawn->study->point_count; p++)
        if (is_alike(drawn->study, p, drawn->x.point[x], &drawn->x) &&
            is_alike(drawn->study, p, drawn->series.point[series], &drawn->series))
            return p;
    return SIZE_MAX;
}

static void add_bars(const drawing *drawn, size_t s, vef_picture_series *bars) {
    for (size_t x = 0; x < drawn->x.count; x++) {
        const size_t p = find_point(drawn, x, s);
        if (p == SIZE_MAX)
            continue;
        const vef_study_mean mean = mean_of(drawn, p, drawn->chart->y, drawn->chart->relative);
        vef_panel_mark(bars, (double)x, mean.mean, mean.low, mean.high);
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

static void add_curve(const drawing *drawn, const groups *dots, size_t s,
                      vef_picture_series *curve) {
    const vef_study *study = drawn->study;
    const size_t column = vef_study_find_column(study, drawn->chart->x);
    const char *unit;
    for (size_t d = 0; d < dots->count; d++) {
        const size_t p = dots->point[d];
        vef_study_mean x = {.mean = NAN};
        if (!is_alike(study, p, drawn->series.point[s], &drawn->series))
            continue;
        const vef_study_mean y = mean_of(drawn, p, drawn->chart->y, drawn->chart->relative);
        if (column == SIZE_MAX)
            x = mean_of(drawn, p, drawn->chart->x, false);
        else if (study->points[p].label[column])
            x.mean = number_of(study->points[p].label[column], &unit);
        if (isfinite(x.mean) && isfinite(y.mean))
            vef_panel_mark(curve, x.mean, y.mean, y.low, y.high);
    }
}

/* ---- points ---- */

static void add_point(const drawing *drawn, size_t s, vef_picture_series *dot) {
    const size_t p = drawn->series.point[s];
    const vef_study_mean x = mean_of(drawn, p, drawn->chart->x, false);
    const vef_study_mean y = mean_of(drawn, p, drawn->chart->y, drawn->chart->relative);
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
    for (const vef_study_figure *figure = study->kind->figures; figure->name; figure++)
        if (strcmp(figure->name, name) == 0)
            return figure->unit;
    return NULL;
}

/* "latency_mean (cycles)": a unit at the end of a name is not written twice. The label is
 * allocated.
 */
static void label_axis(const drawing *drawn, const char *name, bool relative, vef_axis *axis,
                       char **label) {
    const char *unit = relative ? NULL : unit_of(drawn->study, name);
    const size_t length = strlen(name), tail = unit ? strlen(unit) : 0;
    const bool named = tail && length > tail + 1 && name[length - tail - 1] == '_' &&
                       strcmp(name + length - tail, unit) == 0;
    *label = vef_printed("%.*s%s", (int)(named ? length - tail - 1 : length), name,
                         relative ? " / base" : "");
    axis->label = *label;
    axis->unit = unit;
}

static void fill(const drawing *drawn, vef_panel *panel) {
    static const unsigned styles[] = {[VEF_STUDY_BARS] = VEF_BARS,
                                      [VEF_STUDY_CURVES] = VEF_LINE | VEF_DOTS,
                                      [VEF_STUDY_POINTS] = VEF_DOTS};
    const bool bars = drawn->chart->kind == VEF_STUDY_BARS;
    groups dots = {0};
    if (drawn->chart->kind == VEF_STUDY_CURVES)
        find_groups(drawn, drawn->columns, drawn->column_count, &dots);
    for (size_t s = 0; s < drawn->series.count; s++) {
        char *name = name_of(drawn, &drawn->series, s);
        vef_picture_series *series = vef_panel_series(panel, name, styles[drawn->chart->kind]);
        free(name);
        if (bars)
            add_bars(drawn, s, series);
        else if (drawn->chart->kind == VEF_STUDY_POINTS)
            add_point(drawn, s, series);
        else
            add_curve(drawn, &dots, s, series);
    }
    for (size_t x = 0; bars && x < drawn->x.count; x++) {
        char *name = name_of(drawn, &drawn->x, x);
        vef_panel_name(panel, &panel->x, name);
        free(name);
    }
    free(dots.point);
}

static vef_code draw(const drawing *drawn, const char *folder, const char *format,
                     vef_error *error) {
    const vef_study_chart *chart = drawn->chart;
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, chart->title);
    char *path = vef_printed("%s/%s.%s", folder, chart->name, format), *labels[2];
    label_axis(drawn, chart->x, false, &panel->x, &labels[0]);
    label_axis(drawn, chart->y, chart->relative, &panel->y, &labels[1]);
    panel->x.from_zero = chart->kind == VEF_STUDY_POINTS;
    panel->y.from_zero = chart->kind != VEF_STUDY_CURVES;
    fill(drawn, panel);
    const vef_code code = vef_picture_save(picture, path, error);
    free(labels[0]);
    free(labels[1]);
    free(path);
    return code;
}

vef_code vef_study_draw(const vef_study *study, const vef_study_store *store,
                        const vef_study_chart *chart, const char *folder, const char *format,
                        vef_error *error) {
    drawing drawn = {.study = study, .store = store, .chart = chart};
    const size_t x = vef_study_find_column(study, chart->x);
    vef_code code = VEF_OK;
    choose_columns(&drawn);
    find_groups(&drawn, chart->series, chart->series_count, &drawn.series);
    if (x != SIZE_MAX)
        find_groups(&drawn, &x, 1, &drawn.x);
    if (drawn.series.count > 0)
        code = draw(&drawn, folder, format, error);
    free(drawn.columns);
    free(drawn.series.point);
    free(drawn.x.point);
    return code;
}
