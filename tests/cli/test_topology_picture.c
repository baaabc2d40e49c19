/* Pictures and tables of layouts: every router and link once in the graph for Graphviz, the longest
 * links marked; in the SVG that neato makes of it as many circles and lines, at the places of the
 * layout; what `vef topology --layout` prints. */
#include "cli/topology/layout.h"
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
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
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
            /* Positions of routers and links where the routers form a grid of two dimensions. */
            size_t positions = count(dot, "pos=\"");
            assert_int_equal(
                positions, topology->dimensions == 2 ? topology->routers + count(dot, " -- ") : 0);
            assert_int_equal(count(dot, "penwidth"), 0);
            free(dot);
            if (topology->dimensions > 0) {
                dot = dot_of(topology, "grid");
                check_graph(topology, dot);
                assert_int_equal(count(dot, "penwidth=5"), 1);
                free(dot);
            }
            vef_topology_destroy(topology);
        }
}

/* RTT(4) has 4 (a - 1)^2 = 36 links of length sqrt(5), KT(8) 2 (s - 2)^2 = 72 of sqrt(8)
 * (test_layout.c). */
static void test_the_longest_links_are_marked(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters, *layout, *title;
        size_t longest;
    } cases[] = {
        {"rtt", "{a: 4}", "trellis", "red: the longest, sqrt(5)", 36},
        {"lattice", king, "folded-king", "red: the longest, sqrt(8)", 72},
        {"torus", "{sizes: [8, 8]}", "folded", "red: the longest, 2;", 96},
        {"torus", "{sizes: [8, 4]}", "grid", "red: the longest, 7;", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_topology *topology = topology_of(cases[i].family, cases[i].parameters, 1);
        char *dot = dot_of(topology, cases[i].layout);
        assert_non_null(strstr(dot, cases[i].title));
        assert_int_equal(count(dot, "penwidth=5"), 1);
        assert_int_equal(count(dot, "penwidth="), cases[i].longest);
        free(dot);
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
    vef_code code = vef_topology_show_layout(topology, layout, svg, format, error);
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

/* ---- neato ---- */

static bool there_is_neato(void) {
    return system("command -v neato >/dev/null 2>&1") == 0;
}

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
    for (const char *at = svg; (at = strstr(at, "<title>")) != NULL; at++) {
        unsigned router;
        int length = 0;
        if (sscanf(at, "<title>%u</title>%n", &router, &length) != 1 || length == 0)
            continue; /* of a link, or of the whole */
        assert_int_equal(router, routers++);
        const char *circle = strstr(at, " cx=");
        assert_non_null(circle);
        point here;
        assert_int_equal(sscanf(circle, " cx=\"%lf\" cy=\"%lf\"", &here.x, &here.y), 2);
        circles[router] = here;
        assert_near(here.x - circles[0].x, 72 * (place[router].x - place[0].x), 0.1);
        assert_near(here.y - circles[0].y, 72 * (place[router].y - place[0].y), 0.1);
    }
    assert_int_equal(routers, topology->routers);
    free(place);
    return circles;
}

static double bezier(double a, double b, double c, double d, double t) {
    double s = 1 - t;
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
}

/* A point of a link is not as near to another router's circle as its radius, 0.21 inches. */
static void check_clear(const vef_topology *topology, const point *circles, point here,
                        uint32_t from, uint32_t to) {
    for (uint32_t r = 0; r < topology->routers; r++)
        if (r != from && r != to && hypot(here.x - circles[r].x, here.y - circles[r].y) < 72 * 0.21)
            fail_msg("%s: the link %u -- %u runs over %u", topology->family->name, from, to, r);
}

/* No link runs over a router that is not its end. */
static void check_curves(const vef_topology *topology, const point *circles, const char *svg) {
    uint64_t links = 0;
    for (const char *at = svg; (at = strstr(at, "&#45;&#45;")) != NULL; at++) {
        const char *title = at, *path = strstr(at, " d=\"M");
        unsigned from, to;
        while (*title != '>')
            title--;
        if (sscanf(title, ">%u&#45;&#45;%u<", &from, &to) != 2)
            continue;
        assert_non_null(path);
        path = strchr(path, 'M') + 1;
        point p[4];
        int length = 0;
        assert_int_equal(sscanf(path, "%lf,%lf%n", &p[0].x, &p[0].y, &length), 2);
        for (path += length + 1; sscanf(path, "%lf,%lf %lf,%lf %lf,%lf%n", &p[1].x, &p[1].y,
                                        &p[2].x, &p[2].y, &p[3].x, &p[3].y, &length) == 6;
             path += length, p[0] = p[3])
            for (int i = 0; i <= 50; i++) {
                point here = {bezier(p[0].x, p[1].x, p[2].x, p[3].x, i / 50.0),
                              bezier(p[0].y, p[1].y, p[2].y, p[3].y, i / 50.0)};
                check_clear(topology, circles, here, from, to);
            }
        assert_int_equal(*path, '"');
        links += strncmp(title, ">", 1) == 0 && title[-1] == 'e'; /* <title>, not the comment */
    }
    assert_int_equal(links * 2, (uint64_t)topology->routers * topology->ports);
}

static void test_the_picture(void **state) {
    (void)state;
    if (!there_is_neato())
        skip();
    static const struct {
        const char *family, *parameters, *layout, *length;
    } cases[] = {
        {"rtt", "{a: 4}", "trellis", "the longest, sqrt(5)"},
        {"king-torus", "{sizes: [8, 8]}", "folded-king", "the longest, sqrt(8)"},
        {"torus", "{sizes: [8, 2]}", "folded", "the longest, 2"}, /* parallel links */
        {"torus", "{sizes: [12, 3, 4]}", "folded", "the longest, 24"},
        {"torus", "{sizes: [40, 2]}", "grid", "the longest, 39"},
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
        assert_int_equal(count(svg, "class=\"node\""), topology->routers);
        assert_int_equal(count(svg, "class=\"edge\""),
                         (size_t)topology->routers * topology->ports / 2);
        assert_int_equal(count(svg, "<path fill=\"none\""),
                         (size_t)topology->routers * topology->ports / 2);
        assert_int_equal(count(svg, "stroke-width=\"5\""), 1);
        point *circles = check_circles(topology, cases[i].layout, svg);
        check_curves(topology, circles, svg);
        free(circles);
        free(svg);
        unlink(path);
        vef_topology_destroy(topology);
    }
}

static void test_a_picture_without_neato(void **state) {
    (void)state;
    char *former = strdup(getenv("PATH") ? getenv("PATH") : ""), path[512];
    vef_error error = {0};
    vef_topology *topology = topology_of("rtt", "{a: 4}", 1);
    scratch(path, sizeof path, "none");
    setenv("PATH", "/nonexistent", 1);
    char *text = show(topology, "trellis", path, NULL, VEF_UNSUPPORTED, &error);
    setenv("PATH", former, 1);
    has(error.message, "graphviz");
    has(error.message, "--dot");
    assert_int_equal(access(path, F_OK), -1);
    assert_string_equal(text, "");
    free(text);
    /* The error about a file that cannot be written names it. */
    text = show(topology, "trellis", "/nonexistent/a.svg", NULL, VEF_IO, &error);
    has(error.message, "/nonexistent/a.svg");
    free(text);
    free(former);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_router_and_link_once),
        cmocka_unit_test(test_the_longest_links_are_marked),
        cmocka_unit_test(test_what_is_printed),
        cmocka_unit_test(test_the_picture),
        cmocka_unit_test(test_a_picture_without_neato),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
