/* Every blocking collective under capture, against what tests/mpi/collectives.c asks for, by hand.
 */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const task_0[] = {
    "Init",
    "Barrier{world}",
    "Bcast{world root1 20B}",
    "Bcast{world root0 96B}",
    "Bcast{world root2}",
    "Reduce{world root2 48B e6}",
    "Reduce{world root0 16B e2 in-place}",
    "Allreduce{world 12B e3 in-place}",
    "Allreduce{world 8B e2 ordered}",
    "Scan{world 16B e4}",
    "Exscan{world 20B e5 in-place}",
    "Reduce_scatter{world 4B e6 r:4,8,12}",
    "Reduce_scatter_block{world 16B e4}",
    "Allreduce{self 4B e1}",
    "Gather{world root1 8B}",
    "Gather{world root0 8B in-place}",
    "Gatherv{world root2 4B}",
    "Gatherv{world root0 12B r:12,4,8 in-place}",
    "Scatter{world root0 12B}",
    "Scatter{world root2 4B}",
    "Scatterv{world root1 8B}",
    "Allgather{world 8B}",
    "Allgather{world 8B in-place}",
    "Allgatherv{world 12B r:12,4,8}",
    "Alltoall{world 16B}",
    "Alltoall{world 4B in-place}",
    "Alltoallv{world s:0,8,16 r:0,4,8}",
    "Alltoallv{world s:4,8,12 r:4,8,12 in-place}",
    "Alltoallw{world s:1,8,24 r:1,1,1}",
    "Alltoall{world}",
    "Finalize",
    NULL,
};

static const char *const task_1[] = {
    "Init",
    "Barrier{world}",
    "Bcast{world root1 20B}",
    "Bcast{world root0 96B}",
    "Bcast{world root2}",
    "Reduce{world root2 48B e6}",
    "Reduce{world root0 16B e2}",
    "Allreduce{world 12B e3 in-place}",
    "Allreduce{world 8B e2 ordered}",
    "Scan{world 16B e4}",
    "Exscan{world 20B e5 in-place}",
    "Reduce_scatter{world 8B e6 r:4,8,12}",
    "Reduce_scatter_block{world 16B e4}",
    "Allreduce{self 4B e1}",
    "Gather{world root1 8B}",
    "Gather{world root0 8B}",
    "Gatherv{world root2 8B}",
    "Gatherv{world root0 4B}",
    "Scatter{world root0 12B}",
    "Scatter{world root2 4B}",
    "Scatterv{world root1 16B s:8,16,24}",
    "Allgather{world 8B}",
    "Allgather{world 8B in-place}",
    "Allgatherv{world 4B r:12,4,8}",
    "Alltoall{world 16B}",
    "Alltoall{world 4B in-place}",
    "Alltoallv{world s:4,12,20 r:8,12,16}",
    "Alltoallv{world s:8,12,16 r:8,12,16 in-place}",
    "Alltoallw{world s:1,8,24 r:8,8,8}",
    "Alltoall{world}",
    "Finalize",
    NULL,
};

static const char *const task_2[] = {
    "Init",
    "Barrier{world}",
    "Bcast{world root1 20B}",
    "Bcast{world root0 96B}",
    "Bcast{world root2}",
    "Reduce{world root2 48B e6}",
    "Reduce{world root0 16B e2}",
    "Allreduce{world 12B e3 in-place}",
    "Allreduce{world 8B e2 ordered}",
    "Scan{world 16B e4}",
    "Exscan{world 20B e5 in-place}",
    "Reduce_scatter{world 12B e6 r:4,8,12}",
    "Reduce_scatter_block{world 16B e4}",
    "Allreduce{self 4B e1}",
    "Gather{world root1 8B}",
    "Gather{world root0 8B}",
    "Gatherv{world root2 12B r:4,8,12}",
    "Gatherv{world root0 8B}",
    "Scatter{world root0 12B}",
    "Scatter{world root2 4B in-place}",
    "Scatterv{world root1 24B}",
    "Allgather{world 8B}",
    "Allgather{world 8B in-place}",
    "Allgatherv{world 8B r:12,4,8}",
    "Alltoall{world 16B}",
    "Alltoall{world 4B in-place}",
    "Alltoallv{world s:8,16,24 r:16,20,24}",
    "Alltoallv{world s:12,16,20 r:12,16,20 in-place}",
    "Alltoallw{world s:1,8,24 r:24,24,24}",
    "Alltoall{world}",
    "Finalize",
    NULL,
};

static void every_call_is_held(void **state) {
    (void)state;
    vef_test_compile("collectives.c", "", "collectives");
    assert_int_equal(vef_test_capture("collectives", 3, ""), 0);
    vef_trace *trace = vef_test_open("collectives");
    vef_test_events(trace, 0, task_0);
    vef_test_events(trace, 1, task_1);
    vef_test_events(trace, 2, task_2);
    vef_trace_close(trace);
    vef_test_check("collectives");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_is_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
