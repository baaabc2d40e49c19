/* A replay as a whole: with tasks that run ahead where that is possible, else in the order of time;
 * to its end, or step by step. */
#include "common/memory.h"
#include "replay/engine/loop.h"

#include <stdlib.h>

vef_replay_options vef_replay_defaults(void) {
    return (vef_replay_options){.eager_bytes = 64 * 1024,
                                .control_bytes = 32,
                                .host = vef_host_defaults(),
                                .limit_ps = VEF_FOREVER};
}

void vef_replay_result_release(vef_replay_result *result) {
    free(result->task);
    free(result->collectives);
    *result = (vef_replay_result){0};
}

/* Whether tasks may run ahead: one thread each, no windows, and nothing but waiting takes time in a
 * call. */
static bool may_run_ahead(const vef_source *source, const vef_netmodel *network,
                          const vef_replay_options *options) {
    if (!network->kind->pass || !source->restart || options->listeners || options->gate ||
        options->limit_ps != VEF_FOREVER || options->eager_buffer_bytes ||
        vef_host_charges(&options->host) ||
        vef_choices_needs(&options->choices) & VEF_NEEDS_HARDWARE)
        return false;
    if (vef_source_window(source) != VEF_NO_COMM)
        return false;
    for (uint32_t task = 0; task < source->tasks; task++)
        if (source->threads(source, task) != 1)
            return false;
    return true;
}

struct vef_stepped {
    vef_engine engine;
    vef_replay_options options;
    vef_replay_result result;
};

static vef_code begin(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                      const vef_replay_options *options, const vef_time_policy *policy,
                      vef_stepped **stepped, vef_error *error) {
    vef_stepped *made = vef_calloc(1, sizeof *made);
    made->options = *options;
    made->engine = (vef_engine){.source = source,
                                .network = network,
                                .mapping = mapping,
                                .options = &made->options,
                                .result = &made->result,
                                .listeners = options->listeners,
                                .gate = options->gate,
                                .error = error,
                                .policy = *policy,
                                .job_ps = VEF_NO_WAKEUP,
                                .running = UINT32_MAX,
                                .free_parked = VEF_NOT_PARKED};
    vef_code code = vef_engine_prepare(&made->engine);
    if (code != VEF_OK) {
        vef_stepped_destroy(made);
        return code;
    }
    *stepped = made;
    return VEF_OK;
}

/* The policy of a replay in the order of time. */
static const vef_time_policy *in_order(const vef_netmodel *network) {
    return network->loggops ? &vef_policy_processors : &vef_policy_plain;
}

vef_code vef_stepped_begin(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_stepped **stepped,
                           vef_error *error) {
    const vef_code code =
        begin(source, network, mapping, options, in_order(network), stepped, error);
    if (code == VEF_OK)
        vef_engine_begin(&(*stepped)->engine);
    return code;
}

/* A replay to its end. */
static vef_code replay(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                       const vef_replay_options *options, const vef_time_policy *policy,
                       vef_progress *progress, vef_replay_result *result, vef_error *error) {
    vef_stepped *stepped = NULL;
    *result = (vef_replay_result){0};
    vef_code code = begin(source, network, mapping, options, policy, &stepped, error);
    if (code != VEF_OK)
        return code;
    stepped->engine.progress = progress;
    const char *excluded = vef_parts_exclude(&stepped->engine);
    if (!excluded) {
        code = vef_parts_run(&stepped->engine, &stepped->result.repeat);
    } else if (network->ranks) {
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "%s: not supported by several processes: expected one", excluded);
    } else {
        vef_engine_begin(&stepped->engine);
        code = vef_engine_run(&stepped->engine, VEF_FOREVER);
    }
    if (code == VEF_OK && !stepped->result.repeat &&
        !(policy->ahead && stepped->result.stall != VEF_STALL_NONE))
        code = vef_engine_finish(&stepped->engine);
    if (code == VEF_OK) {
        *result = stepped->result;
        stepped->result = (vef_replay_result){0};
    }
    vef_stepped_destroy(stepped);
    return code;
}

vef_code vef_replay_source(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_progress *progress,
                           vef_replay_result *result, vef_error *error) {
    if (may_run_ahead(source, network, options)) {
        vef_code code =
            replay(source, network, mapping, options, &vef_policy_ahead, progress, result, error);
        if (code == VEF_OK && result->stall == VEF_STALL_NONE)
            return VEF_OK;
        vef_replay_result_release(result);
        network->kind->begin_figures(network);
        code = source->restart(source, error);
        if (code != VEF_OK)
            return code;
    }
    return replay(source, network, mapping, options, in_order(network), progress, result, error);
}

uint64_t vef_stepped_next(const vef_stepped *stepped) {
    return vef_engine_next(&stepped->engine);
}

bool vef_stepped_waits(const vef_stepped *stepped) {
    return stepped->engine.in_flight > stepped->engine.hosts.pending.count;
}

vef_code vef_stepped_run(vef_stepped *stepped, uint64_t until_ps, bool *ended, vef_error *error) {
    stepped->engine.error = error;
    const vef_code code = vef_engine_run(&stepped->engine, until_ps);
    *ended = stepped->result.stall != VEF_STALL_NONE || vef_engine_ended(&stepped->engine);
    return code;
}

bool vef_stepped_task_ended(const vef_stepped *stepped, uint32_t task, uint64_t *end_ps) {
    const vef_task *state = &stepped->engine.tasks[task];
    *end_ps = 0;
    for (uint32_t i = 0; i < state->strand_count; i++) {
        const vef_strand *strand = &stepped->engine.strands[state->first_strand + i];
        *end_ps = strand->cpu_ps > *end_ps ? strand->cpu_ps : *end_ps;
    }
    return state->ended == state->strand_count;
}

vef_code vef_stepped_finish(vef_stepped *stepped, vef_stall stall, const char *text,
                            const vef_replay_result **result, vef_error *error) {
    vef_engine *engine = &stepped->engine;
    engine->error = error;
    if (stepped->result.stall == VEF_STALL_NONE && !vef_engine_ended(engine))
        vef_stall_set(engine, stall, "%s", text);
    *result = &stepped->result;
    return vef_engine_finish(engine);
}

void vef_stepped_destroy(vef_stepped *stepped) {
    if (!stepped)
        return;
    vef_engine_release(&stepped->engine);
    vef_replay_result_release(&stepped->result);
    free(stepped);
}
