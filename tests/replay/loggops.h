/* An independent simulator of GOAL schedules in the LogGOPS model, for comparison: slow and
 * obvious, written from the rules in docs/interchange.md alone. */
#ifndef VEF_TESTS_REPLAY_LOGGOPS_H
#define VEF_TESTS_REPLAY_LOGGOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { LOGGOPS_RANKS = 8, LOGGOPS_STATEMENTS = 64, LOGGOPS_NEEDS = 4, LOGGOPS_CPUS = 2 };

typedef struct loggops_parameters {
    uint64_t L, o, g, G, O, S;
} loggops_parameters;

typedef struct loggops_statement {
    char kind; /* 's' send, 'r' receive, 'c' calc */
    uint64_t size;
    unsigned peer, tag, cpu, nic;
    unsigned needs[LOGGOPS_NEEDS];
    char how[LOGGOPS_NEEDS]; /* 0: none; 'e': requires; 's': irequires */
} loggops_statement;

typedef struct loggops_schedule {
    unsigned ranks, counts[LOGGOPS_RANKS];
    loggops_statement statements[LOGGOPS_RANKS][LOGGOPS_STATEMENTS];
} loggops_schedule;

/* The finishing times of the ranks. False if some statement never runs. */
bool loggops_simulate(const loggops_schedule *schedule, const loggops_parameters *parameters,
                      uint64_t *ends);
/* Writes the schedule as GOAL. */
void loggops_write(const loggops_schedule *schedule, const char *path);

#endif
