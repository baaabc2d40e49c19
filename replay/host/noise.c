/* Noise of the operating system: see noise.h. */
#include "replay/host/noise.h"
#include "common/system/input.h"

#include "common/memory.h"
#include "replay/state/sim_time.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, PERIODIC, EXPONENTIAL, FROM_FILE };
const vef_param vef_noise_schema[] = {
    {VEF_KEY(CHOICE, vef_noise, kind), .fallback = "none",
     .choices = VEF_LIST([NONE] = "none", [PERIODIC] = "periodic", [EXPONENTIAL] = "exponential",
                         [FROM_FILE] = "file"),
     .help = "when the operating system interrupts computation"},
    {VEF_KEY_AS("period", TIME, vef_noise, period_ns), .fallback = "10 ms", .maximum = INFINITY,
     .help = "periodic: from interruption to interruption; exponential: mean time between them"},
    {VEF_KEY_AS("duration", TIME, vef_noise, duration_ns), .fallback = "25 us", .maximum = INFINITY,
     .help = "of an interruption; exponential: in the mean"},
    {VEF_KEY(BOOL, vef_noise, synchronous), .fallback = "false",
     .help = "whether all tasks are interrupted at the same times"},
    {VEF_KEY(UINT, vef_noise, seed), .fallback = "1", .help = "of the interruptions' times"},
    {VEF_KEY(PATH, vef_noise, file), .fallback = "~",
     .help = "lines of begin and duration in ns, repeated from a random point"},
    {.key = NULL},
};

/* ---- reading ---- */

typedef struct noise_file {
    const vef_node *node;
    vef_noise *noise;
    vef_arena *arena;
    vef_noise_interval *intervals;
    size_t room;
    uint64_t line, noise_ns;
} noise_file;

static vef_code bad_line(const noise_file *file, const char *what, vef_error *error) {
    return vef_fail(error, VEF_INVALID, "%s:%llu: %s", file->noise->file,
                    (unsigned long long)file->line, what);
}

static void add_interval(noise_file *file, const vef_noise_interval *interval) {
    vef_noise *noise = file->noise;
    if (noise->interval_count == file->room) {
        const size_t room = file->room ? 2 * file->room : 256;
        vef_noise_interval *grown = vef_arena_alloc(file->arena, room, sizeof *grown);
        if (file->room)
            memcpy(grown, file->intervals, file->room * sizeof *grown);
        file->intervals = grown;
        file->room = room;
    }
    file->intervals[noise->interval_count++] = *interval;
    noise->length_ns = interval->end;
    file->noise_ns += interval->end - interval->begin;
}

static vef_code read_line(noise_file *file, const char *line, vef_error *error) {
    static const char expected[] =
        "expected when an interruption begins and how long it lasts, two whole numbers of ns";
    char *end;
    line += strspn(line, " \t\r\n");
    if (*line == '#' || *line == '\0')
        return VEF_OK;
    errno = 0;
    if (*line < '0' || *line > '9')
        return bad_line(file, expected, error);
    const uint64_t begin = strtoull(line, &end, 10);
    end += strspn(end, " \t,");
    if (*end < '0' || *end > '9')
        return bad_line(file, expected, error);
    const uint64_t duration = strtoull(end, &end, 10);
    end += strspn(end, " \t\r\n");
    if (errno || *end || begin > VEF_MOST_PS || duration > VEF_MOST_PS)
        return bad_line(file, expected, error);
    if (begin < file->noise->length_ns)
        return bad_line(file, "the interruption begins before the end of the one before", error);
    add_interval(file, &(vef_noise_interval){begin, begin + duration});
    return VEF_OK;
}

static vef_code read_file(noise_file *file, vef_error *error) {
    vef_noise *noise = file->noise;
    FILE *in = vef_input_stream(noise->file);
    if (!in)
        return vef_node_fail(file->node, error, "file: %s: %s", noise->file, strerror(errno));
    char *line = NULL;
    size_t bytes = 0;
    vef_code code = VEF_OK;
    while (code == VEF_OK && vef_getline(&line, &bytes, in) >= 0) {
        file->line++;
        code = read_line(file, line, error);
    }
    if (code == VEF_OK && ferror(in))
        code = vef_fail(error, VEF_IO, "%s: cannot be read", noise->file);
    free(line);
    fclose(in);
    if (code == VEF_OK && noise->interval_count == 0)
        code = vef_fail(error, VEF_INVALID, "%s: no interruptions: expected at least one",
                        noise->file);
    if (code == VEF_OK && file->noise_ns == noise->length_ns)
        code = vef_fail(error, VEF_INVALID,
                        "%s: the interruptions leave no time between them: the task would never "
                        "compute",
                        noise->file);
    noise->intervals = file->intervals;
    return code;
}

vef_code vef_noise_prepare(const vef_node *node, vef_noise *noise, vef_arena *arena,
                           vef_error *error) {
    noise->intervals = NULL;
    noise->interval_count = noise->length_ns = 0;
    if (noise->kind == NONE)
        return VEF_OK;
    if (noise->kind == FROM_FILE) {
        if (!noise->file)
            return vef_node_fail(node, error, "noise: missing key file, for kind file");
        return read_file(
            &(noise_file){.node = vef_node_get(node, "file"), .noise = noise, .arena = arena},
            error);
    }
    if (!(noise->period_ns > 0) || !(noise->duration_ns < noise->period_ns))
        return vef_node_fail(node, error,
                             "noise: duration is not below period: the task would never compute");
    return VEF_OK;
}

vef_noise vef_noise_none(void) {
    return (vef_noise){.period_ns = 1e7, .duration_ns = 25e3, .seed = 1};
}

/* ---- intervals ---- */

static vef_noise_interval ps_of(const vef_noise_interval *ns) {
    return (vef_noise_interval){vef_ps_of_ns(ns->begin), vef_ps_of_ns(ns->end)};
}

static uint64_t exponential(vef_rng *rng, double mean_ns) {
    return vef_ps_of(-mean_ns * log1p(-vef_rng_unit(rng)));
}

/* The period in ps after which the intervals repeat: at least 1. */
static uint64_t period_of(const vef_noise *noise) {
    const double ns = noise->kind == FROM_FILE ? (double)noise->length_ns : noise->period_ns;
    const uint64_t ps = vef_ps_of(ns);
    return ps ? ps : 1;
}

/* The interval after the stream's. */
static void go_to_next(const vef_noise *noise, vef_noise_stream *stream) {
    vef_noise_interval *now = &stream->ps;
    const uint64_t period = period_of(noise);
    if (noise->kind == EXPONENTIAL) {
        now->begin = now->end + 1 + exponential(&stream->rng, noise->period_ns);
        now->end = now->begin + exponential(&stream->rng, noise->duration_ns);
    } else if (noise->kind == PERIODIC) {
        now->begin += period;
        now->end += period;
    } else {
        stream->next++;
        const size_t nth = stream->next % noise->interval_count;
        const uint64_t before = stream->next / noise->interval_count * period;
        *now = ps_of(&noise->intervals[nth]);
        now->begin += before;
        now->end += before;
    }
}

vef_noise_stream vef_noise_begin(const vef_noise *noise, uint64_t thread) {
    vef_noise_stream stream = {
        .rng = vef_rng_make(noise->seed, VEF_RNG_NOISE, noise->synchronous ? 0 : thread)};
    if (noise->kind == NONE)
        return stream;
    if (noise->kind == EXPONENTIAL) {
        go_to_next(noise, &stream);
        return stream;
    }
    /* Time 0 is at a random point of the period: the first intervals may have passed by then. */
    stream.offset_ps = (uint64_t)(vef_rng_unit(&stream.rng) * (double)period_of(noise));
    if (noise->kind == PERIODIC) {
        const uint64_t period = period_of(noise);
        const uint64_t duration = vef_ps_of(noise->duration_ns);
        stream.ps.end = duration < period ? duration : period - 1;
    } else {
        stream.ps = ps_of(noise->intervals);
    }
    return stream;
}

/* Skips whole repetitions that have ended by `time`. */
static void skip_periods(const vef_noise *noise, vef_noise_stream *stream, uint64_t time) {
    if (noise->kind == EXPONENTIAL || time <= stream->ps.end)
        return;
    const uint64_t period = period_of(noise);
    const uint64_t periods = (time - stream->ps.end) / period;
    stream->ps.begin += periods * period;
    stream->ps.end += periods * period;
    if (noise->kind == FROM_FILE)
        stream->next += periods * noise->interval_count;
}

uint64_t vef_noise_stretch(const vef_noise *noise, vef_noise_stream *stream, uint64_t start_ps,
                           uint64_t work_ps) {
    if (start_ps >= VEF_MOST_PS || work_ps >= VEF_MOST_PS)
        return work_ps;
    const uint64_t start = start_ps + stream->offset_ps;
    uint64_t time = start, work = work_ps;
    skip_periods(noise, stream, time);
    while (work > 0 && time < VEF_MOST_PS) {
        const vef_noise_interval *next = &stream->ps;
        if (next->end <= time) {
            go_to_next(noise, stream);
        } else if (next->begin <= time) {
            time = next->end;
        } else {
            const uint64_t free = next->begin - time;
            const uint64_t done = work < free ? work : free;
            time += done;
            work -= done;
        }
    }
    return time - start + work;
}
