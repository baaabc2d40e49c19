/* Closed forms of a paper. See closed_form.h. */
#include "cli/model/closed_form.h"

#include <string.h>

enum { MAPPING_BYTES = 128 };

/* `hops_over_a`: local hops are `hops` + `hops_over_a` / a. */
static const struct {
    const char *family, *mapping;
    uint32_t tasks_on_router;
    double load, hops, hops_over_a;
} rows[] = {
    {"rt", "identity", 1, 1, 1, 0},
    {"rtt", "identity", 1, 2, 1.5, -1},
    {"rtt", "diagonal-shift", 1, 2, 1.5, 0},
    {"rt", "vertical-union(2)", 2, 1, 0.75, 0},
    {"rtt", "vertical-union(2)", 2, 1, 1, -0.5},
    {"rtt", "diagonal-shift.vertical-union(2)", 2, 1.5, 1, 0},
    {"rtt", "twisted-union(2)", 2, 1, 1, 0},
};

/* Without spaces, and with '.' for every composition. */
static void normalise(const char *mapping, char text[static MAPPING_BYTES]) {
    static const char ring[] = "∘";
    size_t used = 0;
    while (*mapping && used + 1 < MAPPING_BYTES) {
        if (strncmp(mapping, ring, sizeof ring - 1) == 0) {
            text[used++] = '.';
            mapping += sizeof ring - 1;
        } else if (*mapping == ' ') {
            mapping++;
        } else {
            text[used++] = *mapping++;
        }
    }
    text[used] = '\0';
}

bool vef_closed_form_find(const vef_topology *topology, const char *mapping, vef_grid grid,
                          bool wrap, vef_closed_form *form) {
    const char *family = topology->family->name;
    const double a = topology->sizes[1];
    char text[MAPPING_BYTES];
    normalise(mapping, text);
    for (size_t i = 0; wrap && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].family, family) != 0 || strcmp(rows[i].mapping, text) != 0 ||
            grid.width != topology->sizes[0] ||
            grid.height != rows[i].tasks_on_router * topology->sizes[1])
            continue;
        const bool twisted = strcmp(family, "rtt") == 0;
        *form = (vef_closed_form){.local_load = rows[i].load,
                                  .global_load = twisted ? 2 * a / 3 : a,
                                  .local_hops = rows[i].hops + rows[i].hops_over_a / a,
                                  .global_hops = twisted ? 2 * a / 3 : 3 * a / 4};
        return true;
    }
    return false;
}

double vef_closed_form_throughput(const vef_closed_form *form, double alpha) {
    return 4 / (form->local_load * alpha + form->global_load * (1 - alpha));
}

double vef_closed_form_hops(const vef_closed_form *form, double alpha) {
    return form->local_hops * alpha + form->global_hops * (1 - alpha);
}
