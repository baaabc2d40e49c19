/* The data of pictures. See picture.h. */
#include "common/pictures/parts.h"

#include "common/grow.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text) {
    return text && *text ? vef_strdup(text) : NULL;
}

vef_picture *vef_picture_new(const char *title, size_t columns) {
    vef_picture *picture = vef_calloc(1, sizeof *picture);
    *picture = (vef_picture){.title = copy_of(title), .columns = columns};
    return picture;
}

vef_panel *vef_picture_add(vef_picture *picture, const char *title) {
    vef_panel *panel = vef_calloc(1, sizeof *panel);
    *panel = (vef_panel){.picture = picture, .title = copy_of(title)};
    picture->panels =
        vef_realloc(picture->panels, (picture->panel_count + 1) * sizeof(vef_panel *));
    picture->panels[picture->panel_count++] = panel;
    return panel;
}

void vef_axis_add_name(vef_axis *axis, const char *name) {
    axis->names = vef_realloc(axis->names, (axis->name_count + 1) * sizeof *axis->names);
    axis->names[axis->name_count++] = copy_of(name);
}

static void free_names(const vef_axis *axis) {
    for (size_t i = 0; i < axis->name_count; i++)
        free(axis->names[i]);
    free(axis->names);
}

void vef_picture_free(vef_picture *picture) {
    for (size_t p = 0; picture && p < picture->panel_count; p++) {
        vef_panel *panel = picture->panels[p];
        for (size_t s = 0; s < panel->series_count; s++) {
            free(panel->series[s]->label);
            free(panel->series[s]->marks);
            free(panel->series[s]);
        }
        for (size_t s = 0; s < panel->shape_count; s++)
            free(panel->shapes[s].text);
        free_names(&panel->x);
        free_names(&panel->y);
        free(panel->series);
        free(panel->shapes);
        free(panel->title);
        free(panel);
    }
    if (picture) {
        free(picture->panels);
        free(picture->title);
    }
    free(picture);
}

/* The series of the picture with that name, NULL: none. */
static const vef_picture_series *find_series(const vef_picture *picture, const char *label) {
    for (size_t p = 0; p < picture->panel_count; p++)
        for (size_t s = 0; s < picture->panels[p]->series_count; s++) {
            const vef_picture_series *series = picture->panels[p]->series[s];
            if (series->label && label && strcmp(series->label, label) == 0)
                return series;
        }
    return NULL;
}

vef_picture_series *vef_panel_series(vef_panel *panel, const char *label, unsigned style) {
    vef_picture *picture = panel->picture;
    vef_picture_series *series = vef_calloc(1, sizeof *series);
    const vef_picture_series *like = find_series(picture, label);
    series->label = copy_of(label);
    series->style = style;
    series->number = like ? like->number : picture->numbers;
    picture->numbers += !like && label && !(style & VEF_REFERENCE);
    panel->series = vef_realloc(panel->series, (panel->series_count + 1) * sizeof series);
    panel->series[panel->series_count++] = series;
    return series;
}

void vef_panel_mark(vef_picture_series *series, double x, double y, double low, double high) {
    vef_grow(&series->marks, &series->mark_room, series->mark_count + 1, sizeof *series->marks);
    series->marks[series->mark_count++] = (vef_picture_mark){x, y, low, high};
}

static void add_shape(vef_panel *panel, vef_shape shape) {
    vef_grow(&panel->shapes, &panel->shape_room, panel->shape_count + 1, sizeof *panel->shapes);
    panel->shapes[panel->shape_count++] = shape;
}

void vef_panel_cell(vef_panel *panel, double left, double low, double right, double high,
                    double value) {
    add_shape(panel, (vef_shape){VEF_CELL, left, low, right, high, value, NULL});
}

void vef_panel_line(vef_panel *panel, double x, double y, double dx, double dy, double value) {
    add_shape(panel, (vef_shape){VEF_STROKE, x, y, x + dx, y + dy, value, NULL});
}

void vef_panel_label(vef_panel *panel, double x, double y, double room, double value,
                     const char *text) {
    add_shape(panel, (vef_shape){room > 0 ? VEF_FITTED : VEF_LABEL, x - room / 2, y, x + room / 2,
                                 y, value, vef_strdup(text)});
}

/* ---- matrices ---- */

enum { MOST_CELLS = 200 }; /* in a row: smaller ones are hard to see */

vef_matrix vef_matrix_make(uint32_t rows) {
    const uint32_t side = rows > MOST_CELLS ? (rows + MOST_CELLS - 1) / MOST_CELLS : 1;
    const uint32_t cells = (rows + side - 1) / side;
    vef_matrix matrix = {rows, side, cells, vef_calloc((size_t)cells * cells, sizeof(double))};
    for (size_t i = 0; i < (size_t)cells * cells; i++)
        matrix.values[i] = NAN;
    return matrix;
}

static double *cell_of(const vef_matrix *matrix, uint32_t row, uint32_t column) {
    return &matrix->values[(size_t)(row / matrix->side) * matrix->cells + column / matrix->side];
}

void vef_matrix_add(vef_matrix *matrix, uint32_t row, uint32_t column, double value) {
    double *cell = cell_of(matrix, row, column);
    *cell = isnan(*cell) ? value : *cell + value;
}

void vef_matrix_raise(vef_matrix *matrix, uint32_t row, uint32_t column, double value) {
    double *cell = cell_of(matrix, row, column);
    *cell = fmax(*cell, value);
}

double vef_panel_add_matrix(vef_panel *panel, const char *columns, const char *rows,
                            vef_matrix *matrix) {
    const double edge = matrix->rows - 0.5;
    double most = 0;
    panel->x = (vef_axis){
        .kind = VEF_AXIS_WHOLE, .label = columns, .least = -0.5, .most = fmax(0.5, edge)};
    panel->y = panel->x;
    panel->y.label = rows;
    panel->y.reversed = panel->square = true;
    for (uint32_t row = 0; row < matrix->rows; row += matrix->side)
        for (uint32_t column = 0; column < matrix->rows; column += matrix->side) {
            const double value = *cell_of(matrix, row, column);
            if (isnan(value))
                continue;
            vef_panel_cell(panel, column - 0.5, row - 0.5, fmin(column + matrix->side - 0.5, edge),
                           fmin(row + matrix->side - 0.5, edge), value);
            most = fmax(most, value);
        }
    free(matrix->values);
    *matrix = (vef_matrix){0};
    return most;
}
