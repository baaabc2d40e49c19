/* What jobs did to a network. See figures.h. */
#include "replay/jobs/figures.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "netmodel/clock.h"
#include "replay/jobs/background.h"

#include <math.h>
#include <stdlib.h>

static void injects(void *context, const vef_net_message *message, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps) {
    vef_job_figures *figures = context;
    (void)enters_ps;
    if (arrival_ps != VEF_FOREVER)
        return; /* within a node */
    vef_grow(&figures->messages, &figures->message_room, message->id + 1,
             sizeof *figures->messages);
    const uint32_t owner = figures->nodes->owner[message->source / figures->nodes->nics];
    figures->messages[message->id] =
        (struct vef_job_message){asked_ps, figures->only != VEF_NOBODY ? figures->only : owner};
}

static void delivers(void *context, const vef_net_delivery *delivery, uint64_t time_ps) {
    vef_job_figures *figures = context;
    const unsigned part = delivery->id % VEF_MESSAGE_PARTS;
    if (delivery->id >= figures->message_room ||
        (part != VEF_MESSAGE_DATA && part != VEF_MESSAGE_ONE_SIDED))
        return;
    const struct vef_job_message *message = &figures->messages[delivery->id];
    if (message->job < figures->jobs)
        vef_latency_add(&figures->latency[message->job],
                        (uint64_t)llround(vef_netmodel_cycles_of_ps(figures->network,
                                                                    time_ps - message->sent_ps)));
}

static void crosses(void *context, uint32_t router, uint32_t port, uint64_t id, uint64_t phits) {
    vef_job_figures *figures = context;
    const uint32_t job = vef_net_background_is(id) ? figures->programs + vef_net_background_of(id)
                         : id < figures->message_room ? figures->messages[id].job
                                                      : VEF_NOBODY;
    const size_t link = (size_t)router * figures->nodes->topology->ports + port;
    if (job < figures->jobs)
        figures->phits[link * figures->jobs + job] += phits;
}

void vef_job_figures_begin(vef_job_figures *figures, uint32_t jobs, uint32_t programs,
                           const vef_job_nodes *nodes, vef_netmodel *network, bool links) {
    const vef_topology *topology = network->topology;
    *figures = (vef_job_figures){
        .listener = {.context = figures, .injects = injects, .delivers = delivers},
        .jobs = jobs,
        .programs = programs,
        .only = VEF_NOBODY,
        .network = network,
        .nodes = nodes};
    figures->latency = vef_calloc(jobs, sizeof *figures->latency);
    if (!links || !topology || !network->kind->watch)
        return;
    const size_t link_count = (size_t)topology->routers * topology->ports;
    if (link_count > VEF_MOST_JOB_LINKS / jobs)
        return;
    figures->links = link_count;
    figures->phits = vef_calloc(figures->links * jobs, sizeof *figures->phits);
    figures->listener.crosses = crosses;
}

void vef_job_figures_release(vef_job_figures *figures) {
    free(figures->latency);
    free(figures->phits);
    free(figures->messages);
    *figures = (vef_job_figures){0};
}

vef_job_sharing vef_job_figures_share(const vef_job_figures *figures, uint32_t job,
                                      uint32_t other) {
    vef_job_sharing found = {0};
    for (size_t link = 0; link < figures->links; link++) {
        const uint64_t *carried = &figures->phits[link * figures->jobs];
        found.phits += carried[job];
        if (carried[job] && carried[other]) {
            found.shared_phits += carried[job];
            found.shared_links++;
        }
    }
    return found;
}

/* The phits of all jobs on a link; 0 if fewer than two use it. */
static uint64_t contended(const vef_job_figures *figures, size_t link) {
    uint64_t sum = 0;
    uint32_t users = 0;
    for (uint32_t job = 0; job < figures->jobs; job++) {
        const uint64_t phits = figures->phits[link * figures->jobs + job];
        sum += phits;
        users += phits > 0;
    }
    return users > 1 ? sum : 0;
}

size_t vef_job_figures_busiest(const vef_job_figures *figures, size_t most, size_t *found) {
    size_t count = 0;
    for (size_t link = 0; link < figures->links; link++) {
        const uint64_t phits = contended(figures, link);
        if (phits == 0 || (count == most && contended(figures, found[most - 1]) >= phits))
            continue;
        size_t place = count < most ? count++ : most - 1;
        for (; place > 0 && contended(figures, found[place - 1]) < phits; place--)
            found[place] = found[place - 1];
        found[place] = link;
    }
    return count;
}
