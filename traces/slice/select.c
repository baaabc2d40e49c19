/* Selecting events, and whether the names of the conditions occur in the trace. See select.h;
 * slice.h defines the conditions. */
#include "traces/slice/select.h"

#include "common/memory.h"
#include "traces/file/task_events.h"
#include "traces/stats/stats.h"

#include <stdlib.h>
#include <string.h>

/* With or without "MPI_"; traces store some calls as others (Send_c as Send). */
static int find_call(const char *name) {
    int call = vef_call_find(strncmp(name, "MPI_", 4) == 0 ? name + 4 : name);
    bool as = call >= 0 && vef_call_kind((uint16_t)call) == VEF_KIND_AS;
    return as ? vef_call_base((uint16_t)call) : call;
}

void vef_selector_begin(vef_selector *selector, const vef_slice_options *options,
                        uint32_t threads) {
    *selector = (vef_selector){.options = options, .thread_count = threads};
    selector->wanted_call = options->between ? find_call(options->between) : -1;
    selector->since_ns = options->by_time ? options->from_ns : 0;
    selector->threads = vef_calloc(threads, sizeof *selector->threads);
}

void vef_selector_end(vef_selector *selector) {
    free(selector->threads);
    selector->threads = NULL;
}

/* The latest return or entry of the other threads' calls before this one; false: there are none. */
static bool find_latest(const vef_selector *selector, const vef_event *event, uint64_t *latest_ns) {
    bool any = false;
    *latest_ns = 0;
    for (uint32_t i = 0; i < selector->thread_count; i++) {
        const vef_selector_thread *other = &selector->threads[i];
        if (i == event->thread || !other->seen)
            continue;
        uint64_t at_ns = other->left < event->entered ? other->end_ns : other->entered_ns;
        any = true;
        if (*latest_ns < at_ns)
            *latest_ns = at_ns;
    }
    return any;
}

static void keep_time(vef_selector *selector, const vef_event *event) {
    vef_selector_thread *thread = &selector->threads[event->thread];
    uint64_t latest_ns;
    const bool others = find_latest(selector, event, &latest_ns);
    thread->entered_ns = thread->seen ? thread->end_ns : latest_ns;
    thread->seen = true;
    if (!vef_call_has(event->call, VEF_FACT_BEGINS))
        thread->entered_ns += event->gap_ns + event->outside_ns;
    const bool late = others && event->left > 0 && thread->entered_ns <= latest_ns;
    thread->delay_ns = late ? latest_ns + 1 - thread->entered_ns : 0;
    thread->entered_ns += thread->delay_ns;
    thread->end_ns = thread->entered_ns;
    if (!vef_stats_is_startup(event->call))
        thread->end_ns += event->duration_ns;
    thread->left = event->left;
}

static void begin_piece(vef_selector *selector) {
    if (selector->since_ns < selector->entered_ns)
        selector->since_ns = selector->entered_ns;
}

static bool in_region(vef_selector *selector, const vef_event *event) {
    const vef_slice_options *options = selector->options;
    vef_selector_thread *thread = &selector->threads[event->thread];
    bool named = event->name && strcmp(event->name, options->region) == 0;
    if (named && event->call == VEF_CALL_Region_begin && thread->depth++ == 0) {
        selector->entries++;
        thread->counts =
            selector->entries >= options->first_entry && selector->entries <= options->last_entry;
        if (thread->counts && selector->inside++ == 0)
            begin_piece(selector);
    }
    bool in = selector->inside > 0;
    if (named && event->call == VEF_CALL_Region_end && thread->depth > 0 && --thread->depth == 0 &&
        thread->counts) {
        thread->counts = false;
        selector->inside--;
    }
    return in;
}

static bool is_between(vef_selector *selector, const vef_event *event) {
    const vef_slice_options *options = selector->options;
    bool over = selector->calls >= options->last_call;
    bool counts = selector->wanted_call >= 0 ? event->call == selector->wanted_call
                                             : event->call == VEF_CALL_Mark && event->name &&
                                                   strcmp(event->name, options->between) == 0;
    selector->calls += counts;
    if (counts && selector->calls == options->first_call)
        begin_piece(selector);
    return !over && selector->calls >= options->first_call;
}

bool vef_selector_next(vef_selector *selector, const vef_event *event) {
    keep_time(selector, event);
    return vef_selector_next_at(selector, event, selector->threads[event->thread].entered_ns);
}

bool vef_selector_next_at(vef_selector *selector, const vef_event *event, uint64_t entered_ns) {
    const vef_slice_options *options = selector->options;
    bool in = true;
    selector->entered_ns = entered_ns;
    if (options->by_time)
        in &= selector->entered_ns >= options->from_ns && selector->entered_ns < options->to_ns;
    if (options->region)
        in &= in_region(selector, event);
    if (options->between)
        in &= is_between(selector, event);
    const uint64_t since_ns = selector->since_ns;
    uint64_t inside_ns = entered_ns > since_ns ? entered_ns - since_ns : 0;
    uint64_t whole_ns = event->gap_ns + event->outside_ns;
    selector->before_ns = inside_ns < whole_ns ? inside_ns : whole_ns;
    return in;
}

bool vef_selector_goes_on(const vef_selector *selector) {
    const vef_slice_options *options = selector->options;
    uint64_t end_ns = 0;
    for (uint32_t i = 0; i < selector->thread_count; i++)
        if (end_ns < selector->threads[i].end_ns)
            end_ns = selector->threads[i].end_ns;
    if (options->by_time && (end_ns < options->from_ns || end_ns >= options->to_ns))
        return false;
    return vef_selector_is_inside(selector);
}

bool vef_selector_is_inside(const vef_selector *selector) {
    const vef_slice_options *options = selector->options;
    if (options->region && selector->inside == 0)
        return false;
    return !options->between ||
           (selector->calls >= options->first_call && selector->calls < options->last_call);
}

/* ---- names ---- */

/* Reads a task up to the point where both names have occurred. */
static vef_code look(vef_trace *trace, uint32_t task, const vef_slice_options *options,
                     bool *region, bool *between, vef_error *error) {
    const uint32_t threads = vef_trace_get_header(trace)->task[task].threads;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_selector selector;
    vef_selector_begin(&selector, options, threads);
    vef_code code = vef_task_events_open(trace, task, &events, error);
    while (!code && !(*region && *between) &&
           (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        vef_selector_next(&selector, event);
        *region |= selector.entries > 0;
        *between |= selector.calls > 0;
    }
    vef_task_events_close(events);
    vef_selector_end(&selector);
    return code;
}

vef_code vef_slice_check_names(vef_trace *trace, const vef_slice_options *options,
                               vef_error *error) {
    const uint32_t tasks = vef_trace_get_header(trace)->tasks;
    bool region = !options->region, between = !options->between;
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < tasks && !(region && between) && !code; task++)
        if (!options->chosen || options->chosen[task])
            code = look(trace, task, options, &region, &between, error);
    if (!code && !region)
        return vef_fail(error, VEF_INVALID,
                        "%s: unknown region '%s': expected one that `vef info --regions` lists",
                        vef_trace_path(trace), options->region);
    if (!code && !between)
        return vef_fail(error, VEF_INVALID, "%s: no call of %s and no mark of that name",
                        vef_trace_path(trace), options->between);
    return code;
}
