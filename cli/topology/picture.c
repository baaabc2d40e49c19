/* Pictures of networks: a graph for Graphviz, and SVG by its neato. See layout.h.
 *
 * Positions and curves are computed here, in points, and `neato -n2` preserves them: its own
 * splines take long for large networks. A link whose straight line crosses other places is drawn
 * beside them, on a side that depends on its start, so that the interleaved links of a folded ring
 * are distinguishable. Rows grow downwards, as in the papers' figures. */
#include "cli/topology/layout.h"

#include "cli/pictures/drawer.h"
#include "common/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPACING = 72, MOST_LABEL = 5 }; /* points between places; characters in a circle */

/* A byte of a text in a quoted string of Graphviz. */
static void write_character(char c, FILE *out) {
    if (c == '"' || c == '\\')
        fputc('\\', out);
    fputc((unsigned char)c < ' ' || c == 0x7f ? ' ' : c, out);
}

/* A router's name as a quoted label: its coordinates without parentheses and blanks, to fit a
 * circle; other names unchanged. Returns its length. */
static int write_label(const vef_topology *topology, uint32_t router, FILE *out) {
    char name[VEF_ROUTER_NAME_BYTES];
    bool coordinates = topology->dimensions > 0 && !topology->family->router_name;
    int length = 0;
    vef_topology_router_name(topology, router, name, sizeof name);
    fputc('"', out);
    for (const char *c = name; *c; c++) {
        if (coordinates && strchr("() ", *c))
            continue;
        write_character(*c, out);
        length++;
    }
    fputc('"', out);
    return length;
}

static void write_routers(const vef_topology *topology, const vef_place_on_plane *place,
                          FILE *out) {
    for (uint32_t router = 0; router < topology->routers; router++) {
        fprintf(out, "  %u [label=", vef_topology_router_number(topology, router));
        int length = write_label(topology, router, out);
        if (place) {
            fprintf(out, ", pos=\"%d,%d!\"", place[router].x * SPACING, -place[router].y * SPACING);
            if (length > MOST_LABEL)
                fprintf(out, ", fontsize=%.1f", 10.0 * MOST_LABEL / length);
        }
        fputs("];\n", out);
    }
}

static int32_t common_divisor(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A line from place to place, in steps between adjacent places on it: `along` and `aside` below are
 * in places, from its start and to its left. */
typedef struct course {
    vef_place_on_plane from;
    double length, across, up; /* its direction: a vector of length 1 */
    int32_t steps;
} course;

static course course_between(vef_place_on_plane from, vef_place_on_plane to) {
    if (from.x > to.x || (from.x == to.x && from.y > to.y)) { /* one direction for one side */
        vef_place_on_plane other = from;
        from = to;
        to = other;
    }
    int32_t across = to.x - from.x, up = to.y - from.y;
    double length = hypot(across, up);
    return (course){from, length, across / length, up / length,
                    common_divisor(abs(across), abs(up))};
}

static void write_point(const course *line, double along, double aside, FILE *out) {
    fprintf(out, " %.1f,%.1f", SPACING * (line->from.x + along * line->across - aside * line->up),
            -SPACING * (line->from.y + along * line->up + aside * line->across));
}

/* One Bezier curve, its middle 3/4 of `bend` beside the line. */
static void write_arc(const course *line, double bend, FILE *out) {
    for (int i = 0; i <= 3; i++)
        write_point(line, line->length * i / 3, i == 1 || i == 2 ? bend : 0, out);
}

/* Out to the side before the next place, straight on, and back. */
static void write_detour(const course *line, double aside, FILE *out) {
    static const double shape[][2] = {{0, 0}, {0.3, 0.6}, {0.5, 1}, {0.8, 1}}; /* steps, share */
    double step = line->length / line->steps;
    for (int i = 0; i <= 3; i++)
        write_point(line, shape[i][0] * step, shape[i][1] * aside, out);
    for (int i = 1; i <= 2; i++)
        write_point(line, line->length * i / 3, aside, out);
    for (int i = 3; i >= 0; i--)
        write_point(line, line->length - shape[i][0] * step, shape[i][1] * aside, out);
}

/* The curve of a link, which avoids the places on the straight line between its ends. The side
 * alternates with the start, as the two halves of a folded ring do. `parallel`: number of earlier
 * links between the same two routers. */
static void write_curve(vef_place_on_plane from, vef_place_on_plane to, uint32_t parallel,
                        FILE *out) {
    course line = course_between(from, to);
    uint32_t start = (uint32_t)(line.across > 0 ? line.from.x : line.from.y);
    double side = (start + parallel) % 2 ? 1 : -1;
    fputs("pos=\"", out);
    if (line.steps == 1)
        write_arc(&line, side * 0.35 * ((parallel + 1) / 2), out);
    else if (line.steps == 2)
        write_arc(&line, side * 0.42 * (1 + parallel / 2), out);
    else
        write_detour(&line, side * ((start / 2 + parallel / 2) % 2 ? 0.42 : 0.28), out);
    fputc('"', out);
}

/* The number of earlier ports from `router` to the same neighbour, counting each link once. */
static uint32_t parallel_before(const vef_topology *topology, uint32_t router, uint32_t port) {
    const uint32_t *next = topology->neighbour + (size_t)router * topology->ports;
    uint32_t count = 0;
    for (uint32_t p = 0; p < port; p++)
        count += next[p] == next[port] && vef_layout_counts(topology, router, p);
    return count;
}

enum stroke { ORDINARY, LONGEST, THICK, STROKES };

static enum stroke stroke_of(const vef_topology *topology, const vef_layout *layout,
                             const vef_place_on_plane *place, const vef_layout_lengths *lengths,
                             uint32_t router, uint32_t port) {
    if (!layout ||
        vef_layout_length_squared(topology, place, router, port) != lengths->greatest_squared)
        return ORDINARY;
    return router == lengths->router && port == lengths->port ? THICK : LONGEST;
}

static void write_link(const vef_topology *topology, const vef_place_on_plane *place,
                       enum stroke stroke, uint32_t router, uint32_t port, FILE *out) {
    static const char *const attributes[STROKES] = {"", ", color=\"#e8604c\", penwidth=1.4",
                                                    ", color=\"#c00000\", penwidth=5"};
    uint32_t other = topology->neighbour[(size_t)router * topology->ports + port];
    fprintf(out, "  %u -- %u", vef_topology_router_number(topology, router),
            vef_topology_router_number(topology, other));
    if (place) {
        fputs(" [", out);
        write_curve(place[router], place[other], parallel_before(topology, router, port), out);
        fprintf(out, "%s]", attributes[stroke]);
    }
    fputs(";\n", out);
}

static void write_title(const vef_topology *topology, const vef_layout *layout,
                        const vef_layout_lengths *lengths, FILE *out) {
    char title[VEF_LAYOUT_TITLE_BYTES], range[VEF_LENGTHS_BYTES];
    vef_layout_title(topology, title, sizeof title);
    fputs("  label=\"", out);
    for (const char *c = title; *c; c++)
        write_character(*c, out);
    if (layout) {
        vef_topology_lengths_text(lengths->least_squared, lengths->greatest_squared, range,
                                  sizeof range);
        fprintf(out, ", layout %s\\nlink lengths %s, mean %.4f", layout->name, range,
                lengths->mean);
        if (lengths->fold_links > 0 && lengths->fold_links < lengths->links) {
            vef_topology_lengths_text(lengths->least_straight_squared,
                                      lengths->greatest_straight_squared, range, sizeof range);
            fprintf(out, "; away from the ends of folds %s", range);
        }
        vef_topology_lengths_text(lengths->greatest_squared, lengths->greatest_squared, range,
                                  sizeof range);
        fprintf(out, "\\nred: the longest, %s; thick: one of these", range);
    }
    fputs("\";\n", out);
}

void vef_topology_draw(const vef_topology *topology, const vef_layout *layout,
                       const vef_place_on_plane *place, const vef_layout_lengths *lengths,
                       FILE *out) {
    fputs("graph network {\n", out);
    if (!place)
        fputs("  overlap=false;\n", out); /* Graphviz computes the places */
    else {
        write_title(topology, layout, lengths, out);
        fputs(
            "  labelloc=t; fontname=\"sans-serif\"; fontsize=16; inputscale=72; "
            "outputorder=edgesfirst; splines=true;\n"
            "  node [shape=circle, fixedsize=true, width=0.42, margin=0, fontsize=10, "
            "style=filled, "
            "fillcolor=white, fontname=\"sans-serif\"];\n"
            "  edge [color=\"#707070\"];\n",
            out);
    }
    write_routers(topology, place, out);
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++)
            if (vef_layout_counts(topology, router, port))
                write_link(topology, place,
                           stroke_of(topology, layout, place, lengths, router, port), router, port,
                           out);
    fputs("}\n", out);
}

/* ---- neato ---- */

static vef_code draw_with_neato(FILE *dot, FILE *svg, vef_error *error) {
    static char name[] = "neato", keep[] = "-n2", format[] = "-Tsvg", quiet[] = "-q";
    char *const arguments[] = {name, keep, format, quiet, NULL};
    return vef_draw_by(arguments,
                       "a picture needs neato of Graphviz (Debian: the package graphviz); --dot "
                       "writes the same graph for drawing it elsewhere by neato -n2 -Tsvg",
                       dot, svg, error);
}

vef_code vef_topology_write_svg(const vef_topology *topology, const vef_layout *layout,
                                const vef_place_on_plane *place, const vef_layout_lengths *lengths,
                                const char *svg, vef_error *error) {
    FILE *dot = tmpfile();
    if (!dot)
        return vef_fail_errno(error, "a temporary file for the graph");
    vef_output output;
    vef_code code = vef_output_open(&output, svg, error);
    if (code == VEF_OK) {
        vef_topology_draw(topology, layout, place, lengths, dot);
        code = draw_with_neato(dot, output.stream, error);
        if (code == VEF_OK)
            code = vef_output_commit(&output, error);
        else
            vef_output_discard(&output);
    }
    fclose(dot);
    return code;
}
