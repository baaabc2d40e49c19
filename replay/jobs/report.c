/* The report of jobs: a table of jobs, who loads whose links, and the busiest links that several
 * jobs used. */
#include "replay/jobs/report.h"

#include "common/config/write_doc.h"
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

static void put_number_if(vef_table *table, bool known, const char *format, double value) {
    if (known && isfinite(value))
        vef_table_number(table, format, value);
    else
        vef_table_none(table);
}

static uint64_t wait_of(const vef_placed_job *job) {
    return job->start_ps > job->arrival_ps ? job->start_ps - job->arrival_ps : 0;
}

/* ---- jobs ---- */

/* For people. */
static vef_table *short_table(const vef_jobs *jobs) {
    static const char *const heads[] = {"job",        "tasks",     "place",
                                        "start (us)", "time (us)", "alone (us)",
                                        "slowdown",   "messages",  "latency (cycles)",
                                        "alone",      "99 %"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const vef_job_time *time = &job->together, *alone = &job->alone;
        vef_table_text(table, job->spec->name);
        vef_table_number(table, "%" PRIu32, job->tasks);
        vef_table_text(table, place_of(job->spec));
        vef_table_number(table, "%.3f", ns_of(time->start_ps) / 1e3);
        vef_table_number(table, "%.3f", ns_of(vef_job_time_ps(time)) / 1e3);
        put_number_if(table, alone->known, "%.3f", ns_of(vef_job_time_ps(alone)) / 1e3);
        put_number_if(table, true, "%.4f", vef_job_slowdown(job));
        vef_table_number(table, "%" PRIu64, job->messages_sent);
        vef_table_number(table, "%.1f", time->latency_mean_cycles);
        put_number_if(table, alone->known, "%.1f", alone->latency_mean_cycles);
        vef_table_number(table, "%.0f", time->latency_p99_cycles);
    }
    return table;
}

/* The same of a batch. */
static vef_table *batch_table(const vef_jobs *jobs) {
    static const char *const heads[] = {"job",       "nodes",           "arrival (us)", "wait (us)",
                                        "time (us)", "alone (us)",      "slowdown",     "groups",
                                        "hops",      "latency (cycles)"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const vef_job_time *time = &job->together;
        const bool started = jobs->batch_jobs[i].started;
        vef_table_text(table, job->spec->name);
        vef_table_number(table, "%" PRIu32, jobs->batch_jobs[i].nodes);
        vef_table_number(table, "%.3f", ns_of(job->arrival_ps) / 1e3);
        put_number_if(table, started, "%.3f", ns_of(wait_of(job)) / 1e3);
        put_number_if(table, started, "%.3f", ns_of(vef_job_time_ps(time)) / 1e3);
        put_number_if(table, job->alone.known, "%.3f", ns_of(vef_job_time_ps(&job->alone)) / 1e3);
        put_number_if(table, true, "%.4f", vef_job_slowdown(job));
        put_number_if(table, started, "%.0f", job->spread.groups);
        put_number_if(table, started, "%.3f", job->spread.mean_hops);
        vef_table_number(table, "%.1f", time->latency_mean_cycles);
    }
    return table;
}

static vef_table *job_table(const vef_jobs_report *report) {
    static const char *const heads[] = {"job",
                                        "trace",
                                        "tasks",
                                        "first_task",
                                        "place",
                                        "map",
                                        "nodes",
                                        "groups",
                                        "mean_hops",
                                        "arrival_cycles",
                                        "wait_cycles",
                                        "start_cycles",
                                        "end_cycles",
                                        "time_cycles",
                                        "time_ns",
                                        "alone_cycles",
                                        "slowdown",
                                        "messages",
                                        "message_bytes",
                                        "network_messages",
                                        "latency_mean_cycles",
                                        "latency_p99_cycles",
                                        "alone_latency_mean_cycles",
                                        "alone_latency_p99_cycles",
                                        "stalled",
                                        "network",
                                        "set"};
    const vef_jobs *jobs = report->jobs;
    const char *stall = vef_stall_name(jobs->result.stall);
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < jobs->count; i++) {
        const vef_placed_job *job = &jobs->jobs[i];
        const vef_job_time *time = &job->together, *alone = &job->alone;
        vef_table_text(table, job->spec->name);
        vef_table_text(table, job->spec->trace);
        vef_table_number(table, "%" PRIu32, job->tasks);
        vef_table_number(table, "%" PRIu32, job->first_task);
        vef_table_text(table, place_of(job->spec));
        vef_table_text(table, job->spec->map ? job->spec->map : "");
        vef_table_number(table, "%" PRIu32, job->spread.nodes);
        vef_table_number(table, "%" PRIu32, job->spread.groups);
        vef_table_number(table, "%.6g", job->spread.mean_hops);
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, job->arrival_ps));
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, wait_of(job)));
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, time->start_ps));
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, time->end_ps));
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, vef_job_time_ps(time)));
        vef_table_number(table, "%.3f", ns_of(vef_job_time_ps(time)));
        put_number_if(table, alone->known, VEF_CYCLES_FORMAT,
                      cycles_of(jobs, vef_job_time_ps(alone)));
        put_number_if(table, true, "%.6g", vef_job_slowdown(job));
        vef_table_number(table, "%" PRIu64, job->messages_sent);
        vef_table_number(table, "%" PRIu64, job->bytes_sent);
        vef_table_number(table, "%" PRIu64, time->network_messages);
        vef_table_number(table, "%.6g", time->latency_mean_cycles);
        vef_table_number(table, "%.6g", time->latency_p99_cycles);
        put_number_if(table, alone->known, "%.6g", alone->latency_mean_cycles);
        put_number_if(table, alone->known, "%.6g", alone->latency_p99_cycles);
        vef_table_text(table, stall ? stall : "");
        vef_table_text(table, report->network_name);
        vef_table_list(table, report->overrides, report->override_count);
    }
    return table;
}

/* ---- causes ---- */

static bool occurs(const vef_jobs *jobs, unsigned cause) {
    for (uint32_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].together.causes.of[cause] || jobs->jobs[i].alone.causes.of[cause])
            return true;
    return false;
}

/* A row for each replay of each job: the mean over its tasks, which with the imbalance adds up to
 * the time of the job. Without `all` causes that do not occur have no column. */
static vef_table *cause_table(const vef_jobs *jobs, bool all) {
    vef_table *table = vef_table_new((const char *const[]){"job", "replay", "time_cycles"}, 3);
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        if (all || occurs(jobs, cause))
            vef_table_head(table, all ? vef_causes[cause].key : vef_causes[cause].name);
    vef_table_head(table, "imbalance");
    for (uint32_t i = 0; i < jobs->count; i++)
        for (int alone = 0; alone < 2; alone++) {
            const vef_placed_job *job = &jobs->jobs[i];
            const vef_job_time *time = alone ? &job->alone : &job->together;
            const double cycle_ps = vef_netmodel_cycle_ps(jobs->network) * job->tasks;
            const uint64_t ps = vef_job_time_ps(time);
            if (alone && !time->known)
                continue;
            vef_table_text(table, job->spec->name);
            vef_table_text(table, alone ? "alone" : "together");
            vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, ps));
            for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
                if (all || occurs(jobs, cause))
                    vef_table_number(table, "%.1f", (double)time->causes.of[cause] / cycle_ps);
            vef_table_number(table, "%.1f",
                             (double)(ps * job->tasks - vef_cause_sum(&time->causes)) / cycle_ps);
        }
    return table;
}

/* ---- batches ---- */

/* The mean and the greatest slowdown of the jobs; NAN if one is not known. */
typedef struct slowdowns {
    double mean, greatest;
} slowdowns;

static slowdowns slowdowns_of(const vef_jobs *jobs) {
    slowdowns all = {0, 0};
    for (uint32_t i = 0; i < jobs->count; i++) {
        const double own = vef_job_slowdown(&jobs->jobs[i]);
        all.mean += own / jobs->count;
        all.greatest = own > all.greatest || isnan(own) ? own : all.greatest;
    }
    return isfinite(all.mean) ? all : (slowdowns){NAN, NAN};
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
    const slowdowns all = slowdowns_of(jobs);
    if (isfinite(all.mean))
        fprintf(out, "slowdown             %.4f on average, %.4f at most\n", all.mean,
                all.greatest);
    fprintf(out,
            "fragmentation        %.3f groups of a job on average, %.3f hops between its nodes\n",
            means.groups, means.mean_hops);
}

static vef_table *moment_table(const vef_jobs *jobs) {
    static const char *const heads[] = {"cycles", "busy_nodes", "waiting_jobs"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < jobs->batch.moment_count; i++) {
        const vef_batch_moment *moment = &jobs->batch.moments[i];
        vef_table_number(table, VEF_CYCLES_FORMAT, cycles_of(jobs, moment->ps));
        vef_table_number(table, "%" PRIu32, moment->busy);
        vef_table_number(table, "%" PRIu32, moment->waiting);
    }
    return table;
}

static void put_batch(vef_doc *doc, const vef_jobs *jobs) {
    const batch_means means = means_of(jobs);
    vef_doc_open_map(doc, "batch");
    vef_doc_string(doc, "policy", jobs->request.list->policy->name);
    vef_doc_uint(doc, "nodes", jobs->nodes.count);
    vef_doc_uint(doc, "groups", jobs->nodes.groups);
    vef_doc_real(doc, "utilization_mean", means.utilization);
    vef_doc_real(doc, "wait_mean_cycles", means.wait_ps / vef_netmodel_cycle_ps(jobs->network));
    vef_doc_real(doc, "wait_max_cycles", cycles_of(jobs, means.longest_wait_ps));
    vef_doc_real(doc, "groups_mean", means.groups);
    vef_doc_real(doc, "hops_mean", means.mean_hops);
    vef_table_write_doc(moment_table(jobs), doc, "moments");
    vef_doc_close(doc);
}

/* ---- background traffic ---- */

static vef_table *traffic_table(const vef_jobs *jobs) {
    static const char *const heads[] = {
        "background",   "endpoints",           "pattern",           "process",
        "offered_load", "accepted_load",       "withheld_share",    "saturated",
        "messages",     "latency_mean_cycles", "latency_p99_cycles"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (uint32_t i = 0; i < jobs->traffic_count; i++) {
        const vef_traffic_job *job = &jobs->traffic[i];
        const vef_net_background_figures *figures = &job->figures;
        vef_table_text(table, job->spec->name);
        vef_table_number(table, "%" PRIu32, job->endpoints);
        vef_table_text(table, job->pattern->kind->name);
        vef_table_text(table, job->process->name);
        vef_table_number(table, "%.6g", job->spec->rate);
        vef_table_number(table, "%.6g", figures->accepted_load);
        vef_table_number(table, "%.4f", figures->withheld_share);
        vef_table_text(table, vef_traffic_job_saturates(job) ? "yes" : "no");
        vef_table_number(table, "%" PRIu64, figures->messages);
        vef_table_number(table, "%.6g", figures->latency_mean_cycles);
        vef_table_number(table, "%.6g", figures->latency_p99_cycles);
    }
    return table;
}

/* ---- links ---- */

/* A row for each two jobs: what of the first crossed links that the other used too. */
static vef_table *sharing_table(const vef_jobs *jobs) {
    static const char *const heads[] = {"job",   "other",        "shared_links",
                                        "phits", "shared_phits", "share"};
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    const uint32_t all = jobs->figures.jobs;
    for (uint32_t i = 0; i < all; i++)
        for (uint32_t j = 0; j < all; j++) {
            if (i == j)
                continue;
            const vef_job_sharing found = vef_job_figures_share(&jobs->figures, i, j);
            vef_table_text(table, vef_jobs_name(jobs, i));
            vef_table_text(table, vef_jobs_name(jobs, j));
            vef_table_number(table, "%zu", found.shared_links);
            vef_table_number(table, "%" PRIu64, found.phits);
            vef_table_number(table, "%" PRIu64, found.shared_phits);
            put_number_if(table, found.phits > 0, "%.4f",
                          (double)found.shared_phits / (double)found.phits);
        }
    return table;
}

static void add_phits_heads(vef_table *table, const vef_jobs *jobs) {
    char head[VEF_LINK_NAME_BYTES];
    for (uint32_t i = 0; i < jobs->figures.jobs; i++) {
        snprintf(head, sizeof head, "phits_%s", vef_jobs_name(jobs, i));
        vef_table_head(table, head);
    }
}

static void add_phits(vef_table *table, const vef_jobs *jobs, size_t link) {
    for (uint32_t i = 0; i < jobs->figures.jobs; i++)
        vef_table_number(table, "%" PRIu64, jobs->figures.phits[link * jobs->figures.jobs + i]);
}

static vef_table *shared_table(const vef_jobs *jobs) {
    const vef_topology *topology = jobs->network->topology;
    size_t links[SHOWN_LINKS];
    const size_t count = vef_job_figures_busiest(&jobs->figures, SHOWN_LINKS, links);
    vef_table *table = vef_table_new((const char *const[]){"link", "router", "port"}, 3);
    add_phits_heads(table, jobs);
    for (size_t i = 0; i < count; i++) {
        char name[VEF_LINK_NAME_BYTES];
        const uint32_t router = (uint32_t)(links[i] / topology->ports);
        const uint32_t port = (uint32_t)(links[i] % topology->ports);
        vef_explain_name_link(topology, router, port, name);
        vef_table_text(table, name);
        vef_table_number(table, "%" PRIu32, vef_topology_router_number(topology, router));
        vef_table_number(table, "%" PRIu32, port);
        add_phits(table, jobs, links[i]);
    }
    return table;
}

/* Every link, with what each job sent over it. */
static vef_table *link_table(const vef_jobs_report *report) {
    const vef_jobs *jobs = report->jobs;
    const vef_topology *topology = jobs->network->topology;
    vef_table *table = vef_utilization_table(NULL);
    if (jobs->figures.links)
        add_phits_heads(table, jobs);
    for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++) {
        if (topology->neighbour[link] == VEF_NO_ROUTER)
            continue;
        vef_utilization_add_link(table, topology, report->utilization, link);
        if (jobs->figures.links)
            add_phits(table, jobs, link);
    }
    return table;
}

/* ---- text ---- */

static void write_sharing(const vef_jobs *jobs, FILE *out) {
    size_t one;
    if (jobs->figures.jobs > 1 && !jobs->figures.links && jobs->network->kind->watch &&
        !jobs->batch_jobs)
        fprintf(out, "\nlinks are not counted by job: links x jobs exceed %d\n",
                VEF_MOST_JOB_LINKS);
    if (!jobs->figures.links || jobs->figures.jobs < 2)
        return;
    fputs("\nlinks of a job that another job used too, and the phits on them\n", out);
    vef_table_write(sharing_table(jobs), NULL, out);
    if (vef_job_figures_busiest(&jobs->figures, 1, &one) == 0)
        return;
    fputs("\nbusiest shared links\n", out);
    vef_table_write(shared_table(jobs), NULL, out);
}

static void write_text(const void *context, FILE *out) {
    const vef_jobs_report *report = context;
    const vef_jobs *jobs = report->jobs;
    const vef_replay_result *result = &jobs->result;
    fprintf(out,
            "jobs                 %" PRIu32 " (%" PRIu32 " tasks, %" PRIu64 " events replayed)\n",
            jobs->count, jobs->tasks, result->events);
    fprintf(out, "network              %s", jobs->network->kind->name);
    vef_replay_write_topology(jobs->network->topology, out);
    fputs("\ncycle                ", out);
    vef_netmodel_write_timing(jobs->network, out);
    fprintf(out, "\nexecution time       " VEF_CYCLES_FORMAT " cycles, %.15g ns (%.9f s)\n",
            result->time_cycles, result->time_ns, result->time_ns / 1e9);
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
    vef_table_write(jobs->batch_jobs ? batch_table(jobs) : short_table(jobs), NULL, out);
    if (jobs->traffic_count > 0) {
        fputc('\n', out);
        vef_table_write(traffic_table(jobs), NULL, out);
    }
    if (jobs->request.explain) {
        fputs("\ncauses of the times of jobs (cycles, mean over the tasks of a job)\n", out);
        vef_table_write(cause_table(jobs, false), NULL, out);
    }
    write_sharing(jobs, out);
    if (report->utilization) {
        fputc('\n', out);
        vef_table_write(link_table(report), NULL, out);
    }
    if (report->samples) {
        fputc('\n', out);
        vef_table_write(vef_link_samples_table(report->samples, jobs->network), NULL, out);
    }
}

/* ---- tables and documents ---- */

static vef_table *tabulate(const void *context) {
    const vef_jobs_report *report = context;
    if (report->samples)
        return vef_link_samples_table(report->samples, report->jobs->network);
    if (report->jobs->request.explain)
        return cause_table(report->jobs, true);
    return report->utilization ? link_table(report) : job_table(report);
}

static void put_time(vef_doc *doc, const char *key, const vef_jobs *jobs,
                     const vef_job_time *time) {
    vef_doc_open_map(doc, key);
    vef_doc_real(doc, "end_cycles", cycles_of(jobs, time->end_ps));
    vef_doc_uint(doc, "network_messages", time->network_messages);
    vef_doc_real(doc, "latency_mean_cycles", time->latency_mean_cycles);
    vef_doc_real(doc, "latency_p99_cycles", time->latency_p99_cycles);
    vef_doc_close(doc);
}

static void put_job(vef_doc *doc, const vef_jobs *jobs, const vef_placed_job *job) {
    vef_doc_open_map(doc, NULL);
    vef_doc_string(doc, "name", job->spec->name);
    vef_doc_string(doc, "trace", job->spec->trace);
    vef_doc_string(doc, "trace_incomplete", job->missing);
    vef_doc_uint(doc, "tasks", job->tasks);
    vef_doc_uint(doc, "first_task", job->first_task);
    vef_doc_string(doc, "place", job->spec->place);
    vef_doc_string(doc, "map", job->spec->map);
    vef_doc_uint(doc, "nodes", job->spread.nodes);
    vef_doc_uint(doc, "groups", job->spread.groups);
    vef_doc_real(doc, "mean_hops", job->spread.mean_hops);
    vef_doc_real(doc, "arrival_cycles", cycles_of(jobs, job->arrival_ps));
    vef_doc_real(doc, "wait_cycles", cycles_of(jobs, wait_of(job)));
    vef_doc_real(doc, "start_cycles", cycles_of(jobs, job->start_ps));
    vef_doc_real(doc, "time_cycles", cycles_of(jobs, vef_job_time_ps(&job->together)));
    vef_doc_real(doc, "time_ns", ns_of(vef_job_time_ps(&job->together)));
    vef_doc_real(doc, "alone_cycles",
                 job->alone.known ? cycles_of(jobs, vef_job_time_ps(&job->alone)) : NAN);
    vef_doc_real(doc, "slowdown", vef_job_slowdown(job));
    vef_doc_uint(doc, "messages", job->messages_sent);
    vef_doc_uint(doc, "message_bytes", job->bytes_sent);
    put_time(doc, "together", jobs, &job->together);
    if (job->alone.known)
        put_time(doc, "alone", jobs, &job->alone);
    vef_doc_open_list(doc, "endpoints");
    for (uint32_t task = 0; task < job->tasks; task++)
        vef_doc_uint(doc, NULL, jobs->mapping[job->first_task + task]);
    vef_doc_close(doc);
    vef_doc_close(doc);
}

/* The resolved configuration of network and machine. */
static void write_configuration(const void *context, FILE *out) {
    const vef_jobs_report *report = context;
    vef_netmodel_write_config(report->jobs->network, out);
    vef_machine_write(report->jobs->request.options, out);
}

static vef_code write_doc(const void *context, vef_doc *doc, vef_error *error) {
    const vef_jobs_report *report = context;
    const vef_jobs *jobs = report->jobs;
    const vef_replay_result *result = &jobs->result;
    vef_doc_string(doc, "network", report->network_name);
    vef_doc_strings(doc, "set", report->overrides, report->override_count);
    vef_failures_write_doc(jobs->network->topology, false, doc);
    vef_doc_uint(doc, "tasks", jobs->tasks);
    vef_doc_real(doc, "time_cycles", result->time_cycles);
    vef_doc_real(doc, "time_ns", result->time_ns);
    vef_doc_uint(doc, "events", result->events);
    vef_doc_uint(doc, "messages", result->messages);
    vef_doc_uint(doc, "message_bytes", result->message_bytes);
    vef_doc_real(doc, "slowdown_mean", slowdowns_of(jobs).mean);
    vef_doc_real(doc, "slowdown_max", slowdowns_of(jobs).greatest);
    vef_doc_string(doc, "stalled", vef_stall_name(result->stall));
    vef_doc_string(doc, "stall_text", result->stall == VEF_STALL_NONE ? NULL : result->stall_text);
    vef_doc_string(doc, "approximations", result->approximations);
    vef_doc_open_list(doc, "jobs");
    for (uint32_t i = 0; i < jobs->count; i++)
        put_job(doc, jobs, &jobs->jobs[i]);
    vef_doc_close(doc);
    if (jobs->batch_jobs)
        put_batch(doc, jobs);
    if (jobs->request.explain)
        vef_table_write_doc(cause_table(jobs, true), doc, "causes");
    if (jobs->traffic_count > 0)
        vef_table_write_doc(traffic_table(jobs), doc, "background");
    if (jobs->figures.links) {
        vef_table_write_doc(sharing_table(jobs), doc, "sharing");
        vef_table_write_doc(shared_table(jobs), doc, "shared_links");
    }
    if (report->utilization)
        vef_table_write_doc(link_table(report), doc, "per_link");
    if (report->samples)
        vef_table_write_doc(vef_link_samples_table(report->samples, jobs->network), doc, "samples");
    vef_netmodel_write_timing_doc(jobs->network, doc);
    return vef_yaml_write_doc(doc, "configuration", write_configuration, report, error);
}

const vef_report_parts vef_jobs_report_parts = {
    .text = write_text, .table = tabulate, .doc = write_doc};
