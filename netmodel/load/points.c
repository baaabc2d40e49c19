/* Points of an open-loop measurement: distributes runs among threads, and combines them by rate.
 * See load.h.
 *
 * Each run is a separate piece of work, and its result is stored by its number, so results do not
 * depend on the threads. After a failure the runs of greater numbers are skipped: earlier ones are
 * always finished, so the reported failure is deterministic. */
#include "common/workers.h"
#include "netmodel/load/run.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct work {
    const vef_load_settings *settings;
    const double *rates;
    vef_load_run *runs; /* [point * seeds + seed] */
    vef_error *errors;  /* likewise */
    vef_code *codes;
    atomic_uint_least32_t first_failed; /* UINT32_MAX: none */

    pthread_mutex_t lock; /* for what follows */
    const vef_load_watch *watch;
    double *shares; /* of each run, done */
    double weights; /* of all */
    double done;
} work;

/* Work is proportional to packets. */
static double weight_of(const work *all, uint32_t piece) {
    return all->rates[piece / all->settings->seeds];
}

typedef struct watched_piece {
    work *all;
    uint32_t piece;
} watched_piece;

static void report_share(void *context, double share) {
    const watched_piece *who = context;
    work *all = who->all;
    pthread_mutex_lock(&all->lock);
    if (share > all->shares[who->piece]) {
        all->done += (share - all->shares[who->piece]) * weight_of(all, who->piece);
        all->shares[who->piece] = share;
        all->watch->report(all->watch->context, all->done / all->weights);
    }
    pthread_mutex_unlock(&all->lock);
}

static void fail(work *all, uint32_t piece) {
    uint_least32_t first = atomic_load(&all->first_failed);
    while (piece < first && !atomic_compare_exchange_weak(&all->first_failed, &first, piece))
        ;
}

static void do_run(void *context, uint32_t worker, uint32_t piece) {
    (void)worker;
    work *all = context;
    const vef_load_settings *settings = all->settings;
    if (piece > atomic_load(&all->first_failed))
        return;
    watched_piece who = {all, piece};
    vef_load_watch watch = {report_share, &who};
    all->codes[piece] =
        vef_load_run_once(settings, all->rates[piece / settings->seeds],
                          settings->first_seed + piece % settings->seeds,
                          all->watch ? &watch : NULL, &all->runs[piece], &all->errors[piece]);
    if (all->codes[piece] != VEF_OK || all->runs[piece].deadlock)
        fail(all, piece);
    if (all->watch)
        report_share(&who, 1);
}

/* ---- combining runs ---- */

static vef_estimate combined(const vef_load_point *point, size_t offset) {
    vef_estimate *each = calloc(point->run_count, sizeof *each);
    if (!each)
        return (vef_estimate){0};
    for (uint32_t i = 0; i < point->run_count; i++)
        each[i] =
            *(const vef_estimate *)(const void *)((const char *)&point->runs[i].figures + offset);
    vef_estimate all = vef_combine_estimates(each, point->run_count);
    free(each);
    return all;
}

/* The double at `offset` of the figures: their mean, or their sum. */
static void put_together(vef_load_point *point, size_t offset, bool sum) {
    double *to = (double *)(void *)((char *)&point->figures + offset);
    *to = 0;
    for (uint32_t i = 0; i < point->run_count; i++)
        *to += *(const double *)(const void *)((const char *)&point->runs[i].figures + offset);
    if (!sum)
        *to /= point->run_count;
}

static void add_fairness(const vef_pattern *pattern, vef_load_point *point) {
    const vef_load_run *first = &point->runs[0];
    double sum = 0, squares = 0, least = INFINITY;
    uint64_t *phits = calloc(first->endpoints, sizeof *phits);
    if (!phits)
        return;
    for (uint32_t i = 0; i < point->run_count; i++)
        for (uint32_t e = 0; e < first->endpoints; e++)
            phits[e] += point->runs[i].accepted_phits[e];
    for (uint32_t e = 0; e < first->endpoints; e++) {
        double x = (double)phits[e];
        vef_rng trial = vef_rng_make(0, VEF_RNG_TRAFFIC, e);
        if (pattern->kind->destination(pattern, e, &trial) == VEF_SILENT)
            continue;
        sum += x;
        squares += x * x;
        least = x < least ? x : least;
    }
    free(phits);
    if (sum <= 0)
        return;
    point->fairness_min = least / (sum / first->senders);
    point->fairness_jain = sum * sum / (first->senders * squares);
}

/* Less than offered by more than the uncertainty, and by more than 1 %. Without any packet it is
 * undecidable: so few are offered. */
static bool is_saturated(const vef_load_figures *figures) {
    if (figures->packets <= 0)
        return false;
    double short_of = figures->offered_load - figures->accepted_load.mean;
    double uncertain = vef_half_width(&figures->accepted_load);
    return short_of > 0.01 * figures->offered_load &&
           (!isfinite(uncertain) || short_of > uncertain);
}

static void combine(const vef_load_settings *settings, vef_load_point *point) {
#define MEAN(field) put_together(point, offsetof(vef_load_figures, field), false)
#define SUM(field) put_together(point, offsetof(vef_load_figures, field), true)
#define ESTIMATE(field) point->figures.field = combined(point, offsetof(vef_load_figures, field))
    MEAN(offered_load);
    ESTIMATE(accepted_load);
    ESTIMATE(latency_cycles);
    ESTIMATE(message_latency_cycles);
    MEAN(latency_median_cycles);
    MEAN(latency_p99_cycles);
    MEAN(latency_p999_cycles);
    MEAN(message_latency_median_cycles);
    MEAN(message_latency_p99_cycles);
    MEAN(message_latency_p999_cycles);
    MEAN(average_hops);
    MEAN(link_utilization_mean);
    MEAN(link_utilization_max);
    MEAN(held_share);
    MEAN(cycles);
    MEAN(warm_up_cycles);
    MEAN(memory_bytes);
    SUM(packets);
    SUM(messages);
    SUM(packet_hops);
    SUM(all_packet_hops);
    SUM(seconds);
    for (size_t c = 0; c < VEF_MAX_LINK_CLASSES; c++) {
        MEAN(class_utilization_mean[c]);
        MEAN(class_utilization_max[c]);
    }
#undef MEAN
#undef SUM
#undef ESTIMATE
    point->settled = true;
    for (uint32_t i = 0; i < point->run_count; i++)
        point->settled = point->settled && point->runs[i].settled;
    point->precise = vef_is_precise(&point->figures.accepted_load, settings->precision) &&
                     (settings->throughput_alone ||
                      vef_is_precise(&point->figures.latency_cycles, settings->precision));
    point->saturated = is_saturated(&point->figures);
    add_fairness(settings->traffic.pattern, point);
}

static void finish(const vef_load_settings *settings, vef_load_point *point) {
    for (uint32_t i = 0; i < point->run_count && !point->deadlocked; i++)
        if (point->runs[i].deadlock)
            point->deadlocked = &point->runs[i];
    if (!point->deadlocked)
        combine(settings, point);
}

/* ---- the points ---- */

static vef_code run_all(work *all, uint32_t pieces, vef_error *error) {
    uint32_t workers = vef_workers_for(pieces);
    if (all->settings->threads > 0 && all->settings->threads < workers)
        workers = all->settings->threads;
    vef_workers_run(workers, pieces, do_run, all);
    uint32_t failed = (uint32_t)atomic_load(&all->first_failed);
    if (failed == UINT32_MAX || all->codes[failed] == VEF_OK)
        return VEF_OK;
    *error = all->errors[failed];
    return all->codes[failed];
}

static vef_code hand_out(work *all, uint32_t count, vef_load_point *points, vef_error *error) {
    uint32_t seeds = all->settings->seeds;
    for (uint32_t p = 0; p < count; p++) {
        points[p].runs = calloc(seeds, sizeof *points[p].runs);
        if (!points[p].runs)
            return vef_fail_memory(error, "the runs of a point", seeds * sizeof(vef_load_run));
        points[p].run_room = seeds;
    }
    uint32_t failed = (uint32_t)atomic_load(&all->first_failed);
    for (uint32_t p = 0; p < count; p++) {
        for (uint32_t s = 0; s < seeds; s++) {
            points[p].runs[s] = all->runs[p * seeds + s];
            all->runs[p * seeds + s] = (vef_load_run){0};
        }
        if (failed == UINT32_MAX || p <= failed / seeds) {
            points[p].run_count = p == failed / seeds ? failed % seeds + 1 : seeds;
            finish(all->settings, &points[p]);
        }
    }
    return VEF_OK;
}

vef_code vef_load_points(const vef_load_settings *settings, const double *rates, size_t count,
                         const vef_load_watch *watch, vef_load_point *points, vef_error *error) {
    uint32_t pieces = (uint32_t)count * settings->seeds;
    work all = {
        .settings = settings,
        .rates = rates,
        .watch = watch,
        .runs = calloc(pieces, sizeof *all.runs),
        .errors = calloc(pieces, sizeof *all.errors),
        .codes = calloc(pieces, sizeof *all.codes),
        .shares = calloc(pieces, sizeof *all.shares),
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    atomic_init(&all.first_failed, UINT32_MAX);
    for (size_t p = 0; p < count; p++) {
        points[p] = (vef_load_point){.rate = rates[p]};
        all.weights += rates[p] * settings->seeds;
    }
    vef_code code = VEF_OK;
    if (!all.runs || !all.errors || !all.codes || !all.shares)
        code = vef_fail_memory(error, "runs", pieces * (sizeof *all.runs + sizeof *all.errors));
    if (code == VEF_OK)
        code = run_all(&all, pieces, error);
    if (code == VEF_OK)
        code = hand_out(&all, (uint32_t)count, points, error);
    for (uint32_t i = 0; all.runs && i < pieces; i++)
        vef_load_run_release(&all.runs[i]);
    free(all.runs);
    free(all.errors);
    free(all.codes);
    free(all.shares);
    return code;
}

void vef_load_points_release(vef_load_point *points, size_t count) {
    for (size_t p = 0; p < count; p++) {
        for (uint32_t i = 0; points[p].runs && i < points[p].run_room; i++)
            vef_load_run_release(&points[p].runs[i]);
        free(points[p].runs);
        points[p] = (vef_load_point){0};
    }
}
