/* Of every_call.c: all forms of all collectives, on one group, on neighbours, between two groups.
 */
#ifndef VEF_TESTS_MPI_EVERY_CALL_COLLECTIVES_H
#define VEF_TESTS_MPI_EVERY_CALL_COLLECTIVES_H

#include "expect.h"

static int in[256], out[256];

#define UNPACK(...) __VA_ARGS__

#if MPI_VERSION >= 4
#define PERSISTENT_FORM(with, name, arguments)                                                     \
    do {                                                                                           \
        expect(TEXT(with(name##_init)), #name "_init{%s}", what_);                                 \
        with(MPI_##name##_init)(UNPACK arguments, MPI_INFO_NULL, &request_);                       \
        CALL(Start, (&request_), #name "_init{%s r%lu started}", what_, requests++);               \
        wait_for(&request_);                                                                       \
        CALL(Request_free, (&request_), "Request_free[]");                                         \
    } while (0)
#else
#define PERSISTENT_FORM(with, name, arguments)
#endif

/* The blocking, the non-blocking and the persistent form; behind them what stands between the
 * braces of their events. (MPICH 4.0.2 fails when some of the latter start once more.) */
#define FORMS(with, name, immediate, arguments, ...)                                               \
    do {                                                                                           \
        const char *what_ = text(__VA_ARGS__);                                                     \
        MPI_Request request_;                                                                      \
        expect(TEXT(with(name)), #name "{%s}", what_);                                             \
        with(MPI_##name)(UNPACK arguments);                                                        \
        expect(TEXT(with(immediate)), #immediate "{%s r%lu}", what_, requests++);                  \
        with(MPI_##immediate)(UNPACK arguments, &request_);                                        \
        wait_for(&request_);                                                                       \
        PERSISTENT_FORM(with, name, arguments);                                                    \
    } while (0)
#define ALWAYS_SMALL(name) name
#define ALL_FORMS(name, ...) FORMS(WITH_COUNT, name, __VA_ARGS__)

static const MPI_Datatype ints[] = {MPI_INT, MPI_INT, MPI_INT};

static void collectives(void) {
    const MPI_Comm everyone = MPI_COMM_WORLD;
    count_t growing[] = {1, 2, 3}, to_each[TASKS], from_each[TASKS];
    place_t places[] = {0, 64, 128}, bytes[] = {0, 256, 512};
    for (int i = 0; i < TASKS; i++) {
        to_each[i] = 1 + me + 2 * i;
        from_each[i] = 1 + i + 2 * me;
    }
    FORMS(ALWAYS_SMALL, Barrier, Ibarrier, (everyone), "world");
    ALL_FORMS(Bcast, Ibcast, (in, 5, MPI_INT, 1, everyone), "world root1 20B");
    ALL_FORMS(Reduce, Ireduce, (in, out, 6, MPI_INT, MPI_SUM, 2, everyone), "world root2 24B e6");
    ALL_FORMS(Allreduce, Iallreduce, (in, out, 7, MPI_INT, MPI_MAX, everyone), "world 28B e7");
    ALL_FORMS(Gather, Igather, (in, 2, MPI_INT, out, 2, MPI_INT, 1, everyone), "world root1 8B");
    ALL_FORMS(Gatherv, Igatherv, (in, 1 + me, MPI_INT, out, growing, places, MPI_INT, 2, everyone),
              "world root2 %dB%s", 4 + 4 * me, me == 2 ? " r:4,8,12" : "");
    ALL_FORMS(Scatter, Iscatter, (in, 3, MPI_INT, out, 3, MPI_INT, 0, everyone), "world root0 12B");
    ALL_FORMS(Scatterv, Iscatterv,
              (in, growing, places, MPI_INT, out, 1 + me, MPI_INT, 1, everyone),
              "world root1 %dB%s", 4 + 4 * me, me == 1 ? " s:4,8,12" : "");
    ALL_FORMS(Allgather, Iallgather, (in, 4, MPI_INT, out, 4, MPI_INT, everyone), "world 16B");
    ALL_FORMS(Allgatherv, Iallgatherv,
              (in, 1 + me, MPI_INT, out, growing, places, MPI_INT, everyone), "world %dB r:4,8,12",
              4 + 4 * me);
    ALL_FORMS(Alltoall, Ialltoall, (in, 2, MPI_INT, out, 2, MPI_INT, everyone), "world 8B");
    const char *vectors = text("s:%d,%d,%d r:%d,%d,%d", 4 + 4 * me, 12 + 4 * me, 20 + 4 * me,
                               4 + 8 * me, 8 + 8 * me, 12 + 8 * me);
    ALL_FORMS(Alltoallv, Ialltoallv,
              (in, to_each, places, MPI_INT, out, from_each, places, MPI_INT, everyone), "world %s",
              vectors);
    ALL_FORMS(Alltoallw, Ialltoallw,
              (in, to_each, bytes, ints, out, from_each, bytes, ints, everyone), "world %s",
              vectors);
    ALL_FORMS(Reduce_scatter, Ireduce_scatter, (in, out, growing, MPI_INT, MPI_SUM, everyone),
              "world %dB e6 r:4,8,12", 4 + 4 * me);
    ALL_FORMS(Reduce_scatter_block, Ireduce_scatter_block, (in, out, 3, MPI_INT, MPI_SUM, everyone),
              "world 12B e3");
    ALL_FORMS(Scan, Iscan, (in, out, 8, MPI_INT, MPI_SUM, everyone), "world 32B e8");
    ALL_FORMS(Exscan, Iexscan, (in, out, 9, MPI_INT, MPI_SUM, everyone), "world 36B e9");
}

/* On a ring, where each first sends to the left and then to the right. */
static void ring_neighbours(void) {
    static const char name[] = "Cart_create(0,1,2;3o)";
    MPI_Comm ring;
    int extent = TASKS, around = 1;
    count_t from_both[] = {1 + left, 1 + right}, to_sides[] = {1 + me, 4 + me};
    count_t from_sides[] = {4 + left, 1 + right};
    place_t places[] = {0, 64};
    MPI_Aint bytes[] = {0, 256};
    CALL(Cart_create, (MPI_COMM_WORLD, 1, &extent, &around, 0, &ring), "Cart_create{world = %s}",
         name);
    ALL_FORMS(Neighbor_allgather, Ineighbor_allgather, (in, 2, MPI_INT, out, 2, MPI_INT, ring),
              "%s 8B", name);
    ALL_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv,
              (in, 1 + me, MPI_INT, out, from_both, places, MPI_INT, ring), "%s %dB r:%d,%d", name,
              4 + 4 * me, 4 + 4 * left, 4 + 4 * right);
    ALL_FORMS(Neighbor_alltoall, Ineighbor_alltoall, (in, 3, MPI_INT, out, 3, MPI_INT, ring),
              "%s 12B", name);
    const char *vectors =
        text("s:%d,%d r:%d,%d", 4 + 4 * me, 16 + 4 * me, 16 + 4 * left, 4 + 4 * right);
    ALL_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv,
              (in, to_sides, places, MPI_INT, out, from_sides, places, MPI_INT, ring), "%s %s",
              name, vectors);
    CALL_C_ONLY(Neighbor_alltoallw, /* MPICH 4.0.2 cannot on a grid, from mpi_f08 */
                (in, to_sides, bytes, ints, out, from_sides, bytes, ints, ring),
                "Neighbor_alltoallw{%s %s}", name, vectors);
    CALL(Comm_free, (&ring), "Comm_free{%s}", name);
}

/* On a graph: 0 sends to 1 and 2, 1 to 2, 2 to 0. */
static void graph_neighbours(void) {
    static const char name[] = "Dist_graph_create_adjacent(0,1,2)";
    static int sources[TASKS][2] = {{2}, {0}, {0, 1}}, targets[TASKS][2] = {{1, 2}, {2}, {0}};
    static const int ins[] = {1, 1, 2}, outs[] = {2, 1, 1};
    static const char *const sides[] = {"s:4,8 r:80", "s:48 r:4", "s:80 r:8,48"};
    MPI_Comm graph;
    count_t to_each[2], from_each[2];
    place_t places[] = {0, 64};
    MPI_Aint bytes[] = {0, 256};
    for (int i = 0; i < outs[me]; i++)
        to_each[i] = 10 * me + targets[me][i];
    for (int i = 0; i < ins[me]; i++)
        from_each[i] = 10 * sources[me][i] + me;
    CALL(Dist_graph_create_adjacent,
         (MPI_COMM_WORLD, ins[me], sources[me], MPI_UNWEIGHTED, outs[me], targets[me],
          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
         "Dist_graph_create_adjacent{world = %s}", name);
    CALL_C(Neighbor_alltoallv,
           (in, to_each, places, MPI_INT, out, from_each, places, MPI_INT, graph),
           "Neighbor_alltoallv{%s %s}", name, sides[me]);
    ALL_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw,
              (in, to_each, bytes, ints, out, from_each, bytes, ints, graph), "%s %s", name,
              sides[me]);
    CALL_C(Neighbor_allgather, (in, 2, MPI_INT, out, 2, MPI_INT, graph),
           "Neighbor_allgather{%s 8B}", name);
    CALL(Comm_free, (&graph), "Comm_free{%s}", name);
}

static void neighbours(void) {
    ring_neighbours();
    graph_neighbours();
}

/* Task 0 on one side, 1 and 2 on the other; the root, where there is one, is task 2: rank 1 for
 * task 0, MPI_ROOT for itself, and MPI_PROC_NULL for task 1, whose arguments mean nothing. */
static void between_groups(void) {
    static const char name[] = "Intercomm_create(0|1,2)";
    static const char *const whose[] = {"root1", "root-beside", "root-here"};
    const int root = me == 0 ? 1 : me == 1 ? MPI_PROC_NULL : MPI_ROOT;
    const count_t junk = me == 1 ? 77 : 0;
    const int beside = me == 1;
    MPI_Comm half, inter;
    count_t to_0[] = {3}, to_both[] = {1, 2}, of_0[] = {4}, of_both[] = {1, 3}, one[] = {5};
    place_t places[] = {0, 64}, bytes[] = {0, 256};
    CALL(Comm_split, (MPI_COMM_WORLD, me > 0, 0, &half), "Comm_split{world = Comm_split(%s)}",
         me == 0 ? "0" : "1,2");
    CALL(Intercomm_create, (half, 0, MPI_COMM_WORLD, me == 0 ? 1 : 0, 7, &inter),
         "Intercomm_create{Comm_split(%s) = %s}", me == 0 ? "0" : "1,2", name);
    FORMS(ALWAYS_SMALL, Barrier, Ibarrier, (inter), "%s", name);
    ALL_FORMS(Bcast, Ibcast, (in, beside ? junk : 5, MPI_INT, root, inter), "%s %s%s", name,
              whose[me], beside ? "" : " 20B");
    ALL_FORMS(Reduce, Ireduce, (in, out, beside ? junk : 3, MPI_INT, MPI_SUM, root, inter),
              "%s %s%s", name, whose[me], beside ? "" : " 12B e3");
    ALL_FORMS(Gather, Igather,
              (in, me ? junk : 2, MPI_INT, out, me == 2 ? 2 : 0, MPI_INT, root, inter), "%s %s%s",
              name, whose[me], beside ? "" : " 8B");
    ALL_FORMS(Gatherv, Igatherv,
              (in, me ? junk : 3, MPI_INT, out, to_0, places, MPI_INT, root, inter), "%s %s%s",
              name, whose[me],
              me == 0   ? " 12B"
              : me == 1 ? ""
                        : " r:12");
    ALL_FORMS(Scatter, Iscatter,
              (in, me == 2 ? 4 : 0, MPI_INT, out, me ? junk : 4, MPI_INT, root, inter), "%s %s%s",
              name, whose[me], beside ? "" : " 16B");
    ALL_FORMS(Scatterv, Iscatterv,
              (in, one, places, MPI_INT, out, me ? junk : 5, MPI_INT, root, inter), "%s %s%s", name,
              whose[me],
              me == 0   ? " 20B"
              : me == 1 ? ""
                        : " s:20");
    ALL_FORMS(Allgather, Iallgather, (in, me ? 3 : 2, MPI_INT, out, me ? 2 : 3, MPI_INT, inter),
              "%s %dB", name, me ? 12 : 8);
    ALL_FORMS(Allgatherv, Iallgatherv,
              (in,
               me == 1   ? 1
               : me == 2 ? 2
                         : 3,
               MPI_INT, out, me ? to_0 : to_both, places, MPI_INT, inter),
              "%s %s", name,
              me == 0   ? "12B r:4,8"
              : me == 1 ? "4B r:12"
                        : "8B r:12");
    ALL_FORMS(Alltoall, Ialltoall, (in, me ? 3 : 2, MPI_INT, out, me ? 2 : 3, MPI_INT, inter),
              "%s %dB", name, me ? 12 : 8);
    count_t of_me[] = {me}, back[] = {me + 2}, forth[] = {3, 4}; /* 0 sends 1 and 2, gets 3 and 4 */
    static const char *const sides[] = {"s:4,8 r:12,16", "s:12 r:4", "s:16 r:8"};
    ALL_FORMS(
        Alltoallv, Ialltoallv,
        (in, me ? back : to_both, places, MPI_INT, out, me ? of_me : forth, places, MPI_INT, inter),
        "%s %s", name, sides[me]);
    CALL_C_ONLY(Alltoallw, /* nor between groups of unequal sizes */
                (in, me ? back : to_both, bytes, ints, out, me ? of_me : forth, bytes, ints, inter),
                "Alltoallw{%s %s}", name, sides[me]);
    ALL_FORMS(Allreduce, Iallreduce, (in, out, 3, MPI_INT, MPI_SUM, inter), "%s 12B e3", name);
    ALL_FORMS(Reduce_scatter, Ireduce_scatter,
              (in, out, me ? of_both : of_0, MPI_INT, MPI_SUM, inter), "%s %s", name,
              me == 0   ? "16B e4 r:16"
              : me == 1 ? "4B e4 r:4,12"
                        : "12B e4 r:4,12");
    ALL_FORMS(Reduce_scatter_block, Ireduce_scatter_block,
              (in, out, me ? 2 : 4, MPI_INT, MPI_SUM, inter), "%s %s", name,
              me ? "8B e2" : "16B e4");
    CALL(Comm_free, (&inter), "Comm_free{%s}", name);
    CALL(Comm_free, (&half), "Comm_free{Comm_split(%s)}", me == 0 ? "0" : "1,2");
}

#endif
