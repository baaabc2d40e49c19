/* Runs the plans of all ranks of a collective together, without a network, carrying data.
 *
 * Data is followed as sets of contributions per byte range, so that what each rank ends with can be
 * compared with what MPI says, and counting a contribution twice, sending what is not there, or
 * combining out of order is found. */
#ifndef VEF_TESTS_REPLAY_PLAN_RUN_H
#define VEF_TESTS_REPLAY_PLAN_RUN_H

#include "tests/replay/collective_case.h"

typedef struct plan_world {
    uint32_t size;
    vef_plan *plans; /* one a rank */
    uint32_t plans_capacity;
    char fault[256]; /* "" for none */
    uint32_t rounds; /* by plan_world_run: with every message taking one round, sends one after the
                        other unless their plan starts them together */
    uint64_t most_bytes; /* sent, or received, by the rank with the most */
    uint64_t all_bytes;
    uint64_t most_messages; /* sent, or received, by the rank with the most */
} plan_world;

/* Execution mode: a send is complete at once, or only when it is received; ranks take turns
 * upwards or downwards. */
enum { PLAN_SYNCHRONOUS = 1, PLAN_DOWNWARDS = 2 };

/* Makes the plans; and runs them, with the data of the case when its size allows. False, with a
 * fault, when something is wrong. */
bool plan_world_make(plan_world *world, vef_tuned choice, const collective_case *one,
                     bool with_data);
bool plan_world_run(plan_world *world, const collective_case *one, int how);
void plan_world_free(plan_world *world);

#endif
