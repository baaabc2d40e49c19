/* Where the panels of a picture go, and their axes. See parts.h.
 *
 * The page has units of which the texts of ticks have 11: the size of texts scales all of it. Each
 * panel is measured, its box and the margins that its texts need; the panels of a column have their
 * boxes one below the other, those of a row beside each other. Where the size of the page is given,
 * boxes take what margins leave; fewer ticks need narrower margins, so that is repeated. */
#include "common/memory.h"
#include "common/pictures/parts.h"

#include <stdlib.h>

/* Sizes of boxes where that of the page is not given: a panel fits a column of a journal, 86 mm. */
enum { WIDTH = 280, FACET = 200, SQUARE = 320, TALLEST = 340, LEAST = 60, EDGE = 4, GAP = 14 };
/* Widths that panels, and facets, have at least before there are fewer in a row. */
enum { NARROW = 200, NARROW_FACET = 130 };
enum { TICK = 4, TICK_GAP = 7, LABEL = 17, BAR_GAP = 12, BAR = 12, MOST_NAME = 170, PASSES = 4 };
enum { TITLE_HEIGHT = 12, ROUNDING = 1 }; /* of the first line, above its base */
/* The least room of a category whose name is inclined or upright; if there is less, some have none.
 */
enum { INCLINED = 17, UPRIGHT = 12 };

static const double RATIO = 0.68; /* of a box: height over width */
static const char LIGHT[] = "#e4e4e4";

static const vef_svg_font LABEL_FONT = {.size = 12, .anchor = VEF_SVG_MIDDLE};
static const vef_svg_font TITLE_FONT = {.size = 12, .bold = true};

/* The page as it is laid out. Sizes are 0 where they are not given. */
typedef struct page {
    const vef_picture *picture;
    vef_picture_frame *frames;
    size_t count, columns, rows;
    double given_width, given_height; /* it is larger where panels have no room otherwise */
    double width, height;
    double head; /* height of the title and of the legend of the whole picture */
    bool legend; /* whether there is one */
} page;

/* ---- limits ---- */

typedef struct range {
    double least, most;
} range;

static void extend(range *data, const vef_axis *axis, double value) {
    if (!isfinite(value) || (axis->kind >= VEF_AXIS_LOG10 && value <= 0) ||
        (axis->kind == VEF_AXIS_AUTO && value < 0))
        return;
    data->least = fmin(data->least, value);
    data->most = fmax(data->most, value);
}

static void extend_by(const vef_panel *panel, range *x, range *y, range *colour) {
    for (size_t s = 0; s < panel->series_count; s++) {
        const vef_picture_series *series = panel->series[s];
        for (size_t i = 0; i < series->mark_count; i++) {
            const vef_picture_mark *mark = &series->marks[i];
            extend(x, &panel->x, mark->x);
            extend(y, &panel->y, mark->y);
            extend(y, &panel->y, mark->low);
            extend(y, &panel->y, mark->high);
        }
    }
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        extend(x, &panel->x, shape->x1);
        extend(x, &panel->x, shape->x2);
        extend(y, &panel->y, shape->y1);
        extend(y, &panel->y, shape->y2);
        extend(colour, &panel->colour, shape->value);
    }
}

static double tick_width(const vef_axis_tick *tick) {
    return tick->text ? fmin(MOST_NAME, vef_svg_text_width(&vef_picture_font, tick->text)) : 0;
}

static bool overlaps(const vef_scale *scale, double length, bool across) {
    double end = -INFINITY;
    for (size_t i = 0; i < scale->tick_count; i++) {
        const vef_axis_tick *tick = &scale->ticks[i];
        const double place = length * vef_scale_place(scale, tick->value);
        const double half = across ? tick_width(tick) / 2 + 3 : 6.5;
        if (!tick->text)
            continue;
        if (place - half < end)
            return true;
        end = place + half;
    }
    return false;
}

/* As many ticks, up to `ticks`, as have room for their texts in a length. */
static void set_scale(vef_scale *scale, const vef_axis *axis, range data, int ticks, double length,
                      bool across) {
    vef_scale_set(scale, axis, data.least, data.most, ticks);
    while (!axis->name_count && ticks > 1 && overlaps(scale, length, across)) {
        vef_scale_free(scale);
        vef_scale_set(scale, axis, data.least, data.most, --ticks);
    }
}

/* ---- sizes ---- */

static double widest_tick(const vef_scale *scale) {
    double widest = 0;
    for (size_t i = 0; i < scale->tick_count; i++)
        widest = fmax(widest, tick_width(&scale->ticks[i]));
    return widest;
}

/* Sets the box, for a room of that size, once its scales have limits. */
static void set_box(const page *on, vef_picture_frame *frame, double width, double height) {
    const vef_panel *panel = frame->panel;
    const bool fitted = on->given_width > 0;
    const double most = on->given_height > 0 ? height : fitted ? 2 * TALLEST : SQUARE;
    const double across = frame->x.most - frame->x.least, up = frame->y.most - frame->y.least;
    frame->width = width;
    frame->height = height;
    if (panel->square) { /* unless it is fitted, cells of a matrix are at least two units */
        const bool matrix = panel->x.kind == VEF_AXIS_WHOLE && panel->shape_count > 0;
        const double cell = matrix ? panel->shapes[0].x2 - panel->shapes[0].x1 : 1;
        double unit = fmin(fmin(width / across, most / up), matrix ? INFINITY : fitted ? 90 : 60);
        if (!fitted)
            unit = fmax(fmax(matrix ? 2 : 4, floor(cell * unit)) / cell, matrix ? 160 / up : 0);
        frame->width = unit * across;
        frame->height = unit * up;
    }
    if (panel->x.names && !fitted)
        frame->width = fmax(width, (double)panel->x.name_count * (9 * (double)frame->bars + 8));
    if (panel->y.names && on->given_height <= 0)
        frame->height = fmax(height, 24 * (double)panel->y.name_count);
}

/* The room of an axis's title. */
static double title_room(const char *title, double length) {
    const double line = vef_svg_paragraph(&LABEL_FONT, 0, 0, INFINITY, "x", NULL);
    return *title ? LABEL - line + vef_svg_paragraph(&LABEL_FONT, 0, 0, length, title, NULL) : 0;
}

/* The width that the title of x has, of the box, or of the whole panel if it needs more than that;
 * `*middle`: its middle. */
static double x_title_width(const vef_picture_frame *frame, double *middle) {
    const bool wide = vef_svg_text_width(&LABEL_FONT, frame->x.title) > frame->width;
    *middle = frame->box_x + (frame->width + (wide ? frame->right - frame->left : 0)) / 2;
    return frame->width + (wide ? frame->left + frame->right : 0);
}

/* Names that are too wide for their categories are inclined, or upright. */
static void set_margins(vef_picture_frame *frame) {
    const vef_panel *panel = frame->panel;
    const double wide = widest_tick(&frame->x);
    const double ticks = panel->x.bare ? 0 : TICK_GAP;
    const double room = panel->x.names ? frame->width / (double)panel->x.name_count : INFINITY;
    frame->angle = wide + 6 <= room ? 0 : room >= INCLINED ? -40 : -90;
    const double lean = frame->angle * acos(-1) / 180;
    frame->left = (panel->y.bare ? 0 : TICK_GAP + widest_tick(&frame->y)) +
                  title_room(frame->y.title, frame->height);
    frame->right = panel->x.names || panel->x.bare ? 2 : wide / 2;
    for (size_t i = 0; frame->angle != 0 && i < frame->x.tick_count; i++)
        frame->left = fmax(frame->left, tick_width(&frame->x.ticks[i]) * cos(lean) -
                                            (frame->x.ticks[i].value + 0.5) * room);
    if (frame->bare_y)
        frame->left = TICK;
    if (frame->coloured)
        frame->right = BAR_GAP + BAR + TICK_GAP + widest_tick(&frame->colour) +
                       title_room(frame->colour.title, frame->height);
    double middle;
    frame->bottom = ticks + (wide > 0 ? 11 * cos(lean) - wide * sin(lean) : 0) +
                    title_room(frame->x.title, x_title_width(frame, &middle));
    if (frame->bare_x)
        frame->bottom = TICK;
}

/* Boxes of that size; infinite: the limits alone matter. */
static void set_axes(vef_picture_frame *frame, range x, range y, double width, double height) {
    const vef_panel *panel = frame->panel;
    vef_scale_free(&frame->x);
    vef_scale_free(&frame->y);
    set_scale(&frame->x, &panel->x, x, panel->x.kind == VEF_AXIS_WHOLE ? 8 : 6, width, true);
    set_scale(&frame->y, &panel->y, y, panel->y.kind == VEF_AXIS_WHOLE ? 8 : 5, height, false);
}

/* Measures a panel whose box has that room. */
static void measure(const page *on, vef_picture_frame *frame, double width, double height) {
    const vef_panel *panel = frame->panel;
    range x = {INFINITY, -INFINITY}, y = x, colour = x;
    extend_by(panel, &x, &y, &colour);
    for (size_t p = 0; panel->group && p < on->count; p++)
        if (on->frames[p].panel->group == panel->group)
            extend_by(on->frames[p].panel, &x, &y, &colour);
    frame->coloured = colour.least <= colour.most;
    frame->bars = 0;
    for (size_t s = 0; s < panel->series_count; s++)
        frame->bars += (panel->series[s]->style & VEF_BARS) != 0;
    set_axes(frame, x, y, INFINITY, INFINITY);
    set_box(on, frame, fmax(LEAST, width), fmax(LEAST, height));
    set_axes(frame, x, y, frame->width, frame->height);
    vef_scale_free(&frame->colour);
    set_scale(&frame->colour, &panel->colour, colour, 5, frame->height, false);
    set_margins(frame);
    frame->legend_height =
        on->legend ? 0
                   : vef_legend_write(on->picture, panel, 0, 0, frame->width + frame->right, NULL);
    frame->top = panel->x.bare && !panel->title ? 0 : 4;
    if (panel->title)
        frame->top +=
            vef_svg_paragraph(&TITLE_FONT, 0, 0, frame->width + frame->right, panel->title, NULL);
    frame->top += frame->legend_height;
}

/* ---- axes ---- */

static void write_x_axis(const vef_picture_frame *frame, FILE *out) {
    const double bottom = frame->box_y + frame->height;
    const bool leans = frame->angle != 0;
    vef_svg_font font = vef_picture_font;
    font.anchor = leans ? VEF_SVG_END : VEF_SVG_MIDDLE;
    font.angle = frame->angle;
    const double room = frame->width / fmax(1, (double)frame->panel->x.name_count);
    const size_t every = frame->panel->x.names ? (size_t)ceil(UPRIGHT / room) : 1;
    for (size_t i = 0; i < frame->x.tick_count; i++) {
        const vef_axis_tick *tick = &frame->x.ticks[i];
        const double x = vef_picture_x(frame, tick->value);
        if (!frame->panel->x.names)
            vef_svg_line(x, bottom, x, bottom + (tick->text ? TICK : TICK / 2.0), "black", 0.8,
                         out);
        if (tick->text && !frame->bare_x && i % every == 0)
            vef_svg_text(&font, x + (leans ? 4 : 0),
                         bottom + TICK_GAP + (frame->angle < -45 ? 0 : 8), MOST_NAME, tick->text,
                         out);
    }
    double middle;
    const double width = x_title_width(frame, &middle);
    if (!frame->bare_x)
        vef_svg_paragraph(&LABEL_FONT, middle,
                          bottom + frame->bottom - title_room(frame->x.title, width) + LABEL - 2,
                          width, frame->x.title, out);
}

/* A vertical axis at `x`, to whose left (`side` -1) or right (1) the texts are. `base`: the place
 * of the least value, `length` up. */
static void write_vertical(const vef_scale *scale, double x, double side, double base,
                           double length, double margin, bool bare, FILE *out) {
    vef_svg_font font = vef_picture_font, label = LABEL_FONT;
    font.anchor = side < 0 ? VEF_SVG_END : VEF_SVG_START;
    label.angle = -90;
    for (size_t i = 0; i < scale->tick_count; i++) {
        const vef_axis_tick *tick = &scale->ticks[i];
        const double y = base - length * vef_scale_place(scale, tick->value);
        if (!scale->axis->names)
            vef_svg_line(x, y, x + side * (tick->text ? TICK : TICK / 2.0), y, "black", 0.8, out);
        if (tick->text && !bare)
            vef_svg_text(&font, x + side * TICK_GAP, y + 4, MOST_NAME, tick->text, out);
    }
    const double room = title_room(scale->title, fabs(length));
    if (!bare)
        vef_svg_paragraph(&label, x + side * margin + (side < 0 ? 11 : 14 - room),
                          base - length / 2, fabs(length), scale->title, out);
}

static void write_axes(const vef_picture_frame *frame, FILE *out) {
    const vef_panel *panel = frame->panel;
    const double bottom = frame->box_y + frame->height;
    write_x_axis(frame, out);
    write_vertical(&frame->y, frame->box_x, -1, panel->y.reversed ? frame->box_y : bottom,
                   panel->y.reversed ? -frame->height : frame->height, frame->left, frame->bare_y,
                   out);
    if (panel->x.bare)
        return;
    fprintf(out, "<path class=\"box\" d=\"M%.2f,%.2fV%.2fH%.2f", frame->box_x, frame->box_y, bottom,
            frame->box_x + frame->width);
    if (panel->square)
        fprintf(out, "V%.2fz", frame->box_y);
    fputs("\" fill=\"none\" stroke=\"black\" stroke-width=\"0.8\"/>\n", out);
}

static void write_grid(const vef_picture_frame *frame, FILE *out) {
    for (size_t i = 0; i < frame->y.tick_count; i++) {
        const double y = vef_picture_y(frame, frame->y.ticks[i].value);
        if (frame->y.ticks[i].text && y < frame->box_y + frame->height - 1)
            vef_svg_line(frame->box_x, y, frame->box_x + frame->width, y, LIGHT, 0.8, out);
    }
}

static void write_colours(const vef_picture_frame *frame, FILE *out) {
    const double x = frame->box_x + frame->width + BAR_GAP;
    fprintf(out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"url(#colours)\"/>\n",
            x, frame->box_y, BAR, frame->height);
    write_vertical(&frame->colour, x + BAR, 1, frame->box_y + frame->height, frame->height,
                   frame->right - BAR_GAP - BAR, false, out);
}

static void write_panel(const vef_picture_frame *frame, size_t number, FILE *out) {
    const vef_panel *panel = frame->panel;
    vef_svg_font none = LABEL_FONT;
    size_t drawn = panel->shape_count;
    for (size_t s = 0; s < panel->series_count; s++)
        drawn += panel->series[s]->mark_count;
    none.colour = vef_picture_grey;
    if (panel->title)
        vef_svg_paragraph(&TITLE_FONT, frame->box_x, frame->box_y - frame->top + 11,
                          frame->width + frame->right, panel->title, out);
    if (frame->legend_height > 0)
        vef_legend_write(panel->picture, panel, frame->box_x,
                         frame->box_y - frame->legend_height + 7, frame->width + frame->right, out);
    if (panel->series_count > 0 && !panel->square)
        write_grid(frame, out);
    fprintf(out,
            "<clipPath id=\"box%zu\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>"
            "</clipPath>\n<g clip-path=\"url(#box%zu)\">\n",
            number, frame->box_x - 4, frame->box_y - 4, frame->width + 8, frame->height + 8,
            number);
    vef_shapes_write(frame, out);
    for (size_t s = 0; s < panel->series_count; s++)
        vef_series_write(frame, s, out);
    fputs("</g>\n", out);
    if (drawn == 0)
        vef_svg_text(&none, frame->box_x + frame->width / 2, frame->box_y + frame->height / 2,
                     frame->width, "no data", out);
    write_axes(frame, out);
    if (frame->coloured)
        write_colours(frame, out);
}

/* ---- the picture ---- */

static void write_gradient(FILE *out) {
    char colour[8];
    fputs("<linearGradient id=\"colours\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">", out);
    for (int i = 0; i <= 4; i++)
        fprintf(out, "<stop offset=\"%g\" stop-color=\"%s\"/>", i / 4.0,
                vef_colour_at(i / 4.0, colour));
    fputs("</linearGradient>\n", out);
}

/* Whether the panels have one legend: those of facets, and where the first panel has all names. */
static bool has_common_legend(const page *on) {
    bool others = false;
    for (size_t p = 1; p < on->count; p++)
        for (size_t s = 0; s < on->frames[p].panel->series_count; s++)
            others = others || on->frames[p].panel->series[s]->sample;
    return on->frames[0].panel->group || !others;
}

static bool in_one_group(const page *on, size_t p, size_t other) {
    return other < on->count && on->frames[p].panel->group > 0 &&
           on->frames[p].panel->group == on->frames[other].panel->group;
}

static void set_columns(page *on) {
    const size_t asked = on->picture->size.columns;
    const double narrow = on->frames[0].panel->group ? NARROW_FACET : NARROW;
    size_t columns = asked ? asked : on->picture->columns;
    if (!asked && on->given_width > 0)
        columns = (size_t)fmax(1, fmin((double)columns, on->given_width / narrow));
    on->columns = columns < on->count ? columns : on->count;
    on->rows = (on->count + on->columns - 1) / on->columns;
    for (size_t p = 0; p < on->count; p++) {
        on->frames[p].bare_y = p % on->columns > 0 && in_one_group(on, p, p - 1);
        on->frames[p].bare_x = in_one_group(on, p, p + on->columns);
    }
}

/* The greatest margins of a column, or with `down` of a row: before the boxes, behind them, and
 * together with the boxes. */
typedef struct margins {
    double before, behind, rest;
} margins;

static bool is_of(const page *on, size_t p, size_t number, bool down) {
    return (down ? p / on->columns : p % on->columns) == number;
}

static margins find_margins(const page *on, size_t number, bool down) {
    margins greatest = {0};
    for (size_t p = 0; p < on->count; p++) {
        const vef_picture_frame *frame = &on->frames[p];
        const double behind = down ? frame->bottom : frame->right;
        if (!is_of(on, p, number, down))
            continue;
        greatest.before = fmax(greatest.before, down ? frame->top : frame->left);
        greatest.behind = fmax(greatest.behind, behind);
        greatest.rest = fmax(greatest.rest, behind + (down ? frame->height : frame->width));
    }
    return greatest;
}

/* What a box of each column, or row, has of a given size of the page. */
static double find_room(const page *on, double given, bool down) {
    const size_t count = down ? on->rows : on->columns;
    double room = given - 2 * EDGE - GAP * ((double)count - 1) - (down ? on->head : 0);
    for (size_t i = 0; i < count; i++) {
        const margins found = find_margins(on, i, down);
        room -= found.before + found.behind;
    }
    return room / (double)count;
}

/* Places the columns, or the rows, one behind the other; returns the size of the page. */
static double place(page *on, double given, bool down) {
    double start = EDGE + (down ? on->head : 0);
    for (size_t i = 0; i < (down ? on->rows : on->columns); i++) {
        const margins found = find_margins(on, i, down);
        for (size_t p = 0; p < on->count; p++) {
            vef_picture_frame *frame = &on->frames[p];
            if (is_of(on, p, i, down))
                *(down ? &frame->box_y : &frame->box_x) = start + found.before;
            if (is_of(on, p, i, down) && down)
                frame->top = found.before;
        }
        start += found.before + found.rest + GAP;
    }
    start += EDGE - GAP;
    return start > given + ROUNDING ? start : given;
}

/* The title and the legend of the whole picture; returns their height. */
static double write_head(const page *on, FILE *out) {
    const vef_picture *picture = on->picture;
    const double width = on->width - 2 * EDGE;
    double y = EDGE + TITLE_HEIGHT;
    if (picture->title && picture->size.title)
        y += vef_svg_paragraph(&TITLE_FONT, EDGE, y, width, picture->title, out);
    if (picture->remark && picture->size.title)
        y += vef_svg_paragraph(&vef_picture_font, EDGE, y - 1, width, picture->remark, out);
    if (on->legend)
        y += vef_legend_write(picture, NULL, EDGE, y + 1, width, out);
    y -= EDGE + TITLE_HEIGHT;
    return y > 0 ? y + 2 : 0;
}

static void lay_out(page *on) {
    const double usual = on->frames[0].panel->group ? FACET : WIDTH;
    for (int pass = 0; pass < PASSES; pass++) {
        const double width = on->given_width > 0 ? find_room(on, on->given_width, false) : usual;
        const double height = on->given_height > 0 ? find_room(on, on->given_height, true)
                                                   : fmin(TALLEST, RATIO * width);
        for (size_t p = 0; p < on->count; p++) {
            const margins found = find_margins(on, p % on->columns, false);
            const double behind = on->given_width > 0 ? found.behind - on->frames[p].right : 0;
            measure(on, &on->frames[p], width + behind, height);
        }
        on->width = place(on, on->given_width, false);
        on->head = write_head(on, NULL);
    }
    on->height = place(on, on->given_height, true);
}

void vef_picture_write(const vef_picture *picture, FILE *out) {
    const vef_picture_size *size = &picture->size;
    const double scale = size->font * 96 / 72 / vef_picture_font.size;
    page on = {.picture = picture,
               .frames = vef_calloc(picture->panel_count, sizeof(vef_picture_frame)),
               .count = picture->panel_count,
               .given_width = size->width_m / 0.0254 * 96 / scale,
               .given_height = size->height_m / 0.0254 * 96 / scale};
    for (size_t p = 0; p < on.count; p++)
        on.frames[p].panel = picture->panels[p];
    set_columns(&on);
    on.legend = has_common_legend(&on);
    lay_out(&on);
    vef_svg_begin(on.width, on.height, scale, out);
    write_gradient(out);
    vef_hatches_write(picture, out);
    write_head(&on, out);
    for (size_t p = 0; p < on.count; p++) {
        write_panel(&on.frames[p], p, out);
        vef_scale_free(&on.frames[p].x);
        vef_scale_free(&on.frames[p].y);
        vef_scale_free(&on.frames[p].colour);
    }
    vef_svg_end(out);
    free(on.frames);
}
