/* The scheduler of points. See run.h.
 *
 * One thread starts and reads processes. A point belongs to the process that holds its lock
 * (store.h) from before the last look for its result until after the result is added, so no point
 * runs twice, wherever other processes run. */
#include "study/run.h"

#include "common/memory.h"
#include "study/child.h"
#include "study/estimate.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 100, MOST_TRIES = 2 };

typedef struct slot {
    vef_study_child child;
    size_t point;
} slot;

typedef struct running {
    vef_study *study;
    vef_study_store *store;
    const vef_study_run_options *options;
    vef_error *error;
    size_t lines;    /* of results at the start */
    double *seconds; /* expected, per point */
    size_t *queue;   /* points to run, the longest first; the head is at `next` */
    size_t next, count;
    uint8_t *tries; /* per point */
    slot *slots;
    uint32_t busy;
    size_t ran;
    double done_s, all_s; /* expected times of points to run: finished and all */
} running;

/* ---- the queue ---- */

static bool has_result(const running *of, size_t p) {
    return vef_study_store_find(of->store, &of->study->points[p]) != NULL;
}

/* Failures of earlier starts are tried again, not those of other processes meanwhile. */
static bool is_to_run(const running *of, size_t p) {
    const vef_study_record *record = vef_study_store_find(of->store, &of->study->points[p]);
    return !record || (record->state == VEF_STUDY_FAILED && record->line <= of->lines);
}

/* qsort has no context: keys are sorted with their points. */
typedef struct expected {
    double seconds;
    size_t point;
} expected;

static int compare(const void *a, const void *b) {
    const expected *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return x->point < y->point ? -1 : 1;
}

static void make_queue(running *of) {
    const size_t points = of->study->point_count;
    expected *order = vef_calloc(points, sizeof *order);
    of->seconds = vef_calloc(points, sizeof *of->seconds);
    of->queue = vef_calloc(2 * points, sizeof *of->queue); /* each may be tried twice */
    of->tries = vef_calloc(points, sizeof *of->tries);
    of->slots = vef_calloc(of->options->jobs, sizeof *of->slots);
    vef_study_estimate(of->study, of->store, of->seconds);
    for (size_t p = 0; p < points; p++)
        if (of->study->points[p].first == p && is_to_run(of, p)) {
            order[of->count++] = (expected){of->seconds[p], p};
            of->all_s += of->seconds[p];
        }
    if (of->count)
        qsort(order, of->count, sizeof *order, compare);
    for (size_t i = 0; i < of->count; i++)
        of->queue[i] = order[i].point;
    free(order);
}

/* ---- one point ---- */

static vef_code add(running *of, size_t p, vef_study_outcome *outcome) {
    outcome->host = of->options->host;
    of->ran++;
    vef_code code = vef_study_store_add(of->store, &of->study->points[p], outcome, of->error);
    if (code != VEF_CORRUPT || !outcome->document)
        return code;
    /* Its output is not a document. */
    vef_study_outcome failed = {.state = VEF_STUDY_FAILED,
                                .reason = of->error->message,
                                .host = outcome->host,
                                .seconds = outcome->seconds};
    return vef_study_store_add(of->store, &of->study->points[p], &failed, of->error);
}

static void finish(running *of, size_t p) {
    vef_study_store_yield(of->store, &of->study->points[p]);
    of->done_s += of->seconds[p];
}

/* Starts a claimed point, or fails it at once. */
static vef_code start(running *of, slot *at, size_t p) {
    const vef_study_point *point = &of->study->points[p];
    if (point->refused) {
        /* The reason is in its key: a known result is the same. */
        vef_study_outcome outcome = {.state = VEF_STUDY_FAILED, .reason = point->refused};
        vef_code code = has_result(of, p) ? VEF_OK : add(of, p, &outcome);
        finish(of, p);
        return code;
    }
    vef_code code =
        vef_study_child_start(&at->child, of->options->program, point,
                              of->study->kind->threads ? of->options->threads : 0, of->error);
    if (code != VEF_OK) {
        vef_study_store_yield(of->store, point);
        return code;
    }
    at->point = p;
    of->busy++;
    return VEF_OK;
}

/* Takes the next point that is free and lacks a result, and starts it. `*postponed` counts points
 * that others run. */
static vef_code start_next(running *of, slot *at, size_t *postponed) {
    while (of->next < of->count && !at->child.process) {
        const size_t p = of->queue[of->next];
        bool claimed = false;
        vef_code code =
            vef_study_store_claim(of->store, &of->study->points[p], &claimed, of->error);
        if (code == VEF_OK && claimed)
            code = vef_study_store_refresh(of->store, of->error);
        if (code != VEF_OK)
            return code;
        of->next++;
        if (!claimed) {
            of->queue[(*postponed)++] = p;
        } else if (is_to_run(of, p)) {
            code = start(of, at, p);
            if (code != VEF_OK)
                return code;
        } else {
            finish(of, p);
        }
    }
    return VEF_OK;
}

/* Adds the result of a point with the files that it read; a failure if one of them changed. */
static vef_code add_run(running *of, const slot *ended, vef_study_outcome *outcome) {
    const vef_study_point *point = &of->study->points[ended->point];
    const char *const keyed[] = {point->trace, point->listing, point->network};
    vef_study_inputs read = {0};
    vef_error reason;
    vef_code code =
        vef_study_inputs_collect(&of->study->inputs, ended->child.inputs, keyed, &read, &reason);
    if (code == VEF_NO_MEMORY) {
        vef_fail(of->error, code, "%s", reason.message);
    } else {
        if (code != VEF_OK && outcome->state != VEF_STUDY_FAILED)
            *outcome = (vef_study_outcome){
                .state = VEF_STUDY_FAILED, .reason = reason.message, .seconds = outcome->seconds};
        outcome->inputs = &read;
        code = add(of, ended->point, outcome);
    }
    vef_study_inputs_free(&read);
    return code;
}

/* Handles the end of a point. */
static vef_code end(running *of, slot *at, vef_study_outcome *outcome, int signal) {
    const size_t p = at->point;
    vef_code code = VEF_OK;
    char reason[64];
    of->busy--;
    if (signal && ++of->tries[p] < MOST_TRIES) {
        vef_study_store_yield(of->store, &of->study->points[p]);
        of->queue[of->count++] = p;
    } else {
        if (signal) {
            snprintf(reason, sizeof reason, "ended by signal %d (%s), twice", signal,
                     sigabbrev_np(signal) ? sigabbrev_np(signal) : "?");
            outcome->reason = reason;
            outcome->state = VEF_STUDY_FAILED;
        }
        code = add_run(of, at, outcome);
        finish(of, p);
    }
    vef_study_child_release(&at->child);
    return code;
}

/* ---- all points ---- */

/* Waits for output of the points under way. */
static vef_code wait_for_output(running *of) {
    struct pollfd files[2 * 256]; /* of more children not all: the wait is short */
    nfds_t count = 0;
    for (uint32_t s = 0; s < of->options->jobs && count + 2 <= sizeof files / sizeof *files; s++) {
        const vef_study_child *child = &of->slots[s].child;
        if (child->process && child->output.open)
            files[count++] = (struct pollfd){.fd = child->output.file, .events = POLLIN};
        if (child->process && child->errors.open)
            files[count++] = (struct pollfd){.fd = child->errors.file, .events = POLLIN};
    }
    if (poll(files, count, WAIT_MS) < 0 && errno != EINTR)
        return vef_fail_errno(of->error, "cannot wait for points");
    return VEF_OK;
}

static vef_code collect(running *of) {
    vef_code code = VEF_OK;
    for (uint32_t s = 0; code == VEF_OK && s < of->options->jobs; s++) {
        vef_study_outcome outcome;
        int signal;
        if (of->slots[s].child.process &&
            vef_study_child_read(&of->slots[s].child, &outcome, &signal)) {
            if (signal && of->options->stop && of->options->stop(of->options->context))
                return vef_fail(of->error, VEF_STOPPED, "stopped");
            code = end(of, &of->slots[s], &outcome, signal);
        }
    }
    return code;
}

static void show(const running *of) {
    double done = of->done_s;
    if (!of->options->progress || of->all_s <= 0)
        return;
    for (uint32_t s = 0; s < of->options->jobs; s++)
        if (of->slots[s].child.process) {
            const double spent = vef_study_now_s() - of->slots[s].child.began_s;
            const double whole = of->seconds[of->slots[s].point];
            done += spent < whole ? spent : whole;
        }
    snprintf(of->options->progress->detail, sizeof of->options->progress->detail,
             "%zu points finished here, %u running", of->ran, of->busy);
    vef_progress_update(of->options->progress, (uint64_t)(done / of->all_s * 1e6), 1000000);
}

/* Starts points while there are free slots, then waits. `*postponed`: points that others run. */
static vef_code turn(running *of, size_t *postponed) {
    vef_code code = VEF_OK;
    for (uint32_t s = 0; code == VEF_OK && s < of->options->jobs; s++)
        if (!of->slots[s].child.process)
            code = start_next(of, &of->slots[s], postponed);
    if (code == VEF_OK)
        code = wait_for_output(of);
    if (code == VEF_OK)
        code = collect(of);
    show(of);
    if (code == VEF_OK && of->options->stop && of->options->stop(of->options->context))
        return vef_fail(of->error, VEF_STOPPED, "stopped");
    return code;
}

/* Runs what is in the queue; what others run stays there. */
static vef_code run_queue(running *of) {
    size_t postponed = 0;
    vef_code code = VEF_OK;
    of->next = 0;
    do
        code = turn(of, &postponed);
    while (code == VEF_OK && (of->busy > 0 || of->next < of->count));
    of->count = postponed;
    return code;
}

/* Points that others run leave the queue when their results are there. */
static vef_code drop_finished(running *of) {
    size_t kept = 0;
    vef_code code = vef_study_store_refresh(of->store, of->error);
    for (size_t i = 0; i < of->count; i++)
        if (is_to_run(of, of->queue[i]))
            of->queue[kept++] = of->queue[i];
        else
            of->done_s += of->seconds[of->queue[i]];
    of->count = kept;
    return code;
}

vef_code vef_study_run(vef_study *study, vef_study_store *store,
                       const vef_study_run_options *options, size_t *ran, vef_error *error) {
    running of = {.study = study,
                  .store = store,
                  .options = options,
                  .error = error,
                  .lines = vef_study_store_lines(store)};
    vef_code code = VEF_OK;
    make_queue(&of);
    while (code == VEF_OK && of.count > 0) {
        code = run_queue(&of);
        if (code == VEF_OK)
            code = drop_finished(&of);
        if (!options->waits)
            break;
    }
    for (uint32_t s = 0; s < options->jobs; s++)
        vef_study_child_release(&of.slots[s].child);
    *ran = of.ran;
    free(of.seconds);
    free(of.queue);
    free(of.tries);
    free(of.slots);
    return code;
}

vef_study_tally vef_study_count(const vef_study *study, const vef_study_store *store) {
    vef_study_tally tally = {0};
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record = vef_study_store_find(store, &study->points[p]);
        if (study->points[p].first != p)
            continue;
        tally.points++;
        tally.done += record && record->state == VEF_STUDY_DONE;
        tally.stalled += record && record->state == VEF_STUDY_STALLED;
        tally.failed += record && record->state == VEF_STUDY_FAILED;
        tally.missing += !record;
    }
    return tally;
}
