/* Threads that claim pieces of work. See crew.h.
 *
 * Every step of every job is a round with a number of its own. A piece is claimed by raising its
 * counter from the number of the previous round to that of the current one, so a thread that wakes
 * up late, with an old number, claims nothing. Until a claimed piece is done, the round does not
 * end; so whoever holds a claim may read the job and the step, and nobody else does. */
#include "common/threads/crew.h"
#include "common/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum {
    LINE_BYTES = 64,
    HELPER_SPINS = 4000,   /* some 50 µs before it sleeps */
    CALLER_SPINS = 1000,   /* before it yields its core to a thread in the middle of a piece */
    WAKE_NS = 1000 * 1000, /* sleeping helpers are woken at most this often */
};

typedef struct claim {
    alignas(LINE_BYTES) atomic_uint_least64_t round; /* in which the piece was last claimed */
} claim;

struct vef_crew {
    alignas(LINE_BYTES) atomic_uint_least64_t round;
    const vef_crew_job *job; /* of this round, like the step */
    uint32_t step;
    alignas(LINE_BYTES) atomic_uint_least32_t left; /* pieces of the round that are not done */
    alignas(LINE_BYTES) atomic_uint_least32_t sleepers;
    atomic_bool done, ended; /* the job; the crew */
    uint64_t woken_ns;
    pthread_mutex_t lock; /* of sleep */
    pthread_cond_t wake;
    uint32_t pieces, helpers, joined; /* helpers wanted, and those that have begun */
    uint32_t started;
    pthread_t *threads;
    vef_landing *landing; /* of the caller */
    bool attempts;        /* whether work that lacks memory comes back: the process does not end */
    atomic_size_t lacking_bytes;
    claim claims[];
};

/* A claimed piece, as vef_attempt wants it. */
typedef struct claimed_piece {
    const vef_crew *crew;
    uint32_t piece;
} claimed_piece;

static inline void pause_briefly(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void begin_round(vef_crew *crew, uint32_t step) {
    crew->step = step;
    atomic_store_explicit(&crew->left, crew->pieces, memory_order_relaxed);
    const uint64_t round = atomic_load_explicit(&crew->round, memory_order_relaxed);
    atomic_store_explicit(&crew->round, round + 1, memory_order_release);
}

/* A claimed piece is done; the last of a round begins the next one. */
static void finish(vef_crew *crew) {
    if (atomic_fetch_sub(&crew->left, 1) != 1)
        return;
    const uint32_t step = crew->job->next(crew->job->context, crew->step);
    if (step == VEF_CREW_DONE)
        atomic_store_explicit(&crew->done, true, memory_order_release);
    else
        begin_round(crew, step);
}

static void work_on(void *context) {
    const claimed_piece *claimed = context;
    const vef_crew *crew = claimed->crew;
    crew->job->work(crew->job->context, crew->step, claimed->piece);
}

static void attempt(vef_crew *crew, uint32_t piece) {
    const size_t lacking_bytes = vef_attempt(work_on, &(claimed_piece){crew, piece});
    if (lacking_bytes > 0)
        atomic_store(&crew->lacking_bytes, lacking_bytes);
}

/* Works on the pieces of a round that nobody has claimed, from `first` on, so that every thread
 * usually has the same ones. Returns whether there were any. */
static bool take_part(vef_crew *crew, uint64_t round, uint32_t first) {
    bool any = false;
    for (uint32_t i = 0; i < crew->pieces; i++) {
        const uint32_t piece = first + i < crew->pieces ? first + i : first + i - crew->pieces;
        uint64_t before = round - 1;
        if (atomic_load_explicit(&crew->claims[piece].round, memory_order_relaxed) != before ||
            !atomic_compare_exchange_strong(&crew->claims[piece].round, &before, round))
            continue;
        any = true;
        if (crew->attempts)
            attempt(crew, piece);
        else
            crew->job->work(crew->job->context, crew->step, piece);
        finish(crew);
    }
    return any;
}

static void sleep_after(vef_crew *crew, uint64_t round) {
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->round) == round && !atomic_load(&crew->ended))
        pthread_cond_wait(&crew->wake, &crew->lock);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void *help(void *argument) {
    vef_crew *crew = argument;
    pthread_mutex_lock(&crew->lock);
    const uint32_t member = ++crew->joined;
    pthread_mutex_unlock(&crew->lock);
    const uint32_t first = member * crew->pieces / (crew->helpers + 1);
    uint64_t seen = 0;
    for (uint32_t spins = 0; !atomic_load_explicit(&crew->ended, memory_order_acquire); spins++) {
        const uint64_t round = atomic_load_explicit(&crew->round, memory_order_acquire);
        if (round != seen) {
            seen = round;
            spins = 0;
            vef_landing_set(crew->landing);
            take_part(crew, round, first);
        } else if (spins < HELPER_SPINS) {
            pause_briefly();
        } else {
            sleep_after(crew, round);
            spins = 0;
        }
    }
    return NULL;
}

static void wake_all(vef_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

/* To wake a thread takes as long as a short step, and on a busy machine it comes too late. */
static void wake_seldom(vef_crew *crew) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (now_ns - crew->woken_ns < WAKE_NS)
        return;
    crew->woken_ns = now_ns;
    wake_all(crew);
}

static void run_alone(const vef_crew_job *job) {
    for (uint32_t step = job->first_step; step != VEF_CREW_DONE;
         step = job->next(job->context, step))
        for (uint32_t piece = 0; piece < job->pieces; piece++)
            job->work(job->context, step, piece);
}

void vef_crew_run(vef_crew *crew, const vef_crew_job *job) {
    if (!crew) {
        run_alone(job);
        return;
    }
    crew->job = job;
    crew->landing = vef_landing_get();
    crew->attempts = crew->landing && !crew->landing->ends_process;
    atomic_store_explicit(&crew->done, false, memory_order_relaxed);
    begin_round(crew, job->first_step);
    if (atomic_load_explicit(&crew->sleepers, memory_order_relaxed) > 0)
        wake_seldom(crew);
    for (uint32_t spins = 0; !atomic_load_explicit(&crew->done, memory_order_acquire); spins++) {
        if (take_part(crew, atomic_load_explicit(&crew->round, memory_order_acquire), 0))
            spins = 0;
        else if (spins < CALLER_SPINS)
            pause_briefly();
        else
            sched_yield();
    }
    if (crew->lacking_bytes > 0)
        vef_lost(crew->lacking_bytes);
}

vef_crew *vef_crew_create(uint32_t threads, uint32_t pieces) {
    const size_t bytes = sizeof(vef_crew) + pieces * sizeof(claim);
    vef_crew *crew =
        vef_aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    *crew = (vef_crew){.pieces = pieces, .helpers = threads > 0 ? threads - 1 : 0};
    for (uint32_t i = 0; i < pieces; i++)
        atomic_init(&crew->claims[i].round, 0);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    crew->threads = vef_calloc(crew->helpers + 1, sizeof *crew->threads);
    uint32_t started = 0;
    while (started < crew->helpers &&
           pthread_create(&crew->threads[started], NULL, help, crew) == 0)
        started++;
    crew->started = started;
    return crew;
}

void vef_crew_destroy(vef_crew *crew) {
    if (!crew)
        return;
    atomic_store(&crew->ended, true);
    wake_all(crew);
    for (uint32_t i = 0; i < crew->started; i++)
        pthread_join(crew->threads[i], NULL);
    free(crew->threads);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}
