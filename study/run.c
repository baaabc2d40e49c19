/* The scheduler of points. See run.h.
 *
 * One thread starts and reads processes. A point belongs to the process that holds its lock
 * (store.h) from before the last look for its result until after the result is added, so no point
 * runs twice, wherever other processes run. */
#include "study/run.h"

#include "common/clock.h"
#include "common/memory.h"
#include "study/child.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 100, MOST_TRIES = 2 };

typedef struct slot {
    vef_study_child child;
    size_t point;
} slot;

typedef struct running {
    vef_study *study;
    vef_study_point *points; /* of the study, or its explanations */
    size_t point_count;
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

/* ---- expected times ---- */

/* More finished points than this are sampled evenly: comparing costs their product. */
enum { MOST_COMPARED = 256 };

typedef struct sample {
    const vef_study_point *point;
    double seconds;
} sample;

/* Columns in which both have the same label. Labels are shared texts of the axes' values. */
static size_t likeness(const vef_study *study, const vef_study_point *a, const vef_study_point *b) {
    size_t equal = 0;
    for (size_t c = 0; c < study->column_count; c++)
        equal += a->label[c] && a->label[c] == b->label[c];
    return equal;
}

static double estimate(const vef_study *study, const vef_study_point *point, const sample *samples,
                       size_t count) {
    size_t best = 0, alike = 0;
    double sum = 0;
    for (size_t s = 0; s < count; s++) {
        const size_t equal = likeness(study, point, samples[s].point);
        if (alike > 0 && equal < best)
            continue;
        if (alike == 0 || equal > best) {
            best = equal;
            alike = 0;
            sum = 0;
        }
        const double guess = samples[s].point->guess_s;
        sum += samples[s].seconds * (guess > 0 ? point->guess_s / guess : 1);
        alike++;
    }
    return alike ? sum / (double)alike : point->guess_s;
}

void vef_study_estimate(const vef_study *study, const vef_study_store *store, double *seconds) {
    sample *samples = vef_calloc(study->point_count, sizeof *samples);
    size_t count = 0, used = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record =
            store ? vef_study_store_find(store, &study->points[p]) : NULL;
        seconds[p] = record ? record->seconds : -1;
        if (record && record->state != VEF_STUDY_FAILED && record->state != VEF_STUDY_REFUSED)
            samples[count++] = (sample){&study->points[p], record->seconds};
    }
    const size_t step = count / MOST_COMPARED + 1;
    for (size_t s = 0; s < count; s += step)
        samples[used++] = samples[s];
    for (size_t p = 0; p < study->point_count; p++)
        if (seconds[p] < 0)
            seconds[p] = estimate(study, &study->points[p], samples, used);
    free(samples);
}

/* ---- the queue ---- */

/* Failures of earlier starts are tried again, not those of other processes meanwhile. Refusals stay
 * as they are until an input changes. */
static bool is_to_run(const running *run, size_t p) {
    const vef_study_record *record = vef_study_store_find(run->store, &run->points[p]);
    return !run->points[p].refused &&
           (!record || (record->state == VEF_STUDY_FAILED && record->line <= run->lines));
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

static void make_queue(running *run) {
    const size_t points = run->point_count;
    expected *order = vef_calloc(points, sizeof *order);
    run->seconds = vef_calloc(points, sizeof *run->seconds);
    run->queue = vef_calloc(2 * points, sizeof *run->queue); /* each may be tried twice */
    run->tries = vef_calloc(points, sizeof *run->tries);
    run->slots = vef_calloc(run->options->jobs, sizeof *run->slots);
    if (run->options->explanations)
        for (size_t p = 0; p < points; p++)
            run->seconds[p] = run->points[p].guess_s;
    else
        vef_study_estimate(run->study, run->store, run->seconds);
    for (size_t p = 0; p < points; p++)
        if (run->points[p].first == p && is_to_run(run, p)) {
            order[run->count++] = (expected){run->seconds[p], p};
            run->all_s += run->seconds[p];
        }
    if (run->count)
        qsort(order, run->count, sizeof *order, compare);
    for (size_t i = 0; i < run->count; i++)
        run->queue[i] = order[i].point;
    free(order);
}

/* ---- one point ---- */

static vef_code add(running *run, size_t p, vef_study_outcome *outcome) {
    outcome->host = run->options->host;
    run->ran++;
    vef_code code = vef_study_store_add(run->store, &run->points[p], outcome, run->error);
    if (code != VEF_CORRUPT || !outcome->document)
        return code;
    /* Its output is not a document. */
    vef_study_outcome failed = {.state = VEF_STUDY_FAILED,
                                .reason = run->error->message,
                                .host = outcome->host,
                                .seconds = outcome->seconds};
    return vef_study_store_add(run->store, &run->points[p], &failed, run->error);
}

static void finish(running *run, size_t p) {
    vef_study_store_yield(run->store, &run->points[p]);
    run->done_s += run->seconds[p];
}

/* Starts a claimed point. */
static vef_code start(running *run, slot *worker, size_t p) {
    const vef_study_point *point = &run->points[p];
    vef_code code =
        vef_study_child_start(&worker->child, run->options->program, point,
                              run->study->kind->threads ? run->options->threads : 0, run->error);
    if (code != VEF_OK) {
        vef_study_store_yield(run->store, point);
        return code;
    }
    worker->point = p;
    run->busy++;
    return VEF_OK;
}

/* Takes the next point that is free and lacks a result, and starts it. `*postponed` counts points
 * that others run. */
static vef_code start_next(running *run, slot *worker, size_t *postponed) {
    while (run->next < run->count && !worker->child.process) {
        const size_t p = run->queue[run->next];
        bool claimed = false;
        vef_code code = vef_study_store_claim(run->store, &run->points[p], &claimed, run->error);
        if (code == VEF_OK && claimed)
            code = vef_study_store_refresh(run->store, run->error);
        if (code != VEF_OK)
            return code;
        run->next++;
        if (!claimed) {
            run->queue[(*postponed)++] = p;
        } else if (is_to_run(run, p)) {
            code = start(run, worker, p);
            if (code != VEF_OK)
                return code;
        } else {
            finish(run, p);
        }
    }
    return VEF_OK;
}

/* Adds the result of a point with the files that it read; a failure if one of them changed. */
static vef_code add_run(running *run, const slot *ended, vef_study_outcome *outcome) {
    const vef_study_point *point = &run->points[ended->point];
    const char *const keyed[] = {point->trace, point->listing, point->network};
    vef_study_inputs read = {0};
    vef_error reason;
    vef_code code =
        vef_study_inputs_collect(&run->study->inputs, ended->child.inputs, keyed, &read, &reason);
    if (code == VEF_NO_MEMORY) {
        vef_fail(run->error, code, "%s", reason.message);
    } else {
        if (code != VEF_OK && outcome->state != VEF_STUDY_FAILED)
            *outcome = (vef_study_outcome){
                .state = VEF_STUDY_FAILED, .reason = reason.message, .seconds = outcome->seconds};
        outcome->inputs = &read;
        code = add(run, ended->point, outcome);
    }
    vef_study_inputs_free(&read);
    return code;
}

/* Handles the end of a point. */
static vef_code end(running *run, slot *worker, vef_study_outcome *outcome, int signal) {
    const size_t p = worker->point;
    vef_code code = VEF_OK;
    char reason[64];
    run->busy--;
    if (signal && ++run->tries[p] < MOST_TRIES) {
        vef_study_store_yield(run->store, &run->points[p]);
        run->queue[run->count++] = p;
    } else {
        if (signal) {
            snprintf(reason, sizeof reason, "ended by signal %d (%s), twice", signal,
                     sigabbrev_np(signal) ? sigabbrev_np(signal) : "?");
            outcome->reason = reason;
            outcome->state = VEF_STUDY_FAILED;
        }
        code = add_run(run, worker, outcome);
        finish(run, p);
    }
    vef_study_child_release(&worker->child);
    return code;
}

/* ---- all points ---- */

/* Waits for output of the points under way. */
static vef_code wait_for_output(running *run) {
    struct pollfd files[2 * 256]; /* of more children not all: the wait is short */
    nfds_t count = 0;
    for (uint32_t s = 0; s < run->options->jobs && count + 2 <= sizeof files / sizeof *files; s++) {
        const vef_study_child *child = &run->slots[s].child;
        if (child->process && child->output.open)
            files[count++] = (struct pollfd){.fd = child->output.file, .events = POLLIN};
        if (child->process && child->errors.open)
            files[count++] = (struct pollfd){.fd = child->errors.file, .events = POLLIN};
    }
    if (poll(files, count, WAIT_MS) < 0 && errno != EINTR)
        return vef_fail_errno(run->error, "cannot wait for points");
    return VEF_OK;
}

static vef_code collect(running *run) {
    vef_code code = VEF_OK;
    for (uint32_t s = 0; code == VEF_OK && s < run->options->jobs; s++) {
        vef_study_outcome outcome;
        int signal;
        if (run->slots[s].child.process &&
            vef_study_child_read(&run->slots[s].child, &outcome, &signal)) {
            if (signal && run->options->stop && run->options->stop(run->options->context))
                return vef_fail(run->error, VEF_STOPPED, "stopped");
            code = end(run, &run->slots[s], &outcome, signal);
        }
    }
    return code;
}

static void show(const running *run) {
    double done = run->done_s;
    if (!run->options->progress || run->all_s <= 0)
        return;
    for (uint32_t s = 0; s < run->options->jobs; s++)
        if (run->slots[s].child.process) {
            const double spent = vef_now_s() - run->slots[s].child.began_s;
            const double whole = run->seconds[run->slots[s].point];
            done += spent < whole ? spent : whole;
        }
    snprintf(run->options->progress->detail, sizeof run->options->progress->detail,
             "%zu points finished here, %u running", run->ran, run->busy);
    vef_progress_update(run->options->progress, (uint64_t)(done / run->all_s * 1e6), 1000000);
}

/* Starts points while there are free slots, then waits. `*postponed`: points that others run. */
static vef_code turn(running *run, size_t *postponed) {
    vef_code code = VEF_OK;
    for (uint32_t s = 0; code == VEF_OK && s < run->options->jobs; s++)
        if (!run->slots[s].child.process)
            code = start_next(run, &run->slots[s], postponed);
    if (code == VEF_OK)
        code = wait_for_output(run);
    if (code == VEF_OK)
        code = collect(run);
    show(run);
    if (code == VEF_OK && run->options->stop && run->options->stop(run->options->context))
        return vef_fail(run->error, VEF_STOPPED, "stopped");
    return code;
}

/* Runs what is in the queue; what others run stays there. */
static vef_code run_queue(running *run) {
    size_t postponed = 0;
    vef_code code = VEF_OK;
    run->next = 0;
    do
        code = turn(run, &postponed);
    while (code == VEF_OK && (run->busy > 0 || run->next < run->count));
    run->count = postponed;
    return code;
}

/* Points that others run leave the queue when their results are there. */
static vef_code drop_finished(running *run) {
    size_t kept = 0;
    vef_code code = vef_study_store_refresh(run->store, run->error);
    for (size_t i = 0; i < run->count; i++)
        if (is_to_run(run, run->queue[i]))
            run->queue[kept++] = run->queue[i];
        else
            run->done_s += run->seconds[run->queue[i]];
    run->count = kept;
    return code;
}

vef_code vef_study_run(vef_study *study, vef_study_store *store,
                       const vef_study_run_options *options, size_t *ran, vef_error *error) {
    running run = {.study = study,
                   .points = options->explanations ? study->explanations : study->points,
                   .point_count =
                       options->explanations ? study->explanation_count : study->point_count,
                   .store = store,
                   .options = options,
                   .error = error,
                   .lines = vef_study_store_lines(store)};
    vef_code code = VEF_OK;
    make_queue(&run);
    while (code == VEF_OK && run.count > 0) {
        code = run_queue(&run);
        if (code == VEF_OK)
            code = drop_finished(&run);
        if (!options->waits)
            break;
    }
    for (uint32_t s = 0; s < options->jobs; s++)
        vef_study_child_release(&run.slots[s].child);
    *ran = run.ran;
    free(run.seconds);
    free(run.queue);
    free(run.tries);
    free(run.slots);
    return code;
}

vef_study_tally vef_study_count(const vef_study *study, const vef_study_store *store) {
    vef_study_tally tally = {0};
    for (size_t p = 0; p < study->point_count; p++) {
        const vef_study_record *record =
            store ? vef_study_store_find(store, &study->points[p]) : NULL;
        if (study->points[p].first != p)
            continue;
        tally.points++;
        tally.done += record && record->state == VEF_STUDY_DONE;
        tally.stalled += record && record->state == VEF_STUDY_STALLED;
        tally.failed += record && record->state == VEF_STUDY_FAILED;
        tally.refused += study->points[p].refused || (record && record->state == VEF_STUDY_REFUSED);
        tally.missing += !record && !study->points[p].refused;
    }
    return tally;
}

/* ---- the host ---- */

/* What batch systems and MPI launchers say about this process, in the environment: no MPI library
 * is needed. */

/* The number in the first of these variables that has one; `otherwise` if none has. */
static uint32_t number_of(const char *const *names, uint32_t otherwise) {
    for (; *names; names++) {
        const char *text = getenv(*names);
        char *end = NULL;
        const unsigned long number = text ? strtoul(text, &end, 10) : 0;
        if (text && end != text && number < UINT32_MAX)
            return (uint32_t)number;
    }
    return otherwise;
}

uint32_t vef_study_rank(void) {
    static const char *const ranks[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID", NULL};
    return number_of(ranks, 0);
}

uint32_t vef_study_cores(void) {
    static const char *const given[] = {"SLURM_CPUS_PER_TASK", NULL};
    static const char *const of_node[] = {"SLURM_CPUS_ON_NODE", NULL};
    static const char *const beside[] = {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "SLURM_NTASKS_PER_NODE", NULL};
    cpu_set_t set;
    uint32_t cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
    const uint32_t node = number_of(of_node, cores), limit = number_of(given, 0);
    const uint32_t processes = number_of(beside, 1);
    if (node < cores)
        cores = node;
    if (limit > 0)
        return limit < cores ? limit : cores;
    cores /= processes > 0 ? processes : 1;
    return cores > 0 ? cores : 1;
}
