/* Communicators made and freed in every way, against what tests/mpi/communicators.c asks for, by
 * hand. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const task_0[] = {
    "Init",
    "Comm_dup{world = Comm_dup(0,1,2,3)}",
    "Comm_dup_with_info{Comm_dup(0,1,2,3) = Comm_dup_with_info(0,1,2,3)}",
    "Comm_free{Comm_dup(0,1,2,3)}",
    "Comm_split{world = Comm_split(0,1,2)}",
    "Comm_split_type{Comm_dup_with_info(0,1,2,3) = Comm_split_type(0,1,2,3)}",
    "Comm_disconnect{Comm_split_type(0,1,2,3)}",
    "Comm_create{world = none}",
    "Comm_create_group{world = Comm_create_group(0,2)}",
    "Send(>none t1 Comm_create_group(0,2) 4B)",
    "Comm_free{Comm_create_group(0,2)}",
    "Comm_free{Comm_split(0,1,2)}",
    "Comm_free{Comm_dup_with_info(0,1,2,3)}",
    "Cart_create{world = Cart_create(0,1,2,3;2ox2)}",
    "Cart_sub{Cart_create(0,1,2,3;2ox2) = Cart_sub(0,1;2)}",
    "Barrier{Cart_sub(0,1;2)}",
    "Cart_create{world = Cart_create(0,1,2;3x1)}",
    "Comm_free{Cart_sub(0,1;2)}",
    "Comm_free{Cart_create(0,1,2,3;2ox2)}",
    "Comm_free{Cart_create(0,1,2;3x1)}",
    "Graph_create{world = Graph_create(0,1,2,3)}",
    "Comm_free{Graph_create(0,1,2,3)}",
    "Dist_graph_create{world = Dist_graph_create(0,1,2,3)}",
    "Comm_free{Dist_graph_create(0,1,2,3)}",
    "Dist_graph_create_adjacent{world = Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_free{Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_split{world = Comm_split(2,0)}",
    "Allreduce{Comm_split(2,0) 4B e1 in-place}",
    "Intercomm_create{Comm_split(2,0) = Intercomm_create(2,0|3,1)}",
    "Barrier{Intercomm_create(2,0|3,1)}",
    "Intercomm_merge{Intercomm_create(2,0|3,1) = Intercomm_merge(2,0,3,1)}",
    "Comm_free{Intercomm_create(2,0|3,1)}",
    "Comm_free{Comm_split(2,0)}",
    "Comm_dup{Intercomm_merge(2,0,3,1) = Comm_dup(2,0,3,1)}",
    "Comm_free{Comm_dup(2,0,3,1)}",
    "Comm_free{Intercomm_merge(2,0,3,1)}",
    "Finalize",
    NULL,
};

static const char *const task_1[] = {
    "Init",
    "Comm_dup{world = Comm_dup(0,1,2,3)}",
    "Comm_dup_with_info{Comm_dup(0,1,2,3) = Comm_dup_with_info(0,1,2,3)}",
    "Comm_free{Comm_dup(0,1,2,3)}",
    "Comm_split{world = Comm_split(0,1,2)}",
    "Comm_split_type{Comm_dup_with_info(0,1,2,3) = Comm_split_type(0,1,2,3)}",
    "Comm_disconnect{Comm_split_type(0,1,2,3)}",
    "Comm_create{world = Comm_create(1,3)}",
    "Comm_free{Comm_create(1,3)}",
    "Comm_free{Comm_split(0,1,2)}",
    "Comm_free{Comm_dup_with_info(0,1,2,3)}",
    "Cart_create{world = Cart_create(0,1,2,3;2ox2)}",
    "Cart_sub{Cart_create(0,1,2,3;2ox2) = Cart_sub(0,1;2)}",
    "Barrier{Cart_sub(0,1;2)}",
    "Cart_create{world = Cart_create(0,1,2;3x1)}",
    "Comm_free{Cart_sub(0,1;2)}",
    "Comm_free{Cart_create(0,1,2,3;2ox2)}",
    "Comm_free{Cart_create(0,1,2;3x1)}",
    "Graph_create{world = Graph_create(0,1,2,3)}",
    "Comm_free{Graph_create(0,1,2,3)}",
    "Dist_graph_create{world = Dist_graph_create(0,1,2,3)}",
    "Comm_free{Dist_graph_create(0,1,2,3)}",
    "Dist_graph_create_adjacent{world = Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_free{Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_split{world = Comm_split(3,1)}",
    "Allreduce{Comm_split(3,1) 4B e1 in-place}",
    "Intercomm_create{Comm_split(3,1) = Intercomm_create(2,0|3,1)}",
    "Recv(<*2 t5 Intercomm_create(2,0|3,1) 4B #0)",
    "Barrier{Intercomm_create(2,0|3,1)}",
    "Intercomm_merge{Intercomm_create(2,0|3,1) = Intercomm_merge(2,0,3,1)}",
    "Comm_free{Intercomm_create(2,0|3,1)}",
    "Comm_free{Comm_split(3,1)}",
    "Comm_dup{Intercomm_merge(2,0,3,1) = Comm_dup(2,0,3,1)}",
    "Comm_free{Comm_dup(2,0,3,1)}",
    "Comm_free{Intercomm_merge(2,0,3,1)}",
    "Finalize",
    NULL,
};

static const char *const task_2[] = {
    "Init",
    "Comm_dup{world = Comm_dup(0,1,2,3)}",
    "Comm_dup_with_info{Comm_dup(0,1,2,3) = Comm_dup_with_info(0,1,2,3)}",
    "Comm_free{Comm_dup(0,1,2,3)}",
    "Comm_split{world = Comm_split(0,1,2)}",
    "Comm_split_type{Comm_dup_with_info(0,1,2,3) = Comm_split_type(0,1,2,3)}",
    "Comm_disconnect{Comm_split_type(0,1,2,3)}",
    "Comm_create{world = none}",
    "Comm_create_group{world = Comm_create_group(0,2)}",
    "Send(>none t1 Comm_create_group(0,2) 4B)",
    "Comm_free{Comm_create_group(0,2)}",
    "Comm_free{Comm_split(0,1,2)}",
    "Comm_free{Comm_dup_with_info(0,1,2,3)}",
    "Cart_create{world = Cart_create(0,1,2,3;2ox2)}",
    "Cart_sub{Cart_create(0,1,2,3;2ox2) = Cart_sub(2,3;2)}",
    "Barrier{Cart_sub(2,3;2)}",
    "Cart_create{world = Cart_create(0,1,2;3x1)}",
    "Comm_free{Cart_sub(2,3;2)}",
    "Comm_free{Cart_create(0,1,2,3;2ox2)}",
    "Comm_free{Cart_create(0,1,2;3x1)}",
    "Graph_create{world = Graph_create(0,1,2,3)}",
    "Comm_free{Graph_create(0,1,2,3)}",
    "Dist_graph_create{world = Dist_graph_create(0,1,2,3)}",
    "Comm_free{Dist_graph_create(0,1,2,3)}",
    "Dist_graph_create_adjacent{world = Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_free{Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_split{world = Comm_split(2,0)}",
    "Allreduce{Comm_split(2,0) 4B e1 in-place}",
    "Intercomm_create{Comm_split(2,0) = Intercomm_create(2,0|3,1)}",
    "Send(>1 t5 Intercomm_create(2,0|3,1) 4B #0)",
    "Barrier{Intercomm_create(2,0|3,1)}",
    "Intercomm_merge{Intercomm_create(2,0|3,1) = Intercomm_merge(2,0,3,1)}",
    "Comm_free{Intercomm_create(2,0|3,1)}",
    "Comm_free{Comm_split(2,0)}",
    "Comm_dup{Intercomm_merge(2,0,3,1) = Comm_dup(2,0,3,1)}",
    "Ssend(>s3 t6 Comm_dup(2,0,3,1) 4B #0)",
    "Comm_free{Comm_dup(2,0,3,1)}",
    "Comm_free{Intercomm_merge(2,0,3,1)}",
    "Finalize",
    NULL,
};

static const char *const task_3[] = {
    "Init",
    "Comm_dup{world = Comm_dup(0,1,2,3)}",
    "Comm_dup_with_info{Comm_dup(0,1,2,3) = Comm_dup_with_info(0,1,2,3)}",
    "Comm_free{Comm_dup(0,1,2,3)}",
    "Comm_split{world = none}",
    "Comm_split_type{Comm_dup_with_info(0,1,2,3) = Comm_split_type(0,1,2,3)}",
    "Comm_disconnect{Comm_split_type(0,1,2,3)}",
    "Comm_create{world = Comm_create(1,3)}",
    "Comm_free{Comm_create(1,3)}",
    "Comm_free{Comm_dup_with_info(0,1,2,3)}",
    "Cart_create{world = Cart_create(0,1,2,3;2ox2)}",
    "Cart_sub{Cart_create(0,1,2,3;2ox2) = Cart_sub(2,3;2)}",
    "Barrier{Cart_sub(2,3;2)}",
    "Cart_create{world = none}",
    "Comm_free{Cart_sub(2,3;2)}",
    "Comm_free{Cart_create(0,1,2,3;2ox2)}",
    "Graph_create{world = Graph_create(0,1,2,3)}",
    "Comm_free{Graph_create(0,1,2,3)}",
    "Dist_graph_create{world = Dist_graph_create(0,1,2,3)}",
    "Comm_free{Dist_graph_create(0,1,2,3)}",
    "Dist_graph_create_adjacent{world = Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_free{Dist_graph_create_adjacent(0,1,2,3)}",
    "Comm_split{world = Comm_split(3,1)}",
    "Allreduce{Comm_split(3,1) 4B e1 in-place}",
    "Intercomm_create{Comm_split(3,1) = Intercomm_create(2,0|3,1)}",
    "Barrier{Intercomm_create(2,0|3,1)}",
    "Intercomm_merge{Intercomm_create(2,0|3,1) = Intercomm_merge(2,0,3,1)}",
    "Comm_free{Intercomm_create(2,0|3,1)}",
    "Comm_free{Comm_split(3,1)}",
    "Comm_dup{Intercomm_merge(2,0,3,1) = Comm_dup(2,0,3,1)}",
    "Recv(<2 t6 Comm_dup(2,0,3,1) 4B #0)",
    "Comm_free{Comm_dup(2,0,3,1)}",
    "Comm_free{Intercomm_merge(2,0,3,1)}",
    "Finalize",
    NULL,
};

static void every_call_is_held(void **state) {
    (void)state;
    vef_test_compile("communicators.c", "", "communicators");
    assert_int_equal(vef_test_capture("communicators", 4, ""), 0);
    vef_trace *trace = vef_test_open("communicators");
    vef_test_events(trace, 0, task_0);
    vef_test_events(trace, 1, task_1);
    vef_test_events(trace, 2, task_2);
    vef_test_events(trace, 3, task_3);
    vef_trace_close(trace);
    vef_test_check("communicators");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_is_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
