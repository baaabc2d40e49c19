/* Pictures of data, as SVG, PDF or PNG: panels in rows. A panel has axes, a legend and a scale of
 * colours, and shows curves, dots and grouped bars with intervals, heat maps, lines and numbers.
 * The caller adds data in its own units; this module chooses limits, ticks, colours and places.
 *
 *     vef_picture *picture = vef_picture_new(1);
 *     vef_panel *panel = vef_picture_add(picture, "uniform traffic");
 *     panel->x = (vef_axis){.label = "offered load", .unit = "B/s", .from_zero = true};
 *     panel->y = (vef_axis){.label = "latency", .unit = "ns"};
 *     vef_picture_series *mean = vef_panel_series(panel, "mean", VEF_LINE | VEF_DOTS);
 *     vef_panel_mark(mean, 1e9, 730, 720, 740);
 *     vef_picture_save(picture, &(vef_plot){"load.svg", NULL}, error); */
#ifndef VEF_COMMON_PICTURES_PICTURE_H
#define VEF_COMMON_PICTURES_PICTURE_H

#include "common/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vef_picture vef_picture;
typedef struct vef_picture_series vef_picture_series;

/* Linear axes show large numbers in a larger unit ("ms" for times in ns, "MB", "Mcycles"), which
 * their title names; logarithmic axes name it at each tick ("1 kB"). */
typedef enum vef_axis_kind {
    VEF_AXIS_LINEAR,
    VEF_AXIS_AUTO,  /* logarithmic for data over a factor of more than 20, else linear from 0 */
    VEF_AXIS_WHOLE, /* linear, with ticks at whole numbers: ranks of tasks */
    VEF_AXIS_LOG10,
    VEF_AXIS_LOG2
} vef_axis_kind;

typedef struct vef_axis {
    vef_axis_kind kind;
    const char *label;  /* NULL: none */
    const char *unit;   /* unit of the data, "ns", "B", "cycles"; NULL: none */
    double least, most; /* limits; unless least < most, the limits of the data */
    bool from_zero;     /* limits of the data include 0 */
    bool reversed;      /* y grows downwards, as the rows of a matrix */
    bool bare;          /* neither line nor ticks */
    char **names;       /* names at 0, 1, … instead of numbers; vef_panel_name adds them */
    size_t name_count;
} vef_axis;

typedef struct vef_panel {
    vef_axis x, y;
    vef_axis colour; /* scale of cells, lines and labels, from light (little) to dark (much) */
    bool square;     /* a unit of x is as long as a unit of y */
    unsigned group;  /* panels of the same number share the limits of x and y, and the texts of
                        axes with their neighbours (facets); 0: none */
    /* ---- set by the functions below ---- */
    vef_picture *picture;
    char *title;
    vef_picture_series **series;
    size_t series_count;
    struct vef_picture_shape *shapes;
    size_t shape_count;
} vef_panel;

/* How large a picture is printed. A member that is 0 is as the panels need. */
typedef struct vef_picture_size {
    double width_m, height_m;
    double font;      /* size of texts in points */
    uint32_t columns; /* panels in a row */
    bool title;       /* whether the picture has its title; captions can replace it */
} vef_picture_size;

extern const vef_picture_size vef_picture_size_usual;

/* Makes a picture with at most so many panels in a row; the caller frees it by vef_picture_free. */
vef_picture *vef_picture_new(size_t columns);
/* Sets texts above all panels: a title, and a line in the font of legends; NULL: none. */
void vef_picture_set_title(vef_picture *picture, const char *title, const char *remark);
/* A file in titles: without its folder. A network as a text, in braces, is unchanged. */
const char *vef_picture_name(const char *path);
void vef_picture_set_size(vef_picture *picture, const vef_picture_size *size);
/* Adds a panel; NULL: without a title. The title is copied; texts of axes must outlive the picture.
 */
vef_panel *vef_picture_add(vef_picture *picture, const char *title);
void vef_picture_free(vef_picture *picture);

/* Styles of a series, which may be combined. */
enum {
    VEF_LINE = 1,
    VEF_DOTS = 2,
    VEF_BARS = 4,     /* from 0 to y; x is the number of the category */
    VEF_REFERENCE = 8 /* grey, for what is not measured */
};

/* Adds a series (of bars: if the panel has none of this name); NULL: without a name. Series of the
 * same name have the same colour and symbol. The legend of the first panel that has the name lists
 * it, or that of the picture if all panels have the same series. Any number of series differ by
 * symbol and dashes, or by hatches, alone. */
enum { VEF_MOST_SERIES = 8 }; /* in a panel, before callers make facets */
vef_picture_series *vef_panel_series(vef_panel *panel, const char *label, unsigned style);

/* Adds a point to a series, with the interval `low` to `high` of y (NAN: none). An infinite y is
 * the end of the axis. A y of NAN is beyond all bounds: lines have a gap there. Where lines end
 * before it, their symbol is at the upper edge, under an arrow. */
void vef_panel_mark(vef_picture_series *series, double x, double y, double low, double high);

/* Add a rectangle and a line in the colour of a value; NAN: a grey outline. */
void vef_panel_cell(vef_panel *panel, double left, double low, double right, double high,
                    double value);
void vef_panel_line(vef_panel *panel, double x, double y, double dx, double dy, double value);

/* Adds a text around a place, on a background in the colour of a value (NAN: white). `room` is the
 * width that it may have, in units of x (0: any). All texts of a panel with a `room` have the same
 * size; they are left out if that would be too small to read. */
void vef_panel_label(vef_panel *panel, double x, double y, double room, double value,
                     const char *text);

/* Adds the name of the next category, from 0 on, which replaces the numbers of the axis; NULL: a
 * category without a name. */
void vef_panel_name(vef_panel *panel, vef_axis *axis, const char *name);

/* A square matrix whose rows are numbered from the top. A cell of a large matrix covers several
 * rows and columns. */
typedef struct vef_matrix {
    uint32_t rows;
    uint32_t side;  /* rows and columns of a cell */
    uint32_t cells; /* in a row */
    double *values; /* of the cells by rows; NAN: no value */
} vef_matrix;

vef_matrix vef_matrix_make(uint32_t rows);
/* Adds `value` to a cell. */
void vef_matrix_add(vef_matrix *matrix, uint32_t row, uint32_t column, double value);
/* Sets a cell to the greater of its value and `value`. */
void vef_matrix_raise(vef_matrix *matrix, uint32_t row, uint32_t column, double value);
/* Adds the cells with values to the panel, sets its axes, and frees the matrix. Returns the
 * greatest value, or 0. */
double vef_panel_add_matrix(vef_panel *panel, const char *columns, const char *rows,
                            vef_matrix *matrix);

void vef_picture_write(const vef_picture *picture, FILE *out);

/* Writes the SVG that `write` writes to a file; converts it if the name ends in .pdf or .png. */
typedef void vef_picture_writer(const void *context, FILE *out);
vef_code vef_picture_write_file(const char *path, vef_picture_writer *write, const void *context,
                                vef_error *error);

/* What a command is asked to draw. */
typedef struct vef_plot {
    const char *path;   /* NULL: nothing */
    const char *figure; /* "width=84mm,font=8" (size.h); NULL: as the picture is */
} vef_plot;

/* Refuses names that end in none of .svg, .pdf and .png, files that cannot be written, PDF and PNG
 * without rsvg-convert, which makes them of the SVG, and wrong sizes. `option`: the one that asks
 * for the picture, "--plot". */
vef_code vef_picture_check(const char *option, const vef_plot *plot, vef_error *error);

/* Writes the picture to a file that vef_picture_check accepts, and frees it. */
vef_code vef_picture_save(vef_picture *picture, const vef_plot *plot, vef_error *error);

#endif
