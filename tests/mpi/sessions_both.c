/* Two concurrent sessions, of which the first ends first; then MPI_Init and MPI_Finalize during
 * the second. */
#include <mpi.h>
#include <stdio.h>

static void use(MPI_Session session, const char *tag) {
    MPI_Group world, even;
    MPI_Comm everyone, pair;
    int me, one = 1, sum;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &everyone);
    MPI_Comm_rank(everyone, &me);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, everyone);
    MPI_Group_excl(world, 1, &one, &even); /* tasks 0 and 2 */
    if (me != 1) {
        MPI_Comm_create_from_group(even, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &pair);
        MPI_Sendrecv_replace(&sum, 1, MPI_INT, me == 0, 7, me == 0, 7, pair, MPI_STATUS_IGNORE);
        MPI_Comm_free(&pair);
    }
    MPI_Comm_free(&everyone);
    MPI_Group_free(&even);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    use(first, "a");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Session_finalize(&first);
    use(second, "b");
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    use(second, "c");
    MPI_Finalize();
    use(second, "d");
    MPI_Session_finalize(&second);
    puts("ended");
    return 0;
}
