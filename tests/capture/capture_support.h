/* For the tests of capture: run real MPI programs under `vef capture`, and compare what the trace
 * holds with what was written down by hand. */
#ifndef VEF_TESTS_CAPTURE_SUPPORT_H
#define VEF_TESTS_CAPTURE_SUPPORT_H

#include "traces/file/trace.h"

#include <stdbool.h>

/* The MPI library under test: "mpich", "openmpi" or "abi" (VEF_TEST_MPI, set by tests/run with its
 * MPICC, MPIFORT and MPIEXEC); and whether it has MPI 4.0, and interfaces for Fortran. */
const char *vef_test_mpi(void);
bool vef_test_has_mpi_4(void);
bool vef_test_has_fortran(void);

/* Compiles tests/mpi/SOURCE (.c or .F90) with its wrapper and `flags` into $TMPDIR/NAME; the
 * test fails if that does. */
void vef_test_compile(const char *source, const char *flags, const char *name);

/* Runs `vef capture OPTIONS -o $TMPDIR/NAME.vef mpiexec -n TASKS $TMPDIR/NAME` and returns
 * its exit status. What it printed is in $TMPDIR/NAME.out. */
int vef_test_capture(const char *name, unsigned tasks, const char *options);

/* The same with a program of another name than the trace's, and with arguments for it. */
int vef_test_capture_of(const char *program, const char *name, unsigned tasks, const char *options,
                        const char *arguments);

/* Opens the trace of a capture; the test fails if that does, or if something is missing. */
vef_trace *vef_test_open(const char *name);

/* `vef check` finds nothing wrong with the trace of a capture. */
void vef_test_check(const char *name);

/* The events of a task but for polls, each as one line of text, are `expected` (ended by NULL):
 *
 *     Send(>1 t11 world 12B #0)           to task 1, tag, communicator, bytes, ordinal
 *     Irecv(<*0 t*7 world 4B #3 r2)       from task 0; * where a wildcard was asked; request 2
 *     Waitall[r0 r1!]                     the requests completed; ! cancelled
 *     Bcast{world root1 40B}              also e5 elements, s:1,2 and r:1,2 bytes per rank,
 *                                         "in-place", "ordered" (does not commute)
 *     Comm_dup{world = Comm_dup(0,1)}     on which communicator, and the one made: by what, of whom
 *     Ibcast{world root-here r4}          the request started; roots between two groups
 *     Bcast_init{world root1 40B r5 started}
 *     Comm_idup{world = Comm_idup(0,1) r9}
 *     Put(1 Win_create(0,1) 4B r3)        the target, window, bytes
 *     Win_lock{Win_create(0,1) 1 exclusive a1024}   the window, tasks it is about, assertion
 *     Pcontrol:0                          the argument
 *     Pready:3 last                       the request
 *
 * After < or > stand flags: p partitioned, g generalised, s synchronous, r ready, b buffered,
 * ! cancelled, ? unmatched, ~ never completed. Communicators are world, self, or as shown;
 * intercommunicators show both groups, the one that holds the lowest task first. Times are not
 * compared. */
void vef_test_events(const vef_trace *trace, uint32_t task, const char *const *expected);

/* How many calls of a function the trace says it does not hold. */
uint64_t vef_test_not_recorded(const vef_trace *trace, const char *name);

/* Whether what the capture printed holds `text`. */
bool vef_test_printed(const char *name, const char *text);

#endif
