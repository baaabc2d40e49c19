/* Pictures and tables of layouts: every router and link once in the graph for Graphviz; in the SVG
 * as many circles and curves, at the places of the layout, the longest links marked; what `vef
 * topology --layout` prints. */
#include "cli/topology/topology.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char king[] = "{sizes: [8, 8], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}";

static char *dot_of(const vef_topology *topology, const char *layout) {
    char *text = NULL;
    size_t bytes = 0;
    vef_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    if (vef_topology_write_dot(topology, layout, out, &error) != VEF_OK)
        fail_msg("%s", error.message);
    assert_int_equal(fclose(out), 0);
    return text;
}

static size_t count(const char *text, const char *word) {
    size_t found = 0;
    for (const char *cursor = text; (cursor = strstr(cursor, word)) != NULL; cursor += strlen(word))
        found++;
    return found;
}

/* Takes every link of the graph away from those of the topology; none may be left or missing. */
static void check_graph(const vef_topology *topology, const char *dot) {
    size_t ports = (size_t)topology->routers * topology->ports, routers = 0;
    uint32_t *left = malloc(ports * sizeof *left);
    assert_non_null(left);
    memcpy(left, topology->neighbour, ports * sizeof *left);
    assert_true(strncmp(dot, "graph ", 6) == 0);
    for (const char *line = dot; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        unsigned ends[2];
        int length = 0;
        if (sscanf(line, "  %u -- %u%n", &ends[0], &ends[1], &length) == 2 && length > 0)
            for (int i = 0; i < 2; i++) {
                assert_true(ends[i] < topology->routers);
                uint32_t *row = left + (size_t)ends[i] * topology->ports, port = 0;
                while (port < topology->ports && row[port] != ends[1 - i])
                    port++;
                if (port == topology->ports)
                    fail_msg("a link %u -- %u too many", ends[0], ends[1]);
                row[port] = VEF_NO_ROUTER;
            }
        else if (sscanf(line, "  %u [label=%n", &ends[0], &length) == 1 && length > 0)
            routers += ends[0] < topology->routers;
    }
    for (size_t i = 0; i < ports; i++)
        assert_int_equal(left[i], VEF_NO_ROUTER);
    assert_int_equal(routers, topology->routers);
    free(left);
}

static void test_every_router_and_link_once(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            char *dot = dot_of(topology, NULL);
            check_graph(topology, dot);
            /* Positions where the routers form a grid of two dimensions. */
            assert_int_equal(count(dot, "pos=\""),
                             topology->dimensions == 2 ? topology->routers : 0);
            free(dot);
            if (topology->dimensions > 0) {
                dot = dot_of(topology, "grid");
                check_graph(topology, dot);
                assert_int_equal(count(dot, "pos=\""), topology->routers);
                free(dot);
            }
            vef_topology_destroy(topology);
        }
}

/* A name for a new file; mkstemp(3) makes it. */
static void scratch(char *path, size_t path_bytes, const char *name) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, path_bytes, "%s/%s-XXXXXX", folder ? folder : "/tmp", name);
}

/* ---- what is printed ---- */

/* The stdout of showing the layout; the code that came back, which has to be `wanted`. */
static char *show(const vef_topology *topology, const char *layout, const char *svg,
                  const vef_report_format *format, vef_code wanted, vef_error *error) {
    char path[512], *text = NULL;
    scratch(path, sizeof path, "layout");
    int file = mkstemp(path);
    assert_true(file >= 0);
    fflush(stdout);
    int former = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    vef_code code =
        vef_topology_show_layout(topology, layout, &(vef_plot){svg, NULL}, format, error);
    fflush(stdout);
    dup2(former, STDOUT_FILENO);
    close(former);
    off_t bytes = lseek(file, 0, SEEK_END);
    text = calloc((size_t)bytes + 1, 1);
    assert_non_null(text);
    assert_int_equal(pread(file, text, (size_t)bytes, 0), bytes);
    close(file);
    unlink(path);
    if (code != wanted)
        fail_msg("code %d instead of %d: %s", (int)code, (int)wanted, error->message);
    return text;
}

static void has(const char *text, const char *words) {
    if (!strstr(text, words))
        fail_msg("no '%s' in:\n%s", words, text);
}

static void test_what_is_printed(void **state) {
    (void)state;
    vef_error error = {0};
    vef_topology *topology = topology_of("lattice", king, 1);
    char *text = show(topology, "folded-king", NULL, NULL, VEF_OK, &error);
    has(text, "256 links of length 1 to sqrt(8)");
    has(text, "the others have length 2 to sqrt(8)");
    has(text, "8 columns, 8 rows");
    free(text);
    vef_topology_destroy(topology);

    topology = topology_of("rtt", "{a: 4}", 1);
    text = show(topology, "trellis", NULL, &vef_report_json, VEF_OK, &error);
    const char *greatest = strstr(text, "\"length_greatest\": ");
    assert_non_null(greatest);
    assert_near(strtod(strchr(greatest, ' '), NULL), sqrt(5), 1e-15);
    has(text, "\"length_greatest_squared\": 5");
    has(text, "\"length_least_elsewhere\": 2");
    assert_int_equal(count(text, "\"column\":"), 32);
    free(text);
    text = show(topology, "trellis", NULL, &vef_report_csv, VEF_OK, &error);
    assert_true(strncmp(text, "router,x,y,column,row\n0,0,0,0,0\n", 32) == 0);
    assert_int_equal(count(text, "\n"), 1 + 32);
    free(text);
    text = show(topology, "folded", NULL, NULL, VEF_UNSUPPORTED, &error);
    assert_string_equal(text, "");
    free(text);
    text = show(topology, "folding", NULL, NULL, VEF_INVALID, &error);
    has(error.message, "unknown layout");
    free(text);
    vef_topology_destroy(topology);
}

/* ---- the picture ---- */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = NULL;
    size_t room = 0;
    assert_true(getdelim(&text, &room, '\0', file) > 0);
    fclose(file);
    return text;
}

typedef struct point {
    double x, y;
} point;

/* The circles by router; each is at the place of its router, a whole number of steps of 72 points
 * from that of router 0. */
static point *check_circles(const vef_topology *topology, const char *layout, const char *svg) {
    const vef_layout *row;
    vef_error error = {0};
    vef_place_on_plane *place = malloc(topology->routers * sizeof *place);
    point *circles = malloc(topology->routers * sizeof *circles);
    assert_true(place && circles);
    assert_int_equal(vef_layout_find(layout, &row, &error), VEF_OK);
    assert_int_equal(vef_layout_places(row, topology, place, &error), VEF_OK);
    uint32_t routers = 0;
    for (const char *circle = svg; (circle = strstr(circle, "<circle")) != NULL; circle++) {
        point here;
        unsigned router;
        assert_int_equal(sscanf(circle, "<circle cx=\"%lf\" cy=\"%lf\"", &here.x, &here.y), 2);
        assert_int_equal(sscanf(strstr(circle, "<title>"), "<title>%u</title>", &router), 1);
        assert_int_equal(router, routers++);
        circles[router] = here;
        assert_near(here.x - circles[0].x, 72 * (place[router].x - place[0].x), 0.1);
        assert_near(here.y - circles[0].y, 72 * (place[router].y - place[0].y), 0.1);
    }
    assert_int_equal(routers, topology->routers);
    free(place);
    return circles;
}

/* A point of a link is not as near to another router's circle as its radius, 15. */
static void check_clear(const vef_topology *topology, const point *circles, point here,
                        uint32_t from, uint32_t to) {
    for (uint32_t r = 0; r < topology->routers; r++)
        if (r != from && r != to && hypot(here.x - circles[r].x, here.y - circles[r].y) < 15)
            fail_msg("%s: the link %u -- %u runs over %u", topology->family->name, from, to, r);
}

static point between(point from, point bend, point to, double t) {
    const double s = 1 - t;
    return (point){s * s * from.x + 2 * s * t * bend.x + t * t * to.x,
                   s * s * from.y + 2 * s * t * bend.y + t * t * to.y};
}

/* No link runs over a router that is not its end, and each begins and ends at its routers. */
static void check_curves(const vef_topology *topology, const point *circles, const char *svg) {
    uint64_t links = 0;
    for (const char *path = svg; (path = strstr(path, "<path d=\"M")) != NULL; path++, links++) {
        unsigned from, to;
        point p[6];
        assert_int_equal(sscanf(strstr(path, "<title>"), "<title>%u -- %u<", &from, &to), 2);
        assert_int_equal(sscanf(path,
                                "<path d=\"M%lf,%lfQ%lf,%lf %lf,%lfL%lf,%lfQ%lf,%lf %lf,%lf\"",
                                &p[0].x, &p[0].y, &p[1].x, &p[1].y, &p[2].x, &p[2].y, &p[3].x,
                                &p[3].y, &p[4].x, &p[4].y, &p[5].x, &p[5].y),
                         12);
        for (int i = 0; i <= 50; i++) {
            check_clear(topology, circles, between(p[0], p[1], p[2], i / 50.0), from, to);
            check_clear(topology, circles,
                        between(p[2], (point){(p[2].x + p[3].x) / 2, (p[2].y + p[3].y) / 2}, p[3],
                                i / 50.0),
                        from, to);
            check_clear(topology, circles, between(p[3], p[4], p[5], i / 50.0), from, to);
        }
        const double ends = hypot(p[0].x - circles[from].x, p[0].y - circles[from].y) +
                            hypot(p[5].x - circles[to].x, p[5].y - circles[to].y);
        const double swapped = hypot(p[0].x - circles[to].x, p[0].y - circles[to].y) +
                               hypot(p[5].x - circles[from].x, p[5].y - circles[from].y);
        assert_true(fmin(ends, swapped) < 0.2);
    }
    assert_int_equal(links * 2, (uint64_t)topology->routers * topology->ports);
}

static void test_the_picture(void **state) {
    (void)state;
    /* RTT(4) has 4 (a - 1)^2 = 36 links of length sqrt(5), KT(8) 2 (s - 2)^2 = 72 of sqrt(8)
     * (test_layout.c). */
    static const struct {
        const char *family, *parameters, *layout, *length;
        size_t longest; /* 0: not derived */
    } cases[] = {
        {"rtt", "{a: 4}", "trellis", "sqrt(5)", 36},
        {"king-torus", "{sizes: [8, 8]}", "folded-king", "sqrt(8)", 72},
        {"lattice", king, "folded-king", "sqrt(8)", 72},
        {"torus", "{sizes: [8, 2]}", "folded", "length", 12}, /* parallel links */
        {"torus", "{sizes: [12, 3, 4]}", "folded", "24", 0},
        {"torus", "{sizes: [40, 2]}", "grid", "39", 2},
        {"torus", "{sizes: [8, 8]}", "folded", "length", 96},
        {"torus", "{sizes: [8, 4]}", "grid", "7", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[512];
        scratch(path, sizeof path, "picture");
        vef_error error = {0};
        close(mkstemp(path));
        vef_topology *topology = topology_of(cases[i].family, cases[i].parameters, 1);
        free(show(topology, cases[i].layout, path, NULL, VEF_OK, &error));
        char *svg = read_file(path);
        has(svg, "<svg");
        has(svg, cases[i].length);
        if (cases[i].longest > 0)
            assert_int_equal(count(svg, "#d55e00"), cases[i].longest);
        assert_int_equal(count(svg, "stroke-width=\"5\""), 1);
        point *circles = check_circles(topology, cases[i].layout, svg);
        check_curves(topology, circles, svg);
        free(circles);
        free(svg);
        unlink(path);
        vef_topology_destroy(topology);
    }
}

static void test_a_picture_that_cannot_be_written(void **state) {
    (void)state;
    vef_error error = {0};
    vef_topology *topology = topology_of("rtt", "{a: 4}", 1);
    char *text = show(topology, "trellis", "/nonexistent/a.svg", NULL, VEF_IO, &error);
    has(error.message, "/nonexistent/a.svg");
    assert_string_equal(text, "");
    free(text);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_router_and_link_once),
        cmocka_unit_test(test_what_is_printed),
        cmocka_unit_test(test_the_picture),
        cmocka_unit_test(test_a_picture_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
