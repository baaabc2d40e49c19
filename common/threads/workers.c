/* Threads that process numbered pieces of work. See workers.h. */
#include "common/threads/workers.h"

#include "common/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct crew {
    atomic_uint_least32_t next;
    uint32_t pieces;
    void (*work)(void *context, uint32_t worker, uint32_t piece);
    void *context;
    vef_landing *landing; /* of the thread that waits for the others */
    atomic_size_t lacking_bytes;
} crew;

typedef struct member {
    crew *crew;
    uint32_t worker;
    pthread_t thread;
} member;

uint32_t vef_workers_for(uint32_t pieces) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1)
        cores = 1;
    if (cores > VEF_MOST_WORKERS)
        cores = VEF_MOST_WORKERS;
    return pieces < (uint32_t)cores ? (pieces ? pieces : 1) : (uint32_t)cores;
}

static void take_pieces(void *argument) {
    const member *self = argument;
    crew *all = self->crew;
    for (;;) {
        /* exceeds `pieces` by at most one per worker */
        const uint32_t piece = atomic_fetch_add(&all->next, 1);
        if (piece >= all->pieces)
            return;
        all->work(all->context, self->worker, piece);
    }
}

static void *take_part(void *argument) {
    crew *all = ((const member *)argument)->crew;
    const size_t lacking_bytes = vef_run_landed(all->landing, take_pieces, argument);
    if (lacking_bytes > 0)
        atomic_store(&all->lacking_bytes, lacking_bytes);
    return NULL;
}

void vef_workers_run(uint32_t workers, uint32_t pieces,
                     void (*work)(void *context, uint32_t worker, uint32_t piece), void *context) {
    assert(workers >= 1 && workers <= VEF_MOST_WORKERS && pieces < UINT32_MAX - VEF_MOST_WORKERS);
    crew all = {.pieces = pieces, .work = work, .context = context, .landing = vef_landing_get()};
    member members[VEF_MOST_WORKERS];
    uint32_t started = 1;
    members[0] = (member){.crew = &all};
    for (; started < workers; started++) {
        members[started] = (member){.crew = &all, .worker = started};
        if (pthread_create(&members[started].thread, NULL, take_part, &members[started]) != 0)
            break;
    }
    take_part(&members[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(members[i].thread, NULL);
    if (all.lacking_bytes > 0)
        vef_lost(all.lacking_bytes);
}
