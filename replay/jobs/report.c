/* The report of jobs: a table of jobs, who loads whose links, and the busiest links that several
 * jobs used. */
#include "replay/jobs/report.h"

#include "common/config/node_result.h"
#include "netmodel/clock.h"
#include "netmodel/topology/failures/failures.h"
#include "netmodel/utilization.h"
#include "replay/explain/report.h"
#include "replay/machine.h"
#include "replay/report.h"
#include "replay/state/sim_time.h"

#include <inttypes.h>
#include <math.h>

enum { SHOWN_LINKS = 10 };

static const char *place_of(const vef_job_spec *spec) {
    return spec->place ? spec->place : spec->map ? "by its mapping" : "contiguous";
}

static double cycles_of(const vef_jobs *jobs, uint64_t ps) {
    return vef_netmodel_cycles_of_ps(jobs->network, ps);
}

static double ns_of(uint64_t ps) {
    return (double)ps / VEF_PS_PER_NS;
}

static double us_of(uint64_t ps) {
    return ns_of(ps) / 1e3;
}

static uint64_t wait_of(const vef_placed_job *job) {
    return job->start_ps > job->arrival_ps ? job->start_ps - job->arrival_ps : 0;
}

/* ---- jobs ---- */

enum { PROGRAMS = VEF_TABLES | VEF_DOCUMENTS };

static void put_time(vef_result *into, const char *key, const vef_jobs *jobs,
                     const vef_job_time *time) {
    vef_result *group = vef_put_group(into, key);
    VEF_PUT(group, "end_cycles", cycles_of(jobs, time->end_ps));
    VEF_PUT(group, "network_messages", time->network_messages);
    VEF_PUT(group, "latency_mean_cycles", time->latency_mean_cycles);
    VEF_PUT(group, "latency_p99_cycles", time->latency_p99_cycles);
}

/* What documents alone have of a job. */
static void put_details(vef_result *table, const vef_jobs *jobs, const vef_placed_job *job) {
    put_time(table, "together", jobs, &job->together);
    if (job->alone.known)
        put_time(table, "alone", jobs, &job->alone);
    vef_result *endpoints = vef_put_list(table, "endpoints");
    for (uint32_t task = 0; task < job->tasks; task++)
        VEF_PUT(endpoints, NULL, jobs->mapping[job->first_task + task]);
}

/* A row for each job. People see other columns of a batch. */
static void put_jobs(vef_result *into, const vef_jobs_report *report, unsigned readers) {
    const vef_jobs *jobs = report->jobs;
    const bool batch = jobs->batch_jobs != NULL;
    const double ns = vef_netmodel_cycle_ns(jobs->network);
    const unsigned in_batch = batch ? VEF_PEOPLE : VEF_NO_READER;
    const unsigned outside = batch ? VEF_NO_READER : VEF_PEOPLE;
    const vef_column columns[] = {
        {.key = "job", .label = "job", .readers = VEF_PEOPLE | VEF_TABLES},
        {.key = "name", .readers = VEF_DOCUMENTS},
        {.key = "trace"},
        {.key = "trace_incomplete", .readers = VEF_DOCUMENTS},
        {.key = "tasks", .label = "tasks", .readers = PROGRAMS | outside},
        {.key = "first_task"},
        {.key = "place", .label = "place", .readers = VEF_TABLES | outside},
        {.key = "place", .readers = VEF_DOCUMENTS},
        {.key = "map"},
        {.key = "nodes"},
        {.key = "groups"},
        {.key = "mean_hops", .exact = "%.6g"},
        {.label = "nodes", .readers = in_batch},
        {.key = "arrival_cycles", .exact = VEF_CYCLES_FORMAT},
        {.label = "arrival (us)", .format = "%.3f", .readers = in_batch},
        {.key = "wait_cycles", .exact = VEF_CYCLES_FORMAT},
        {.label = "wait (us)", .format = "%.3f", .readers = in_batch},
        {.key = "start_cycles", .exact = VEF_CYCLES_FORMAT},
        {.label = "start (us)", .format = "%.3f", .readers = outside},
        {.key = "end_cycles", .exact = VEF_CYCLES_FORMAT, .readers = VEF_TABLES},
        {.key = "time_ns", .exact = "%.3f"},
        {.key = "time_cycles", .exact = VEF_CYCLES_FORMAT},
        {.label = "time (us)", .format = "%.3f"},
        {.key = "alone_cycles", .exact = VEF_CYCLES_FORMAT},
        {.label = "alone (us)", .format = "%.3f"},
        {.key = "slowdown", .label = "slowdown", .format = "%.4f", .exact = "%.6g"},
        {.label = "groups", .readers = in_batch},
        {.label = "hops", .format = "%.3f", .readers = in_batch},
        {.key = "messages", .label = "messages", .readers = PROGRAMS | outside},
        {.key = "message_bytes"},
        {.key = "network_messages", .readers = VEF_TABLES},
        {.key = "latency_mean_cycles",
         .label = "latency (ns)",
         .format = "%.1f",
         .exact = "%.6g",
         .scale = ns,
         .readers = VEF_PEOPLE | VEF_TABLES},
        {.key = "latency_p99_cycles",
         .label = "99 %",
         .format = "%.0f",
         .exact = "%.6g",
         .scale = ns,
         .readers = VEF_TABLES | outside},
        {.key = "alone_latency_mean_cycles",
         .label = "alone",
         .format = "%.1f",
         .exact = "%.6g",
         .scale = ns,
         .readers = VEF_TABLES | outside},
        {.key = "alone_latency_p99_cycles", .exact = "%.6g", .readers = VEF_TABLES},
        {.key = "stalled", .readers = VEF_TABLES},
        {.key = "network", .readers = VEF_TABLES},
        {.key = "set", .readers = VEF_TABLES},
        {0}};
    vef_result *table = vef_put_table(into, "jobs", readers | VEF_FULL_PRECISION, columns);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const vef_job_spec *spec = job->spec;
        const vef_job_time *time = &job->together, *alone = &job->alone;
        const uint64_t time_ps = vef_job_time_ps(time), alone_ps = vef_job_time_ps(alone);
        const bool started = batch && jobs->batch_jobs[i].started;
        VEF_CELLS(table, spec->name, spec->name, spec->trace, job->missing, job->tasks,
                  job->first_task, place_of(spec), spec->place, spec->map);
        VEF_CELLS(table, job->spread.nodes, job->spread.groups, job->spread.mean_hops,
                  batch ? jobs->batch_jobs[i].nodes : 0, cycles_of(jobs, job->arrival_ps),
                  us_of(job->arrival_ps), cycles_of(jobs, wait_of(job)),
                  VEF_IF(started, us_of(wait_of(job))));
        VEF_CELLS(table, cycles_of(jobs, time->start_ps), us_of(time->start_ps),
                  cycles_of(jobs, time->end_ps), ns_of(time_ps), cycles_of(jobs, time_ps),
                  VEF_IF(started || !batch, us_of(time_ps)),
                  VEF_IF(alone->known, cycles_of(jobs, alone_ps)),
                  VEF_IF(alone->known, us_of(alone_ps)), vef_job_slowdown(job));
        VEF_CELLS(table, VEF_IF(started, job->spread.groups),
                  VEF_IF(started, job->spread.mean_hops), job->messages_sent, job->bytes_sent,
                  time->network_messages, time->latency_mean_cycles, time->latency_p99_cycles,
                  VEF_IF(alone->known, alone->latency_mean_cycles),
                  VEF_IF(alone->known, alone->latency_p99_cycles),
                  vef_stall_name(jobs->result.stall), report->network_name);
        vef_cell_texts(table, report->overrides, report->override_count);
        put_details(table, jobs, job);
    }
}

/* ---- causes ---- */

static bool occurs(const vef_jobs *jobs, unsigned cause) {
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].together.causes.by_cause[cause] ||
            jobs->jobs[i].alone.causes.by_cause[cause])
            return true;
    return false;
}

/* A row for each replay of each job: the mean over its tasks, which with the imbalance adds up to
 * the time of the job. People do not see causes that do not occur. */
static void put_causes(vef_result *into, const vef_jobs *jobs, unsigned readers) {
    const double ns = vef_netmodel_cycle_ns(jobs->network);
    const vef_column columns[] = {{.key = "job", .label = "job"},
                                  {.key = "replay", .label = "replay"},
                                  {.key = "time_cycles",
                                   .label = "time",
                                   .format = "%.1f",
                                   .exact = VEF_CYCLES_FORMAT,
                                   .scale = ns},
                                  {0}};
    vef_say(into, "\ncauses of the times of jobs (ns, mean over the tasks of a job)\n");
    vef_result *table = vef_put_table(into, "causes", readers, columns);
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        vef_add_column(table,
                       (vef_column){.key = vef_causes[cause].key,
                                    .label = occurs(jobs, cause) ? vef_causes[cause].name : NULL,
                                    .format = "%.1f",
                                    .exact = "%.1f",
                                    .scale = ns});
    vef_add_column(table, (vef_column){.key = "imbalance",
                                       .label = "imbalance",
                                       .format = "%.1f",
                                       .exact = "%.1f",
                                       .scale = ns});
    for (uint32_t i = 0; i < jobs->count; i++)
        for (int alone = 0; alone < 2; alone++) {
            const vef_placed_job *job = &jobs->jobs[i];
            const vef_job_time *time = alone ? &job->alone : &job->together;
            const double cycle_ps = vef_netmodel_cycle_ps(jobs->network) * job->tasks;
            const uint64_t ps = vef_job_time_ps(time);
            if (alone && !time->known)
                continue;
            VEF_CELLS(table, job->spec->name, alone ? "alone" : "together", cycles_of(jobs, ps));
            for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
                VEF_CELLS(table, (double)time->causes.by_cause[cause] / cycle_ps);
            VEF_CELLS(table, (double)(ps * job->tasks - vef_cause_sum(&time->causes)) / cycle_ps);
        }
}

/* ---- batches ---- */

/* The mean and the greatest slowdown of the jobs; NAN if one is not known. */
typedef struct slowdowns {
    double mean, greatest;
} slowdowns;

static slowdowns slowdowns_of(const vef_jobs *jobs) {
    slowdowns found = {0, 0};
    for (uint32_t i = 0; i < jobs->count; i++) {
        const double slowdown = vef_job_slowdown(&jobs->jobs[i]);
        found.mean += slowdown / jobs->count;
        found.greatest = slowdown > found.greatest || isnan(slowdown) ? slowdown : found.greatest;
    }
    return isfinite(found.mean) ? found : (slowdowns){NAN, NAN};
}

/* Means over the jobs. */
typedef struct batch_means {
    double utilization, wait_ps, groups, mean_hops;
    uint64_t longest_wait_ps;
} batch_means;

static batch_means means_of(const vef_jobs *jobs) {
    batch_means means = {.utilization = vef_batch_utilization(&jobs->batch)};
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const uint64_t wait_ps = wait_of(job);
        means.wait_ps += (double)wait_ps / jobs->count;
        means.groups += (double)job->spread.groups / jobs->count;
        means.mean_hops += job->spread.mean_hops / jobs->count;
        if (wait_ps > means.longest_wait_ps)
            means.longest_wait_ps = wait_ps;
    }
    return means;
}

static void write_batch(const vef_jobs *jobs, FILE *out) {
    const batch_means means = means_of(jobs);
    fprintf(out, "batch                policy %s, %" PRIu32 " nodes in %" PRIu32 " groups\n",
            jobs->request.list->policy->name, jobs->nodes.count, jobs->nodes.groups);
    fprintf(out, "utilisation          %.2f %% of the nodes on average\n", 100 * means.utilization);
    fprintf(out, "wait                 %.3f us on average, %.3f us at most\n",
            means.wait_ps / VEF_PS_PER_NS / 1e3, ns_of(means.longest_wait_ps) / 1e3);
    const slowdowns found = slowdowns_of(jobs);
    if (isfinite(found.mean))
        fprintf(out, "slowdown             %.4f on average, %.4f at most\n", found.mean,
                found.greatest);
    fprintf(out,
            "fragmentation        %.3f groups of a job on average, %.3f hops between its nodes\n",
            means.groups, means.mean_hops);
}

static void put_moments(vef_result *into, const vef_jobs *jobs) {
    static const vef_column columns[] = {{.key = "begin_cycles", .format = VEF_CYCLES_FORMAT},
                                         {.key = "busy_nodes"},
                                         {.key = "waiting_jobs"},
                                         {0}};
    vef_result *table = vef_put_table(into, "moments", VEF_DOCUMENTS, columns);
    for (size_t i = 0; i < jobs->batch.moment_count; i++) {
        const vef_batch_moment *moment = &jobs->batch.moments[i];
        VEF_CELLS(table, cycles_of(jobs, moment->ps), moment->busy, moment->waiting);
    }
}

static void put_batch(vef_result *into, const vef_jobs *jobs) {
    const batch_means means = means_of(jobs);
    vef_result *batch_group = vef_put_group(into, "batch");
    VEF_PUT(batch_group, "policy", jobs->request.list->policy->name);
    VEF_PUT(batch_group, "nodes", jobs->nodes.count);
    VEF_PUT(batch_group, "groups", jobs->nodes.groups);
    VEF_PUT(batch_group, "utilization_mean", means.utilization);
    VEF_PUT(batch_group, "wait_mean_cycles", means.wait_ps / vef_netmodel_cycle_ps(jobs->network));
    VEF_PUT(batch_group, "wait_max_cycles", cycles_of(jobs, means.longest_wait_ps));
    VEF_PUT(batch_group, "groups_mean", means.groups);
    VEF_PUT(batch_group, "hops_mean", means.mean_hops);
    put_moments(batch_group, jobs);
}

/* ---- background traffic ---- */

static void put_traffic(vef_result *into, const vef_jobs *jobs) {
    static const vef_column columns[] = {{.key = "background"},
                                         {.key = "endpoints"},
                                         {.key = "pattern"},
                                         {.key = "process"},
                                         {.key = "offered_load", .format = "%.6g"},
                                         {.key = "accepted_load", .format = "%.6g"},
                                         {.key = "withheld_share", .format = "%.4f"},
                                         {.key = "saturated"},
                                         {.key = "messages"},
                                         {.key = "latency_mean_cycles", .format = "%.6g"},
                                         {.key = "latency_p99_cycles", .format = "%.6g"},
                                         {0}};
    vef_say(into, "\n");
    vef_result *table = vef_put_table(into, "background", VEF_PEOPLE | VEF_DOCUMENTS, columns);
    for (uint32_t i = 0; i < jobs->traffic_count; i++) {
        const vef_traffic_job *job = &jobs->traffic[i];
        const vef_net_background_figures *figures = &job->figures;
        VEF_CELLS(table, job->spec->name, job->endpoints, job->pattern->kind->name,
                  job->process->name, job->spec->rate, figures->accepted_load,
                  figures->withheld_share, vef_traffic_job_saturates(job) ? "yes" : "no",
                  figures->messages, figures->latency_mean_cycles, figures->latency_p99_cycles);
    }
}

/* ---- links ---- */

/* A row for each two jobs: what of the first crossed links that the other used too. */
static void put_sharing(vef_result *into, const vef_jobs *jobs) {
    static const vef_column columns[] = {
        {.key = "job", .label = "job"},
        {.key = "other", .label = "other"},
        {.key = "shared_links", .label = "shared links"},
        {.key = "phits", .label = "phits"},
        {.key = "shared_phits", .label = "shared phits"},
        {.key = "share", .label = "share", .format = "%.4f", .exact = "%.4f"},
        {0}};
    const uint32_t count = jobs->figures.jobs;
    vef_result *table = vef_put_table(into, "sharing", VEF_PEOPLE | VEF_DOCUMENTS, columns);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            if (i == j)
                continue;
            const vef_job_sharing found = vef_job_figures_share(&jobs->figures, i, j);
            VEF_CELLS(table, vef_jobs_name(jobs, i), vef_jobs_name(jobs, j), found.shared_links,
                      found.phits, found.shared_phits,
                      VEF_IF(found.phits > 0, (double)found.shared_phits / (double)found.phits));
        }
}

static void add_phits_columns(vef_result *table, const vef_jobs *jobs) {
    char key[VEF_LINK_NAME_BYTES], label[VEF_LINK_NAME_BYTES];
    for (uint32_t i = 0; i < jobs->figures.jobs; i++) {
        snprintf(key, sizeof key, "phits_%s", vef_jobs_name(jobs, i));
        snprintf(label, sizeof label, "phits of %s", vef_jobs_name(jobs, i));
        vef_add_column(table, (vef_column){.key = key, .label = label});
    }
}

static void add_phits(vef_result *table, const vef_jobs *jobs, size_t link) {
    for (uint32_t i = 0; i < jobs->figures.jobs; i++)
        VEF_CELLS(table, jobs->figures.phits[link * jobs->figures.jobs + i]);
}

static void put_shared_links(vef_result *into, const vef_jobs *jobs) {
    static const vef_column columns[] = {
        {.key = "link", .label = "link"}, {.key = "router"}, {.key = "port"}, {0}};
    const vef_topology *topology = jobs->network->topology;
    size_t links[SHOWN_LINKS];
    const size_t count = vef_job_figures_busiest(&jobs->figures, SHOWN_LINKS, links);
    if (count > 0)
        vef_say(into, "\nbusiest shared links\n");
    vef_result *table = vef_put_table(
        into, "shared_links", count > 0 ? VEF_PEOPLE | VEF_DOCUMENTS : VEF_DOCUMENTS, columns);
    add_phits_columns(table, jobs);
    for (size_t i = 0; i < count; i++) {
        char name[VEF_LINK_NAME_BYTES];
        const uint32_t router = (uint32_t)(links[i] / topology->ports);
        const uint32_t port = (uint32_t)(links[i] % topology->ports);
        vef_explain_name_link(topology, router, port, name);
        VEF_CELLS(table, name, vef_topology_router_number(topology, router), port);
        add_phits(table, jobs, links[i]);
    }
}

/* Every link, with what each job sent over it. */
static void put_links(vef_result *into, const vef_jobs_report *report, unsigned readers) {
    const vef_jobs *jobs = report->jobs;
    const vef_topology *topology = jobs->network->topology;
    vef_say(into, "\n");
    vef_result *table = vef_utilization_table(into, readers, NULL);
    if (jobs->figures.links)
        add_phits_columns(table, jobs);
    for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++) {
        if (topology->neighbour[link] == VEF_NO_ROUTER)
            continue;
        vef_utilization_add_link(table, topology, report->utilization, link);
        if (jobs->figures.links)
            add_phits(table, jobs, link);
    }
}

static void put_shares(vef_result *into, const vef_jobs *jobs) {
    const bool several = jobs->figures.jobs > 1;
    if (several && !jobs->figures.links && jobs->network->kind->watch && !jobs->batch_jobs)
        vef_say(into, "\nlinks are not counted by job: links x jobs exceed %d\n",
                VEF_MOST_JOB_LINKS);
    if (!jobs->figures.links || (!several && vef_result_is_for(into, VEF_PEOPLE)))
        return;
    vef_say(into, "\nlinks of a job that another job used too, and the phits on them\n");
    put_sharing(into, jobs);
    put_shared_links(into, jobs);
}

/* ---- the report ---- */

static void write_head(const void *context, FILE *out) {
    const vef_jobs *jobs = context;
    const vef_replay_result *result = &jobs->result;
    fprintf(out,
            "jobs                 %" PRIu32 " (%" PRIu32 " tasks, %" PRIu64 " events replayed)\n",
            jobs->count, jobs->tasks, result->events);
    fprintf(out, "network              %s", jobs->network->kind->name);
    vef_replay_write_topology(jobs->network->topology, out);
    fputs("\ncycle                ", out);
    vef_netmodel_write_timing(jobs->network, out);
    fprintf(out, "\nexecution time       %.15g ns (%.9f s), " VEF_CYCLES_FORMAT " cycles\n",
            result->time_ns, result->time_ns / 1e9, result->time_cycles);
    if (jobs->batch_jobs)
        write_batch(jobs, out);
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].missing)
            fprintf(out, "trace incomplete     %s: %s\n", jobs->jobs[i].spec->name,
                    jobs->jobs[i].missing);
    if (*result->approximations)
        fprintf(out, "approximations       %s\n", result->approximations);
    if (result->stall != VEF_STALL_NONE) {
        fprintf(out, "stalled              %s: %s\n", vef_stall_name(result->stall),
                result->stall_text);
        for (uint32_t i = 0; i < jobs->count; i++)
            fprintf(out, "%-20s tasks %" PRIu32 " to %" PRIu32 " are those of job %s\n", "",
                    jobs->jobs[i].first_task, jobs->jobs[i].first_task + jobs->jobs[i].tasks - 1,
                    jobs->jobs[i].spec->name);
    }
    fputc('\n', out);
}

static void put_head(vef_result *into, const vef_jobs_report *report) {
    const vef_jobs *jobs = report->jobs;
    const vef_replay_result *result = &jobs->result;
    vef_say_by(into, write_head, jobs);
    VEF_PUT(into, "network", report->network_name);
    vef_put_texts(into, "set", report->overrides, report->override_count);
    vef_failures_put_result(jobs->network->topology, false, into);
    VEF_PUT(into, "tasks", jobs->tasks);
    VEF_PUT(into, "time_ns", result->time_ns);
    VEF_PUT(into, "time_cycles", result->time_cycles);
    VEF_PUT(into, "events", result->events);
    VEF_PUT(into, "messages", result->messages);
    VEF_PUT(into, "message_bytes", result->message_bytes);
    VEF_PUT(into, "slowdown_mean", slowdowns_of(jobs).mean);
    VEF_PUT(into, "slowdown_max", slowdowns_of(jobs).greatest);
    VEF_PUT(into, "stalled", vef_stall_name(result->stall));
    VEF_PUT(into, "stall_text", VEF_IF(result->stall != VEF_STALL_NONE, result->stall_text));
    VEF_PUT(into, "approximations", result->approximations);
}

/* The resolved configuration of network and machine. */
static void put_configuration(const void *context, vef_node *config) {
    const vef_jobs_report *report = context;
    vef_netmodel_put_config(report->jobs->network, config);
    vef_machine_put(report->jobs->request.options, config);
}

void vef_jobs_report_build(const void *context, vef_result *root) {
    const vef_jobs_report *report = context;
    const vef_jobs *jobs = report->jobs;
    const unsigned shown = VEF_PEOPLE | VEF_DOCUMENTS; /* where there is a more special table */
    const bool explained = jobs->request.explain;
    vef_result_set_cycle_ns(root, vef_netmodel_cycle_ns(jobs->network));
    put_head(root, report);
    put_jobs(root, report,
             report->samples || explained || report->utilization ? shown : VEF_EVERYONE);
    if (jobs->batch_jobs)
        put_batch(root, jobs);
    if (explained)
        put_causes(root, jobs, report->samples ? shown : VEF_EVERYONE);
    if (jobs->traffic_count > 0)
        put_traffic(root, jobs);
    put_shares(root, jobs);
    if (report->utilization)
        put_links(root, report, report->samples || explained ? shown : VEF_EVERYONE);
    if (report->samples) {
        vef_say(root, "\n");
        vef_link_samples_put(report->samples, jobs->network, VEF_EVERYONE, root);
    }
    vef_netmodel_put_timing(jobs->network, root);
    vef_config_put_result(root, "configuration", put_configuration, report);
}
