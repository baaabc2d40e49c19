/* See thread_ranks.h. */
#include "tests/netmodel/thread_ranks.h"

#include "common/containers/grow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a rank gives in the call that all are in. */
typedef struct given {
    vef_net_peer *peers;
    uint32_t peer_count;
    const uint64_t *values;
} given;

typedef struct hub {
    pthread_barrier_t meeting;
    uint32_t count;
    given from[VEF_MOST_RANKS];
    void (*work)(void *context, const vef_net_ranks *ranks);
    void *context;
} hub;

typedef struct seat {
    hub *shared;
    uint32_t rank;
} seat;

static void exchange(void *context, vef_net_peer *peers, uint32_t count) {
    const seat *own = context;
    hub *shared = own->shared;
    shared->from[own->rank].peers = peers;
    shared->from[own->rank].peer_count = count;
    pthread_barrier_wait(&shared->meeting);
    for (uint32_t i = 0; i < count; i++) {
        const given *other = &shared->from[peers[i].rank];
        const vef_net_peer *peer = other->peers;
        while (peer < other->peers + other->peer_count && peer->rank != own->rank)
            peer++;
        if (peer == other->peers + other->peer_count)
            abort(); /* the other has none for this rank: MPI would wait for ever */
        peers[i].in_bytes = peer->out_bytes;
        vef_grow(&peers[i].in, &peers[i].in_room, peer->out_bytes, 1);
        if (peer->out_bytes > 0)
            memcpy(peers[i].in, peer->out, peer->out_bytes);
    }
    pthread_barrier_wait(&shared->meeting);
}

static void reduce(const seat *own, uint64_t *values, size_t count, bool least) {
    hub *shared = own->shared;
    uint64_t *result = calloc(count, sizeof *result);
    shared->from[own->rank].values = values;
    pthread_barrier_wait(&shared->meeting);
    for (size_t i = 0; i < count; i++)
        for (uint32_t rank = 0; rank < shared->count; rank++) {
            const uint64_t value = shared->from[rank].values[i];
            if (least)
                result[i] = rank == 0 || value < result[i] ? value : result[i];
            else
                result[i] += value;
        }
    pthread_barrier_wait(&shared->meeting);
    memcpy(values, result, count * sizeof *values);
    free(result);
}

static void sum(void *context, uint64_t *values, size_t count) {
    reduce(context, values, count, false);
}

static void least(void *context, uint64_t *values, size_t count) {
    reduce(context, values, count, true);
}

static void *sit(void *context) {
    seat *own = context;
    const vef_net_ranks ranks = {own, own->rank, own->shared->count, exchange, sum, least};
    own->shared->work(own->shared->context, ranks.count > 1 ? &ranks : NULL);
    return NULL;
}

void run_ranks(uint32_t count, void (*work)(void *context, const vef_net_ranks *ranks),
               void *context) {
    static hub shared;
    pthread_t threads[VEF_MOST_RANKS];
    seat seats[VEF_MOST_RANKS];
    shared = (hub){.count = count, .work = work, .context = context};
    pthread_barrier_init(&shared.meeting, NULL, count);
    for (uint32_t rank = 0; rank < count; rank++) {
        seats[rank] = (seat){&shared, rank};
        if (pthread_create(&threads[rank], NULL, sit, &seats[rank]) != 0)
            abort();
    }
    for (uint32_t rank = 0; rank < count; rank++)
        pthread_join(threads[rank], NULL);
    pthread_barrier_destroy(&shared.meeting);
}
