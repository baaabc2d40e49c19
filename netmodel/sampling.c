/* Samples of link utilization. See sampling.h.
 */
#include "netmodel/sampling.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/report/packed.h"
#include "netmodel/clock.h"
#include "netmodel/decorated.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT_BYTES = 1 << 26 };

struct vef_sampler {
    vef_decorated model; /* first */
    uint64_t interval_cycles;
    uint64_t next_cycles, last_cycles; /* end of the next, and of the last interval */
    uint64_t injected; /* messages, a broadcast for each endpoint that it is to reach, less those
                          that were delivered before the figures began again */
    uint64_t *busy_cycles; /* [router * ports + port]: what the model's count was at the end of the
                              last interval; modulo 2^64, since a count that began again is less */
    uint64_t *busy;        /* in the last interval, unless links are kept */
    uint32_t *links;       /* [class] */
    size_t most;           /* intervals until they become longer; 0: none */
    bool kept;             /* links */
    bool attended;         /* messages are those of an agent */
    vef_link_samples samples;
};

static vef_sampler *sampler_of(vef_netmodel *model) {
    return (vef_sampler *)(void *)model;
}

/* Fills in an interval from what its links were busy. */
static void sum_up(vef_sampler *sampler, size_t number, const uint64_t *busy) {
    const vef_topology *topology = sampler->model.inner->topology;
    vef_link_samples *samples = &sampler->samples;
    const uint32_t classes = topology->link_classes;
    vef_link_sample *made = &samples->list[number];
    double *sums = samples->by_class + number * classes;
    const double length =
        (double)(made->end_cycles - (number ? samples->list[number - 1].end_cycles : 0));
    *made = (vef_link_sample){.end_cycles = made->end_cycles};
    memset(sums, 0, classes * sizeof *sums);
    size_t links = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t l = (size_t)router * topology->ports + port;
            if (topology->neighbour[l] == VEF_NO_ROUTER)
                continue;
            const double share = (double)busy[l] / length;
            sums[vef_topology_link_class(topology, router, port)] += share;
            made->mean += share;
            links++;
            if (share > made->most) {
                made->most = share;
                made->busiest_router = router;
                made->busiest_port = port;
            }
        }
    made->mean /= links > 0 ? (double)links : 1;
    for (uint32_t class = 0; class < classes; class ++)
        sums[class] /= sampler->links[class] > 0 ? sampler->links[class] : 1;
}

/* Two intervals become one. */
static void halve(vef_sampler *sampler) {
    vef_link_samples *samples = &sampler->samples;
    samples->count /= 2;
    sampler->interval_cycles *= 2;
    for (size_t i = 0; i < samples->count; i++) {
        const uint64_t *first = samples->busy + 2 * i * samples->links;
        uint64_t *both = samples->busy + i * samples->links;
        for (size_t l = 0; l < samples->links; l++)
            both[l] = first[l] + first[samples->links + l];
        samples->list[i].end_cycles = samples->list[2 * i + 1].end_cycles;
        sum_up(sampler, i, both);
    }
}

/* Where an interval puts what its links were busy. */
static uint64_t *room_for_links(vef_sampler *sampler) {
    vef_link_samples *samples = &sampler->samples;
    const size_t needed = (samples->count + 1) * samples->links;
    if (sampler->kept && needed > MOST_KEPT_BYTES / sizeof *samples->busy) {
        free(samples->busy);
        samples->busy = NULL;
        sampler->kept = false;
    }
    if (!sampler->kept)
        return sampler->busy;
    vef_grow(&samples->busy, &samples->busy_room, needed, sizeof *samples->busy);
    return samples->busy + samples->count * samples->links;
}

/* Ends an interval, of at least a cycle. */
static vef_code take_sample(vef_sampler *sampler, uint64_t end_cycles, vef_error *error) {
    const vef_netmodel *inner = sampler->model.inner;
    const vef_topology *topology = inner->topology;
    vef_link_samples *samples = &sampler->samples;
    if (sampler->kept && samples->count == sampler->most && sampler->most > 0)
        halve(sampler);
    if (samples->count == VEF_MOST_LINK_SAMPLES)
        return vef_fail(error, VEF_INVALID,
                        "more than %d samples of %llu cycles: expected a longer interval",
                        VEF_MOST_LINK_SAMPLES, (unsigned long long)sampler->interval_cycles);
    vef_grow(&samples->list, &samples->room, samples->count + 1, sizeof *samples->list);
    vef_grow(&samples->by_class, &samples->class_room, (samples->count + 1) * samples->classes,
             sizeof *samples->by_class);
    uint64_t *busy = room_for_links(sampler);
    for (size_t l = 0; l < samples->links; l++) {
        busy[l] = 0;
        if (topology->neighbour[l] == VEF_NO_ROUTER)
            continue;
        const uint64_t count = inner->kind->link_busy_cycles(inner, (uint32_t)(l / topology->ports),
                                                             (uint32_t)(l % topology->ports));
        busy[l] = count - sampler->busy_cycles[l];
        sampler->busy_cycles[l] = count;
    }
    samples->list[samples->count].end_cycles = end_cycles;
    sum_up(sampler, samples->count++, busy);
    sampler->last_cycles = end_cycles;
    return VEF_OK;
}

static vef_code sampled_inject(vef_netmodel *model, const vef_net_message *message,
                               vef_error *error) {
    vef_sampler *sampler = sampler_of(model);
    vef_netmodel *inner = sampler->model.inner;
    const vef_code code = inner->kind->inject(inner, message, error);
    if (code == VEF_OK)
        sampler->injected += message->destination == VEF_TO_ALL ? model->endpoints - 1u : 1;
    return code;
}

static void sampled_attend(vef_netmodel *model, const vef_net_agent *agent) {
    vef_sampler *sampler = sampler_of(model);
    sampler->attended = true;
    sampler->model.inner->kind->attend(sampler->model.inner, agent);
}

/* Whether the model has, or will have, no work without further messages. */
static bool is_at_rest(const vef_sampler *sampler) {
    char text[1];
    vef_net_counts counts;
    if (sampler->attended)
        return false;
    sampler->model.inner->kind->counts(sampler->model.inner, &counts);
    return counts.messages >= sampler->injected ||
           vef_netmodel_deadlock(sampler->model.inner, text, sizeof text);
}

/* Ends all intervals up to now. */
static vef_code catch_up(vef_sampler *sampler, vef_error *error) {
    const vef_netmodel *inner = sampler->model.inner;
    vef_code code = VEF_OK;
    while (code == VEF_OK &&
           inner->kind->now(inner) >= vef_netmodel_time_of(inner, sampler->next_cycles)) {
        code = take_sample(sampler, sampler->next_cycles, error);
        sampler->next_cycles = sampler->last_cycles + sampler->interval_cycles;
    }
    return code;
}

static vef_code sampled_advance(vef_netmodel *model, uint64_t limit_cycles,
                                const vef_net_delivery **deliveries, size_t *count,
                                vef_error *error) {
    vef_sampler *sampler = sampler_of(model);
    vef_netmodel *inner = sampler->model.inner;
    for (;;) {
        const uint64_t next_time = vef_netmodel_time_of(model, sampler->next_cycles);
        /* At rest nothing crosses links, however long it takes: there is nothing to stop for. */
        const uint64_t step_cycles =
            is_at_rest(sampler) || limit_cycles < next_time ? limit_cycles : next_time;
        vef_code code = inner->kind->advance(inner, step_cycles, deliveries, count, error);
        if (code != VEF_OK)
            return code;
        code = catch_up(sampler, error);
        if (code != VEF_OK || *count > 0 || step_cycles == limit_cycles)
            return code;
    }
}

static void sampled_begin_figures(vef_netmodel *model) {
    vef_sampler *sampler = sampler_of(model);
    vef_netmodel *inner = sampler->model.inner;
    const vef_topology *topology = inner->topology;
    vef_net_counts counts;
    inner->kind->counts(inner, &counts);
    sampler->injected -= counts.messages;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t l = (size_t)router * topology->ports + port;
            if (topology->neighbour[l] != VEF_NO_ROUTER)
                sampler->busy_cycles[l] -= inner->kind->link_busy_cycles(inner, router, port);
        }
    inner->kind->begin_figures(inner);
}

vef_code vef_sampler_create(vef_netmodel *model, uint64_t interval_cycles, vef_sampler **sampler,
                            vef_error *error) {
    const vef_topology *topology = model->topology;
    if (!topology || !model->kind->link_busy_cycles)
        return vef_fail(error, VEF_UNSUPPORTED, "networks of model %s have no links to sample",
                        model->kind->name);
    vef_sampler *made = vef_calloc(1, sizeof *made);
    const size_t links = (size_t)topology->routers * topology->ports;
    *made = (vef_sampler){
        .interval_cycles = interval_cycles,
        .next_cycles = interval_cycles,
        .busy_cycles = vef_calloc(links, sizeof *made->busy_cycles),
        .links = vef_calloc(topology->link_classes, sizeof *made->links),
        .busy = vef_calloc(links, sizeof *made->busy),
        .samples = {.classes = topology->link_classes, .links = links},
    };
    vef_decorated_begin(&made->model, model);
    made->model.kind.inject = sampled_inject;
    made->model.kind.advance = sampled_advance;
    made->model.kind.begin_figures = sampled_begin_figures;
    if (model->kind->attend)
        made->model.kind.attend = sampled_attend;
    for (size_t l = 0; l < links; l++)
        if (topology->neighbour[l] != VEF_NO_ROUTER)
            made->links[vef_topology_link_class(topology, (uint32_t)(l / topology->ports),
                                                (uint32_t)(l % topology->ports))]++;
    *sampler = made;
    return VEF_OK;
}

void vef_sampler_keep_links(vef_sampler *sampler, size_t most) {
    sampler->kept = true;
    sampler->most = most;
}

vef_code vef_sampler_end(vef_sampler *sampler, vef_error *error) {
    const vef_netmodel *inner = sampler->model.inner;
    const uint64_t now = vef_netmodel_cycles_at(inner, inner->kind->now(inner));
    return now > sampler->last_cycles ? take_sample(sampler, now, error) : VEF_OK;
}

void vef_sampler_destroy(vef_sampler *sampler) {
    if (!sampler)
        return;
    free(sampler->busy_cycles);
    free(sampler->busy);
    free(sampler->links);
    vef_link_samples_release(&sampler->samples);
    free(sampler);
}

vef_netmodel *vef_sampler_model(vef_sampler *sampler) {
    return &sampler->model.base;
}

const vef_link_samples *vef_sampler_samples(const vef_sampler *sampler) {
    return sampler ? &sampler->samples : NULL;
}

vef_link_samples vef_sampler_take(vef_sampler *sampler) {
    const vef_link_samples taken = sampler->samples;
    sampler->samples = (vef_link_samples){.classes = taken.classes, .links = taken.links};
    return taken;
}

/* ---- samples ---- */

vef_link_sample vef_link_samples_get(const vef_link_samples *samples, size_t i) {
    vef_link_sample sample = samples->list[i];
    sample.by_class = samples->by_class + i * samples->classes;
    return sample;
}

void vef_link_samples_release(vef_link_samples *samples) {
    free(samples->list);
    free(samples->by_class);
    free(samples->busy);
    *samples = (vef_link_samples){0};
}

static void put_links(const vef_link_samples *samples, const vef_topology *topology,
                      vef_result *into) {
    vef_packed packed = {0};
    uint64_t begin_cycles = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const double length = (double)(samples->list[i].end_cycles - begin_cycles);
        for (size_t l = 0; l < samples->links; l++)
            if (topology->neighbour[l] != VEF_NO_ROUTER)
                vef_pack(&packed,
                         (uint64_t)(1000 * (double)samples->busy[i * samples->links + l] / length +
                                    0.5));
        begin_cycles = samples->list[i].end_cycles;
    }
    vef_pack_put(&packed, into, "sample_links");
}

void vef_link_samples_put(const vef_link_samples *samples, const vef_netmodel *model,
                          unsigned readers, vef_result *into) {
    static const vef_column columns[] = {{.key = "end_cycles"},
                                         {.key = "utilization_mean", .format = "%.6g"},
                                         {.key = "utilization_max", .format = "%.6g"},
                                         {.key = "busiest_router"},
                                         {.key = "busiest_port"},
                                         {0}};
    const vef_topology *topology = model->topology;
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    vef_result *table = vef_put_table(into, "samples", readers, columns);
    for (uint32_t class = 0; class < classes; class ++) {
        char name[VEF_CLASS_NAME_BYTES], key[VEF_CLASS_NAME_BYTES + 16];
        vef_topology_link_class_name(topology, class, name, sizeof name);
        snprintf(key, sizeof key, "utilization_%s", name);
        vef_add_column(table, (vef_column){.key = key, .format = "%.6g"});
    }
    for (size_t i = 0; i < samples->count; i++) {
        const vef_link_sample sample = vef_link_samples_get(samples, i);
        VEF_CELLS(table, sample.end_cycles, sample.mean, sample.most,
                  vef_topology_router_number(topology, sample.busiest_router), sample.busiest_port);
        for (uint32_t class = 0; class < classes; class ++)
            VEF_CELLS(table, sample.by_class[class]);
    }
    if (samples->busy && vef_result_is_for(into, VEF_DOCUMENTS))
        put_links(samples, topology, into);
}
