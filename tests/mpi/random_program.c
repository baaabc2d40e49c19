/* A random legal MPI program.
 *
 *     random_program SEED STEPS FILL [TASK CALL]
 *
 * All tasks draw the same schedule from SEED: STEPS steps, each a joint operation of some tasks. It
 * is deadlock-free by construction. A step blocks only for operations of the same or an earlier
 * step, and waits inside a step form no cycle. For an operation that is started in one step and
 * completed in another, the schedule knows the step that starts its other side; no task waits for
 * it earlier. Among messages of a communicator that may be under way tags are unique, except for
 * those received in the step that sends them, so wildcards are unambiguous.
 *
 * Choices of a single task use its own random stream: how it completes requests, when it switches
 * recording off and on, its regions. With TASK and CALL that task kills itself with SIGKILL at that
 * call. FILL: kilobytes of marks that each step writes into the log.
 *
 * Messages not received by a recorded call are received at the end, with recording off or on, since
 * MPI requires every message to be received. */
#include "random_program.h"

#include "../../capture/vef.h"

#include <time.h>

/* ---- requests ---- */

/* Completes one request in one of the ways there are. */
void finish(program *p, MPI_Request *request) {
    int done = 0, index, indices[1];
    MPI_Status status;
    switch (own(p, 8)) {
    case 0:
        DO(MPI_Waitall(1, request, MPI_STATUSES_IGNORE));
        return;
    case 1:
        DO(MPI_Waitany(1, request, &index, &status));
        return;
    case 2:
        DO(MPI_Waitsome(1, request, &index, indices, MPI_STATUSES_IGNORE));
        return;
    case 3:
        UNTIL(done, MPI_Test(request, &done, &status));
        return;
    case 4:
        UNTIL(done, MPI_Testall(1, request, &done, &status));
        return;
    case 5:
        UNTIL(done, MPI_Testany(1, request, &index, &done, &status));
        return;
    case 6:
        UNTIL(done, MPI_Request_get_status(*request, &done, &status));
        DO(MPI_Wait(request, &status));
        return;
    default:
        DO(MPI_Wait(request, &status));
    }
}

void wait_later(program *p, MPI_Request request, int ready, int is_send, int which) {
    if (p->pending_count == MOST_PENDING) {
        fprintf(stderr, "too many requests\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    p->pending[p->pending_count++] = (pending){request, ready, is_send, which};
}

static void keep_lasting(program *p, const pending *done) {
    if (done->lasting >= 0) {
        p->lasting[done->lasting].request = done->request;
        p->lasting[done->lasting].active = 0;
    }
}

static void drop_pending(program *p, int position) {
    keep_lasting(p, &p->pending[position]);
    p->pending[position] = p->pending[--p->pending_count];
}

/* Completes some of those that are ready, several at once or one after another. */
static void complete_some(program *p, int total) {
    MPI_Request list[MOST_PENDING];
    int places[MOST_PENDING], count = 0, most = total ? MOST_PENDING : 1 + own(p, 8);
    for (int i = 0; i < p->pending_count && count < most; i++)
        if (p->pending[i].ready < p->step && (total || own(p, 2)))
            places[count++] = i;
    for (int i = 0; i < count; i++)
        list[i] = p->pending[places[i]].request;
    int left = count, done = 0, index, indices[MOST_PENDING];
    if (count == 0)
        return;
    switch (own(p, 6)) {
    case 0:
        DO(MPI_Waitall(count, list, MPI_STATUSES_IGNORE));
        break;
    case 1:
        while (left > 0) {
            int some = 0;
            DO(MPI_Waitsome(count, list, &some, indices, MPI_STATUSES_IGNORE));
            left -= some;
        }
        break;
    case 2:
        for (; left > 0; left--)
            DO(MPI_Waitany(count, list, &index, MPI_STATUS_IGNORE));
        break;
    case 3:
        while (left > 0) {
            int some = 0;
            DO(MPI_Testsome(count, list, &some, indices, MPI_STATUSES_IGNORE));
            left -= some == MPI_UNDEFINED ? left : some;
        }
        break;
    case 4:
        UNTIL(done, MPI_Testall(count, list, &done, MPI_STATUSES_IGNORE));
        break;
    default:
        for (int i = 0; i < count; i++)
            finish(p, &list[i]);
    }
    for (int i = count - 1; i >= 0; i--) {
        p->pending[places[i]].request = list[i];
        drop_pending(p, places[i]);
    }
}

static void wait_for_lasting(program *p, int which) {
    for (int i = 0; i < p->pending_count; i++)
        if (p->pending[i].lasting == which) {
            finish(p, &p->pending[i].request);
            drop_pending(p, i);
            return;
        }
}

/* ---- messages ---- */

int pick_group(program *p, int least) {
    int position = pick(p, MOST_COMMS);
    while (!p->groups[position].used || p->groups[position].size < least)
        position = (position + 1) % MOST_COMMS;
    return position; /* the world is always there */
}

static int pick_bytes(program *p) {
    int kind = pick(p, 8);
    return kind == 0 ? 0 : kind == 1 ? LARGE : 1 + pick(p, 500);
}

static void pick_two(program *p, const group *g, int *from, int *to) {
    *from = pick(p, g->size);
    *to = (*from + 1 + pick(p, g->size - 1)) % g->size;
}

/* Sees the message of `source` with `tag` in one of four ways; a matched probe's receive follows.
 */
static int probe(program *p, const group *g, int source, int tag, int how, MPI_Message *message) {
    int found = 0;
    if (own(p, 3) == 0)
        source = MPI_ANY_SOURCE;
    switch (how) {
    case 0:
        DO(MPI_Probe(source, tag, g->comm, MPI_STATUS_IGNORE));
        return 0;
    case 1:
        UNTIL(found, MPI_Iprobe(source, tag, g->comm, &found, MPI_STATUS_IGNORE));
        return 0;
    case 2:
        DO(MPI_Mprobe(source, tag, g->comm, message, MPI_STATUS_IGNORE));
        return 1;
    default:
        UNTIL(found, MPI_Improbe(source, tag, g->comm, &found, message, MPI_STATUS_IGNORE));
        return 1;
    }
}

static void receive(program *p, const group *g, int source, int tag) {
    MPI_Request request;
    char *buffer = room(p, LARGE);
    if (own(p, 4) == 0)
        source = MPI_ANY_SOURCE;
    if (own(p, 3)) {
        DO(MPI_Recv(buffer, LARGE, MPI_BYTE, source, tag, g->comm, MPI_STATUS_IGNORE));
        return;
    }
    DO(MPI_Irecv(buffer, LARGE, MPI_BYTE, source, tag, g->comm, &request));
    finish(p, &request);
}

static void send(program *p, const group *g, int to, int tag, int bytes, int how) {
    MPI_Request request = MPI_REQUEST_NULL;
    char *buffer = room(p, LARGE);
    switch (how) {
    case 0:
        DO(MPI_Ssend(buffer, bytes, MPI_BYTE, to, tag, g->comm));
        return;
    case 1:
        DO(MPI_Bsend(buffer, bytes < 500 ? bytes : 500, MPI_BYTE, to, tag, g->comm));
        return;
    case 2:
        DO(MPI_Isend(buffer, bytes, MPI_BYTE, to, tag, g->comm, &request));
        finish(p, &request);
        return;
    case 3:
        DO(MPI_Issend(buffer, bytes, MPI_BYTE, to, tag, g->comm, &request));
        finish(p, &request);
        return;
    default:
        DO(MPI_Send(buffer, bytes, MPI_BYTE, to, tag, g->comm));
    }
}

/* One message, sent and received in this step, maybe seen in probes before. */
static void exchange(program *p) {
    const group *g = &p->groups[pick_group(p, 2)];
    int from, to, bytes = pick_bytes(p), how = pick(p, 8), probes = pick(p, 3), seen = pick(p, 4);
    pick_two(p, g, &from, &to);
    if (g->rank == from)
        send(p, g, to, p->step, bytes, how);
    if (g->rank != to)
        return;
    MPI_Message message;
    int matched = 0;
    for (; probes > 0 && !matched; probes--)
        matched = probe(p, g, from, p->step, probes > 1 ? own(p, 2) : seen, &message);
    if (!matched) {
        receive(p, g, from, p->step);
        return;
    }
    char *buffer = room(p, LARGE);
    MPI_Request request;
    if (own(p, 2)) {
        DO(MPI_Mrecv(buffer, LARGE, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    } else {
        DO(MPI_Imrecv(buffer, LARGE, MPI_BYTE, &message, &request));
        finish(p, &request);
    }
}

/* Several messages with one tag to one task, which takes them with wildcards. */
static void stream(program *p) {
    const group *g = &p->groups[pick_group(p, 2)];
    int to = pick(p, g->size), count = 1 + pick(p, 4), wild = pick(p, 2);
    for (int i = 0; g->rank >= 0 && g->rank != to && i < count; i++)
        DO(MPI_Send(room(p, 100), i, MPI_BYTE, to, p->step, g->comm));
    for (int i = 0; g->rank == to && i < count * (g->size - 1); i++) {
        int source = wild ? MPI_ANY_SOURCE : (to + 1 + i / count) % g->size;
        if (own(p, 3) == 0)
            DO(MPI_Probe(source, p->step, g->comm, MPI_STATUS_IGNORE));
        DO(MPI_Recv(room(p, 100), 100, MPI_BYTE, source, p->step, g->comm, MPI_STATUS_IGNORE));
    }
}

static void add_future(program *p, future due) {
    if (p->future_count < MOST_FUTURE)
        p->future[p->future_count++] = due;
}

enum { HOW_IRECV, HOW_RECV, HOW_PROBE, HOW_DRAIN };

/* A message that is sent in one step and received in another, before or after; or in none before
 * the end. Probes in between may see it. All tasks note the same, so that all lists are equal. */
static void later(program *p) {
    int where = pick_group(p, 2), from, to, bytes = pick_bytes(p), how = pick(p, 4);
    group *g = &p->groups[where];
    int gap = 1 + pick(p, 12), never = pick(p, 4) == 0, first = pick(p, 3) == 0;
    int probes = pick(p, 3), tag = 100000 + p->step;
    pick_two(p, g, &from, &to);
    if (p->future_count > MOST_FUTURE - 8)
        return;
    if (never) { /* buffered: the send completes without a receiver */
        how = 3;
        first = 0;
        gap = FOREVER - p->step;
    }
    int sent = first ? p->step + gap : p->step, received = first ? p->step : p->step + gap;
    int ready = sent > received ? sent : received;
    g->busy_until = g->busy_until > ready ? g->busy_until : ready;
    add_future(p, (future){sent, where, from, to, tag, bytes, 1, how, ready});
    add_future(p, (future){received, where, to, from, tag, bytes, 0,
                           never   ? HOW_DRAIN
                           : first ? HOW_IRECV
                                   : pick(p, 2),
                           ready});
    for (; probes > 0 && !first; probes--) {
        int seen = sent + 1 + pick(p, never ? 12 : gap);
        if (seen < received)
            add_future(p, (future){seen, where, to, from, tag, bytes, 0, HOW_PROBE, ready});
    }
}

static void take_future(program *p, const future *due) {
    const group *g = &p->groups[due->group];
    MPI_Request request;
    MPI_Message message;
    char *buffer = room(p, LARGE);
    int small = due->bytes < 500 ? due->bytes : 500;
    if (g->rank != due->task)
        return;
    if (!due->is_send) {
        if (due->how == HOW_PROBE) {
            probe(p, g, due->other, due->tag, own(p, 2), &message);
        } else if (due->how == HOW_IRECV) {
            DO(MPI_Irecv(buffer, LARGE, MPI_BYTE, own(p, 3) ? due->other : MPI_ANY_SOURCE, due->tag,
                         g->comm, &request));
            wait_later(p, request, due->ready, 0, -1);
        } else {
            receive(p, g, due->other, due->tag);
        }
        return;
    }
    switch (due->how) {
    case 0:
        DO(MPI_Isend(buffer, due->bytes, MPI_BYTE, due->other, due->tag, g->comm, &request));
        break;
    case 1:
        DO(MPI_Issend(buffer, due->bytes, MPI_BYTE, due->other, due->tag, g->comm, &request));
        break;
    case 2:
        DO(MPI_Ibsend(buffer, small, MPI_BYTE, due->other, due->tag, g->comm, &request));
        break;
    default:
        DO(MPI_Bsend(buffer, small, MPI_BYTE, due->other, due->tag, g->comm));
        return;
    }
    if (due->how == 0 && own(p, 6) == 0)
        DO(MPI_Request_free(&request));
    else
        wait_later(p, request, due->ready, 1, -1);
}

static void take_futures(program *p) {
    for (int i = 0; i < p->future_count; i++) {
        if (p->future[i].step > p->step)
            continue;
        future due = p->future[i];
        for (int k = i + 1; k < p->future_count; k++)
            p->future[k - 1] = p->future[k];
        p->future_count--;
        i--;
        take_future(p, &due);
    }
}

/* Receives without a send, which are cancelled. */
static void cancelled(program *p) {
    const group *g = &p->groups[pick_group(p, 1)];
    MPI_Request request;
    if (g->rank < 0 || own(p, 2))
        return;
    DO(MPI_Irecv(room(p, 100), 100, MPI_BYTE, own(p, 2) ? MPI_ANY_SOURCE : own(p, g->size),
                 200000 + p->step, g->comm, &request));
    DO(MPI_Cancel(&request));
    if (own(p, 3))
        DO(MPI_Wait(&request, MPI_STATUS_IGNORE));
    else
        DO(MPI_Request_free(&request));
}

static void ring(program *p) {
    const group *g = &p->groups[pick_group(p, 1)];
    int bytes = pick_bytes(p), how = pick(p, 3), shift = pick(p, g->size);
    int open = how < 2 && pick(p, 2); /* MPICH 4.0.2 crashes in Isendrecv with MPI_PROC_NULL */
    if (g->rank < 0)
        return;
    int to = (g->rank + shift) % g->size, from = (g->rank - shift + g->size) % g->size;
    if (open && g->rank + shift >= g->size)
        to = MPI_PROC_NULL;
    if (open && g->rank - shift < 0)
        from = MPI_PROC_NULL;
    char *a = room(p, LARGE), *b = room(p, LARGE);
    MPI_Request request;
    if (how == 0) {
        DO(MPI_Sendrecv(a, bytes, MPI_BYTE, to, p->step, b, LARGE, MPI_BYTE, from, p->step, g->comm,
                        MPI_STATUS_IGNORE));
    } else if (how == 1) {
        DO(MPI_Sendrecv_replace(a, bytes, MPI_BYTE, to, p->step, from, p->step, g->comm,
                                MPI_STATUS_IGNORE));
    } else {
        DO(MPI_Isendrecv(a, bytes, MPI_BYTE, to, p->step, b, LARGE, MPI_BYTE, from, p->step,
                         g->comm, &request));
        wait_later(p, request, p->step, 0, -1);
    }
}

/* A receive that is posted before a ready send. */
static void ready_send(program *p) {
    const group *g = &p->groups[pick_group(p, 2)];
    int from, to, bytes = pick_bytes(p);
    MPI_Request request;
    pick_two(p, g, &from, &to);
    if (g->rank == to) {
        DO(MPI_Irecv(room(p, LARGE), LARGE, MPI_BYTE, from, p->step, g->comm, &request));
        DO(MPI_Send(NULL, 0, MPI_BYTE, from, 300000 + p->step, g->comm));
        finish(p, &request);
    } else if (g->rank == from) {
        DO(MPI_Recv(NULL, 0, MPI_BYTE, to, 300000 + p->step, g->comm, MPI_STATUS_IGNORE));
        DO(MPI_Rsend(room(p, LARGE), bytes, MPI_BYTE, to, p->step, g->comm));
    }
}

/* A persistent or partitioned pair between two tasks of the world. */
static void make_lasting(program *p, int which) {
    lasting *l = &p->lasting[which];
    int bytes = pick_bytes(p), how = pick(p, 3);
    *l = (lasting){.used = 1, .request = MPI_REQUEST_NULL};
    pick_two(p, &p->groups[0], &l->from, &l->to);
    l->mine = p->task == l->from || p->task == l->to;
    char *buffer = malloc(LARGE);
    int tag = 400000 + which;
    if (p->task == l->from && how == 0)
        DO(MPI_Send_init(buffer, bytes, MPI_BYTE, l->to, tag, MPI_COMM_WORLD, &l->request));
    else if (p->task == l->from && how == 1)
        DO(MPI_Ssend_init(buffer, bytes, MPI_BYTE, l->to, tag, MPI_COMM_WORLD, &l->request));
    else if (p->task == l->to && how < 2)
        DO(MPI_Recv_init(buffer, LARGE, MPI_BYTE, own(p, 2) ? l->from : MPI_ANY_SOURCE, tag,
                         MPI_COMM_WORLD, &l->request));
    else if (p->task == l->from)
        DO(MPI_Psend_init(buffer, 4, bytes / 4, MPI_BYTE, l->to, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                          &l->request));
    else if (p->task == l->to)
        DO(MPI_Precv_init(buffer, 2, bytes / 4 * 2, MPI_BYTE, l->from, tag, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &l->request));
    l->collective = how == 2; /* here: partitioned */
}

static void start_lasting(program *p) {
    int which = pick(p, MOST_LASTING / 2);
    lasting *l = &p->lasting[which];
    if (!l->used)
        make_lasting(p, which);
    if (!l->mine)
        return;
    if (l->active)
        wait_for_lasting(p, which);
    if (own(p, 2))
        DO(MPI_Start(&l->request));
    else
        DO(MPI_Startall(1, &l->request));
    l->active = 1;
    if (l->collective && p->task == l->from)
        for (int i = 0; i < 4; i++)
            DO(MPI_Pready(i, l->request));
    if (l->collective && p->task == l->to && own(p, 2)) {
        /* Not until it arrives: MPICH 4.0.2 makes no progress on non-blocking collectives there. */
        int arrived = 0;
        count_call(p);
        for (int i = 0; i < 3 && !arrived; i++)
            expect_success(p, "MPI_Parrived", MPI_Parrived(l->request, own(p, 2), &arrived));
    }
    wait_later(p, l->request, p->step, p->task == l->from, which);
}

static void free_lasting(program *p) {
    for (int i = 0; i < MOST_LASTING; i++)
        if (p->lasting[i].used && p->lasting[i].mine)
            DO(MPI_Request_free(&p->lasting[i].request));
}

/* ---- of one task alone ---- */

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    status->MPI_ERROR = MPI_SUCCESS; /* which MPICH takes for the code of MPI_Testall */
    return MPI_SUCCESS;
}
static int forget(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int no_cancel(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void alone(program *p) {
    MPI_Request request;
    if (own(p, 2))
        return;
    switch (own(p, 3)) {
    case 0:
        DO(MPI_Grequest_start(query, forget, no_cancel, NULL, &request));
        DO(MPI_Grequest_complete(request));
        if (own(p, 2))
            finish(p, &request);
        else
            wait_later(p, request, p->step, 0, -1);
        return;
    case 1:
        DO(MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
        DO(MPI_Recv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return;
    default: {
        struct timespec until, now;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += own(p, 20000);
        do
            clock_gettime(CLOCK_MONOTONIC, &now);
        while (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec);
    }
    }
}

/* What is recorded changes: in this task, or in all. */
static void change_recording(program *p, int common) {
    static const char *const names[] = {"a", "b", "c"};
    int what = common ? pick(p, 4) : own(p, 4), name = common ? pick(p, 3) : own(p, 3);
    switch (what) {
    case 0:
        p->recording = !p->recording;
        DO(MPI_Pcontrol(p->recording));
        return;
    case 1:
        vef_mark("here");
        return;
    default:
        if (p->depth > 0)
            vef_region_end(names[--p->depth]);
        else
            vef_region_begin(names[p->depth++]);
        if (p->depth > 0 && p->depth < 3 && name == 2)
            vef_region_begin(names[p->depth++]);
    }
}

/* ---- the schedule ---- */

static void (*const kinds[])(program *) = {
    exchange,     exchange,  exchange,       stream,      later,         later,
    later,        cancelled, ring,           ready_send,  start_lasting, start_lasting,
    alone,        alone,     collective,     collective,  collective,    collective,
    communicator, topology,  between_groups, window_step, window_step,   persistent_collective,
};

/* Marks with long names of random letters fill the log, so that a ring drops its beginning. */
static void fill(program *p) {
    char name[1000];
    for (int i = 0; i < p->fill; i++) {
        for (size_t k = 0; k < sizeof name - 1; k++)
            name[k] = (char)('!' + own(p, 90));
        name[sizeof name - 1] = '\0';
        vef_mark(name);
    }
}

static void run_step(program *p) {
    fill(p);
    take_futures(p);
    kinds[pick(p, (int)(sizeof kinds / sizeof *kinds))](p);
    if (pick(p, 16) == 0)
        change_recording(p, 1);
    if (own(p, 16) == 0)
        change_recording(p, 0);
    if (own(p, 3) == 0)
        complete_some(p, 0);
}

/* What is left is received and completed. */
static void end(program *p) {
    int recorded = pick(p, 3) == 0;
    for (; p->step < p->steps + 100; p->step++) /* later than any that has something due */
        take_futures(p);
    if (!recorded)
        DO(MPI_Pcontrol(0));
    for (int i = 0; i < p->future_count; i++)
        take_future(p, &p->future[i]);
    if (!recorded)
        DO(MPI_Pcontrol(p->recording));
    p->step = FOREVER;
    p->step++;
    while (p->pending_count > 0)
        complete_some(p, 1);
    free_lasting(p);
    free_groups(p);
    while (p->depth > 0)
        vef_region_end(p->depth == 1 ? "a" : p->depth == 2 ? "b" : "c"), p->depth--;
}

int main(int argc, char **argv) {
    static program whole;
    static char attached[1 << 22];
    program *p = &whole;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &p->task);
    MPI_Comm_size(MPI_COMM_WORLD, &p->tasks);
    if (argc < 4 || p->tasks > MOST_TASKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    p->shared = strtoull(argv[1], NULL, 10);
    p->own = (p->shared + 1) * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)p->task;
    p->steps = atoi(argv[2]);
    p->fill = atoi(argv[3]);
    if (argc > 5 && atoi(argv[4]) == p->task)
        p->kill_at = atoi(argv[5]);
    p->recording = 1;
    p->pool = malloc(POOL);
    group *world = &p->groups[0];
    *world = (group){MPI_COMM_WORLD, 1, p->tasks, p->task, {0}, FOREVER};
    for (int i = 0; i < p->tasks; i++)
        world->tasks[i] = i;
    MPI_Buffer_attach(attached, sizeof attached);
    for (p->step = 0; p->step < p->steps; p->step++)
        run_step(p);
    end(p);
    int size;
    void *buffer;
    MPI_Buffer_detach(&buffer, &size);
    MPI_Finalize();
    if (p->task == 0)
        printf("%d tasks, %d calls of task 0\n", p->tasks, p->calls);
    return 0;
}
