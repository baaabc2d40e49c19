/* What the programs of this folder share: checks that count errors, MPI traffic with a known sum,
 * and a table of cases from which argv[1] selects one. A program prints the same in every run, and
 * its status is 1 if a check failed. */
#ifndef HARMLESS_H
#define HARMLESS_H

#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int errors, me, tasks;

/* Prints "WHAT: right", or "WHAT: WRONG" and counts an error. */
__attribute__((unused, format(printf, 2, 3))) static void check(bool right, const char *what, ...) {
    char text[4096]; /* printed at once: several tasks may share their output */
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    printf("%s: %s\n", text, right ? "right" : "WRONG");
    fflush(stdout);
    errors += !right;
}

__attribute__((unused)) static void begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
}

/* Every task sends `rounds` numbers to the next one and to itself; the sums are known. */
__attribute__((unused)) static bool exchange(int rounds) {
    int next = (me + 1) % tasks, former = (me + tasks - 1) % tasks;
    long got = 0, total = 0;
    for (int i = 0; i < rounds; i++) {
        int out = i + me, in = -1, again = -1;
        MPI_Request request;
        MPI_Sendrecv(&out, 1, MPI_INT, next, i % 5, &in, 1, MPI_INT, former, i % 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Isend(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
        MPI_Recv(&again, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        got += again - former;
    }
    MPI_Allreduce(&got, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return total == (long)tasks * rounds * (rounds - 1) / 2;
}

/* Many calls that wait for nobody, so that a log grows, also where tasks share cores. */
__attribute__((unused)) static bool call_often(void) {
    bool right = true;
    for (int i = 0; i < 20000; i++) {
        int in = -1;
        MPI_Request request;
        MPI_Isend(&i, 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, &request);
        MPI_Recv(&in, 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        right &= in == i;
    }
    return right;
}

__attribute__((unused)) static void talk(int rounds) {
    check(exchange(rounds), "%d messages of each task", rounds);
}

__attribute__((unused)) static int finish(void) {
    talk(20);
    MPI_Finalize();
    fflush(stdout);
    return errors != 0;
}

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

/* The case of that name; ends the program if there is none. */
__attribute__((unused)) static const test_case *find_case(const test_case *cases,
                                                          const char *name) {
    for (; cases->name != NULL; cases++)
        if (name != NULL && strcmp(cases->name, name) == 0)
            return cases;
    fprintf(stderr, "no case %s\n", name != NULL ? name : "");
    exit(99);
}

#endif
