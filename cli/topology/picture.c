/* Pictures of networks: SVG, and a graph for Graphviz. See topology.h.
 *
 * A link whose straight line crosses other places is drawn beside them, on a side that depends on
 * its start, so that the interleaved links of a folded ring are distinguishable. Rows grow
 * downwards, as in the papers' figures. */
#include "cli/topology/topology.h"

#include "common/memory.h"
#include "common/pictures/size.h"
#include "common/pictures/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* In pixels: between places, of the circle of a router, around the picture. */
enum { SPACING = 72, RADIUS = 15, EDGE = 36, TEXT = 11 };

/* A router's name in few characters: coordinates without parentheses and blanks, other names
 * unchanged. `name` has VEF_ROUTER_NAME_BYTES. */
static void shorten_name(const vef_topology *topology, uint32_t router, char *name) {
    char *end = name;
    vef_topology_router_name(topology, router, name, VEF_ROUTER_NAME_BYTES);
    if (topology->dimensions == 0 || topology->family->router_name)
        return;
    for (const char *c = name; *c; c++)
        if (!strchr("() ", *c))
            *end++ = *c;
    *end = '\0';
}

/* ---- the graph ---- */

static void write_quoted(const char *text, FILE *out) {
    putc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            putc('\\', out);
        putc((unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c, out);
    }
    putc('"', out);
}

void vef_topology_write_graph(const vef_topology *topology, const vef_place_on_plane *place,
                              FILE *out) {
    char name[VEF_ROUTER_NAME_BYTES];
    fprintf(out, "graph network {\n  %s;\n", place ? "inputscale=72" : "overlap=false");
    for (uint32_t router = 0; router < topology->routers; router++) {
        shorten_name(topology, router, name);
        fprintf(out, "  %u [label=", vef_topology_router_number(topology, router));
        write_quoted(name, out);
        if (place)
            fprintf(out, ", pos=\"%d,%d!\"", place[router].x * SPACING, -place[router].y * SPACING);
        fputs("];\n", out);
    }
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++)
            if (vef_layout_counts(topology, router, port))
                fprintf(
                    out, "  %u -- %u;\n", vef_topology_router_number(topology, router),
                    vef_topology_router_number(
                        topology, topology->neighbour[(size_t)router * topology->ports + port]));
    fputs("}\n", out);
}

/* ---- the curves of links ---- */

static int32_t common_divisor(int32_t a, int32_t b) {
    while (b != 0) {
        int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The curve of a link, which goes beside the line between its ends if there are places on it. The
 * side alternates with the start, as the two halves of a folded ring do. `parallel`: number of
 * earlier links between the same two routers. */
static void write_curve(vef_place_on_plane from, vef_place_on_plane to, uint32_t parallel,
                        FILE *out) {
    if (from.x > to.x || (from.x == to.x && from.y > to.y)) { /* one direction for one side */
        const vef_place_on_plane other = from;
        from = to;
        to = other;
    }
    const int32_t across = to.x - from.x, down = to.y - from.y;
    const int32_t steps = common_divisor(abs(across), abs(down));
    const uint32_t start = (uint32_t)(across > 0 ? from.x : from.y);
    const double length = hypot(across, down), step = length / steps;
    double aside = (start + parallel) % 2 ? 1 : -1; /* in places, to the right */
    if (steps == 1)
        aside *= 0.26 * ((parallel + 1) / 2);
    else if (steps == 2)
        aside *= 0.34 * (1 + parallel / 2);
    else
        aside *= (start / 2 + parallel / 2) % 2 ? 0.42 : 0.28;
    /* Out to the side before the next place, straight on, and back. */
    const double bend = fmin(0.8 * step, length / 2);
    const double shape[][2] = {{0, 0},
                               {bend / 2, aside},
                               {bend, aside},
                               {length - bend, aside},
                               {length - bend / 2, aside},
                               {length, 0}};
    static const char *const commands[] = {"M", "Q", " ", "L", "Q", " "};
    for (int i = 0; i < 6; i++) {
        const double along = SPACING * shape[i][0] / length,
                     beside = SPACING * shape[i][1] / length;
        fprintf(out, "%s%.1f,%.1f", commands[i], SPACING * from.x + along * across - beside * down,
                SPACING * from.y + along * down + beside * across);
    }
}

/* The number of earlier ports from `router` to the same neighbour, counting each link once. */
static uint32_t parallel_before(const vef_topology *topology, uint32_t router, uint32_t port) {
    const uint32_t *next = topology->neighbour + (size_t)router * topology->ports;
    uint32_t count = 0;
    for (uint32_t p = 0; p < port; p++)
        count += next[p] == next[port] && vef_layout_counts(topology, router, p);
    return count;
}

/* ---- the picture ---- */

typedef struct drawing {
    const vef_topology *topology;
    const vef_layout *layout;
    const vef_place_on_plane *place;
    const vef_layout_lengths *lengths;
    vef_picture_size size;
} drawing;

static void length_text(uint64_t squared, char *text, size_t text_bytes) {
    uint64_t root = (uint64_t)llround(sqrt((double)squared));
    if (root * root == squared)
        snprintf(text, text_bytes, "%" PRIu64, root);
    else
        snprintf(text, text_bytes, "sqrt(%" PRIu64 ")", squared);
}

void vef_topology_lengths_text(uint64_t least_squared, uint64_t greatest_squared, char *text,
                               size_t text_bytes) {
    char least[VEF_LENGTHS_BYTES / 2 - 4], greatest[VEF_LENGTHS_BYTES / 2 - 4];
    length_text(least_squared, least, sizeof least);
    length_text(greatest_squared, greatest, sizeof greatest);
    if (least_squared == greatest_squared)
        snprintf(text, text_bytes, "%s", least);
    else
        snprintf(text, text_bytes, "%s to %s", least, greatest);
}

static char *write_title(const drawing *drawn) {
    const vef_layout_lengths *lengths = drawn->lengths;
    char title[VEF_LAYOUT_TITLE_BYTES], range[VEF_LENGTHS_BYTES], straight[VEF_LENGTHS_BYTES] = "";
    char longest[VEF_LENGTHS_BYTES];
    vef_layout_title(drawn->topology, title, sizeof title);
    vef_topology_lengths_text(lengths->least_squared, lengths->greatest_squared, range,
                              sizeof range);
    vef_topology_lengths_text(lengths->greatest_squared, lengths->greatest_squared, longest,
                              sizeof longest);
    const bool folded = lengths->fold_links > 0 && lengths->fold_links < lengths->links;
    if (folded)
        vef_topology_lengths_text(lengths->least_straight_squared,
                                  lengths->greatest_straight_squared, straight, sizeof straight);
    return vef_printed(
        "%s, layout %s. Link lengths %s, mean %.4f%s%s. Red: the longest, %s; thick: "
        "one of these",
        title, drawn->layout->name, range, lengths->mean,
        folded ? "; away from the ends of folds " : "", straight, longest);
}

static void write_link(const drawing *drawn, uint32_t router, uint32_t port, FILE *out) {
    const vef_topology *topology = drawn->topology;
    const uint32_t other = topology->neighbour[(size_t)router * topology->ports + port];
    const bool longest = vef_layout_length_squared(topology, drawn->place, router, port) ==
                         drawn->lengths->greatest_squared;
    const bool thick = router == drawn->lengths->router && port == drawn->lengths->port;
    fputs("<path d=\"", out);
    write_curve(drawn->place[router], drawn->place[other], parallel_before(topology, router, port),
                out);
    fprintf(out, "\" stroke=\"%s\" stroke-width=\"%s\"><title>%u -- %u</title></path>\n",
            longest ? "#d55e00" : "#707070",
            thick     ? "5"
            : longest ? "1.5"
                      : "1",
            vef_topology_router_number(topology, router),
            vef_topology_router_number(topology, other));
}

/* `scale`: of the circles, on the page. */
static void write_router(const drawing *drawn, uint32_t router, double scale, FILE *out) {
    vef_svg_font font = {.size = fmin(TEXT / scale, RADIUS), .anchor = VEF_SVG_MIDDLE};
    char name[VEF_ROUTER_NAME_BYTES];
    const double x = SPACING * drawn->place[router].x, y = SPACING * drawn->place[router].y;
    shorten_name(drawn->topology, router, name);
    const double width = vef_svg_text_width(&font, name), room = 1.8 * RADIUS;
    font.size *= width > room ? room / width : 1;
    fprintf(out,
            "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"%d\" fill=\"white\" stroke=\"black\">"
            "<title>%u</title></circle>\n",
            x, y, RADIUS, vef_topology_router_number(drawn->topology, router));
    vef_svg_text(&font, x, y + 0.36 * font.size, INFINITY, name, out);
}

static void write_picture(const void *context, FILE *out) {
    const drawing *drawn = context;
    const vef_topology *topology = drawn->topology;
    const vef_svg_font font = {.size = TEXT};
    const double unit = drawn->size.font * 96 / 72 / TEXT;
    char *title = write_title(drawn);
    uint32_t columns = 1, rows = 1;
    for (uint32_t router = 0; router < topology->routers; router++) {
        columns = (uint32_t)fmax(columns, drawn->place[router].x + 1);
        rows = (uint32_t)fmax(rows, drawn->place[router].y + 1);
    }
    const double across = SPACING * (columns - 1.0) + 2 * EDGE,
                 down = SPACING * (rows - 1.0) + 2 * EDGE;
    const double given = drawn->size.width_m / 0.0254 * 96 / unit,
                 most = drawn->size.height_m / 0.0254 * 96 / unit;
    const double width = given > 0 ? given : fmax(280, across);
    const double top =
        drawn->size.title ? TEXT + vef_svg_paragraph(&font, 0, 0, width - TEXT, title, NULL) : 0;
    double scale = given > 0 ? given / across : 1;
    if (most > 0)
        scale = fmax(0.05, fmin(scale, (most - top) / down));
    vef_svg_begin(width, most > 0 ? most : top + scale * down, unit, out);
    if (top > 0)
        vef_svg_paragraph(&font, TEXT / 2.0, 1.5 * TEXT, width - TEXT, title, out);
    fprintf(out, "<g transform=\"translate(%.2f,%.2f) scale(%.4f)\" fill=\"none\">\n", scale * EDGE,
            top + scale * EDGE, scale);
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++)
            if (vef_layout_counts(topology, router, port))
                write_link(drawn, router, port, out);
    fputs("</g>\n", out);
    fprintf(out, "<g transform=\"translate(%.2f,%.2f) scale(%.4f)\">\n", scale * EDGE,
            top + scale * EDGE, scale);
    for (uint32_t router = 0; router < topology->routers; router++)
        write_router(drawn, router, scale, out);
    fputs("</g>\n", out);
    vef_svg_end(out);
    free(title);
}

vef_code vef_topology_write_picture(const vef_topology *topology, const vef_layout *layout,
                                    const vef_place_on_plane *place,
                                    const vef_layout_lengths *lengths, const vef_plot *plot,
                                    vef_error *error) {
    drawing drawn = {topology, layout, place, lengths, vef_picture_size_usual};
    const vef_code code = vef_picture_size_read(plot->figure, &drawn.size, error);
    return code ? code : vef_picture_write_file(plot->path, write_picture, &drawn, error);
}
