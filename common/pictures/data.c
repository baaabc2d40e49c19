/* The data of pictures. See picture.h. */
#include "common/memory.h"
#include "common/pictures/parts.h"

#include <stdlib.h>
#include <string.h>

static char *copy_of(vef_picture *picture, const char *text) {
    return text && *text ? vef_arena_string(&picture->arena, text) : NULL;
}

vef_picture *vef_picture_new(size_t columns) {
    vef_picture *picture = vef_calloc(1, sizeof *picture);
    picture->columns = columns;
    picture->size = vef_picture_size_usual;
    return picture;
}

void vef_picture_set_title(vef_picture *picture, const char *title, const char *remark) {
    picture->title = copy_of(picture, title);
    picture->remark = copy_of(picture, remark);
}

const char *vef_picture_name(const char *path) {
    const char *slash = *path == '{' ? NULL : strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void vef_picture_set_size(vef_picture *picture, const vef_picture_size *size) {
    picture->size = *size;
}

void vef_picture_free(vef_picture *picture) {
    vef_arena_release(&picture->arena);
    free(picture);
}

vef_panel *vef_picture_add(vef_picture *picture, const char *title) {
    vef_panel *panel = vef_arena_alloc(&picture->arena, 1, sizeof *panel);
    *panel = (vef_panel){.picture = picture, .title = copy_of(picture, title)};
    vef_arena_grow(&picture->arena, &picture->panels, picture->panel_count,
                   sizeof *picture->panels);
    picture->panels[picture->panel_count++] = panel;
    return panel;
}

void vef_panel_name(vef_panel *panel, vef_axis *axis, const char *name) {
    vef_arena_grow(&panel->picture->arena, &axis->names, axis->name_count, sizeof *axis->names);
    axis->names[axis->name_count++] = copy_of(panel->picture, name);
}

/* The first series of the picture with that name, NULL: none. */
static vef_picture_series *find_series(const vef_picture *picture, const char *label) {
    for (size_t p = 0; label && p < picture->panel_count; p++)
        for (size_t s = 0; s < picture->panels[p]->series_count; s++) {
            vef_picture_series *series = picture->panels[p]->series[s];
            if (series->label && strcmp(series->label, label) == 0)
                return series;
        }
    return NULL;
}

vef_picture_series *vef_panel_series(vef_panel *panel, const char *label, unsigned style) {
    vef_picture *picture = panel->picture;
    vef_picture_series *first = find_series(picture, label);
    for (size_t s = 0; style == VEF_BARS && s < panel->series_count; s++) {
        vef_picture_series *bars = panel->series[s];
        if (bars->style == style && strcmp(bars->label ? bars->label : "", label ? label : "") == 0)
            return bars;
    }
    vef_picture_series *series = vef_arena_alloc(&picture->arena, 1, sizeof *series);
    *series = (vef_picture_series){.panel = panel,
                                   .label = copy_of(picture, label),
                                   .style = style,
                                   .sample = label && *label && !first ? style : 0,
                                   .number = first ? first->number : picture->numbers,
                                   .symbols = style & VEF_DOTS || (first && first->symbols)};
    if (first && first->panel == panel)
        first->sample |= style;
    picture->numbers += !first && label && !(style & VEF_REFERENCE);
    vef_arena_grow(&picture->arena, &panel->series, panel->series_count, sizeof *panel->series);
    panel->series[panel->series_count++] = series;
    return series;
}

void vef_panel_mark(vef_picture_series *series, double x, double y, double low, double high) {
    vef_arena_grow(&series->panel->picture->arena, &series->marks, series->mark_count,
                   sizeof *series->marks);
    series->marks[series->mark_count++] = (vef_picture_mark){x, y, low, high};
}

static void add_shape(vef_panel *panel, vef_picture_shape shape) {
    vef_arena_grow(&panel->picture->arena, &panel->shapes, panel->shape_count,
                   sizeof *panel->shapes);
    panel->shapes[panel->shape_count++] = shape;
}

void vef_panel_cell(vef_panel *panel, double left, double low, double right, double high,
                    double value) {
    add_shape(panel, (vef_picture_shape){VEF_CELL, left, low, right, high, value, NULL});
}

void vef_panel_line(vef_panel *panel, double x, double y, double dx, double dy, double value) {
    add_shape(panel, (vef_picture_shape){VEF_STROKE, x, y, x + dx, y + dy, value, NULL});
}

void vef_panel_label(vef_panel *panel, double x, double y, double room, double value,
                     const char *text) {
    add_shape(panel, (vef_picture_shape){room > 0 ? VEF_FITTED : VEF_LABEL, x - room / 2, y,
                                         x + room / 2, y, value, copy_of(panel->picture, text)});
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
