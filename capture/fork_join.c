/* Begin and end of OpenMP parallel regions, so that serial and parallel parts of computation add
 * up: see workers.h. GCC compiles a region to a call of one of these functions of libgomp, which
 * returns at the end of the region. Only threads that call MPI are considered; nested regions
 * concern other threads.
 *
 * Several copies of libgomp may be in a process: packages of Python bring their own. Each function
 * is defined for each of the first COPIES of them; regions of further ones are left alone. */
#include "capture/hooks.h"
#include "capture/recorder.h"

#define COPIES(row) row(0) row(1) row(2) row(3)

typedef void region_body(void *);

/* A function of libgomp in one copy: its result, name, parameters and arguments. */
#define COPY(copy, result, name, parameters, arguments)                                            \
    static result(*name##_original_##copy) parameters;                                             \
    static result name##_##copy parameters {                                                       \
        vef_region_forks(true);                                                                    \
        CALL_##result(name##_original_##copy arguments);                                           \
        vef_region_forks(false);                                                                   \
        RETURN_##result;                                                                           \
    }
#define CALL_void(call) call
#define RETURN_void
#define CALL_unsigned(call) unsigned returned = call
#define RETURN_unsigned return returned

#define REGION_BY(result, name, parameters, arguments)                                             \
    COPY(0, result, name, parameters, arguments)                                                   \
    COPY(1, result, name, parameters, arguments)                                                   \
    COPY(2, result, name, parameters, arguments)                                                   \
    COPY(3, result, name, parameters, arguments)
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

#define ROWS(copy)                                                                                 \
    ROW(GOMP_parallel, copy)                                                                       \
    ROW(GOMP_parallel_reductions, copy)                                                            \
    ROW(GOMP_parallel_sections, copy)                                                              \
    ROW(GOMP_parallel_loop_static, copy)                                                           \
    ROW(GOMP_parallel_loop_dynamic, copy)                                                          \
    ROW(GOMP_parallel_loop_guided, copy)                                                           \
    ROW(GOMP_parallel_loop_nonmonotonic_dynamic, copy)                                             \
    ROW(GOMP_parallel_loop_nonmonotonic_guided, copy)                                              \
    ROW(GOMP_parallel_loop_runtime, copy)                                                          \
    ROW(GOMP_parallel_loop_nonmonotonic_runtime, copy)                                             \
    ROW(GOMP_parallel_loop_maybe_nonmonotonic_runtime, copy)
#define ROW(name, copy) VEF_HOOK(#name, name##_##copy, &name##_original_##copy),

static const vef_hook hooks[] = {COPIES(ROWS)};
const vef_hook_table vef_region_hooks = VEF_HOOK_TABLE(hooks);
