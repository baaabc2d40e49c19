/* Streaming statistics. See stats.h. */
#include "traces/stats/stats.h"

#include "common/memory.h"
#include "traces/file/task_events.h"
#include "traces/stats/stats_state.h"

#include <math.h>
#include <stdlib.h>

/* ---- one event ---- */

static void count_size(vef_size_stats *sizes, uint64_t bytes) {
    unsigned class = bytes ? (unsigned)(64 - __builtin_clzll(bytes)) : 0;
    sizes->count[class]++;
    sizes->bytes[class] = vef_saturating_sum(sizes->bytes[class], bytes);
    sizes->counted++;
}

static void count_send(vef_stats_state *state, vef_thread_sums *sums,
                       const vef_operation *operation) {
    vef_stats *stats = state->stats;
    vef_task_stats *task = &stats->task[state->task];
    uint64_t bytes = operation->bytes;
    stats->messages++;
    vef_stats_add(stats, &stats->message_bytes, bytes);
    task->messages++;
    vef_stats_add(stats, &task->message_bytes, bytes);
    sums->messages++;
    vef_stats_add(stats, &sums->message_bytes, bytes);
    count_size(&stats->message_sizes, bytes);
    stats->comm[operation->comm].messages++;
    vef_stats_add(stats, &stats->comm[operation->comm].message_bytes, bytes);
    vef_traffic_row_add(&state->sent, (uint32_t)operation->peer, 1, bytes);
}

static void count_receive(vef_stats_state *state, const vef_operation *operation) {
    vef_stats *stats = state->stats;
    bool any_source = operation->flags & VEF_OP_ANY_SOURCE;
    bool any_tag = operation->flags & VEF_OP_ANY_TAG;
    stats->receives++;
    stats->any_source += any_source;
    stats->any_tag += any_tag;
    stats->wildcards += any_source || any_tag;
    if (operation->peer == VEF_NO_TASK) /* a wildcard that was never matched */
        return;
    stats->task[state->task].received++;
    vef_stats_add(stats, &stats->task[state->task].received_bytes, operation->bytes);
    vef_traffic_row_add(&state->received, (uint32_t)operation->peer, 1, 0);
}

static void count_transfer(vef_stats_state *state, vef_thread_sums *sums, const vef_event *event) {
    vef_stats *stats = state->stats;
    bool sends = false;
    for (uint32_t i = 0; i < event->operation_count; i++)
        sends |= (event->operations[i].flags & VEF_OP_SEND) != 0;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        bool send = operation->flags & VEF_OP_SEND;
        if (operation->flags & VEF_OP_CANCELLED) {
            stats->cancelled++;
            continue;
        }
        if (operation->flags & VEF_OP_UNMATCHED)
            stats->unmatched++;
        else if (operation->peer == VEF_NO_TASK)
            continue;
        if (operation->flags & VEF_OP_GENERALISED)
            continue;
        if (send == sends)
            vef_stats_add(stats, &stats->call[event->call].bytes, operation->bytes);
        if (!send)
            count_receive(state, operation);
        else if (operation->peer != VEF_NO_TASK)
            count_send(state, sums, operation);
    }
}

static void count_collective(vef_stats_state *state, const vef_event *event) {
    vef_stats *stats = state->stats;
    uint64_t bytes = event->bytes;
    for (uint32_t i = 0; i < event->send_count; i++)
        bytes = vef_saturating_sum(bytes, event->send_bytes[i]);
    stats->task[state->task].collective_calls++;
    if (vef_event_is_making(event))
        return;
    vef_comm_stats *comm = &stats->comm[event->comm];
    vef_stats_add(stats, &stats->call[event->call].bytes, bytes);
    comm->collectives++;
    vef_stats_add(stats, &comm->collective_bytes, bytes);
    vef_stats_add(stats, &comm->collective_ns, event->duration_ns);
    if (!vef_call_has(event->call, VEF_FACT_NO_DATA))
        count_size(&stats->collective_sizes, bytes);
}

static void count_one_sided(vef_stats_state *state, const vef_event *event) {
    vef_stats *stats = state->stats;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        uint32_t peer = (uint32_t)operation->peer;
        if (operation->peer == VEF_NO_TASK)
            continue;
        bool puts = vef_call_has(event->call, VEF_FACT_PUTS);
        bool gets = vef_call_has(event->call, VEF_FACT_GETS);
        uint64_t bytes = operation->bytes * (puts && gets ? 2 : 1);
        stats->one_sided++;
        vef_stats_add(stats, &stats->one_sided_bytes, bytes);
        vef_stats_add(stats, &stats->call[event->call].bytes, bytes);
        stats->task[state->task].one_sided++;
        vef_stats_add(stats, &stats->task[state->task].one_sided_bytes, bytes);
        stats->comm[operation->comm].one_sided++;
        vef_stats_add(stats, &stats->comm[operation->comm].one_sided_bytes, bytes);
        count_size(&stats->one_sided_sizes, operation->bytes);
        if (puts)
            vef_traffic_row_add(&state->put, peer, 1, operation->bytes);
        if (gets)
            vef_traffic_row_add(&state->got, peer, 1, operation->bytes);
    }
}

bool vef_stats_is_startup(uint16_t call) {
    return vef_call_has(call, VEF_FACT_BEGINS) || vef_call_has(call, VEF_FACT_ENDS);
}

static void count_call(vef_stats_state *state, vef_thread_sums *sums, const vef_event *event) {
    vef_stats *stats = state->stats;
    vef_call_stats *call = &stats->call[event->call];
    vef_kind_stats *kind = &stats->kind[vef_call_kind(event->call)];
    vef_task_stats *task = &stats->task[state->task];
    stats->events++;
    if (vef_call_kind(event->call) != VEF_KIND_REGION) {
        vef_stats_add(stats, &stats->calls, event->repeats);
        vef_stats_add(stats, &task->calls, event->repeats);
    }
    vef_stats_add_call(stats, call, event);
    if (state->last_caller[event->call] != state->task + 1) {
        state->last_caller[event->call] = state->task + 1;
        call->tasks++;
    }
    vef_stats_add(stats, &kind->calls, event->repeats);
    bool startup = vef_stats_is_startup(event->call);
    if (!vef_call_has(event->call, VEF_FACT_BEGINS)) {
        vef_stats_add(stats, &sums->compute_ns, event->gap_ns);
        vef_stats_add(stats, &sums->outside_ns, event->outside_ns);
    }
    if (startup) {
        vef_stats_add(stats, &stats->startup_ns, event->duration_ns);
        return;
    }
    vef_stats_add(stats, &sums->mpi_ns, event->duration_ns);
    vef_stats_add(stats, &kind->duration_ns, event->duration_ns);
}

static void count_event(vef_stats_state *state, const vef_event *event) {
    vef_thread_stats *thread = &state->threads[event->thread];
    const uint64_t *bytes = &state->stats->call[event->call].bytes, before = *bytes;
    count_call(state, &thread->sums, event);
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        count_transfer(state, &thread->sums, event);
        break;
    case VEF_KIND_COLLECTIVE:
        count_collective(state, event);
        break;
    case VEF_KIND_ONE_SIDED:
        count_one_sided(state, event);
        break;
    case VEF_KIND_SYNC:
        vef_stats_add(state->stats, &state->stats->comm[event->comm].sync_calls, event->repeats);
        break;
    case VEF_KIND_REGION:
        vef_stats_region(state, thread, event);
        return;
    default:
        break;
    }
    if (state->header->site_count > 0)
        vef_stats_site(state, event, *bytes - before);
    vef_stats_wait(state, thread, event);
    vef_stats_requests(state, event);
}

/* ---- one task ---- */

/* The number of consecutive other tasks that are in none of the earlier rows. */
static uint32_t count_others(const vef_stats_state *state, const vef_traffic_row *row,
                             const vef_traffic_row *const *before, size_t before_count) {
    uint32_t others = 0;
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t other = row->flows[i].to;
        bool known = other == state->task;
        for (size_t k = 0; k < before_count && !known; k++)
            known = vef_traffic_row_has(before[k], other);
        others += !known;
    }
    return others;
}

static void count_partners(vef_stats_state *state) {
    vef_task_stats *task = &state->stats->task[state->task];
    const vef_traffic_row *rows[] = {&state->sent, &state->received, &state->put, &state->got};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        task->partners += count_others(state, rows[i], rows, i);
    task->sends_to = count_others(state, &state->sent, NULL, 0);
    task->receives_from = count_others(state, &state->received, NULL, 0);
    vef_traffic_row_clear(&state->received);
}

static void end_task(vef_stats_state *state) {
    vef_stats *stats = state->stats;
    vef_task_stats *task = &stats->task[state->task];
    vef_stats_regions_end_task(state);
    for (uint32_t i = 0; i < state->thread_count; i++) {
        const vef_thread_sums *sums = &state->threads[i].sums;
        uint64_t run_ns = vef_sums_ns(sums);
        vef_stats_add(stats, &task->compute_ns, sums->compute_ns);
        vef_stats_add(stats, &task->mpi_ns, sums->mpi_ns);
        vef_stats_add(stats, &task->outside_ns, sums->outside_ns);
        if (task->run_ns < run_ns)
            task->run_ns = run_ns;
        if (stats->most_compute_ns < sums->compute_ns)
            stats->most_compute_ns = sums->compute_ns;
    }
    stats->threads += state->thread_count;
    vef_stats_add(stats, &stats->compute_ns, task->compute_ns);
    vef_stats_add(stats, &stats->mpi_ns, task->mpi_ns);
    vef_stats_add(stats, &stats->outside_ns, task->outside_ns);
    if (stats->run_ns < task->run_ns)
        stats->run_ns = task->run_ns;
    stats->saturated |= task->run_ns == UINT64_MAX;
    count_partners(state);
    vef_traffic_matrix_end_row(&stats->traffic, state->task, &state->sent);
    vef_traffic_matrix_end_row(&stats->put, state->task, &state->put);
    vef_traffic_matrix_end_row(&stats->got, state->task, &state->got);
}

static vef_code read_task(vef_stats_state *state, vef_trace *trace, vef_progress *progress,
                          vef_error *error) {
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    uint32_t threads = state->header->task[state->task].threads;
    vef_code code = vef_task_events_open(trace, state->task, &events, error);
    state->threads = vef_calloc(threads, sizeof *state->threads);
    state->thread_count = threads;
    state->event = 0;
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        count_event(state, event);
        state->event++;
        if (progress && state->stats->events % 65536 == 0)
            vef_progress_update(progress, state->stats->events, state->header->events);
    }
    if (!code)
        end_task(state);
    for (uint32_t i = 0; i < threads; i++)
        free(state->threads[i].open);
    free(state->threads);
    state->threads = NULL;
    vef_map64_clear(&state->requests);
    vef_task_events_close(events);
    return code;
}

/* ---- the trace ---- */

static void begin(vef_stats_state *state, vef_stats *stats) {
    uint32_t tasks = state->header->tasks;
    stats->call = vef_calloc(vef_call_count(), sizeof *stats->call);
    stats->task = vef_calloc(tasks, sizeof *stats->task);
    stats->comm = vef_calloc(state->header->communicator_count + 1ull, sizeof *stats->comm);
    stats->waits = vef_calloc(state->wait_limit + 1, sizeof *stats->waits);
    state->last_caller = vef_calloc(vef_call_count(), sizeof *state->last_caller);
    vef_traffic_matrix_begin(&stats->traffic, tasks);
    vef_traffic_matrix_begin(&stats->put, tasks);
    vef_traffic_matrix_begin(&stats->got, tasks);
    vef_traffic_row *const rows[] = {&state->sent, &state->received, &state->put, &state->got};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        vef_traffic_row_begin(rows[i], tasks);
}

vef_code vef_stats_read(vef_trace *trace, size_t waits, vef_progress *progress, vef_stats *stats,
                        vef_error *error) {
    vef_stats_state state = {
        .header = vef_trace_get_header(trace), .stats = stats, .wait_limit = waits};
    *stats = (vef_stats){0};
    vef_code code = VEF_OK;
    begin(&state, stats);
    for (; state.task < state.header->tasks && !code; state.task++)
        code = read_task(&state, trace, progress, error);
    for (size_t i = 0; i < stats->site_count; i++)
        vef_stats_site_end_task(&stats->sites[i]);
    vef_traffic_row_free(&state.sent);
    vef_traffic_row_free(&state.received);
    vef_traffic_row_free(&state.put);
    vef_traffic_row_free(&state.got);
    free(state.last_caller);
    free(state.regions);
    free(state.entered);
    vef_map64_free(&state.region_of);
    vef_map64_free(&state.site_of);
    vef_map64_free(&state.requests);
    if (code)
        vef_stats_free(stats);
    return code;
}

void vef_stats_free(vef_stats *stats) {
    for (size_t i = 0; i < stats->region_count; i++)
        free(stats->regions[i].name);
    free(stats->regions);
    free(stats->call);
    free(stats->task);
    free(stats->comm);
    free(stats->waits);
    free(stats->sites);
    vef_traffic_matrix_free(&stats->traffic);
    vef_traffic_matrix_free(&stats->put);
    vef_traffic_matrix_free(&stats->got);
    *stats = (vef_stats){0};
}

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

vef_efficiency vef_stats_efficiency(const vef_stats *stats) {
    double mean_ns = ratio((double)stats->compute_ns, stats->threads);
    return (vef_efficiency){.load_balance = ratio(mean_ns, (double)stats->most_compute_ns),
                            .communication =
                                ratio((double)stats->most_compute_ns, (double)stats->run_ns),
                            .parallel = ratio(mean_ns, (double)stats->run_ns)};
}
