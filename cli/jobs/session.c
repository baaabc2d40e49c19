/* Jobs of the command line. See session.h. */
#include "cli/jobs/session.h"

#include "cli/command.h"
#include "common/memory.h"
#include "replay/jobs/report.h"

#include <stdlib.h>

typedef struct session {
    vef_observed machine;
    vef_job_list list;
    vef_jobs jobs;
} session;

static vef_code read_jobs(const vef_jobs_choices *choices, session *held, vef_error *error) {
    vef_code code = choices->file
                        ? vef_job_list_read(&held->list, choices->file, &held->machine.arena, error)
                        : VEF_OK;
    for (size_t i = 0; code == VEF_OK && i < choices->jobs.count; i++)
        code = vef_job_list_add(&held->list, choices->jobs.text[i], &held->machine.arena, error);
    if (code == VEF_OK && choices->batch &&
        vef_job_list_batch(&held->list, choices->batch, error) != VEF_OK)
        code = vef_fail_within(error, "--batch");
    if (code == VEF_OK && choices->place &&
        vef_job_list_place(&held->list, choices->place, &held->machine.arena, error) != VEF_OK)
        code = vef_fail_within(error, "--place");
    return code == VEF_OK ? vef_job_list_end(&held->list, &held->machine.arena, error) : code;
}

static vef_code replay(const vef_jobs_choices *choices, const vef_observed_choices *machine,
                       session *held, vef_error *error) {
    vef_progress progress;
    const vef_jobs_request request = {.list = &held->list,
                                      .root = held->machine.root,
                                      .options = &machine->replay,
                                      .threads = vef_observed_threads(machine),
                                      .ranks = choices->ranks,
                                      .explain = machine->explain,
                                      .alone = held->list.count > 1 && !choices->no_alone,
                                      .progress = &progress};
    vef_code code =
        vef_jobs_open(&held->jobs, &request, vef_observed_network(&held->machine), error);
    code = vef_net_agree(choices->ranks, code, error);
    if (code != VEF_OK)
        return code;
    vef_progress_begin(&progress, "replaying");
    code = vef_jobs_replay(&held->jobs, error);
    vef_progress_end(&progress);
    return code;
}

static vef_code write_report(const vef_observed_choices *machine, session *held, vef_error *error) {
    char *title = vef_printed("%zu jobs on %s", held->list.count, machine->network);
    const vef_code code = vef_observed_end(machine, &held->machine, title, error);
    free(title);
    if (code != VEF_OK)
        return code;
    const vef_jobs_report report = {.jobs = &held->jobs,
                                    .network_name = machine->network,
                                    .overrides = machine->overrides.text,
                                    .override_count = machine->overrides.count,
                                    .samples = vef_sampler_samples(held->machine.sampler),
                                    .utilization =
                                        machine->per_link ? held->machine.utilization : NULL};
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

int vef_jobs_session_run(const vef_jobs_choices *choices, vef_observed_choices *machine) {
    session held = {0};
    vef_error error = {0};
    vef_code code = read_jobs(choices, &held, &error);
    if (code == VEF_OK)
        code = vef_observed_open(machine, &held.machine, &error);
    /* Several jobs use the threads for the replays alone, and need the network on one thread, to
     * watch it; the links of a batch are not watched. */
    if (code == VEF_OK && (held.list.count == 1 || held.list.policy))
        vef_netmodel_split(held.machine.network, vef_observed_threads(machine));
    const bool silent = choices->ranks && choices->ranks->rank > 0;
    if (code == VEF_OK && !silent)
        code = vef_observed_begin(machine, &held.machine, &error);
    code = vef_net_agree(choices->ranks, code, &error);
    if (code == VEF_OK)
        code = replay(choices, machine, &held, &error);
    if (code == VEF_OK && !silent)
        code = write_report(machine, &held, &error);
    int status = VEF_EXIT_OK;
    if (code != VEF_OK)
        status = vef_command_error("replay", &error);
    else if (!silent)
        status = report_failure(&held.jobs);
    if (held.jobs.jobs)
        vef_jobs_release(&held.jobs);
    vef_job_list_release(&held.list);
    vef_observed_release(&held.machine);
    return status;
}
