/* One run: its network, its sources, its figures. See run.h. */
#include "netmodel/load/run.h"

#include "common/clock.h"
#include "common/memory.h"
#include "common/rng.h"
#include "netmodel/load/sources.h"
#include "netmodel/utilization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEADLOCK_BYTES = 16384, SEED_BYTES = 32 };

struct vef_running {
    vef_netmodel *network; /* its own; NULL: the caller's */
    vef_netmodel *model;   /* the network, or that with a sampler */
    vef_sources sources;
    vef_sampler *sampler; /* NULL: none */
    bool per_link;
    double rate, seconds;
    vef_net_counts last; /* at the end of the previous interval, and */
    vef_source_counts sources_last;
    uint64_t warm_up_hops;
    vef_load_run run;
};

/* The network of a run with that seed. */
static vef_code open_network(const vef_load_settings *settings, uint64_t seed, bool last,
                             vef_netmodel **model, vef_error *error) {
    char text[SEED_BYTES];
    *model = settings->opened;
    if (last && *model && (!(*model)->seeded || (*model)->seed == seed))
        return VEF_OK;
    const char **overrides = vef_calloc(settings->override_count + 1, sizeof *overrides);
    *model = NULL;
    if (settings->override_count > 0)
        memcpy(overrides, settings->overrides, settings->override_count * sizeof *overrides);
    vef_code code =
        vef_netmodel_open(settings->network, overrides, settings->override_count, model, error);
    if (code == VEF_OK && (*model)->seeded && (*model)->seed != seed) {
        vef_netmodel_destroy(*model);
        snprintf(text, sizeof text, "seed=%llu", (unsigned long long)seed);
        overrides[settings->override_count] = text;
        code = vef_netmodel_open(settings->network, overrides, settings->override_count + 1, model,
                                 error);
    }
    free(overrides);
    return code;
}

/* ---- its time ---- */

static void check_deadlock(vef_running *now) {
    char begins[2];
    if (vef_sources_count(&now->sources).inside == 0 ||
        !vef_netmodel_deadlock(now->model, begins, sizeof begins))
        return;
    char *text = vef_malloc(DEADLOCK_BYTES);
    vef_netmodel_deadlock(now->model, text, DEADLOCK_BYTES);
    now->run.deadlock = text;
    now->run.deadlock_cycle = vef_sources_now(&now->sources);
}

bool vef_running_is_dead(const vef_running *now) {
    return now->run.deadlock != NULL;
}

static vef_code run_interval(vef_running *now, vef_load_sample *sample, vef_error *error) {
    const vef_netmodel_kind *kind = now->model->kind;
    vef_code code =
        vef_sources_run(&now->sources, vef_sources_now(&now->sources) + VEF_INTERVAL_CYCLES, error);
    vef_net_counts counts;
    kind->counts(now->model, &counts);
    const vef_source_counts messages = vef_sources_count(&now->sources);
    *sample = (vef_load_sample){
        .phits = (double)(counts.phits - now->last.phits),
        .packets = (double)(counts.packets - now->last.packets),
        .packet_latency = (double)(counts.latency_cycles - now->last.latency_cycles),
        .messages = (double)(messages.messages - now->sources_last.messages),
        .message_latency = (double)(messages.latency_cycles - now->sources_last.latency_cycles),
        .inside = (double)messages.inside,
    };
    now->last = counts;
    now->sources_last = messages;
    if (code == VEF_OK)
        check_deadlock(now);
    return code;
}

vef_code vef_running_advance(vef_running *now, uint64_t intervals, vef_measure *measure,
                             uint32_t number, vef_error *error) {
    const double started = vef_now_s();
    vef_code code = VEF_OK;
    for (uint64_t i = 0; i < intervals && code == VEF_OK && !vef_running_is_dead(now); i++) {
        vef_load_sample sample;
        code = run_interval(now, &sample, error);
        vef_measure_add(measure, number, &sample);
    }
    now->seconds += vef_now_s() - started;
    return code;
}

double vef_running_seconds(const vef_running *now) {
    return now ? now->seconds : 0;
}

void vef_running_begin_figures(vef_running *now) {
    now->warm_up_hops += now->last.packet_hops;
    now->model->kind->begin_figures(now->model);
    vef_sources_begin_figures(&now->sources);
    now->last = (vef_net_counts){0};
    now->sources_last = (vef_source_counts){0};
}

/* ---- its figures ---- */

static void add_links(const vef_running *now, double cycles, vef_load_figures *figures) {
    const vef_netmodel_kind *kind = now->model->kind;
    const vef_topology *topology = now->model->topology;
    if (!topology || !kind->link_busy_cycles)
        return;
    uint64_t links[VEF_MAX_LINK_CLASSES] = {0}, count = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            if (vef_topology_next(topology, router, port) == VEF_NO_ROUTER)
                continue;
            uint32_t class = vef_topology_link_class(topology, router, port);
            double busy = (double)kind->link_busy_cycles(now->model, router, port) / cycles;
            links[class]++;
            count++;
            figures->class_utilization_mean[class] += busy;
            figures->link_utilization_mean += busy;
            if (busy > figures->class_utilization_max[class])
                figures->class_utilization_max[class] = busy;
            if (busy > figures->link_utilization_max)
                figures->link_utilization_max = busy;
        }
    for (uint32_t c = 0; c < topology->link_classes; c++)
        figures->class_utilization_mean[c] /= links[c] > 0 ? (double)links[c] : 1;
    figures->link_utilization_mean /= count > 0 ? (double)count : 1;
}

static double behind_share(const vef_running *now) {
    const vef_netmodel_kind *kind = now->model->kind;
    uint64_t behind = 0;
    for (uint32_t e = 0; e < now->run.endpoints && kind->waiting; e++)
        behind += kind->waiting(now->model, e) >= VEF_MOST_WAITING;
    vef_net_sum(now->model->ranks, &behind, sizeof behind);
    return (double)behind / now->run.senders;
}

static void add_groups(const vef_running *now, const vef_source_part *sources, double cycles,
                       vef_load_figures *figures) {
    for (uint32_t g = 0; g < now->sources.groups; g++) {
        const vef_latency *latency = &sources->group_latency[g];
        figures->groups[g] = (vef_load_group){
            .offered_phits = now->rate * vef_pattern_group_senders(now->sources.pattern, g),
            .accepted_phits = (double)sources->group_phits[g] / cycles,
            .messages = (double)latency->count,
            .latency_mean_cycles = vef_latency_mean(latency),
            .latency_median_cycles = vef_latency_percentile(latency, 0.5),
            .latency_p99_cycles = vef_latency_percentile(latency, 0.99),
            .latency_p999_cycles = vef_latency_percentile(latency, 0.999),
        };
    }
}

static void fill_in(vef_running *now, const vef_measure *measure, uint32_t number) {
    vef_load_run *run = &now->run;
    vef_load_figures *figures = &run->figures;
    const vef_measurement *measured = vef_measure_result(measure);
    const vef_measured_means means = vef_measure_run(measure, number);
    const double cycles = (double)(measured->intervals * VEF_INTERVAL_CYCLES);
    vef_net_statistics network;
    now->model->kind->statistics(now->model, &network);
    const vef_source_part *sources = vef_sources_gather(&now->sources);
    const vef_latency *messages = sources->latency;
    *figures = (vef_load_figures){
        .offered_load = now->rate * run->senders / run->endpoints,
        .accepted_load =
            vef_scaled_estimate(&means.phits, 1.0 / VEF_INTERVAL_CYCLES / run->endpoints),
        .latency_cycles = means.packet_latency,
        .latency_median_cycles = network.latency_median_cycles,
        .latency_p99_cycles = network.latency_p99_cycles,
        .latency_p999_cycles = network.latency_p999_cycles,
        .message_latency_cycles = means.message_latency,
        .message_latency_median_cycles = vef_latency_percentile(messages, 0.5),
        .message_latency_p99_cycles = vef_latency_percentile(messages, 0.99),
        .message_latency_p999_cycles = vef_latency_percentile(messages, 0.999),
        .average_hops = network.average_hops,
        .held_share = behind_share(now),
        .cycles = cycles,
        .warm_up_cycles = (double)(measured->warm_up_intervals * VEF_INTERVAL_CYCLES),
        .packets = (double)network.packets,
        .messages = (double)network.messages,
        .packet_hops = (double)network.packet_hops,
        .seconds = now->seconds,
        .all_packet_hops = (double)(now->warm_up_hops + network.packet_hops),
        .memory_bytes = (double)network.memory_bytes,
    };
    const double bytes_per_cycle = (double)sources->delivered_bytes / cycles / run->endpoints;
    figures->goodput = bytes_per_cycle / now->model->phit_bytes;
    figures->goodput_bytes_per_s = bytes_per_cycle * 1e9 / vef_netmodel_cycle_ns(now->model);
    /* The means of all measured values, without omissions. */
    figures->accepted_load.mean = (double)network.phits / cycles / run->endpoints;
    figures->latency_cycles.mean = network.latency_mean_cycles;
    figures->message_latency_cycles.mean = vef_latency_mean(messages);
    add_links(now, cycles, figures);
    add_groups(now, sources, cycles, figures);
}

/* ---- the run ---- */

/* The seed of the sources, one for each rate: with the same random numbers the points of a curve
 * would all err in the same direction. By the billionth, since 0.3 may be 0.1 + 2 x 0.1. */
static uint64_t source_seed(uint64_t seed, double rate) {
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TRAFFIC, (uint64_t)llround(rate * 1e9));
    return vef_rng_next(&rng);
}

static vef_code create_sources(const vef_load_settings *settings, vef_running *now,
                               vef_error *error) {
    vef_traffic_settings given = settings->traffic;
    given.rate = now->rate;
    given.seed = source_seed(now->run.seed, now->rate);
    given.traffic_classes = now->model->traffic_classes > 0 ? now->model->traffic_classes : 1;
    const vef_code code = vef_sources_create(&now->sources, now->model, &given, error);
    now->run.endpoints = now->sources.endpoints;
    now->run.senders = now->sources.senders;
    return code;
}

vef_running *vef_running_open_on(const vef_load_settings *settings, double rate, uint64_t seed,
                                 vef_netmodel *model, vef_error *error) {
    vef_running *now = vef_calloc(1, sizeof *now);
    now->network = model == settings->opened ? NULL : model;
    now->model = model;
    now->rate = rate;
    now->per_link = settings->per_link;
    now->run.seed = seed;
    vef_code code = VEF_OK;
    if (settings->sample_cycles > 0 && seed == vef_load_seed(settings, 0))
        code = vef_sampler_create(model, settings->sample_cycles, &now->sampler, error);
    if (now->sampler && settings->per_link)
        vef_sampler_keep_links(now->sampler, 0);
    if (now->sampler)
        now->model = vef_sampler_model(now->sampler);
    if (code == VEF_OK)
        code = create_sources(settings, now, error);
    if (code == VEF_OK)
        return now;
    vef_running_close(now);
    return NULL;
}

vef_running *vef_running_open(const vef_load_settings *settings, double rate, uint64_t seed,
                              bool last, uint32_t threads, vef_error *error) {
    vef_netmodel *model = NULL;
    vef_code code =
        vef_net_agree(settings->ranks, open_network(settings, seed, last, &model, error), error);
    if (code == VEF_OK && settings->ranks && settings->sample_cycles > 0)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "--sample: not supported by several processes: expected one");
    if (code == VEF_OK && settings->ranks)
        code = vef_netmodel_spread(model, settings->ranks, error);
    if (code != VEF_OK) {
        if (model != settings->opened)
            vef_netmodel_destroy(model);
        return NULL;
    }
    if (!settings->ranks)
        vef_netmodel_split(model, threads);
    return vef_running_open_on(settings, rate, seed, model, error);
}

void vef_running_close(vef_running *now) {
    if (!now)
        return;
    vef_sources_release(&now->sources);
    vef_sampler_destroy(now->sampler);
    vef_netmodel_destroy(now->network);
    vef_load_run_release(&now->run);
    free(now);
}

/* What is known of every link. */
static vef_code keep_links(vef_running *now, vef_error *error) {
    const vef_topology *topology = now->model->topology;
    vef_code code = VEF_OK;
    now->run.links = topology ? (size_t)topology->routers * topology->ports : 0;
    if (now->per_link)
        code =
            vef_utilization_find(now->model, now->run.figures.cycles, &now->run.utilization, error);
    if (code == VEF_OK && now->sampler)
        code = vef_sampler_end(now->sampler, error);
    if (code == VEF_OK && now->sampler)
        now->run.samples = vef_sampler_take(now->sampler);
    return code;
}

vef_code vef_running_finish(vef_running *now, const vef_measure *measure, uint32_t number,
                            vef_load_run *run, vef_error *error) {
    vef_code code = VEF_OK;
    if (!now->run.deadlock) {
        fill_in(now, measure, number);
        now->run.accepted_phits = now->sources.accepted_phits;
        now->sources.accepted_phits = NULL;
        code = keep_links(now, error);
    }
    *run = now->run;
    now->run = (vef_load_run){0};
    return code;
}

void vef_load_run_release(vef_load_run *run) {
    free(run->accepted_phits);
    free(run->utilization);
    vef_link_samples_release(&run->samples);
    free(run->deadlock);
    *run = (vef_load_run){0};
}
