/* The communication matrix as a picture: senders are rows, receivers columns, colours bytes. It has
 * all data that tasks send to others, in collectives too: by the algorithms that a replay uses by
 * default (replay/traffic.h). */
#include "cli/info/view.h"

#include "common/memory.h"
#include "replay/collectives/choices.h"
#include "replay/traffic.h"

#include <stdlib.h>

/* A message of 0 bytes is traffic too: drawn as 1 byte, for a logarithmic scale. */
static double fill(vef_panel *panel, const vef_traffic_matrix *traffic, vef_matrix *matrix) {
    for (uint32_t task = 0; task < traffic->tasks; task++)
        for (size_t i = traffic->first[task]; i < traffic->first[task + 1]; i++)
            vef_matrix_add(matrix, task, traffic->flows[i].to,
                           fmax((double)traffic->flows[i].bytes, 1));
    return vef_panel_add_matrix(panel, "receiving task", "sending task", matrix);
}

vef_code vef_info_draw(vef_trace *trace, vef_info_view *view, vef_picture **picture,
                       vef_error *error) {
    const uint32_t tasks = view->header->tasks;
    const vef_replay_options machine = vef_replay_defaults();
    vef_traffic_matrix traffic = {0};
    *picture = NULL;
    vef_code code = vef_replay_traffic(trace, &machine, &traffic, error);
    if (code)
        return code;
    vef_matrix matrix = vef_matrix_make(tasks);
    const uint32_t side = matrix.side;
    const char *application = view->header->application;
    char *title = vef_printed("%s, %u tasks; collectives: preset %s",
                              vef_picture_name(*application ? application : view->path), tasks,
                              vef_presets[0]->name);
    if (side > 1)
        snprintf(view->cell, sizeof view->cell, "bytes from %u tasks to %u tasks", side, side);
    else
        snprintf(view->cell, sizeof view->cell, "bytes from task to task");
    vef_picture *drawn = vef_picture_new(1);
    vef_panel *panel = vef_picture_add(drawn, NULL);
    vef_picture_set_title(drawn, title, NULL);
    panel->colour = (vef_axis){.kind = VEF_AXIS_AUTO, .label = view->cell, .unit = "B"};
    if (fill(panel, &traffic, &matrix) > 0)
        *picture = drawn;
    else
        vef_picture_free(drawn);
    vef_traffic_matrix_free(&traffic);
    free(title);
    return VEF_OK;
}

vef_code vef_info_picture(vef_trace *trace, vef_info_view *view, vef_error *error) {
    vef_picture *picture = NULL;
    const vef_code code = vef_info_draw(trace, view, &picture, error);
    if (code || picture)
        return code ? code : vef_picture_save(picture, &view->plot, error);
    return vef_fail(error, VEF_FAILED, "--plot %s: nothing to draw: no task sends data in %s",
                    view->plot.path, view->path);
}
