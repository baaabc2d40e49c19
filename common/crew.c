/* Threads in step: one barrier for all. See crew.h. */
#include "common/crew.h"

#include "common/workers.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LINE_BYTES = 64, SPINS = 20000 /* some 200 µs */ };

struct vef_crew {
    /* The last member to arrive begins the next round. */
    alignas(LINE_BYTES) atomic_uint_least32_t arrived;
    alignas(LINE_BYTES) atomic_uint_least32_t round;
    alignas(LINE_BYTES) atomic_uint_least32_t sleepers;
    pthread_mutex_t lock; /* of the sleep of members that have spun in vain */
    pthread_cond_t next_round;
    uint32_t members, spins;
    bool ended;
    void (*work)(void *context, uint32_t member);
    void *context;
    pthread_t threads[];
};

typedef struct task_of_thread {
    vef_crew *crew;
    uint32_t member;
} task_of_thread;

static inline void pause_briefly(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* Between `sleepers` and `round` either this member or the one that begins the round sees what the
 * other has written: both orders are sequentially consistent. */
static void sleep_in(vef_crew *crew, uint32_t round) {
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleepers, 1);
    while (atomic_load(&crew->round) == round)
        pthread_cond_wait(&crew->next_round, &crew->lock);
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void begin_round(vef_crew *crew, uint32_t round) {
    atomic_store_explicit(&crew->arrived, 0, memory_order_relaxed);
    atomic_store(&crew->round, round);
    if (atomic_load(&crew->sleepers) == 0)
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->next_round);
    pthread_mutex_unlock(&crew->lock);
}

void vef_crew_meet(vef_crew *crew) {
    const uint32_t round = atomic_load_explicit(&crew->round, memory_order_relaxed);
    if (atomic_fetch_add(&crew->arrived, 1) + 1 == crew->members) {
        begin_round(crew, round + 1);
        return;
    }
    for (uint32_t i = 0; i < crew->spins; i++) {
        if (atomic_load_explicit(&crew->round, memory_order_acquire) != round)
            return;
        pause_briefly();
    }
    sleep_in(crew, round);
}

static void *serve(void *argument) {
    const task_of_thread task = *(task_of_thread *)argument;
    free(argument);
    for (;;) {
        vef_crew_meet(task.crew);
        if (task.crew->ended)
            return NULL;
        task.crew->work(task.crew->context, task.member);
        vef_crew_meet(task.crew);
    }
}

void vef_crew_run(vef_crew *crew, void (*work)(void *context, uint32_t member), void *context) {
    crew->work = work;
    crew->context = context;
    vef_crew_meet(crew);
    work(context, 0);
    vef_crew_meet(crew);
}

static void end(vef_crew *crew, uint32_t started) {
    crew->ended = true;
    if (started < crew->members) /* the others have no thread that could arrive */
        atomic_fetch_add(&crew->arrived, crew->members - started);
    vef_crew_meet(crew);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->next_round);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

static bool start(vef_crew *crew, uint32_t member) {
    task_of_thread *task = malloc(sizeof *task);
    if (!task)
        return false;
    *task = (task_of_thread){crew, member};
    const bool started = pthread_create(&crew->threads[member], NULL, serve, task) == 0;
    if (!started)
        free(task);
    return started;
}

vef_crew *vef_crew_create(uint32_t members) {
    const size_t bytes = sizeof(vef_crew) + members * sizeof(pthread_t);
    vef_crew *crew = aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (!crew)
        return NULL;
    atomic_init(&crew->arrived, 0);
    atomic_init(&crew->round, 0);
    atomic_init(&crew->sleepers, 0);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->next_round, NULL);
    crew->members = members;
    crew->ended = false;
    crew->spins = vef_workers_for(members) < members ? 0 : SPINS;
    uint32_t started = 1;
    while (started < members && start(crew, started))
        started++;
    if (started == members)
        return crew;
    end(crew, started);
    return NULL;
}

void vef_crew_destroy(vef_crew *crew) {
    if (crew)
        end(crew, crew->members);
}
