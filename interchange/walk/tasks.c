/* Passing on a trace, task by task: its threads in the order of their entries, and their
 * computation. See walk.h.
 *
 * A thread's event comes after those of the task's other threads that had returned when it was
 * entered (traces/event.h), no others. Since events are processed in the order of entry, only the
 * last processed event of another thread may still have been in progress; a chain marks that
 * thread's position before it. Threads without ticks are ordered by their requests alone
 * (traces/file/thread_order.h). */
#include "common/memory.h"
#include "interchange/walk/state.h"

#include <stdlib.h>

/* The computation before an event, as in a replay. */
static uint64_t computed_ns(const vef_walker *walker, vef_walk_thread *thread) {
    const vef_event *event = thread->event;
    const double poll_gap_ns = walker->options->poll_gap_ns;
    bool starts =
        vef_call_has(event->call, VEF_FACT_BEGINS) && vef_call_has(event->call, VEF_FACT_WORLD);
    if (starts && thread->processed == 0)
        return 0;
    if (event->flags & VEF_EVENT_POLL) {
        vef_poll_series_add(&thread->polls, event, poll_gap_ns);
        return event->outside_ns;
    }
    return vef_poll_series_end(&thread->polls, event, poll_gap_ns, walker->thread_count > 1)
               .computed_ns +
           event->outside_ns;
}

/* The thread whose next event comes first; NULL when all have ended. */
static vef_walk_thread *next_thread(vef_walker *walker) {
    vef_walk_thread *first = NULL;
    for (uint32_t i = 0; i < walker->thread_count; i++) {
        vef_walk_thread *thread = &walker->threads[i];
        if (thread->event && (!first || vef_thread_order_precedes(&walker->thread_order,
                                                                  thread->event, first->event)))
            first = thread;
    }
    return first;
}

/* Orders the thread's event after what other threads had completed when it was entered. */
static void put_in_order(vef_walker *walker, uint32_t chain) {
    const vef_walk_sink *sink = walker->sink;
    vef_walk_thread *thread = &walker->threads[chain];
    for (uint32_t i = 0; i < walker->thread_count; i++) {
        const vef_walk_thread *other = &walker->threads[i];
        if (i == chain || other->processed == 0)
            continue;
        bool over = other->left < thread->event->entered;
        uint64_t until = other->processed - !over;
        if (until <= thread->joined[i])
            continue;
        thread->joined[i] = until;
        sink->join(sink->context, chain, over ? i : other->before);
    }
}

static vef_code walk_event(vef_walker *walker, vef_walk_thread *thread, vef_error *error) {
    const vef_walk_sink *sink = walker->sink;
    uint32_t number = (uint32_t)(thread - walker->threads);
    uint32_t chain = sink->chains ? number : 0;
    const bool several = walker->thread_count > 1;
    const bool ordered = several && sink->chains && vef_thread_order_has_ticks(thread->event);
    if (several)
        vef_thread_order_take(&walker->thread_order, thread->event);
    walker->thread = number;
    if (ordered)
        sink->fork(sink->context, chain, thread->before);
    walker->counts[VEF_WALK_MERGED_EVENTS] += !sink->chains && number > 0;
    uint64_t ns = computed_ns(walker, thread);
    if (ns)
        sink->compute(sink->context, chain, ns);
    if (ordered) /* the thread computes while the calls of others go on */
        put_in_order(walker, number);
    const vef_code code = vef_walk_event(walker, chain, thread->event, error);
    thread->processed++;
    thread->left = thread->event->left;
    return code;
}

static vef_code next_event(vef_walk_thread *thread, vef_error *error) {
    return vef_stream_next(thread->stream, &thread->event, error);
}

static vef_code open_threads(vef_walker *walker, vef_error *error) {
    walker->thread_count = walker->header->task[walker->task].threads;
    walker->chains = 2 * walker->thread_count; /* the threads, and their positions before */
    walker->threads = vef_calloc(walker->thread_count, sizeof *walker->threads);
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < walker->thread_count && !code; i++) {
        vef_walk_thread *thread = &walker->threads[i];
        thread->before = walker->thread_count + i;
        thread->joined = vef_calloc(walker->thread_count, sizeof *thread->joined);
        code = vef_stream_open(walker->trace, walker->task, i, &thread->stream, error);
        if (!code)
            vef_stream_skip_durations(thread->stream);
        if (!code)
            code = next_event(thread, error);
    }
    return code;
}

static void close_threads(vef_walker *walker) {
    for (uint32_t i = 0; walker->threads && i < walker->thread_count; i++) {
        vef_stream_close(walker->threads[i].stream);
        free(walker->threads[i].joined);
    }
    free(walker->threads);
    walker->threads = NULL;
}

static vef_code walk_task(vef_walker *walker, uint32_t task, vef_error *error) {
    const vef_walk_sink *sink = walker->sink;
    walker->task = task;
    walker->free_chain_count = 0;
    vef_map64_clear(&walker->entered);
    vef_map64_clear(&walker->requests);
    vef_thread_order_clear(&walker->thread_order);
    vef_walk_clear_runs(walker);
    walker->record_count = 0;
    walker->free_record = VEF_NO_RECORD;
    vef_code code = open_threads(walker, error);
    if (!code)
        code = sink->begin_task(sink->context, task, walker->thread_count, error);
    while (!code) {
        vef_walk_thread *thread = next_thread(walker);
        if (!thread)
            break;
        code = walk_event(walker, thread, error);
        if (code)
            vef_fail_within(error, "%s: task %u, event %llu", vef_trace_path(walker->trace), task,
                            (unsigned long long)thread->processed - 1);
        else
            code = next_event(thread, error);
    }
    for (uint32_t i = 0; i < walker->thread_count && !code; i++) {
        walker->thread = i;
        vef_walk_progress(walker, 0, UINT32_MAX);
    }
    if (!code)
        code = sink->end_task(sink->context, error);
    close_threads(walker);
    return code;
}

static void note_all(const vef_walker *walker, vef_format_report *report) {
    const uint64_t *counts = walker->counts;
    uint64_t calls = 0, cut = 0;
    for (size_t call = 0; call < vef_call_count(); call++)
        calls += walker->header->not_recorded[call];
    for (uint32_t task = 0; task < walker->header->tasks; task++)
        cut += walker->header->task[task].end == VEF_LOG_CUT;
    const vef_note_count left_out[] = {
        {counts[VEF_WALK_PROBES],
         "probes that saw a message are left out: the receives after them wait"},
        {counts[VEF_WALK_ONE_SIDED], "one-sided operations are left out"},
        {counts[VEF_WALK_SYNC], "synchronisations of windows are left out"},
        {counts[VEF_WALK_UNMATCHED_SENDS], "sends whose receive is not in the trace are left out"},
        {counts[VEF_WALK_UNMATCHED_RECEIVES],
         "receives whose send is not in the trace are left out"},
        {counts[VEF_WALK_BESIDE],
         "non-blocking collectives are written as messages and progress only in calls that wait"},
        {counts[VEF_WALK_EARLY_WAITS], "waits that another thread would release complete at once"},
        {counts[VEF_WALK_AS_BARRIERS],
         "calls of collectives on intercommunicators are written as barriers of both groups"},
        {counts[VEF_WALK_MERGED_EVENTS],
         "calls of other threads follow those of the first, in the order in which they began"},
    };
    const vef_note_count of_trace[] = {
        {calls, "calls that the trace only counts are left out"},
        {cut, "tasks are cut short in the trace and end there"},
    };
    vef_note_counts(&report->notes, left_out, sizeof left_out / sizeof *left_out);
    if (walker->order.stall[0])
        vef_note(&report->notes,
                 "the replay that orders the steps of non-blocking collectives stalls (%s): "
                 "the rest may not complete",
                 walker->order.stall);
    vef_note_counts(&report->notes, of_trace, sizeof of_trace / sizeof *of_trace);
}

vef_code vef_walk(vef_trace *trace, const vef_format_options *options, const vef_walk_sink *sink,
                  vef_format_report *report, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_walker walker = {.trace = trace, .header = header, .options = options, .sink = sink};
    uint32_t ranks = 1;
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *comm = &header->communicators[i];
        ranks = comm->size + comm->remote_size > ranks ? comm->size + comm->remote_size : ranks;
    }
    walker.peer_counts = vef_malloc(2 * (size_t)ranks * sizeof *walker.peer_counts);
    vef_replay_comms_init(&walker.comms, header->communicators, header->communicator_count);
    vef_code code = VEF_OK;
    if (!sink->chains)
        code = vef_order_find(trace, options, &walker.order, error);
    for (uint32_t task = 0; task < header->tasks && !code; task++)
        code = walk_task(&walker, task, error);
    if (!code)
        note_all(&walker, report);
    vef_replay_comms_release(&walker.comms);
    vef_walk_release_runs(&walker);
    vef_order_release(&walker.order);
    vef_map64_free(&walker.requests);
    vef_map64_free(&walker.entered);
    vef_thread_order_release(&walker.thread_order);
    free(walker.peer_counts);
    free(walker.records);
    free(walker.free_chains);
    free(walker.waited);
    free(walker.list);
    return code;
}
