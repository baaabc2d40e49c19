/* Layouts: the table, and the lengths of links. See layout.h. */
#include "netmodel/analysis/layout/layout.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const vef_layout *const vef_layouts[] = {
    &vef_layout_grid,    &vef_layout_folded, &vef_layout_folded_king,
    &vef_layout_trellis, &vef_layout_square, NULL,
};
enum { LAYOUTS = sizeof vef_layouts / sizeof *vef_layouts - 1 };

vef_code vef_layout_find(const char *name, const vef_layout **layout, vef_error *error) {
    const char *names[LAYOUTS];
    for (size_t i = 0; i < LAYOUTS; i++) {
        names[i] = vef_layouts[i]->name;
        if (strcmp(names[i], name) == 0) {
            *layout = vef_layouts[i];
            return VEF_OK;
        }
    }
    return vef_fail_unknown(error, "layout", name, names, LAYOUTS);
}

/* "grid, folded": the layouts that support the topology. */
static void name_those_that_do(const vef_topology *topology, char *text, size_t text_bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < LAYOUTS; i++) {
        if (vef_layouts[i]->supports(vef_topology_whole(topology), NULL) != VEF_OK)
            continue;
        int length = snprintf(text + used, text_bytes - used, "%s%s", used ? ", " : "",
                              vef_layouts[i]->name);
        if (length < 0 || (size_t)length >= text_bytes - used)
            return;
        used += (size_t)length;
    }
}

/* Routers that are down keep their places: the others are where they are without failures. */
static void lay_out(const vef_layout *layout, const vef_topology *topology,
                    vef_place_on_plane *place) {
    const vef_topology *whole = vef_topology_whole(topology);
    if (whole == topology) {
        layout->lay_out(topology, place);
        return;
    }
    vef_place_on_plane *places = vef_malloc(whole->routers * sizeof *places);
    layout->lay_out(whole, places);
    for (uint32_t router = 0; router < topology->routers; router++)
        place[router] = places[vef_topology_router_number(topology, router)];
    free(places);
}

vef_code vef_layout_places(const vef_layout *layout, const vef_topology *topology,
                           vef_place_on_plane *place, vef_error *error) {
    vef_error why;
    if (layout->supports(vef_topology_whole(topology), &why) != VEF_OK) {
        char others[256], title[VEF_LAYOUT_TITLE_BYTES];
        name_those_that_do(topology, others, sizeof others);
        vef_layout_title(topology, title, sizeof title);
        return vef_fail(error, VEF_UNSUPPORTED, "layout %s %s: expected for this %s one of: %s",
                        layout->name, why.message, title, others);
    }
    lay_out(layout, topology, place);
    return VEF_OK;
}

void vef_layout_title(const vef_topology *topology, char *text, size_t text_bytes) {
    int length = snprintf(text, text_bytes, "%s of ", topology->family->name);
    if (topology->dimensions == 0)
        snprintf(text + length, text_bytes - (size_t)length, "%u routers", topology->routers);
    for (uint32_t d = 0; d < topology->dimensions && (size_t)length < text_bytes; d++)
        length += snprintf(text + length, text_bytes - (size_t)length, "%s%u", d ? " x " : "",
                           topology->sizes[d]);
}

/* ---- lengths ---- */

bool vef_layout_counts(const vef_topology *topology, uint32_t router, uint32_t port) {
    size_t here = (size_t)router * topology->ports + port;
    uint32_t other = topology->neighbour[here];
    return other != VEF_NO_ROUTER &&
           (router < other || (router == other && port < topology->reverse_port[here]));
}

uint64_t vef_layout_length_squared(const vef_topology *topology, const vef_place_on_plane *place,
                                   uint32_t router, uint32_t port) {
    vef_place_on_plane from = place[router], to = place[vef_topology_next(topology, router, port)];
    int64_t across = (int64_t)to.x - from.x, up = (int64_t)to.y - from.y;
    return (uint64_t)(across * across + up * up);
}

static void measure_link(const vef_layout *layout, const vef_topology *topology,
                         const vef_place_on_plane *place, uint32_t router, uint32_t port,
                         vef_layout_lengths *lengths) {
    uint64_t squared = vef_layout_length_squared(topology, place, router, port);
    if (lengths->links == 0 || squared < lengths->least_squared)
        lengths->least_squared = squared;
    if (squared > lengths->greatest_squared) {
        lengths->greatest_squared = squared;
        lengths->router = router;
        lengths->port = port;
    }
    if (layout->around_fold &&
        layout->around_fold(vef_topology_whole(topology),
                            vef_topology_router_number(topology, router), port))
        lengths->fold_links++;
    else {
        if (lengths->least_straight_squared == 0 || squared < lengths->least_straight_squared)
            lengths->least_straight_squared = squared;
        if (squared > lengths->greatest_straight_squared)
            lengths->greatest_straight_squared = squared;
    }
    lengths->links++;
    lengths->mean += sqrt((double)squared);
}

void vef_layout_measure(const vef_layout *layout, const vef_topology *topology,
                        const vef_place_on_plane *place, vef_layout_lengths *lengths) {
    *lengths = (vef_layout_lengths){0};
    for (uint32_t router = 0; router < topology->routers; router++) {
        if ((uint32_t)place[router].x >= lengths->columns)
            lengths->columns = (uint32_t)place[router].x + 1;
        if ((uint32_t)place[router].y >= lengths->rows)
            lengths->rows = (uint32_t)place[router].y + 1;
        for (uint32_t port = 0; port < topology->ports; port++)
            if (vef_layout_counts(topology, router, port))
                measure_link(layout, topology, place, router, port, lengths);
    }
    if (lengths->links > 0)
        lengths->mean /= (double)lengths->links;
    lengths->least = sqrt((double)lengths->least_squared);
    lengths->greatest = sqrt((double)lengths->greatest_squared);
}

/* Adds one link to the ascending rows, which have room for one more row. */
static void count_length(vef_layout_length *rows, size_t *count, uint64_t squared) {
    size_t low = 0, high = *count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].squared < squared)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == *count || rows[low].squared != squared) {
        memmove(rows + low + 1, rows + low, (*count - low) * sizeof *rows);
        rows[low] = (vef_layout_length){.squared = squared};
        ++*count;
    }
    rows[low].links++;
}

void vef_layout_count_lengths(const vef_topology *topology, const vef_place_on_plane *place,
                              vef_layout_length **lengths, size_t *count) {
    size_t room = 0;
    *lengths = NULL;
    *count = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            if (!vef_layout_counts(topology, router, port))
                continue;
            vef_grow(lengths, &room, *count + 1, sizeof **lengths);
            count_length(*lengths, count, vef_layout_length_squared(topology, place, router, port));
        }
}
