/* Scales of axes and of colours: limits, places, and ticks at round numbers with short texts.
 *
 * Linear axes have ticks at multiples of 1, 2 or 5 times a power of ten; large and small numbers
 * are shown in a larger unit ("ms" for times in ns, "MB", "Mcycles"), which the title of the axis
 * names. Logarithmic axes have ticks at powers, each with its unit ("1 kB"). */
#ifndef VEF_COMMON_PICTURES_SCALE_H
#define VEF_COMMON_PICTURES_SCALE_H

#include <stdbool.h>
#include <stddef.h>

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

enum { VEF_AXIS_TITLE_BYTES = 320 };

typedef struct vef_axis_tick {
    double value;
    char *text; /* NULL: a small tick without text */
} vef_axis_tick;

typedef struct vef_scale {
    const vef_axis *axis;
    vef_axis_kind kind; /* not VEF_AXIS_AUTO */
    double least, most;
    char title[VEF_AXIS_TITLE_BYTES]; /* label and unit */
    vef_axis_tick *ticks;
    size_t tick_count, tick_room;
} vef_scale;

/* Sets up the scale for data from `least` to `most` (least > most: there is none), with about that
 * many ticks. Free it by vef_scale_free. */
void vef_scale_set(vef_scale *scale, const vef_axis *axis, double least, double most, int ticks);

void vef_scale_free(vef_scale *scale);

/* Where a value is: 0 at the least, 1 at the most, NAN: nowhere. */
double vef_scale_place(const vef_scale *scale, double value);

#endif
