/* Where the panels of a picture go, and their axes. See parts.h.
 *
 * Each panel is measured, its box and the margins that its texts need; the panels of a column have
 * their boxes one below the other, those of a row beside each other. */
#include "common/memory.h"
#include "common/pictures/parts.h"

#include <stdlib.h>

/* Sizes for a column of a journal, 86 mm: a picture of one panel fits at 80 %. */
enum { WIDTH = 340, HEIGHT = 230, SQUARE = 340, EDGE = 10, GAP = 14 };
enum { TICK = 4, TICK_GAP = 7, LABEL = 17, BAR_GAP = 12, BAR = 12, MOST_NAME = 170 };

static const char LIGHT[] = "#e4e4e4";

static const vef_svg_font LABEL_FONT = {.size = 12, .anchor = VEF_SVG_MIDDLE};
static const vef_svg_font TITLE_FONT = {.size = 12, .bold = true};

/* ---- limits ---- */

typedef struct range {
    double least, most;
} range;

static void extend(range *data, const vef_axis *axis, double value) {
    if (!isfinite(value) || (axis->kind >= VEF_AXIS_LOG10 && value <= 0))
        return;
    data->least = fmin(data->least, value);
    data->most = fmax(data->most, value);
}

static void set_scales(vef_picture_frame *frame) {
    const vef_panel *panel = frame->panel;
    range x = {INFINITY, -INFINITY}, y = x, colour = x;
    for (size_t s = 0; s < panel->series_count; s++)
        for (size_t i = 0; i < panel->series[s]->mark_count; i++) {
            const vef_picture_mark *mark = &panel->series[s]->marks[i];
            extend(&x, &panel->x, mark->x);
            extend(&y, &panel->y, mark->y);
            extend(&y, &panel->y, mark->low);
            extend(&y, &panel->y, mark->high);
        }
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        extend(&x, &panel->x, shape->x1);
        extend(&x, &panel->x, shape->x2);
        extend(&y, &panel->y, shape->y1);
        extend(&y, &panel->y, shape->y2);
        extend(&colour, &panel->colour, shape->value);
        frame->coloured = frame->coloured || isfinite(shape->value);
    }
    const bool whole = panel->x.kind == VEF_AXIS_WHOLE;
    vef_scale_set(&frame->x, &panel->x, x.least, x.most, whole ? 8 : 6);
    vef_scale_set(&frame->y, &panel->y, y.least, y.most, panel->y.kind == VEF_AXIS_WHOLE ? 8 : 5);
    vef_scale_set(&frame->colour, &panel->colour, colour.least, colour.most, 5);
}

/* ---- sizes ---- */

static double tick_width(const vef_axis_tick *tick) {
    return tick->text ? fmin(MOST_NAME, vef_svg_text_width(&vef_picture_font, tick->text)) : 0;
}

static double widest_tick(const vef_scale *scale) {
    double widest = 0;
    for (size_t i = 0; i < scale->tick_count; i++)
        widest = fmax(widest, tick_width(&scale->ticks[i]));
    return widest;
}

static void set_box(vef_picture_frame *frame) {
    const vef_panel *panel = frame->panel;
    const double across = frame->x.most - frame->x.least, up = frame->y.most - frame->y.least;
    frame->width = WIDTH;
    frame->height = HEIGHT;
    if (panel->square) { /* cells of a matrix are whole pixels, at least two; places have four */
        const bool matrix = panel->x.kind == VEF_AXIS_WHOLE && panel->shape_count > 0;
        const double cell = matrix ? panel->shapes[0].x2 - panel->shapes[0].x1 : 1;
        const double unit = fmin(SQUARE / fmax(across, up), 60);
        const double least = matrix ? 160 / up : 0;
        frame->width = fmax(fmax(matrix ? 2 : 4, floor(cell * unit)) / cell, least) * across;
        frame->height = frame->width * up / across;
    }
    if (panel->x.names)
        frame->width = fmax(WIDTH, (double)panel->x.name_count * (9 * (double)frame->bars + 8));
    if (panel->y.names)
        frame->height = fmax(HEIGHT, 24 * (double)panel->y.name_count);
}

/* Names that are too wide for their categories are inclined. */
static void set_margins(vef_picture_frame *frame) {
    const vef_panel *panel = frame->panel;
    const double wide = widest_tick(&frame->x);
    const double ticks = panel->x.bare ? 0 : TICK_GAP, label = *frame->x.title ? LABEL : 0;
    const double room = panel->x.names ? frame->width / (double)panel->x.name_count : INFINITY;
    frame->angle = wide + 6 > room ? -40 : 0;
    const double lean = frame->angle * acos(-1) / 180;
    frame->left =
        (panel->y.bare ? 0 : TICK_GAP + widest_tick(&frame->y)) + (*frame->y.title ? LABEL : 0);
    frame->right = panel->x.names || panel->x.bare ? 2 : wide / 2;
    frame->bottom = ticks + (wide > 0 ? 11 * cos(lean) - wide * sin(lean) : 0) + label;
    for (size_t i = 0; frame->angle != 0 && i < frame->x.tick_count; i++)
        frame->left = fmax(frame->left, tick_width(&frame->x.ticks[i]) * cos(lean) -
                                            (frame->x.ticks[i].value + 0.5) * room);
    if (frame->coloured)
        frame->right = BAR_GAP + BAR + TICK_GAP + widest_tick(&frame->colour) +
                       (*frame->colour.title ? LABEL : 0);
}

static double title_width(const vef_picture_frame *frame) {
    return fmax(frame->width + frame->right, 200);
}

static void measure(vef_picture_frame *frame, const vef_panel *panel) {
    frame->panel = panel;
    for (size_t s = 0; s < panel->series_count; s++)
        frame->bars += (panel->series[s]->style & VEF_BARS) != 0;
    set_scales(frame);
    set_box(frame);
    set_margins(frame);
    frame->legend_height = vef_legend_write(panel, 0, 0, title_width(frame), NULL);
    if (panel->title)
        frame->top = vef_svg_paragraph(&TITLE_FONT, 0, 0, title_width(frame), panel->title, NULL);
    frame->top += frame->legend_height + (panel->x.bare && !panel->title ? 0 : 4);
}

/* ---- axes ---- */

static void write_x_axis(const vef_picture_frame *frame, FILE *out) {
    const double bottom = frame->box_y + frame->height;
    const bool leans = frame->angle != 0;
    vef_svg_font font = vef_picture_font;
    font.anchor = leans ? VEF_SVG_END : VEF_SVG_MIDDLE;
    font.angle = frame->angle;
    for (size_t i = 0; i < frame->x.tick_count; i++) {
        const vef_axis_tick *tick = &frame->x.ticks[i];
        const double x = vef_picture_x(frame, tick->value);
        if (!frame->panel->x.names)
            vef_svg_line(x, bottom, x, bottom + (tick->text ? TICK : TICK / 2.0), "black", 0.8,
                         out);
        if (tick->text)
            vef_svg_text(&font, x + (leans ? 4 : 0), bottom + TICK_GAP + 8, MOST_NAME, tick->text,
                         out);
    }
    vef_svg_text(&LABEL_FONT, frame->box_x + frame->width / 2, bottom + frame->bottom - 2,
                 frame->width + frame->left, frame->x.title, out);
}

/* A vertical axis at `x`, to whose left (`side` -1) or right (1) the texts are. `base`: the place
 * of the least value, `length` up. */
static void write_vertical(const vef_scale *scale, double x, double side, double base,
                           double length, double margin, FILE *out) {
    vef_svg_font font = vef_picture_font, label = LABEL_FONT;
    font.anchor = side < 0 ? VEF_SVG_END : VEF_SVG_START;
    label.angle = -90;
    for (size_t i = 0; i < scale->tick_count; i++) {
        const vef_axis_tick *tick = &scale->ticks[i];
        const double y = base - length * vef_scale_place(scale, tick->value);
        if (!scale->axis->names)
            vef_svg_line(x, y, x + side * (tick->text ? TICK : TICK / 2.0), y, "black", 0.8, out);
        if (tick->text)
            vef_svg_text(&font, x + side * TICK_GAP, y + 4, MOST_NAME, tick->text, out);
    }
    vef_svg_text(&label, x + side * margin - (side < 0 ? -11 : 3), base - length / 2,
                 fabs(length) + 40, scale->title, out);
}

static void write_axes(const vef_picture_frame *frame, FILE *out) {
    const vef_panel *panel = frame->panel;
    const double bottom = frame->box_y + frame->height;
    write_x_axis(frame, out);
    write_vertical(&frame->y, frame->box_x, -1, panel->y.reversed ? frame->box_y : bottom,
                   panel->y.reversed ? -frame->height : frame->height, frame->left, out);
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
                   frame->right - BAR_GAP - BAR, out);
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
                          title_width(frame), panel->title, out);
    if (frame->legend_height > 0)
        vef_legend_write(panel, frame->box_x, frame->box_y - frame->legend_height + 7,
                         title_width(frame), out);
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

/* Aligns the frames; returns the size of the picture. */
static void place_frames(const vef_picture *picture, vef_picture_frame *frames, double *width,
                         double *height) {
    const size_t count = picture->panel_count, columns = picture->columns;
    double x = EDGE, y = EDGE;
    for (size_t column = 0; column < columns; column++) {
        double left = 0, rest = 0;
        for (size_t p = column; p < count; p += columns) {
            left = fmax(left, frames[p].left);
            rest = fmax(rest, frames[p].panel->title ? title_width(&frames[p])
                                                     : frames[p].width + frames[p].right);
        }
        for (size_t p = column; p < count; p += columns)
            frames[p].box_x = x + left;
        x += left + rest + GAP;
    }
    for (size_t row = 0; row < count; row += columns) {
        double above = 0, rest = 0;
        for (size_t p = row; p < count && p < row + columns; p++) {
            above = fmax(above, frames[p].top);
            rest = fmax(rest, frames[p].height + frames[p].bottom);
        }
        for (size_t p = row; p < count && p < row + columns; p++) {
            frames[p].box_y = y + above;
            frames[p].top = above;
        }
        y += above + rest + GAP;
    }
    *width = ceil(x - GAP + EDGE);
    *height = ceil(y - GAP + EDGE);
}

static vef_picture_frame *make_frames(const vef_picture *picture, double *width, double *height) {
    vef_picture_frame *frames = vef_calloc(picture->panel_count, sizeof *frames);
    for (size_t p = 0; p < picture->panel_count; p++)
        measure(&frames[p], picture->panels[p]);
    place_frames(picture, frames, width, height);
    return frames;
}

static void free_frames(const vef_picture *picture, vef_picture_frame *frames) {
    for (size_t p = 0; p < picture->panel_count; p++) {
        vef_scale_free(&frames[p].x);
        vef_scale_free(&frames[p].y);
        vef_scale_free(&frames[p].colour);
    }
    free(frames);
}

void vef_picture_write(const vef_picture *picture, FILE *out) {
    double width, height;
    vef_picture_frame *frames = make_frames(picture, &width, &height);
    vef_svg_begin(width, height, out);
    write_gradient(out);
    for (size_t p = 0; p < picture->panel_count; p++)
        write_panel(&frames[p], p, out);
    vef_svg_end(out);
    free_frames(picture, frames);
}

/* ---- shapes, for pages ---- */

void vef_picture_put_shapes(const vef_picture *picture, vef_result *into) {
    double width, height;
    vef_picture_frame *frames = make_frames(picture, &width, &height);
    const vef_panel *panel = picture->panels[0];
    vef_packed packed = {0};
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        if (shape->kind > VEF_STROKE)
            continue;
        const double corners[] = {
            vef_picture_x(frames, shape->x1), vef_picture_y(frames, shape->y1),
            vef_picture_x(frames, shape->x2), vef_picture_y(frames, shape->y2)};
        vef_pack(&packed, shape->kind == VEF_STROKE);
        for (size_t corner = 0; corner < 4; corner++)
            vef_pack_signed(&packed, lround(10 * corners[corner]));
    }
    VEF_PUT(into, "width", width);
    VEF_PUT(into, "height", height);
    VEF_PUT(into, "line", vef_picture_line_width(frames));
    VEF_PUT(into, "most", frames->colour.most);
    vef_pack_put(&packed, into, "shapes");
    free_frames(picture, frames);
}

void vef_picture_pack_values(const vef_picture *picture, vef_packed *values) {
    const vef_panel *panel = picture->panels[0];
    for (size_t i = 0; i < panel->shape_count; i++)
        if (panel->shapes[i].kind <= VEF_STROKE)
            vef_pack(values, isnan(panel->shapes[i].value)
                                 ? 0
                                 : 1 + (uint64_t)lround(10 * panel->shapes[i].value));
}
