/* Two tasks start, create and open objects while recording is off, and complete, start and close
 * them while it is on, and vice versa. tests/capture/test_special.c has the expected trace. */
#include <mpi.h>

static int value, sum, memory[4];

int main(int argc, char **argv) {
    const MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request early, kept, late;
    MPI_Group everyone, other;
    MPI_Win win;
    int me, next;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    next = 1 - me;
    MPI_Comm_group(world, &everyone);
    MPI_Group_incl(everyone, 1, &next, &other);

    MPI_Pcontrol(0);
    MPI_Ibcast(&value, 1, MPI_INT, 0, world, &early);
    MPI_Bcast_init(&value, 1, MPI_INT, 1, world, MPI_INFO_NULL, &kept);
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, world, &win);
    MPI_Win_post(other, 0, win);
    MPI_Win_start(other, 0, win);
    MPI_Pcontrol(1);

    MPI_Wait(&early, MPI_STATUS_IGNORE); /* of nothing in the trace */
    MPI_Start(&kept);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world, &late);
    MPI_Put(&me, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);

    MPI_Pcontrol(0);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    MPI_Ibarrier(world, &late);
    MPI_Pcontrol(1);

    MPI_Wait(&late, MPI_STATUS_IGNORE); /* of nothing in the trace */
    MPI_Request_free(&kept);
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&everyone);
    MPI_Finalize();
    return 0;
}
