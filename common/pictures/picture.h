/* Pictures of data as SVG: panels in rows, each with axes, and in them curves, dots, bars, cells of
 * a matrix, lines and numbers, with intervals, a legend, and a scale of colours. A caller adds data
 * in its own units; this module chooses limits, ticks, colours (which the colour-blind can tell
 * apart) and places, so that no text covers another. */
#ifndef VEF_COMMON_PICTURES_PICTURE_H
#define VEF_COMMON_PICTURES_PICTURE_H

#include "common/pictures/scale.h"
#include "common/status.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vef_picture vef_picture;
typedef struct vef_picture_series vef_picture_series;

typedef struct vef_panel {
    vef_axis x, y;
    vef_axis colour; /* of cells, lines and labels: light is little, dark is much */
    bool square;     /* a unit of x is as long as one of y */
    /* ---- set by the functions below ---- */
    vef_picture *picture;
    char *title;
    vef_picture_series **series;
    size_t series_count;
    struct vef_shape *shapes;
    size_t shape_count;
} vef_panel;

/* A picture of panels, so many in a row. Free it by vef_picture_free. */
vef_picture *vef_picture_new(size_t columns);
/* `title` NULL: none. Texts are copied, but those of axes must outlive the picture. */
vef_panel *vef_picture_add(vef_picture *picture, const char *title);
void vef_picture_free(vef_picture *picture);

enum {
    VEF_LINE = 1,
    VEF_DOTS = 2,
    VEF_BARS = 4,      /* from 0 to y; x: the category, 0, 1, … */
    VEF_DASHED = 8,    /* a line in dashes */
    VEF_REFERENCE = 16 /* grey: not a measurement */
};

/* Data with a name (NULL: none). Series of the same name have the same colour; the legend of the
 * first panel with such a series lists it. */
vef_picture_series *vef_panel_series(vef_panel *panel, const char *label, unsigned style);

/* A value and the bounds of its interval; one that is not finite: none. An infinite y is the end of
 * the axis. */
void vef_panel_mark(vef_picture_series *series, double x, double y, double low, double high);

/* A rectangle and a line in the colour of a value; a value below all of the scale: NAN, an outline.
 */
void vef_panel_cell(vef_panel *panel, double left, double low, double right, double high,
                    double value);
void vef_panel_line(vef_panel *panel, double x, double y, double dx, double dy, double value);

/* A text, its centre at that place, on the colour of a value (NAN: on white). All texts of a panel
 * with a `room` (the width they have, in units of x; 0: any) have the same size, and are left out
 * where they would be too small to read. */
void vef_panel_label(vef_panel *panel, double x, double y, double room, double value,
                     const char *text);

/* Names of categories, from 0 on, in place of numbers; NULL: a place without a name. */
void vef_panel_name(vef_panel *panel, vef_axis *axis, const char *name);

/* A square matrix whose rows are numbered from the top; where a cell of each would be too small,
 * one cell shows several rows and columns. Zero-initialised is none. */
typedef struct vef_matrix {
    uint32_t rows, side; /* `side` rows and columns in a cell */
    uint32_t cells;      /* in a row */
    double *values;      /* NAN: nothing was added */
} vef_matrix;

vef_matrix vef_matrix_make(uint32_t rows);
/* Adds to a cell, and makes it at least `value`. */
void vef_matrix_add(vef_matrix *matrix, uint32_t row, uint32_t column, double value);
void vef_matrix_raise(vef_matrix *matrix, uint32_t row, uint32_t column, double value);
/* Draws the cells, sets the axes of the panel, and frees the matrix. Returns the greatest value, 0:
 * there is none. */
double vef_panel_add_matrix(vef_panel *panel, const char *columns, const char *rows,
                            vef_matrix *matrix);

void vef_picture_write(const vef_picture *picture, FILE *out);

/* Writes what `write` writes, SVG, to a file; as PDF or PNG if its name ends in .pdf or .png. */
typedef void vef_picture_writer(const void *context, FILE *out);
vef_code vef_picture_write_file(const char *path, vef_picture_writer *write, const void *context,
                                vef_error *error);

/* Refuses names that end in none of .svg, .pdf and .png, files that cannot be written, and PDF and
 * PNG without rsvg-convert, which makes them of the SVG. `option`: the one that asks for the
 * picture, "--plot". */
vef_code vef_picture_check(const char *option, const char *path, vef_error *error);

/* Writes the picture to a file that vef_picture_check accepts, and frees it. */
vef_code vef_picture_save(vef_picture *picture, const char *path, vef_error *error);

#endif
