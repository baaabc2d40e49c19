/* Writing a trace as a timeline (common/report/timeline.h): a track per thread of a task, with
 * calls and the computation between them as slices inside those of the program's regions, and an
 * arrow per message, from the call that sends it to the one that ends its receive.
 *
 * Each task has its own clock, that of slices (traces/slice/slice.h): recorded computation, time in
 * MPI and outside, from the end of MPI_Init, which like MPI_Finalize has length 0. Clocks of tasks
 * are not synchronised, so an arrow may point back in time; such arrows are counted.
 *
 * The trace is read twice. The first pass finds the messages with both ends in the part, so that
 * every arrow has both; and, if the file is bounded, how many bytes the events of each interval of
 * time take. A timeline beyond the bound is cut at the end of an interval, for all tasks, and the
 * messages are then searched again up to there. Memory: the requests of one task, the runs of
 * messages of each pair of tasks, and 8 bytes per message, for its time. */
#include "common/grow.h"
#include "common/memory.h"
#include "interchange/chrome/chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static vef_chrome_messages *open_messages(vef_chrome *self, uint32_t from, uint32_t to) {
    uint64_t key = (uint64_t)from << 32 | to;
    const uint64_t *known = vef_map64_get(&self->pair_of, key);
    if (known)
        return &self->pairs[*known];
    vef_grow(&self->pairs, &self->pair_capacity, self->pair_count + 1, sizeof *self->pairs);
    vef_map64_set(&self->pair_of, key, self->pair_count);
    self->pairs[self->pair_count] = (vef_chrome_messages){0};
    return &self->pairs[self->pair_count++];
}

/* Compares the times of both ends, once the second is known. */
static void compare_times(vef_chrome *self, vef_chrome_messages *messages, uint64_t place,
                          bool enters, uint64_t time_ns) {
    if (!messages->first_ns)
        messages->first_ns = vef_calloc(messages->kept, sizeof *messages->first_ns);
    uint64_t *first_ns = &messages->first_ns[place]; /* plus 1 */
    if (*first_ns == 0) {
        *first_ns = time_ns + 1;
        return;
    }
    uint64_t left_ns = enters ? *first_ns - 1 : time_ns;
    uint64_t entered_ns = enters ? time_ns : *first_ns - 1;
    self->back += entered_ns < left_ns;
}

static void put_arrow(vef_chrome *self, const vef_chrome_end *end, uint64_t track, uint64_t time_ns,
                      uint64_t number) {
    char name[40];
    if (!end->enters) {
        vef_timeline_arrow_leaves(&self->timeline, VEF_CHROME_TASKS, track, time_ns, number);
        return;
    }
    snprintf(name, sizeof name, "from task %" PRIu32, end->peer);
    vef_timeline_arrow_enters(&self->timeline, VEF_CHROME_TASKS, track, time_ns, number, name);
}

void vef_chrome_message(vef_chrome *self, const vef_chrome_end *end, uint64_t track,
                        uint64_t time_ns) {
    uint32_t from = end->enters ? end->peer : self->task;
    uint32_t to = end->enters ? self->task : end->peer;
    vef_chrome_messages *messages = open_messages(self, from, to);
    if (!self->writing) {
        self->ends++;
        if (self->timeline.out)
            put_arrow(self, end, track, time_ns, self->header->messages);
        vef_runs_add(end->enters ? &messages->received : &messages->sent, end->ordinal);
        return;
    }
    uint64_t place;
    if (!vef_runs_has(&messages->sent, end->ordinal, &place))
        return;
    self->arrow_ends++;
    put_arrow(self, end, track, time_ns, messages->number + place);
    compare_times(self, messages, place, end->enters, time_ns);
}

/* ---- passes ---- */

static void forget_messages(vef_chrome *self) {
    for (size_t i = 0; i < self->pair_count; i++) {
        vef_runs_free(&self->pairs[i].sent);
        vef_runs_free(&self->pairs[i].received);
        free(self->pairs[i].first_ns);
    }
    self->pair_count = 0;
    vef_map64_clear(&self->pair_of);
}

/* Numbers the messages with both ends in the part, from 1. */
static void number_messages(vef_chrome *self) {
    uint64_t next = 1;
    for (size_t i = 0; i < self->pair_count; i++) {
        vef_chrome_messages *messages = &self->pairs[i];
        vef_runs_settle(&messages->received);
        vef_runs_settle(&messages->sent);
        vef_runs_intersect(&messages->sent, &messages->received);
        vef_runs_settle(&messages->sent);
        const vef_runs *kept = &messages->sent;
        const vef_run *last = kept->count ? &kept->run[kept->count - 1] : NULL;
        messages->kept = last ? last->before + (last->end - last->first) : 0;
        messages->number = next;
        next += messages->kept;
    }
}

/* The time up to which the events fit. The interval of the first event is the shortest that the
 * counts can tell apart. */
static uint64_t fitting_ns(const vef_chrome *self, uint64_t max_bytes) {
    uint64_t bytes = self->frame_bytes;
    size_t interval = 0;
    for (; interval < VEF_CHROME_INTERVALS; interval++) {
        bytes += self->interval_bytes[interval];
        if (bytes > max_bytes)
            break;
    }
    return interval * self->interval_ns;
}

static vef_code survey(vef_chrome *self, vef_error *error) {
    self->calls = self->ends = 0;
    forget_messages(self);
    const vef_code code = vef_chrome_read(self, error);
    if (code == VEF_OK)
        number_messages(self);
    return code;
}

/* Cuts the part where the bytes of its events exceed the bound. */
static vef_code bound(vef_chrome *self, uint64_t max_bytes, vef_error *error) {
    uint64_t bytes = self->timeline.bytes + self->frame_bytes;
    self->timeline.out = NULL;
    if (bytes <= max_bytes)
        return VEF_OK;
    self->cut = true;
    self->calls_in_part = self->calls;
    self->cut_ns = fitting_ns(self, max_bytes);
    if (!self->part.by_time)
        self->part.to_ns = UINT64_MAX;
    self->part.by_time = true;
    if (self->part.to_ns > self->cut_ns)
        self->part.to_ns = self->cut_ns;
    return survey(self, error);
}

/* ---- the file ---- */

static void begin_file(vef_chrome *self, FILE *out) {
    const vef_trace_header *header = self->header;
    const vef_timeline_argument facts[] = {
        {.key = "application", .text = header->application},
        {.key = "command", .text = header->command},
        {.key = "MPI library", .text = header->library},
        {.key = "date", .text = header->date},
        {.key = "clock", .text = header->clock},
        {.key = "tasks", .number = header->tasks},
        {.key = "written by", .text = "vef export --format chrome"},
    };
    vef_timeline_begin(&self->timeline, out, facts, sizeof facts / sizeof *facts);
    vef_timeline_group(&self->timeline, VEF_CHROME_TASKS,
                       *header->application ? header->application : "tasks");
}

static void report(const vef_chrome *self, vef_format_report *to) {
    const vef_trace_header *header = self->header;
    uint64_t arrows = self->arrow_ends / 2;
    to->lines = self->timeline.events;
    if (self->cut)
        vef_note(&to->notes,
                 "--max-size: written are the calls entered before %.9f s; %" PRIu64 " of %" PRIu64
                 " calls are left out",
                 (double)self->cut_ns * 1e-9, self->calls_in_part - self->calls,
                 self->calls_in_part);
    if (self->calls == 0)
        vef_note(&to->notes,
                 "the timeline is empty: no call meets the conditions; the tasks' recorded "
                 "times reach from 0 to %.9f s",
                 (double)self->longest_ns * 1e-9);
    if (self->ends > self->arrow_ends)
        vef_note(&to->notes,
                 "%" PRIu64
                 " ends of messages without an arrow: the other end is not in "
                 "the timeline",
                 self->ends - self->arrow_ends);
    if (self->unmatched > 0)
        vef_note(&to->notes,
                 "%" PRIu64 " sends and receives without an arrow: the trace has no counterpart",
                 self->unmatched);
    if (self->one_sided > 0)
        vef_note(&to->notes,
                 "%" PRIu64
                 " one-sided operations without an arrow: a trace does not store when they "
                 "reach their target",
                 self->one_sided);
    if (self->back > 0)
        vef_note(&to->notes,
                 "%" PRIu64 " of %" PRIu64
                 " arrows point back in time, because the clocks of tasks are not "
                 "synchronised; Perfetto does not draw them",
                 self->back, arrows);
    if (strcmp(header->times, "compute") == 0)
        vef_note(&to->notes, "calls have length 0: the trace has no durations");
}

static vef_code write_file(vef_chrome *self, const char *path, vef_format_report *to,
                           vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code)
        return code;
    setvbuf(output.stream, NULL, _IOFBF, 1 << 16);
    begin_file(self, output.stream);
    self->writing = true;
    self->calls = self->unmatched = self->one_sided = 0;
    code = vef_chrome_read(self, error);
    vef_timeline_end(&self->timeline);
    report(self, to);
    if (!code)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

vef_code vef_chrome_write(const char *path, vef_trace *trace, const vef_format_options *options,
                          vef_format_report *to, vef_error *error) {
    vef_chrome self = {.trace = trace, .header = vef_trace_get_header(trace), .interval_ns = 1};
    FILE *nowhere = NULL;
    *to = (vef_format_report){0};
    if (options->part)
        self.part = *options->part;
    if (options->max_bytes > 0) {
        nowhere = fopen("/dev/null", "w");
        if (!nowhere)
            return vef_fail_errno(error, "/dev/null");
        begin_file(&self, nowhere);
        self.frame_bytes = self.timeline.bytes + VEF_CHROME_FRAME_BYTES;
        self.timeline.bytes = 0;
    }
    self.interval_bytes = vef_calloc(VEF_CHROME_INTERVALS, sizeof *self.interval_bytes);
    /* An unknown name is a mistake, an interval without calls is not. */
    vef_code code = vef_slice_check_names(trace, &self.part, error);
    if (!code)
        code = survey(&self, error);
    if (!code && nowhere)
        code = bound(&self, options->max_bytes, error);
    if (!code)
        code = write_file(&self, path, to, error);
    if (nowhere)
        fclose(nowhere);
    forget_messages(&self);
    free(self.interval_bytes);
    free(self.pairs);
    vef_map64_free(&self.pair_of);
    return code;
}
