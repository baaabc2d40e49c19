/* Three tasks make every recorded call of their mpi.h with distinct arguments, and write the
 * expected trace (expect.h). Compiled twice, with -DLARGE for the functions with large counts;
 * tests/mpi/every_call.F90 makes the same calls from Fortran. */
#include "every_call_collectives.h"
#include "every_call_windows.h"
#include "expect.h"

static int numbers[64], more[64];
static const MPI_Comm world = MPI_COMM_WORLD;

/* The other side of an exchange around the ring, posted by every task. */
static void post(int tag, MPI_Request *request) {
    CALL_C(Irecv, (more, 16, MPI_INT, left, tag, world, request), "Irecv%s",
           from("", left, tag, 4 * tag, STARTED));
    CALL(Barrier, (world), "Barrier{world}");
}

static void sends(void) {
    MPI_Request request, both[2];
    static char buffer[4096];
#ifdef LARGE
    MPI_Buffer_attach_c(buffer, sizeof buffer);
#else
    MPI_Buffer_attach(buffer, sizeof buffer);
#endif
    post(1, &request);
    CALL_C(Send, (numbers, 1, MPI_INT, right, 1, world), "Send%s", to("", right, 1, 4, BLOCKING));
    wait_for(&request);
    post(2, &request);
    CALL_C(Bsend, (numbers, 2, MPI_INT, right, 2, world), "Bsend%s",
           to("b", right, 2, 8, BLOCKING));
    wait_for(&request);
    post(3, &request);
    CALL_C(Ssend, (numbers, 3, MPI_INT, right, 3, world), "Ssend%s",
           to("s", right, 3, 12, BLOCKING));
    wait_for(&request);
    post(4, &request);
    CALL_C(Rsend, (numbers, 4, MPI_INT, right, 4, world), "Rsend%s",
           to("r", right, 4, 16, BLOCKING));
    wait_for(&request);

    CALL_C(Isend, (numbers, 5, MPI_INT, right, 5, world, &request), "Isend%s",
           to("", right, 5, 20, STARTED));
    CALL_C(Recv, (more, 16, MPI_INT, left, 5, world, MPI_STATUS_IGNORE), "Recv%s",
           from("", left, 5, 20, BLOCKING));
    wait_for(&request);
    CALL_C(Ibsend, (numbers, 6, MPI_INT, right, 6, world, &request), "Ibsend%s",
           to("b", right, 6, 24, STARTED));
    CALL_C(Recv, (more, 16, MPI_INT, left, 6, world, MPI_STATUS_IGNORE), "Recv%s",
           from("", left, 6, 24, BLOCKING));
    wait_for(&request);
    CALL_C(Issend, (numbers, 7, MPI_INT, right, 7, world, &request), "Issend%s",
           to("s", right, 7, 28, STARTED));
    CALL_C(Recv, (more, 16, MPI_INT, left, 7, world, MPI_STATUS_IGNORE), "Recv%s",
           from("", left, 7, 28, BLOCKING));
    wait_for(&request);
    post(8, &both[0]);
    CALL_C(Irsend, (numbers, 8, MPI_INT, right, 8, world, &both[1]), "Irsend%s",
           to("r", right, 8, 32, STARTED));
    CALL(Waitall, (2, both, MPI_STATUSES_IGNORE), "Waitall[r%lu r%lu]", last() - 1, last());
}

static void exchanges(void) {
    MPI_Request request;
    const char *out;
    out = to("", right, 11, 8, BLOCKING);
    CALL_C(Sendrecv,
           (numbers, 2, MPI_INT, right, 11, more, 16, MPI_INT, left, 11, world, MPI_STATUS_IGNORE),
           "Sendrecv%s%s", out, from("", left, 11, 8, BLOCKING));
    out = to("", right, 12, 12, BLOCKING);
    CALL_C(Sendrecv_replace, (numbers, 3, MPI_INT, right, 12, left, 12, world, MPI_STATUS_IGNORE),
           "Sendrecv_replace%s%s", out, from("", left, 12, 12, BLOCKING));
#if MPI_VERSION >= 4
    /* One request for both. */
    out = to("", right, 13, 16, STARTED);
    requests--;
    CALL_C(Isendrecv,
           (numbers, 4, MPI_INT, right, 13, more, 16, MPI_INT, left, 13, world, &request),
           "Isendrecv%s%s", out, from("", left, 13, 16, STARTED));
    wait_for(&request);
    out = to("", right, 14, 20, STARTED);
    requests--;
    CALL_C(Isendrecv_replace, (numbers, 5, MPI_INT, right, 14, left, 14, world, &request),
           "Isendrecv_replace%s%s", out, from("", left, 14, 20, STARTED));
    wait_for(&request);
#else
    (void)request;
#endif
}

static void persistent(void) {
    MPI_Request together[5];
    CALL_C(Recv_init, (more, 16, MPI_INT, left, MPI_ANY_TAG, world, &together[0]), "Recv_init");
    CALL_C(Send_init, (numbers, 1, MPI_INT, right, 21, world, &together[1]), "Send_init");
    CALL_C(Bsend_init, (numbers, 2, MPI_INT, right, 22, world, &together[2]), "Bsend_init");
    CALL_C(Ssend_init, (numbers, 3, MPI_INT, right, 23, world, &together[3]), "Ssend_init");
    CALL_C(Rsend_init, (numbers, 4, MPI_INT, right, 24, world, &together[4]), "Rsend_init");
    for (int i = 1; i < 5; i++) {
        static const char *const flags[] = {"", "", "b", "s", "r"};
        CALL(Start, (&together[0]), "Start%s",
             text("(<%d t*%d world %dB #%lu r%lu)", left, 20 + i, 4 * i, got[left]++, requests++));
        CALL(Barrier, (world), "Barrier{world}");
        CALL(Start, (&together[i]), "Start%s", to(flags[i], right, 20 + i, 4 * i, STARTED));
        CALL(Waitall, (5, together, MPI_STATUSES_IGNORE), "Waitall[r%lu r%lu]", last() - 1, last());
    }
#if MPI_VERSION >= 4
    MPI_Request bcast;
    const char *starts[2];
    /* Messages first, then collectives. */
    CALL_C(Bcast_init, (numbers, 3, MPI_INT, 1, world, MPI_INFO_NULL, &bcast),
           "Bcast_init{world root1 12B}");
    MPI_Request mixed[3] = {bcast, together[0], together[1]};
    starts[0] = text("(<%d t*21 world 4B #%lu r%lu)", left, got[left]++, requests++);
    starts[1] = to("", right, 21, 4, STARTED);
    expect("Startall", "Startall%s%s", starts[0], starts[1]);
    CALL(Startall, (3, mixed), "Bcast_init{world root1 12B r%lu started}", requests++);
    CALL(Waitall, (3, mixed, MPI_STATUSES_IGNORE), "Waitall[r%lu r%lu r%lu]", last(), last() - 2,
         last() - 1);
    CALL(Start, (&bcast), "Bcast_init{world root1 12B r%lu started}", requests++);
    wait_for(&bcast);
    CALL(Request_free, (&bcast), "Request_free[]");
#else
    const char *first = text("(<%d t*21 world 4B #%lu r%lu)", left, got[left]++, requests++);
    CALL(Startall, (2, together), "Startall%s%s", first, to("", right, 21, 4, STARTED));
    CALL(Waitall, (2, together, MPI_STATUSES_IGNORE), "Waitall[r%lu r%lu]", last() - 1, last());
#endif
    for (int i = 0; i < 5; i++)
        CALL(Request_free, (&together[i]), "Request_free[]");
}

static void probes(void) {
    MPI_Request requests_of[4], received;
    MPI_Message message;
    int flag = 0;
    for (int i = 0; i < 4; i++)
        CALL_C(Isend, (numbers, 1 + i, MPI_INT, right, 31 + i, world, &requests_of[i]), "Isend%s",
               to("", right, 31 + i, 4 + 4 * i, STARTED));
    CALL(Probe, (left, 31, world, MPI_STATUS_IGNORE), "Probe(<%d t31 world 4B #%lu)", left,
         got[left]);
    CALL_C(Recv, (more, 16, MPI_INT, left, 31, world, MPI_STATUS_IGNORE), "Recv%s",
           from("", left, 31, 4, BLOCKING));
    expect("Iprobe", "Iprobe(<%d t32 world 8B #%lu)", left, got[left]);
    while (!flag)
        MPI_Iprobe(left, 32, world, &flag, MPI_STATUS_IGNORE);
    CALL_C(Recv, (more, 16, MPI_INT, left, 32, world, MPI_STATUS_IGNORE), "Recv%s",
           from("", left, 32, 8, BLOCKING));
    CALL(Mprobe, (left, 33, world, &message, MPI_STATUS_IGNORE), "Mprobe(<%d t33 world 12B #%lu)",
         left, got[left]);
    CALL_C(Mrecv, (more, 16, MPI_INT, &message, MPI_STATUS_IGNORE), "Mrecv%s",
           from("", left, 33, 12, BLOCKING));
    expect("Improbe", "Improbe(<%d t34 world 16B #%lu)", left, got[left]);
    for (flag = 0; !flag;)
        MPI_Improbe(left, 34, world, &flag, &message, MPI_STATUS_IGNORE);
    CALL_C(Imrecv, (more, 16, MPI_INT, &message, &received), "Imrecv%s",
           from("", left, 34, 16, STARTED));
    wait_for(&received);
    CALL(Waitall, (4, requests_of, MPI_STATUSES_IGNORE), "Waitall[r%lu r%lu r%lu r%lu]", last() - 4,
         last() - 3, last() - 2, last() - 1);
}

/* Something to complete: a message around the ring, of which only the receive is outstanding. */
static void outstanding(MPI_Request *request) {
    CALL_C(Irecv, (more, 16, MPI_INT, left, 41, world, request), "Irecv%s",
           from("", left, 41, 4, STARTED));
    CALL_C(Send, (numbers, 1, MPI_INT, right, 41, world), "Send%s", to("", right, 41, 4, BLOCKING));
}

static void completion(void) {
    MPI_Request request;
    int flag, index, count, indices[1];
    outstanding(&request);
    CALL(Waitany, (1, &request, &index, MPI_STATUS_IGNORE), "Waitany[r%lu]", last());
    outstanding(&request);
    CALL(Waitsome, (1, &request, &count, indices, MPI_STATUSES_IGNORE), "Waitsome[r%lu]", last());
    outstanding(&request);
    expect("Test", "Test[r%lu]", last());
    for (flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    outstanding(&request);
    expect("Testall", "Testall[r%lu]", last());
    for (flag = 0; !flag;)
        MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
    outstanding(&request);
    expect("Testany", "Testany[r%lu]", last());
    for (flag = 0; !flag;)
        MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    outstanding(&request);
    expect("Testsome", "Testsome[r%lu]", last());
    for (count = 0; count == 0;)
        MPI_Testsome(1, &request, &count, indices, MPI_STATUSES_IGNORE);
    outstanding(&request);
    expect("Request_get_status", "Request_get_status[r%lu]", last());
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    MPI_Request some[2] = {MPI_REQUEST_NULL, request};
    int places[2];
    expect("!Request_get_status_any", "Request_get_status_any[r%lu]", last());
    MPI_Request_get_status_any(2, some, &index, &flag, MPI_STATUS_IGNORE);
    expect("!Request_get_status_some", "Request_get_status_some[r%lu]", last());
    MPI_Request_get_status_some(2, some, &count, places, MPI_STATUSES_IGNORE);
    expect("!Request_get_status_all", "Request_get_status_all[r%lu]", last());
    MPI_Request_get_status_all(2, some, &flag, MPI_STATUSES_IGNORE);
#endif
    wait_for(&request);
    CALL_C(Irecv, (more, 16, MPI_INT, left, 99, world, &request), "Irecv(<!%d t99 world 0B r%lu)",
           left, requests++);
    CALL(Cancel, (&request), "Cancel:%lu", last());
    CALL(Wait, (&request, MPI_STATUS_IGNORE), "Wait[r%lu!]", last());
}

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static void generalised(void) {
    MPI_Request request;
    CALL(Grequest_start, (query, release, cancel, NULL, &request),
         "Grequest_start(<gnone t0 world 0B r%lu)", requests++);
    CALL(Grequest_complete, (request), "Grequest_complete:%lu", last());
    wait_for(&request);
}

#if MPI_VERSION >= 4
static void partitioned(void) {
    MPI_Request out, in;
    int list[2] = {3, 2}, flag = 0;
    CALL(Psend_init, (numbers, 6, 2, MPI_INT, right, 51, world, MPI_INFO_NULL, &out), "Psend_init");
    CALL(Precv_init, (more, 3, 4, MPI_INT, left, 51, world, MPI_INFO_NULL, &in), "Precv_init");
    for (int i = 0; i < 2; i++) {
        CALL(Start, (&in), "Start%s", from("p", left, 51, 48, STARTED));
        CALL(Start, (&out), "Start%s", to("p", right, 51, 48, STARTED));
        CALL(Pready, (1, out), "Pready:%lu", last());
        CALL(Pready_list, (2, list, out), "Pready_list:%lu", last());
        CALL(Pready, (0, out), "Pready:%lu", last());
        CALL(Pready_range, (4, 5, out), "Pready_range:%lu last", last());
        expect("Parrived", "Parrived[r%lu]", last() - 1);
        for (flag = 0; !flag;)
            MPI_Parrived(in, 2, &flag);
        CALL(Wait, (&in, MPI_STATUS_IGNORE), "Wait[r%lu]", last() - 1);
        wait_for(&out);
    }
    CALL(Request_free, (&in), "Request_free[]");
    CALL(Request_free, (&out), "Request_free[]");
}
#endif

int main(int argc, char **argv) {
#ifdef LARGE
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#else
    MPI_Init(&argc, &argv);
#endif
    MPI_Comm_rank(world, &me);
    right = (me + 1) % TASKS;
    left = (me + 2) % TASKS;
    open_expected(me);
#ifdef LARGE
    expect("Init_thread", "Init_thread:1"); /* the level of threads */
#else
    expect("Init", "Init");
#endif
    sends();
    exchanges();
    persistent();
    probes();
    completion();
    generalised();
#if MPI_VERSION >= 4
    partitioned();
#endif
    collectives();
    neighbours();
    between_groups();
    windows();
    communicators();
    CALL(Pcontrol, (2), "Pcontrol:2");
    expect("Finalize", "Finalize");
    fclose(expected);
    return MPI_Finalize();
}
