/* Pictures: places of marks on the axes, ticks and their texts, numbers of marks, escaped texts.
 * What is drawn is read from the SVG alone. */
#include "common/pictures/picture.h"
#include "common/pictures/svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *svg_of(vef_picture *picture) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    vef_picture_write(picture, out);
    fclose(out);
    vef_picture_free(picture);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        found++;
    return found;
}

/* The place of a text in the picture. */
typedef struct place {
    double x, y;
} place;

static place place_of(const char *svg, const char *text) {
    char element[64];
    place found = {0};
    snprintf(element, sizeof element, ">%s</text>", text);
    const char *end = strstr(svg, element);
    if (!end)
        fail_msg("no text %s in %s", text, svg);
    while (strncmp(end, "<text ", 6) != 0)
        end--;
    assert_int_equal(sscanf(end, "<text x=\"%lf\" y=\"%lf\"", &found.x, &found.y), 2);
    return found;
}

/* The dots of the picture in their order; returns their number. */
static size_t find_dots(const char *svg, place *dots) {
    size_t found = 0;
    for (; (svg = strstr(svg, "translate(")) != NULL; svg++, found++)
        assert_int_equal(sscanf(svg, "translate(%lf,%lf)", &dots[found].x, &dots[found].y), 2);
    return found;
}

static void check_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%g instead of %g", value, expected);
}

/* Points are where the ticks of their values are: x of texts below, y of texts to the left. */
static void test_points_are_at_their_ticks(void **state) {
    (void)state;
    static const struct {
        vef_axis_kind kind;
        const char *unit;
        double values[3];
        const char *texts[3];
    } cases[] = {
        {VEF_AXIS_LINEAR, NULL, {0, 20, 60}, {"0", "20", "60"}},
        {VEF_AXIS_LINEAR, "ns", {0, 2e6, 6e6}, {"0", "2", "6"}},
        {VEF_AXIS_LINEAR, "B/s", {-2e9, 0, 2e9}, {"−2", "0", "2"}},
        {VEF_AXIS_LOG10, "ns", {100, 1e4, 1e6}, {"0.1", "10", "1000"}},
        {VEF_AXIS_LOG2, "B", {1, 4096, 32768}, {"1 B", "4 KiB", "32 KiB"}},
        {VEF_AXIS_AUTO, NULL, {1, 10, 1000}, {"1", "10", "1000"}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        vef_picture *picture = vef_picture_new(1);
        vef_panel *panel = vef_picture_add(picture, NULL);
        vef_picture_series *series = vef_panel_series(panel, NULL, VEF_DOTS);
        panel->x = (vef_axis){.least = 7000, .most = 13000};
        panel->y = (vef_axis){.kind = cases[c].kind, .unit = cases[c].unit};
        for (int i = 0; i < 3; i++)
            vef_panel_mark(series, 8000 + 2000 * i, cases[c].values[i], NAN, NAN);
        char *svg = svg_of(picture);
        place dots[3];
        assert_int_equal(find_dots(svg, dots), 3);
        for (int i = 0; i < 3; i++)
            check_near(dots[i].y, place_of(svg, cases[c].texts[i]).y - 4, 0.02);
        check_near(dots[0].x, place_of(svg, "8000").x, 0.02);
        check_near(dots[2].x, place_of(svg, "12000").x, 0.02);
        check_near(dots[1].x - dots[0].x, dots[2].x - dots[1].x, 0.02);
        free(svg);
    }
}

static void test_units_are_in_titles(void **state) {
    (void)state;
    static const struct {
        const char *unit, *title;
        double most;
    } cases[] = {{"ns", "time (ns)", 900},          {"ns", "time (ms)", 3e6},
                 {"B", "time (GB)", 4e9},           {"cycles", "time (cycles)", 4000},
                 {"cycles", "time (Mcycles)", 4e6}, {NULL, "time", 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        vef_picture *picture = vef_picture_new(1);
        vef_panel *panel = vef_picture_add(picture, NULL);
        panel->x = (vef_axis){.label = "time", .unit = cases[c].unit, .from_zero = true};
        vef_panel_mark(vef_panel_series(panel, NULL, VEF_DOTS), cases[c].most, 1, NAN, NAN);
        char *svg = svg_of(picture);
        place_of(svg, cases[c].title);
        free(svg);
    }
}

/* Bars begin at 0, also those below; intervals have two ends. */
static void test_bars(void **state) {
    (void)state;
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, NULL);
    vef_picture_series *up = vef_panel_series(panel, "up", VEF_BARS);
    vef_picture_series *down = vef_panel_series(panel, "down", VEF_BARS);
    panel->y.from_zero = true;
    vef_panel_name(panel, &panel->x, "one");
    vef_panel_name(panel, &panel->x, "two");
    vef_panel_mark(up, 0, 4, 3, 5);
    vef_panel_mark(down, 0, -2, NAN, NAN);
    vef_panel_mark(up, 1, 0, NAN, NAN);
    vef_panel_mark(down, 1, NAN, NAN, NAN);
    char *svg = svg_of(picture);
    double x[3], y[3], width[3], height[3];
    const char *bar = strstr(svg, "<g clip-path");
    for (int i = 0; i < 3; i++) {
        assert_non_null(bar = strstr(bar + 1, "<rect"));
        assert_int_equal(sscanf(bar, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
                                &x[i], &y[i], &width[i], &height[i]),
                         4);
    }
    assert_null(strstr(bar + 1, "<rect"));
    const double zero = place_of(svg, "0").y - 4, two = place_of(svg, "2").y - 4;
    check_near(y[0] + height[0], zero, 0.02); /* those of "up" come first */
    check_near(height[0], 2 * (zero - two), 0.04);
    check_near(height[1], 0, 0.02);
    check_near(y[2], zero, 0.02);
    check_near(height[2], zero - two, 0.04);
    check_near(x[0] + width[0], x[2], 0.02); /* side by side */
    check_near((x[0] + x[2] + width[2]) / 2, place_of(svg, "one").x, 0.02);
    assert_int_equal(count(svg, "h4M"), 1); /* the interval */
    free(svg);
}

/* A cell for each entry, rows from the top, of the colour of its value; many tasks share one. */
static void test_matrices(void **state) {
    (void)state;
    for (uint32_t rows = 1; rows <= 600; rows = rows == 1 ? 64 : rows == 64 ? 600 : 601) {
        vef_picture *picture = vef_picture_new(1);
        vef_panel *panel = vef_picture_add(picture, NULL);
        vef_matrix matrix = vef_matrix_make(rows);
        for (uint32_t row = 0; row < rows; row++)
            vef_matrix_add(&matrix, row, row, row + 1);
        vef_panel_add_matrix(panel, "to", "from", &matrix);
        char *svg = svg_of(picture);
        const char *cells = strstr(svg, "crispEdges"), *end = strstr(cells, "</g>");
        assert_non_null(end);
        size_t found = 0;
        double x = 0, y = 0, last_x = 0, last_y = 0;
        for (const char *cell = cells; (cell = strpbrk(cell + 1, "M")) != NULL && cell < end;
             found++) {
            if (sscanf(cell, "M%lf,%lfH", &x, &y) != 2)
                fail_msg("no cell: %.40s", cell);
            assert_true(found == 0 || (x > last_x && y > last_y));
            last_x = x;
            last_y = y;
        }
        assert_int_equal(found, rows == 600 ? 200 : rows);
        free(svg);
    }
}

enum { BYTES = 1024 };

/* The text between two words, in a buffer of BYTES; its end, NULL: not there. */
static const char *between(const char *text, const char *before, const char *after, char *found) {
    const char *begin = strstr(text, before);
    if (!begin)
        return NULL;
    begin += strlen(before);
    const char *end = strstr(begin, after);
    assert_non_null(end);
    snprintf(found, BYTES, "%.*s", (int)(end - begin), begin);
    return end;
}

/* Whether a symbol is hollow, its size and its shape. */
static void shape_of(const char *symbol, char *look) {
    char transform[BYTES], fill[BYTES], path[BYTES];
    assert_non_null(between(symbol, "translate(", "\"", transform));
    assert_non_null(between(symbol, "fill=\"", "\"", fill));
    assert_non_null(between(symbol, " d=\"", "\"", path));
    const char *scale = strstr(transform, "scale(");
    snprintf(look, BYTES, "%s %.40s %.100s", strcmp(fill, "white") == 0 ? "hollow" : "",
             scale ? scale : "", path);
}

/* Any number of series differ in black and white: by symbol and dashes where they have both, by
 * dashes alone where they are lines, by hatches where they are bars. */
static void test_series_differ(void **state) {
    (void)state;
    enum { SERIES = 150 };
    static const unsigned styles[] = {VEF_LINE | VEF_DOTS, VEF_LINE, VEF_DOTS, VEF_BARS};
    static char looks[SERIES][2 * BYTES];
    for (int style = 0; style < 4; style++) {
        vef_picture *picture = vef_picture_new(1);
        vef_panel *panel = vef_picture_add(picture, NULL);
        for (int s = 0; s < SERIES; s++) {
            char name[16];
            snprintf(name, sizeof name, "series %d", s);
            vef_panel_mark(vef_panel_series(panel, name, styles[style]), s, s + 1, NAN, NAN);
        }
        char *svg = svg_of(picture), *colour = svg;
        const char *next = strstr(svg, styles[style] & VEF_BARS ? "<pattern" : "<g clip-path");
        for (int s = 0; s < SERIES; s++) {
            char dashes[BYTES] = "", shape[BYTES] = "";
            if (styles[style] & VEF_BARS) { /* the first has none */
                if (s == 0)
                    continue;
                assert_non_null(next = between(next, "patternUnits", "fill=", shape));
                const char *lines = between(next, "<path d=\"", "/>", dashes);
                assert_true(lines && strstr(dashes, "stroke=\"white\""));
            } else {
                if (styles[style] & VEF_LINE)
                    next = between(next, "stroke-linejoin=\"round\"", "d=", dashes);
                assert_non_null(next);
                if (styles[style] & VEF_DOTS) {
                    next = strstr(next + 1, "<path transform");
                    assert_non_null(next);
                    shape_of(next, shape);
                }
            }
            snprintf(looks[s], sizeof looks[s], "%s|%s", dashes, shape);
            for (int other = style == 3; other < s; other++)
                assert_string_not_equal(looks[s], looks[other]);
        }
        /* The first seven have seven colours as well. */
        char colours[7][BYTES];
        colour = strstr(svg, "<g clip-path");
        for (int s = 0; styles[style] & VEF_LINE && s < 7; s++) {
            colour = strstr(colour, "stroke-width=\"1.5\"") - 20;
            between(colour, "stroke=\"", "\"", colours[s]);
            colour += 40;
            for (int other = 0; other < s; other++)
                assert_string_not_equal(colours[s], colours[other]);
        }
        for (int s = 0; s < SERIES; s++) {
            char name[16];
            snprintf(name, sizeof name, "series %d", s);
            place_of(svg, name);
        }
        free(svg);
    }
}

/* Where the latency has no bound a curve ends: its symbol at the upper edge, at the x of the first
 * such point, under an arrow; no line leads there. A gap before other points is a gap. */
static void test_curves_end(void **state) {
    (void)state;
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, NULL);
    vef_picture_series *series = vef_panel_series(panel, "mean", VEF_LINE | VEF_DOTS);
    panel->x = (vef_axis){.least = 0, .most = 100};
    panel->y = (vef_axis){.least = 0, .most = 10};
    for (int x = 10; x <= 90; x += 10)
        vef_panel_mark(series, x, x == 30 || x >= 70 ? (double)NAN : x / 10.0, NAN, NAN);
    char *svg = svg_of(picture), line[BYTES];
    place dots[16];
    size_t found = find_dots(strstr(svg, "<g clip-path"), dots);
    assert_int_equal(found, 6); /* 10, 20, 40, 50, 60, and the end */
    check_near(dots[5].x - dots[0].x, 6 * (dots[1].x - dots[0].x), 0.03);
    const double top = place_of(svg, "10").y - 4; /* of the axis of y */
    assert_true(dots[5].y > top && dots[5].y < top + 20);
    assert_non_null(between(strstr(svg, "<g clip-path"), " d=\"", "\"", line));
    assert_int_equal(count(line, "M"), 2);
    assert_int_equal(count(line, "L"), 3);
    assert_int_equal(count(svg, "v-8"), 1);
    free(svg);
}

/* ---- sizes in print ---- */

/* Of Helvetica, from Adobe's font metrics: Hlvetica 722 222 500 556 278 222 500 556, 0 556, ( 333.
 */
static void test_widths_of_texts(void **state) {
    (void)state;
    const vef_svg_font font = {.size = 1000};
    check_near(vef_svg_text_width(&font, "Helvetica"),
               722 + 556 + 222 + 500 + 556 + 278 + 222 + 500 + 556, 0.1);
    check_near(vef_svg_text_width(&font, "0.5 (ns)"), 556 + 278 + 556 + 278 + 333 + 556 + 500 + 333,
               0.1);
}

/* The box of a line of text, inclined around its centre. */
typedef struct box {
    double x, y, across, up, angle; /* half widths; radians */
    char text[80];
} box;

/* Whether two boxes share an area: no axis of either separates them. */
static bool overlap(const box *a, const box *b) {
    const double angles[] = {a->angle, a->angle + acos(0), b->angle, b->angle + acos(0)};
    for (int i = 0; i < 4; i++) {
        const double c = cos(angles[i]), s = sin(angles[i]);
        const double reach_a =
            a->across * fabs(cos(angles[i] - a->angle)) + a->up * fabs(sin(angles[i] - a->angle));
        const double reach_b =
            b->across * fabs(cos(angles[i] - b->angle)) + b->up * fabs(sin(angles[i] - b->angle));
        if (fabs((b->x - a->x) * c + (b->y - a->y) * s) >= reach_a + reach_b - 0.05)
            return false;
    }
    return true;
}

static void add_box(const char *text, double x, double y, double size, bool bold, double anchor,
                    double angle, double pivot_x, double pivot_y, box *added) {
    const vef_svg_font font = {.size = size, .bold = bold};
    char *end = strchr(text, '<');
    snprintf(added->text, sizeof added->text, "%.*s", (int)(end - text), text);
    added->across = vef_svg_text_width(&font, added->text) / 2;
    added->up = 0.36 * size; /* of capitals and digits */
    added->angle = angle * acos(-1) / 180;
    const double dx = x + (1 - anchor) * added->across - pivot_x, dy = y - added->up - pivot_y;
    added->x = pivot_x + dx * cos(added->angle) - dy * sin(added->angle);
    added->y = pivot_y + dx * sin(added->angle) + dy * cos(added->angle);
}

/* The boxes of all lines of texts; their number. */
static size_t find_texts(const char *svg, box *boxes, size_t room) {
    size_t found = 0;
    for (const char *text = svg; (text = strstr(text, "<text ")) != NULL; text++) {
        const char *begin = strchr(text, '>') + 1, *end = strstr(text, "</text>");
        char head[256];
        double x, y, size = 0, angle = 0;
        snprintf(head, sizeof head, "%.*s", (int)(begin - text), text);
        assert_int_equal(sscanf(head, "<text x=\"%lf\" y=\"%lf\" font-size=\"%lf\"", &x, &y, &size),
                         3);
        const char *rotate = strstr(head, "rotate(");
        if (rotate)
            angle = strtod(rotate + 7, NULL);
        const double anchor = strstr(head, "\"middle\"") ? 1 : strstr(head, "\"end\"") ? 2 : 0;
        const bool bold = strstr(head, "bold") != NULL;
        const double pivot_x = x, pivot_y = y;
        while (begin && begin < end) {
            assert_true(found < room);
            if (*begin != '<')
                add_box(begin, x, y, size, bold, anchor, angle, pivot_x, pivot_y, &boxes[found++]);
            begin = strstr(begin, "<tspan ");
            if (begin && begin < end) {
                assert_int_equal(sscanf(begin, "<tspan x=\"%lf\" y=\"%lf\"", &x, &y), 2);
                begin = strchr(begin, '>') + 1;
            }
        }
    }
    return found;
}

static void add_curves(vef_picture *picture, unsigned group, size_t panels) {
    for (size_t p = 0; p < panels; p++) {
        vef_panel *panel = vef_picture_add(picture, "routing.algorithm=adaptive");
        panel->group = group;
        panel->x = (vef_axis){
            .label = "offered load", .unit = "% of injection bandwidth", .from_zero = true};
        panel->y = (vef_axis){.kind = VEF_AXIS_AUTO, .label = "message latency", .unit = "ns"};
        for (int s = 0; s < 8; s++) {
            char name[40];
            snprintf(name, sizeof name, "router.queue_packets=%d", 1 << s);
            vef_picture_series *series = vef_panel_series(panel, name, VEF_LINE | VEF_DOTS);
            for (int x = 1; x < 10; x++)
                vef_panel_mark(series, 10 * x, 700 * exp(x * ((double)p + 0.5)), NAN, NAN);
        }
    }
}

static void add_named_bars(vef_picture *picture, size_t names) {
    vef_panel *panel = vef_picture_add(picture, NULL);
    panel->x.label = "pattern";
    panel->y =
        (vef_axis){.label = "accepted load", .unit = "phits/cycle/endpoint", .from_zero = true};
    for (size_t x = 0; x < names; x++) {
        vef_panel_name(panel, &panel->x, "bit-complement");
        for (int s = 0; s < 3; s++)
            vef_panel_mark(vef_panel_series(panel,
                                            s == 0   ? "torus"
                                            : s == 1 ? "mesh"
                                                     : "tree",
                                            VEF_BARS),
                           (double)x, 123456.0 * (s + 1), NAN, NAN);
    }
}

static void add_matrix_and_samples(vef_picture *picture) {
    vef_matrix matrix = vef_matrix_make(1000);
    vef_panel *panel = vef_picture_add(picture, "bytes between endpoints, random(4)");
    for (uint32_t i = 0; i < 1000; i++)
        vef_matrix_add(&matrix, i, (7 * i) % 1000, pow(10, i % 6));
    panel->colour =
        (vef_axis){.kind = VEF_AXIS_AUTO, .label = "bytes from 5 tasks to 5 tasks", .unit = "B"};
    vef_panel_add_matrix(panel, "receiving endpoint", "sending endpoint", &matrix);
    panel = vef_picture_add(picture, NULL);
    panel->x = (vef_axis){.kind = VEF_AXIS_LOG2, .label = "size", .unit = "B"};
    panel->y = (vef_axis){.kind = VEF_AXIS_LOG10, .label = "time", .unit = "ns"};
    for (int x = 0; x < 30; x++)
        vef_panel_mark(vef_panel_series(panel, "half a round trip", VEF_LINE), exp2(x),
                       pow(2, x) + 100, NAN, NAN);
}

/* At the widths of a column and of a page, and in larger letters: the picture has exactly that
 * width; no text overlaps another or leaves the page. */
static void test_sizes_in_print(void **state) {
    (void)state;
    static const struct {
        double width_mm, height_mm, font;
        uint32_t columns;
    } sizes[] = {{84, 0, 8, 0}, {174, 0, 8, 0}, {84, 0, 10, 0}, {174, 120, 7, 3}, {60, 0, 6, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 5; kind++) {
            const vef_picture_size size = {sizes[i].width_mm / 1000, sizes[i].height_mm / 1000,
                                           sizes[i].font, sizes[i].columns, true};
            vef_picture *picture = vef_picture_new(kind == 1 ? 3 : 2);
            vef_picture_set_title(picture, "a network with a long name, uniform traffic of all",
                                  "messages of one packet; 100 % is 1.25 GB/s; bars: 95 %");
            vef_picture_set_size(picture, &size);
            if (kind <= 1)
                add_curves(picture, (unsigned)kind, kind ? 5 : 2);
            if (kind == 2 || kind == 3)
                add_named_bars(picture, kind == 2 ? 4 : 60);
            if (kind == 4)
                add_matrix_and_samples(picture);
            char *svg = svg_of(picture);
            static box boxes[400];
            double mm[2], page[2];
            assert_int_equal(
                sscanf(strstr(svg, "width="), "width=\"%lfmm\" height=\"%lfmm\"", &mm[0], &mm[1]),
                2);
            assert_int_equal(
                sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf\"", &page[0], &page[1]), 2);
            check_near(mm[0], sizes[i].width_mm, 0.01);
            if (sizes[i].height_mm > 0)
                check_near(mm[1], sizes[i].height_mm, 0.01);
            check_near(mm[1] / mm[0], page[1] / page[0], 0.001);
            /* Texts of ticks have 11 units: a point is 25.4 / 72 mm. */
            check_near(11 * mm[0] / page[0], sizes[i].font * 25.4 / 72, 0.01);
            const size_t found = find_texts(svg, boxes, sizeof boxes / sizeof *boxes);
            for (size_t t = 0; t < found; t++) {
                const double c = fabs(cos(boxes[t].angle)), s = fabs(sin(boxes[t].angle));
                const double half_x = boxes[t].across * c + boxes[t].up * s;
                const double half_y = boxes[t].across * s + boxes[t].up * c;
                if (boxes[t].x - half_x < -0.1 || boxes[t].x + half_x > page[0] + 0.1 ||
                    boxes[t].y - half_y < -0.1 || boxes[t].y + half_y > page[1] + 0.1)
                    fail_msg("size %zu, picture %d: %s leaves the page", i, kind, boxes[t].text);
                for (size_t other = 0; other < t; other++)
                    if (overlap(&boxes[t], &boxes[other]))
                        fail_msg("size %zu, picture %d: '%s' overlaps '%s'", i, kind, boxes[t].text,
                                 boxes[other].text);
            }
            free(svg);
        }
}

/* Facets share their limits: the same value is at the same height of each box; ticks are written
 * once in a row and a column, and there is one legend. */
static void test_facets(void **state) {
    (void)state;
    vef_picture *picture = vef_picture_new(2);
    for (int p = 0; p < 4; p++) {
        vef_panel *panel = vef_picture_add(picture, "facet");
        panel->group = 1;
        panel->x = panel->y = (vef_axis){.from_zero = true};
        vef_picture_series *series = vef_panel_series(panel, "same", VEF_DOTS);
        vef_panel_mark(series, 1, 5, NAN, NAN);
        vef_panel_mark(series, 10.0 * (p + 1), 20.0 * (p + 1), NAN, NAN);
    }
    char *svg = svg_of(picture);
    place dots[16];
    assert_int_equal(count(svg, ">same<"), 1);
    assert_int_equal(count(svg, ">80</text>"), 2); /* of the axes of y of two rows */
    assert_int_equal(count(svg, ">40</text>"), 4); /* also of the axes of x of two columns */
    assert_int_equal(find_dots(strstr(svg, "<g clip-path"), dots), 8);
    check_near(dots[0].x, dots[4].x, 0.02);
    check_near(dots[2].x, dots[6].x, 0.02);
    check_near(dots[0].y, dots[2].y, 0.02);
    check_near(dots[4].y, dots[6].y, 0.02);
    /* From (1, 5): facet p has moved 10 (p + 1) - 1 and 20 (p + 1) - 5. */
    check_near((dots[3].x - dots[2].x) / (dots[1].x - dots[0].x), 19.0 / 9, 0.01);
    check_near((dots[7].y - dots[6].y) / (dots[1].y - dots[0].y), 75.0 / 15, 0.01);
    free(svg);
}

/* Every byte, in every place of a text. */
static void test_texts_are_escaped(void **state) {
    (void)state;
    char every[257];
    for (int i = 1; i < 256; i++)
        every[i - 1] = (char)i;
    every[255] = '\0';
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, every);
    panel->x = (vef_axis){.label = every, .unit = every};
    panel->y.label = every;
    vef_panel_name(panel, &panel->y, every);
    vef_panel_mark(vef_panel_series(panel, every, VEF_LINE), 1, 0, NAN, NAN);
    vef_panel_mark(vef_panel_series(panel, "", VEF_LINE), 2, 0, NAN, NAN);
    vef_panel_label(panel, 0, 0, 0, NAN, every);
    char *svg = svg_of(picture);
    bool inside = false; /* an element */
    for (const unsigned char *c = (const unsigned char *)svg; *c; c++) {
        assert_true(*c >= ' ' || *c == '\n');
        assert_int_not_equal(*c, 0x7f);
        if (*c == '<')
            assert_true(!inside && (c[1] == '/' || (c[1] >= 'a' && c[1] <= 'z')));
        if (*c == '<' || *c == '>') {
            assert_true(*c == '<' || inside);
            inside = *c == '<';
        }
        if (*c == '&')
            assert_true(strncmp((const char *)c, "&amp;", 5) == 0 ||
                        strncmp((const char *)c, "&lt;", 4) == 0 ||
                        strncmp((const char *)c, "&gt;", 4) == 0);
    }
    assert_true(count(svg, "\xef\xbf\xbd") >= 128);
    free(svg);
}

/* Nothing to draw, and a single point, also on logarithmic axes. */
static void test_little_data(void **state) {
    (void)state;
    for (int kind = VEF_AXIS_LINEAR; kind <= VEF_AXIS_LOG2; kind++)
        for (int points = 0; points < 2; points++) {
            vef_picture *picture = vef_picture_new(1);
            vef_panel *panel = vef_picture_add(picture, NULL);
            vef_picture_series *series = vef_panel_series(panel, NULL, VEF_DOTS | VEF_LINE);
            panel->x.kind = panel->y.kind = (vef_axis_kind)kind;
            for (int i = 0; i < points; i++)
                vef_panel_mark(series, 5, 0.001, -1, 0.002);
            char *svg = svg_of(picture);
            place dots[1];
            assert_int_equal(find_dots(svg, dots), points);
            assert_int_equal(count(svg, "no data"), 1 - points);
            free(svg);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_are_at_their_ticks),
        cmocka_unit_test(test_units_are_in_titles),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_series_differ),
        cmocka_unit_test(test_curves_end),
        cmocka_unit_test(test_widths_of_texts),
        cmocka_unit_test(test_sizes_in_print),
        cmocka_unit_test(test_facets),
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_little_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
