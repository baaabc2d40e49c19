/* Of every_call.c: windows and communicators, made, used and freed. */
#ifndef VEF_TESTS_MPI_EVERY_CALL_WINDOWS_H
#define VEF_TESTS_MPI_EVERY_CALL_WINDOWS_H

#include "expect.h"

static int memory[64], here[64], there[64];

/* Assertions in a trace are MPICH's numbers. */
enum { NOCHECK_IN_TRACE = 1024, NOPUT_IN_TRACE = 4096, NOPRECEDE_IN_TRACE = 8192 };

/* Every operation, once, on a window whose ranks are those of the world. */
static void operations(MPI_Win win, const char *name) {
    static long long one = 1, zero = 0, was;
    CALL(Win_fence, (MPI_MODE_NOPRECEDE, win), "Win_fence{%s a%d}", name, NOPRECEDE_IN_TRACE);
    CALL_C(Put, (here, 1, MPI_INT, right, 0, 1, MPI_INT, win), "Put(%d %s 4B)", right, name);
    CALL_C(Get, (there, 2, MPI_INT, left, 4, 2, MPI_INT, win), "Get(%d %s 8B)", left, name);
    CALL_C(Accumulate, (here, 3, MPI_INT, right, 8, 3, MPI_INT, MPI_SUM, win),
           "Accumulate(%d %s 12B)", right, name);
    CALL_C(Get_accumulate,
           (here, 4, MPI_INT, there, 4, MPI_INT, right, 8, 4, MPI_INT, MPI_SUM, win),
           "Get_accumulate(%d %s 16B)", right, name);
    CALL_C(Get_accumulate,
           (here, 0, MPI_INT, there, 5, MPI_INT, right, 8, 5, MPI_INT, MPI_NO_OP, win),
           "Get_accumulate(%d %s 20B)", right, name);
    CALL(Fetch_and_op, (here, there, MPI_INT, left, 30, MPI_SUM, win), "Fetch_and_op(%d %s 4B)",
         left, name);
    CALL(Compare_and_swap, (&one, &zero, &was, MPI_LONG_LONG, right, 32, win),
         "Compare_and_swap(%d %s 8B)", right, name);
    CALL_C(Put, (here, 9, MPI_INT, MPI_PROC_NULL, 0, 9, MPI_INT, win), "Put(none %s 36B)", name);
    CALL(Win_fence, (0, win), "Win_fence{%s}", name);
}

static void locked_operations(MPI_Win win, const char *name) {
    MPI_Request request;
    CALL(Win_lock, (MPI_LOCK_EXCLUSIVE, right, 0, win), "Win_lock{%s %d exclusive}", name, right);
    CALL_C(Rput, (here, 1, MPI_INT, right, 0, 1, MPI_INT, win, &request), "Rput(%d %s 4B r%lu)",
           right, name, requests++);
    wait_for(&request);
    CALL(Win_flush, (right, win), "Win_flush{%s %d}", name, right);
    CALL(Win_flush_local, (right, win), "Win_flush_local{%s %d}", name, right);
    CALL(Win_unlock, (right, win), "Win_unlock{%s %d}", name, right);
    CALL(Win_lock, (MPI_LOCK_SHARED, left, MPI_MODE_NOCHECK, win), "Win_lock{%s %d a%d}", name,
         left, NOCHECK_IN_TRACE);
    CALL(Win_unlock, (left, win), "Win_unlock{%s %d}", name, left);
    CALL(Barrier, (MPI_COMM_WORLD), "Barrier{world}");
    CALL(Win_lock_all, (MPI_MODE_NOCHECK, win), "Win_lock_all{%s a%d}", name, NOCHECK_IN_TRACE);
    CALL_C(Rget, (there, 2, MPI_INT, left, 4, 2, MPI_INT, win, &request), "Rget(%d %s 8B r%lu)",
           left, name, requests++);
    wait_for(&request);
    CALL_C(Raccumulate, (here, 3, MPI_INT, left, 8, 3, MPI_INT, MPI_SUM, win, &request),
           "Raccumulate(%d %s 12B r%lu)", left, name, requests++);
    wait_for(&request);
    CALL_C(Rget_accumulate,
           (here, 4, MPI_INT, there, 4, MPI_INT, left, 8, 4, MPI_INT, MPI_SUM, win, &request),
           "Rget_accumulate(%d %s 16B r%lu)", left, name, requests++);
    wait_for(&request);
    CALL(Win_flush_all, (win), "Win_flush_all{%s}", name);
    CALL(Win_flush_local_all, (win), "Win_flush_local_all{%s}", name);
    CALL(Win_sync, (win), "Win_sync{%s}", name);
    CALL(Win_unlock_all, (win), "Win_unlock_all{%s}", name);
}

/* On a window whose ranks are 2, 1, 0: the groups are of the world. */
static void epochs(MPI_Win win, const char *name) {
    MPI_Group world, origins, targets;
    int flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &origins);
    MPI_Group_incl(world, 1, &right, &targets);
    for (int i = 0; i < 2; i++) {
        CALL(Win_post, (origins, MPI_MODE_NOPUT * i, win), "Win_post{%s %d%s}", name, left,
             i ? text(" a%d", NOPUT_IN_TRACE) : "");
        CALL(Win_start, (targets, 0, win), "Win_start{%s %d}", name, right);
        CALL_C(Get, (there, 1 + i, MPI_INT, 2 - right, 0, 1 + i, MPI_INT, win), "Get(%d %s %dB)",
               right, name, 4 + 4 * i);
        CALL(Win_complete, (win), "Win_complete{%s %d}", name, right);
        if (i == 0) {
            CALL(Win_wait, (win), "Win_wait{%s %d}", name, left);
            continue;
        }
        expect("Win_test", "Win_test{%s %d}", name, left);
        while (!flag)
            MPI_Win_test(win, &flag);
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    MPI_Group_free(&world);
}

static void windows(void) {
    MPI_Win win;
    MPI_Comm mirror;
    void *base;
    CALL_C(Win_create, (memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
           "Win_create{world = Win_create(0,1,2)}");
    operations(win, "Win_create(0,1,2)");
    locked_operations(win, "Win_create(0,1,2)");
    CALL(Win_free, (&win), "Win_free{Win_create(0,1,2)}");

    CALL(Comm_split, (MPI_COMM_WORLD, 0, -me, &mirror), "Comm_split{world = Comm_split(2,1,0)}");
    CALL_C(Win_allocate, (256, 4, MPI_INFO_NULL, mirror, &base, &win),
           "Win_allocate{Comm_split(2,1,0) = Win_allocate(2,1,0)}");
    epochs(win, "Win_allocate(2,1,0)");
    CALL(Win_free, (&win), "Win_free{Win_allocate(2,1,0)}");
    CALL(Comm_free, (&mirror), "Comm_free{Comm_split(2,1,0)}");

    CALL_C(Win_allocate_shared, (256, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
           "Win_allocate_shared{world = Win_allocate_shared(0,1,2)}");
    CALL(Win_free, (&win), "Win_free{Win_allocate_shared(0,1,2)}");

    CALL(Win_create_dynamic, (MPI_INFO_NULL, MPI_COMM_WORLD, &win),
         "Win_create_dynamic{world = Win_create_dynamic(0,1,2)}");
    CALL(Win_attach, (win, memory, sizeof memory), "Win_attach");
    CALL(Win_detach, (win, memory), "Win_detach");
    CALL(Win_free, (&win), "Win_free{Win_create_dynamic(0,1,2)}");
}

static void topologies(void) {
    MPI_Comm grid, rows, graph;
    int extents[] = {3, 1}, around[] = {1, 0}, kept[] = {1, 0};
    int indices[] = {1, 3, 4}, edges[] = {1, 0, 2, 1}, one = 1;
    CALL(Cart_create, (MPI_COMM_WORLD, 2, extents, around, 0, &grid),
         "Cart_create{world = Cart_create(0,1,2;3ox1)}");
    CALL(Cart_sub, (grid, kept, &rows), "Cart_sub{Cart_create(0,1,2;3ox1) = Cart_sub(0,1,2;3o)}");
    CALL(Comm_free, (&rows), "Comm_free{Cart_sub(0,1,2;3o)}");
    CALL(Comm_free, (&grid), "Comm_free{Cart_create(0,1,2;3ox1)}");
    CALL(Graph_create, (MPI_COMM_WORLD, 3, indices, edges, 0, &graph),
         "Graph_create{world = Graph_create(0,1,2)}");
    CALL_C(Neighbor_allgather, (here, 1, MPI_INT, there, 1, MPI_INT, graph),
           "Neighbor_allgather{Graph_create(0,1,2) 4B}");
    CALL(Comm_free, (&graph), "Comm_free{Graph_create(0,1,2)}");
    CALL(Dist_graph_create,
         (MPI_COMM_WORLD, 1, &me, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
         "Dist_graph_create{world = Dist_graph_create(0,1,2)}");
    CALL(Comm_free, (&graph), "Comm_free{Dist_graph_create(0,1,2)}");
}

#if MPI_VERSION >= 4
static void sessions(void) {
    MPI_Session session;
    MPI_Group everyone, mine, others;
    MPI_Comm comm;
    int zero = 0;
    CALL(Session_init, (MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session), "Session_init");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &everyone);
    CALL(Comm_create_from_group, (everyone, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm),
         "Comm_create_from_group{world = Comm_create_from_group(0,1,2)}");
    CALL(Barrier, (comm), "Barrier{Comm_create_from_group(0,1,2)}");
    CALL(Comm_disconnect, (&comm), "Comm_disconnect{Comm_create_from_group(0,1,2)}");
    MPI_Group_incl(everyone, 1, &zero, me == 0 ? &mine : &others);
    MPI_Group_excl(everyone, 1, &zero, me == 0 ? &others : &mine);
    CALL(Intercomm_create_from_groups,
         (mine, 0, others, 0, "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm),
         "Intercomm_create_from_groups{world = Intercomm_create_from_groups(0|1,2)}");
    CALL(Barrier, (comm), "Barrier{Intercomm_create_from_groups(0|1,2)}");
    CALL(Comm_free, (&comm), "Comm_free{Intercomm_create_from_groups(0|1,2)}");
    MPI_Group_free(&mine);
    MPI_Group_free(&others);
    MPI_Group_free(&everyone);
    CALL(Session_finalize, (&session), "Session_finalize");
}
#endif

static void communicators(void) {
    MPI_Comm copy, other, half, inter;
    MPI_Group everyone, two;
    MPI_Request request;
    int both[] = {0, 2};
    CALL(Comm_dup, (MPI_COMM_WORLD, &copy), "Comm_dup{world = Comm_dup(0,1,2)}");
    CALL(Comm_dup_with_info, (copy, MPI_INFO_NULL, &other),
         "Comm_dup_with_info{Comm_dup(0,1,2) = Comm_dup_with_info(0,1,2)}");
    CALL(Comm_free, (&other), "Comm_free{Comm_dup_with_info(0,1,2)}");
    CALL(Comm_idup, (copy, &other, &request), "Comm_idup{Comm_dup(0,1,2) = Comm_idup(0,1,2) r%lu}",
         requests++);
    wait_for(&request);
    CALL(Barrier, (other), "Barrier{Comm_idup(0,1,2)}");
    CALL(Comm_free, (&other), "Comm_free{Comm_idup(0,1,2)}");
#if MPI_VERSION >= 4
    CALL(Comm_idup_with_info, (copy, MPI_INFO_NULL, &other, &request),
         "Comm_idup_with_info{Comm_dup(0,1,2) = Comm_idup_with_info(0,1,2) r%lu}", requests++);
    wait_for(&request);
    CALL(Comm_free, (&other), "Comm_free{Comm_idup_with_info(0,1,2)}");
#endif
    MPI_Comm_group(copy, &everyone);
    MPI_Group_incl(everyone, 2, both, &two);
    CALL(Comm_create, (copy, two, &other), "Comm_create{Comm_dup(0,1,2) = %s}",
         me == 1 ? "none" : "Comm_create(0,2)");
    if (me != 1) {
        CALL(Comm_free, (&other), "Comm_free{Comm_create(0,2)}");
        CALL(Comm_create_group, (copy, two, 3, &other),
             "Comm_create_group{Comm_dup(0,1,2) = Comm_create_group(0,2)}");
        CALL(Comm_free, (&other), "Comm_free{Comm_create_group(0,2)}");
    }
    MPI_Group_free(&two);
    MPI_Group_free(&everyone);
    CALL(Comm_split_type, (copy, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &other),
         "Comm_split_type{Comm_dup(0,1,2) = Comm_split_type(0,1,2)}");
    CALL(Comm_disconnect, (&other), "Comm_disconnect{Comm_split_type(0,1,2)}");
    const char *mine = me == 0 ? "0" : "1,2";
    CALL(Comm_split, (copy, me > 0, 0, &half), "Comm_split{Comm_dup(0,1,2) = Comm_split(%s)}",
         mine);
    CALL(Intercomm_create, (half, 0, copy, me == 0 ? 1 : 0, 7, &inter),
         "Intercomm_create{Comm_split(%s) = Intercomm_create(0|1,2)}", mine);
    CALL(Intercomm_merge, (inter, me == 0, &other),
         "Intercomm_merge{Intercomm_create(0|1,2) = Intercomm_merge(1,2,0)}");
    CALL(Comm_free, (&other), "Comm_free{Intercomm_merge(1,2,0)}");
    CALL(Comm_free, (&inter), "Comm_free{Intercomm_create(0|1,2)}");
    CALL(Comm_free, (&half), "Comm_free{Comm_split(%s)}", mine);
    CALL(Comm_free, (&copy), "Comm_free{Comm_dup(0,1,2)}");
    topologies();
#if MPI_VERSION >= 4
    sessions();
#endif
}

#endif
