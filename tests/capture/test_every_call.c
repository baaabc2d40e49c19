/* Every call that traces hold and the MPI library has, made once at least under capture: the events
 * are those that the program itself wrote down beside its calls (tests/mpi/expect.h), from C with
 * usual and with large counts, and from Fortran by its three interfaces. A call in traces/calls.def
 * that the programs do not make fails. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 3, MOST = 2000, LINE = 2048 };

/* What a program wrote down for a task: the events, ended by NULL; and notes that the functions
 * were called. */
typedef struct list {
    const char *events[MOST + 1];
    size_t count;
    char *text;
} list;

static bool called[4096]; /* by call number */

static void note(const char *function) {
    int call = vef_call_find(function);
    if (call < 0)
        fail_msg("%s is no call of traces/calls.def", function);
    called[call] = true;
}

/* Of the lines of a file `FUNCTION tab EVENT`; a `!` before the function: only from C. */
static void read_list(const char *name, unsigned task, bool fortran, list *to) {
    char path[LINE];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/every_call.%s-%u", directory != NULL ? directory : "/tmp", name,
             task);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    to->text = calloc(MOST, LINE);
    assert_non_null(to->text);
    to->count = 0;
    char *cursor = to->text;
    while (to->count < MOST && fgets(cursor, LINE, file) != NULL) {
        char *tab = strchr(cursor, '\t');
        assert_non_null(tab);
        *tab = '\0';
        if (*cursor == '!' && fortran)
            continue;
        note(cursor + (*cursor == '!'));
        to->events[to->count++] = tab + 1;
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        cursor += LINE;
    }
    to->events[to->count] = NULL;
    assert_true(to->count > 100 && to->count < MOST);
    fclose(file);
}

static void check_run(const char *program, const char *name, bool fortran) {
    assert_int_equal(vef_test_capture(program, TASKS, ""), 0);
    vef_trace *trace = vef_test_open(program);
    for (unsigned task = 0; task < TASKS; task++) {
        list expected;
        read_list(name, task, fortran, &expected);
        vef_test_events(trace, task, expected.events);
        free(expected.text);
    }
    /* Nothing that could have been held is counted. */
    const vef_trace_header *header = vef_trace_get_header(trace);
    for (size_t call = 0; call < vef_call_count(); call++)
        if (header->not_recorded[call] > 0 && vef_call_kind((uint16_t)call) != VEF_KIND_COUNTED)
            fail_msg("%s: counted %llu times", vef_call_name((uint16_t)call),
                     (unsigned long long)header->not_recorded[call]);
    vef_trace_close(trace);
    vef_test_check(program);
}

static void from_c(void **state) {
    (void)state;
    vef_test_compile("every_call.c", "", "every_call_usual");
    check_run("every_call_usual", "usual", false);
}

static void from_c_with_large_counts(void **state) {
    (void)state;
    if (!vef_test_has_mpi_4())
        skip();
    vef_test_compile("every_call.c", "-DLARGE", "every_call_large");
    check_run("every_call_large", "large", false);
}

/* The same calls as from C, in the same order. */
static void from_fortran(const char *flags, const char *name, const char *program) {
    char with_modules[LINE];
    if (!vef_test_has_fortran())
        skip();
    const char *directory = getenv("TMPDIR");
    snprintf(with_modules, sizeof with_modules, "%s -ffree-line-length-none -J '%s'", flags,
             directory != NULL ? directory : "/tmp");
    vef_test_compile("every_call.F90", with_modules, program);
    check_run(program, name, true);
}

static void from_mpif_h(void **state) {
    (void)state;
    from_fortran("-DMPIF_H", "usual", "every_call_mpif_h");
}

static void from_use_mpi(void **state) {
    (void)state;
    from_fortran("-DUSE_MPI", "usual", "every_call_use_mpi");
}

static void from_use_mpi_f08(void **state) {
    (void)state;
    from_fortran("-DUSE_F08", "usual", "every_call_use_mpi_f08");
}

static void from_use_mpi_f08_with_large_counts(void **state) {
    (void)state;
    if (!vef_test_has_mpi_4())
        skip();
    from_fortran("-DUSE_F08 -DLARGE", "large", "every_call_use_mpi_f08_large");
}

/* Notes the calls that the library's mpi.h does not declare: there is nothing to make. (That of the
 * standard ABI has those of MPICH's, for the library of tests/mpi/abi passes them on to MPICH.) */
static void note_undeclared(void) {
    char path[LINE], function[LINE];
    const char *directory = getenv("VEF_BUILD");
    snprintf(path, sizeof path, "%s/%s/undeclared_calls.h", directory != NULL ? directory : "build",
             vef_test_has_fortran() ? vef_test_mpi() : "mpich");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(path, sizeof path, file) != NULL)
        if (sscanf(path, "int MPI_%[A-Za-z0-9_]", function) == 1)
            note(function);
    fclose(file);
}

/* After those from C. (MPI_Abort: tests/capture/test_endings.sh; MPI_Init_thread without large
 * counts: test_threads.c) */
static void none_is_left_out(void **state) {
    (void)state;
    note("Abort");
    if (!vef_test_has_mpi_4())
        note("Init_thread");
    note_undeclared();
    for (size_t call = 1; call < vef_call_count(); call++) {
        vef_kind kind = vef_call_kind((uint16_t)call);
        if (kind != VEF_KIND_COUNTED && kind != VEF_KIND_REGION && !called[call])
            fail_msg("MPI_%s: tests/mpi/every_call.c does not make it",
                     vef_call_name((uint16_t)call));
    }
}

/* The neighbours of every rank, in the order of MPI. */
static void neighbours_are_kept(void **state) {
    (void)state;
    static const uint32_t adjacent_out[TASKS][2] = {{1, 2}, {2}, {0}};
    static const uint32_t adjacent_in[TASKS][2] = {{2}, {0}, {0, 1}};
    static const uint32_t outs[] = {2, 1, 1}, ins[] = {1, 1, 2};
    static const uint32_t line[TASKS][2] = {{1}, {0, 2}, {1}};
    static const uint32_t lines[] = {1, 2, 1};
    vef_trace *trace = vef_test_open("every_call_usual");
    const vef_trace_header *header = vef_trace_get_header(trace);
    unsigned found = 0;
    for (uint32_t i = 0; i < header->communicator_count; i++) {
        const vef_communicator *comm = &header->communicators[i];
        bool adjacent = comm->made_by == VEF_CALL_Dist_graph_create_adjacent;
        bool graph = comm->made_by == VEF_CALL_Graph_create;
        bool ring = comm->made_by == VEF_CALL_Dist_graph_create;
        assert_int_equal(comm->neighbours != NULL, adjacent || graph || ring);
        for (uint32_t rank = 0; comm->neighbours != NULL && rank < TASKS; rank++) {
            const vef_neighbours *lists = &comm->neighbours[rank];
            uint32_t right = (rank + 1) % TASKS, left = (rank + 2) % TASKS;
            const uint32_t *in = adjacent ? adjacent_in[rank] : graph ? line[rank] : &left;
            const uint32_t *out = adjacent ? adjacent_out[rank] : graph ? line[rank] : &right;
            assert_int_equal(lists->in_count, adjacent ? ins[rank] : graph ? lines[rank] : 1);
            assert_int_equal(lists->out_count, adjacent ? outs[rank] : graph ? lines[rank] : 1);
            assert_memory_equal(lists->in, in, lists->in_count * sizeof *in);
            assert_memory_equal(lists->out, out, lists->out_count * sizeof *out);
            found++;
        }
    }
    assert_int_equal(found, 3 * TASKS);
    vef_trace_close(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_c),           cmocka_unit_test(from_c_with_large_counts),
        cmocka_unit_test(from_mpif_h),      cmocka_unit_test(from_use_mpi),
        cmocka_unit_test(from_use_mpi_f08), cmocka_unit_test(from_use_mpi_f08_with_large_counts),
        cmocka_unit_test(none_is_left_out), cmocka_unit_test(neighbours_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
