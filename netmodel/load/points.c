/* Points of an open-loop measurement: their runs advance on several threads. See load.h.
 *
 * The runs of a point advance to a common length, then its procedure (measure.h) decides how to go
 * on, so results do not depend on the threads. Threads take a run of the earliest point that has
 * one, the one that lacks most, and advance it by a part of what it lacks: three runs then share
 * two cores evenly. Only when every run of the points under way is taken does the next point begin.
 *
 * After a deadlock or a failure points of greater number are abandoned, earlier ones finished: the
 * reported failure is deterministic. */
#include "netmodel/load/combine.h"
#include "netmodel/load/run.h"

#include "common/memory.h"
#include "common/threads/pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { LEAST_PACKETS = 10000, PARTS = 6, LEAST_PART = 8 };

typedef struct piece {
    vef_running *run; /* NULL: not yet open, or closed */
    bool taken;       /* by a thread */
    uint64_t lacks;   /* intervals until the next decision, when not taken */
    vef_code code;
    vef_error error;
} piece;

typedef struct point_work {
    vef_measure *measure; /* NULL: not yet begun, or ended */
    piece *pieces;        /* [seeds] */
    uint32_t lacking;     /* pieces that lack intervals */
    uint64_t part;        /* intervals that a thread advances a piece by */
    bool ended;
    double share;   /* finished */
    double spent_s; /* by its threads */
    vef_code code;
    vef_error error;
} point_work;

typedef struct work {
    const vef_load_settings *settings;
    const vef_load_watch *watch;
    vef_load_point *points;
    point_work *works;
    uint32_t count;
    uint32_t senders;     /* endpoints */
    uint32_t run_threads; /* that simulate one run, where runs are fewer than threads */

    pthread_mutex_t lock; /* for what follows, and for all of `works` but runs that are taken */
    pthread_cond_t changed;
    uint32_t begun; /* points from here on have not begun */
    uint32_t end;   /* points from here on are abandoned */
} work;

/* ---- progress ---- */

/* Of the points under way the share of each says how long it will take, and the others are like
 * them. */
static void report(const work *points) {
    if (!points->watch)
        return;
    double spent_s = 0, whole_s = 0;
    for (uint32_t p = 0; p < points->begun; p++) {
        const point_work *point = &points->works[p];
        spent_s += point->spent_s;
        whole_s += point->share > 0 ? point->spent_s / point->share : point->spent_s;
    }
    whole_s *= (double)points->end / points->begun;
    if (whole_s > 0)
        points->watch->report(points->watch->context, fmin(spent_s / whole_s, 1));
}

static void update_share(const work *points, point_work *point) {
    uint64_t lacks = 0;
    const uint32_t seeds = points->settings->seeds;
    for (uint32_t i = 0; i < seeds; i++)
        lacks += point->pieces[i].lacks;
    point->share = vef_measure_share(point->measure, (double)lacks / seeds);
}

/* ---- a point ---- */

static void release(const work *points, point_work *point) {
    for (uint32_t i = 0; point->pieces && i < points->settings->seeds; i++)
        vef_running_close(point->pieces[i].run);
    free(point->pieces);
    vef_measure_free(point->measure);
    point->pieces = NULL;
    point->measure = NULL;
}

/* The point has ended; after a failure or a deadlock, so have all later ones. */
static void end(work *points, uint32_t number) {
    point_work *point = &points->works[number];
    point->ended = true;
    point->share = 1;
    if ((point->code != VEF_OK || points->points[number].deadlocked) && number + 1 < points->end)
        points->end = number + 1;
    release(points, point);
}

/* The runs advance to the next decision. */
static void go_on(const work *points, point_work *point) {
    point->lacking = points->settings->seeds;
    for (uint32_t i = 0; i < points->settings->seeds; i++)
        point->pieces[i].lacks = vef_measure_lacks(point->measure, i);
    point->part = point->pieces[0].lacks / PARTS + LEAST_PART;
}

static void begin(work *points, uint32_t number) {
    const vef_load_settings *settings = points->settings;
    point_work *point = &points->works[number];
    vef_load_point *out = &points->points[number];
    const vef_measure_settings how = {
        .runs = settings->seeds,
        .interval_cycles = VEF_INTERVAL_CYCLES,
        .offered_phits = out->rate * points->senders * VEF_INTERVAL_CYCLES,
        .precision = settings->precision,
        .most_intervals = settings->most_cycles / VEF_INTERVAL_CYCLES,
        .least_packets = LEAST_PACKETS,
        .phits_alone = settings->throughput_alone,
        .gives_up = settings->gives_up,
    };
    point->pieces = vef_calloc(settings->seeds, sizeof *point->pieces);
    point->measure = vef_measure_new(&how);
    out->runs = vef_calloc(settings->seeds, sizeof *out->runs);
    out->run_room = settings->seeds;
    go_on(points, point);
}

/* The interval of a mean over all runs, which is already in `figure`, from `factor` times what was
 * measured. */
static void put_interval(vef_estimate *figure, const vef_estimate *measured, double factor,
                         double doubt) {
    const double mean = figure->mean;
    *figure = vef_scaled_estimate(measured, factor);
    figure->mean = mean;
    figure->variance *= doubt;
}

static void finish(const work *points, uint32_t number) {
    point_work *point = &points->works[number];
    const vef_measurement *measured = vef_measure_result(point->measure);
    vef_load_point *out = &points->points[number];
    out->run_count = points->settings->seeds;
    for (uint32_t i = 0; i < out->run_count; i++) {
        const vef_code code = vef_running_finish(point->pieces[i].run, point->measure, i,
                                                 &out->runs[i], &point->error);
        point->code = code != VEF_OK ? code : point->code;
        if (out->runs[i].deadlock && !out->deadlocked)
            out->deadlocked = &out->runs[i];
    }
    if (out->deadlocked || point->code != VEF_OK)
        return;
    vef_load_combine(points->settings->traffic.pattern, out);
    const double to_load = 1.0 / VEF_INTERVAL_CYCLES / out->runs[0].endpoints;
    const vef_measured_means *means = &measured->means;
    const double doubt = measured->doubt;
    put_interval(&out->figures.accepted_load, &means->phits, to_load, doubt);
    put_interval(&out->figures.latency_cycles, &means->packet_latency, 1, doubt);
    put_interval(&out->figures.message_latency_cycles, &means->message_latency, 1, doubt);
    out->settled = measured->settled;
    out->precise = measured->precise;
    out->saturated = measured->saturated;
    out->unbounded = measured->unbounded;
    out->needed_cycles = measured->needed_intervals * VEF_INTERVAL_CYCLES;
}

/* All runs of the point have the wanted length, or are dead or failed: what next? */
static void decide(work *points, uint32_t number) {
    point_work *point = &points->works[number];
    const uint32_t seeds = points->settings->seeds;
    bool dead = false;
    for (uint32_t i = seeds; i-- > 0;) {
        const piece *one = &point->pieces[i];
        dead = dead || (one->run && vef_running_is_dead(one->run));
        if (one->code != VEF_OK) {
            point->code = one->code;
            point->error = one->error;
        }
    }
    vef_measure_step step = VEF_MEASURE_END;
    if (point->code == VEF_OK && !dead)
        step = vef_measure_decide(point->measure);
    for (uint32_t i = 0; i < seeds && step == VEF_MEASURE_WARMED_UP; i++)
        vef_running_begin_figures(point->pieces[i].run);
    if (step != VEF_MEASURE_END) {
        go_on(points, point);
        return;
    }
    if (point->code == VEF_OK)
        finish(points, number);
    end(points, number);
}

/* ---- threads ---- */

/* The piece that lacks most of the earliest point with one that is not taken; NULL: none now. */
static piece *next_piece(work *points, uint32_t *number) {
    for (uint32_t p = 0; p < points->begun && p < points->end; p++) {
        point_work *point = &points->works[p];
        piece *best = NULL;
        for (uint32_t i = 0; !point->ended && i < points->settings->seeds; i++) {
            piece *one = &point->pieces[i];
            if (!one->taken && one->lacks > 0 && (!best || one->lacks > best->lacks))
                best = one;
        }
        *number = p;
        if (best)
            return best;
    }
    return NULL;
}

/* Advances a piece by a part of what it lacks, without the lock. */
static uint64_t advance(work *points, uint32_t number, piece *one, uint64_t intervals) {
    const point_work *point = &points->works[number];
    const uint32_t run = (uint32_t)(one - point->pieces);
    if (!one->run)
        one->run = vef_running_open(
            points->settings, points->points[number].rate, vef_load_seed(points->settings, run),
            number + 1 == points->count && run + 1 == points->settings->seeds, points->run_threads,
            &one->error);
    one->code = one->run
                    ? vef_running_advance(one->run, intervals, point->measure, run, &one->error)
                    : one->error.code;
    const bool stopped = one->code != VEF_OK || vef_running_is_dead(one->run);
    return stopped ? 0 : vef_measure_lacks(point->measure, run);
}

static bool all_ended(const work *points) {
    for (uint32_t p = 0; p < points->end; p++)
        if (!points->works[p].ended)
            return false;
    return true;
}

static void take_part(work *points) {
    uint32_t number;
    piece *one;
    pthread_mutex_lock(&points->lock);
    for (;;) {
        while (!(one = next_piece(points, &number)) && points->begun < points->end)
            begin(points, points->begun++);
        if (!one && all_ended(points))
            break;
        if (!one) {
            pthread_cond_wait(&points->changed, &points->lock);
            continue;
        }
        point_work *point = &points->works[number];
        const uint64_t part = one->lacks < point->part ? one->lacks : point->part;
        one->taken = true;
        pthread_mutex_unlock(&points->lock);
        const double before_s = vef_running_seconds(one->run);
        const uint64_t lacks = advance(points, number, one, part);
        pthread_mutex_lock(&points->lock);
        point->spent_s += vef_running_seconds(one->run) - before_s;
        one->taken = false;
        one->lacks = lacks;
        point->lacking -= lacks == 0;
        update_share(points, point);
        if (point->lacking == 0)
            decide(points, number);
        report(points);
        pthread_cond_broadcast(&points->changed);
    }
    pthread_mutex_unlock(&points->lock);
}

static void take_part_as(void *context, uint32_t worker, uint32_t number) {
    (void)worker;
    (void)number;
    take_part(context);
}

/* ---- the points ---- */

/* How many runs advance side by side. The runs of a large network advance one after another, with
 * several threads for each: that needs less memory, and a long run is not left to one thread. */
static uint32_t side_by_side(const work *points, uint32_t threads) {
    enum {
        ENDPOINTS_OF_THREAD = 2048
    }; /* with fewer, threads of a run wait for each other often */
    const uint32_t runs = points->count * points->settings->seeds;
    const uint32_t share = points->senders / ENDPOINTS_OF_THREAD;
    const uint32_t used = share <= 1 ? threads : share < threads ? threads / share : 1;
    return used < runs ? used : runs;
}

static vef_code measure_all(work *points, vef_error *error) {
    const uint32_t most = points->settings->threads;
    const uint32_t cores = vef_workers_for(VEF_MOST_WORKERS);
    const uint32_t threads = most == 0 ? cores : most < VEF_MOST_WORKERS ? most : VEF_MOST_WORKERS;
    const uint32_t used = side_by_side(points, threads);
    points->run_threads = threads / used;
    vef_workers_run(used, used, take_part_as, points);
    for (uint32_t p = 0; p < points->end; p++)
        if (points->works[p].code != VEF_OK) {
            *error = points->works[p].error;
            return points->works[p].code;
        }
    return VEF_OK;
}

void vef_load_points_release(vef_load_point *points, size_t count) {
    for (size_t p = 0; p < count; p++) {
        for (uint32_t i = 0; points[p].runs && i < points[p].run_room; i++)
            vef_load_run_release(&points[p].runs[i]);
        free(points[p].runs);
        free(points[p].utilization);
        points[p] = (vef_load_point){0};
    }
}

vef_code vef_load_points(const vef_load_settings *settings, const double *rates, size_t count,
                         const vef_load_watch *watch, vef_load_point *points, vef_error *error) {
    work shared = {
        .settings = settings,
        .watch = watch,
        .points = points,
        .works = vef_calloc(count, sizeof *shared.works),
        .count = (uint32_t)count,
        .senders = vef_pattern_senders(settings->traffic.pattern),
        .end = (uint32_t)count,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
    };
    for (size_t p = 0; p < count; p++)
        points[p] = (vef_load_point){.rate = rates[p]};
    const vef_code code = measure_all(&shared, error);
    for (size_t p = 0; p < count; p++)
        release(&shared, &shared.works[p]);
    vef_load_points_release(points + shared.end, count - shared.end);
    for (size_t p = shared.end; p < count; p++)
        points[p].rate = rates[p];
    free(shared.works);
    return code;
}
