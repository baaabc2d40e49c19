/* The hooks of a timeline. See replay_timeline.h.
 *
 * The bound: while the file is written, the ends of what is open (slices, arrows) are counted as if
 * they were in it. When that sum leaves no more than a reserve for executors that are behind, the
 * timeline is cut at the latest time at which a call was entered so far. From then on only calls
 * that are entered earlier are written. Should even the reserve be used up, nothing begins any
 * more, so that the bound holds in any case. */
#include "replay/timeline/replay_timeline.h"

#include "common/file.h"
#include "common/grow.h"
#include "replay/formats/format.h"
#include "replay/timeline/call_slices.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 1, PLANS, LINKS, LOST }; /* groups */

/* Bounds for what ends the file, a slice, an arrow; and for what an executor that is behind adds.
 */
enum { FRAME_BYTES = 1024, END_BYTES = 128, ARROW_BYTES = 448, BEHIND_BYTES = 4096 };
enum { COUNTER_BYTES = 160 };
#define NO_EXECUTOR UINT32_MAX

/* The end of an arrow that is still to be written. */
typedef struct arrow_end {
    uint64_t time_ns, number;
    uint32_t sender; /* where it enters */
    bool enters;
} arrow_end;

typedef struct track {
    uint32_t group;
    uint64_t place;               /* of the track in its group, from 1 */
    uint64_t until_cycles;        /* the end of the last report, */
    uint64_t last_ns;             /* and of the last event */
    uint64_t events;              /* entered */
    uint16_t call;                /* of the open slice; 0: none */
    bool in_call, named, stopped; /* stopped: at the cut */
    vef_shown_regions regions;
    arrow_end *queue; /* by time */
    size_t queued, queue_room;
} track;

/* A message under way; number 0: without an arrow. */
typedef struct message {
    uint64_t number, sent_ns, ready_cycles;
    uint32_t sender, posted_by;
} message;

struct vef_replay_timeline {
    vef_replay_hooks hooks;
    vef_output output;
    vef_timeline timeline;
    double cycle_ns;
    bool plans_named; /* their group */
    track *tracks;
    size_t track_count, track_room;
    message *messages; /* by record */
    size_t message_room;
    arrow_end *lost; /* arrows that no track takes */
    size_t lost_count, lost_room;
    uint64_t arrows, entered_ns, end_ns;
    uint64_t limit_bytes, max_bytes, owed_bytes; /* UINT64_MAX: none; of ends of what is open */
    bool cut, full;
    uint64_t cut_ns, left_out, calls;
    bool failed; /* without memory */
    vef_format_report notes;
};

/* Rounded down; the factor makes up for a product that is a whole number but for rounding. */
static uint64_t ns_of(const vef_replay_timeline *self, uint64_t cycles) {
    return (uint64_t)((double)cycles * self->cycle_ns * (1 + 0x1p-50));
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- the bound ---- */

/* Whether so many more bytes fit, with the ends of what is open. */
static bool fits(vef_replay_timeline *self, uint64_t bytes) {
    const uint64_t used = self->timeline.bytes + self->owed_bytes;
    if (used + bytes > self->limit_bytes)
        self->full = true;
    const uint64_t spare = BEHIND_BYTES * self->track_count;
    const uint64_t reserve = spare < self->limit_bytes / 4 ? spare : self->limit_bytes / 4;
    if (!self->cut && used + bytes > self->limit_bytes - reserve) {
        self->cut = true;
        self->cut_ns = self->entered_ns + 1;
    }
    return !self->full;
}

/* Whether something begins on the track: inside a call that is written, or before the cut. */
static bool begins_at(vef_replay_timeline *self, track *on, uint64_t time_ns) {
    if (self->cut && !on->in_call && time_ns >= self->cut_ns)
        on->stopped = true;
    return !on->stopped && fits(self, 1024);
}

/* ---- slices and arrows ---- */

static uint64_t move_to(vef_replay_timeline *self, track *on, uint64_t time_ns) {
    on->last_ns = later(on->last_ns, time_ns);
    self->end_ns = later(self->end_ns, on->last_ns);
    return on->last_ns;
}

static void put_arrow_end(vef_replay_timeline *self, track *on, const arrow_end *end) {
    const uint64_t time_ns = move_to(self, on, end->time_ns);
    char name[40];
    self->owed_bytes -= ARROW_BYTES;
    if (!end->enters) {
        vef_timeline_arrow_leaves(&self->timeline, on->group, on->place, time_ns, end->number);
        return;
    }
    snprintf(name, sizeof name, "from task %" PRIu32, end->sender);
    vef_timeline_arrow_enters(&self->timeline, on->group, on->place, time_ns, end->number, name);
}

/* Writes the ends of arrows up to a time; `leaving`: also all that leave. */
static void flush(vef_replay_timeline *self, track *on, uint64_t until_ns, bool leaving) {
    size_t kept = 0;
    for (size_t i = 0; i < on->queued; i++)
        if (on->queue[i].time_ns <= until_ns || (leaving && !on->queue[i].enters))
            put_arrow_end(self, on, &on->queue[i]);
        else
            on->queue[kept++] = on->queue[i];
    on->queued = kept;
}

static bool queue_end(vef_replay_timeline *self, track *on, arrow_end end) {
    if (!vef_grow(&on->queue, &on->queue_room, on->queued + 1, sizeof *on->queue)) {
        self->failed = true;
        return false;
    }
    size_t place = on->queued++;
    for (; place > 0 && on->queue[place - 1].time_ns > end.time_ns; place--)
        on->queue[place] = on->queue[place - 1];
    on->queue[place] = end;
    return true;
}

static void begin_slice(vef_replay_timeline *self, track *on, uint64_t time_ns,
                        const char *category, const char *name,
                        const vef_timeline_argument *arguments, size_t count) {
    vef_timeline_slice(&self->timeline, on->group, on->place, move_to(self, on, time_ns), category,
                       name, arguments, count);
}

static void end_slice(vef_replay_timeline *self, track *on, uint64_t time_ns, const char *name) {
    vef_timeline_slice_end(&self->timeline, on->group, on->place, move_to(self, on, time_ns), name);
}

/* A slice of what an executor did up to a time, with the ends of arrows in it. */
static void put_spent(vef_replay_timeline *self, track *on, uint64_t until_cycles,
                      const char *name) {
    const uint64_t from_ns = ns_of(self, on->until_cycles), to_ns = ns_of(self, until_cycles);
    if (until_cycles <= on->until_cycles)
        return;
    on->until_cycles = until_cycles;
    if (!begins_at(self, on, from_ns)) {
        if (on->in_call) { /* its ends of arrows still belong here */
            flush(self, on, to_ns, false);
            move_to(self, on, to_ns);
        }
        return;
    }
    flush(self, on, from_ns, false);
    begin_slice(self, on, from_ns, name, name, NULL, 0);
    flush(self, on, to_ns, false);
    end_slice(self, on, to_ns, name);
}

static track *track_of(vef_replay_timeline *self, uint32_t who) {
    return who < self->track_count ? &self->tracks[who] : NULL;
}

static bool reserve_tracks(vef_replay_timeline *self, uint32_t count) {
    if (!vef_grow(&self->tracks, &self->track_room, count, sizeof *self->tracks)) {
        self->failed = true;
        return false;
    }
    for (; self->track_count < count; self->track_count++)
        self->tracks[self->track_count] = (track){.group = PLANS};
    return true;
}

/* ---- hooks: time ---- */

static void begins(void *context, const vef_replay_shape *shape) {
    vef_replay_timeline *self = context;
    uint32_t thread = 0;
    char name[40];
    self->cycle_ns = vef_netmodel_cycle_ns(shape->network);
    if (!reserve_tracks(self, shape->strands))
        return;
    for (uint32_t strand = 0; strand < shape->strands; strand++) {
        const uint32_t task = shape->task_of[strand];
        thread = strand && shape->task_of[strand - 1] == task ? thread + 1 : 0;
        self->tracks[strand] =
            (track){.group = TASKS, .place = (uint64_t)strand + 1, .named = true};
        snprintf(name, sizeof name, thread ? "task %u.%u" : "task %u", task, thread);
        vef_timeline_track(&self->timeline, TASKS, (uint64_t)strand + 1, name);
    }
}

static void leave_innermost(vef_replay_timeline *self, track *on, uint64_t time_ns) {
    const vef_shown_region *left = &on->regions.open[on->regions.count - 1];
    if (left->written) {
        end_slice(self, on, time_ns, left->name);
        self->owed_bytes -= END_BYTES + 6 * strlen(left->name);
    }
    vef_shown_regions_pop(&on->regions);
}

static void put_region(vef_replay_timeline *self, track *on, const vef_event *event,
                       uint64_t time_ns) {
    const char *name = event->name ? event->name : "";
    const uint64_t owed_bytes = END_BYTES + 6 * strlen(name);
    if (event->call == VEF_CALL_Region_end) {
        const size_t place = vef_shown_regions_find(&on->regions, name);
        if (!on->stopped)
            while (place > 0 && on->regions.count >= place)
                leave_innermost(self, on, time_ns);
        return;
    }
    if (!begins_at(self, on, time_ns) || !fits(self, 1024 + 2 * owed_bytes))
        return;
    if (event->call != VEF_CALL_Region_begin) {
        vef_timeline_mark(&self->timeline, on->group, on->place, move_to(self, on, time_ns), name);
        return;
    }
    vef_error error;
    if (vef_shown_regions_push(&on->regions, name, true, &error)) {
        self->failed = true;
        return;
    }
    begin_slice(self, on, time_ns, "region", name, NULL, 0);
    self->owed_bytes += owed_bytes;
}

static void enters(void *context, uint32_t strand, const vef_event *event, uint64_t time_cycles) {
    vef_replay_timeline *self = context;
    track *on = track_of(self, strand);
    const uint64_t time_ns = ns_of(self, time_cycles);
    vef_timeline_argument arguments[VEF_CALL_MOST_ARGUMENTS];
    char title[VEF_CALL_TITLE_BYTES];
    if (!on)
        return;
    const uint64_t number = on->events++;
    if (vef_call_kind(event->call) == VEF_KIND_REGION) {
        put_region(self, on, event, time_ns);
        return;
    }
    self->calls++;
    if (!begins_at(self, on, time_ns)) {
        self->left_out++;
        return;
    }
    self->entered_ns = later(self->entered_ns, time_ns);
    const size_t count = vef_call_describe(event, number, arguments);
    vef_call_title(event->call, title);
    begin_slice(self, on, time_ns, "MPI", title, arguments, count);
    self->owed_bytes += END_BYTES;
    on->call = event->call;
    on->in_call = true;
    flush(self, on, time_ns, false);
}

/* Ends the slice of a call, or of a plan. */
static void end_call(vef_replay_timeline *self, track *on, uint64_t time_ns) {
    char title[VEF_CALL_TITLE_BYTES];
    if (!on->in_call)
        return;
    flush(self, on, time_ns, true);
    vef_call_title(on->call, title);
    end_slice(self, on, time_ns, title);
    self->owed_bytes -= END_BYTES;
    on->in_call = false;
}

static void leaves(void *context, uint32_t strand, uint64_t time_cycles) {
    vef_replay_timeline *self = context;
    track *on = track_of(self, strand);
    if (on)
        end_call(self, on, ns_of(self, time_cycles));
}

static void starts_plan(void *context, uint32_t who, uint32_t strand, uint16_t call,
                        uint64_t time_cycles) {
    vef_replay_timeline *self = context;
    const track *starter = track_of(self, strand);
    const uint64_t time_ns = ns_of(self, time_cycles);
    char title[VEF_CALL_TITLE_BYTES];
    if (!starter || !reserve_tracks(self, who + 1))
        return;
    starter = &self->tracks[strand];
    track *on = &self->tracks[who];
    end_call(self, on, ns_of(self, on->until_cycles)); /* the plan before it */
    on->until_cycles = later(on->until_cycles, time_cycles);
    if (!starter->in_call || !begins_at(self, on, time_ns))
        return;
    if (!on->named) {
        if (!self->plans_named)
            vef_timeline_group(&self->timeline, PLANS, "non-blocking collectives");
        self->plans_named = true;
        on->place = (uint64_t)who + 1;
        vef_timeline_track(&self->timeline, PLANS, on->place, "in the background");
        on->named = true;
    }
    const vef_timeline_argument argument = {.key = "started on track", .number = starter->place};
    vef_call_title(call, title);
    begin_slice(self, on, time_ns, "collective", title, &argument, 1);
    self->owed_bytes += END_BYTES;
    on->call = call;
    on->in_call = true;
}

static void spends(void *context, uint32_t who, vef_spent kind, uint64_t until_cycles) {
    static const char *const names[] = {[VEF_SPENT_COMPUTING] = "computation",
                                        [VEF_SPENT_OUTSIDE] = "outside",
                                        [VEF_SPENT_OVERHEAD] = "overhead"};
    vef_replay_timeline *self = context;
    track *on = track_of(self, who);
    if (on)
        put_spent(self, on, until_cycles, names[kind]);
}

static void waits(void *context, uint32_t who, uint64_t since_cycles, uint64_t until_cycles) {
    vef_replay_timeline *self = context;
    track *on = track_of(self, who);
    if (!on)
        return;
    put_spent(self, on, since_cycles < until_cycles ? since_cycles : until_cycles, "waiting");
    put_spent(self, on, until_cycles, "communicating");
}

static void follows(void *context, uint32_t strand, uint32_t other, uint64_t until_cycles) {
    vef_replay_timeline *self = context;
    track *on = track_of(self, strand);
    (void)other;
    if (on)
        put_spent(self, on, until_cycles, "behind another thread");
}

/* With costs of hosts, processors handle messages for which no call waits. */
static void ends(void *context, uint32_t task, uint32_t strand, uint64_t end_cycles) {
    (void)task;
    spends(context, strand, VEF_SPENT_OVERHEAD, end_cycles);
}

/* ---- hooks: messages ---- */

static void lose(vef_replay_timeline *self, arrow_end end) {
    if (vef_grow(&self->lost, &self->lost_room, self->lost_count + 1, sizeof *self->lost))
        self->lost[self->lost_count++] = end;
    else
        self->failed = true;
}

/* The record of a message with two sides, created if absent; else NULL. `first`: it is new. */
static message *message_of(vef_replay_timeline *self, uint64_t id, bool first) {
    const unsigned part = id % VEF_MESSAGE_PARTS;
    const size_t number = id / VEF_MESSAGE_PARTS, before = self->message_room;
    if (part == VEF_MESSAGE_ONE_SIDED || part == VEF_MESSAGE_BROADCAST)
        return NULL;
    if (!vef_grow(&self->messages, &self->message_room, number + 1, sizeof *self->messages)) {
        self->failed = true;
        return NULL;
    }
    if (self->message_room > before)
        memset(self->messages + before, 0, (self->message_room - before) * sizeof *self->messages);
    message *of = &self->messages[number];
    if (first && of->number) /* nobody received the one before */
        lose(self, (arrow_end){.number = of->number, .sender = of->sender, .enters = true});
    if (first)
        *of = (message){.posted_by = NO_EXECUTOR};
    return of;
}

static void sends(void *context, const vef_message_call *call) {
    vef_replay_timeline *self = context;
    message *of = message_of(self, call->id, call->first);
    track *on = track_of(self, call->who);
    if (!of || !on)
        return;
    of->sent_ns = ns_of(self, call->time_cycles);
    of->sender = call->sender;
    of->ready_cycles = later(of->ready_cycles, call->time_cycles);
    if (!on->in_call || on->stopped || !fits(self, 2 * ARROW_BYTES))
        return;
    of->number = ++self->arrows;
    if (of->sent_ns < on->last_ns)
        of->sent_ns = on->last_ns;
    if (queue_end(self, on, (arrow_end){.time_ns = of->sent_ns, .number = of->number}))
        self->owed_bytes += 2 * ARROW_BYTES; /* for both ends */
    else
        of->number = 0;
}

static void posts(void *context, const vef_message_call *call) {
    vef_replay_timeline *self = context;
    message *of = message_of(self, call->id, call->first);
    if (!of)
        return;
    of->posted_by = call->who;
    of->ready_cycles = later(of->ready_cycles, call->time_cycles);
}

/* Data are at their receiver. */
static void arrives(vef_replay_timeline *self, uint64_t id, uint64_t time_cycles) {
    message *of = id % VEF_MESSAGE_PARTS == VEF_MESSAGE_DATA ? message_of(self, id, false) : NULL;
    if (of)
        of->ready_cycles = later(of->ready_cycles, time_cycles);
}

static void injects(void *context, const vef_net_message *injected, uint64_t asked_cycles,
                    uint64_t arrival_cycles) {
    (void)asked_cycles;
    if (arrival_cycles != VEF_FOREVER)
        arrives(context, injected->id, arrival_cycles);
}

static void delivers(void *context, const vef_net_delivery *delivery) {
    arrives(context, delivery->id, delivery->time_cycles);
}

/* A message with both sides is complete. */
static void releases(void *context, vef_release_kind release, uint64_t number) {
    vef_replay_timeline *self = context;
    message *of = release == VEF_RELEASE_MESSAGE ? message_of(self, number, false) : NULL;
    track *plan = release == VEF_RELEASE_PLAN ? track_of(self, (uint32_t)number) : NULL;
    if (plan)
        end_call(self, plan, ns_of(self, plan->until_cycles));
    if (!of || of->posted_by == NO_EXECUTOR) /* for a probe */
        return;
    track *on = track_of(self, of->posted_by);
    const arrow_end end = {later(of->sent_ns, ns_of(self, of->ready_cycles)), of->number,
                           of->sender, true};
    if (of->number && on && on->named && !on->stopped)
        queue_end(self, on, end);
    else if (of->number)
        lose(self, end);
    *of = (message){.posted_by = NO_EXECUTOR};
}

/* ---- the whole ---- */

vef_code vef_replay_timeline_open(const char *path, const vef_replay_timeline_options *options,
                                  vef_replay_timeline **timeline, vef_error *error) {
    vef_replay_timeline *self = calloc(1, sizeof *self);
    if (!self)
        return vef_fail_memory(error, "a timeline", sizeof *self);
    const vef_code code = vef_output_open(&self->output, path, error);
    if (code != VEF_OK) {
        free(self);
        return code;
    }
    setvbuf(self->output.stream, NULL, _IOFBF, 1 << 16);
    self->hooks = (vef_replay_hooks){.self = self,
                                     .begins = begins,
                                     .enters = enters,
                                     .leaves = leaves,
                                     .starts_plan = starts_plan,
                                     .spends = spends,
                                     .waits = waits,
                                     .follows = follows,
                                     .releases = releases,
                                     .sends = sends,
                                     .posts = posts,
                                     .injects = injects,
                                     .delivers = delivers,
                                     .ends = ends};
    const vef_timeline_argument facts[] = {
        {.key = "trace", .text = options->trace},
        {.key = "network", .text = options->network},
        {.key = "mapping", .text = options->mapping},
        {.key = "written by", .text = "vef replay --timeline"},
    };
    const bool titled = options->application && *options->application;
    vef_timeline_begin(&self->timeline, self->output.stream, facts, sizeof facts / sizeof *facts);
    vef_timeline_group(&self->timeline, TASKS, titled ? options->application : "tasks");
    self->max_bytes = options->max_bytes ? options->max_bytes : UINT64_MAX;
    self->limit_bytes = self->max_bytes - (options->sampled ? self->max_bytes / 8 : 0);
    self->limit_bytes -= self->limit_bytes > FRAME_BYTES ? FRAME_BYTES : self->limit_bytes;
    *timeline = self;
    return VEF_OK;
}

const vef_replay_hooks *vef_replay_timeline_hooks(const vef_replay_timeline *timeline) {
    return &timeline->hooks;
}

/* Ends what is open, and the arrows of messages that are still under way. */
static void end_tracks(vef_replay_timeline *self) {
    for (size_t i = 0; i < self->track_count; i++) {
        track *on = &self->tracks[i];
        if (!on->stopped)
            move_to(self, on, ns_of(self, on->until_cycles));
        end_call(self, on, on->last_ns);
        flush(self, on, UINT64_MAX, true);
        while (on->regions.count > 0)
            leave_innermost(self, on, on->last_ns);
    }
    for (size_t i = 0; i < self->message_room; i++)
        if (self->messages[i].number)
            lose(self, (arrow_end){.number = self->messages[i].number,
                                   .sender = self->messages[i].sender,
                                   .enters = true});
    if (self->lost_count == 0)
        return;
    track beside = {.group = LOST, .place = 1, .last_ns = self->end_ns};
    vef_timeline_group(&self->timeline, LOST, "messages whose receive is not in the timeline");
    vef_timeline_track(&self->timeline, LOST, beside.place, "not received");
    for (size_t i = 0; i < self->lost_count; i++)
        put_arrow_end(self, &beside, &self->lost[i]);
}

/* How busy the links are, each value from the beginning of its interval. */
static void put_samples(vef_replay_timeline *self, const vef_link_samples *samples,
                        const vef_topology *topology) {
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    const size_t count = samples->count;
    uint64_t begin_cycles = 0;
    vef_timeline_group(&self->timeline, LINKS, "links");
    for (size_t i = 0; i < count; i++) {
        const vef_link_sample sample = vef_link_samples_get(samples, i);
        const uint64_t time_ns = ns_of(self, begin_cycles);
        if (self->timeline.bytes + COUNTER_BYTES * (uint64_t)(classes + 2) + FRAME_BYTES >
            self->max_bytes) {
            vef_format_note(&self->notes, "--max-size: %zu of %zu samples are left out", count - i,
                            count);
            return;
        }
        vef_timeline_counter(&self->timeline, LINKS, time_ns, "utilization_mean", sample.mean);
        vef_timeline_counter(&self->timeline, LINKS, time_ns, "utilization_max", sample.most);
        for (uint32_t class = 0; class < classes; class ++) {
            char name[64], title[80];
            vef_topology_link_class_name(topology, class, name, sizeof name);
            snprintf(title, sizeof title, "utilization_%s", name);
            vef_timeline_counter(&self->timeline, LINKS, time_ns, title, sample.by_class[class]);
        }
        begin_cycles = sample.end_cycles;
    }
}

static void note_what_is_left_out(vef_replay_timeline *self) {
    if (self->timeline.bytes > self->max_bytes)
        vef_format_note(&self->notes, "--max-size: the names of the tracks alone exceed it");
    if (!self->cut)
        return;
    vef_format_note(&self->notes,
                    "--max-size: written are the calls entered before %.9f s%s; %" PRIu64
                    " of %" PRIu64 " calls are left out",
                    (double)self->cut_ns * 1e-9,
                    self->full ? ", but for some that did not fit either" : "", self->left_out,
                    self->calls);
}

vef_code vef_replay_timeline_finish(vef_replay_timeline *self, const vef_netmodel *network,
                                    const vef_link_samples *samples, const char **notes,
                                    vef_error *error) {
    end_tracks(self);
    note_what_is_left_out(self);
    if (samples)
        put_samples(self, samples, network->topology);
    vef_timeline_end(&self->timeline);
    *notes = self->notes.notes;
    if (self->failed)
        return vef_fail_memory(error, "a timeline", self->message_room * sizeof *self->messages);
    return vef_output_commit(&self->output, error);
}

void vef_replay_timeline_destroy(vef_replay_timeline *self) {
    if (!self)
        return;
    vef_output_discard(&self->output);
    for (size_t i = 0; i < self->track_count; i++) {
        vef_shown_regions_free(&self->tracks[i].regions);
        free(self->tracks[i].queue);
    }
    free(self->tracks);
    free(self->messages);
    free(self->lost);
    free(self);
}
