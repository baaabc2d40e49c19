/* What shows data: lines, dots, bars, cells, and the legend. See parts.h. */
#include "common/pictures/parts.h"

#include <string.h>

enum { COLOURS = 7, SYMBOLS = 7, MANY_DOTS = 60 };

const char vef_picture_grey[] = "#767676";
const vef_svg_font vef_picture_font = {.size = 11};

static bool is_inside(double share) {
    return share >= -1e-9 && share <= 1 + 1e-9;
}

/* ---- the look of a series ---- */

/* Okabe and Ito, "Color Universal Design", without yellow, which is too light for lines. */
static const char *colour_of(const vef_picture_series *series) {
    static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};
    return series->style & VEF_REFERENCE ? vef_picture_grey : colours[series->number % COLOURS];
}

/* How often colours were used up before a series: what looks different then. */
static size_t round_of(const vef_picture_series *series) {
    return series->number / COLOURS;
}

/* Begins a line; its path follows. Lines of series with symbols differ by dashes when colours end,
 * others from the first on: plain, dashed, dotted, then dashes with more and more dots between. */
static void begin_line(const vef_picture_series *series, FILE *out) {
    enum { PLAIN, DASHED, DOTTED };
    const bool grey = series->style & VEF_REFERENCE;
    const size_t look = grey ? DOTTED : series->symbols ? round_of(series) : series->number;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"",
            colour_of(series), grey ? "1" : "1.5");
    if (look != PLAIN)
        fprintf(out, " stroke-dasharray=\"%s",
                look == DASHED   ? "7 3"
                : look == DOTTED ? "2 2"
                                 : "7 2");
    for (size_t dots = DOTTED; dots < look; dots++)
        fputs(" 2 2", out);
    fputs(look != PLAIN ? "\" d=\"" : " d=\"", out);
}

/* Filled, hollow, then the same in other sizes. */
static void write_symbol(const vef_picture_series *series, double x, double y, FILE *out) {
    static const char *const symbols[SYMBOLS] = {
        "M-3,0a3,3 0 1,0 6,0a3,3 0 1,0 -6,0z",
        "M-2.7,-2.7h5.4v5.4h-5.4z",
        "M0,-3.4l3.2,5.6h-6.4z",
        "M0,-3.7l3.7,3.7l-3.7,3.7l-3.7,-3.7z",
        "M0,3.4l3.2,-5.6h-6.4z",
        "M-1.1,-3.4h2.2v2.3h2.3v2.2h-2.3v2.3h-2.2v-2.3h-2.3v-2.2h2.3z",
        "M-1.4,-3.6h2.8v7.2h-2.8z"};
    const size_t round = round_of(series);
    const bool small = series->mark_count > MANY_DOTS || series->style & VEF_REFERENCE;
    fprintf(out, "<path transform=\"translate(%.2f,%.2f)", x, y);
    if (small || round > 1)
        fprintf(out, " scale(%g)", (small ? 0.6 : 1) * (1 + 0.25 * (double)(round / 2)));
    fprintf(out, "\" fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\" d=\"%s\"/>\n",
            round % 2 ? "white" : colour_of(series), colour_of(series), round % 2 ? "1.2" : "0",
            symbols[(series->number + round) % SYMBOLS]);
}

/* ---- hatches of bars ---- */

/* White lines over the colour, in four directions at growing distances; the first has none. */
void vef_hatches_write(const vef_picture *picture, FILE *out) {
    enum { DIRECTIONS = 4 };
    size_t next = 1;
    for (size_t p = 0; p < picture->panel_count; p++)
        for (size_t s = 0; s < picture->panels[p]->series_count; s++) {
            const vef_picture_series *series = picture->panels[p]->series[s];
            const size_t side = 5 + 3 * (series->number / DIRECTIONS);
            if (!(series->style & VEF_BARS) || series->number < next)
                continue;
            next = series->number + 1;
            fprintf(out,
                    "<pattern id=\"hatch%zu\" width=\"%zu\" height=\"%zu\" "
                    "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(%zu)\"><path "
                    "d=\"M0,0h%zuv%zuh-%zuz\" fill=\"%s\"/><path d=\"M0,1h%zu\" stroke=\"white\" "
                    "stroke-width=\"1.2\"/></pattern>\n",
                    series->number, side, side, 180 / DIRECTIONS * (series->number % DIRECTIONS),
                    side, side, side, colour_of(series), side);
        }
}

static void write_bar(const vef_picture_series *series, double x, double y, double width,
                      double height, FILE *out) {
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", x, y, width,
            height);
    if (series->number > 0)
        fprintf(out, "fill=\"url(#hatch%zu)\"/>\n", series->number);
    else
        fprintf(out, "fill=\"%s\"/>\n", colour_of(series));
}

/* ---- series ---- */

static void write_line(const vef_picture_frame *frame, const vef_picture_series *series,
                       FILE *out) {
    double last_x = NAN, last_y = NAN;
    begin_line(series, out);
    for (size_t i = 0; i < series->mark_count; i++) {
        const double x = round(100 * vef_picture_x(frame, series->marks[i].x)) / 100;
        const double y = round(100 * vef_picture_y(frame, series->marks[i].y)) / 100;
        if (x == last_x && y == last_y)
            continue;
        if (!isnan(x) && !isnan(y))
            fprintf(out, "%s%.2f,%.2f", isnan(last_x) ? "M" : "L", x, y);
        last_x = isnan(y) ? y : x;
        last_y = y;
    }
    fputs("\"/>\n", out);
}

static double or_edge(double place, double edge) {
    return isnan(place) ? edge : place;
}

/* An end outside of the box has no cap. */
static void write_interval(const vef_picture_frame *frame, const vef_picture_mark *mark, double x,
                           const char *colour, FILE *out) {
    const double top = frame->box_y, bottom = top + frame->height, ends[] = {mark->low, mark->high};
    double y[2];
    if (!isfinite(mark->low) || !isfinite(mark->high))
        return;
    for (int i = 0; i < 2; i++)
        y[i] = or_edge(vef_picture_y(frame, ends[i]), bottom);
    fprintf(out, "<path d=\"M%.2f,%.2fV%.2f", x, fmin(y[0], bottom), fmax(y[1], top));
    for (int i = 0; i < 2; i++)
        if (y[i] > top - 0.01 && y[i] < bottom + 0.01)
            fprintf(out, "M%.2f,%.2fh4", x - 2, y[i]);
    fprintf(out, "\" fill=\"none\" stroke=\"%s\"/>\n", colour);
}

static void write_bars(const vef_picture_frame *frame, const vef_picture_series *series,
                       size_t index, FILE *out) {
    const double width = 0.8 / (double)frame->bars, edge = frame->box_y + frame->height;
    const double zero = fmin(edge, or_edge(vef_picture_y(frame, 0), edge));
    for (size_t i = 0; i < series->mark_count; i++) {
        const vef_picture_mark *mark = &series->marks[i];
        const double left = vef_picture_x(frame, mark->x - 0.4 + (double)index * width);
        const double right = vef_picture_x(frame, mark->x - 0.4 + (double)(index + 1) * width);
        const double y = vef_picture_y(frame, mark->y);
        if (isnan(y))
            continue;
        write_bar(series, left, fmin(y, zero), right - left, fabs(zero - y), out);
        write_interval(frame, mark, (left + right) / 2, "black", out);
    }
}

/* The least x without y after all with y: where a line ends. INFINITY: nowhere. */
static double end_of(const vef_picture_series *series) {
    double last = -INFINITY, end = INFINITY;
    for (size_t i = 0; i < series->mark_count; i++)
        last = isnan(series->marks[i].y) ? last : fmax(last, series->marks[i].x);
    for (size_t i = 0; i < series->mark_count; i++)
        if (isnan(series->marks[i].y) && series->marks[i].x > last)
            end = fmin(end, series->marks[i].x);
    return end;
}

/* The symbol is below those of earlier series that end there, and an arrow above them. */
static void write_end(const vef_picture_frame *frame, size_t index, FILE *out) {
    enum { ARROW = 9, SYMBOL = 9 };
    const vef_panel *panel = frame->panel;
    const double x = vef_picture_x(frame, end_of(panel->series[index]));
    double y = frame->box_y + ARROW + SYMBOL / 2.0;
    for (size_t s = 0; s < index; s++)
        if (fabs(vef_picture_x(frame, end_of(panel->series[s])) - x) < SYMBOL)
            y += SYMBOL;
    fprintf(out, "<path d=\"M%.2f,%.2fv-8m-2.5,3l2.5,-3l2.5,3\" fill=\"none\" stroke=\"black\"/>\n",
            x, frame->box_y + ARROW);
    write_symbol(panel->series[index], x, y, out);
}

void vef_series_write(const vef_picture_frame *frame, size_t index, FILE *out) {
    const vef_panel *panel = frame->panel;
    const vef_picture_series *series = panel->series[index];
    size_t bar = 0;
    for (size_t s = 0; s < index; s++)
        bar += (panel->series[s]->style & VEF_BARS) != 0;
    if (series->style & VEF_BARS)
        write_bars(frame, series, bar, out);
    if (series->style & VEF_LINE)
        write_line(frame, series, out);
    for (size_t i = 0; series->style & VEF_DOTS && i < series->mark_count; i++) {
        const vef_picture_mark *mark = &series->marks[i];
        const double x = vef_scale_place(&frame->x, mark->x),
                     y = vef_scale_place(&frame->y, mark->y);
        if (!is_inside(x) || !is_inside(y))
            continue;
        write_interval(frame, mark, vef_picture_x(frame, mark->x), colour_of(series), out);
        write_symbol(series, vef_picture_x(frame, mark->x), vef_picture_y(frame, mark->y), out);
    }
    if (series->style & VEF_LINE && isfinite(end_of(series)))
        write_end(frame, index, out);
}

/* ---- shapes ---- */

/* Viridis, from light to dark. */
const char *vef_colour_at(double share, char *text) {
    static const int stops[][3] = {{0xfd, 0xe7, 0x25},
                                   {0x5e, 0xc9, 0x62},
                                   {0x21, 0x91, 0x8c},
                                   {0x3b, 0x52, 0x8b},
                                   {0x44, 0x01, 0x54}};
    const double place = 4 * fmin(1, fmax(0, share));
    const int first = (int)fmin(3, place);
    int mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = (int)lround(stops[first][i] +
                               (place - first) * (stops[first + 1][i] - stops[first][i]));
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)mixed[0] & 0xff, (unsigned)mixed[1] & 0xff,
             (unsigned)mixed[2] & 0xff);
    return text;
}

/* Cells or lines: neighbours in the list of the same colour are one path. */
static void write_coloured(const vef_picture_frame *frame, vef_shape_kind kind, FILE *out) {
    const vef_panel *panel = frame->panel;
    const double unit = frame->width / (frame->x.most - frame->x.least);
    char last[16] = "";
    if (kind == VEF_CELL)
        fputs("<g shape-rendering=\"crispEdges\">\n", out);
    else
        fprintf(out, "<g stroke-width=\"%.2f\">\n",
                panel->square ? fmin(4, fmax(1, 0.3 * unit)) : 4);
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        char colour[8] = "none";
        if (shape->kind != kind)
            continue;
        if (!isnan(shape->value))
            vef_colour_at(vef_scale_place(&frame->colour, shape->value), colour);
        if (strcmp(colour, last) != 0) {
            fputs(*last ? "\"/>\n" : "", out);
            if (isnan(shape->value))
                fprintf(out, "<path fill=\"none\" stroke=\"%s\" d=\"", vef_picture_grey);
            else
                fprintf(out, "<path %s=\"%s\" d=\"", kind == VEF_CELL ? "fill" : "stroke", colour);
        }
        snprintf(last, sizeof last, "%s", colour);
        const double x1 = vef_picture_x(frame, shape->x1), y1 = vef_picture_y(frame, shape->y1);
        const double x2 = vef_picture_x(frame, shape->x2), y2 = vef_picture_y(frame, shape->y2);
        if (kind == VEF_CELL)
            fprintf(out, "M%.2f,%.2fH%.2fV%.2fH%.2fz", x1, y1, x2, y2, x1);
        else
            fprintf(out, "M%.2f,%.2fL%.2f,%.2f", x1, y1, x2, y2);
    }
    fputs(*last ? "\"/>\n</g>\n" : "</g>\n", out);
}

static void write_labels(const vef_picture_frame *frame, FILE *out) {
    enum { LEAST = 5 };
    const vef_panel *panel = frame->panel;
    vef_svg_font font = vef_picture_font, fitted = vef_picture_font;
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        if (shape->kind == VEF_FITTED)
            fitted.size = fmin(fitted.size, font.size *
                                                fabs(vef_picture_x(frame, shape->x2) -
                                                     vef_picture_x(frame, shape->x1)) /
                                                vef_svg_text_width(&font, shape->text));
    }
    fitted.size = floor(10 * fitted.size) / 10;
    font.anchor = fitted.anchor = VEF_SVG_MIDDLE;
    for (size_t i = 0; i < panel->shape_count; i++) {
        const vef_picture_shape *shape = &panel->shapes[i];
        vef_svg_font *used = shape->kind == VEF_FITTED ? &fitted : &font;
        if (!shape->text || used->size < LEAST)
            continue;
        used->colour = vef_scale_place(&frame->colour, shape->value) > 0.4 ? "white" : NULL;
        vef_svg_text(used, vef_picture_x(frame, (shape->x1 + shape->x2) / 2),
                     vef_picture_y(frame, shape->y1) + 0.36 * used->size, INFINITY, shape->text,
                     out);
    }
}

void vef_shapes_write(const vef_picture_frame *frame, FILE *out) {
    for (vef_shape_kind kind = VEF_CELL; kind <= VEF_STROKE; kind++)
        write_coloured(frame, kind, out);
    write_labels(frame, out);
}

/* ---- the legend ---- */

static void write_sample(const vef_picture_series *series, double x, double y, FILE *out) {
    enum { LENGTH = 22, SIDE = 10 };
    if (series->sample & VEF_LINE) {
        begin_line(series, out);
        fprintf(out, "M%.2f,%.2fh%d\"/>\n", x, y, LENGTH);
    }
    if (series->sample & VEF_DOTS)
        write_symbol(series, x + LENGTH / 2.0, y, out);
    if (series->sample & VEF_BARS)
        write_bar(series, x + LENGTH - SIDE, y - SIDE / 2.0, SIDE, SIDE, out);
}

double vef_legend_write(const vef_picture *picture, const vef_panel *panel, double x, double y,
                        double width, FILE *out) {
    enum { SAMPLE = 28, GAP = 16, LINE = 16 };
    const vef_svg_font *font = &vef_picture_font;
    vef_arena arena = {0};
    const vef_picture_series **listed = NULL;
    double widest = 0, height = 0, lines = 0;
    size_t count = 0;
    for (size_t p = 0; p < picture->panel_count; p++)
        for (size_t s = 0; s < picture->panels[p]->series_count; s++) {
            const vef_picture_series *series = picture->panels[p]->series[s];
            if (!series->sample || (panel && panel != picture->panels[p]))
                continue;
            vef_arena_grow(&arena, &listed, count, sizeof *listed);
            listed[count++] = series;
            widest = fmax(widest, vef_svg_text_width(font, series->label));
        }
    const size_t columns = (size_t)fmax(1, floor((width + GAP) / (widest + SAMPLE + GAP)));
    for (size_t i = 0; i < count; i++) {
        const double left = x + (double)(i % columns) * (widest + SAMPLE + GAP);
        height += i > 0 && i % columns == 0 ? lines : 0;
        if (out)
            write_sample(listed[i], left, y + height - 4, out);
        lines = fmax(LINE, vef_svg_paragraph(font, left + SAMPLE, y + height, width - SAMPLE,
                                             listed[i]->label, out));
    }
    vef_arena_release(&arena);
    return height + lines;
}
