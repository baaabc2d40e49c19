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

const char *vef_jobs_name(const vef_jobs *self, uint32_t number) {
    return number < self->count ? self->jobs[number].spec->name
                                : self->traffic[number - self->count].spec->name;
}

/* ---- placing ---- */

static vef_code within_job(const vef_placed_job *job, vef_error *error) {
    return vef_fail_within(error, "job %s", job->spec->name);
}

static vef_code open_traces(vef_jobs *self, vef_error *error) {
    const vef_job_list *list = self->request.list;
    self->jobs = vef_calloc(list->count, sizeof *self->jobs);
    self->traffic = vef_calloc(list->count, sizeof *self->traffic);
    for (size_t i = 0; i < list->count; i++) {
        vef_placed_job *job = &self->jobs[self->count];
        if (list->jobs[i].background)
            continue;
        job->spec = &list->jobs[i];
        self->count++;
        vef_code code = vef_trace_open(job->spec->trace, &job->trace, &job->missing, error);
        if (code == VEF_OK) {
            job->tasks = vef_trace_get_header(job->trace)->tasks;
            job->first_task = self->tasks;
            self->tasks += job->tasks;
            code = vef_source_open_trace(job->trace, &job->source, error);
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
static uint32_t task_at(const vef_jobs *self, uint32_t node, uint32_t job) {
    const vef_placed_job *owner = &self->jobs[job];
    for (uint32_t task = 0; task < owner->tasks; task++)
        if (self->mapping[owner->first_task + task] / self->nodes.nics == node)
            return task;
    return 0;
}

/* Gives the nodes of its tasks to the job. */
static vef_code take_nodes(vef_jobs *self, uint32_t number, vef_error *error) {
    const vef_placed_job *job = &self->jobs[number];
    for (uint32_t task = 0; task < job->tasks; task++) {
        const uint32_t endpoint = self->mapping[job->first_task + task];
        const uint32_t node = endpoint / self->nodes.nics;
        if (node >= self->nodes.count)
            return vef_fail(error, VEF_INVALID,
                            "task %u is at endpoint %u: out of range: the network has %u", task,
                            endpoint, self->nodes.count * self->nodes.nics);
        const uint32_t owner = self->nodes.owner[node];
        if (owner == VEF_NOBODY)
            vef_job_nodes_take(&self->nodes, node, number);
        else if (owner != number)
            return vef_fail(error, VEF_INVALID,
                            "task %u is at endpoint %u, %s job %s (its task %u): jobs must not "
                            "overlap: expected other endpoints, or place=contiguous",
                            task, endpoint,
                            self->nodes.nics > 1 ? "of a node that belongs to" : "which belongs to",
                            self->jobs[owner].spec->name, task_at(self, node, owner));
    }
    return VEF_OK;
}

/* Background traffic with so many endpoints as it asks for, or else with all that are left. */
static vef_code place_traffic(vef_jobs *self, bool asked, vef_error *error) {
    const vef_job_list *list = self->request.list;
    for (size_t i = 0; i < list->count; i++) {
        const vef_job_spec *spec = &list->jobs[i];
        if (!spec->background || (spec->endpoints > 0) != asked)
            continue;
        const uint32_t number = self->count + self->traffic_count;
        vef_traffic_job *job = &self->traffic[self->traffic_count++];
        self->nodes.names[number] = spec->name;
        if (vef_traffic_job_open(job, spec, number, vef_library_list(self->request.root),
                                 &self->nodes, self->network, error) != VEF_OK)
            return vef_fail_within(error, "job %s", spec->name);
    }
    return VEF_OK;
}

static vef_settler settler_of(const vef_jobs *self, const vef_placed_job *job) {
    return (vef_settler){job->spec, vef_library_list(self->request.root), job->trace,
                         self->request.options, job->tasks};
}

static vef_code place(vef_jobs *self, uint32_t number, vef_error *error) {
    const vef_placed_job *job = &self->jobs[number];
    const vef_settler settler = settler_of(self, job);
    uint32_t *endpoint = self->mapping + job->first_task;
    if (!job->spec->place && job->spec->map) {
        vef_code code = vef_settle_anywhere(&settler, self->nodes.topology, endpoint, error);
        return code == VEF_OK ? take_nodes(self, number, error) : code;
    }
    const uint32_t wanted = vef_job_nodes_for(&self->nodes, job->tasks);
    uint32_t *chosen = vef_malloc((wanted + (size_t)1) * sizeof *chosen);
    vef_code code =
        vef_job_placement_choose(&job->spec->placement, &self->nodes, wanted, chosen, error);
    if (code == VEF_OK)
        code = vef_settle_on(&settler, &self->nodes, chosen, wanted, endpoint, error);
    free(chosen);
    return code == VEF_OK ? take_nodes(self, number, error) : code;
}

/* Endpoints of a network with any number of them. */
static uint32_t unlimited_endpoints(const vef_jobs *self) {
    const vef_host *host = &self->request.options->host;
    uint64_t nodes = 0, most = 1;
    if (self->request.list->endpoints)
        return self->request.list->endpoints;
    for (uint32_t i = 0; i < self->count; i++) {
        nodes += (self->jobs[i].tasks - 1) / host->cores + 1;
        most = self->jobs[i].tasks > most ? self->jobs[i].tasks : most;
    }
    const uint64_t endpoints = nodes * host->nics > most ? nodes * host->nics : most;
    return (uint32_t)((endpoints + host->nics - 1) / host->nics * host->nics);
}

/* ---- batches ---- */

static vef_code settle(void *context, uint32_t number, const uint32_t *chosen, vef_error *error) {
    vef_jobs *self = context;
    const vef_placed_job *job = &self->jobs[number];
    const vef_settler settler = settler_of(self, job);
    const vef_code code =
        vef_settle_on(&settler, &self->nodes, chosen, self->batch_jobs[number].nodes,
                      self->mapping + job->first_task, error);
    return code == VEF_OK ? code : within_job(job, error);
}

static vef_code begin_batch(vef_jobs *self, vef_error *error) {
    self->batch_jobs = vef_calloc(self->count, sizeof *self->batch_jobs);
    for (uint32_t i = 0; i < self->count; i++) {
        const vef_placed_job *job = &self->jobs[i];
        const uint32_t nodes = vef_job_nodes_for(&self->nodes, job->tasks);
        self->batch_jobs[i] = (vef_batch_job){.placement = job->spec->placement,
                                              .nodes = nodes,
                                              .first_task = job->first_task,
                                              .tasks = job->tasks,
                                              .arrival_ps = job->arrival_ps,
                                              .estimate_ps = vef_ps_of(job->spec->estimate_ns)};
        if (nodes > self->nodes.free)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "job %s needs %u nodes, but only %u of %u are for jobs: expected a "
                            "larger network or more host.cores",
                            job->spec->name, nodes, self->nodes.free, self->nodes.count);
    }
    const vef_batch_settings settings = {.policy = self->request.list->policy,
                                         .jobs = self->batch_jobs,
                                         .count = self->count,
                                         .nodes = &self->nodes,
                                         .settle = settle,
                                         .context = self};
    vef_batch_begin(&self->batch, &settings);
    return VEF_OK;
}

vef_code vef_jobs_open(vef_jobs *self, const vef_jobs_request *request, vef_netmodel *network,
                       vef_error *error) {
    const vef_host *host = &request->options->host;
    *self = (vef_jobs){.request = *request, .network = network};
    vef_code code = open_traces(self, error);
    if (code != VEF_OK)
        return code;
    vef_job_nodes_make(&self->nodes, network, unlimited_endpoints(self), host->nics, host->cores);
    self->nodes.names =
        vef_arena_alloc(&self->nodes.arena, request->list->count, sizeof *self->nodes.names);
    for (uint32_t i = 0; i < self->count; i++)
        self->nodes.names[i] = self->jobs[i].spec->name;
    self->mapping = vef_calloc(self->tasks ? self->tasks : 1, sizeof *self->mapping);
    if (request->list->policy) {
        code = place_traffic(self, true, error);
        return code == VEF_OK ? begin_batch(self, error) : code;
    }
    for (int by_placement = 0; by_placement < 2; by_placement++)
        for (uint32_t i = 0; i < self->count; i++)
            if (chooses_itself(self->jobs[i].spec) != (by_placement == 1) &&
                place(self, i, error) != VEF_OK)
                return within_job(&self->jobs[i], error);
    code = place_traffic(self, true, error);
    return code == VEF_OK ? place_traffic(self, false, error) : code;
}

void vef_jobs_release(vef_jobs *self) {
    vef_joint_destroy(self->joint);
    vef_net_background_destroy(self->background);
    for (uint32_t i = 0; i < self->traffic_count; i++)
        vef_traffic_job_release(&self->traffic[i]);
    for (uint32_t i = 0; i < self->count; i++) {
        vef_source_close_trace(self->jobs[i].source);
        if (self->jobs[i].trace)
            vef_trace_close(self->jobs[i].trace);
    }
    vef_batch_release(&self->batch);
    free(self->batch_jobs);
    vef_job_nodes_release(&self->nodes);
    vef_job_figures_release(&self->figures);
    vef_replay_result_release(&self->result);
    free(self->mapping);
    free(self->traffic);
    free(self->jobs);
    *self = (vef_jobs){0};
}

/* ---- replaying ---- */

/* The joint source: of all jobs, or of one, whose events come from `alone`. */
static vef_code join(const vef_jobs *self, uint32_t only, vef_source *alone, vef_source **joint,
                     vef_error *error) {
    vef_joint_part *parts = vef_calloc(self->count, sizeof *parts);
    for (uint32_t i = 0; i < self->count; i++)
        parts[i] = (vef_joint_part){.name = self->jobs[i].spec->name,
                                    .source = alone && i == only ? alone : self->jobs[i].source,
                                    .silent = alone && i != only};
    const vef_code code = vef_joint_create(parts, self->count, joint, error);
    free(parts);
    return code;
}

/* The gate of jobs that start later; none of them: no gate. */
static void make_gate(const vef_jobs *self, vef_job_starts *gate, vef_replay_options *options) {
    bool later = false;
    vef_timed_start *starts = vef_calloc(self->count, sizeof *starts);
    for (uint32_t i = 0; i < self->count; i++) {
        const vef_placed_job *job = &self->jobs[i];
        starts[i] = (vef_timed_start){job->start_ps, {job->first_task, job->tasks}};
        later = later || job->start_ps > 0;
    }
    if (later) {
        vef_job_starts_begin(gate, starts, self->count, self->nodes.count * self->nodes.nics);
        options->gate = &gate->gate;
    }
    free(starts);
}

static vef_job_time time_of(const vef_jobs *self, uint32_t number, const vef_replay_result *result,
                            const vef_job_figures *figures) {
    const vef_placed_job *job = &self->jobs[number];
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
    vef_jobs *self;
    uint32_t first;         /* the replay of piece 0 */
    pthread_mutex_t making; /* reading a machine file marks its nodes */
    vef_code *codes;        /* per piece */
    vef_error *errors;
} replaying;

static vef_code replay_with(vef_jobs *self, vef_source *joint, vef_netmodel *network,
                            vef_progress *progress, const vef_listener *listeners,
                            vef_replay_result *result, vef_error *error) {
    vef_replay_options options = *self->request.options;
    vef_job_starts gate = {0};
    options.listeners = listeners;
    if (self->batch_jobs && joint == self->joint) {
        options.gate = &self->batch.gate;
        vef_listen(&options.listeners, &self->batch.listener);
    } else {
        make_gate(self, &gate, &options);
    }
    vef_code code =
        vef_replay_source(joint, network, self->mapping, &options, progress, result, error);
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
static vef_code replay_joint(vef_jobs *self, vef_source *joint, vef_netmodel *network,
                             vef_progress *progress, uint32_t number, vef_job_figures *figures,
                             vef_replay_result *result, vef_error *error) {
    vef_time_record record = {0};
    const vef_listener *listeners = NULL;
    if (self->request.explain) {
        vef_time_record_begin(&record);
        vef_listen(&listeners, &record.listener);
    }
    /* Without listeners, where messages take no time, tasks may run ahead. */
    if (self->request.explain || !network->kind->pass)
        vef_listen(&listeners, &figures->listener);
    vef_code code = replay_with(self, joint, network, progress, listeners, result, error);
    for (uint32_t i = 0; i < self->count && code == VEF_OK; i++) {
        vef_placed_job *job = &self->jobs[i];
        if (number != VEF_NOBODY && i != number)
            continue;
        if (number == VEF_NOBODY && self->batch_jobs)
            job->start_ps = self->batch_jobs[i].start_ps;
        vef_job_time *time = number == VEF_NOBODY ? &job->together : &job->alone;
        *time = time_of(self, i, result, figures);
        if (self->request.explain)
            time->causes = causes_of(job, &record);
    }
    vef_time_record_release(&record);
    return code;
}

/* Lets the network carry the background traffic. */
static vef_code begin_traffic(vef_jobs *self, vef_error *error) {
    if (self->traffic_count == 0)
        return VEF_OK;
    vef_net_background_stream *streams = vef_calloc(self->traffic_count, sizeof *streams);
    vef_code code = VEF_OK;
    uint32_t made = 0;
    for (; made < self->traffic_count && code == VEF_OK; made++)
        code = vef_traffic_job_stream(&self->traffic[made], made, self->network, &streams[made],
                                      error);
    if (code == VEF_OK)
        code = vef_net_background_create(self->network, streams, made, &self->background, error);
    else
        for (uint32_t i = 0; i < made; i++)
            vef_traffic_destroy(streams[i].traffic);
    if (code != VEF_OK && made > 0 && !self->background)
        code = vef_fail_within(error, "job %s", self->traffic[made - 1].spec->name);
    free(streams);
    return code;
}

static vef_code replay_together(vef_jobs *self, vef_error *error) {
    const uint32_t all = self->count + self->traffic_count;
    vef_code code = join(self, 0, NULL, &self->joint, error);
    if (code == VEF_OK)
        code = begin_traffic(self, error);
    vef_netmodel *network =
        self->background ? vef_net_background_model(self->background) : self->network;
    if (code == VEF_OK)
        vef_job_figures_begin(&self->figures, all, self->count, &self->nodes, network,
                              all > 1 && !self->batch_jobs);
    if (code == VEF_OK)
        code = replay_joint(self, self->joint, network, self->request.progress, VEF_NOBODY,
                            &self->figures, &self->result, error);
    if (code == VEF_OK && self->batch_jobs)
        vef_batch_end(&self->batch);
    for (uint32_t i = 0; code == VEF_OK && i < self->traffic_count; i++)
        self->traffic[i].figures = vef_net_background_measure(self->background, i);
    for (uint32_t i = 0; code == VEF_OK && i < self->count; i++) {
        vef_placed_job *job = &self->jobs[i];
        vef_job_spread_find(&self->nodes, self->mapping + job->first_task, job->tasks,
                            &job->spread);
        for (uint32_t task = job->first_task; task < job->first_task + job->tasks; task++) {
            job->messages_sent += self->result.task[task].messages_sent;
            job->bytes_sent += self->result.task[task].bytes_sent;
        }
    }
    return code;
}

static vef_code replay_alone_on(vef_jobs *self, uint32_t number, vef_source *source,
                                vef_netmodel *network, vef_error *error) {
    vef_source *joint = NULL;
    vef_job_figures figures = {0};
    vef_replay_result result = {0};
    vef_code code = join(self, number, source, &joint, error);
    if (code == VEF_OK)
        vef_job_figures_begin(&figures, self->count, self->count, &self->nodes, network, false);
    figures.only = number;
    if (code == VEF_OK)
        code = replay_joint(self, joint, network, NULL, number, &figures, &result, error);
    vef_replay_result_release(&result);
    vef_job_figures_release(&figures);
    vef_joint_destroy(joint);
    return code;
}

static vef_code replay_alone(replaying *all, uint32_t number, vef_error *error) {
    vef_jobs *self = all->self;
    vef_trace *trace = NULL;
    vef_source *source = NULL;
    vef_netmodel *network = NULL;
    vef_code code = vef_trace_open(self->jobs[number].spec->trace, &trace, NULL, error);
    if (code == VEF_OK)
        code = vef_source_open_trace(trace, &source, error);
    if (code == VEF_OK) {
        pthread_mutex_lock(&all->making);
        code = vef_netmodel_create(self->request.root, &network, error);
        pthread_mutex_unlock(&all->making);
    }
    if (code == VEF_OK)
        code = replay_alone_on(self, number, source, network, error);
    if (network)
        vef_netmodel_destroy(network);
    vef_source_close_trace(source);
    if (trace)
        vef_trace_close(trace);
    return code == VEF_OK ? code : within_job(&self->jobs[number], error);
}

static void replay_piece(void *context, uint32_t worker, uint32_t piece) {
    replaying *all = context;
    const uint32_t number = all->first + piece;
    (void)worker;
    all->codes[number] = number == 0 ? replay_together(all->self, &all->errors[number])
                                     : replay_alone(all, number - 1, &all->errors[number]);
}

/* Some of the replays, beside each other. */
static void replay_some(replaying *all, uint32_t first, uint32_t count) {
    const uint32_t threads = all->self->request.threads;
    all->first = first;
    vef_workers_run(threads < count ? threads : count, count, replay_piece, all);
}

vef_code vef_jobs_replay(vef_jobs *self, vef_error *error) {
    const uint32_t alone = self->request.alone ? self->count : 0;
    replaying all = {.self = self,
                     .codes = vef_calloc(1 + alone, sizeof *all.codes),
                     .errors = vef_calloc(1 + alone, sizeof *all.errors)};
    vef_code code = VEF_OK;
    pthread_mutex_init(&all.making, NULL);
    if (!self->batch_jobs) {
        replay_some(&all, 0, 1 + alone);
    } else { /* where jobs are, and when they start, is known when all have ended */
        replay_some(&all, 0, 1);
        if (alone > 0 && all.codes[0] == VEF_OK && self->result.stall == VEF_STALL_NONE)
            replay_some(&all, 1, alone);
    }
    pthread_mutex_destroy(&all.making);

    for (uint32_t number = 0; code == VEF_OK && number <= alone; number++)
        if (all.codes[number] != VEF_OK) {
            code = all.codes[number];
            *error = all.errors[number];
        }
    free(all.codes);
    free(all.errors);
    return code;
}
