/* Four tasks create and free communicators in every way; tests/capture/test_communicators.c has
 * the expected trace. */
#include <mpi.h>
#include <stdio.h>

static int me;
static const MPI_Comm world = MPI_COMM_WORLD;

static void groups(void) {
    MPI_Comm copy, other, some, made;
    MPI_Group everyone, group;
    int odd[] = {1, 3}, even[] = {0, 2};
    MPI_Comm_dup(world, &copy);
    MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &other);
    MPI_Comm_free(&copy);
    MPI_Comm_split(world, me == 3 ? MPI_UNDEFINED : 0, 0, &some);
    MPI_Comm_split_type(other, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
    MPI_Comm_disconnect(&made);
    MPI_Comm_group(world, &everyone);
    MPI_Group_incl(everyone, 2, odd, &group);
    MPI_Comm_create(world, group, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Group_incl(everyone, 2, even, &group);
    if (me % 2 == 0) {
        MPI_Comm_create_group(world, group, 5, &made);
        MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 1, made);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&everyone);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    MPI_Comm_free(&other);
}

static void grids(void) {
    MPI_Comm grid, row, line, graph;
    int square[] = {2, 2}, around[] = {1, 0}, columns[] = {0, 1};
    int three[] = {3, 1}, never[] = {0, 0};
    int indices[] = {2, 4, 6, 8}, edges[] = {3, 1, 0, 2, 1, 3, 2, 0};
    int next = (me + 1) % 4, before = (me + 3) % 4, one = 1;
    MPI_Cart_create(world, 2, square, around, 0, &grid);
    MPI_Cart_sub(grid, columns, &row);
    MPI_Barrier(row);
    MPI_Cart_create(world, 2, three, never, 0, &line);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    if (line != MPI_COMM_NULL)
        MPI_Comm_free(&line);
    MPI_Graph_create(world, 4, indices, edges, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create(world, 1, &me, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(world, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
}

/* Even and odd tasks, each in falling order, and the bridge between them. */
static void bridge(void) {
    MPI_Comm half, inter, merged, again;
    int value = me;
    MPI_Comm_split(world, me % 2, -me, &half);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, half);
    MPI_Intercomm_create(half, 0, world, me % 2 == 0 ? 3 : 2, 9, &inter);
    if (me == 2)
        MPI_Send(&value, 1, MPI_INT, 1, 5, inter); /* the second of the odd ones: task 1 */
    if (me == 1)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE);
    MPI_Barrier(inter);
    MPI_Intercomm_merge(inter, me % 2, &merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_dup(merged, &again); /* under a handle that one of the freed ones had */
    if (me == 2)                  /* its ranks: 2, 0, 3, 1 */
        MPI_Ssend(&me, 1, MPI_INT, 2, 6, again);
    if (me == 3)
        MPI_Recv(&value, 1, MPI_INT, 0, 6, again, MPI_STATUS_IGNORE);
    MPI_Comm_free(&again);
    MPI_Comm_free(&merged);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    groups();
    grids();
    bridge();
    MPI_Finalize();
    return 0;
}
