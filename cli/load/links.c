/* How busy every link is under a load. See links.h. */
#include "cli/load/links.h"

#include "cli/pictures/network.h"
#include "common/memory.h"

#include <stdlib.h>

/* What is observed over time, or drawn, is one load. */
static vef_code check_one_load(const char *option, const vef_load_session *session,
                               vef_error *error) {
    return session->rate_count == 1
               ? VEF_OK
               : vef_fail(error, VEF_INVALID, "%s: found %zu loads: expected a single --rate",
                          option, session->rate_count);
}

vef_code vef_load_links_begin(const vef_load_links *links, vef_load_session *session,
                              vef_error *error) {
    const vef_netmodel *model = session->model;
    const bool sampled = links->sample_ns >= 0;
    vef_code code = VEF_OK;
    if ((links->per_link || sampled) && !(model->topology && model->kind->link_busy_cycles))
        return vef_fail(error, VEF_UNSUPPORTED, "--%s: networks of model %s have no links",
                        links->per_link ? "per-link" : "sample", model->kind->name);
    if (links->plot.path)
        code = vef_busy_links_check(model, "--plot-links", &links->plot, error);
    if (code == VEF_OK && links->plot.path)
        code = check_one_load("--plot-links", session, error);
    if (code == VEF_OK && sampled)
        code = check_one_load("--sample", session, error);
    if (code == VEF_OK && sampled)
        code = vef_busy_links_interval(model, links->sample_ns, &session->settings.sample_cycles,
                                       error);
    session->settings.per_link = links->per_link || links->plot.path;
    return code;
}

static vef_code draw(const vef_plot *plot, const vef_load_session *session, vef_error *error) {
    const vef_load_point *point = &session->points[0];
    char *title = vef_printed("%s, %s, offered %.4g phits per cycle and endpoint",
                              vef_picture_name(session->settings.network),
                              session->pattern->kind->name, point->figures.offered_load);
    const vef_code code = vef_busy_links_save(session->model, point->utilization,
                                              session->report.samples, title, plot, error);
    free(title);
    return code;
}

vef_code vef_load_links_end(const vef_load_links *links, vef_load_session *session,
                            vef_error *error) {
    const vef_load_point *first = session->points;
    session->report.per_link = links->per_link;
    if (links->sample_ns >= 0 && first->run_count > 0)
        session->report.samples = &first->runs[0].samples;
    return links->plot.path && first->utilization ? draw(&links->plot, session, error) : VEF_OK;
}
