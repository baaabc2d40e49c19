/* Jobs in the background. See background.h. Threads start with the second pending job: a caller
 * with a single job waits for it in any case. */
#include "common/threads/background.h"

#include "common/memory.h"
#include "common/threads/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct vef_background {
    void (*work)(void *context, uint32_t place);
    void *context;
    uint32_t places, helpers;
    uint64_t started, collected; /* by the caller alone */
    pthread_t thread[VEF_MOST_WORKERS];
    uint32_t threads;
    vef_landing *landing; /* of the caller */

    pthread_mutex_t lock; /* of the following */
    pthread_cond_t more, finished;
    uint64_t offered, taken; /* jobs */
    bool closing;
    bool *done; /* by place */
    size_t lacking_bytes;
};

/* A job and its place, as vef_run_landed wants it. */
typedef struct placed_job {
    const vef_background *jobs;
    uint32_t place;
} placed_job;

vef_background *vef_background_new(uint32_t places, uint32_t helpers,
                                   void (*work)(void *context, uint32_t place), void *context) {
    assert(places > 0);
    vef_background *jobs = vef_calloc(1, sizeof *jobs);
    bool *done = vef_calloc(places, sizeof *done);
    *jobs = (vef_background){.work = work,
                             .context = context,
                             .places = places,
                             .helpers = helpers < VEF_MOST_WORKERS ? helpers : VEF_MOST_WORKERS,
                             .landing = vef_landing_get(),
                             .done = done};
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->more, NULL);
    pthread_cond_init(&jobs->finished, NULL);
    return jobs;
}

uint32_t vef_background_pending(const vef_background *jobs) {
    return (uint32_t)(jobs->started - jobs->collected);
}

uint32_t vef_background_next(const vef_background *jobs) {
    return (uint32_t)(jobs->started % jobs->places);
}

uint32_t vef_background_oldest(const vef_background *jobs) {
    return (uint32_t)(jobs->collected % jobs->places);
}

static void work_on(void *context) {
    const placed_job *job = context;
    job->jobs->work(job->jobs->context, job->place);
}

/* Does the next job that no thread has taken; the lock is held before and after. */
static void do_next(vef_background *jobs) {
    const uint32_t place = (uint32_t)(jobs->taken++ % jobs->places);
    pthread_mutex_unlock(&jobs->lock);
    placed_job job = {jobs, place};
    const size_t lacking_bytes = vef_run_landed(jobs->landing, work_on, &job);
    pthread_mutex_lock(&jobs->lock);
    jobs->lacking_bytes = lacking_bytes > 0 ? lacking_bytes : jobs->lacking_bytes;
    jobs->done[place] = true;
    pthread_cond_signal(&jobs->finished); /* only the caller waits */
}

static void *help(void *argument) {
    vef_background *jobs = argument;
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->closing) {
        if (jobs->taken < jobs->offered)
            do_next(jobs);
        else
            pthread_cond_wait(&jobs->more, &jobs->lock);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static void start_helpers(vef_background *jobs) {
    while (jobs->threads < jobs->helpers &&
           pthread_create(&jobs->thread[jobs->threads], NULL, help, jobs) == 0)
        jobs->threads++;
    jobs->helpers = jobs->threads; /* not tried again */
}

void vef_background_start(vef_background *jobs) {
    assert(vef_background_pending(jobs) < jobs->places);
    jobs->started++;
    if (jobs->threads < jobs->helpers && vef_background_pending(jobs) > 1)
        start_helpers(jobs);
    pthread_mutex_lock(&jobs->lock);
    jobs->offered = jobs->started;
    pthread_cond_signal(&jobs->more);
    pthread_mutex_unlock(&jobs->lock);
}

void vef_background_collect(vef_background *jobs) {
    assert(vef_background_pending(jobs) > 0);
    const uint32_t place = vef_background_oldest(jobs);
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->done[place]) {
        if (jobs->taken < jobs->offered)
            do_next(jobs);
        else
            pthread_cond_wait(&jobs->finished, &jobs->lock);
    }
    jobs->done[place] = false;
    const size_t lacking_bytes = jobs->lacking_bytes;
    pthread_mutex_unlock(&jobs->lock);
    jobs->collected++;
    if (lacking_bytes > 0)
        vef_lost(lacking_bytes);
}

void vef_background_free(vef_background *jobs) {
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->closing = true;
    pthread_cond_broadcast(&jobs->more);
    pthread_mutex_unlock(&jobs->lock);
    for (uint32_t i = 0; i < jobs->threads; i++)
        pthread_join(jobs->thread[i], NULL);
    pthread_mutex_destroy(&jobs->lock);
    pthread_cond_destroy(&jobs->more);
    pthread_cond_destroy(&jobs->finished);
    free(jobs->done);
    free(jobs);
}
