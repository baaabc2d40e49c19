/* The collectives, communicators and windows of the random program: random_program.c. */
#include "random_program.h"

#include <string.h>

/* ---- collectives ---- */

enum { PART = 24, COLLECTIVES = 17 };

/* Arguments of a vector collective: part i has i % 3 units. */
typedef struct parts {
    int counts[MOST_TASKS], places[MOST_TASKS], total;
} parts;

static parts parts_of(int size) {
    parts division = {{0}, {0}, 0};
    for (int i = 0; i < size; i++) {
        division.counts[i] = i % 3;
        division.places[i] = division.total;
        division.total += division.counts[i];
    }
    return division;
}

static void call_blocking(program *p, const group *g, int which, int root, int count) {
    char *a = room(p, PART * 1024), *b = room(p, PART * 1024);
    parts v = parts_of(g->size), mine = {{0}, {0}, 0};
    MPI_Comm c = g->comm;
    memset(a, 0, 64);
    for (int i = 0; i < g->size; i++)
        mine.counts[i] = g->rank % 3, mine.places[i] = i * 3;
    switch (which) {
    case 0:
        DO(MPI_Barrier(c));
        break;
    case 1:
        DO(MPI_Bcast(a, count, MPI_INT, root, c));
        break;
    case 2:
        DO(MPI_Reduce(a, b, count, MPI_INT, MPI_SUM, root, c));
        break;
    case 3:
        DO(MPI_Allreduce(a, b, count, MPI_INT, MPI_SUM, c));
        break;
    case 4:
        DO(MPI_Gather(a, count, MPI_INT, b, count, MPI_INT, root, c));
        break;
    case 5:
        DO(MPI_Scatter(a, count, MPI_INT, b, count, MPI_INT, root, c));
        break;
    case 6:
        DO(MPI_Allgather(a, count, MPI_INT, b, count, MPI_INT, c));
        break;
    case 7:
        DO(MPI_Alltoall(a, count, MPI_INT, b, count, MPI_INT, c));
        break;
    case 8:
        DO(MPI_Gatherv(a, g->rank % 3, MPI_INT, b, v.counts, v.places, MPI_INT, root, c));
        break;
    case 9:
        DO(MPI_Scatterv(a, v.counts, v.places, MPI_INT, b, g->rank % 3, MPI_INT, root, c));
        break;
    case 10:
        DO(MPI_Allgatherv(a, g->rank % 3, MPI_INT, b, v.counts, v.places, MPI_INT, c));
        break;
    case 11:
        DO(MPI_Alltoallv(a, v.counts, v.places, MPI_INT, b, mine.counts, mine.places, MPI_INT, c));
        break;
    case 12:
        DO(MPI_Scan(a, b, count, MPI_INT, MPI_SUM, c));
        break;
    case 13:
        DO(MPI_Exscan(a, b, count, MPI_INT, MPI_SUM, c));
        break;
    case 14:
        DO(MPI_Reduce_scatter_block(a, b, count, MPI_INT, MPI_SUM, c));
        break;
    case 15:
        DO(MPI_Reduce_scatter(a, b, v.counts, MPI_INT, MPI_SUM, c));
        break;
    default:
        DO(MPI_Allreduce(MPI_IN_PLACE, b, count, MPI_INT, MPI_MAX, c));
    }
}

static MPI_Request call_started(program *p, const group *g, int which, int root, int count) {
    char *a = room(p, PART * 1024), *b = room(p, PART * 1024);
    MPI_Comm c = g->comm;
    MPI_Request r = MPI_REQUEST_NULL;
    memset(a, 0, 64);
    switch (which) {
    case 0:
        DO(MPI_Ibarrier(c, &r));
        break;
    case 1:
        DO(MPI_Ibcast(a, count, MPI_INT, root, c, &r));
        break;
    case 2:
        DO(MPI_Ireduce(a, b, count, MPI_INT, MPI_SUM, root, c, &r));
        break;
    case 3:
        DO(MPI_Iallreduce(a, b, count, MPI_INT, MPI_SUM, c, &r));
        break;
    case 4:
        DO(MPI_Igather(a, count, MPI_INT, b, count, MPI_INT, root, c, &r));
        break;
    case 5:
        DO(MPI_Iallgather(a, count, MPI_INT, b, count, MPI_INT, c, &r));
        break;
    case 6:
        DO(MPI_Ialltoall(a, count, MPI_INT, b, count, MPI_INT, c, &r));
        break;
    default:
        DO(MPI_Iscan(a, b, count, MPI_INT, MPI_SUM, c, &r));
    }
    return r;
}

void collective(program *p) {
    int where = pick_group(p, 1);
    group *g = &p->groups[where];
    int which = pick(p, COLLECTIVES), started = pick(p, 3) == 0, root = pick(p, g->size);
    int count = 1 + pick(p, 60);
    if (g->rank < 0)
        return;
    if (!started)
        call_blocking(p, g, which, root, count);
    else
        wait_later(p, call_started(p, g, which % 8, root, count), p->step, 0, -1);
}

void persistent_collective(program *p) {
    const group *g = &p->groups[pick_group(p, 1)];
    int which = pick(p, 3), root = pick(p, g->size), count = 1 + pick(p, 60), starts = pick(p, 3);
    char *a = room(p, PART * 1024), *b = room(p, PART * 1024);
    MPI_Request r;
    if (g->rank < 0)
        return;
    memset(a, 0, 64);
    if (which == 0)
        DO(MPI_Barrier_init(g->comm, MPI_INFO_NULL, &r));
    else if (which == 1)
        DO(MPI_Bcast_init(a, count, MPI_INT, root, g->comm, MPI_INFO_NULL, &r));
    else
        DO(MPI_Allreduce_init(a, b, count, MPI_INT, MPI_SUM, g->comm, MPI_INFO_NULL, &r));
    for (; starts > 0; starts--) {
        DO(MPI_Start(&r));
        finish(p, &r);
    }
    DO(MPI_Request_free(&r));
}

/* ---- communicators ---- */

static int free_place(const program *p) {
    for (int i = 1; i < MOST_COMMS; i++)
        if (!p->groups[i].used)
            return i;
    return 0;
}

static void release(program *p, int position) {
    if (p->groups[position].rank >= 0)
        DO(MPI_Comm_free(&p->groups[position].comm));
    p->groups[position].used = 0;
}

/* Members of `g` with the colour become a new one; `comm` is what this task got. */
static void add_group(program *p, const group *g, const int *colours, int colour, MPI_Comm comm) {
    int position = free_place(p);
    group *made = &p->groups[position];
    *made = (group){MPI_COMM_NULL, 1, 0, -1, {0}, 0};
    for (int i = 0; i < g->size; i++) {
        if (colours[i] != colour)
            continue;
        if (i == g->rank) {
            made->rank = made->size;
            made->comm = comm;
        }
        made->tasks[made->size++] = g->tasks[i];
    }
}

void communicator(program *p) {
    const group *g = &p->groups[pick_group(p, 1)];
    int how = pick(p, 6), colours[MOST_TASKS] = {0}, free_at = 1 + pick(p, MOST_COMMS - 1);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    int both[2] = {0, 0};
    for (int i = 0; i < g->size; i++) {
        colours[i] = how < 3 ? 0 : pick(p, 2);
        both[colours[i]] = 1;
    }
    if (how == 0 || free_place(p) == 0) {
        if (p->groups[free_at].used && p->groups[free_at].busy_until < p->step)
            release(p, free_at);
        return;
    }
    int chosen[MOST_TASKS], count = 0;
    for (int i = 0; i < g->size; i++)
        if (colours[i] == 0)
            chosen[count++] = i;
    if (g->rank >= 0 && how == 1) {
        DO(MPI_Comm_dup(g->comm, &made));
    } else if (g->rank >= 0 && how == 2) {
        DO(MPI_Comm_idup(g->comm, &made, &request));
        finish(p, &request);
    } else if (g->rank >= 0 && how == 3) {
        DO(MPI_Comm_split(g->comm, colours[g->rank], 0, &made));
    } else if (g->rank >= 0 && how > 3 && count > 0) {
        MPI_Group everyone, some;
        MPI_Comm_group(g->comm, &everyone);
        MPI_Group_incl(everyone, count, chosen, &some);
        if (how == 4)
            DO(MPI_Comm_create(g->comm, some, &made));
        else if (colours[g->rank] == 0)
            DO(MPI_Comm_create_group(g->comm, some, p->step, &made));
        MPI_Group_free(&everyone);
        MPI_Group_free(&some);
    }
    if (both[0])
        add_group(p, g, colours, 0, made);
    if (!both[1] || how != 3)
        return;
    if (free_place(p))
        add_group(p, g, colours, 1, made);
    else if (g->rank >= 0 && colours[g->rank] == 1)
        DO(MPI_Comm_free(&made));
}

void topology(program *p) {
    const group *g = &p->groups[pick_group(p, 1)];
    int periodic = pick(p, 2), cart = pick(p, 2), which = pick(p, 3), extent = g->size;
    char *a = room(p, 4096), *b = room(p, 4096);
    MPI_Comm made;
    MPI_Request request;
    if (g->rank < 0)
        return;
    if (cart) {
        DO(MPI_Cart_create(g->comm, 1, &extent, &periodic, 0, &made));
    } else {
        int to[2] = {(g->rank + 1) % g->size, (g->rank + 2) % g->size};
        int from[2] = {(g->rank - 1 + g->size) % g->size, (g->rank - 2 + 2 * g->size) % g->size};
        DO(MPI_Dist_graph_create_adjacent(g->comm, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &made));
    }
    if (which == 0) {
        DO(MPI_Neighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, made));
    } else if (which == 1) {
        DO(MPI_Neighbor_alltoall(a, 3, MPI_INT, b, 3, MPI_INT, made));
    } else {
        DO(MPI_Ineighbor_allgather(a, 3, MPI_INT, b, 3, MPI_INT, made, &request));
        wait_later(p, request, p->step, 0, -1);
    }
    DO(MPI_Comm_free(&made));
}

void between_groups(program *p) {
    const group *g = &p->groups[pick_group(p, 2)];
    int which = pick(p, 4), split = 1 + pick(p, g->size - 1), merges = pick(p, 2);
    MPI_Comm local, between, merged;
    char *a = room(p, 4096), *b = room(p, 4096);
    if (g->rank < 0)
        return;
    int low = g->rank < split, root = low ? g->rank == 0 ? MPI_ROOT : MPI_PROC_NULL : 0;
    memset(a, 0, 64);
    DO(MPI_Comm_split(g->comm, low, 0, &local));
    DO(MPI_Intercomm_create(local, 0, g->comm, low ? split : 0, p->step, &between));
    switch (which) {
    case 0:
        DO(MPI_Barrier(between));
        break;
    case 1:
        DO(MPI_Bcast(a, 5, MPI_INT, root, between));
        break;
    case 2:
        DO(MPI_Allreduce(a, b, 5, MPI_INT, MPI_SUM, between));
        break;
    default:
        DO(MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, between));
    }
    if (merges) {
        DO(MPI_Intercomm_merge(between, low, &merged));
        DO(MPI_Barrier(merged));
        DO(MPI_Comm_free(&merged));
    }
    DO(MPI_Comm_free(&between));
    DO(MPI_Comm_free(&local));
}

/* ---- windows ---- */

enum { WINDOW_BYTES = 4096 };

static void operate(program *p, const window *w, int target, int requests) {
    char *a = room(p, 512), *b = room(p, 512);
    MPI_Request request;
    memset(a, 0, 512);
    switch (own(p, requests ? 7 : 5)) {
    case 0:
        DO(MPI_Put(a, 1 + own(p, 400), MPI_BYTE, target, 0, 400, MPI_BYTE, w->win));
        return;
    case 1:
        DO(MPI_Get(b, 64, MPI_BYTE, target, 512, 64, MPI_BYTE, w->win));
        return;
    case 2:
        DO(MPI_Accumulate(a, 4, MPI_INT, target, 1024, 4, MPI_INT, MPI_SUM, w->win));
        return;
    case 3:
        DO(MPI_Fetch_and_op(a, b, MPI_INT, target, 2048, MPI_SUM, w->win));
        return;
    case 4:
        DO(MPI_Get_accumulate(a, 4, MPI_INT, b, 4, MPI_INT, target, 1024, 4, MPI_INT, MPI_SUM,
                              w->win));
        return;
    case 5:
        DO(MPI_Rput(a, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, w->win, &request));
        break;
    default:
        DO(MPI_Rget(b, 8, MPI_BYTE, target, 512, 8, MPI_BYTE, w->win, &request));
    }
    finish(p, &request);
}

static void with_fences(program *p, const window *w, const group *g) {
    DO(MPI_Win_fence(0, w->win));
    for (int i = own(p, 4); i > 0; i--)
        operate(p, w, own(p, g->size), 0);
    DO(MPI_Win_fence(0, w->win));
}

/* A window has either exclusive locks or locks of all targets. With both, tasks sometimes wait
 * forever in MPI_Win_lock and MPI_Win_lock_all of MPICH 4.0.2, with and without a capture (one such
 * program: 4 of about 100 runs). */
static void with_locks(program *p, const window *w, const group *g) {
    int target = own(p, g->size);
    if (own(p, 3) == 0 && w->lock_all) {
        DO(MPI_Win_lock_all(0, w->win));
        for (int i = own(p, 3); i > 0; i--)
            operate(p, w, own(p, g->size), 1);
        if (own(p, 2))
            DO(MPI_Win_flush_all(w->win));
        DO(MPI_Win_unlock_all(w->win));
        return;
    }
    int exclusive = own(p, 2) && !w->lock_all;
    DO(MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, w->win));
    for (int i = own(p, 3); i > 0; i--)
        operate(p, w, target, 1);
    if (own(p, 2))
        DO(MPI_Win_flush(target, w->win));
    DO(MPI_Win_unlock(target, w->win));
}

/* Post, start, complete and wait; who does which is drawn by all. The barrier before them works
 * around two defects of MPICH 4.0.2, by which tasks wait forever. It counts posts and completes
 * without regard to who sent them, so that those of the next epoch count in the present one. And
 * the wait for them makes no progress on non-blocking collectives, for which the peer may wait. */
static void with_groups(program *p, const window *w, const group *g, unsigned origins,
                        unsigned targets) {
    int to[MOST_TASKS], from[MOST_TASKS], to_count = 0, from_count = 0, done = 0;
    MPI_Group everyone, post = MPI_GROUP_NULL, start = MPI_GROUP_NULL;
    for (int i = 0; i < g->size; i++) {
        if (targets >> i & 1)
            to[to_count++] = i;
        if (origins >> i & 1)
            from[from_count++] = i;
    }
    DO(MPI_Barrier(g->comm));
    MPI_Win_get_group(w->win, &everyone);
    MPI_Group_incl(everyone, to_count, to, &start);
    MPI_Group_incl(everyone, from_count, from, &post);
    if (targets >> g->rank & 1)
        DO(MPI_Win_post(post, 0, w->win));
    if (origins >> g->rank & 1) {
        DO(MPI_Win_start(start, 0, w->win));
        for (int i = own(p, 3); i > 0 && to_count > 0; i--)
            operate(p, w, to[own(p, to_count)], 0);
        DO(MPI_Win_complete(w->win));
    }
    if (targets >> g->rank & 1) {
        if (own(p, 2))
            DO(MPI_Win_wait(w->win));
        else
            UNTIL(done, MPI_Win_test(w->win, &done));
    }
    MPI_Group_free(&everyone);
    MPI_Group_free(&post);
    MPI_Group_free(&start);
}

void window_step(program *p) {
    int position = pick(p, MOST_WINDOWS), how = pick(p, 8), repeats = 1 + pick(p, 3);
    window *w = &p->windows[position];
    int where = w->used ? w->group : pick_group(p, 1);
    group *g = &p->groups[where];
    unsigned origins[3], targets[3];
    for (int i = 0; i < 3; i++) {
        origins[i] = (unsigned)pick(p, 1 << g->size);
        targets[i] = (unsigned)pick(p, 1 << g->size) & ~origins[i];
    }
    if (!w->used) {
        *w = (window){MPI_WIN_NULL, 1, where, p->step % 2, NULL};
        g->busy_until = FOREVER; /* simpler than counting its users */
        if (g->rank >= 0)
            DO(MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, g->comm, &w->base, &w->win));
    }
    if (g->rank < 0)
        return;
    for (int i = 0; i < repeats; i++) {
        if (how < 3)
            with_fences(p, w, g);
        else if (how < 6)
            with_locks(p, w, g);
        else if (origins[i] && targets[i])
            with_groups(p, w, g, origins[i], targets[i]);
    }
}

void free_groups(program *p) {
    for (int i = 0; i < MOST_WINDOWS; i++)
        if (p->windows[i].used && p->groups[p->windows[i].group].rank >= 0)
            DO(MPI_Win_free(&p->windows[i].win));
    for (int i = 1; i < MOST_COMMS; i++)
        if (p->groups[i].used)
            release(p, i);
}
