/* Jobs of the command line. See session.h. */
#include "cli/jobs/session.h"

#include "cli/command.h"
#include "cli/pictures/network.h"
#include "common/memory.h"
#include "netmodel/clock.h"
#include "netmodel/utilization.h"
#include "replay/jobs/report.h"
#include "replay/machine.h"
#include "replay/state/sim_time.h"

#include <stdlib.h>

typedef struct session {
    vef_arena arena; /* the trees of files */
    vef_node *root;
    vef_job_list list;
    vef_netmodel *network;
    vef_sampler *sampler;
    vef_jobs jobs;
    double *utilization; /* of every link */
} session;

static vef_code read_jobs(const vef_jobs_choices *choices, session *held, vef_error *error) {
    vef_code code =
        choices->file ? vef_job_list_read(&held->list, choices->file, &held->arena, error) : VEF_OK;
    for (size_t i = 0; code == VEF_OK && i < choices->jobs.count; i++)
        code = vef_job_list_add(&held->list, choices->jobs.text[i], &held->arena, error);
    if (code == VEF_OK && choices->batch &&
        vef_job_list_batch(&held->list, choices->batch, error) != VEF_OK)
        code = vef_fail_within(error, "--batch");
    if (code == VEF_OK && choices->place &&
        vef_job_list_place(&held->list, choices->place, &held->arena, error) != VEF_OK)
        code = vef_fail_within(error, "--place");
    return code == VEF_OK ? vef_job_list_end(&held->list, &held->arena, error) : code;
}

/* The network, and in the replay options the rest of the machine. Several jobs use the threads for
 * the replays alone, and need the network on one thread, to watch it; the links of a batch are not
 * watched. */
static vef_code open_machine(const vef_jobs_machine *machine, session *held, vef_error *error) {
    vef_texts *overrides = machine->overrides;
    vef_texts_join(overrides, &held->arena);
    vef_code code = vef_machine_open(machine->network, overrides->text, overrides->count,
                                     &held->arena, &held->root, machine->replay, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(held->root, &held->network, error);
    if (code == VEF_OK)
        vef_command_warn_ignored("replay", held->root);
    if (code != VEF_OK)
        return code;
    for (size_t i = 0; i < held->network->warnings.count; i++)
        vef_command_warn("replay", held->network->warnings.values[i]);
    if (machine->time_limit_ns >= 0) {
        const uint64_t limit_ps = vef_ps_of(machine->time_limit_ns);
        machine->replay->limit_ps = limit_ps < VEF_MOST_PS ? limit_ps : VEF_FOREVER;
    }
    if (held->list.count == 1 || held->list.policy)
        vef_netmodel_split(held->network, machine->threads);
    return VEF_OK;
}

static vef_code begin_observing(const vef_jobs_machine *machine, session *held, vef_error *error) {
    vef_code code = machine->plot
                        ? vef_busy_links_check(held->network, "--plot", machine->plot, error)
                        : VEF_OK;
    if (code == VEF_OK && machine->per_link && !held->network->kind->link_busy_cycles)
        code = vef_fail(error, VEF_UNSUPPORTED, "--per-link: networks of model %s have no links",
                        held->network->kind->name);
    uint64_t interval_cycles;
    if (code != VEF_OK || machine->sample_ns < 0)
        return code;
    code = vef_busy_links_interval(held->network, machine->sample_ns, &interval_cycles, error);
    return code == VEF_OK
               ? vef_sampler_create(held->network, interval_cycles, &held->sampler, error)
               : code;
}

static vef_code replay(const vef_jobs_choices *choices, const vef_jobs_machine *machine,
                       session *held, vef_error *error) {
    vef_progress progress;
    const vef_jobs_request request = {.list = &held->list,
                                      .root = held->root,
                                      .options = machine->replay,
                                      .threads = machine->threads,
                                      .explain = machine->explain,
                                      .alone = held->list.count > 1 && !choices->no_alone,
                                      .progress = &progress};
    vef_netmodel *network = held->sampler ? vef_sampler_model(held->sampler) : held->network;
    vef_code code = vef_jobs_open(&held->jobs, &request, network, error);
    if (code != VEF_OK)
        return code;
    vef_progress_begin(&progress, "replaying");
    code = vef_jobs_replay(&held->jobs, error);
    vef_progress_end(&progress);
    return code == VEF_OK && held->sampler ? vef_sampler_end(held->sampler, error) : code;
}

static vef_code draw(const vef_jobs_machine *machine, const session *held, vef_error *error) {
    char *title = vef_printed("%zu jobs on %s", held->list.count, machine->network);
    const vef_code code =
        vef_busy_links_save(held->network, held->utilization, vef_sampler_samples(held->sampler),
                            title, machine->plot, error);
    free(title);
    return code;
}

static vef_code write_report(const vef_jobs_machine *machine, session *held, vef_error *error) {
    const double cycles =
        vef_netmodel_cycles_in(held->network, held->network->kind->now(held->network));
    vef_code code = machine->per_link || machine->plot
                        ? vef_utilization_find(held->network, cycles, &held->utilization, error)
                        : VEF_OK;
    if (code == VEF_OK && machine->plot)
        code = draw(machine, held, error);
    if (code != VEF_OK)
        return code;
    const vef_jobs_report report = {.jobs = &held->jobs,
                                    .network_name = machine->network,
                                    .overrides = machine->overrides->text,
                                    .override_count = machine->overrides->count,
                                    .samples = vef_sampler_samples(held->sampler),
                                    .utilization = machine->per_link ? held->utilization : NULL};
    return vef_report_write(machine->format, vef_jobs_report_build, &report, stdout, error);
}

/* A stall, or an incomplete trace. */
static int report_failure(const vef_jobs *jobs) {
    if (jobs->result.stall != VEF_STALL_NONE) {
        fprintf(stderr, "vef replay: stalled (%s): %s\n", vef_stall_name(jobs->result.stall),
                jobs->result.stall_text);
        return VEF_EXIT_FAILURE;
    }
    int status = VEF_EXIT_OK;
    for (uint32_t i = 0; i < jobs->traffic_count; i++)
        if (vef_traffic_job_saturates(&jobs->traffic[i])) {
            const vef_traffic_job *job = &jobs->traffic[i];
            char text[256];
            snprintf(text, sizeof text,
                     "job %.60s saturates the network: %.4g of %.4g phits per cycle and endpoint "
                     "were accepted",
                     job->spec->name, job->figures.accepted_load, job->spec->rate);
            vef_command_warn("replay", text);
        }
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].missing) { /* the readable part was replayed */
            fprintf(stderr, "vef replay: job %s: trace incomplete: %s\n", jobs->jobs[i].spec->name,
                    jobs->jobs[i].missing);
            status = VEF_EXIT_FAILURE;
        }
    return status;
}

int vef_jobs_session_run(const vef_jobs_choices *choices, const vef_jobs_machine *machine) {
    session held = {0};
    vef_error error = {0};
    vef_code code = read_jobs(choices, &held, &error);
    if (code == VEF_OK)
        code = open_machine(machine, &held, &error);
    if (code == VEF_OK)
        code = begin_observing(machine, &held, &error);
    if (code == VEF_OK)
        code = replay(choices, machine, &held, &error);
    if (code == VEF_OK)
        code = write_report(machine, &held, &error);
    const int status =
        code == VEF_OK ? report_failure(&held.jobs) : vef_command_error("replay", &error);
    if (held.jobs.jobs)
        vef_jobs_release(&held.jobs);
    vef_job_list_release(&held.list);
    vef_sampler_destroy(held.sampler);
    free(held.utilization);
    vef_netmodel_destroy(held.network);
    vef_arena_release(&held.arena);
    return status;
}
