/* For programs that say what a trace of them must hold: each call stands beside its event, which is
 * written down before the call into $TMPDIR/every_call.<name>-<task>, one a line behind the name of
 * the function: see tests/capture/test_every_call.c. Counts requests and messages as the program
 * makes them. */
#ifndef VEF_TESTS_MPI_EXPECT_H
#define VEF_TESTS_MPI_EXPECT_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* -DLARGE: the functions with large counts. */
#ifdef LARGE
#define WITH_COUNT(name) name##_c
typedef MPI_Count count_t;
typedef MPI_Aint place_t;
#define EXPECTED_NAME "large"
#else
#define WITH_COUNT(name) name
typedef int count_t;
typedef int place_t;
#define EXPECTED_NAME "usual"
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

enum { TASKS = 3 };

static FILE *expected;
static int me, right, left;
static unsigned long requests;                /* started so far */
static unsigned long sent[TASKS], got[TASKS]; /* messages to and from each */

static void open_expected(int rank) {
    char path[4096];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/every_call.%s-%d", directory != NULL ? directory : "/tmp",
             EXPECTED_NAME, rank);
    expected = fopen(path, "w");
    if (expected == NULL || setvbuf(expected, NULL, _IOLBF, 4096))
        exit(4);
}

static void expect(const char *function, const char *format, ...) {
    va_list arguments;
    fprintf(expected, "%s\t", function);
    va_start(arguments, format);
    vfprintf(expected, format, arguments);
    va_end(arguments);
    fputc('\n', expected);
}

/* Makes a call whose event is as given (printf). CALL_C: in its form with large counts, if so
 * asked. */
#define CALL(name, arguments, ...)                                                                 \
    do {                                                                                           \
        expect(#name, __VA_ARGS__);                                                                \
        MPI_##name arguments;                                                                      \
    } while (0)
#define CALL_C(name, arguments, ...)                                                               \
    do {                                                                                           \
        expect(TEXT(WITH_COUNT(name)), __VA_ARGS__);                                               \
        WITH_COUNT(MPI_##name) arguments;                                                          \
    } while (0)

/* One that the program in Fortran does not make; it must not start a request. */
#define CALL_C_ONLY(name, arguments, ...)                                                          \
    do {                                                                                           \
        expect("!" TEXT(WITH_COUNT(name)), __VA_ARGS__);                                           \
        WITH_COUNT(MPI_##name) arguments;                                                          \
    } while (0)

/* Text that lasts for a while. */
static const char *text(const char *format, ...) {
    static char room[16][512];
    static int next;
    char *here = room[next++ % 16];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(here, sizeof room[0], format, arguments);
    va_end(arguments);
    return here;
}

/* A send and a receive of the world, as the trace says it; `started`: with a request, the next. */
enum { BLOCKING, STARTED };
static const char *to(const char *flags, int peer, int tag, int bytes, int started) {
    return text("(>%s%d t%d world %dB #%lu%s)", flags, peer, tag, bytes, sent[peer]++,
                started ? text(" r%lu", requests++) : "");
}
static const char *from(const char *flags, int peer, int tag, int bytes, int started) {
    return text("(<%s%d t%d world %dB #%lu%s)", flags, peer, tag, bytes, got[peer]++,
                started ? text(" r%lu", requests++) : "");
}
static unsigned long last(void) {
    return requests - 1;
}

static void wait_for(MPI_Request *request) {
    CALL(Wait, (request, MPI_STATUS_IGNORE), "Wait[r%lu]", last());
}

#endif
