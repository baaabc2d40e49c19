/* Pictures: places of marks on the axes, ticks and their texts, numbers of marks, escaped texts.
 * What is drawn is read from the SVG alone. */
#include "common/pictures/picture.h"

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

/* Twenty series have twenty looks. */
static void test_series_differ(void **state) {
    (void)state;
    enum { SERIES = 20 };
    static char looks[SERIES][256];
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, NULL);
    for (int s = 0; s < SERIES; s++) {
        char name[16];
        snprintf(name, sizeof name, "series %d", s);
        vef_panel_mark(vef_panel_series(panel, name, VEF_DOTS), s, s, NAN, NAN);
    }
    char *svg = svg_of(picture);
    const char *dot = strstr(svg, "<g clip-path");
    for (int s = 0; s < SERIES; s++) {
        assert_non_null(dot = strstr(dot + 1, "translate("));
        snprintf(looks[s], sizeof looks[s], "%.*s", (int)strcspn(strchr(dot, ')'), ">"),
                 strchr(dot, ')'));
        for (int other = 0; other < s; other++)
            assert_string_not_equal(looks[s], looks[other]);
    }
    for (int s = 0; s < SERIES; s++) {
        char name[16];
        snprintf(name, sizeof name, "series %d", s);
        place_of(svg, name);
    }
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
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_little_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
