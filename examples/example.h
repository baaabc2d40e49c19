/* What the example programs share: options, refusals, random numbers by index, the line they
 * report.
 *
 * They are ordinary MPI programs that know nothing of vef: they stand for the user's own. Each
 * checks its numerical result against something known beforehand and ends with status 0 (verified),
 * 1 (ran and found its result wrong) or 2 (options, or a number of tasks, that make no sense). */
#ifndef VEF_EXAMPLES_EXAMPLE_H
#define VEF_EXAMPLES_EXAMPLE_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rng.h"

/* MPICH's MPI_STATUSES_IGNORE is the address 1, which gcc takes for an array too short for a
 * status. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* `-letter VALUE`; `value` holds the default before and the choice after. */
typedef struct example_option {
    char letter;
    const char *what;
    long *value;
    long least, most;
} example_option;

/* Says on task 0 why the program does not run, and ends all tasks with status 2. Every task calls
 * it. */
static inline _Noreturn void example_refuse(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline _Noreturn void example_refuse(const char *name, const char *format, ...) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "%s: ", name);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
    }
    MPI_Finalize();
    exit(2);
}

/* Reads `-letter VALUE` pairs after MPI_Init; -h prints them with their defaults and ends with 0.
 */
static inline void example_parse(int argc, char **argv, const char *name, const char *summary,
                                 const example_option *options, size_t count) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            int rank;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            if (rank == 0)
                printf("%s: %s\n", name, summary);
            for (size_t k = 0; rank == 0 && k < count; k++)
                printf("  -%c N  %s, %ld to %ld (%ld)\n", options[k].letter, options[k].what,
                       options[k].least, options[k].most, *options[k].value);
            MPI_Finalize();
            exit(0);
        }
        const example_option *option = NULL;
        for (size_t k = 0; k < count; k++)
            if (argv[i][0] == '-' && argv[i][1] == options[k].letter && argv[i][2] == '\0')
                option = &options[k];
        if (option == NULL)
            example_refuse(name, "unknown option '%s'; -h lists the options", argv[i]);
        if (i + 1 == argc)
            example_refuse(name, "option -%c (%s) lacks its value", option->letter, option->what);
        char *end;
        const long value = strtol(argv[++i], &end, 10);
        if (end == argv[i] || *end != '\0' || value < option->least || value > option->most)
            example_refuse(name, "-%c %s: the %s goes from %ld to %ld", option->letter, argv[i],
                           option->what, option->least, option->most);
        *option->value = value;
    }
}

/* 64 random bits that depend on (stream, index) only: any task can make any part of the input. */
static inline uint64_t example_random(uint64_t stream, uint64_t index) {
    return vef_rng_mix(vef_rng_mix(stream + 1) + index * UINT64_C(0x9e3779b97f4a7c15));
}

/* Uniform in [0, 1). */
static inline double example_random_unit(uint64_t stream, uint64_t index) {
    return (double)(example_random(stream, index) >> 11) * 0x1.0p-53;
}

/* Zeroed memory for `count` items (at least one), or the end of the run. */
static inline void *example_allocate(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "out of memory: %zu items of %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return memory;
}

/* The first of `total` items that task `part` of `parts` owns, in shares that differ by one at
 * most. */
static inline long example_share(long total, int part, int parts) {
    return total / parts * part + (part < total % parts ? part : total % parts);
}

/* Whether all tasks found their part right; one line on task 0; the exit status. Ends MPI. */
static inline int example_report(const char *name, const char *size, double seconds, bool right) {
    int rank, tasks, mine = right, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &tasks);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%-9s  %-28s  %4d tasks  %8.3f s  %s\n", name, size, tasks, seconds,
               all ? "verified" : "FAILED");
    MPI_Finalize();
    return all ? 0 : 1;
}

#endif
