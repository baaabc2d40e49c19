/* The elements of an SVG file that pictures consist of. Texts of pictures are written here and
 * nowhere else, so that a name from a file stays a text. Lengths are in units of the page; y grows
 * downwards. */
#ifndef VEF_COMMON_PICTURES_SVG_H
#define VEF_COMMON_PICTURES_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum vef_svg_anchor { VEF_SVG_START, VEF_SVG_MIDDLE, VEF_SVG_END } vef_svg_anchor;

typedef struct vef_svg_font {
    double size;
    bool bold;
    vef_svg_anchor anchor;
    double angle;       /* degrees, clockwise */
    const char *colour; /* NULL: black */
} vef_svg_font;

/* A page of so many units; a unit has `scale` pixels (1/96 inch). */
void vef_svg_begin(double width, double height, double scale, FILE *out);
void vef_svg_end(FILE *out);

/* A text in one line. One that is wider than `width` ends in "…", and viewers show the whole when
 * the pointer rests on it. Of every text, control characters become blanks, and invalid UTF-8
 * becomes U+FFFD. */
void vef_svg_text(const vef_svg_font *font, double x, double y, double width, const char *text,
                  FILE *out);

/* A text in as many lines as it needs in a width. Returns the height of the lines. `out` NULL:
 * only measures. */
double vef_svg_paragraph(const vef_svg_font *font, double x, double y, double width,
                         const char *text, FILE *out);

/* The width of a text in Helvetica, Arial or Liberation Sans; a guess for other fonts. */
double vef_svg_text_width(const vef_svg_font *font, const char *text);

void vef_svg_line(double x1, double y1, double x2, double y2, const char *colour, double width,
                  FILE *out);

#endif
