/* A batch scheduler. See batch.h.
 *
 * At any time the ends of jobs come first, then arrivals, then the policy is asked until it starts
 * no more. */
#include "replay/jobs/batch.h"

#include "common/grow.h"

#include <stdlib.h>

#define NEVER UINT64_MAX

/* ---- what happens ---- */

static void note_moment(vef_batch *self, uint64_t now_ps) {
    vef_batch_moment *last = self->moment_count ? &self->moments[self->moment_count - 1] : NULL;
    const vef_batch_moment moment = {now_ps, self->busy, (uint32_t)self->waiting_count};
    if (last && last->ps == now_ps) {
        *last = moment;
        return;
    }
    vef_grow(&self->moments, &self->moment_room, self->moment_count + 1, sizeof *self->moments);
    self->moments[self->moment_count++] = moment;
}

/* Whether a job's tasks have ended, but its nodes are still its own. */
static bool is_ending(const vef_batch_job *job) {
    return job->started && !job->ended && job->running == 0;
}

static void end_jobs(vef_batch *self, uint64_t now_ps) {
    for (uint32_t i = 0; i < self->settings.count; i++) {
        vef_batch_job *job = &self->settings.jobs[i];
        if (!is_ending(job) || job->end_ps > now_ps)
            continue;
        for (uint32_t node = 0; node < job->nodes; node++)
            vef_job_nodes_free(self->settings.nodes, job->chosen[node]);
        self->busy -= job->nodes;
        job->ended = true;
        self->looks = true;
    }
}

static void take_arrivals(vef_batch *self, uint64_t now_ps) {
    for (; self->arrived < self->settings.count; self->arrived++) {
        const uint32_t number = self->by_arrival[self->arrived];
        const vef_batch_job *job = &self->settings.jobs[number];
        if (job->arrival_ps > now_ps)
            return;
        self->waiting[self->waiting_count++] =
            (vef_batch_waiting){number, job->nodes, job->estimate_ps};
        self->looks = true;
    }
}

static int by_end(const void *a, const void *b) {
    const vef_batch_running *x = a, *y = b;
    return (x->end_ps > y->end_ps) - (x->end_ps < y->end_ps);
}

/* The waiting job that starts now; VEF_NO_START. */
static size_t ask(vef_batch *self, uint64_t now_ps) {
    size_t running = 0;
    for (uint32_t i = 0; i < self->settings.count; i++) {
        const vef_batch_job *job = &self->settings.jobs[i];
        if (job->started && !job->ended)
            self->running[running++] =
                (vef_batch_running){job->nodes, job->start_ps < NEVER - job->estimate_ps
                                                    ? job->start_ps + job->estimate_ps
                                                    : NEVER};
    }
    qsort(self->running, running, sizeof *self->running, by_end);
    const vef_batch_view view = {.now_ps = now_ps,
                                 .free = self->settings.nodes->free,
                                 .waiting = self->waiting,
                                 .waiting_count = self->waiting_count,
                                 .running = self->running,
                                 .running_count = running};
    return self->waiting_count ? self->settings.policy->choose(&view) : VEF_NO_START;
}

static vef_code start_job(vef_batch *self, size_t place, uint64_t now_ps, vef_gate_start *start,
                          vef_error *error) {
    const uint32_t number = self->waiting[place].job;
    vef_batch_job *job = &self->settings.jobs[number];
    for (size_t i = place; i + 1 < self->waiting_count; i++)
        self->waiting[i] = self->waiting[i + 1];
    self->waiting_count--;
    job->chosen = vef_arena_alloc(&self->arena, job->nodes + (size_t)1, sizeof *job->chosen);
    vef_code code = vef_job_placement_choose(&job->placement, self->settings.nodes, job->nodes,
                                             job->chosen, error);
    if (code == VEF_OK)
        code = self->settings.settle(self->settings.context, number, job->chosen, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t i = 0; i < job->nodes; i++)
        vef_job_nodes_take(self->settings.nodes, job->chosen[i], number);
    self->busy += job->nodes;
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
static void find_next(vef_batch *self) {
    uint64_t first = self->looks ? 0 : NEVER;
    if (self->arrived < self->settings.count &&
        self->settings.jobs[self->by_arrival[self->arrived]].arrival_ps < first)
        first = self->settings.jobs[self->by_arrival[self->arrived]].arrival_ps;
    for (uint32_t i = 0; i < self->settings.count; i++) {
        const vef_batch_job *job = &self->settings.jobs[i];
        if (is_ending(job) && job->end_ps < first)
            first = job->end_ps;
    }
    self->next_ps = first;
}

static vef_code act(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error) {
    vef_batch *self = context;
    end_jobs(self, now_ps);
    take_arrivals(self, now_ps);
    const size_t chosen = ask(self, now_ps);
    self->looks = chosen != VEF_NO_START;
    vef_code code = chosen == VEF_NO_START ? VEF_OK : start_job(self, chosen, now_ps, start, error);
    find_next(self);
    if (code == VEF_OK)
        note_moment(self, now_ps);
    return code;
}

static void retires(void *context, uint32_t task, uint64_t end_ps) {
    vef_batch *self = context;
    vef_batch_job *job = &self->settings.jobs[self->part_of[task]];
    job->running--;
    if (end_ps > job->end_ps)
        job->end_ps = end_ps;
    if (job->running == 0)
        find_next(self);
}

/* ---- construction ---- */

static void sort_arrivals(vef_batch *self) {
    const vef_batch_job *jobs = self->settings.jobs;
    for (uint32_t i = 0; i < self->settings.count; i++) {
        uint32_t at = i; /* stable: of equal times as listed */
        for (; at > 0 && jobs[self->by_arrival[at - 1]].arrival_ps > jobs[i].arrival_ps; at--)
            self->by_arrival[at] = self->by_arrival[at - 1];
        self->by_arrival[at] = i;
    }
}

void vef_batch_begin(vef_batch *self, const vef_batch_settings *settings) {
    const uint32_t count = settings->count;
    const size_t room = count ? count : 1;
    uint32_t tasks = 0;
    *self = (vef_batch){.gate = {.context = self,
                                 .endpoints = settings->nodes->count * settings->nodes->nics,
                                 .next = next,
                                 .act = act},
                        .listener = {.context = self, .retires = retires},
                        .settings = *settings};
    for (uint32_t i = 0; i < count; i++)
        if (settings->jobs[i].first_task + settings->jobs[i].tasks > tasks)
            tasks = settings->jobs[i].first_task + settings->jobs[i].tasks;
    self->by_arrival = vef_arena_alloc(&self->arena, room, sizeof *self->by_arrival);
    self->waiting = vef_arena_alloc(&self->arena, room, sizeof *self->waiting);
    self->running = vef_arena_alloc(&self->arena, room, sizeof *self->running);
    self->part_of = vef_arena_alloc(&self->arena, tasks + (size_t)1, sizeof *self->part_of);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t task = 0; task < settings->jobs[i].tasks; task++)
            self->part_of[settings->jobs[i].first_task + task] = i;
    sort_arrivals(self);
    find_next(self);
}

void vef_batch_end(vef_batch *self) {
    uint64_t last_ps = 0;
    for (uint32_t i = 0; i < self->settings.count; i++)
        if (is_ending(&self->settings.jobs[i]) && self->settings.jobs[i].end_ps > last_ps)
            last_ps = self->settings.jobs[i].end_ps;
    if (last_ps == 0)
        return;
    end_jobs(self, last_ps);
    note_moment(self, last_ps);
}

void vef_batch_release(vef_batch *self) {
    free(self->moments);
    vef_arena_release(&self->arena);
    *self = (vef_batch){0};
}

double vef_batch_utilization(const vef_batch *self) {
    uint64_t end_ps = 0;
    double busy = 0;
    for (uint32_t i = 0; i < self->settings.count; i++)
        if (self->settings.jobs[i].end_ps > end_ps)
            end_ps = self->settings.jobs[i].end_ps;
    for (size_t i = 0; i < self->moment_count; i++) {
        const uint64_t until = i + 1 < self->moment_count ? self->moments[i + 1].ps : end_ps;
        if (until > self->moments[i].ps)
            busy += (double)self->moments[i].busy * (double)(until - self->moments[i].ps);
    }
    const double all = (double)self->settings.nodes->count * (double)end_ps;
    return all > 0 ? busy / all : 0;
}
