/* The file of a timeline: its beginning, samples, what is left out, its end. See replay_timeline.h.
 */
#include "replay/timeline/replay_timeline.h"

#include "common/memory.h"
#include "netmodel/clock.h"
#include "replay/timeline/timeline_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Bounds for what ends the file, and for a sample. */
enum { FRAME_BYTES = 1024, COUNTER_BYTES = 160 };

vef_code vef_replay_timeline_open(const char *path, const vef_replay_timeline_options *options,
                                  vef_replay_timeline **timeline, vef_error *error) {
    vef_replay_timeline *self = vef_calloc(1, sizeof *self);
    const vef_code code = vef_output_open(&self->output, path, error);
    if (code != VEF_OK) {
        free(self);
        return code;
    }
    setvbuf(self->output.stream, NULL, _IOFBF, 1 << 16);
    self->listener.context = self;
    vef_shown_add_spans(&self->listener);
    vef_shown_add_arrows(&self->listener);
    const vef_timeline_argument facts[] = {
        {.key = "trace", .text = options->trace},
        {.key = "network", .text = options->network},
        {.key = "mapping", .text = options->mapping},
        {.key = "written by", .text = "vef replay --timeline"},
    };
    const bool titled = options->application && *options->application;
    vef_timeline_begin(&self->timeline, self->output.stream, facts, sizeof facts / sizeof *facts);
    vef_timeline_group(&self->timeline, VEF_SHOWN_TASKS, titled ? options->application : "tasks");
    self->part = options->part;
    self->max_bytes = options->max_bytes ? options->max_bytes : UINT64_MAX;
    self->limit_bytes = self->max_bytes - (options->sampled ? self->max_bytes / 8 : 0);
    self->limit_bytes -= self->limit_bytes > FRAME_BYTES ? FRAME_BYTES : self->limit_bytes;
    *timeline = self;
    return VEF_OK;
}

vef_listener *vef_replay_timeline_listener(vef_replay_timeline *timeline) {
    return &timeline->listener;
}

/* Ends what is open, and the arrows of messages that are still under way. */
static void end_tracks(vef_replay_timeline *self) {
    for (size_t i = 0; i < self->track_count; i++) {
        vef_shown_track *on = &self->tracks[i];
        if (!on->stopped && !self->part)
            vef_shown_move(self, on, vef_shown_ns(on->until_ps));
        vef_shown_end_call(self, on, on->last_ns);
        if (vef_shown_now(self, on, on->last_ns))
            vef_shown_flush(self, on, UINT64_MAX, true);
        else
            vef_shown_lose_queue(self, on);
        while (on->regions.count > 0)
            vef_shown_leave_region(self, on, on->last_ns);
    }
    vef_shown_end_arrows(self);
    vef_shown_put_lost(self);
}

/* How busy the links are, each value from the beginning of its interval. */
static void put_samples(vef_replay_timeline *self, const vef_link_samples *samples,
                        const vef_netmodel *network) {
    const vef_topology *topology = network->topology;
    const vef_net_clock cycle = vef_net_clock_of_cycles(network);
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    const size_t count = samples->count;
    uint64_t begin_ps = 0;
    vef_timeline_group(&self->timeline, VEF_SHOWN_LINKS, "links");
    for (size_t i = 0; i < count; i++) {
        const vef_link_sample sample = vef_link_samples_get(samples, i);
        const uint64_t time_ns = vef_shown_ns(begin_ps);
        if (self->timeline.bytes + COUNTER_BYTES * (uint64_t)(classes + 2) + FRAME_BYTES >
            self->max_bytes) {
            vef_note(&self->notes, "--max-size: %zu of %zu samples are left out", count - i, count);
            return;
        }
        vef_timeline_counter(&self->timeline, VEF_SHOWN_LINKS, time_ns, "utilization_mean",
                             sample.mean);
        vef_timeline_counter(&self->timeline, VEF_SHOWN_LINKS, time_ns, "utilization_max",
                             sample.most);
        for (uint32_t class = 0; class < classes; class ++) {
            char name[64], title[80];
            vef_topology_link_class_name(topology, class, name, sizeof name);
            snprintf(title, sizeof title, "utilization_%s", name);
            vef_timeline_counter(&self->timeline, VEF_SHOWN_LINKS, time_ns, title,
                                 sample.by_class[class]);
        }
        begin_ps = vef_net_clock_ps(&cycle, sample.end_cycles);
    }
}

static void note_what_is_left_out(vef_replay_timeline *self) {
    if (self->timeline.bytes > self->max_bytes)
        vef_note(&self->notes, "--max-size: the names of the tracks alone exceed it");
    if (self->part && self->calls == 0)
        vef_note(&self->notes,
                 "the timeline is empty: no call meets the conditions; the tasks' simulated "
                 "times reach from 0 to %.9f s",
                 (double)self->reached_ns * 1e-9);
    if (self->ends_outside > 0)
        vef_note(&self->notes,
                 "%" PRIu64
                 " ends of messages without an arrow: the other end is not in "
                 "the timeline",
                 self->ends_outside);
    if (self->part && self->lost_count > 0)
        vef_note(&self->notes,
                 "%zu arrows enter the track 'not received': their messages are received "
                 "outside the timeline",
                 self->lost_count);
    if (self->operations > self->flown)
        vef_note(&self->notes,
                 "%" PRIu64 " of %" PRIu64
                 " one-sided operations without arrows: between tasks of one node they "
                 "take no time",
                 self->operations - self->flown, self->operations);
    if (!self->cut)
        return;
    vef_note(&self->notes,
             "--max-size: written are the calls entered before %.9f s%s; %" PRIu64 " of %" PRIu64
             " calls are left out",
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
        put_samples(self, samples, network);
    vef_timeline_end(&self->timeline);
    *notes = self->notes.text;
    if (self->failed) {
        *error = self->error;
        return self->error.code;
    }
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
    for (uint32_t task = 0; task < self->tasks; task++) {
        if (self->selectors)
            vef_selector_end(&self->selectors[task]);
        if (self->targets)
            free(self->targets[task].queue);
    }
    free(self->selectors);
    free(self->targets);
    free(self->first_of);
    free(self->tracks);
    free(self->messages);
    free(self->flights);
    free(self->broadcasts);
    free(self->lost);
    free(self);
}
