/* Pairs of tasks exchange messages, and append a line to the file progress-RANK of the folder
 * argv[1] after each, so that a test knows how many calls had returned before a kill. After
 * argv[2] exchanges (0: never) a task writes "ready" and computes without calls until it is
 * killed. argv[3] "large": a line per thousand exchanges. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file;

static void tell(const char *text) {
    if (write(file, text, strlen(text)) < 0)
        _exit(3);
}

int main(int argc, char **argv) {
    char path[1024];
    int me, number = 0;
    long most = atol(argv[2]);
    int step = argc > 3 ? 1000 : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    snprintf(path, sizeof path, "%s/progress-%d", argv[1], me);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    for (long i = 1; most == 0 || i <= most; i++) {
        MPI_Sendrecv_replace(&number, 1, MPI_INT, me ^ 1, 0, me ^ 1, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        if (i % step == 0)
            tell("exchange\n");
    }
    tell("ready\n");
    for (volatile double sum = 0;;)
        sum = sum + 1;
}
