/* Two tasks exchange COUNT messages, then task 1 ends as argv[1] says; task 0 waits for it, or
 * ends likewise. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int me, number = 0, count = argc > 2 ? atoi(argv[2]) : 100;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (strcmp(how, "limit") == 0) { /* from here on files may not grow beyond 64 KiB */
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 65536});
    }
    for (int i = 0; i < count; i++)
        MPI_Sendrecv_replace(&number, 1, MPI_INT, 1 - me, i % 7, 1 - me, i % 7, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    fprintf(stderr, "task %d: exchanged\n", me);
    if (strcmp(how, "exit") == 0) /* both leave without MPI_Finalize */
        exit(me == 0 ? 0 : 7);
    if (me == 1 && *how != '\0' && strcmp(how, "status") != 0 && strcmp(how, "limit") != 0)
        usleep(100000);                       /* task 0 waits, idle */
    if (me == 1 && strcmp(how, "error") == 0) /* fatal, unless asked otherwise */
        MPI_Send(&number, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
    if (me == 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (me == 1 && strcmp(how, "fault") == 0)
        *(volatile int *)8 = 1;
    if (me == 1 && strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "abort") == 0 || strcmp(how, "error") == 0 || strcmp(how, "fault") == 0 ||
        strcmp(how, "kill") == 0)
        MPI_Recv(&number, 1, MPI_INT, 1 - me, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return strcmp(how, "status") == 0 ? 42 : 0;
}
