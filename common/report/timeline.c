/* Writer of timelines. See timeline.h. */
#include "common/report/timeline.h"

#include "common/report/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <stdarg.h>

__attribute__((format(printf, 2, 3))) static void put(vef_timeline *timeline, const char *format,
                                                      ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vfprintf(timeline->out, format, arguments);
    va_end(arguments);
    if (written > 0)
        timeline->bytes += (uint64_t)written;
}

static void put_string(vef_timeline *timeline, const char *text) {
    timeline->bytes += vef_json_string(timeline->out, text);
}

static void put_arguments(vef_timeline *timeline, const vef_timeline_argument *arguments,
                          size_t count) {
    put(timeline, "{");
    for (size_t i = 0; i < count; i++) {
        put(timeline, i ? "," : "");
        put_string(timeline, arguments[i].key);
        put(timeline, ":");
        if (arguments[i].text)
            put_string(timeline, arguments[i].text);
        else
            put(timeline, "%" PRIu64, arguments[i].number);
    }
    put(timeline, "}");
}

/* One event per line: the phase of the format, and the group; the caller closes its brace. */
static void begin_event(vef_timeline *timeline, char phase, uint32_t group) {
    put(timeline, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32, timeline->events ? ",\n" : "\n", phase,
        group);
    timeline->events++;
}

static void put_time(vef_timeline *timeline, uint64_t time_ns) {
    put(timeline, ",\"ts\":%" PRIu64 ".%03u", time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void begin_track_event(vef_timeline *timeline, char phase, uint32_t group, uint64_t track,
                              uint64_t time_ns) {
    begin_event(timeline, phase, group);
    put(timeline, ",\"tid\":%" PRIu64, track);
    put_time(timeline, time_ns);
}

static void put_name(vef_timeline *timeline, const char *name) {
    put(timeline, ",\"name\":");
    put_string(timeline, name);
}

void vef_timeline_begin(vef_timeline *timeline, FILE *out, const vef_timeline_argument *facts,
                        size_t count) {
    *timeline = (vef_timeline){.out = out};
    put(timeline, "{\"displayTimeUnit\":\"ns\",\"otherData\":");
    put_arguments(timeline, facts, count);
    put(timeline, ",\n\"traceEvents\":[");
}

void vef_timeline_end(vef_timeline *timeline) {
    put(timeline, "\n]}\n");
}

/* Metadata of a group, or (`track` not 0) of a track. */
static void describe(vef_timeline *timeline, const char *what, uint32_t group, uint64_t track,
                     const char *key, const char *text, uint64_t number) {
    const vef_timeline_argument value = {key, text, number};
    if (timeline->sink)
        return;
    begin_event(timeline, 'M', group);
    if (track)
        put(timeline, ",\"tid\":%" PRIu64, track);
    put_name(timeline, what);
    put(timeline, ",\"args\":");
    put_arguments(timeline, &value, 1);
    put(timeline, "}");
}

void vef_timeline_group(vef_timeline *timeline, uint32_t group, const char *name) {
    describe(timeline, "process_name", group, 0, "name", name, 0);
    describe(timeline, "process_sort_index", group, 0, "sort_index", NULL, group);
}

void vef_timeline_track(vef_timeline *timeline, uint32_t group, uint64_t track, const char *name) {
    if (timeline->sink && group == 1)
        timeline->sink->add_track(timeline->sink->context, track, name);
    describe(timeline, "thread_name", group, track, "name", name, 0);
    describe(timeline, "thread_sort_index", group, track, "sort_index", NULL, track);
}

void vef_timeline_slice(vef_timeline *timeline, uint32_t group, uint64_t track, uint64_t time_ns,
                        const char *category, const char *name,
                        const vef_timeline_argument *arguments, size_t count) {
    if (timeline->sink) {
        if (group == 1)
            timeline->sink->begin(timeline->sink->context, track, time_ns, category, name,
                                  arguments, count);
        return;
    }
    begin_track_event(timeline, 'B', group, track, time_ns);
    put(timeline, ",\"cat\":");
    put_string(timeline, category);
    put_name(timeline, name);
    if (count > 0) {
        put(timeline, ",\"args\":");
        put_arguments(timeline, arguments, count);
    }
    put(timeline, "}");
}

void vef_timeline_slice_end(vef_timeline *timeline, uint32_t group, uint64_t track,
                            uint64_t time_ns, const char *name) {
    if (timeline->sink) {
        if (group == 1)
            timeline->sink->end(timeline->sink->context, track, time_ns);
        return;
    }
    begin_track_event(timeline, 'E', group, track, time_ns);
    put_name(timeline, name);
    put(timeline, "}");
}

void vef_timeline_mark(vef_timeline *timeline, uint32_t group, uint64_t track, uint64_t time_ns,
                       const char *name) {
    if (timeline->sink)
        return;
    begin_track_event(timeline, 'i', group, track, time_ns);
    put(timeline, ",\"s\":\"t\"");
    put_name(timeline, name);
    put(timeline, "}");
}

/* An event of a flow; events of one number, category and name belong together. */
static void put_flow(vef_timeline *timeline, char phase, const vef_timeline_arrow *end,
                     const char *binding) {
    begin_track_event(timeline, phase, end->group, end->track, end->time_ns);
    put(timeline, ",\"cat\":\"arrow\",\"name\":\"arrow\",\"id\":%" PRIu64 "%s}", end->number,
        binding);
}

void vef_timeline_arrow_end(vef_timeline *timeline, const vef_timeline_arrow *end) {
    if (timeline->sink) {
        timeline->sink->end_arrow(timeline->sink->context, end);
        return;
    }
    if (!end->name) {
        put_flow(timeline, 's', end, "");
        return;
    }
    vef_timeline_slice(timeline, end->group, end->track, end->time_ns, "arrow", end->name, NULL, 0);
    put_flow(timeline, 'f', end, ",\"bp\":\"e\"");
    vef_timeline_slice_end(timeline, end->group, end->track, end->time_ns, end->name);
}

void vef_timeline_counter(vef_timeline *timeline, uint32_t group, uint64_t time_ns,
                          const char *name, double value) {
    char text[VEF_QUANTITY_TEXT_BYTES];
    begin_event(timeline, 'C', group);
    put_time(timeline, time_ns);
    put_name(timeline, name);
    put(timeline, ",\"args\":{\"value\":%s}}", vef_format_real(text, value));
}
