/* Merging the logs of a run into one trace, in two passes over each log. See merge.h. */
#include "common/memory.h"
#include "traces/matching/match_threads.h"
#include "traces/merge/merge.h"
#include "traces/merge/merge_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Header facts of the run, from its first whole log. */
typedef struct run_facts {
    vef_arena arena;
    const char *application, *library, *clock, *options, *job, *times;
    uint64_t started_ns;
    uint32_t tasks; /* 0: none found yet */
} run_facts;

static const char *known(const char *text, const char *otherwise) {
    return text && *text ? text : otherwise;
}

static vef_code take_header(run_facts *run, const vef_log_header *header, const char *path,
                            vef_error *error) {
    if (run->tasks == 0) {
        run->tasks = header->tasks;
        run->application = vef_arena_string(&run->arena, header->program);
        run->library = vef_arena_string(&run->arena, header->library);
        run->clock = vef_arena_string(&run->arena, header->clock);
        run->options = vef_arena_string(&run->arena, header->options);
        run->job = vef_arena_string(&run->arena, known(header->job, ""));
        run->times = vef_arena_string(&run->arena, known(header->times, "all"));
        run->started_ns = header->started_ns;
    }
    const char *job = known(header->job, ""), *times = known(header->times, "all");
    if (header->tasks != run->tasks || strcmp(header->library, run->library) != 0 ||
        strcmp(job, run->job) != 0 || strcmp(times, run->times) != 0)
        return vef_fail(error, VEF_INVALID,
                        "%s: of another run than the logs before it (job '%s', %u tasks, %s, times "
                        "%s; those have job '%s', %u tasks, %s, times %s)",
                        path, job, header->tasks, header->library, times, run->job, run->tasks,
                        run->library, run->times);
    if (strcmp(header->clock, run->clock) != 0)
        run->clock = "mixed"; /* hosts or tasks differ in load */
    if (header->started_ns < run->started_ns)
        run->started_ns = header->started_ns;
    return VEF_OK;
}

/* Opens the log of a task; NULL in `*log` if it is missing. */
static vef_code open_log(const vef_job *job, uint32_t task, vef_log_reader **log,
                         vef_error *error) {
    *log = NULL;
    return job->log[task] ? vef_log_reader_open(job->log[task], log, NULL, error) : VEF_OK;
}

/* The members of a communicator. */
typedef struct group_logs {
    bool ring;      /* some member's log dropped its beginning */
    uint64_t found; /* members with logs */
} group_logs;

static group_logs logs_of(const vef_merge_state *state, const vef_communicator *comm) {
    group_logs logs = {0};
    for (uint32_t i = 0; i < comm->size + comm->remote_size; i++) {
        uint32_t task = i < comm->size ? comm->members[i] : comm->remote_members[i - comm->size];
        logs.ring |= state->task[task].skipped;
        logs.found += state->task[task].found;
    }
    return logs;
}

/* Per communicator. */
static group_logs *logs_of_all(const vef_merge_state *state) {
    uint32_t count;
    const vef_communicator *comms = vef_groups_list(state->groups, &count);
    group_logs *logs = vef_calloc(count + (size_t)1, sizeof *logs);
    for (uint32_t i = 0; i < count; i++)
        logs[i] = logs_of(state, &comms[i]);
    return logs;
}

/* Per sequence of calls: the least number of kept calls of a member with any, and the number of
 * these members. */
static void count_calls(const vef_merge_state *state, vef_map64 *least, vef_map64 *members) {
    for (uint32_t task = 0; task < state->tasks; task++) {
        const vef_map64 *calls = &state->task[task].collectives;
        for (size_t i = 0; i < calls->capacity; i++) {
            uint64_t key = calls->keys[i], count = calls->values[i];
            if (key == UINT64_MAX)
                continue;
            const uint64_t *before = vef_map64_get(least, key), *have = vef_map64_get(members, key);
            uint64_t with = have ? *have + 1 : 1;
            count = before && *before < count ? *before : count;
            vef_map64_set(least, key, count);
            vef_map64_set(members, key, with);
        }
    }
}

/* Of joint calls of all members of a communicator, the last ones of each sequence match; those that
 * some member dropped are not in the trace. */
static void align_collectives(vef_merge_state *state) {
    vef_map64 least = {0}, members = {0};
    group_logs *logs = logs_of_all(state);
    count_calls(state, &least, &members);
    for (size_t i = 0; i < least.capacity; i++) {
        uint64_t key = least.keys[i];
        if (key == UINT64_MAX)
            continue;
        if (!logs[(uint32_t)key].ring)
            least.values[i] = UINT64_MAX; /* nothing leaves */
        else if (*vef_map64_get(&members, key) < logs[(uint32_t)key].found)
            least.values[i] = 0; /* some member has none */
    }
    for (uint32_t task = 0; task < state->tasks; task++) {
        vef_merge_task *part = &state->task[task];
        for (size_t i = 0; i < part->collectives.capacity; i++) {
            if (part->collectives.keys[i] == UINT64_MAX)
                continue;
            uint64_t kept = *vef_map64_get(&least, part->collectives.keys[i]);
            uint64_t *count = &part->collectives.values[i];
            *count = kept < *count ? *count - kept : 0;
            part->renumbered |= *count > 0;
        }
    }
    free(logs);
    vef_map64_free(&least);
    vef_map64_free(&members);
}

/* Logs that dropped their beginning usually have a summary (ring_summary.h), which has been
 * counted. With several threads they do not: then the kept calls are matched from the end. */
static void align(vef_merge_state *state) {
    if (!state->without_summary) {
        for (uint32_t task = 0; task < state->tasks; task++)
            vef_map64_free(&state->task[task].collectives);
        return;
    }
    state->dropped = false;
    for (size_t i = 0; i < state->matcher.envelope_count; i++)
        state->matcher.envelopes[i].before = 0;
    bool *skipped = vef_calloc(state->tasks, sizeof *skipped);
    for (uint32_t task = 0; task < state->tasks; task++)
        skipped[task] = state->task[task].skipped;
    align_collectives(state);
    vef_matcher_align(&state->matcher, skipped);
    free(skipped);
}

/* Pairs the messages of threads. A call in which a task was killed is in no log, but may have
 * received a message. */
static void pair_up(vef_merge_state *state) {
    uint32_t *lost = vef_calloc(state->tasks, sizeof *lost);
    for (size_t i = 0; i < state->under_way_count; i++) {
        const vef_under_way *call = &state->under_way[i];
        const int number = vef_call_find(call->call + strlen("MPI_"));
        const vef_kind kind = number < 0 ? VEF_KIND_COUNTED : vef_call_kind((uint16_t)number);
        lost[call->task] += call->inside && (kind == VEF_KIND_TRANSFER || kind == VEF_KIND_PROBE);
    }
    vef_matcher_pair(&state->matcher, lost);
    free(lost);
}

static vef_code collect_all(const vef_job *job, vef_merge_state *state, run_facts *run,
                            vef_merge_summary *summary, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < state->tasks && !code; task++) {
        vef_log_reader *log = NULL;
        state->task[task].first_sent = state->matcher.sent_count;
        state->task[task].first_received = state->matcher.received_count;
        code = open_log(job, task, &log, error);
        if (!code && log)
            code = take_header(run, &vef_log_reader_facts(log)->header, job->log[task], error);
        if (!code && log)
            code = vef_merge_collect(state, task, log, error);
        const vef_log_facts *facts = log ? vef_log_reader_facts(log) : NULL;
        if (facts && facts->damage && !*summary->damage)
            snprintf(summary->damage, sizeof summary->damage, "%s", facts->damage);
        summary->lost += facts ? facts->lost : 0;
        vef_log_reader_close(log);
    }
    if (code)
        return code;
    vef_matcher_order(&state->matcher);
    if (state->rings)
        align(state);
    pair_up(state);
    uint32_t count;
    vef_matcher_link(&state->matcher);
    vef_joint_settle(&state->joint, vef_groups_list(state->groups, &count), NULL);
    return VEF_OK;
}

static vef_code write_all(const vef_job *job, vef_merge_state *state, vef_writer *writer,
                          vef_merge_summary *summary, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < state->tasks && !code; task++) {
        vef_log_reader *log = NULL;
        if (vef_log_end_cuts(state->task[task].end))
            summary->cut_short++;
        if (!state->task[task].found)
            continue;
        code = open_log(job, task, &log, error);
        if (!code && !log)
            code = vef_fail(error, VEF_CORRUPT, "the log of task %u disappeared while it was read",
                            task);
        if (!code)
            code = vef_merge_write(state, task, log, writer, error);
        vef_log_reader_close(log);
    }
    summary->events = vef_writer_events(writer);
    summary->without_neighbours = vef_groups_without_neighbours(state->groups);
    summary->guessed = state->without_summary;
    return code;
}

static void free_state(vef_merge_state *state) {
    for (uint32_t i = 0; i < state->tasks; i++) {
        free(state->task[i].numbers);
        free(state->task[i].sites);
        free(state->task[i].completed);
        free(state->task[i].ready);
        vef_map64_free(&state->task[i].collectives);
        vef_runs_free(&state->task[i].unpaired);
    }
    free(state->task);
    free(state->under_way);
    vef_groups_free(state->groups);
    vef_matcher_free(&state->matcher);
    vef_joint_free(&state->joint);
    vef_map64_free(&state->requests);
    vef_map64_free(&state->handles);
    vef_map64_free(&state->early);
    vef_map64_free(&state->partial);
    free(state->sites);
    vef_map64_free(&state->site_of);
    vef_arena_release(&state->site_texts);
}

static void make_state(vef_merge_state *state, uint32_t tasks) {
    state->tasks = tasks;
    state->task = vef_calloc(tasks, sizeof *state->task);
    state->groups = vef_groups_new(tasks);
    vef_matcher_init(&state->matcher, tasks);
}

static vef_code begin_trace(const char *path, vef_merge_state *state, const run_facts *run,
                            vef_writer **writer, vef_error *error) {
    const vef_merge_options *options = state->options;
    char date[32] = "";
    time_t seconds = (time_t)(run->started_ns / 1000000000u);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    char *described =
        state->without_summary ? vef_printed("%s; " VEF_GUESSED_PAIRS, run->options) : NULL;
    vef_trace_header header = {
        .tasks = run->tasks,
        .application = run->application,
        .command = known(options->command, ""),
        .library = run->library,
        .clock = run->clock,
        .options = described ? described : run->options,
        .date = date,
        .times = run->times,
        .exit_status = options->exit_status,
    };
    header.communicators = vef_groups_list(state->groups, &header.communicator_count);
    vef_sites_resolve(state->sites, state->site_count, &state->site_texts);
    header.sites = state->sites;
    header.site_count = (uint32_t)state->site_count;
    const vef_code code = vef_writer_open(path, &header, writer, error);
    free(described);
    return code;
}

/* Both passes read the same bytes: a log that has no writer when it is gathered is never written
 * again (lock.h). */
static vef_code refuse_holders(const vef_job *job, vef_error *error) {
    char names[VEF_MESSAGE_BYTES / 2];
    if (job->holder_count == 0)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID, "logs in use by %s",
                    vef_job_holders(job, names, sizeof names));
}

vef_code vef_merge_job(const vef_job *job, const char *path, const vef_merge_options *options,
                       vef_merge_summary *summary, vef_error *error) {
    vef_error unwanted;
    vef_merge_summary ignored;
    static const vef_merge_options defaults = {0};
    vef_merge_state state = {.options = options ? options : &defaults};
    run_facts run = {0};
    vef_writer *writer = NULL;
    error = error ? error : &unwanted;
    summary = summary ? summary : &ignored;
    *summary = (vef_merge_summary){.tasks = job->tasks, .logs = job->found};
    vef_code code = refuse_holders(job, error);
    if (!code) {
        make_state(&state, job->tasks);
        code = collect_all(job, &state, &run, summary, error);
    }
    if (!code)
        code = begin_trace(path, &state, &run, &writer, error);
    if (!code)
        code = vef_writer_under_way(writer, state.under_way, state.under_way_count, error);
    if (!code)
        code = write_all(job, &state, writer, summary, error);
    if (!code && state.options->keep_existing)
        vef_writer_keep_existing(writer);
    if (!code)
        code = vef_writer_finish(writer, error);
    else
        vef_writer_discard(writer);
    free_state(&state);
    vef_arena_release(&run.arena);
    return code;
}

vef_code vef_merge(const char *directory, const char *path, const vef_merge_options *options,
                   vef_merge_summary *summary, vef_error *error) {
    vef_gathering gathering = {0};
    const vef_job *job = NULL;
    vef_code code = vef_gather(&directory, 1, &gathering, error);
    if (!code)
        code = vef_gathering_job(&gathering, NULL, &job, error);
    if (!code)
        code = vef_merge_job(job, path, options, summary, error);
    vef_gathering_free(&gathering);
    return code;
}
