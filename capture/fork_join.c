/* Begin and end of OpenMP parallel regions, so that serial and parallel parts of computation add
 * up: see workers.h. GCC compiles a region to a call of one of these functions of libgomp, which
 * returns at the end of the region. Only threads that call MPI are considered; nested regions
 * concern other threads. */
#include "capture/recorder.h"

/* A function of libgomp: its result, name, parameters, and arguments. Never called without libgomp.
 */
#define REGION_BY(result, name, parameters, arguments)                                             \
    result name parameters __attribute__((visibility("default")));                                 \
    result name parameters {                                                                       \
        static __typeof__(name) *real;                                                             \
        if (real == NULL)                                                                          \
            vef_real_find(#name, &real);                                                           \
        vef_region_forks(true);                                                                    \
        CALL_##result(real arguments);                                                             \
        vef_region_forks(false);                                                                   \
        RETURN_##result;                                                                           \
    }
#define CALL_void(call) call
#define RETURN_void
#define CALL_unsigned(call) unsigned returned = call
#define RETURN_unsigned return returned

typedef void region_body(void *);

#define LOOP(name)                                                                                 \
    REGION_BY(void, name,                                                                          \
              (region_body * body, void *data, unsigned threads, long start, long end, long step,  \
               long chunk, unsigned flags),                                                        \
              (body, data, threads, start, end, step, chunk, flags))
#define LOOP_AT_RUNTIME(name)                                                                      \
    REGION_BY(void, name,                                                                          \
              (region_body * body, void *data, unsigned threads, long start, long end, long step,  \
               unsigned flags),                                                                    \
              (body, data, threads, start, end, step, flags))

REGION_BY(void, GOMP_parallel, (region_body * body, void *data, unsigned threads, unsigned flags),
          (body, data, threads, flags))
REGION_BY(unsigned, GOMP_parallel_reductions,
          (region_body * body, void *data, unsigned threads, unsigned flags),
          (body, data, threads, flags))
REGION_BY(void, GOMP_parallel_sections,
          (region_body * body, void *data, unsigned threads, unsigned count, unsigned flags),
          (body, data, threads, count, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_AT_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_AT_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_AT_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
