/* The machine of `vef replay`, and its links. See observed.h. */
#include "cli/replay/observed.h"

#include "cli/command.h"
#include "cli/pictures/network.h"
#include "common/threads/pool.h"
#include "netmodel/clock.h"
#include "netmodel/utilization.h"
#include "replay/machine.h"
#include "replay/state/sim_time.h"

#include <stdlib.h>

vef_code vef_observed_open(vef_observed_choices *choices, vef_observed *held, vef_error *error) {
    vef_texts_join(&choices->overrides, &held->arena);
    vef_code code =
        vef_machine_open(choices->network, choices->overrides.text, choices->overrides.count,
                         &held->arena, &held->root, &choices->replay, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(held->root, &held->network, error);
    if (code != VEF_OK)
        return code;
    vef_command_warn_ignored("replay", held->root);
    for (size_t i = 0; i < held->network->warnings.count; i++)
        vef_command_warn("replay", held->network->warnings.values[i]);
    if (choices->time_limit_ns >= 0) {
        const uint64_t limit_ps = vef_ps_of(choices->time_limit_ns);
        choices->replay.limit_ps = limit_ps < VEF_MOST_PS ? limit_ps : VEF_FOREVER;
    }
    return VEF_OK;
}

vef_code vef_observed_renew(vef_observed *held, vef_error *error) {
    vef_netmodel_destroy(held->network);
    held->network = NULL;
    return vef_netmodel_create(held->root, &held->network, error);
}

uint32_t vef_observed_threads(const vef_observed_choices *choices) {
    return choices->threads > 0 && choices->threads < VEF_MOST_WORKERS
               ? choices->threads
               : vef_workers_for(VEF_MOST_WORKERS);
}

/* Intervals of a page: longer ones when there are too many. */
enum { MOST_INTERVALS = 128, MOST_PAGED_LINKS = 1 << 15 };
#define FIRST_INTERVAL_NS 100.0

vef_code vef_observed_begin(const vef_observed_choices *choices, vef_observed *held,
                            vef_error *error) {
    vef_code code = choices->plot.path
                        ? vef_busy_links_check(held->network, "--plot", &choices->plot, error)
                        : VEF_OK;
    if (code == VEF_OK && choices->per_link && !held->network->kind->link_busy_cycles)
        code = vef_fail(error, VEF_UNSUPPORTED, "--per-link: networks of model %s have no links",
                        held->network->kind->name);
    const vef_netmodel *network = held->network;
    const bool given = choices->sample_ns >= 0;
    const bool paged = choices->page && network->topology && network->kind->link_busy_cycles &&
                       network->topology->routers <= MOST_PAGED_LINKS / network->topology->ports;
    if (code != VEF_OK || (!given && !paged))
        return code;
    uint64_t interval_cycles = 1;
    if (given)
        code = vef_busy_links_interval(network, choices->sample_ns, &interval_cycles, error);
    else if (FIRST_INTERVAL_NS > vef_netmodel_cycle_ns(network))
        interval_cycles = (uint64_t)(FIRST_INTERVAL_NS / vef_netmodel_cycle_ns(network));
    if (code == VEF_OK)
        code = vef_sampler_create(held->network, interval_cycles, &held->sampler, error);
    if (code == VEF_OK && (paged || choices->per_link))
        vef_sampler_keep_links(held->sampler, given ? 0 : MOST_INTERVALS);
    return code;
}

vef_netmodel *vef_observed_network(const vef_observed *held) {
    return held->sampler ? vef_sampler_model(held->sampler) : held->network;
}

vef_code vef_observed_end(const vef_observed_choices *choices, vef_observed *held,
                          const char *title, vef_error *error) {
    vef_netmodel *network = held->network;
    vef_code code = held->sampler ? vef_sampler_end(held->sampler, error) : VEF_OK;
    if (code != VEF_OK || (!choices->per_link && !choices->plot.path && !choices->page) ||
        !network->kind->link_busy_cycles)
        return code;
    code =
        vef_utilization_find(network, vef_netmodel_cycles_in(network, network->kind->now(network)),
                             &held->utilization, error);
    if (code == VEF_OK && choices->plot.path)
        code = vef_busy_links_save(network, held->utilization, vef_sampler_samples(held->sampler),
                                   title, &choices->plot, error);
    return code;
}

void vef_observed_release(vef_observed *held) {
    vef_sampler_destroy(held->sampler);
    free(held->utilization);
    vef_netmodel_destroy(held->network);
    vef_arena_release(&held->arena);
}
