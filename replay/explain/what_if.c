/* Effects of other machines, predicted and simulated. See what_if.h. */
#include "replay/explain/what_if.h"

#include "replay/state/sim_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the changes ---- */

/* A key of the resolved configuration, in any section, whose value is multiplied. */
typedef struct changed_key {
    const char *key;
    double factor;
} changed_key;

enum { MOST_KEYS = 8 };

static const struct change {
    const char *key, *name;
    double spares[VEF_CAUSES]; /* the share of the time of a cause on the path */
    bool ideal;                /* the network becomes the ideal one; else */
    double compute_factor;     /* of the time of computation */
    changed_key keys[MOST_KEYS];
} changes[VEF_CHANGES] = {
    [VEF_CHANGE_IDEAL] = {.key = "ideal_network",
                          .name = "ideal network",
                          .spares = {[VEF_CAUSE_HANDSHAKE] = 1,
                                     [VEF_CAUSE_INJECTION] = 1,
                                     [VEF_CAUSE_SERIALISATION] = 1,
                                     [VEF_CAUSE_LATENCY] = 1,
                                     [VEF_CAUSE_CONTENTION] = 1},
                          .ideal = true,
                          .compute_factor = 1},
    [VEF_CHANGE_BANDWIDTH] = {.key = "double_bandwidth",
                              .name = "double bandwidth",
                              .spares = {[VEF_CAUSE_INJECTION] = 0.5,
                                         [VEF_CAUSE_SERIALISATION] = 0.5,
                                         [VEF_CAUSE_CONTENTION] = 0.5},
                              .compute_factor = 1,
                              .keys = {{"bandwidth", 2},
                                       {"phit", 2},
                                       {"phits", 0.5},
                                       {"unit_phits", 0.5},
                                       {"per_port_phits", 0.5},
                                       {"per_router_phits", 0.5},
                                       {"gap_per_byte", 0.5}}},
    [VEF_CHANGE_LATENCY] = {.key = "half_latency",
                            .name = "half latency",
                            .spares = {[VEF_CAUSE_LATENCY] = 0.5, [VEF_CAUSE_HANDSHAKE] = 0.5},
                            .compute_factor = 1,
                            .keys = {{"phit", 0.5},
                                     {"phits", 2},
                                     {"unit_phits", 2},
                                     {"per_port_phits", 2},
                                     {"per_router_phits", 2},
                                     {"delay_per_metre", 0.5},
                                     {"latency", 0.5}}},
    [VEF_CHANGE_CPU] = {.key = "double_cpu",
                        .name = "CPU twice as fast",
                        .spares = {[VEF_CAUSE_COMPUTING] = 0.5},
                        .compute_factor = 0.5},
};

void vef_what_if_predict(const vef_path *path, vef_what_if what_if[VEF_CHANGES]) {
    for (unsigned i = 0; i < VEF_CHANGES; i++) {
        const struct change *change = &changes[i];
        double saved_ps = 0;
        for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
            saved_ps += change->spares[cause] * (double)path->ps.by_cause[cause];
        what_if[i] =
            (vef_what_if){.key = change->key,
                          .name = change->name,
                          .predicted_ns = ((double)path->end_ps - saved_ps) / VEF_PS_PER_NS};
    }
}

/* ---- the changed machine ---- */

/* Multiplies the number that a scalar begins with, "4 B". What is counted, in phits or bytes, must
 * remain a whole number. */
static vef_code multiply(vef_node *node, const char *key, double factor, vef_arena *arena,
                         vef_error *error) {
    char *unit, text[128];
    const double changed = strtod(node->scalar, &unit) * factor;
    if (unit == node->scalar) /* a word, such as auto */
        return VEF_OK;
    if (strncmp(key, "phit", 4) == 0 && changed != floor(changed))
        return vef_fail(error, VEF_UNSUPPORTED, "%s %s: cannot be halved", key, node->scalar);
    snprintf(text, sizeof text, "%.17g%s", changed, unit);
    node->scalar = vef_arena_string(arena, text);
    return VEF_OK;
}

/* Multiplies the values of the key everywhere below a node. */
static vef_code change_all(vef_node *node, const changed_key *changed, vef_arena *arena,
                           vef_error *error) {
    vef_code code = VEF_OK;
    for (size_t i = 0; i < node->count && code == VEF_OK; i++) {
        const bool named = node->kind == VEF_NODE_MAPPING && !strcmp(node->keys[i], changed->key);
        if (named && node->items[i]->kind == VEF_NODE_SCALAR)
            code = multiply(node->items[i], changed->key, changed->factor, arena, error);
        else
            code = change_all(node->items[i], changed, arena, error);
    }
    return code;
}

static vef_code make_ideal(const vef_netmodel *network, vef_netmodel **made, vef_error *error) {
    char text[128];
    snprintf(text, sizeof text, "{model: ideal, link: {bandwidth: %llu bit/s, phit: %u B}}",
             (unsigned long long)network->bandwidth_bits_per_s, network->phit_bytes);
    return vef_netmodel_open(text, NULL, 0, made, error);
}

static vef_code make_network(const vef_netmodel *network, const struct change *change,
                             vef_netmodel **made, vef_error *error) {
    vef_arena arena = {0};
    vef_code code = VEF_OK;
    *made = NULL;
    if (change->ideal)
        return make_ideal(network, made, error);
    vef_node *root = vef_config_new(&arena);
    vef_netmodel_put_config(network, root);
    for (unsigned i = 0; i < MOST_KEYS && change->keys[i].key && code == VEF_OK; i++)
        code = change_all(root, &change->keys[i], &arena, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, made, error);
    vef_arena_release(&arena);
    return code;
}

/* Replays on one changed machine; what keeps it from being simulated is the reason. */
static vef_code simulate(vef_trace *trace, const vef_netmodel *network, const uint32_t *mapping,
                         const vef_replay_options *options, vef_progress *progress,
                         const struct change *change, vef_what_if *what_if, vef_error *error) {
    vef_netmodel *changed;
    vef_replay_result result = {0};
    vef_replay_options tried = *options;
    tried.listeners = NULL;
    tried.limit_ps = VEF_FOREVER;
    tried.host.compute_scale *= change->compute_factor;
    if (make_network(network, change, &changed, error) != VEF_OK) {
        snprintf(what_if->reason, sizeof what_if->reason, "%s", error->message);
        return VEF_OK;
    }
    vef_code code = vef_replay(trace, changed, mapping, &tried, progress, &result, error);
    what_if->simulated = code == VEF_OK && result.stall == VEF_STALL_NONE;
    what_if->simulated_ns = result.time_ns;
    if (code == VEF_OK && !what_if->simulated)
        snprintf(what_if->reason, sizeof what_if->reason, "%s", result.stall_text);
    if (code == VEF_INVALID || code == VEF_UNSUPPORTED) {
        snprintf(what_if->reason, sizeof what_if->reason, "%s", error->message);
        code = VEF_OK;
    }
    vef_replay_result_release(&result);
    vef_netmodel_destroy(changed);
    return code;
}

vef_code vef_what_if_simulate(vef_trace *trace, const vef_netmodel *network,
                              const uint32_t *mapping, const vef_replay_options *options,
                              vef_progress *progress, vef_what_if what_if[VEF_CHANGES],
                              vef_error *error) {
    vef_code code = VEF_OK;
    for (unsigned i = 0; i < VEF_CHANGES && code == VEF_OK; i++)
        code =
            simulate(trace, network, mapping, options, progress, &changes[i], &what_if[i], error);
    return code;
}
