/* Traces of random programs: messages of all kinds, collectives, windows, persistent requests,
 * polls, regions and, by the seed, several threads for each task. They are consistent, and replay
 * without a stall. */
#ifndef VEF_TESTS_REPLAY_RANDOM_PROGRAM_H
#define VEF_TESTS_REPLAY_RANDOM_PROGRAM_H

#include <stdint.h>

enum { RANDOM_PROGRAM_TASKS = 8 };

/* Writes the trace of the program of this seed. Seeds that 3 divides have three threads a task; odd
 * ones have collectives that some tasks lack. Its
 * regions "iteration" are entered 6 times, each with a mark "top". */
void random_program(const char *path, uint64_t seed);

#endif
