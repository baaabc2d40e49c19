/* MPI called from Fortran by its three interfaces: all give the trace that tests/mpi/fortran.F90
 * asks for, written down by hand (and as C programs give it). */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const task_0[] = {
    "Init",
    "Send(>1 t11 world 12B #0)",
    "Send(>1 t12 world 20B #1)",
    "Ssend(>s1 t13 world 8B #2)",
    "Send(>none t14 world 28B)",
    "Irecv(<1 t21 world 12B #0 r0)",
    "Isend(>1 t21 world 8B #3 r1)",
    "Waitall[r0 r1]",
    "Irecv(<1 t22 world 16B #1 r2)",
    "Isend(>1 t22 world 16B #4 r3)",
    "Waitall[r2 r3]",
    "Irecv(<*1 t23 world 20B #2 r4)",
    "Send(>1 t23 world 20B #5)",
    "Wait[r4]",
    "Irecv(<1 t24 world 24B #3 r5)",
    "Send(>1 t24 world 24B #6)",
    "Test[r5]",
    "Irecv(<1 t25 world 4B #4 r6)",
    "Sendrecv(>1 t25 world 4B #7)(<none t25 world 0B)",
    "Waitany[r6]",
    "Send_init",
    "Start(>1 t31 world 32B #8 r7)",
    "Wait[r7]",
    "Request_free[]",
    "Allreduce{world 8B e1 in-place}",
    "Reduce{world root1 8B e1}",
    "Bcast{world root1 36B}",
    "Gather{world root0 8B in-place}",
    "Alltoallv{world s:4,8 r:4,4}",
    "Comm_split{world = Comm_split(0)}",
    "Barrier{Comm_split(0)}",
    "Comm_free{Comm_split(0)}",
    "Cart_create{world = Cart_create(0,1;2ox1)}",
    "Pcontrol:0",
    "Pcontrol:1",
    "Barrier{Cart_create(0,1;2ox1)}",
    "Comm_free{Cart_create(0,1;2ox1)}",
    "Finalize",
    NULL,
};

static const char *const task_1[] = {
    "Init",
    "Recv(<*0 t*11 world 12B #0)",
    "Probe(<0 t12 world 20B #1)",
    "Recv(<0 t12 world 20B #1)",
    "Recv(<0 t13 world 8B #2)",
    "Irecv(<0 t21 world 8B #3 r0)",
    "Isend(>0 t21 world 12B #0 r1)",
    "Waitall[r0 r1]",
    "Irecv(<0 t22 world 16B #4 r2)",
    "Isend(>0 t22 world 16B #1 r3)",
    "Waitall[r2 r3]",
    "Irecv(<*0 t23 world 20B #5 r4)",
    "Send(>0 t23 world 20B #2)",
    "Wait[r4]",
    "Irecv(<0 t24 world 24B #6 r5)",
    "Send(>0 t24 world 24B #3)",
    "Test[r5]",
    "Irecv(<0 t25 world 4B #7 r6)",
    "Sendrecv(>0 t25 world 4B #4)(<none t25 world 0B)",
    "Waitany[r6]",
    "Recv_init",
    "Start(<0 t31 world 32B #8 r7)",
    "Wait[r7]",
    "Request_free[]",
    "Allreduce{world 8B e1 in-place}",
    "Reduce{world root1 8B e1}",
    "Bcast{world root1 36B}",
    "Gather{world root0 8B}",
    "Alltoallv{world s:4,8 r:8,8}",
    "Comm_split{world = Comm_split(1)}",
    "Barrier{Comm_split(1)}",
    "Comm_free{Comm_split(1)}",
    "Cart_create{world = Cart_create(0,1;2ox1)}",
    "Pcontrol:0",
    "Pcontrol:1",
    "Barrier{Cart_create(0,1;2ox1)}",
    "Comm_free{Cart_create(0,1;2ox1)}",
    "Finalize",
    NULL,
};

static void check_interface(const char *flags, const char *name) {
    vef_test_compile("fortran.F90", flags, name);
    assert_int_equal(vef_test_capture(name, 2, ""), 0);
    vef_trace *trace = vef_test_open(name);
    vef_test_events(trace, 0, task_0);
    vef_test_events(trace, 1, task_1);
    vef_trace_close(trace);
    vef_test_check(name);
}

static void mpif_h(void **state) {
    (void)state;
    check_interface("-DMPIF_H", "fortran_mpif_h");
}

static void use_mpi(void **state) {
    (void)state;
    check_interface("-DUSE_MPI", "fortran_use_mpi");
}

static void use_mpi_f08(void **state) {
    (void)state;
    check_interface("-DUSE_F08", "fortran_use_mpi_f08");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mpif_h),
        cmocka_unit_test(use_mpi),
        cmocka_unit_test(use_mpi_f08),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
