/* The inside of pictures, for the files of this folder: what a picture holds, and how it is drawn.
 */
#ifndef VEF_COMMON_PICTURES_PARTS_H
#define VEF_COMMON_PICTURES_PARTS_H

#include "common/arena.h"
#include "common/pictures/picture.h"
#include "common/pictures/svg.h"

typedef struct vef_picture_mark {
    double x, y, low, high;
} vef_picture_mark;

struct vef_picture_series {
    vef_panel *panel;
    char *label; /* NULL: none */
    unsigned style;
    unsigned sample; /* its style in the legend of the panel; 0: not in that legend */
    size_t number;   /* number of its colour and symbol */
    bool symbols;    /* it has symbols, or another series of its name in the picture has */
    vef_picture_mark *marks;
    size_t mark_count;
};

typedef enum vef_shape_kind { VEF_CELL, VEF_STROKE, VEF_LABEL, VEF_FITTED } vef_shape_kind;

typedef struct vef_picture_shape {
    vef_shape_kind kind;
    double x1, y1, x2, y2;
    double value; /* selects the colour; NAN: none */
    char *text;
} vef_picture_shape;

struct vef_picture {
    vef_arena arena; /* holds panels, series and their data */
    size_t columns;  /* panels in a row, at most */
    char *title, *remark;
    vef_picture_size size;
    vef_panel **panels;
    size_t panel_count;
    size_t numbers; /* different names of series so far */
};

/* ---- scales ---- */

typedef struct vef_axis_tick {
    double value;
    char *text; /* NULL: a small tick without text */
} vef_axis_tick;

typedef struct vef_scale {
    const vef_axis *axis;
    vef_axis_kind kind; /* not VEF_AXIS_AUTO */
    double least, most;
    char title[320]; /* label and unit */
    vef_axis_tick *ticks;
    size_t tick_count, tick_room;
} vef_scale;

/* Sets up the scale for data from `least` to `most` (least > most: there is none), with about that
 * many ticks. Free it by vef_scale_free. */
void vef_scale_set(vef_scale *scale, const vef_axis *axis, double least, double most, int ticks);

void vef_scale_free(vef_scale *scale);

/* Where a value is: 0 at the least, 1 at the most, NAN: nowhere. */
double vef_scale_place(const vef_scale *scale, double value);

/* ---- the page ---- */

/* A panel on the page. The box is where the data are; margins hold ticks, names, the legend. */
typedef struct vef_picture_frame {
    const vef_panel *panel;
    vef_scale x, y, colour;
    double width, height;            /* size of the box */
    double left, right, top, bottom; /* widths of the margins */
    bool bare_x, bare_y;             /* a neighbour shows the texts of the axis */
    double legend_height;
    double angle;        /* inclination of the texts at ticks of x, in degrees */
    double box_x, box_y; /* upper left corner of the box */
    size_t bars;         /* number of series with bars */
    bool coloured;       /* whether the panel has a scale of colours */
} vef_picture_frame;

extern const vef_svg_font vef_picture_font; /* of ticks and legends */
extern const char vef_picture_grey[];       /* colour of what is not measured */

/* The legend of a panel, NULL: of all panels, at a place; returns its height. `out` NULL: only
 * measures. */
double vef_legend_write(const vef_picture *picture, const vef_panel *panel, double x, double y,
                        double width, FILE *out);

/* Defines the hatches that bars of the picture have. */
void vef_hatches_write(const vef_picture *picture, FILE *out);

/* Draw a series, and all shapes, in the box. */
void vef_series_write(const vef_picture_frame *frame, size_t series, FILE *out);
void vef_shapes_write(const vef_picture_frame *frame, FILE *out);

/* The colour at a share of the scale of colours, light to dark. Returns `text`, of 8 bytes. */
const char *vef_colour_at(double share, char *text);

/* Where a value is on the page. */
static inline double vef_picture_x(const vef_picture_frame *frame, double value) {
    const double share = vef_scale_place(&frame->x, value);
    return frame->box_x + frame->width * share;
}

static inline double vef_picture_y(const vef_picture_frame *frame, double value) {
    const double share = vef_scale_place(&frame->y, value);
    return frame->box_y + frame->height * (frame->panel->y.reversed ? share : 1 - share);
}

#endif
