/* A pool of threads. See pool.h.
 *
 * A piece is taken by raising the count of its place, so a thread that wakes up late, and knows
 * only of pieces that were offered before, takes nothing. Of a job with steps a piece is offered at
 * every place at a time, and the last thread that is done offers the next step. Until a piece is
 * done the step does not end; so whoever has taken one may read the job and the step, and nobody
 * else does. */
#include "common/threads/pool.h"

#include "common/memory.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE_BYTES = 64,
    HELPER_SPINS = 4000,   /* some 50 µs before a helper sleeps */
    CALLER_SPINS = 1000,   /* before the caller yields its core to a thread within a piece, */
    CALLER_YIELDS = 4000,  /* and so many more before it sleeps */
    WAKE_NS = 1000 * 1000, /* helpers are woken for steps at most this often */
};

typedef struct place {
    alignas(LINE_BYTES) atomic_uint_least64_t taken, done; /* pieces of this place */
} place;

struct vef_pool {
    alignas(LINE_BYTES) atomic_uint_least64_t offered; /* pieces of all places */
    const vef_pool_job *job;
    uint32_t step;
    alignas(LINE_BYTES) atomic_uint_least32_t left;     /* pieces of the step that are not done */
    alignas(LINE_BYTES) atomic_uint_least32_t sleepers; /* helpers */
    atomic_bool done, ended;                            /* the job; the pool */
    atomic_bool caller_sleeps;
    uint64_t woken_ns;
    pthread_mutex_t lock; /* of sleep */
    pthread_cond_t wake, wake_caller;
    uint64_t collected;
    uint32_t places, helpers; /* wanted */
    uint32_t started, joined; /* helpers; those that have begun */
    bool tried;               /* to start them */
    pthread_t threads[VEF_MOST_WORKERS];
    vef_landing *landing; /* of the caller */
    bool attempts;        /* whether work that lacks memory comes back: the process does not end */
    atomic_size_t lacking_bytes;
    place place[];
};

/* ---- pieces ---- */

/* A taken piece, as vef_attempt wants it. */
typedef struct taken_piece {
    const vef_pool *pool;
    uint32_t place;
} taken_piece;

static void work_on(void *context) {
    const taken_piece *taken = context;
    const vef_pool_job *job = taken->pool->job;
    job->work(job->context, taken->pool->step, taken->place);
}

static void attempt(vef_pool *pool, uint32_t number) {
    const size_t lacking_bytes = vef_attempt(work_on, &(taken_piece){pool, number});
    if (lacking_bytes > 0)
        atomic_store(&pool->lacking_bytes, lacking_bytes);
}

static void do_piece(vef_pool *pool, uint32_t number) {
    if (pool->attempts) {
        attempt(pool, number);
        return;
    }
    vef_landing_set(pool->landing);
    pool->job->work(pool->job->context, pool->step, number);
}

static void wake_caller(vef_pool *pool) {
    if (!atomic_load(&pool->caller_sleeps))
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_signal(&pool->wake_caller);
    pthread_mutex_unlock(&pool->lock);
}

static void wake_all(vef_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* To wake a thread takes as long as a short step, and on a busy machine it comes too late. */
static void wake_seldom(vef_pool *pool) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (now_ns - pool->woken_ns < WAKE_NS)
        return;
    pool->woken_ns = now_ns;
    wake_all(pool);
}

/* Helpers that sleep are woken seldom, also within a job: they sleep while one thread has a long
 * piece. */
static void begin_step(vef_pool *pool, uint32_t step) {
    pool->step = step;
    atomic_store_explicit(&pool->left, pool->places, memory_order_relaxed);
    atomic_fetch_add(&pool->offered, pool->places);
    if (atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0)
        wake_seldom(pool);
}

/* A piece is done; the last of a step begins the next one. */
static void finish(vef_pool *pool, uint32_t number) {
    const vef_pool_job *job = pool->job;
    if (!job->next) {
        atomic_fetch_add(&pool->place[number].done, 1);
    } else {
        if (atomic_fetch_sub(&pool->left, 1) != 1)
            return;
        const uint32_t step = job->next(job->context, pool->step);
        if (step == VEF_POOL_DONE)
            atomic_store(&pool->done, true);
        else
            begin_step(pool, step);
    }
    wake_caller(pool);
}

/* Does pieces that nobody has taken, from a place on, so that every thread usually has the same
 * ones: all of them, or one. Returns whether there were any. */
static bool take_part(vef_pool *pool, uint64_t offered, uint32_t first, bool every_part) {
    bool any = false;
    for (uint32_t i = 0; i < pool->places && (every_part || !any); i++) {
        const uint32_t number = first + i < pool->places ? first + i : first + i - pool->places;
        uint64_t taken = atomic_load_explicit(&pool->place[number].taken, memory_order_relaxed);
        if (taken * pool->places + number >= offered ||
            !atomic_compare_exchange_strong(&pool->place[number].taken, &taken, taken + 1))
            continue;
        any = true;
        do_piece(pool, number);
        finish(pool, number);
    }
    return any;
}

static inline void pause_briefly(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* ---- helpers ---- */

static void sleep_after(vef_pool *pool, uint64_t offered) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->offered) == offered && !atomic_load(&pool->ended))
        pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *help(void *argument) {
    vef_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    const uint32_t member = ++pool->joined;
    pthread_mutex_unlock(&pool->lock);
    const uint32_t first = member * pool->places / (pool->helpers + 1);
    uint64_t seen = 0;
    for (uint32_t spins = 0; !atomic_load_explicit(&pool->ended, memory_order_acquire); spins++) {
        const uint64_t offered = atomic_load_explicit(&pool->offered, memory_order_acquire);
        if (offered != seen) {
            seen = offered;
            spins = 0;
            take_part(pool, offered, first, true);
        } else if (spins < HELPER_SPINS) {
            pause_briefly();
        } else {
            sleep_after(pool, offered);
            spins = 0;
        }
    }
    return NULL;
}

/* The threads start with the first work that they could share. */
static void start_helpers(vef_pool *pool) {
    pool->tried = true;
    while (pool->started < pool->helpers &&
           pthread_create(&pool->threads[pool->started], NULL, help, pool) == 0)
        pool->started++;
}

/* ---- the caller ---- */

static bool is_done(const vef_pool *pool) {
    if (pool->job->next)
        return atomic_load(&pool->done);
    const uint64_t oldest = pool->collected;
    return atomic_load(&pool->place[oldest % pool->places].done) > oldest / pool->places;
}

static void begin_job(vef_pool *pool, const vef_pool_job *job) {
    pool->job = job;
    pool->landing = vef_landing_get();
    pool->attempts = pool->landing && !pool->landing->ends_process;
}

/* Until a piece is offered, or what the caller waits for is done. */
static void sleep_caller(vef_pool *pool, uint64_t offered) {
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (!is_done(pool) && atomic_load(&pool->offered) == offered)
        pthread_cond_wait(&pool->wake_caller, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

/* Does pieces until what the caller waits for is done. */
static void wait_for(vef_pool *pool, uint32_t first, bool every_part) {
    for (uint32_t idle = 0; !is_done(pool); idle++) {
        const uint64_t offered = atomic_load_explicit(&pool->offered, memory_order_acquire);
        if (take_part(pool, offered, first, every_part))
            idle = 0;
        else if (idle < CALLER_SPINS)
            pause_briefly();
        else if (idle < CALLER_SPINS + CALLER_YIELDS)
            sched_yield();
        else
            sleep_caller(pool, offered);
    }
}

/* Work on some thread, by now done, lacked memory. */
static void lose(const vef_pool *pool) {
    const size_t lacking_bytes = pool->lacking_bytes;
    if (lacking_bytes > 0)
        vef_lost(lacking_bytes);
}

static void run_alone(const vef_pool_job *job) {
    for (uint32_t step = job->first_step; step != VEF_POOL_DONE;
         step = job->next ? job->next(job->context, step) : (uint32_t)VEF_POOL_DONE)
        for (uint32_t number = 0; number < job->places; number++)
            job->work(job->context, step, number);
}

static void run(vef_pool *pool, const vef_pool_job *job) {
    assert(job->places == pool->places && job->next);
    begin_job(pool, job);
    atomic_store_explicit(&pool->done, false, memory_order_relaxed);
    begin_step(pool, job->first_step);
    if (!pool->tried)
        start_helpers(pool);
    wait_for(pool, 0, true);
}

void vef_pool_run(vef_pool *pool, const vef_pool_job *job) {
    if (!pool) {
        run_alone(job);
        return;
    }
    run(pool, job);
    lose(pool);
}

uint32_t vef_pool_pending(const vef_pool *pool) {
    return (uint32_t)(pool->offered - pool->collected);
}

uint32_t vef_pool_next(const vef_pool *pool) {
    return (uint32_t)(pool->offered % pool->places);
}

uint32_t vef_pool_oldest(const vef_pool *pool) {
    return (uint32_t)(pool->collected % pool->places);
}

void vef_pool_offer(vef_pool *pool, const vef_pool_job *job) {
    assert(vef_pool_pending(pool) < pool->places && !job->next);
    if (pool->offered == 0) {
        begin_job(pool, job);
        pool->step = job->first_step;
    }
    atomic_fetch_add(&pool->offered, 1);
    /* A caller with a single piece waits for it in any case. */
    if (!pool->tried && vef_pool_pending(pool) > 1)
        start_helpers(pool);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
}

void vef_pool_collect(vef_pool *pool) {
    assert(vef_pool_pending(pool) > 0);
    wait_for(pool, vef_pool_oldest(pool), false);
    pool->collected++;
    lose(pool);
}

vef_pool *vef_pool_create(uint32_t threads, uint32_t places) {
    assert(places > 0);
    const size_t bytes = sizeof(vef_pool) + places * sizeof(place);
    vef_pool *pool =
        vef_aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (threads > VEF_MOST_WORKERS)
        threads = VEF_MOST_WORKERS;
    *pool = (vef_pool){.places = places, .helpers = threads > 0 ? threads - 1 : 0};
    for (uint32_t i = 0; i < places; i++) {
        atomic_init(&pool->place[i].taken, 0);
        atomic_init(&pool->place[i].done, 0);
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->wake_caller, NULL);
    return pool;
}

void vef_pool_destroy(vef_pool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->ended, true);
    wake_all(pool);
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_cond_destroy(&pool->wake_caller);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* ---- independent pieces: a worker is a place ---- */

typedef struct shared_pieces {
    atomic_uint_least32_t next;
    uint32_t pieces;
    void (*work)(void *context, uint32_t worker, uint32_t piece);
    void *context;
} shared_pieces;

static void take_pieces(void *context, uint32_t step, uint32_t worker) {
    shared_pieces *shared = context;
    (void)step;
    /* `next` exceeds `pieces` by at most one per worker */
    for (uint32_t piece; (piece = atomic_fetch_add(&shared->next, 1)) < shared->pieces;)
        shared->work(shared->context, worker, piece);
}

static uint32_t end_pieces(void *context, uint32_t step) {
    (void)context;
    (void)step;
    return VEF_POOL_DONE;
}

uint32_t vef_workers_for(uint32_t pieces) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        cores = 1;
    if (cores > VEF_MOST_WORKERS)
        cores = VEF_MOST_WORKERS;
    return pieces < (uint32_t)cores ? (pieces ? pieces : 1) : (uint32_t)cores;
}

void vef_workers_run(uint32_t workers, uint32_t pieces,
                     void (*work)(void *context, uint32_t worker, uint32_t piece), void *context) {
    assert(workers >= 1 && workers <= VEF_MOST_WORKERS && pieces < UINT32_MAX - VEF_MOST_WORKERS);
    shared_pieces shared = {.pieces = pieces, .work = work, .context = context};
    const vef_pool_job job = {&shared, workers, 0, take_pieces, end_pieces};
    if (workers == 1) {
        run_alone(&job);
        return;
    }
    vef_pool *pool = vef_pool_create(workers, workers);
    run(pool, &job);
    const size_t lacking_bytes = pool->lacking_bytes;
    vef_pool_destroy(pool);
    if (lacking_bytes > 0)
        vef_lost(lacking_bytes);
}
