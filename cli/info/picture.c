/* The traffic matrix as a heat map: senders are rows, receivers columns, colours bytes. With
 * more than MOST_CELLS tasks, a cell is a square of several. */
#include "cli/info/view.h"

#include "cli/pictures/links.h"
#include "cli/pictures/plot.h"
#include "common/memory.h"

#include <stdlib.h>

/* Cells below three pixels are hard to see. LINEAR: largest ratio of bytes with a linear scale. */
enum { MOST_CELLS = 256, LINEAR = 20, PICTURE_WIDTH = 960, PICTURE_HEIGHT = 820, FEW_TASKS = 24 };

static const char INSTEAD[] = "--matrix writes the same numbers for other tools";

vef_code vef_info_picture_check(const vef_info_view *view, vef_error *error) {
    return vef_plot_check("--plot", view->plot, INSTEAD, error);
}

typedef struct heat_map {
    uint32_t side, cells; /* tasks per cell, cells per row */
    double *bytes;        /* by rows; negative: no traffic */
    double least, most;
} heat_map;

/* A message of 0 bytes is traffic too: drawn as 1 byte, for the logarithmic scale. */
static void add_pair(void *context, const vef_info_pair *pair) {
    heat_map *map = context;
    double *cell =
        &map->bytes[(size_t)(pair->from / map->side) * map->cells + pair->to / map->side];
    double bytes = (double)pair->bytes + (double)pair->one_sided_bytes;
    *cell = *cell < 0 ? (bytes > 0 ? bytes : 1) : *cell + bytes;
}

static void find_range(heat_map *map) {
    map->least = map->most = -1;
    for (size_t i = 0; i < (size_t)map->cells * map->cells; i++) {
        double bytes = map->bytes[i];
        if (bytes < 0)
            continue;
        if (map->least < 0 || bytes < map->least)
            map->least = bytes;
        if (bytes > map->most)
            map->most = bytes;
    }
}

static void write_data(const heat_map *map, FILE *out) {
    fputs("$traffic << EOD\n", out);
    for (uint32_t row = 0; row < map->cells; row++) {
        for (uint32_t column = 0; column < map->cells; column++) {
            double bytes = map->bytes[(size_t)row * map->cells + column];
            if (bytes < 0)
                fputs("-1 ", out);
            else
                fprintf(out, "%.9g ", bytes);
        }
        fputc('\n', out);
    }
    fputs("EOD\n", out);
}

static void write_scale(const heat_map *map, FILE *out) {
    if (map->side > 1)
        fprintf(out, "set cblabel \"bytes from %u tasks to %u tasks\" offset 1.5\n", map->side,
                map->side);
    else
        fputs("set cblabel \"bytes from task to task\" offset 1.5\n", out);
    if (map->most > LINEAR * map->least)
        fprintf(out, "set logscale cb\nset format cb \"%%.0s %%cB\"\nset cbrange [%.9g:%.9g]\n",
                map->least, map->most);
    else
        fprintf(out,
                map->most < 1000 ? "set format cb \"%%g B\"\nset cbrange [0:%.9g]\n"
                                 : "set format cb \"%%.1s %%cB\"\nset cbrange [0:%.9g]\n",
                map->most);
}

static void write_commands(const vef_info_view *view, const heat_map *map, FILE *out) {
    uint32_t tasks = view->header->tasks;
    char what[64];
    snprintf(what, sizeof what, ", %u tasks: point-to-point%s", tasks,
             view->stats.one_sided ? " and one-sided" : "");
    write_data(map, out);
    fputs("set title ", out);
    vef_plot_text(out, *view->header->application ? view->header->application : view->path, what,
                  NULL);
    fputs(
        "\nset size square\nset lmargin at screen 0.1\nset rmargin at screen 0.79\nset tics out "
        "nomirror\nset xtics rotate by -90\n"
        "set xlabel \"receiving task\"\nset ylabel \"sending task\"\n",
        out);
    fputs(vef_link_palette, out);
    if (tasks <= FEW_TASKS)
        fputs("set xtics norotate 0,1\nset ytics 0,1\n", out);
    write_scale(map, out);
    fprintf(out, "set xrange [-0.5:%.1f]\nset yrange [%.1f:-0.5]\n", tasks - 0.5, tasks - 0.5);
    fprintf(out,
            "plot $traffic matrix using (($1+0.5)*%u-0.5):(($2+0.5)*%u-0.5):($3 < 0 ? NaN : $3) "
            "with image pixels "
            "notitle\n",
            map->side, map->side);
}

vef_code vef_info_picture(const vef_info_view *view, vef_error *error) {
    uint32_t tasks = view->header->tasks;
    heat_map map = {.side = (tasks + MOST_CELLS - 1) / MOST_CELLS};
    map.cells = (tasks + map.side - 1) / map.side;
    size_t cells = (size_t)map.cells * map.cells;
    map.bytes = vef_malloc(cells * sizeof *map.bytes);
    for (size_t i = 0; i < cells; i++)
        map.bytes[i] = -1;
    vef_code code = VEF_OK;
    vef_info_pairs(view, add_pair, &map);
    find_range(&map);
    if (map.most < 0)
        code = vef_fail(error, VEF_FAILED,
                        "--plot %s: nothing to draw: no task sends data to another in %s "
                        "(collectives are not in the matrix)",
                        view->plot, view->path);
    FILE *commands = NULL;
    if (!code)
        code = vef_plot_begin(vef_plot_is_svg(view->plot), PICTURE_WIDTH, PICTURE_HEIGHT, &commands,
                              error);
    if (!code) {
        write_commands(view, &map, commands);
        code = vef_plot_draw(commands, view->plot, INSTEAD, error);
    }
    if (commands)
        fclose(commands);
    free(map.bytes);
    return code;
}
