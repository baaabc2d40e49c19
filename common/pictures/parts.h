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
    unsigned sample; /* styles in the legend; 0: not in the legend of this panel */
    size_t number;   /* of its colour and symbol */
    vef_picture_mark *marks;
    size_t mark_count;
};

typedef enum vef_shape_kind { VEF_CELL, VEF_STROKE, VEF_LABEL, VEF_FITTED } vef_shape_kind;

typedef struct vef_shape {
    vef_shape_kind kind;
    double x1, y1, x2, y2;
    double value; /* NAN: no colour */
    char *text;
} vef_shape;

struct vef_picture {
    vef_arena arena; /* holds all of it */
    size_t columns;  /* of panels */
    vef_panel **panels;
    size_t panel_count;
    size_t numbers; /* of series so far */
};

/* A panel on the page. The box is where the data are; margins hold ticks, names, the legend. */
typedef struct vef_picture_frame {
    const vef_panel *panel;
    vef_scale x, y, colour;
    double width, height; /* of the box */
    double left, right, top, bottom;
    double legend_height;
    double angle;        /* of the names of categories */
    double box_x, box_y; /* the upper left corner of the box */
    size_t bars;         /* series of bars */
    bool coloured;       /* there is a scale of colours */
} vef_picture_frame;

extern const vef_svg_font vef_picture_font; /* of ticks and legends */

/* The legend of a panel, at a place; returns its height. `out` NULL: only measures. */
double vef_legend_write(const vef_panel *panel, double x, double y, double width, FILE *out);

/* Draws what a series or all shapes have to show in a frame. */
void vef_series_write(const vef_picture_frame *frame, size_t series, FILE *out);
void vef_shapes_write(const vef_picture_frame *frame, FILE *out);

/* The colour at a share of the scale of colours, light to dark. Returns `text`, of 8 bytes. */
const char *vef_colour_at(double share, char *text);

/* Where a value is on the page. */
static inline double vef_frame_x(const vef_picture_frame *frame, double value) {
    const double share = vef_scale_place(&frame->x, value);
    return frame->box_x + frame->width * (frame->panel->x.reversed ? 1 - share : share);
}

static inline double vef_frame_y(const vef_picture_frame *frame, double value) {
    const double share = vef_scale_place(&frame->y, value);
    return frame->box_y + frame->height * (frame->panel->y.reversed ? share : 1 - share);
}

#endif
