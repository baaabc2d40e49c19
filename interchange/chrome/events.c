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
    vef_chrome *self;
    vef_selector selector;
    strand *strands; /* per thread */
    uint64_t event;  /* number of the current event */
    /* Outstanding requests → peer and ordinal: of receives; of sends that a Pready releases. */
    vef_map64 receives, sends;
} walk;

/* ---- writing, if this pass writes ---- */

static uint64_t track_of(const walk *at, uint32_t thread) {
    return at->self->tracks + thread + 1;
}

static bool writes(const walk *at) {
    return at->self->timeline.out != NULL;
}

static void begin_slice(walk *at, uint32_t thread, uint64_t time_ns, const char *category,
                        const char *name, const vef_timeline_argument *arguments, size_t count) {
    if (writes(at))
        vef_timeline_slice(&at->self->timeline, VEF_CHROME_TASKS, track_of(at, thread), time_ns,
                           category, name, arguments, count);
}

static void end_slice(walk *at, uint32_t thread, uint64_t time_ns, const char *name) {
    at->strands[thread].last_ns = time_ns;
    if (writes(at))
        vef_timeline_slice_end(&at->self->timeline, VEF_CHROME_TASKS, track_of(at, thread), time_ns,
                               name);
}

static void put_slice(walk *at, uint32_t thread, uint64_t from_ns, uint64_t to_ns,
                      const char *name) {
    if (to_ns <= from_ns)
        return;
    begin_slice(at, thread, from_ns, name, name, NULL, 0);
    end_slice(at, thread, to_ns, name);
}

/* ---- regions ---- */

static void leave_innermost(walk *at, uint32_t thread, uint64_t time_ns) {
    vef_shown_regions *regions = &at->strands[thread].regions;
    const vef_shown_region *left = &regions->open[regions->count - 1];
    if (left->written)
        end_slice(at, thread, time_ns, left->name);
    vef_shown_regions_pop(regions);
}

/* An end closes what was begun inside its region, too; without a region it does nothing. */
static void leave_region(walk *at, const vef_event *event, uint64_t time_ns) {
    const vef_shown_regions *regions = &at->strands[event->thread].regions;
    const size_t place = vef_shown_regions_find(regions, event->name);
    while (place > 0 && regions->count >= place)
        leave_innermost(at, event->thread, time_ns);
}

/* The part begins inside regions, or ends there. */
static void resume_regions(walk *at, uint32_t thread, uint64_t time_ns) {
    const vef_shown_regions *on = &at->strands[thread].regions;
    for (size_t i = 0; i < on->count; i++) {
        if (!on->open[i].written)
            begin_slice(at, thread, time_ns, "region", on->open[i].name, NULL, 0);
        on->open[i].written = true;
    }
}

static void suspend_regions(walk *at, uint32_t thread) {
    const vef_shown_regions *on = &at->strands[thread].regions;
    for (size_t i = on->count; i-- > 0;) {
        if (on->open[i].written)
            end_slice(at, thread, at->strands[thread].last_ns, on->open[i].name);
        on->open[i].written = false;
    }
}

/* ---- messages ---- */

static uint64_t pack(const vef_operation *operation) {
    return operation->ordinal << PEER_BITS | (uint32_t)operation->peer;
}

static void put_end(walk *at, bool enters, uint64_t packed, uint32_t thread, uint64_t time_ns) {
    const vef_chrome_end end = {enters, (uint32_t)packed & ((1u << PEER_BITS) - 1),
                                packed >> PEER_BITS};
    vef_chrome_message(at->self, &end, track_of(at, thread), time_ns);
}

/* A message that leaves at the call, or enters there: at once, or by a request that is noted. */
static void put_operation(walk *at, const vef_event *event, const vef_operation *operation,
                          uint64_t begin_ns, uint64_t end_ns, bool in) {
    bool send = operation->flags & VEF_OP_SEND;
    if (operation->flags & VEF_OP_UNMATCHED && !(operation->flags & VEF_OP_CANCELLED))
        at->self->unmatched += in;
    if (operation->flags & (VEF_OP_CANCELLED | VEF_OP_UNMATCHED | VEF_OP_GENERALISED) ||
        operation->peer == VEF_NO_TASK || operation->ordinal == VEF_NO_ORDINAL)
        return;
    bool later = operation->request != VEF_NO_REQUEST && !(operation->flags & VEF_OP_OPEN_ENDED);
    bool parts = send && later && operation->flags & VEF_OP_PARTITIONED;
    if ((later && !send) || parts)
        vef_map64_set(send ? &at->sends : &at->receives, operation->request, pack(operation));
    else if (in)
        put_end(at, !send, pack(operation), event->thread, send ? begin_ns : end_ns);
}

/* The messages of a call, in the order of their times. `in`: its slice is open. */
static void put_messages(walk *at, const vef_event *event, uint64_t begin_ns, uint64_t end_ns,
                         bool in) {
    bool transfers = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
    uint64_t packed;
    for (int sends = 1; sends >= 0; sends--)
        for (uint32_t i = 0; i < event->operation_count && transfers; i++)
            if (((event->operations[i].flags & VEF_OP_SEND) != 0) == sends)
                put_operation(at, event, &event->operations[i], begin_ns, end_ns, in);
    if (vef_event_releases(event) &&
        vef_map64_take(&at->sends, (uint64_t)event->argument, &packed) && in)
        put_end(at, false, packed, event->thread, begin_ns);
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (vef_map64_take(&at->receives, event->completions[i].request, &packed) && in)
            put_end(at, true, packed, event->thread, end_ns);
}

static void put_call(walk *at, const vef_event *event, uint64_t begin_ns, uint64_t end_ns) {
    vef_timeline_argument arguments[VEF_CALL_MOST_ARGUMENTS];
    char name[VEF_CALL_TITLE_BYTES];
    size_t count = writes(at) ? vef_call_describe(event, at->event, arguments) : 0;
    vef_call_title(event->call, name);
    begin_slice(at, event->thread, begin_ns, "MPI", name, arguments, count);
    at->self->calls += event->repeats;
    at->self->one_sided += vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    put_messages(at, event, begin_ns, end_ns, true);
    end_slice(at, event->thread, end_ns, name);
}

/* ---- events ---- */

/* Counts the bytes of the event in the interval of its time. */
static void count_bytes(vef_chrome *self, uint64_t time_ns, uint64_t bytes) {
    while (time_ns / self->interval_ns >= VEF_CHROME_INTERVALS) {
        for (size_t i = 0; i < VEF_CHROME_INTERVALS; i++) {
            uint64_t both = 2 * i + 1 < VEF_CHROME_INTERVALS
                                ? self->interval_bytes[2 * i] + self->interval_bytes[2 * i + 1]
                                : 0;
            self->interval_bytes[i] = both;
        }
        self->interval_ns *= 2;
    }
    self->interval_bytes[time_ns / self->interval_ns] += bytes;
}

static void put_region(walk *at, const vef_event *event, uint64_t time_ns, bool in) {
    const char *name = event->name ? event->name : "";
    if (event->call == VEF_CALL_Region_end) {
        leave_region(at, event, time_ns);
    } else if (event->call == VEF_CALL_Region_begin) {
        if (in)
            begin_slice(at, event->thread, time_ns, "region", name, NULL, 0);
        vef_shown_regions_push(&at->strands[event->thread].regions, name, in);
    } else if (in && writes(at)) {
        vef_timeline_mark(&at->self->timeline, VEF_CHROME_TASKS, track_of(at, event->thread),
                          time_ns, name);
    }
}

static void put_event(walk *at, const vef_event *event) {
    vef_chrome *self = at->self;
    bool in = vef_selector_next(&at->selector, event);
    const vef_selector_thread *thread = &at->selector.threads[event->thread];
    const uint64_t begin_ns = thread->entered_ns, end_ns = thread->end_ns;
    const uint64_t before_ns = at->selector.before_ns, bytes = self->timeline.bytes;
    if (self->longest_ns < end_ns)
        self->longest_ns = end_ns;
    if (in) {
        uint64_t outside_ns = event->outside_ns < before_ns ? event->outside_ns : before_ns;
        resume_regions(at, event->thread, begin_ns - before_ns);
        put_slice(at, event->thread, begin_ns - before_ns, begin_ns - outside_ns, "computation");
        put_slice(at, event->thread, begin_ns - outside_ns, begin_ns, "outside");
    } else {
        suspend_regions(at, event->thread);
    }
    if (vef_call_kind(event->call) == VEF_KIND_REGION)
        put_region(at, event, begin_ns, in);
    else if (in)
        put_call(at, event, begin_ns, end_ns);
    else
        put_messages(at, event, begin_ns, end_ns, false);
    if (writes(at) && !self->writing) {
        /* A cut also ends the regions that are open there. */
        bool begins = event->call == VEF_CALL_Region_begin;
        uint64_t end_bytes =
            begins && event->name ? VEF_CHROME_END_BYTES + 6 * strlen(event->name) : 0;
        count_bytes(self, begin_ns, self->timeline.bytes - bytes + end_bytes);
    }
}

/* ---- tasks ---- */

static void name_tracks(vef_chrome *self, uint32_t threads) {
    uint64_t bytes = self->timeline.bytes;
    char name[40];
    for (uint32_t i = 0; i < threads && self->timeline.out; i++) {
        snprintf(name, sizeof name, i ? "task %u.%u" : "task %u", self->task, i);
        vef_timeline_track(&self->timeline, VEF_CHROME_TASKS, self->tracks + i + 1, name);
    }
    if (!self->writing) { /* a cut does not leave them out */
        self->frame_bytes += self->timeline.bytes - bytes;
        self->timeline.bytes = bytes;
    }
}

static vef_code read_events(walk *at, uint32_t threads, vef_error *error) {
    vef_chrome *self = at->self;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_task_events_open(self->trace, self->task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        if (event->thread >= threads)
            code = vef_fail(error, VEF_CORRUPT,
                            "task %u, event %llu: thread %u is out of range: the task has %u",
                            self->task, (unsigned long long)at->event, event->thread, threads);
        else
            put_event(at, event);
        at->event++;
    }
    for (uint32_t i = 0; i < threads && !code; i++)
        while (at->strands[i].regions.count > 0)
            leave_innermost(at, i, at->strands[i].last_ns);
    vef_task_events_close(events);
    return code;
}

static vef_code read_task(vef_chrome *self, vef_error *error) {
    uint32_t threads = self->header->task[self->task].threads;
    walk at = {.self = self, .strands = vef_calloc(threads, sizeof *at.strands)};
    vef_selector_begin(&at.selector, &self->part, threads);
    name_tracks(self, threads);
    const vef_code code = read_events(&at, threads, error);
    self->tracks += threads;
    vef_selector_end(&at.selector);
    for (uint32_t i = 0; i < threads; i++)
        vef_shown_regions_free(&at.strands[i].regions);
    free(at.strands);
    vef_map64_free(&at.receives);
    vef_map64_free(&at.sends);
    return code;
}

vef_code vef_chrome_read(vef_chrome *self, vef_error *error) {
    vef_code code = VEF_OK;
    self->tracks = 0;
    for (self->task = 0; self->task < self->header->tasks && !code; self->task++)
        if (!self->part.chosen || self->part.chosen[self->task])
            code = read_task(self, error);
    return code;
}
