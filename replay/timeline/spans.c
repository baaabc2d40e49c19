/* The time of tasks as slices, from the events of a replay. See timeline_state.h. */
#include "common/memory.h"
#include "replay/timeline/timeline_state.h"

#include <string.h>

/* ---- the beginning ---- */

static void name_track(vef_shown *shown, vef_shown_track *on) {
    char name[40];
    snprintf(name, sizeof name, on->thread ? "task %u.%u" : "task %u", on->task, on->thread);
    vef_timeline_track(&shown->timeline, VEF_SHOWN_TASKS, on->place, name);
    on->named = true;
}

static void begin_selectors(vef_shown *shown, const vef_replay_shape *shape) {
    shown->selectors = vef_calloc(shape->tasks ? shape->tasks : 1, sizeof *shown->selectors);
    for (uint32_t strand = 0, threads = 0; strand < shape->strands; strand++) {
        const uint32_t task = shape->task_of[strand];
        threads++;
        if (strand + 1 < shape->strands && shape->task_of[strand + 1] == task)
            continue;
        if (vef_shown_task(shown, task))
            vef_selector_begin(&shown->selectors[task], shown->part, threads);
        threads = 0;
    }
}

static void begins(void *context, const vef_replay_shape *shape) {
    vef_shown *shown = context;
    uint32_t thread = 0;
    shown->tasks = shape->tasks;
    shown->first_of = vef_calloc(shape->tasks ? shape->tasks : 1, sizeof *shown->first_of);
    if (shown->part)
        begin_selectors(shown, shape);
    vef_shown_reserve(shown, shape->strands);
    for (uint32_t strand = 0; strand < shape->strands; strand++) {
        const uint32_t task = shape->task_of[strand];
        thread = strand && shape->task_of[strand - 1] == task ? thread + 1 : 0;
        if (thread == 0)
            shown->first_of[task] = strand;
        vef_shown_track *on = &shown->tracks[strand];
        *on = (vef_shown_track){.group = VEF_SHOWN_TASKS,
                                .task = task,
                                .thread = thread,
                                .place = (uint64_t)strand + 1,
                                .row = (uint64_t)strand + 1};
        if (vef_shown_task(shown, task))
            name_track(shown, on);
    }
}

/* ---- regions ---- */

static uint64_t region_bytes(const char *name) {
    return VEF_SHOWN_END_BYTES + 6 * strlen(name);
}

static void begin_region(vef_shown *shown, vef_shown_track *on, const char *name,
                         uint64_t time_ns) {
    vef_shown_begin(shown, on, time_ns, "region", name, NULL, 0);
    shown->owed_bytes += region_bytes(name);
}

static void end_region(vef_shown *shown, vef_shown_track *on, vef_shown_region *region,
                       uint64_t time_ns) {
    if (region->written) {
        vef_shown_end(shown, on, time_ns, region->name);
        shown->owed_bytes -= region_bytes(region->name);
    }
    region->written = false;
}

void vef_shown_leave_region(vef_shown *shown, vef_shown_track *on, uint64_t time_ns) {
    end_region(shown, on, &on->regions.open[on->regions.count - 1], time_ns);
    vef_shown_regions_pop(&on->regions);
}

/* The part begins inside regions; all are written while they fit. */
static void resume_regions(vef_shown *shown, vef_shown_track *on, uint64_t time_ns) {
    for (size_t i = 0; shown->part && i < on->regions.count; i++) {
        vef_shown_region *region = &on->regions.open[i];
        if (region->written)
            continue;
        if (!vef_shown_fits(shown, 1024 + 2 * region_bytes(region->name)))
            return;
        begin_region(shown, on, region->name, time_ns);
        region->written = true;
    }
}

/* It ends there. */
static void suspend_regions(vef_shown *shown, vef_shown_track *on) {
    for (size_t i = on->regions.count; i-- > 0;)
        end_region(shown, on, &on->regions.open[i], on->last_ns);
}

static void put_region(vef_shown *shown, vef_shown_track *on, const vef_event *event,
                       uint64_t time_ns, bool in) {
    const char *name = event->name ? event->name : "";
    if (event->call == VEF_CALL_Region_end) {
        const size_t place = vef_shown_regions_find(&on->regions, name);
        if (!on->stopped)
            while (place > 0 && on->regions.count >= place)
                vef_shown_leave_region(shown, on, time_ns);
        return;
    }
    in = in && vef_shown_begins(shown, on, time_ns) &&
         vef_shown_fits(shown, 1024 + 2 * region_bytes(name));
    if (event->call != VEF_CALL_Region_begin) {
        if (in)
            vef_timeline_mark(&shown->timeline, on->group, on->place,
                              vef_shown_move(shown, on, time_ns), name);
        return;
    }
    if (!in && !shown->part)
        return;
    vef_shown_regions_push(&on->regions, name, in);
    if (in)
        begin_region(shown, on, name, time_ns);
}

/* ---- calls ---- */

/* Whether the event is in the part; the part of the task may end before it. */
static bool select_event(vef_shown *shown, vef_shown_track *on, const vef_event *event,
                         uint64_t time_ns) {
    if (!shown->part)
        return true;
    const bool in = vef_shown_task(shown, on->task) &&
                    vef_selector_next_at(&shown->selectors[on->task], event, time_ns);
    if (!in) {
        vef_shown_lose_queue(shown, on);
        suspend_regions(shown, on);
    }
    return in;
}

static void enters(void *context, uint32_t strand, const vef_event *event, uint64_t time_ps) {
    vef_shown *shown = context;
    vef_shown_track *on = vef_shown_track_of(shown, strand);
    const uint64_t time_ns = vef_shown_ns(time_ps);
    vef_timeline_argument arguments[VEF_CALL_MOST_ARGUMENTS];
    char title[VEF_CALL_TITLE_BYTES], site[VEF_SITE_NAME_BYTES];
    if (!on)
        return;
    const uint64_t number = on->events++;
    const bool in = select_event(shown, on, event, time_ns);
    if (in && !on->stopped)
        resume_regions(shown, on, time_ns);
    if (vef_call_kind(event->call) == VEF_KIND_REGION) {
        put_region(shown, on, event, time_ns, in);
        return;
    }
    on->beside = !in;
    if (!in)
        return;
    shown->calls++;
    if (!vef_shown_begins(shown, on, time_ns)) {
        shown->left_out++;
        return;
    }
    shown->entered_ns = vef_later(shown->entered_ns, time_ns);
    shown->operations += vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    const size_t count = vef_call_describe(event, number, shown->header, arguments, site);
    vef_call_title(event->call, title);
    vef_shown_begin(shown, on, time_ns, "MPI", title, arguments, count);
    shown->owed_bytes += VEF_SHOWN_END_BYTES;
    on->call = event->call;
    on->in_call = true;
    vef_shown_flush(shown, on, time_ns, false);
}

static void leaves(void *context, uint32_t strand, uint64_t time_ps) {
    vef_shown *shown = context;
    vef_shown_track *on = vef_shown_track_of(shown, strand);
    if (!on)
        return;
    vef_shown_end_call(shown, on, vef_shown_ns(time_ps));
    on->beside = false;
}

static void starts_plan(void *context, uint32_t who, uint32_t strand, uint16_t call,
                        uint64_t time_ps) {
    vef_shown *shown = context;
    const vef_shown_track *starter = vef_shown_track_of(shown, strand);
    const uint64_t time_ns = vef_shown_ns(time_ps);
    char title[VEF_CALL_TITLE_BYTES];
    if (!starter)
        return;
    vef_shown_reserve(shown, who + 1);
    starter = &shown->tracks[strand];
    vef_shown_track *on = &shown->tracks[who];
    vef_shown_end_call(shown, on, vef_shown_ns(on->until_ps)); /* the plan before it */
    on->until_ps = vef_later(on->until_ps, time_ps);
    if (!starter->in_call || !vef_shown_begins(shown, on, time_ns))
        return;
    if (!on->named) {
        if (!shown->plans_named)
            vef_timeline_group(&shown->timeline, VEF_SHOWN_PLANS, "non-blocking collectives");
        shown->plans_named = true;
        on->place = (uint64_t)who + 1;
        vef_timeline_track(&shown->timeline, VEF_SHOWN_PLANS, on->place, "in the background");
        on->named = true;
    }
    const vef_timeline_argument argument = {.key = "started on track", .number = starter->place};
    on->row = starter->row;
    vef_call_title(call, title);
    vef_shown_begin(shown, on, time_ns, "collective", title, &argument, 1);
    shown->owed_bytes += VEF_SHOWN_END_BYTES;
    on->call = call;
    on->in_call = true;
}

/* ---- time ---- */

/* Cuts a span between calls to the part; false if it is outside. */
static bool cut_span(const vef_shown *shown, const vef_shown_track *on, uint64_t *from_ns,
                     uint64_t *to_ns) {
    const vef_slice_options *part = shown->part;
    if (part && part->by_time && !on->in_call) {
        if (*to_ns <= part->from_ns || *from_ns >= part->to_ns)
            return false;
        *from_ns = vef_later(*from_ns, part->from_ns);
        *to_ns = *to_ns < part->to_ns ? *to_ns : part->to_ns;
    }
    return vef_shown_now(shown, on, *from_ns);
}

/* A slice of what an executor did up to a time, with the ends of arrows in it. */
static void put_span(vef_shown *shown, vef_shown_track *on, uint64_t until_ps, const char *name) {
    uint64_t from_ns = vef_shown_ns(on->until_ps);
    uint64_t to_ns = vef_shown_ns(until_ps);
    if (until_ps <= on->until_ps)
        return;
    on->until_ps = until_ps;
    shown->reached_ns = vef_later(shown->reached_ns, to_ns);
    if (!cut_span(shown, on, &from_ns, &to_ns))
        return;
    if (!vef_shown_begins(shown, on, from_ns)) {
        if (on->in_call) { /* its ends of arrows still belong here */
            vef_shown_flush(shown, on, to_ns, false);
            vef_shown_move(shown, on, to_ns);
        }
        return;
    }
    resume_regions(shown, on, from_ns);
    vef_shown_flush(shown, on, from_ns, false);
    vef_shown_begin(shown, on, from_ns, name, name, NULL, 0);
    vef_shown_flush(shown, on, to_ns, false);
    vef_shown_end(shown, on, to_ns, name);
}

static void spends(void *context, uint32_t who, vef_spent kind, uint64_t until_ps) {
    static const char *const names[] = {[VEF_SPENT_COMPUTING] = "computation",
                                        [VEF_SPENT_OUTSIDE] = "outside",
                                        [VEF_SPENT_OVERHEAD] = "overhead"};
    vef_shown *shown = context;
    vef_shown_track *on = vef_shown_track_of(shown, who);
    if (on)
        put_span(shown, on, until_ps, names[kind]);
}

static void waits(void *context, uint32_t who, uint64_t since_ps, uint64_t until_ps) {
    vef_shown *shown = context;
    vef_shown_track *on = vef_shown_track_of(shown, who);
    if (!on)
        return;
    put_span(shown, on, since_ps < until_ps ? since_ps : until_ps, "waiting");
    put_span(shown, on, until_ps, "communicating");
}

static void follows(void *context, uint32_t strand, uint32_t other, uint64_t until_ps) {
    vef_shown *shown = context;
    vef_shown_track *on = vef_shown_track_of(shown, strand);
    (void)other;
    if (on)
        put_span(shown, on, until_ps, "behind another thread");
}

/* With costs of hosts, processors handle messages for which no call waits. */
static void ends(void *context, uint32_t task, uint32_t strand, uint64_t end_ps) {
    (void)task;
    spends(context, strand, VEF_SPENT_OVERHEAD, end_ps);
}

void vef_shown_add_spans(vef_listener *listener) {
    listener->begins = begins;
    listener->enters = enters;
    listener->leaves = leaves;
    listener->starts_plan = starts_plan;
    listener->spends = spends;
    listener->waits = waits;
    listener->follows = follows;
    listener->ends = ends;
}
