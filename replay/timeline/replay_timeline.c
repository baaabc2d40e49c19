/* The file of a timeline: its beginning, samples, what is left out, its end. See replay_timeline.h.
 */
#include "replay/timeline/replay_timeline.h"

#include "common/memory.h"
#include "common/report/packed.h"
#include "netmodel/clock.h"
#include "replay/explain/path.h"
#include "replay/timeline/packed_timeline.h"
#include "replay/timeline/timeline_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bounds for what ends the file, and for a sample. */
enum { FRAME_BYTES = 1024, COUNTER_BYTES = 160 };

vef_code vef_replay_timeline_open(const char *path, const vef_replay_timeline_options *options,
                                  vef_replay_timeline **timeline, vef_error *error) {
    vef_replay_timeline *opened = vef_calloc(1, sizeof *opened);
    opened->listener.context = opened;
    opened->part = options->part;
    vef_shown_add_spans(&opened->listener);
    vef_shown_add_arrows(&opened->listener);
    if (!path) {
        opened->packed = vef_packed_timeline_new(options->max_bytes);
        opened->timeline.sink = vef_packed_timeline_sink(opened->packed);
        opened->limit_bytes = opened->max_bytes = UINT64_MAX;
        *timeline = opened;
        return VEF_OK;
    }
    const vef_code code = vef_output_open(&opened->output, path, error);
    if (code != VEF_OK) {
        free(opened);
        return code;
    }
    setvbuf(opened->output.stream, NULL, _IOFBF, 1 << 16);
    const vef_timeline_argument facts[] = {
        {.key = "trace", .text = options->trace},
        {.key = "network", .text = options->network},
        {.key = "mapping", .text = options->mapping},
        {.key = "written by", .text = "vef replay --timeline"},
    };
    const char *application = options->header->application;
    opened->header = options->header;
    vef_timeline_begin(&opened->timeline, opened->output.stream, facts,
                       sizeof facts / sizeof *facts);
    vef_timeline_group(&opened->timeline, VEF_SHOWN_TASKS, *application ? application : "tasks");
    opened->max_bytes = options->max_bytes ? options->max_bytes : UINT64_MAX;
    opened->limit_bytes = opened->max_bytes - (options->sampled ? opened->max_bytes / 8 : 0);
    opened->limit_bytes -= opened->limit_bytes > FRAME_BYTES ? FRAME_BYTES : opened->limit_bytes;
    *timeline = opened;
    return VEF_OK;
}

vef_listener *vef_replay_timeline_listener(vef_replay_timeline *timeline) {
    return &timeline->listener;
}

/* Ends what is open, and the arrows of messages that are still under way. */
static void end_tracks(vef_replay_timeline *timeline) {
    for (size_t i = 0; i < timeline->track_count; i++) {
        vef_shown_track *on = &timeline->tracks[i];
        if (!on->stopped && !timeline->part)
            vef_shown_move(timeline, on, vef_shown_ns(on->until_ps));
        vef_shown_end_call(timeline, on, on->last_ns);
        if (vef_shown_now(timeline, on, on->last_ns))
            vef_shown_flush(timeline, on, UINT64_MAX, true);
        else
            vef_shown_lose_queue(timeline, on);
        while (on->regions.count > 0)
            vef_shown_leave_region(timeline, on, on->last_ns);
    }
    vef_shown_end_arrows(timeline);
    vef_shown_put_lost(timeline);
}

/* How busy the links are, each value from the beginning of its interval. */
static void put_samples(vef_replay_timeline *timeline, const vef_link_samples *samples,
                        const vef_netmodel *network) {
    const vef_topology *topology = network->topology;
    const vef_net_clock cycle = vef_net_clock_of_cycles(network);
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    const size_t count = samples->count;
    uint64_t begin_ps = 0;
    vef_timeline_group(&timeline->timeline, VEF_SHOWN_LINKS, "links");
    for (size_t i = 0; i < count; i++) {
        const vef_link_sample sample = vef_link_samples_get(samples, i);
        const uint64_t time_ns = vef_shown_ns(begin_ps);
        if (timeline->timeline.bytes + COUNTER_BYTES * (uint64_t)(classes + 2) + FRAME_BYTES >
            timeline->max_bytes) {
            vef_note(&timeline->notes, "--max-size: %zu of %zu samples are left out", count - i,
                     count);
            return;
        }
        vef_timeline_counter(&timeline->timeline, VEF_SHOWN_LINKS, time_ns, "utilization_mean",
                             sample.mean);
        vef_timeline_counter(&timeline->timeline, VEF_SHOWN_LINKS, time_ns, "utilization_max",
                             sample.most);
        for (uint32_t class = 0; class < classes; class ++) {
            char name[64], title[80];
            vef_topology_link_class_name(topology, class, name, sizeof name);
            snprintf(title, sizeof title, "utilization_%s", name);
            vef_timeline_counter(&timeline->timeline, VEF_SHOWN_LINKS, time_ns, title,
                                 sample.by_class[class]);
        }
        begin_ps = vef_net_clock_ps(&cycle, sample.end_cycles);
    }
}

static void note_what_is_left_out(vef_replay_timeline *timeline) {
    if (timeline->timeline.bytes > timeline->max_bytes)
        vef_note(&timeline->notes, "--max-size: the names of the tracks alone exceed it");
    if (timeline->part && timeline->calls == 0)
        vef_note(&timeline->notes,
                 "the timeline is empty: no call meets the conditions; the tasks' simulated "
                 "times reach from 0 to %.9f s",
                 (double)timeline->reached_ns * 1e-9);
    if (timeline->ends_outside > 0)
        vef_note(&timeline->notes,
                 "%" PRIu64
                 " ends of messages without an arrow: the other end is not in "
                 "the timeline",
                 timeline->ends_outside);
    if (timeline->part && timeline->lost_count > 0)
        vef_note(&timeline->notes,
                 "%zu arrows enter the track 'not received': their messages are received "
                 "outside the timeline",
                 timeline->lost_count);
    if (timeline->operations > timeline->flown)
        vef_note(&timeline->notes,
                 "%" PRIu64 " of %" PRIu64
                 " one-sided operations without arrows: between tasks of one node they "
                 "take no time",
                 timeline->operations - timeline->flown, timeline->operations);
    if (!timeline->cut)
        return;
    vef_note(&timeline->notes,
             "--max-size: written are the calls entered before %.9f s%s; %" PRIu64 " of %" PRIu64
             " calls are left out",
             (double)timeline->cut_ns * 1e-9,
             timeline->full ? ", but for some that did not fit either" : "", timeline->left_out,
             timeline->calls);
}

vef_code vef_replay_timeline_finish(vef_replay_timeline *timeline, const vef_netmodel *network,
                                    const vef_link_samples *samples, const char **notes,
                                    vef_error *error) {
    end_tracks(timeline);
    note_what_is_left_out(timeline);
    *notes = timeline->notes.text;
    if (timeline->packed)
        return VEF_OK;
    if (samples)
        put_samples(timeline, samples, network);
    vef_timeline_end(&timeline->timeline);
    return vef_output_commit(&timeline->output, error);
}

/* ---- documents ---- */

enum { MOST_PIECES = 1 << 16 };

/* The pieces of a path, from its end. */
typedef struct packed_path {
    const vef_replay_timeline *timeline;
    vef_packed packed;
    uint64_t least_ns; /* of pieces that are shown */
    uint64_t last_ns;  /* begin of the last one */
    uint64_t pieces, shown;
} packed_path;

static void pack_piece(void *context, const vef_path_piece *piece) {
    packed_path *path = context;
    const vef_replay_timeline *timeline = path->timeline;
    const uint64_t begin_ns = vef_shown_ns(piece->begin_ps), end_ns = vef_shown_ns(piece->end_ps);
    unsigned most = 0;
    path->pieces++;
    if (end_ns - begin_ns < path->least_ns)
        return;
    for (unsigned cause = 1; cause < VEF_CAUSES; cause++)
        if (piece->ps.by_cause[cause] > piece->ps.by_cause[most])
            most = cause;
    const uint32_t rows[] = {timeline->first_of[piece->task], timeline->first_of[piece->from_task]};
    vef_pack(&path->packed, path->shown ? path->last_ns - end_ns : end_ns);
    vef_pack(&path->packed, end_ns - begin_ns);
    for (size_t i = 0; i < 2; i++)
        vef_pack(&path->packed,
                 i && !piece->message
                     ? 0
                     : vef_packed_timeline_place(timeline->packed, (uint64_t)rows[i] + 1) + 1);
    vef_pack(&path->packed, most);
    path->last_ns = begin_ns;
    path->shown++;
}

static void put_path(const vef_replay_timeline *timeline, const vef_time_record *record,
                     vef_result *into) {
    packed_path path = {.timeline = timeline, .least_ns = 0};
    const char *causes[VEF_CAUSES];
    for (unsigned cause = 0; cause < VEF_CAUSES; cause++)
        causes[cause] = vef_causes[cause].name;
    do {
        path.least_ns = path.shown ? 2 * path.least_ns + 1 : 0;
        path.packed.count = 0;
        path.pieces = path.shown = 0;
        vef_path_walk(record, pack_piece, &path);
    } while (path.shown > MOST_PIECES);
    VEF_PUT(into, "path_pieces", path.pieces);
    VEF_PUT(into, "path_shown", path.shown);
    VEF_PUT(into, "path_shortest_ns", path.least_ns);
    vef_put_texts(into, "causes", causes, VEF_CAUSES);
    vef_pack_put(&path.packed, into, "path");
}

void vef_replay_timeline_put(vef_replay_timeline *timeline, const vef_time_record *record,
                             vef_result *into) {
    vef_result *group = vef_packed_timeline_put(timeline->packed, into);
    VEF_PUT(group, "notes", *timeline->notes.text ? timeline->notes.text : NULL);
    if (record)
        put_path(timeline, record, group);
}

/* ---- */

void vef_replay_timeline_destroy(vef_replay_timeline *timeline) {
    if (!timeline)
        return;
    vef_output_discard(&timeline->output);
    vef_packed_timeline_free(timeline->packed);
    for (size_t i = 0; i < timeline->track_count; i++) {
        vef_shown_regions_free(&timeline->tracks[i].regions);
        free(timeline->tracks[i].queue);
    }
    for (uint32_t task = 0; task < timeline->tasks; task++) {
        if (timeline->selectors)
            vef_selector_end(&timeline->selectors[task]);
        if (timeline->targets)
            free(timeline->targets[task].queue);
    }
    free(timeline->selectors);
    free(timeline->targets);
    free(timeline->first_of);
    free(timeline->tracks);
    free(timeline->messages);
    free(timeline->flights);
    free(timeline->broadcasts);
    free(timeline->lost);
    free(timeline);
}
