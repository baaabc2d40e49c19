/* Placing jobs and replaying them together and alone. See jobs.h. */
#include "replay/jobs/jobs.h"

#include "common/memory.h"
#include "common/plugin/library.h"
#include "common/threads/pool.h"
#include "replay/explain/time_record.h"
#include "replay/jobs/settle.h"
#include "replay/jobs/starts.h"
#include "replay/state/sim_time.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

double vef_job_slowdown(const vef_placed_job *job) {
    const uint64_t alone = vef_job_time_ps(&job->alone);
    if (!job->together.known || !job->alone.known || alone == 0)
        return NAN;
    return (double)vef_job_time_ps(&job->together) / (double)alone;
}

const char *vef_jobs_name(const vef_jobs *jobs, uint32_t number) {
    return number < jobs->count ? jobs->jobs[number].spec->name
                                : jobs->traffic[number - jobs->count].spec->name;
}

/* ---- placing ---- */

static vef_code within_job(const vef_placed_job *job, vef_error *error) {
    return vef_fail_within(error, "job %s", job->spec->name);
}

static vef_code open_traces(vef_jobs *jobs, vef_error *error) {
    const vef_job_list *list = jobs->request.list;
    jobs->jobs = vef_calloc(list->count, sizeof *jobs->jobs);
    jobs->traffic = vef_calloc(list->count, sizeof *jobs->traffic);
    for (size_t i = 0; i < list->count; i++) {
        vef_placed_job *job = &jobs->jobs[jobs->count];
        if (list->jobs[i].background)
            continue;
        job->spec = &list->jobs[i];
        jobs->count++;
        vef_code code = vef_trace_open(job->spec->trace, &job->trace, &job->missing, error);
        if (code == VEF_OK) {
            job->tasks = vef_trace_get_header(job->trace)->tasks;
            job->first_task = jobs->tasks;
            jobs->tasks += job->tasks;
            job->source = vef_source_open_trace(job->trace);
        }
        if (code != VEF_OK)
            return code;
        job->start_ps = vef_ps_of(job->spec->start_ns);
        job->arrival_ps = list->policy ? vef_ps_of(job->spec->arrival_ns) : job->start_ps;
    }
    return VEF_OK;
}

static bool chooses_itself(const vef_job_spec *spec) {
    return spec->place ? spec->placement.path != NULL : spec->map != NULL;
}

/* The first task of another job at a node. */
static uint32_t task_at(const vef_jobs *jobs, uint32_t node, uint32_t job) {
    const vef_placed_job *owner = &jobs->jobs[job];
    for (uint32_t task = 0; task < owner->tasks; task++)
        if (jobs->mapping[owner->first_task + task] / jobs->nodes.nics == node)
            return task;
    return 0;
}

/* Gives the nodes of its tasks to the job. */
static vef_code take_nodes(vef_jobs *jobs, uint32_t number, vef_error *error) {
    const vef_placed_job *job = &jobs->jobs[number];
    for (uint32_t task = 0; task < job->tasks; task++) {
        const uint32_t endpoint = jobs->mapping[job->first_task + task];
        const uint32_t node = endpoint / jobs->nodes.nics;
        if (node >= jobs->nodes.count)
            return vef_fail(error, VEF_INVALID,
                            "task %u is at endpoint %u: out of range: the network has %u", task,
                            endpoint, jobs->nodes.count * jobs->nodes.nics);
        const uint32_t owner = jobs->nodes.owner[node];
        if (owner == VEF_NOBODY)
            vef_job_nodes_take(&jobs->nodes, node, number);
        else if (owner != number)
            return vef_fail(error, VEF_INVALID,
                            "task %u is at endpoint %u, %s job %s (its task %u): jobs must not "
                            "overlap: expected other endpoints, or place=contiguous",
                            task, endpoint,
                            jobs->nodes.nics > 1 ? "of a node that belongs to" : "which belongs to",
                            jobs->jobs[owner].spec->name, task_at(jobs, node, owner));
    }
    return VEF_OK;
}

/* Background traffic with so many endpoints as it asks for, or else with all that are left. */
static vef_code place_traffic(vef_jobs *jobs, bool asked, vef_error *error) {
    const vef_job_list *list = jobs->request.list;
    for (size_t i = 0; i < list->count; i++) {
        const vef_job_spec *spec = &list->jobs[i];
        if (!spec->background || (spec->endpoints > 0) != asked)
            continue;
        const uint32_t number = jobs->count + jobs->traffic_count;
        vef_traffic_job *job = &jobs->traffic[jobs->traffic_count++];
        jobs->nodes.names[number] = spec->name;
        if (vef_traffic_job_open(job, spec, number, vef_library_list(jobs->request.root),
                                 &jobs->nodes, jobs->network, error) != VEF_OK)
            return vef_fail_within(error, "job %s", spec->name);
    }
    return VEF_OK;
}

static vef_settler settler_of(const vef_jobs *jobs, const vef_placed_job *job) {
    return (vef_settler){job->spec, vef_library_list(jobs->request.root), job->trace,
                         jobs->request.options, job->tasks};
}

static vef_code place(vef_jobs *jobs, uint32_t number, vef_error *error) {
    const vef_placed_job *job = &jobs->jobs[number];
    const vef_settler settler = settler_of(jobs, job);
    uint32_t *endpoint = jobs->mapping + job->first_task;
    if (!job->spec->place && job->spec->map) {
        vef_code code = vef_settle_anywhere(&settler, jobs->nodes.topology, endpoint, error);
        return code == VEF_OK ? take_nodes(jobs, number, error) : code;
    }
    const uint32_t wanted = vef_job_nodes_for(&jobs->nodes, job->tasks);
    uint32_t *chosen = vef_malloc((wanted + (size_t)1) * sizeof *chosen);
    vef_code code =
        vef_job_placement_choose(&job->spec->placement, &jobs->nodes, wanted, chosen, error);
    if (code == VEF_OK)
        code = vef_settle_on(&settler, &jobs->nodes, chosen, wanted, endpoint, error);
    free(chosen);
    return code == VEF_OK ? take_nodes(jobs, number, error) : code;
}

/* Endpoints of a network with any number of them. */
static uint32_t unlimited_endpoints(const vef_jobs *jobs) {
    const vef_host *host = &jobs->request.options->host;
    uint64_t nodes = 0, most = 1;
    if (jobs->request.list->endpoints)
        return jobs->request.list->endpoints;
    for (uint32_t i = 0; i < jobs->count; i++) {
        nodes += (jobs->jobs[i].tasks - 1) / host->cores + 1;
        most = jobs->jobs[i].tasks > most ? jobs->jobs[i].tasks : most;
    }
    const uint64_t endpoints = nodes * host->nics > most ? nodes * host->nics : most;
    return (uint32_t)((endpoints + host->nics - 1) / host->nics * host->nics);
}

/* ---- batches ---- */

static vef_code settle(void *context, uint32_t number, const uint32_t *chosen, vef_error *error) {
    vef_jobs *jobs = context;
    const vef_placed_job *job = &jobs->jobs[number];
    const vef_settler settler = settler_of(jobs, job);
    const vef_code code =
        vef_settle_on(&settler, &jobs->nodes, chosen, jobs->batch_jobs[number].nodes,
                      jobs->mapping + job->first_task, error);
    return code == VEF_OK ? code : within_job(job, error);
}

static vef_code begin_batch(vef_jobs *jobs, vef_error *error) {
    jobs->batch_jobs = vef_calloc(jobs->count, sizeof *jobs->batch_jobs);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const uint32_t nodes = vef_job_nodes_for(&jobs->nodes, job->tasks);
        jobs->batch_jobs[i] = (vef_batch_job){.placement = job->spec->placement,
                                              .nodes = nodes,
                                              .first_task = job->first_task,
                                              .tasks = job->tasks,
                                              .arrival_ps = job->arrival_ps,
                                              .estimate_ps = vef_ps_of(job->spec->estimate_ns)};
        if (nodes > jobs->nodes.free)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "job %s needs %u nodes, but only %u of %u are for jobs: expected a "
                            "larger network or more host.cores",
                            job->spec->name, nodes, jobs->nodes.free, jobs->nodes.count);
    }
    const vef_batch_settings settings = {.policy = jobs->request.list->policy,
                                         .jobs = jobs->batch_jobs,
                                         .count = jobs->count,
                                         .nodes = &jobs->nodes,
                                         .settle = settle,
                                         .context = jobs};
    vef_batch_begin(&jobs->batch, &settings);
    return VEF_OK;
}

vef_code vef_jobs_open(vef_jobs *jobs, const vef_jobs_request *request, vef_netmodel *network,
                       vef_error *error) {
    const vef_host *host = &request->options->host;
    *jobs = (vef_jobs){.request = *request, .network = network};
    vef_code code = open_traces(jobs, error);
    if (code != VEF_OK)
        return code;
    vef_job_nodes_make(&jobs->nodes, network, unlimited_endpoints(jobs), host->nics, host->cores);
    jobs->nodes.names =
        vef_arena_alloc(&jobs->nodes.arena, request->list->count, sizeof *jobs->nodes.names);
    for (uint32_t i = 0; i < jobs->count; i++)
        jobs->nodes.names[i] = jobs->jobs[i].spec->name;
    jobs->mapping = vef_calloc(jobs->tasks ? jobs->tasks : 1, sizeof *jobs->mapping);
    if (request->list->policy) {
        code = place_traffic(jobs, true, error);
        return code == VEF_OK ? begin_batch(jobs, error) : code;
    }
    for (int by_placement = 0; by_placement < 2; by_placement++)
        for (uint32_t i = 0; i < jobs->count; i++)
            if (chooses_itself(jobs->jobs[i].spec) != (by_placement == 1) &&
                place(jobs, i, error) != VEF_OK)
                return within_job(&jobs->jobs[i], error);
    code = place_traffic(jobs, true, error);
    return code == VEF_OK ? place_traffic(jobs, false, error) : code;
}

void vef_jobs_release(vef_jobs *jobs) {
    vef_joint_destroy(jobs->joint);
    vef_net_background_destroy(jobs->background);
    for (uint32_t i = 0; i < jobs->traffic_count; i++)
        vef_traffic_job_release(&jobs->traffic[i]);
    for (uint32_t i = 0; i < jobs->count; i++) {
        vef_source_close_trace(jobs->jobs[i].source);
        if (jobs->jobs[i].trace)
            vef_trace_close(jobs->jobs[i].trace);
    }
    vef_batch_release(&jobs->batch);
    free(jobs->batch_jobs);
    vef_job_nodes_release(&jobs->nodes);
    vef_job_figures_release(&jobs->figures);
    vef_replay_result_release(&jobs->result);
    free(jobs->mapping);
    free(jobs->traffic);
    free(jobs->jobs);
    *jobs = (vef_jobs){0};
}

/* ---- replaying ---- */

/* The joint source: of all jobs, or of one, whose events come from `alone`. */
static vef_code join(const vef_jobs *jobs, uint32_t only, vef_source *alone, vef_source **joint,
                     vef_error *error) {
    vef_joint_part *parts = vef_calloc(jobs->count, sizeof *parts);
    for (uint32_t i = 0; i < jobs->count; i++)
        parts[i] = (vef_joint_part){.name = jobs->jobs[i].spec->name,
                                    .source = alone && i == only ? alone : jobs->jobs[i].source,
                                    .silent = alone && i != only};
    const vef_code code = vef_joint_create(parts, jobs->count, joint, error);
    free(parts);
    return code;
}

/* The gate of jobs that start later; none of them: no gate. */
static void make_gate(const vef_jobs *jobs, vef_job_starts *gate, vef_replay_options *options) {
    bool later = false;
    vef_timed_start *starts = vef_calloc(jobs->count, sizeof *starts);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        starts[i] = (vef_timed_start){job->start_ps, {job->first_task, job->tasks}};
        later = later || job->start_ps > 0;
    }
    if (later) {
        vef_job_starts_begin(gate, starts, jobs->count, jobs->nodes.count * jobs->nodes.nics);
        options->gate = &gate->gate;
    }
    free(starts);
}

static vef_job_time time_of(const vef_jobs *jobs, uint32_t number, const vef_replay_result *result,
                            const vef_job_figures *figures) {
    const vef_placed_job *job = &jobs->jobs[number];
    const vef_latency *latency = &figures->latency[number];
    vef_job_time time = {.start_ps = job->start_ps,
                         .end_ps = job->start_ps,
                         .latency_mean_cycles = vef_latency_mean(latency),
                         .latency_p99_cycles = vef_latency_percentile(latency, 0.99),
                         .network_messages = latency->count,
                         .known = result->stall == VEF_STALL_NONE};
    for (uint32_t task = job->first_task; task < job->first_task + job->tasks; task++) {
        if (result->task[task].end_ps > time.end_ps)
            time.end_ps = result->task[task].end_ps;
        time.messages += result->task[task].messages_sent;
    }
    return time;
}

/* One of the replays: all jobs on the network of the caller, or one of them on its own. */
typedef struct replaying {
    vef_jobs *jobs;
    uint32_t first, step;   /* the replay of piece 0, and from one piece to the next */
    pthread_mutex_t making; /* reading a machine file marks its nodes */
    vef_code *codes;        /* per piece */
    vef_error *errors;
} replaying;

static vef_code replay_with(vef_jobs *jobs, vef_source *joint, vef_netmodel *network,
                            vef_progress *progress, const vef_listener *listeners,
                            vef_replay_result *result, vef_error *error) {
    vef_replay_options options = *jobs->request.options;
    vef_job_starts gate = {0};
    options.listeners = listeners;
    if (jobs->batch_jobs && joint == jobs->joint) {
        options.gate = &jobs->batch.gate;
        vef_listen(&options.listeners, &jobs->batch.listener);
    } else {
        make_gate(jobs, &gate, &options);
    }
    vef_code code =
        vef_replay_source(joint, network, jobs->mapping, &options, progress, result, error);
    vef_job_starts_release(&gate);
    return code;
}

/* The causes of the times of a job's tasks. */
static vef_cause_ps causes_of(const vef_placed_job *job, const vef_time_record *record) {
    vef_cause_ps sum = {{0}};
    for (uint32_t task = 0; task < job->tasks; task++)
        vef_cause_add(&sum, &record->ends[job->first_task + task].ps);
    return sum;
}

/* Also fills in the times of one job, or (`number` VEF_NOBODY) of all: alone, or together. */
static vef_code replay_joint(vef_jobs *jobs, vef_source *joint, vef_netmodel *network,
                             vef_progress *progress, uint32_t number, vef_job_figures *figures,
                             vef_replay_result *result, vef_error *error) {
    vef_time_record record = {0};
    const vef_listener *listeners = NULL;
    if (jobs->request.explain) {
        vef_time_record_begin(&record);
        vef_time_record_listen(&record, &listeners);
    }
    /* Without listeners, where messages take no time, tasks may run ahead. */
    if (jobs->request.explain || !network->kind->pass)
        vef_listen(&listeners, &figures->listener);
    vef_code code = replay_with(jobs, joint, network, progress, listeners, result, error);
    for (uint32_t i = 0; i < jobs->count && code == VEF_OK; i++) {
        vef_placed_job *job = &jobs->jobs[i];
        if (number != VEF_NOBODY && i != number)
            continue;
        if (number == VEF_NOBODY && jobs->batch_jobs)
            job->start_ps = jobs->batch_jobs[i].start_ps;
        vef_job_time *time = number == VEF_NOBODY ? &job->together : &job->alone;
        *time = time_of(jobs, i, result, figures);
        if (jobs->request.explain)
            time->causes = causes_of(job, &record);
    }
    vef_time_record_release(&record);
    return code;
}

/* Lets the network carry the background traffic. */
static vef_code begin_traffic(vef_jobs *jobs, vef_error *error) {
    if (jobs->traffic_count == 0)
        return VEF_OK;
    vef_net_background_stream *streams = vef_calloc(jobs->traffic_count, sizeof *streams);
    vef_code code = VEF_OK;
    uint32_t made = 0;
    for (; made < jobs->traffic_count && code == VEF_OK; made++)
        code = vef_traffic_job_stream(&jobs->traffic[made], made, jobs->network, &streams[made],
                                      error);
    if (code == VEF_OK)
        code = vef_net_background_create(jobs->network, streams, made, &jobs->background, error);
    else
        for (uint32_t i = 0; i < made; i++)
            vef_traffic_destroy(streams[i].traffic);
    if (code != VEF_OK && made > 0 && !jobs->background)
        code = vef_fail_within(error, "job %s", jobs->traffic[made - 1].spec->name);
    free(streams);
    return code;
}

static vef_code replay_together(vef_jobs *jobs, vef_error *error) {
    const uint32_t together = jobs->count + jobs->traffic_count;
    vef_code code = join(jobs, 0, NULL, &jobs->joint, error);
    if (code == VEF_OK)
        code = begin_traffic(jobs, error);
    vef_netmodel *network =
        jobs->background ? vef_net_background_model(jobs->background) : jobs->network;
    if (code == VEF_OK)
        vef_job_figures_begin(&jobs->figures, together, jobs->count, &jobs->nodes, network,
                              together > 1 && !jobs->batch_jobs);
    if (code == VEF_OK)
        code = replay_joint(jobs, jobs->joint, network, jobs->request.progress, VEF_NOBODY,
                            &jobs->figures, &jobs->result, error);
    if (code == VEF_OK && jobs->batch_jobs)
        vef_batch_end(&jobs->batch);
    for (uint32_t i = 0; code == VEF_OK && i < jobs->traffic_count; i++)
        jobs->traffic[i].figures = vef_net_background_measure(jobs->background, i);
    for (uint32_t i = 0; code == VEF_OK && i < jobs->count; i++) {
        vef_placed_job *job = &jobs->jobs[i];
        vef_job_spread_find(&jobs->nodes, jobs->mapping + job->first_task, job->tasks,
                            &job->spread);
        for (uint32_t task = job->first_task; task < job->first_task + job->tasks; task++) {
            job->messages_sent += jobs->result.task[task].messages_sent;
            job->bytes_sent += jobs->result.task[task].bytes_sent;
        }
    }
    return code;
}

static vef_code replay_alone_on(vef_jobs *jobs, uint32_t number, vef_source *source,
                                vef_netmodel *network, vef_error *error) {
    vef_source *joint = NULL;
    vef_job_figures figures = {0};
    vef_replay_result result = {0};
    vef_code code = join(jobs, number, source, &joint, error);
    if (code == VEF_OK)
        vef_job_figures_begin(&figures, jobs->count, jobs->count, &jobs->nodes, network, false);
    figures.only = number;
    if (code == VEF_OK)
        code = replay_joint(jobs, joint, network, NULL, number, &figures, &result, error);
    vef_replay_result_release(&result);
    vef_job_figures_release(&figures);
    vef_joint_destroy(joint);
    return code;
}

static vef_code replay_alone(replaying *replays, uint32_t number, vef_error *error) {
    vef_jobs *jobs = replays->jobs;
    vef_trace *trace = NULL;
    vef_source *source = NULL;
    vef_netmodel *network = NULL;
    vef_code code = vef_trace_open(jobs->jobs[number].spec->trace, &trace, NULL, error);
    if (code == VEF_OK)
        source = vef_source_open_trace(trace);
    if (code == VEF_OK) {
        pthread_mutex_lock(&replays->making);
        code = vef_netmodel_create(jobs->request.root, &network, error);
        pthread_mutex_unlock(&replays->making);
    }
    if (code == VEF_OK)
        code = replay_alone_on(jobs, number, source, network, error);
    if (network)
        vef_netmodel_destroy(network);
    vef_source_close_trace(source);
    if (trace)
        vef_trace_close(trace);
    return code == VEF_OK ? code : within_job(&jobs->jobs[number], error);
}

static void replay_piece(void *context, uint32_t worker, uint32_t piece) {
    replaying *replays = context;
    const uint32_t number = replays->first + piece * replays->step;
    (void)worker;
    replays->codes[number] = number == 0
                                 ? replay_together(replays->jobs, &replays->errors[number])
                                 : replay_alone(replays, number - 1, &replays->errors[number]);
}

/* Some of the replays, beside each other: those whose numbers this process has, from `first` to
 * before `end`. */
static void replay_some(replaying *replays, uint32_t first, uint32_t end) {
    const vef_jobs_request *request = &replays->jobs->request;
    const uint32_t step = replays->step, rank = request->ranks ? request->ranks->rank : 0;
    replays->first = first + (rank + step - first % step) % step;
    const uint32_t count = replays->first < end ? (end - 1 - replays->first) / step + 1 : 0;
    if (count > 0)
        vef_workers_run(request->threads < count ? request->threads : count, count, replay_piece,
                        replays);
}

/* The results of replays alone, from the processes that had them. */
static void share_results(vef_jobs *jobs) {
    for (uint32_t i = 0; i < jobs->count && jobs->request.ranks; i++) {
        vef_job_time *alone = &jobs->jobs[i].alone;
        uint64_t known = alone->known;
        vef_net_sum(jobs->request.ranks, alone, offsetof(vef_job_time, known));
        vef_net_sum(jobs->request.ranks, &known, sizeof known);
        alone->known = known > 0;
    }
}

/* The failure of the first replay that failed. In a batch all processes have number 0. */
static vef_code first_failure(const replaying *replays, uint32_t count, vef_error *error) {
    const vef_net_ranks *ranks = replays->jobs->request.ranks;
    uint64_t own = 0, first;
    while (own < count && replays->codes[own] == VEF_OK)
        own++;
    first = own;
    if (ranks)
        ranks->least(ranks->context, &first, 1);
    const bool has_it = own == first && own < count;
    if (has_it)
        *error = replays->errors[own];
    return vef_net_agree(ranks, has_it ? replays->codes[own] : VEF_OK, error);
}

vef_code vef_jobs_replay(vef_jobs *jobs, vef_error *error) {
    const vef_net_ranks *ranks = jobs->request.ranks;
    const uint32_t count = jobs->request.alone ? 1 + jobs->count : 1;
    replaying replays = {.jobs = jobs,
                         .step = 1,
                         .codes = vef_calloc(count, sizeof *replays.codes),
                         .errors = vef_calloc(count, sizeof *replays.errors)};
    pthread_mutex_init(&replays.making, NULL);
    if (jobs->batch_jobs) /* where jobs are, and when they start, is known when all have ended */
        replay_piece(&replays, 0, 0);
    replays.step = ranks ? ranks->count : 1;
    if (!jobs->batch_jobs)
        replay_some(&replays, 0, count);
    else if (replays.codes[0] == VEF_OK && jobs->result.stall == VEF_STALL_NONE)
        replay_some(&replays, 1, count);
    pthread_mutex_destroy(&replays.making);
    const vef_code code = first_failure(&replays, count, error);
    if (code == VEF_OK)
        share_results(jobs);
    free(replays.codes);
    free(replays.errors);
    return code;
}
