/* The traffic matrix as a picture: senders are rows, receivers columns, colours bytes. */
#include "cli/info/view.h"

#include "common/memory.h"

#include <stdlib.h>

/* A message of 0 bytes is traffic too: drawn as 1 byte, for a logarithmic scale. */
static void add_pair(void *context, const vef_info_pair *pair) {
    const double bytes = (double)pair->bytes + (double)pair->one_sided_bytes;
    vef_matrix_add(context, pair->from, pair->to, fmax(bytes, 1));
}

vef_code vef_info_picture(const vef_info_view *view, vef_error *error) {
    const uint32_t tasks = view->header->tasks;
    vef_matrix matrix = vef_matrix_make(tasks);
    const uint32_t side = matrix.side;
    char *title = vef_printed(
        "%s, %u tasks: point-to-point%s",
        vef_picture_name(*view->header->application ? view->header->application : view->path),
        tasks, view->stats.one_sided ? " and one-sided" : "");
    char *label = side > 1 ? vef_printed("bytes from %u tasks to %u tasks", side, side)
                           : vef_strdup("bytes from task to task");
    vef_picture *picture = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(picture, NULL);
    vef_picture_set_title(picture, title, NULL);
    panel->colour = (vef_axis){.kind = VEF_AXIS_AUTO, .label = label, .unit = "B"};
    vef_info_pairs(view, add_pair, &matrix);
    vef_code code = VEF_OK;
    if (vef_panel_add_matrix(panel, "receiving task", "sending task", &matrix) > 0)
        code = vef_picture_save(picture, &view->plot, error);
    else {
        vef_picture_free(picture);
        code = vef_fail(error, VEF_FAILED,
                        "--plot %s: nothing to draw: no task sends data to another in %s "
                        "(collectives are not in the matrix)",
                        view->plot.path, view->path);
    }
    free(title);
    free(label);
    return code;
}
