/* A batch scheduler. See batch.h.
 *
 * At any time the ends of jobs come first, then arrivals, then the policy is asked until it starts
 * no more. */
#include "replay/jobs/batch.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"

#include <stdlib.h>

#define NEVER UINT64_MAX

/* ---- what happens ---- */

static void note_moment(vef_batch *batch, uint64_t now_ps) {
    vef_batch_moment *last = batch->moment_count ? &batch->moments[batch->moment_count - 1] : NULL;
    const vef_batch_moment moment = {now_ps, batch->busy, (uint32_t)batch->waiting_count};
    if (last && last->ps == now_ps) {
        *last = moment;
        return;
    }
    *VEF_NEW_ITEM(batch->moments, batch->moment_count, batch->moment_room) = moment;
}

/* Whether a job's tasks have ended, but its nodes are still its own. */
static bool is_ending(const vef_batch_job *job) {
    return job->started && !job->ended && job->running == 0;
}

static void end_jobs(vef_batch *batch, uint64_t now_ps) {
    for (uint32_t i = 0; i < batch->settings.count; i++) {
        vef_batch_job *job = &batch->settings.jobs[i];
        if (!is_ending(job) || job->end_ps > now_ps)
            continue;
        for (uint32_t node = 0; node < job->nodes; node++)
            vef_job_nodes_free(batch->settings.nodes, job->chosen[node]);
        batch->busy -= job->nodes;
        job->ended = true;
        batch->looks = true;
    }
}

static void take_arrivals(vef_batch *batch, uint64_t now_ps) {
    for (; batch->arrived < batch->settings.count; batch->arrived++) {
        const uint32_t number = batch->by_arrival[batch->arrived];
        const vef_batch_job *job = &batch->settings.jobs[number];
        if (job->arrival_ps > now_ps)
            return;
        batch->waiting[batch->waiting_count++] =
            (vef_batch_waiting){number, job->nodes, job->estimate_ps};
        batch->looks = true;
    }
}

VEF_ORDER_BY(by_end, vef_batch_running, end_ps)

/* The waiting job that starts now; VEF_NO_START. */
static size_t ask(vef_batch *batch, uint64_t now_ps) {
    size_t running = 0;
    for (uint32_t i = 0; i < batch->settings.count; i++) {
        const vef_batch_job *job = &batch->settings.jobs[i];
        if (job->started && !job->ended)
            batch->running[running++] =
                (vef_batch_running){job->nodes, job->start_ps < NEVER - job->estimate_ps
                                                    ? job->start_ps + job->estimate_ps
                                                    : NEVER};
    }
    qsort(batch->running, running, sizeof *batch->running, by_end);
    const vef_batch_view view = {.now_ps = now_ps,
                                 .free = batch->settings.nodes->free,
                                 .waiting = batch->waiting,
                                 .waiting_count = batch->waiting_count,
                                 .running = batch->running,
                                 .running_count = running};
    return batch->waiting_count ? batch->settings.policy->choose(&view) : VEF_NO_START;
}

static vef_code start_job(vef_batch *batch, size_t place, uint64_t now_ps, vef_gate_start *start,
                          vef_error *error) {
    const uint32_t number = batch->waiting[place].job;
    vef_batch_job *job = &batch->settings.jobs[number];
    for (size_t i = place; i + 1 < batch->waiting_count; i++)
        batch->waiting[i] = batch->waiting[i + 1];
    batch->waiting_count--;
    job->chosen = vef_arena_alloc(&batch->arena, job->nodes + (size_t)1, sizeof *job->chosen);
    vef_code code = vef_job_placement_choose(&job->placement, batch->settings.nodes, job->nodes,
                                             job->chosen, error);
    if (code == VEF_OK)
        code = batch->settings.settle(batch->settings.context, number, job->chosen, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t i = 0; i < job->nodes; i++)
        vef_job_nodes_take(batch->settings.nodes, job->chosen[i], number);
    batch->busy += job->nodes;
    job->started = true;
    job->start_ps = job->end_ps = now_ps;
    job->running = job->tasks;
    *start = (vef_gate_start){job->first_task, job->tasks};
    return VEF_OK;
}

/* ---- the gate ---- */

static uint64_t next(void *context) {
    return ((const vef_batch *)context)->next_ps;
}

/* When there is something to do; as often as that may have changed. */
static void find_next(vef_batch *batch) {
    uint64_t first = batch->looks ? 0 : NEVER;
    if (batch->arrived < batch->settings.count &&
        batch->settings.jobs[batch->by_arrival[batch->arrived]].arrival_ps < first)
        first = batch->settings.jobs[batch->by_arrival[batch->arrived]].arrival_ps;
    for (uint32_t i = 0; i < batch->settings.count; i++) {
        const vef_batch_job *job = &batch->settings.jobs[i];
        if (is_ending(job) && job->end_ps < first)
            first = job->end_ps;
    }
    batch->next_ps = first;
}

static vef_code act(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error) {
    vef_batch *batch = context;
    end_jobs(batch, now_ps);
    take_arrivals(batch, now_ps);
    const size_t chosen = ask(batch, now_ps);
    batch->looks = chosen != VEF_NO_START;
    vef_code code =
        chosen == VEF_NO_START ? VEF_OK : start_job(batch, chosen, now_ps, start, error);
    find_next(batch);
    if (code == VEF_OK)
        note_moment(batch, now_ps);
    return code;
}

static void retires(void *context, uint32_t task, uint64_t end_ps) {
    vef_batch *batch = context;
    vef_batch_job *job = &batch->settings.jobs[batch->part_of[task]];
    job->running--;
    if (end_ps > job->end_ps)
        job->end_ps = end_ps;
    if (job->running == 0)
        find_next(batch);
}

/* ---- construction ---- */

static void sort_arrivals(vef_batch *batch) {
    const vef_batch_job *jobs = batch->settings.jobs;
    for (uint32_t i = 0; i < batch->settings.count; i++) {
        uint32_t place = i; /* stable: of equal times as listed */
        for (; place > 0 && jobs[batch->by_arrival[place - 1]].arrival_ps > jobs[i].arrival_ps;
             place--)
            batch->by_arrival[place] = batch->by_arrival[place - 1];
        batch->by_arrival[place] = i;
    }
}

void vef_batch_begin(vef_batch *batch, const vef_batch_settings *settings) {
    const uint32_t count = settings->count;
    const size_t room = count ? count : 1;
    uint32_t tasks = 0;
    *batch = (vef_batch){.gate = {.context = batch,
                                  .endpoints = settings->nodes->count * settings->nodes->nics,
                                  .next = next,
                                  .act = act},
                         .listener = {.context = batch, .retires = retires},
                         .settings = *settings};
    for (uint32_t i = 0; i < count; i++)
        if (settings->jobs[i].first_task + settings->jobs[i].tasks > tasks)
            tasks = settings->jobs[i].first_task + settings->jobs[i].tasks;
    batch->by_arrival = vef_arena_alloc(&batch->arena, room, sizeof *batch->by_arrival);
    batch->waiting = vef_arena_alloc(&batch->arena, room, sizeof *batch->waiting);
    batch->running = vef_arena_alloc(&batch->arena, room, sizeof *batch->running);
    batch->part_of = vef_arena_alloc(&batch->arena, tasks + (size_t)1, sizeof *batch->part_of);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t task = 0; task < settings->jobs[i].tasks; task++)
            batch->part_of[settings->jobs[i].first_task + task] = i;
    sort_arrivals(batch);
    find_next(batch);
}

void vef_batch_end(vef_batch *batch) {
    uint64_t last_ps = 0;
    for (uint32_t i = 0; i < batch->settings.count; i++)
        if (is_ending(&batch->settings.jobs[i]) && batch->settings.jobs[i].end_ps > last_ps)
            last_ps = batch->settings.jobs[i].end_ps;
    if (last_ps == 0)
        return;
    end_jobs(batch, last_ps);
    note_moment(batch, last_ps);
}

void vef_batch_release(vef_batch *batch) {
    free(batch->moments);
    vef_arena_release(&batch->arena);
    *batch = (vef_batch){0};
}

double vef_batch_utilization(const vef_batch *batch) {
    uint64_t end_ps = 0;
    double busy = 0;
    for (uint32_t i = 0; i < batch->settings.count; i++)
        if (batch->settings.jobs[i].end_ps > end_ps)
            end_ps = batch->settings.jobs[i].end_ps;
    for (size_t i = 0; i < batch->moment_count; i++) {
        const uint64_t until = i + 1 < batch->moment_count ? batch->moments[i + 1].ps : end_ps;
        if (until > batch->moments[i].ps)
            busy += (double)batch->moments[i].busy * (double)(until - batch->moments[i].ps);
    }
    const double whole = (double)batch->settings.nodes->count * (double)end_ps;
    return whole > 0 ? busy / whole : 0;
}
