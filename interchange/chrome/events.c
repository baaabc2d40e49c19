/* The events of a task as slices of a timeline. See write.c. */
#include "interchange/chrome/chrome.h"

#include "common/memory.h"
#include "replay/timeline/call_slices.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"

#include <stdlib.h>
#include <string.h>

enum { PEER_BITS = 24 };

typedef struct strand {
    vef_shown_regions regions;
    uint64_t last_ns; /* end of what is written so far */
} strand;

/* The state of one task. */
typedef struct walk {
    vef_chrome *chrome;
    vef_selector selector;
    strand *strands; /* per thread */
    uint64_t event;  /* number of the current event */
    /* Outstanding requests → peer and ordinal: of receives; of sends that a Pready releases. */
    vef_map64 receives, sends;
} walk;

/* ---- writing, if this pass writes ---- */

static uint64_t track_of(const walk *walker, uint32_t thread) {
    return walker->chrome->tracks + thread + 1;
}

static bool writes(const walk *walker) {
    return walker->chrome->timeline.out != NULL;
}

static void begin_slice(walk *walker, uint32_t thread, uint64_t time_ns, const char *category,
                        const char *name, const vef_timeline_argument *arguments, size_t count) {
    if (writes(walker))
        vef_timeline_slice(&walker->chrome->timeline, VEF_CHROME_TASKS, track_of(walker, thread),
                           time_ns, category, name, arguments, count);
}

static void end_slice(walk *walker, uint32_t thread, uint64_t time_ns, const char *name) {
    walker->strands[thread].last_ns = time_ns;
    if (writes(walker))
        vef_timeline_slice_end(&walker->chrome->timeline, VEF_CHROME_TASKS,
                               track_of(walker, thread), time_ns, name);
}

static void put_slice(walk *walker, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
                      const char *name) {
    if (to_ns <= from_ns)
        return;
    begin_slice(walker, thread, from_ns, name, name, NULL, 0);
    end_slice(walker, thread, to_ns, name);
}

/* ---- regions ---- */

static void leave_innermost(walk *walker, uint32_t thread, uint64_t time_ns) {
    vef_shown_regions *regions = &walker->strands[thread].regions;
    const vef_shown_region *left = &regions->open[regions->count - 1];
    if (left->written)
        end_slice(walker, thread, time_ns, left->name);
    vef_shown_regions_pop(regions);
}

/* An end closes what was begun inside its region, too; without a region it does nothing. */
static void leave_region(walk *walker, const vef_event *event, uint64_t time_ns) {
    const vef_shown_regions *regions = &walker->strands[event->thread].regions;
    const size_t place = vef_shown_regions_find(regions, event->name);
    while (place > 0 && regions->count >= place)
        leave_innermost(walker, event->thread, time_ns);
}

/* The part begins inside regions, or ends there. */
static void resume_regions(walk *walker, uint32_t thread, uint64_t time_ns) {
    const vef_shown_regions *on = &walker->strands[thread].regions;
    for (size_t i = 0; i < on->count; i++) {
        if (!on->open[i].written)
            begin_slice(walker, thread, time_ns, "region", on->open[i].name, NULL, 0);
        on->open[i].written = true;
    }
}

static void suspend_regions(walk *walker, uint32_t thread) {
    const vef_shown_regions *on = &walker->strands[thread].regions;
    for (size_t i = on->count; i-- > 0;) {
        if (on->open[i].written)
            end_slice(walker, thread, walker->strands[thread].last_ns, on->open[i].name);
        on->open[i].written = false;
    }
}

/* ---- messages ---- */

static uint64_t pack(const vef_operation *operation) {
    return operation->ordinal << PEER_BITS | (uint32_t)operation->peer;
}

static void put_end(walk *walker, bool enters, uint64_t packed, uint32_t thread, uint64_t time_ns) {
    const vef_chrome_end end = {enters, (uint32_t)packed & ((1u << PEER_BITS) - 1),
                                packed >> PEER_BITS};
    vef_chrome_message(walker->chrome, &end, track_of(walker, thread), time_ns);
}

/* A message that leaves at the call, or enters there: at once, or by a request that is noted. */
static void put_operation(walk *walker, const vef_event *event, const vef_operation *operation,
                          uint64_t begin_ns, uint64_t end_ns, bool in) {
    bool send = operation->flags & VEF_OP_SEND;
    if (operation->flags & VEF_OP_UNMATCHED && !(operation->flags & VEF_OP_CANCELLED))
        walker->chrome->unmatched += in;
    if (operation->flags & (VEF_OP_CANCELLED | VEF_OP_UNMATCHED | VEF_OP_GENERALISED) ||
        operation->peer == VEF_NO_TASK || operation->ordinal == VEF_NO_ORDINAL)
        return;
    bool later = operation->request != VEF_NO_REQUEST && !(operation->flags & VEF_OP_OPEN_ENDED);
    bool parts = send && later && operation->flags & VEF_OP_PARTITIONED;
    if ((later && !send) || parts)
        vef_map64_set(send ? &walker->sends : &walker->receives, operation->request,
                      pack(operation));
    else if (in)
        put_end(walker, !send, pack(operation), event->thread, send ? begin_ns : end_ns);
}

/* The messages of a call, in the order of their times. `in`: its slice is open. */
static void put_messages(walk *walker, const vef_event *event, uint64_t begin_ns, uint64_t end_ns,
                         bool in) {
    bool transfers = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
    uint64_t packed;
    for (int sends = 1; sends >= 0; sends--)
        for (uint32_t i = 0; i < event->operation_count && transfers; i++)
            if (((event->operations[i].flags & VEF_OP_SEND) != 0) == sends)
                put_operation(walker, event, &event->operations[i], begin_ns, end_ns, in);
    if (vef_event_releases(event) &&
        vef_map64_take(&walker->sends, (uint64_t)event->argument, &packed) && in)
        put_end(walker, false, packed, event->thread, begin_ns);
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (vef_map64_take(&walker->receives, event->completions[i].request, &packed) && in)
            put_end(walker, true, packed, event->thread, end_ns);
}

static void put_call(walk *walker, const vef_event *event, uint64_t begin_ns, uint64_t end_ns) {
    vef_timeline_argument arguments[VEF_CALL_MOST_ARGUMENTS];
    char name[VEF_CALL_TITLE_BYTES], site[VEF_SITE_NAME_BYTES];
    size_t count = writes(walker) ? vef_call_describe(event, walker->event, walker->chrome->header,
                                                      arguments, site)
                                  : 0;
    vef_call_title(event->call, name);
    begin_slice(walker, event->thread, begin_ns, "MPI", name, arguments, count);
    walker->chrome->calls += event->repeats;
    walker->chrome->one_sided += vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    put_messages(walker, event, begin_ns, end_ns, true);
    end_slice(walker, event->thread, end_ns, name);
}

/* ---- events ---- */

/* Counts the bytes of the event in the interval of its time. */
static void count_bytes(vef_chrome *chrome, uint64_t time_ns, uint64_t bytes) {
    while (time_ns / chrome->interval_ns >= VEF_CHROME_INTERVALS) {
        for (size_t i = 0; i < VEF_CHROME_INTERVALS; i++) {
            uint64_t both = 2 * i + 1 < VEF_CHROME_INTERVALS
                                ? chrome->interval_bytes[2 * i] + chrome->interval_bytes[2 * i + 1]
                                : 0;
            chrome->interval_bytes[i] = both;
        }
        chrome->interval_ns *= 2;
    }
    chrome->interval_bytes[time_ns / chrome->interval_ns] += bytes;
}

static void put_region(walk *walker, const vef_event *event, uint64_t time_ns, bool in) {
    const char *name = event->name ? event->name : "";
    if (event->call == VEF_CALL_Region_end) {
        leave_region(walker, event, time_ns);
    } else if (event->call == VEF_CALL_Region_begin) {
        if (in)
            begin_slice(walker, event->thread, time_ns, "region", name, NULL, 0);
        vef_shown_regions_push(&walker->strands[event->thread].regions, name, in);
    } else if (in && writes(walker)) {
        vef_timeline_mark(&walker->chrome->timeline, VEF_CHROME_TASKS,
                          track_of(walker, event->thread), time_ns, name);
    }
}

static void put_event(walk *walker, const vef_event *event) {
    vef_chrome *chrome = walker->chrome;
    bool in = vef_selector_next(&walker->selector, event);
    const vef_selector_thread *thread = &walker->selector.threads[event->thread];
    const uint64_t begin_ns = thread->entered_ns, end_ns = thread->end_ns;
    const uint64_t before_ns = walker->selector.before_ns, bytes = chrome->timeline.bytes;
    if (chrome->longest_ns < end_ns)
        chrome->longest_ns = end_ns;
    if (in) {
        uint64_t outside_ns = event->outside_ns < before_ns ? event->outside_ns : before_ns;
        resume_regions(walker, event->thread, begin_ns - before_ns);
        put_slice(walker, event->thread, begin_ns - before_ns, begin_ns - outside_ns,
                  "computation");
        put_slice(walker, event->thread, begin_ns - outside_ns, begin_ns, "outside");
    } else {
        suspend_regions(walker, event->thread);
    }
    if (vef_call_kind(event->call) == VEF_KIND_REGION)
        put_region(walker, event, begin_ns, in);
    else if (in)
        put_call(walker, event, begin_ns, end_ns);
    else
        put_messages(walker, event, begin_ns, end_ns, false);
    if (writes(walker) && !chrome->writing) {
        /* A cut also ends the regions that are open there. */
        bool begins = event->call == VEF_CALL_Region_begin;
        uint64_t end_bytes =
            begins && event->name ? VEF_CHROME_END_BYTES + 6 * strlen(event->name) : 0;
        count_bytes(chrome, begin_ns, chrome->timeline.bytes - bytes + end_bytes);
    }
}

/* ---- tasks ---- */

static void name_tracks(vef_chrome *chrome, uint32_t threads) {
    uint64_t bytes = chrome->timeline.bytes;
    char name[40];
    for (uint32_t i = 0; i < threads && chrome->timeline.out; i++) {
        snprintf(name, sizeof name, i ? "task %u.%u" : "task %u", chrome->task, i);
        vef_timeline_track(&chrome->timeline, VEF_CHROME_TASKS, chrome->tracks + i + 1, name);
    }
    if (!chrome->writing) { /* a cut does not leave them out */
        chrome->frame_bytes += chrome->timeline.bytes - bytes;
        chrome->timeline.bytes = bytes;
    }
}

static vef_code read_events(walk *walker, uint32_t threads, vef_error *error) {
    vef_chrome *chrome = walker->chrome;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_task_events_open(chrome->trace, chrome->task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        put_event(walker, event);
        walker->event++;
    }
    for (uint32_t i = 0; i < threads && !code; i++)
        while (walker->strands[i].regions.count > 0)
            leave_innermost(walker, i, walker->strands[i].last_ns);
    vef_task_events_close(events);
    return code;
}

static vef_code read_task(vef_chrome *chrome, vef_error *error) {
    uint32_t threads = chrome->header->task[chrome->task].threads;
    walk walker = {.chrome = chrome, .strands = vef_calloc(threads, sizeof *walker.strands)};
    vef_selector_begin(&walker.selector, &chrome->part, threads);
    name_tracks(chrome, threads);
    const vef_code code = read_events(&walker, threads, error);
    chrome->tracks += threads;
    vef_selector_end(&walker.selector);
    for (uint32_t i = 0; i < threads; i++)
        vef_shown_regions_free(&walker.strands[i].regions);
    free(walker.strands);
    vef_map64_free(&walker.receives);
    vef_map64_free(&walker.sends);
    return code;
}

vef_code vef_chrome_read(vef_chrome *chrome, vef_error *error) {
    vef_code code = VEF_OK;
    chrome->tracks = 0;
    for (chrome->task = 0; chrome->task < chrome->header->tasks && !code; chrome->task++)
        if (!chrome->part.chosen || chrome->part.chosen[chrome->task])
            code = read_task(chrome, error);
    return code;
}
